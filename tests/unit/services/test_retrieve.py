"""Ranked evidence: as of the asked time, nearer before farther, facts that surely hold first."""

from __future__ import annotations

import asyncio

import pytest
from tests.unit.services.orlan import COMPANY, orlan
from tests.unit.services.world import GRAPH, Doc, World

from tidegraph.domain.interval import instant
from tidegraph.services.caller import Caller
from tidegraph.services.times import read_date
from tidegraph.services.usecases.moment import AskedTime, resolve
from tidegraph.services.usecases.reading import read_text
from tidegraph.services.usecases.retrieve import Retrieved, nearness, retrieve
from tidegraph.services.usecases.scope import scope_of
from tidegraph.services.usecases.work import Work


@pytest.fixture(scope="module")
def world() -> World:
    return asyncio.run(orlan().build())


async def search(world: World, text: str, valid: str = "") -> Retrieved:
    ports = world.ports()
    question = (await read_text(ports, GRAPH, text, ports.clock.now())).question
    asked = AskedTime(valid=read_date(valid, "valid") if valid else None)
    moment = await resolve(ports, Caller(GRAPH, None, "r"), asked, question.time.interval)
    scope = scope_of(question, moment, given=bool(valid))
    return await retrieve(Work(ports, moment, question), scope, 50)


async def test_no_leg_shows_what_came_after_the_asked_time(world: World) -> None:
    found = await search(world, f"What did {COMPANY} do?", valid="2021-06")
    times = [hit.event.event.interval for hit in found.hits if hit.event]
    assert times
    assert all(time is None or time.start < instant(2021, 7) for time in times)
    assert all(hit.fact.valid.overlaps(read_date("2021-06", "x")) for hit in found.hits if hit.fact)


async def test_the_fact_that_surely_holds_comes_first_and_others_are_counted(world: World) -> None:
    found = await search(world, f"Who was CEO of {COMPANY} in 2020?")
    first = found.hits[0].fact
    assert first is not None
    assert first.valid.contains(instant(2020, 6))
    assert dict(first.qualifiers)["role"] == "chief executive officer"
    assert found.suppressed == 2
    assert {leg.name for leg in found.legs} == {
        *("facts", "text_event", "text_chunk", "vector_event", "vector_chunk", "entity_event"),
    }


async def test_a_nearer_event_never_counts_less(world: World) -> None:
    found = await search(world, f"What happened to {COMPANY}?")
    asked = read_date("2021-08-01", "x")
    dated = [hit.event for hit in found.hits if hit.event and hit.event.event.interval]
    ranked = sorted(dated, key=lambda record: -nearness(record, asked))
    gaps = [record.event.interval.gap(asked) for record in ranked if record.event.interval]
    assert gaps == sorted(gaps)
    undated = [hit.event for hit in found.hits if hit.event and not hit.event.event.interval]
    assert all(nearness(record, asked) == 0.0 for record in undated)
    assert nearness(ranked[-1], asked) > 0.0


async def test_the_same_request_gives_the_same_hits(world: World) -> None:
    one, two = [await search(world, f"Delta terminal of {COMPANY}") for _ in range(2)]
    assert one.hits == two.hits


async def test_what_a_later_revision_replaced_is_shown_only_for_its_time() -> None:
    sentences = {"2018": "Badges of visitors are grey.", "2022": "Badges of visitors are green."}
    world = World()
    for year, sentence in sentences.items():
        world.event(sentence, "", doc=Doc("badges", f"{year}-03-01", revision=year))
    await world.build()
    for valid, year in (("2020-05-01", "2018"), ("2023-05-01", "2022"), ("", "2022")):
        found = await search(world, "What colour are the badges of visitors?", valid)
        shown = {hit.event.event.sentence for hit in found.hits if hit.event}
        assert shown == {sentences[year]}, valid
    both = await search(world, "What colour are the badges of visitors?", valid="2022")
    assert {hit.event.event.sentence for hit in both.hits if hit.event} == set(sentences.values())
