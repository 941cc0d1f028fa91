"""Any order of arrival, every record twice: the same facts in valid time."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest
from tests.integration.demo.pipeline import Pipeline, pipeline

from tidegraph.cli import demo_feed
from tidegraph.domain.facts import FactVersion
from tidegraph.domain.interval import OPEN_END

ORDERS = 20


async def believed(running: Pipeline, graph: str) -> set[tuple[object, ...]]:
    """What is believed now, without ids and recorded times."""
    return {_content(v) for v in await running.versions(graph) if v.invalidated_at == OPEN_END}


def _content(version: FactVersion) -> tuple[object, ...]:
    return (
        version.subject, version.predicate, version.object, version.qualifiers, version.valid,
        version.start_granularity, version.end_granularity, version.start_known, version.end_inferred,
        version.announced, version.conflicted,
    )  # fmt: skip


@pytest.mark.slow
async def test_every_order_ends_in_the_same_facts(tmp_path: Path, rng: random.Random) -> None:
    async with pipeline(tmp_path) as running:
        await running.send(demo_feed.load("in-order"))
        expected = await believed(running, "in-order")
        assert len(expected) > 25
        graphs = [f"shuffled-{number}" for number in range(ORDERS)]
        shuffled = [2 * demo_feed.load(graph) for graph in graphs]
        for records in shuffled:
            rng.shuffle(records)
        await asyncio.gather(*(running.send(records) for records in shuffled))
        for graph in graphs:
            found = await believed(running, graph)
            assert found == expected, f"{graph}: {found ^ expected}"
