"""A worker that is killed in the middle of real feeds leaves the graphs of an undisturbed run."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any

import pytest
from tests.integration.feeds.conftest import Fed
from tests.integration.feeds.ingesting import INGEST_SECONDS, ingest
from tests.integration.streams.feed import contents
from tests.integration.streams.harness import Place, until

from tidegraph.log.deadletter import list_letters
from tidegraph.streams.setup import Graphs

pytestmark = [pytest.mark.asyncio(loop_scope="session"), pytest.mark.timeout(1_800), pytest.mark.slow]


async def test_a_killed_worker_loses_and_duplicates_nothing(fed: Fed, here: Place) -> None:
    names = [feed.name for feed in fed.feeds]
    count = sum(len(feed.revisions) for feed in fed.feeds)
    worker = await here.start_worker()
    sending = asyncio.create_task(ingest(here, fed.files))
    try:
        for share in (0.2, 0.6):
            await _committed(here, names, int(count * share))
            assert await _done(here, names) < count, (
                "too late: the feeds are too small for a kill in their middle"
            )
            await worker.kill()
            worker = await here.start_worker()
        lines = await sending
    finally:
        sending.cancel()
        await worker.stop()
    assert [line["outcome"] for line in lines] == ["committed"] * count
    assert await list_letters(here.log, limit=10) == []
    for name in names:
        found, wanted = await _contents(here, name), await _contents(fed.here, name)
        assert wanted["facts"] or wanted["counts"]["events"], f"{name} says nothing"
        for part, value in wanted.items():
            assert found[part] == value, (name, part)


async def _done(here: Place, graphs: Sequence[str]) -> int:
    return sum([(await here.status.summary(graph))["committed"] for graph in graphs])


async def _committed(here: Place, graphs: Sequence[str], at_least: int) -> None:
    async def reached() -> bool:
        return await _done(here, graphs) >= at_least

    await until(reached, INGEST_SECONDS)


async def _contents(here: Place, graph: str) -> dict[str, Any]:
    graphs = Graphs(here.settings)
    try:
        return await contents(graphs.store, graph)
    finally:
        await graphs.close()
