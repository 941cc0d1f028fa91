"""Status lines fold to one state a document and one watermark a graph, in any order, any number of times."""

from __future__ import annotations

import random
from dataclasses import replace

from tidegraph.domain.documents import Position
from tidegraph.domain.interval import OPEN_START
from tidegraph.log.codecs import encode
from tidegraph.log.headers import HELD
from tidegraph.log.keys import position_key
from tidegraph.log.status import READ_TO, StatusRecord
from tidegraph.ports import LogRecord
from tidegraph.storage.memory import MemoryStatusStore
from tidegraph.streams.flow import Input
from tidegraph.streams.holds import header_of, hold, let_go, place_of
from tidegraph.streams.progress import MemoryProgress
from tidegraph.streams.stages.track import LOST, Tracker


def _line(
    offset: int, stage: str, outcome: str = "", *, part: int = 1, parts: int = 1, at: int = 100
) -> StatusRecord:
    position = Position("documents", 0, offset, "life")
    order = ("ground", "extract", "resolve", "write").index(stage) + 1
    return StatusRecord(position, "g", f"d{offset}", "r", stage, outcome, "", at, at + order, part, parts)


def _mark(
    partition: int, stamp: int, partitions: int = 2, life: str = "life", topic: str = "documents"
) -> StatusRecord:
    position = Position(topic, partition, 0, life)
    return StatusRecord(position, "", "", "", READ_TO, "", "", stamp, 0, 0, partitions)


def _decided(stamp: int) -> StatusRecord:
    return _mark(0, stamp, 1, topic="control")


def _records(*lines: StatusRecord) -> list[LogRecord]:
    return [LogRecord("status", 0, n, 0, b"", encode(line), ()) for n, line in enumerate(lines)]


async def test_a_document_in_parts_is_committed_with_its_last_part() -> None:
    store = MemoryStatusStore()
    tracker = Tracker(store, MemoryProgress())
    await tracker.fold(_records(_line(1, "ground", part=0, parts=3)))
    for part in (3, 1):
        await tracker.fold(_records(_line(1, "write", "committed", part=part, parts=3)))
        await tracker.fold(_records(_line(1, "write", "committed", part=part, parts=3)))
    [status] = await store.get([Position("documents", 0, 1, "life")])
    assert (status.stage, status.outcome) == ("write", "")
    await tracker.fold(_records(_line(1, "write", "committed", part=2, parts=3)))
    [status] = await store.get([Position("documents", 0, 1, "life")])
    assert status.outcome == "committed"


async def test_a_part_in_the_dead_letters_decides_for_the_document() -> None:
    store = MemoryStatusStore()
    tracker = Tracker(store, MemoryProgress())
    await tracker.fold(
        _records(
            _line(1, "write", "committed", part=1, parts=2),
            _line(1, "extract", "dead_letter", part=2, parts=2),
        )
    )
    [status] = await store.get([Position("documents", 0, 1, "life")])
    assert status.outcome == "dead_letter"


async def test_the_order_of_the_lines_does_not_matter(rng: random.Random) -> None:
    lines = [_line(n, "ground") for n in range(6)] + [_line(n, "extract") for n in range(6)]
    lines += [_line(n, "write", "committed") for n in range(4)] + [_line(4, "extract", "dead_letter")]
    lines += [_line(5, "write", "committed", part=part, parts=2) for part in (1, 2)]
    results = []
    for _ in range(20):
        rng.shuffle(lines)
        store = MemoryStatusStore()
        tracker = Tracker(store, MemoryProgress())
        for line in lines + lines[:7]:
            await tracker.fold(_records(line))
        results.append(await store.summary("g"))
    assert all(result == results[0] for result in results)
    assert dict(results[0]) == {"committed": 5, "dead_letter": 1, "retracted": 0, "in_progress": 0}


async def test_a_broken_line_is_left_out() -> None:
    store = MemoryStatusStore()
    tracker = Tracker(store, MemoryProgress())
    good = _records(_line(1, "ground"))
    await tracker.fold([replace(good[0], value=b"\xff\xff"), replace(good[0], value=None), *good])
    assert (await store.summary("g"))["in_progress"] == 1


async def test_the_watermark_waits_for_every_partition_and_every_document() -> None:
    store = MemoryStatusStore()
    tracker = Tracker(store, MemoryProgress())
    await tracker.fold(_records(_line(1, "ground", at=50), _mark(0, 80), _decided(1_000)))
    await tracker.fold(_records(_line(1, "write", "committed", at=50)))
    assert await store.watermark("g") == OPEN_START, "partition 1 has not told how far it was read"
    await tracker.fold(_records(_mark(1, 60)))
    assert await store.watermark("g") == 60
    await tracker.fold(_records(_mark(1, 90)))
    assert await store.watermark("g") == 80
    await tracker.fold(_records(_mark(1, 70)))
    assert await store.watermark("g") == 80, "an old mark, read again, takes nothing back"


