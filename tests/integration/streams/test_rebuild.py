"""A graph on FalkorDB, built anew from a broker's topics by a running worker: the same graph, served on."""

from __future__ import annotations

import random

import pytest
from tests.integration.streams.feed import make_feed, send
from tests.integration.streams.harness import GRAPH, Place, until
from tests.integration.streams.rebuilding import assert_rebuilds_alike
from tests.unit.streams.test_rebuild import interleaved

from tidegraph.domain.documents import Position
from tidegraph.events.v1 import records_pb2
from tidegraph.log.keys import graph_key
from tidegraph.storage.dump import content_hash
from tidegraph.streams.setup import Graphs

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def decide(here: Place, name: str, **decision: object) -> Position:
    record = records_pb2.ControlRecord(control_id=name, graph=GRAPH, actor="test", **decision)  # type: ignore[arg-type]
    return await here.log.append("control", graph_key(GRAPH), record.SerializeToString(), [], None)


async def test_a_rebuilt_graph_is_the_same_graph(here: Place, rng: random.Random) -> None:
    entries = make_feed(rng, 40)
    graphs = Graphs(here.settings)
    async with here.worker():
        await here.ended(await send(here.log, entries + entries[:10]))
        retraction = records_pb2.Retraction(document_id="note-3")
        await here.ended([await decide(here, "gone", retraction=retraction)])
        wanted = await content_hash(graphs.store, GRAPH)
        changes = await graphs.store.changes(GRAPH, 0, 10_000)

        (line,) = await here.ended([await decide(here, "again", rebuild=records_pb2.Rebuild())])
        assert line.cause.endswith(wanted), "the status tells one hash: that of both"
        assert await content_hash(graphs.store, GRAPH) == wanted
        assert await graphs.store.changes(GRAPH, 0, 10_000) == changes

        await graphs.store.drop(GRAPH)
        await here.ended([await decide(here, "lost", rebuild=records_pb2.Rebuild())])
        assert await content_hash(graphs.store, GRAPH) == wanted

        (new,) = await send(here.log, make_feed(rng, 1))
        await here.ended([new])
    await assert_rebuilds_alike(here, lambda batches: interleaved(rng, batches))
    await assert_rebuilds_alike(here, lambda batches: interleaved(rng, batches))
    await graphs.close()


async def test_a_worker_killed_in_a_rebuild_leaves_the_graph_and_does_it_again(
    here: Place, rng: random.Random
) -> None:
    graphs = Graphs(here.settings)
    worker = await here.start_worker()
    try:
        await here.ended(await send(here.log, make_feed(rng, 60)))
        wanted = await content_hash(graphs.store, GRAPH)
        position = await decide(here, "again", rebuild=records_pb2.Rebuild())

        async def begun() -> bool:
            return GRAPH in await graphs.store.beside().graphs()

        await until(begun)
        await worker.kill()
        assert await content_hash(graphs.store, GRAPH) == wanted
        worker = await here.start_worker()
        await here.ended([position])
        assert await content_hash(graphs.store, GRAPH) == wanted
        assert not await begun()
    finally:
        await worker.stop()
        await graphs.close()
