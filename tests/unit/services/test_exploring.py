"""Walks that read the event graph as they go: the same as over the whole graph, and nothing read twice."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.unit.services.test_past_graph import made
from tests.unit.services.world import GRAPH

from tidegraph.domain.eventgraph import EventGraph, EventGraphParameters, EventNode
from tidegraph.domain.interval import Interval, instant
from tidegraph.domain.walk import WalkParameters, adjacency, pagerank, random_walks
from tidegraph.services.caller import Caller
from tidegraph.services.times import read_date
from tidegraph.services.usecases.exploring import Explorer
from tidegraph.services.usecases.moment import AskedTime
from tidegraph.services.usecases.opening import opened

PARAMETERS = EventGraphParameters(3650.0, 0.002, 3, 5_000)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("inside", [None, Interval(instant(1996), instant(2003))])
async def test_reading_as_it_goes_walks_where_the_whole_graph_leads(
    seed: int, inside: Interval | None
) -> None:
    world, told = await made(seed)
    ports = replace(world.ports(), event_graph=PARAMETERS)
    asked = AskedTime(known_at=instant(2015, 6))
    work, _ = await opened(ports, Caller(GRAPH, None, "r"), "meetings", asked)
    graph = EventGraph(PARAMETERS)
    for one in told:
        if one.year < 2016:
            ids = frozenset(world.entity(name) for name in one.names)
            graph.add(EventNode(one.event_id, read_date(one.day, "day"), ids))
    times = {one.event_id: read_date(one.day, "day") for one in told}
    looked: list[str] = []

    async def look(ids: Sequence[str]) -> dict[str, Interval | None]:
        looked.extend(ids)
        found = await work.ports.store.events(GRAPH, ids, work.moment.seen)
        return {record.event.event_id: record.event.interval for record in found}

    def shown(node: str) -> bool:
        return node in graph.lists and (inside is None or times[node].overlaps(inside))

    whole = adjacency(graph.lists)
    seeds = [one.event_id for one in told[:8]]
    parameters = WalkParameters(walks=4, length=5)
    explorer = Explorer(work, look, inside)
    await explorer.start(seeds)
    walked = await explorer.walks(seeds, 7, parameters)
    assert walked == random_walks(whole, seeds, 7, shown, parameters)
    assert walked, "the seeds of the past start walks"
    assert len(looked) == len(set(looked)), "nothing is read twice"
    ranked = Explorer(work, look, inside)
    await ranked.start(seeds)
    assert await ranked.ranked(seeds, len(told)) == pagerank(whole, dict.fromkeys(seeds, 1.0), shown)
