"""The whole path through a broker into the graph: the same as undisturbed, whatever is killed."""

from __future__ import annotations

import asyncio
import os
import random
import signal
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from tests.integration.streams.feed import Entry, contents, make_feed, reference, send
from tests.integration.streams.harness import GRAPH, Broker, Place, place, until
from tests.integration.streams.kafka_broker import KafkaBroker
from tests.integration.streams.rebuilding import assert_rebuilds_alike

from tidegraph.domain.documents import Position
from tidegraph.domain.errors import Retryable
from tidegraph.embedded.broker import EmbeddedBroker
from tidegraph.embedded.falkordb import EmbeddedFalkorDB
from tidegraph.events.v1 import records_pb2
from tidegraph.log.admin import LogAdmin
from tidegraph.streams.setup import Graphs
from tidegraph.streams.stages.track import LOST

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def _graph(here: Place) -> dict[str, Any]:
    graphs = Graphs(here.settings)
    try:
        return await contents(graphs.store)
    finally:
        await graphs.close()


async def _assert_same(
    here: Place, entries: Sequence[Entry], positions: Sequence[Position], *, has_whole_log: bool = True
) -> None:
    """Every record has its one outcome; the graph is that of an undisturbed run, and of a rebuild."""
    statuses = {status.position: status for status in await here.ended(positions)}
    for entry, position in zip(entries, positions, strict=True):
        is_broken = entry.value is not None and entry.value.endswith(b'"text": ')
        expected = "dead_letter" if is_broken else "retracted" if entry.value is None else "committed"
        assert statuses[position].outcome == expected, statuses[position]
    found, wanted = await _graph(here), await reference(here.settings, entries)
    assert wanted["facts"], "the feed says nothing"
    for part, value in wanted.items():
        assert found[part] == value, part
    if has_whole_log:
        await assert_rebuilds_alike(here)


async def _committed(here: Place, at_least: int) -> None:
    async def reached() -> bool:
        return (await here.status.summary(GRAPH))["committed"] >= at_least

    await until(reached)


async def test_the_broker_and_the_memory_log_give_one_graph(here: Place, rng: random.Random) -> None:
    entries = make_feed(rng, 60)
    async with here.worker():
        await _assert_same(here, entries, await send(here.log, entries))


async def test_a_killed_worker_changes_nothing(here: Place, rng: random.Random) -> None:
    entries = make_feed(rng, 150)
    worker = await here.start_worker()
    positions = await send(here.log, entries)
    for share in (0.2, 0.6):
        await _committed(here, int(len(entries) * share * 0.8))
        await worker.kill()
        worker = await here.start_worker()
    try:
        await _assert_same(here, entries, positions)
    finally:
        await worker.stop()


async def test_stages_killed_one_by_one_change_nothing(here: Place, rng: random.Random) -> None:
    """As on a cluster: each stage a process of its own, the writer killed in the middle."""
    entries = make_feed(rng, 100)
    async with here.worker("ground", "extract"), here.worker("resolve", "track"):
        writer = await here.start_worker("write")
        positions = await send(here.log, entries)
        await _committed(here, 20)
        await writer.kill()
        async with here.worker("write"):
            await _assert_same(here, entries, positions)


async def test_work_moves_between_workers(here: Place, rng: random.Random) -> None:
    """A second worker joins with batches under way, then the first one leaves."""
    entries = make_feed(rng, 150)
    first = await here.start_worker()
    positions = await send(here.log, entries)
    await _committed(here, 20)
    async with here.worker():
        await _committed(here, 60)
        await first.stop()
        assert first.return_code == 0, first.last_lines()
        await _assert_same(here, entries, positions)


async def test_a_writer_that_wakes_up_late_changes_nothing(here: Place, rng: random.Random) -> None:
    """It sleeps with a batch under way until another has its partitions: for a while there are two."""
    entries = make_feed(rng, 120)
    async with here.worker("ground", "extract"), here.worker("resolve", "track"):
        sleeper = await here.start_worker("write")
        try:
            positions = await send(here.log, entries)
            await _committed(here, 10)
            os.kill(sleeper.pid, signal.SIGSTOP)
            async with here.worker("write"):
                await here.ended(positions)
                os.kill(sleeper.pid, signal.SIGCONT)
                more = await send(here.log, entries[:10])
                await here.ended(more)
                await _assert_same(here, entries, positions)
        finally:
            os.kill(sleeper.pid, signal.SIGCONT)
            await sleeper.stop()


async def test_changes_are_published_once_the_graph_has_them(here: Place, rng: random.Random) -> None:
    entries = make_feed(rng, 40)
    async with here.worker():
        await here.ended(await send(here.log, entries))
    graphs = Graphs(here.settings)
    try:
        rows = await graphs.store.changes(GRAPH, -1, 10_000)
    finally:
        await graphs.close()
    told = [
        records_pb2.Change.FromString(record.value)
        async for record in here.log.read("changes")
        if record.value is not None
    ]
    assert rows
    assert {(row.sequence, row.change_id, row.action) for row in rows} == {
        (change.sequence, change.change_id, change.action) for change in told
    }


