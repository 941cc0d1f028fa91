"""Sentences that no event tells are found beside events, with the place that they have in their passage."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.services.test_retrieve import opening, search
from tests.unit.services.world import Doc, World

from tidegraph.domain.documents import Chunk, Status
from tidegraph.domain.interval import OPEN_END, OPEN_START, Interval, instant
from tidegraph.ports import ChunkRecord, EventSketch
from tidegraph.services.usecases.parts_used import Part
from tidegraph.services.usecases.retrieve import Options, Rerank, retrieve
from tidegraph.services.usecases.untold import PASSAGES_MAX, untold, years_of

TOLD = "Halden Yard launched its first ferry in 1921."
BARE = "The keel had been laid by Oskar Brandt of the northern slip."
LATER = "In 1950 the northern slip was closed by the board."
TEXT = f"{TOLD} {BARE} {LATER} Nothing more."


def record(text: str = TEXT, start: int = 100) -> ChunkRecord:
    chunk = Chunk("c", 0, start, start + len(text), "Halden Yard", text)
    return ChunkRecord(chunk, "d", "r", OPEN_START, (), 0, OPEN_END)


def told(start: int) -> EventSketch:
    return EventSketch("e", TOLD, "", "d", 0, None, start, start + len(TOLD), Status.ASSERTED, ())


def test_what_an_event_tells_and_scraps_are_left_out() -> None:
    found = untold([record()], [told(100)], None)
    assert [one.record.chunk.text for one in found] == [BARE, LATER]


def test_a_passage_of_one_sentence_is_not_found_twice() -> None:
    assert untold([record(BARE)], [], None) == []


def test_a_sentence_knows_its_place_and_the_years_it_names() -> None:
    bare, later = untold([record()], [told(100)], None)
    start = 100 + TEXT.index(BARE)
    assert (bare.record.chunk.start_char, bare.record.chunk.end_char) == (start, start + len(BARE))
    assert (bare.interval, later.interval) == (None, Interval(instant(1950, 1), instant(1951, 1)))
    assert bare.id != later.id


def test_years_outside_the_window_are_left_out() -> None:
    before = Interval(OPEN_START, instant(1930, 1))
    assert [one.record.chunk.text for one in untold([record()], [told(100)], before)] == [BARE]


def test_a_place_that_two_passages_share_is_found_once() -> None:
    second = record(TEXT[len(TOLD) + 1 :], 100 + len(TOLD) + 1)
    assert len(untold([record(), second], [], None)) == 3


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [("from 1921 to 1934", 1921, 1935), ("of 3,1921 and 1,500 tons", 0, 0), ("No. 19215", 0, 0)],
)
def test_years_are_four_digits_that_stand_alone(text: str, first: int, last: int) -> None:
    found = years_of(text)
    assert found == (Interval(instant(first, 1), instant(last, 1)) if first else None)


async def halden(documents: int = 1) -> World:
    world = World()
    for number in range(documents):
        doc = Doc(f"d{number}", title="Halden Yard")
        world.event(TOLD, "1921", "Halden Yard", doc=doc)
        world.chunk(TEXT, doc)
    return await world.build()


QUESTION = "Who laid the keel at Halden Yard?"


async def test_the_sentence_is_a_hit_of_its_own_beside_its_passage() -> None:
    found = await search(await halden(), QUESTION)
    texts = [hit.chunk.chunk.text for hit in found.hits if hit.chunk is not None]
    assert BARE in texts
    assert TOLD not in texts
    (own,) = [hit for hit in found.hits if hit.chunk is not None and hit.chunk.chunk.text == BARE]
    assert dict(own.parts)["untold"] < 0
    assert own.ranks


@pytest.mark.parametrize(
    ("rerank", "statuses"),
    [(Rerank.NONE, frozenset[Status]()), (Rerank.FEATURES, frozenset({Status.ASSERTED}))],
)
async def test_without_ranking_or_for_a_status_there_are_none(
    rerank: Rerank, statuses: frozenset[Status]
) -> None:
    work, scope = await opening(await halden(), QUESTION, statuses=statuses)
    found = await retrieve(work, scope, 50, Options(rerank=rerank))
    assert BARE not in [hit.chunk.chunk.text for hit in found.hits if hit.chunk is not None]


async def test_without_chunks_there_are_none() -> None:
    work, scope = await opening(await halden(), QUESTION)
    found = await retrieve(replace(work, without=frozenset({Part.CHUNKS})), scope, 50)
    assert all(hit.chunk is None for hit in found.hits)


async def test_only_the_best_passages_are_read_for_it() -> None:
    found = await search(await halden(PASSAGES_MAX + 2), QUESTION, limit=500)
    hits = [hit for hit in found.hits if hit.id.startswith("sentence:")]
    assert 0 < len({hit.chunk.document_id for hit in hits if hit.chunk is not None}) <= PASSAGES_MAX
