"""From resolved records to graph, status, feed and dead letters; again after any interruption."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from tidegraph import settings
from tidegraph.domain.errors import Retryable
from tidegraph.events.v1 import records_pb2
from tidegraph.log.deadletter import list_letters
from tidegraph.log.memory import MemoryLog
from tidegraph.log.status import Stage
from tidegraph.log.topics import Topic
from tidegraph.models.clock import FixedClock
from tidegraph.ports import ChangeRow
from tidegraph.streams.delivery import ChangeFeed
from tidegraph.streams.inprocess import InProcess
from tidegraph.streams.progress import MemoryProgress
from tidegraph.streams.runner import Scribe
from tidegraph.streams.sink import LogSink

TEXT = "Mara Voss was appointed CEO of Calder Optics on {day} March 2021."


def _pipeline() -> InProcess:
    return InProcess.in_memory(settings.load({}), encoder="hashing", clock=FixedClock(1_700_000_000_000_000))


async def _append(pipeline: InProcess, count: int) -> None:
    for n in range(count):
        value = json.dumps({"id": f"d{n}", "text": TEXT.format(day=n + 1)}).encode()
        await pipeline.append(b"default/d%d" % n, value)


async def test_documents_reach_their_graph_and_are_told_and_published() -> None:
    pipeline = _pipeline()
    await _append(pipeline, 5)
    await pipeline.settle()
    assert (await pipeline.status.summary("default"))["committed"] == 5
    rows = await pipeline.store.changes("default", -1, 100)
    told = [
        records_pb2.Change.FromString(record.value)
        async for record in pipeline.log.read(Topic.CHANGES)
        if record.value
    ]
    assert [change.change_id for change in told] == [row.change_id for row in rows]
    assert set(pipeline.cpu_seconds) == set(Stage)


async def test_a_broken_record_on_resolved_is_buried_alone() -> None:
    pipeline = _pipeline()
    await pipeline.log.append(Topic.RESOLVED, b"default", b"\xff\xff", (), None)
    await pipeline.log.append(Topic.RESOLVED, b"", b"", (), None)
    await _append(pipeline, 2)
    await pipeline.settle()
    assert (await pipeline.status.summary("default"))["committed"] == 2
    letters = await list_letters(pipeline.log, limit=10)
    assert [letter.stage for letter in letters] == ["write", "write"]


async def test_a_broken_record_has_nothing_published_again() -> None:
    pipeline = _pipeline()
    await _append(pipeline, 2)
    await pipeline.settle()
    told = await _told(pipeline.log)
    await pipeline.log.append(Topic.RESOLVED, b"default", b"\xff\xff", (), None)
    await pipeline.settle()
    await _append(pipeline, 3)
    await pipeline.settle()
    after = await _told(pipeline.log)
    assert after[: len(told)] == told
    assert len(after) == len(set(after)) > 0


@dataclass
class Rows:
    """A store that has changes only."""

    rows: list[ChangeRow]
    asked: list[tuple[int, int]] = field(default_factory=list)
    away: int = 0
    labels: frozenset[frozenset[str]] = frozenset()

    async def restrictions(
        self, graph: str, version_ids: Sequence[str]
    ) -> dict[str, frozenset[frozenset[str]]]:
        return dict.fromkeys(version_ids, self.labels) if self.labels else {}

    async def changes(self, graph: str, after_sequence: int, limit: int) -> list[ChangeRow]:
        self.asked.append((after_sequence, limit))
        if self.away:
            self.away -= 1
            raise Retryable("AWAY", "away")
        return [row for row in self.rows if row.sequence > after_sequence][:limit]


def _rows(*sizes: int) -> list[ChangeRow]:
    """A number of changes for each commit, by its sequence from 1 on."""
    return [
        ChangeRow(f"c{sequence}-{n}", sequence, "asserted", "e", "v", 0, "")
        for sequence, size in enumerate(sizes, start=1)
        for n in range(size)
    ]


def _feed(rows: Rows, progress: MemoryProgress) -> tuple[ChangeFeed, MemoryLog]:
    clock = FixedClock(0)
    log = MemoryLog(clock)
    store: Any = rows
    return ChangeFeed(store, progress, Scribe("write", LogSink(log), clock)), log


async def _told(log: MemoryLog) -> list[str]:
    return [
        records_pb2.Change.FromString(record.value or b"").change_id
        async for record in log.read(Topic.CHANGES)
    ]


async def test_commits_of_any_size_are_published_whole() -> None:
    rows = Rows(_rows(3, 1_200, 2, 499, 1))
    feed, log = _feed(rows, MemoryProgress())
    await feed.publish("g", 5)
    assert await _told(log) == [row.change_id for row in rows.rows]


async def test_a_change_carries_the_labels_of_what_its_fact_follows_from() -> None:
    feed, log = _feed(
        Rows(_rows(1), labels=frozenset({frozenset({"b", "a"}), frozenset({"c"})})), MemoryProgress()
    )
    await feed.publish("g", 1)
    (record,) = [record async for record in log.read(Topic.CHANGES)]
    change = records_pb2.Change.FromString(record.value or b"")
    assert [list(each.labels) for each in change.label_sets] == [["a", "b"], ["c"]]


async def test_publishing_goes_on_where_it_stood() -> None:
    progress = MemoryProgress()
    feed, log = _feed(Rows(_rows(1, 1)), progress)
    await feed.publish("g", 2)
    feed, log = _feed(Rows(_rows(1, 1, 1)), progress)
    await feed.publish("g", 3)
    assert await _told(log) == ["c3-0"]
    asked = len(feed.store.asked)  # type: ignore[attr-defined]
    await feed.publish("g", 3)
    assert len(feed.store.asked) == asked, "nothing new, nothing asked"  # type: ignore[attr-defined]


async def test_a_store_that_lost_its_last_commits_has_what_follows_published() -> None:
    progress = MemoryProgress()
    await progress.set_published("g", 7)
    rows = Rows(_rows(1, 1, 1, 1))
    feed, log = _feed(rows, progress)
    await feed.publish("g", 3)
    await feed.publish("g", 4)
    assert await _told(log) == ["c4-0"]


async def test_a_store_that_is_away_is_reported_and_nothing_is_noted() -> None:
    progress = MemoryProgress()
    feed, log = _feed(Rows(_rows(1, 1), away=1), progress)
    with pytest.raises(Retryable):
        await feed.publish("g", 2)
    assert await progress.published("g") == -1
    await feed.publish("g", 2)
    assert await _told(log) == ["c1-0", "c2-0"]
