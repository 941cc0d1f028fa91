"""Comparisons, anchors and causes where a thing happened more than once, or nothing says what led to it."""

from __future__ import annotations

import asyncio

import pytest
from tests.unit.services.sluice import sluice
from tests.unit.services.test_retrieve import opening
from tests.unit.services.world import Doc, World

from tidegraph.domain.documents import Status
from tidegraph.services.usecases.anchoring import anchored
from tidegraph.services.usecases.answers import Outcome
from tidegraph.services.usecases.retrieve import retrieve

MILL, GUILD = "Fenwick Mill", "Water Guild"


@pytest.fixture(scope="module")
def world() -> World:
    """The flood was in 2020; the weir was repaired before it, in it and after it."""
    made = sluice()
    made.event("Fenwick Mill repaired the weir.", "2018-08-01", MILL)
    made.event("Fenwick Mill repaired the weir.", "2022-12-01", MILL)
    made.event("Ada Quill visited Selby.", "2019-05-01", "Ada Quill", "Selby")
    made.event("Ada Quill visited Selby.", "2021-05-01", "Ada Quill", "Selby")
    terms = (
        ("Eve Stone", "2010-01-01", "2012-01-01"),
        ("Gil Hart", "2012-01-01", "2018-01-01"),
        ("Eve Stone", "2018-01-01", "2020-01-01"),
    )
    for name, start, end in terms:
        doc = Doc(f"g-{name}-{start}", start)
        made.claim(name, "holds_role", GUILD, start, end, role="president", doc=doc)
    for name, start, end in (("Eve Stone", "2015-01-01", ""), ("Gil Hart", "2010-01-01", "2014-01-01")):
        made.claim(name, "member_of", "Oak Club", start, end, doc=Doc(f"m-{name}", start))
    return asyncio.run(made.build())


@pytest.mark.parametrize(
    "question",
    [
        "Was the weir repaired after the flood?",
        "Was the weir repaired before the flood?",
        "Did Ada Quill visit Selby before the flood?",
        "Did Ada Quill visit Selby after the flood?",
        "Did Eve Stone become president of the Water Guild after Gil Hart?",
        "Did Eve Stone become president of the Water Guild before Gil Hart?",
    ],
)
async def test_one_of_several_that_does_not_fit_is_no_no(world: World, question: str) -> None:
    assert (await world.ask(question)).answer.values != ("no",)


async def test_all_members_are_those_of_now(world: World) -> None:
    answer = (await world.ask("Who are all the members of the Oak Club?")).answer
    assert list(answer.values) == ["Eve Stone"]


async def test_a_clause_that_may_be_several_events_narrows_no_search(world: World) -> None:
    work, scope = await opening(world, "What did Fenwick Mill do before it repaired the weir?")
    assert await anchored(work, scope) == scope
    work, scope = await opening(world, "What did Fenwick Mill do before the flood?")
    assert await anchored(work, scope) != scope


async def test_what_only_came_before_did_not_lead_to_it() -> None:
    made = World()
    made.event("Oak Club elected a clerk.", "2020-01-01", "Oak Club")
    made.event("Oak Club burned down.", "2020-03-01", "Oak Club")
    answer = (await (await made.build()).ask("What led to the burning down of Oak Club?")).answer
    assert answer.outcome is Outcome.NOT_KNOWN


@pytest.mark.parametrize("status", [Status.PLANNED, Status.DENIED])
async def test_what_is_hidden_takes_no_place_of_what_is_shown(status: Status) -> None:
    made = World()
    for number in range(80):
        day = f"2025-{1 + number % 5:02d}-{1 + number % 27:02d}"
        sentence = f"Fenwick Mill will open museum wing number {number}."
        made.event(sentence, day, MILL, status=status, doc=Doc(f"p{number}", "2024-01-01"))
    for number in range(15):
        sentence = f"Fenwick Mill opened an old hall of grain and water at lot {number} long ago."
        made.event(sentence, f"2020-01-{1 + number:02d}", MILL, doc=Doc(f"a{number}", "2020-02-01"))
    work, scope = await opening(await made.build(), "Which museum wing did Fenwick Mill open?")
    assert len((await retrieve(work, scope, 20)).hits) == 15


async def test_a_sentence_of_a_plan_is_no_evidence_of_a_year_that_it_is_not_of() -> None:
    made = World()
    doc = Doc("d", "2020-12-01", title=MILL)
    past, plan = "Ada Quill chaired Fenwick Mill with care.", "Ben Marsh will chair Fenwick Mill next spring."
    told = "The mill ground barley for the whole valley."
    made.chunk(f"{past} {plan} {told}", doc)
    made.event(past, "2020", "Ada Quill", MILL, doc=doc)
    made.event(plan, "2021-04", "Ben Marsh", MILL, doc=doc, status=Status.PLANNED, at=len(past) + 1)
    work, scope = await opening(await made.build(), "Who was chair of Fenwick Mill in December 2020?")
    hits = (await retrieve(work, scope, 20)).hits
    said = [hit.chunk.chunk.text for hit in hits if hit.chunk is not None]
    assert plan not in said
    assert told in said
