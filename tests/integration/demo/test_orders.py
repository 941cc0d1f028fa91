"""Any order of arrival, with repeats, and with workers killed on the way: one graph.

Fifty times the demo feed in an order of its own, through Apache Kafka and worker processes into FalkorDB;
in half of the runs the worker is killed while documents are on their way. Several runs go side by side,
each on topics and graphs of its own.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio
from tests.integration.streams.harness import DEADLINE_SECONDS, GRAPH, Place, place
from tests.integration.streams.kafka_broker import KafkaBroker

from tidegraph import settings
from tidegraph.cli import demo_feed
from tidegraph.cli.demo_feed import FeedRecord
from tidegraph.domain.documents import Position
from tidegraph.embedded.falkordb import EmbeddedFalkorDB
from tidegraph.embedded.process import Child
from tidegraph.storage.dump import content_hash
from tidegraph.streams.inprocess import InProcess
from tidegraph.streams.setup import Graphs

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.kafka, pytest.mark.timeout(900)]

ORDERS = 50
LANES = 5
RECORDS = 28
"""Of the demo feed: the least that has every kind of record in it."""
LOOK_SECONDS = 0.02
REPEATED = 0.3
"""Share of the records that are sent twice."""


@dataclass(frozen=True, slots=True)
class Order:
    """One order of arrival; the worker is killed when a stage has told of ``kill_after`` documents."""

    number: int
    records: tuple[FeedRecord, ...]
    kill_after: int | None


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def servers(
    tmp_path_factory: pytest.TempPathFactory,
) -> AsyncIterator[tuple[KafkaBroker, EmbeddedFalkorDB]]:
    folder = tmp_path_factory.mktemp("orders")
    broker = KafkaBroker(folder / "kafka")
    async with EmbeddedFalkorDB(folder / "store", append_fsync="everysec") as store:
        try:
            await broker.start()
            yield broker, store
        finally:
            await broker.stop()


def orders(rng: random.Random) -> list[Order]:
    feed = demo_feed.load(GRAPH)[:RECORDS]
    found = []
    for number in range(ORDERS):
        records = feed + [record for record in feed if rng.random() < REPEATED]
        rng.shuffle(records)
        kill_after = rng.randrange(1, len(records)) if number % 2 else None
        found.append(Order(number, tuple(records), kill_after))
    return found


async def in_order() -> str:
    """The content hash of the feed in its own order, once, undisturbed, in one process."""
    running = InProcess.in_memory(settings.load({}), encoder="hashing")
    for record in demo_feed.load(GRAPH)[:RECORDS]:
        await running.append(record.key, record.value, record.headers, record.recorded_at)
    await running.settle()
    assert (await running.store.counts(GRAPH))["facts"] > 25
    return await content_hash(running.store, GRAPH)


async def test_fifty_orders_with_repeats_and_kills_end_in_one_content_hash(
    servers: tuple[KafkaBroker, EmbeddedFalkorDB], tmp_path: Path, rng: random.Random
) -> None:
    waiting = orders(rng)
    hashes: dict[int, str] = {}
    killed: list[int] = []

    async def lane(number: int) -> None:
        async with place(*servers, tmp_path / str(number)) as here:
            graphs = Graphs(here.settings)
            worker = await here.start_worker()
            try:
                while waiting:
                    order = waiting.pop()
                    worker, was_killed = await run(here, worker, order)
                    hashes[order.number] = await content_hash(graphs.store, GRAPH)
                    if was_killed:
                        killed.append(order.number)
                    elif order.kill_after is not None:
                        waiting.append(order)  # all was done before the signal came: once more
                    await graphs.store.drop(GRAPH)
            finally:
                await worker.stop()
                await graphs.close()

    async with asyncio.TaskGroup() as group:
        wanted = group.create_task(in_order())
        for number in range(LANES):
            (tmp_path / str(number)).mkdir()
            group.create_task(lane(number))
    assert sorted(hashes) == list(range(ORDERS))
    assert {number: found for number, found in hashes.items() if found != wanted.result()} == {}
    assert len(killed) == ORDERS // 2


async def run(here: Place, worker: Child, order: Order) -> tuple[Child, bool]:
    """One order to its end; the worker that runs then, and whether one was killed with work under way."""
    positions = await send(here, order.records)
    if order.kill_after is None:
        await here.ended(positions)
        return worker, False

    async with asyncio.timeout(DEADLINE_SECONDS):
        while len(await here.status.get(positions)) < order.kill_after:  # noqa: ASYNC110 - another process
            await asyncio.sleep(LOOK_SECONDS)
    await worker.kill()
    found = await here.status.get(positions)
    was_under_way = sum(bool(status.outcome) for status in found) < len(positions)
    worker = await here.start_worker()
    await here.ended(positions)
    return worker, was_under_way


async def send(here: Place, records: Sequence[FeedRecord]) -> list[Position]:
    sends = (here.log.append("documents", r.key, r.value, r.headers, r.recorded_at) for r in records)
    return list(await asyncio.gather(*sends))
