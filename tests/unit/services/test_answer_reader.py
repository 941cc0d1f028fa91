"""Answers read off passages: the value of then, its neighbours, the same again, and silence."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence

import pytest
from tests.unit.services.world import NOW, Doc, World

from tidegraph.ports import FactFilter, Visibility
from tidegraph.services.caller import Caller
from tidegraph.services.usecases.answers import Outcome
from tidegraph.services.usecases.ask import Asking
from tidegraph.services.usecases.moment import AskedTime
from tidegraph.services.usecases.opening import opened
from tidegraph.services.usecases.parts_used import Part
from tidegraph.services.usecases.reading import read_text
from tidegraph.services.usecases.retrieve import retrieve
from tidegraph.services.usecases.spans.features import SAID
from tidegraph.services.usecases.spans.intent import intent_of
from tidegraph.services.usecases.spans.pool import FLOOR, pool
from tidegraph.services.usecases.spans.reader import HITS

TEXT = (
    "Orrin Vale (born 4 May 1970) is a former footballer. In 1990 he signed for Norvale United. "
    "In 1995 he joined Easton Rovers. In 2001 he moved to Marl Town, where he played until 2004."
)
GRAPH = "test"


@pytest.fixture(scope="module")
def world() -> World:
    made = World()
    doc = Doc("vale", day="1989-01-01", known="2020-01-01", title="Orrin Vale")
    made.chunk(TEXT, doc)
    for sentence, day in (
        ("In 1990 Orrin Vale signed for Norvale United.", "1990"),
        ("In 1995 Orrin Vale joined Easton Rovers.", "1995"),
        ("In 2001 Orrin Vale moved to Marl Town, where he played until 2004.", "2001"),
    ):
        made.event(sentence, day, "Orrin Vale", doc=doc)
    return asyncio.run(made.build())


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("Which team did Orrin Vale play for in March 1993?", "Norvale United"),
        ("Which team did Orrin Vale play for in June 1998?", "Easton Rovers"),
        ("Which team did Orrin Vale play for between May 2002 and July 2002?", "Marl Town"),
        ("Which team did Orrin Vale play for after Norvale United?", "Easton Rovers"),
        ("Which team did Orrin Vale play for before Marl Town?", "Easton Rovers"),
    ],
)
async def test_the_value_of_then(world: World, question: str, value: str) -> None:
    answer = (await world.ask(question)).answer
    assert answer.outcome is Outcome.ANSWERED
    assert value in answer.values
    assert all(len(said.split()) <= 12 for said in answer.values)
    assert {cited.document_id for cited in answer.citations} == {"vale"}
    assert all(check.passed for check in answer.checks)


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("Which team did Orrin Vale play for in June 1998?", ["Orrin Vale"]),
        ("Which team did Matt Caution play for in June 1998?", ["Matt Caution"]),
        ("Did Prime Minister Caution resign?", ["Caution"]),
    ],
)
async def test_a_kind_of_answer_is_no_name_and_a_surname_has_its_given_name(
    question: str, names: list[str]
) -> None:
    """Texts tell of "the team" and of people by their surnames, and extraction makes entities of both."""
    made = World()
    made.event("In 1998 Orrin Vale left.", "1998", "Orrin Vale")
    made.event("Caution played for the team.", "1998", "Caution", "team")
    world = await made.build()
    reading = await read_text(world.ports(), GRAPH, question, NOW)
    assert [link.text for link in reading.question.entities] == names


async def test_the_answer_tells_the_turn_that_it_rests_on(world: World) -> None:
    answer = (await world.ask("Which team did Orrin Vale play for in June 1998?")).answer
    assert "1 January 1995" in answer.transition
    assert "until 1 January 1995: Norvale United" in answer.transition
    assert any(step.startswith("order:") for step in answer.steps)


async def test_the_same_question_gets_the_same_answer(world: World) -> None:
    question = "Which team did Orrin Vale play for in June 1998?"
    first, again = (await world.ask(question)).answer, (await world.ask(question)).answer
    assert repr(first) == repr(again)


async def test_nothing_is_read_that_was_not_known_then(world: World) -> None:
    answer = (await world.ask("Which team did Orrin Vale play for in June 1998?", known="2019-01-01")).answer
    assert answer.outcome is Outcome.NOT_KNOWN


async def test_nothing_is_fetched_twice_for_one_answer(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The reasoner over facts, retrieval and the reader of passages ask for the same."""
    encoded, read = list[str](), list[FactFilter]()
    encode, facts = world.encoder.encode, world.store.facts

    def encoding(texts: Sequence[str]) -> object:
        encoded.extend(texts)
        return encode(texts)

    async def reading(graph: str, which: FactFilter, seen: Visibility) -> object:
        read.append(which)
        return await facts(graph, which, seen)

    monkeypatch.setattr(world.encoder, "encode", encoding)
    monkeypatch.setattr(world.store, "facts", reading)
    answer = (await world.ask("Which team did Orrin Vale play for in June 1998?")).answer
    assert answer.outcome is Outcome.ANSWERED
    assert encoded
    assert read
    assert [text for text, times in Counter(encoded).items() if times > 1] == []
    assert [which for which, times in Counter(read).items() if times > 1] == []


@pytest.mark.parametrize("part", [*Part])
async def test_every_part_can_be_left_out(world: World, part: Part) -> None:
    asking = Asking(world.ports(), Caller(GRAPH, None, "request"), 2_000, frozenset({part}))
    parts = [p async for p in asking.run("Which team did Orrin Vale play for in June 1998?", AskedTime())]
    assert parts


async def test_a_sentence_that_no_event_tells_is_as_near_as_the_events_of_its_text() -> None:
    world = World()
    doc = Doc("vale", day="1989-01-01", known="2020-01-01", title="Orrin Vale")
    world.chunk(f"{TEXT} His trainer was the late Selmar Quist.", doc)
    for sentence in TEXT.split(". ")[1:]:
        world.event(f"{sentence}.", "1990", "Orrin Vale", doc=doc)
    await world.build()
    work, scope = await opened(
        world.ports(), Caller(GRAPH, None, "r"), "Which team did Orrin Vale play for in 1993?", AskedTime()
    )
    found = await pool(work, intent_of(work.question), await retrieve(work, scope, HITS))
    cosine = {
        candidate.value: row[SAID.index("cosine")]
        for candidate, row in zip(found.candidates, found.rows, strict=True)
    }
    told = [cosine[name] for name in ("norvale united", "easton rovers", "marl town")]
    assert min(told) <= cosine["selmar quist"] <= max(told)
    assert cosine["selmar quist"] != FLOOR