async def test_marks_of_a_broker_that_forgot_do_not_hold_the_watermark() -> None:
    progress = MemoryProgress()
    await progress.mark_read([_mark(0, 500), _mark(1, 400)])
    await progress.mark_read([_mark(0, 700, life="next")])
    marks = await progress.read_marks()
    assert {partition: mark.read_to for (_, partition), mark in marks.items()} == {0: 700, 1: 400}


async def test_the_watermark_waits_for_decisions_that_are_not_read() -> None:
    store = MemoryStatusStore()
    tracker = Tracker(store, MemoryProgress())
    await tracker.fold(_records(_line(1, "write", "committed", at=50), _mark(0, 80), _mark(1, 80)))
    assert await store.watermark("g") == OPEN_START, "a decision may lie unread in `control`"
    await tracker.fold(_records(_decided(60)))
    assert await store.watermark("g") == 60
    await tracker.fold(_records(_decided(90)))
    assert await store.watermark("g") == 80


async def test_a_topic_with_more_partitions_than_before_waits_for_the_new_ones() -> None:
    store = MemoryStatusStore()
    tracker = Tracker(store, MemoryProgress())
    await tracker.fold(_records(_line(1, "write", "committed"), _mark(0, 80, 1), _decided(80)))
    assert await store.watermark("g") == 80
    await tracker.fold(_records(_mark(0, 90), _decided(90)))
    assert await store.watermark("g") == 80
    await tracker.fold(_records(_mark(1, 85)))
    assert await store.watermark("g") == 85


async def test_what_a_decision_sends_once_more_holds_the_watermark_and_leaves_nothing() -> None:
    store = MemoryStatusStore()
    tracker = Tracker(store, MemoryProgress())
    await tracker.fold(
        _records(_line(1, "write", "committed", at=50), _mark(0, 90), _mark(1, 90), _decided(90))
    )
    decision = Position("control", 0, 7, "life")
    places = [place_of(decision, 0, offset, 1) for offset in range(2)]
    await tracker.fold(_records(*(hold(place, "g", 70) for place in places)))
    assert await store.watermark("g") == 69
    for place in places:
        item = Input(LogRecord("resolved", 0, 1, 0, b"", b"", (header_of(place),)), "life", 0)
        lines = [hold(place, "g", 70), *let_go(item)]  # once more, as after a restart
        await tracker.fold(_records(*lines))
        await tracker.fold(_records(*lines))
        assert await store.watermark("g") == (69 if place == places[0] else 90)
    assert await store.get(places) == []
    assert (await store.summary("g"))["committed"] == 1, "they are no documents"


def test_a_header_of_others_lets_nothing_go() -> None:
    document = Position("documents", 0, 1, "life")
    for value in (b"", b"\xff", b"a/b/c/d", position_key(document), position_key(place_of(document, 1))):
        assert let_go(Input(LogRecord("resolved", 0, 1, 0, b"", b"", ((HELD, value),)), "life", 0)) == ()


async def test_what_a_topic_lost_when_it_began_anew_holds_nothing_back() -> None:
    """An embedded broker forgets what was under way; so may somebody who makes a topic anew."""
    store = MemoryStatusStore()
    tracker = Tracker(store, MemoryProgress())
    place = place_of(Position("control", 0, 3, "life"), "d9", 1)
    await tracker.fold(
        _records(_line(1, "ground", at=100), _line(2, "extract", at=101), hold(place, "g", 90))
    )
    await tracker.fold(_records(_decided(200), _mark(0, 200, 1)))
    assert await store.watermark("g") == 89
    await tracker.fold(_records(_mark(0, 99, 1, life="new"), _mark(0, 300, 1, life="new", topic="control")))
    assert await store.watermark("g") == 99, "what is held by a decision of the old log is let go"
    assert (await store.summary("g"))["in_progress"] == 2, "it is not read as far yet"
    await tracker.fold(_records(_mark(0, 400, 1, life="new")))
    assert await store.watermark("g") == 300
    lost = await store.dead_letters("g", 5)
    assert [(line.document_id, line.cause) for line in lost] == [("d2", LOST), ("d1", LOST)]
    await tracker.fold(_records(_line(1, "write", "committed", at=100)))
    assert [line.document_id for line in await store.dead_letters("g", 5)] == ["d2"], "a worker had it"


async def test_what_came_after_a_mark_of_an_old_life_is_not_lost() -> None:
    store = MemoryStatusStore()
    tracker = Tracker(store, MemoryProgress())
    await tracker.fold(_records(_decided(50), _mark(0, 50, 1, life="old"), _line(1, "ground", at=100)))
    assert (await store.summary("g"))["in_progress"] == 1
