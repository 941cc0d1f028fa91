"""Whether a graph is what the record of belief says, and nothing else."""

from __future__ import annotations

from tests.integration.streams.harness import GRAPH, Place

from tidegraph.log.admin import LogAdmin
from tidegraph.models.clock import SystemClock
from tidegraph.storage.dump import full_dump
from tidegraph.streams.progress import RedisProgress
from tidegraph.streams.rebuild import Arrange, Rebuilder, Sources
from tidegraph.streams.setup import Graphs


async def assert_rebuilds_alike(here: Place, arrange: Arrange | None = None) -> None:
    """Build the graph anew beside the one that is served: not a row differs."""
    graphs = Graphs(here.settings)
    progress = RedisProgress(here.settings.store.url, here.settings.store.graph_prefix)
    sources = Sources(here.log, LogAdmin(here.settings.kafka).incarnations, progress)
    beside = graphs.store.beside()
    try:
        await beside.drop(GRAPH)
        await Rebuilder(graphs.store, graphs.writer().on, sources, SystemClock()).build(
            GRAPH, beside, arrange
        )
        wanted = [row async for row in full_dump(graphs.store, GRAPH)]
        assert wanted
        assert [row async for row in full_dump(beside, GRAPH)] == wanted
        await beside.drop(GRAPH)
    finally:
        await progress.close()
        await graphs.close()