async def test_a_killed_store_changes_nothing(broker: Broker, tmp_path: Path, rng: random.Random) -> None:
    entries = make_feed(rng, 120)
    async with (
        EmbeddedFalkorDB(tmp_path / "store") as own,
        place(broker, own, tmp_path) as here,
        here.worker(),
    ):
        positions = await send(here.log, entries)
        for share in (0.1, 0.4):
            await _committed(here, int(len(entries) * share))
            await own.child.kill()
            await asyncio.sleep(0.5)  # long enough for every stage to meet the refusal
            await own.restart()
        await _assert_same(here, entries, positions)


async def test_a_store_that_lost_its_last_writes_is_caught_up(
    broker: Broker, tmp_path: Path, rng: random.Random
) -> None:
    """The store comes back as it was a while ago; the group's offsets are ahead of it by then."""
    entries = make_feed(rng, 80)
    async with EmbeddedFalkorDB(tmp_path / "store") as own, place(broker, own, tmp_path) as here:
        worker = await here.start_worker()
        first = await send(here.log, entries[:40])
        await here.ended(first)
        await worker.stop()
        await own.stop()
        old = _snapshot(tmp_path / "store" / "falkordb")
        await own.restart()
        worker = await here.start_worker()
        second = await send(here.log, entries[40:])
        await here.ended(second)
        await asyncio.sleep(3.0)  # for the group to commit its offsets, which is what must not count
        await worker.stop()
        await own.stop()
        _restore(tmp_path / "store" / "falkordb", old)
        await own.restart()
        async with here.worker():
            await _committed(here, 1)

            async def caught_up() -> bool:
                return bool((await _graph(here)) == await reference(here.settings, entries))

            await until(caught_up)
            await assert_rebuilds_alike(here)


def _snapshot(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def _restore(folder: Path, files: dict[Path, bytes]) -> None:
    for path in [path for path in folder.rglob("*") if path.is_file()]:
        path.unlink()
    for path, content in files.items():
        path.write_bytes(content)


async def test_a_broker_that_goes_away_is_waited_for(
    broker: Broker, store: EmbeddedFalkorDB, tmp_path: Path, rng: random.Random
) -> None:
    """Apache Kafka comes back with everything, the embedded broker empty: either way work goes on."""
    entries = make_feed(rng, 40)
    own = type(broker)(tmp_path / "broker")  # type: ignore[call-arg]
    await own.start()
    try:
        async with place(own, store, tmp_path) as here, here.worker():
            first = await send(here.log, entries[:20])
            await here.ended(first)
            await own.child.kill()
            await asyncio.sleep(2.0)  # long enough for every client to notice
            await own.restart()
            second = await _sent(here, entries[20:])
            is_lasting = isinstance(own, KafkaBroker)
            await _assert_same(here, entries, [*first, *second], has_whole_log=is_lasting)
            assert (first[0].incarnation == second[0].incarnation) == is_lasting
    finally:
        await own.stop()


async def test_a_worker_that_returns_late_to_an_emptied_broker_reads_it_from_its_beginning(
    store: EmbeddedFalkorDB, tmp_path: Path, rng: random.Random
) -> None:
    """By then the new log is longer than the old one was: no fetch fails, only the topic's id tells."""
    entries = make_feed(rng, 80)
    own = EmbeddedBroker(tmp_path / "broker")
    await own.start()
    try:
        async with place(own, store, tmp_path) as here, here.worker() as worker:
            first = await send(here.log, entries[:20])
            (told, *_) = await here.ended(first)
            os.kill(worker.pid, signal.SIGSTOP)
            under_way = replace(told, position=replace(told.position, offset=20), stage="ground", outcome="")
            await here.status.put([under_way])
            await own.child.kill()
            await own.restart()
            await LogAdmin(here.settings.kafka).declare(here.settings)
            second = await _sent(here, entries[20:])
            os.kill(worker.pid, signal.SIGCONT)
            await _assert_same(here, entries, [*first, *second], has_whole_log=False)
            assert first[0].incarnation not in {position.incarnation for position in second}
            (lost,) = await here.ended([under_way.position])
            assert (lost.outcome, lost.cause) == ("dead_letter", LOST)
            await until(lambda: _is_final(here, lost.recorded_at))
    finally:
        await own.stop()


async def _is_final(here: Place, known_at: int) -> bool:
    return await here.status.watermark(GRAPH) >= known_at


async def _sent(here: Place, entries: Sequence[Entry]) -> list[Position]:
    """Send as soon as the broker takes records again."""
    while True:
        try:
            return await send(here.log, entries)
        except Retryable:
            await asyncio.sleep(0.5)
