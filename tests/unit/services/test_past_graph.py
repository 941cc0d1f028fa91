"""The event graph at an older known date: that of a graph which was built at that date, and walks over it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, replace

import grpc.aio
import pytest
from tests.unit.services.running import SETTINGS
from tests.unit.services.world import GRAPH, Doc, World

from tidegraph.api.v1 import query_pb2
from tidegraph.client import Client, Options
from tidegraph.domain.eventgraph import EventGraph, EventGraphParameters, EventNode
from tidegraph.domain.interval import instant
from tidegraph.ports import Neighbour, Visibility
from tidegraph.services.server import ApiServer, DrainTimes
from tidegraph.services.times import read_date
from tidegraph.services.usecases.past_graph import PastGraph
from tidegraph.storage.merged import merged

NAMES = [f"House {number}" for number in range(9)]
Entries = set[tuple[str, str, float]]


@dataclass
class Told:
    """An event that was told in some year about some houses."""

    event_id: str
    names: tuple[str, ...]
    day: str
    year: int


async def made(seed: int, count: int = 60) -> tuple[World, list[Told]]:
    world, rng, told = World(), random.Random(seed), []
    for number in range(count):
        names = tuple(rng.sample(NAMES, rng.randint(1, 3)))
        if rng.random() < 0.5:
            names = (NAMES[0], *(name for name in names if name != NAMES[0]))
        day = f"{rng.randint(1990, 2009)}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"
        year = rng.randint(2010, 2020)
        doc = Doc(f"d{number}", f"{year}-01-01", labels=("secret",) if rng.random() < 0.2 else ())
        event_id = world.event(f"Meeting {number}.", day, *names, doc=doc)
        told.append(Told(event_id, names, day, year))
    world.event("A rule.", "", NAMES[0])
    return await world.build(), told


def built(world: World, told: Sequence[Told], parameters: EventGraphParameters) -> Entries:
    graph = EventGraph(parameters)
    for one in told:
        ids = frozenset(world.entity(name) for name in one.names)
        graph.add(EventNode(one.event_id, read_date(one.day, "day"), ids))
    return {(owner, link.event_id, link.weight) for owner, links in graph.lists.items() for link in links}


def entries(found: Sequence[Neighbour]) -> Entries:
    return {(one.event_id, one.neighbour_id, one.weight) for one in found}


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize(
    "parameters",
    [
        EventGraphParameters(3650.0, 0.002, 3, 5_000),
        EventGraphParameters(900.0, 0.0, 2, 12),  # most names are too frequent; no decay
        EventGraphParameters(200.0, 0.05, 6, 20),
    ],
)
async def test_the_lists_of_a_past_date_are_those_of_a_graph_built_then(
    seed: int, parameters: EventGraphParameters
) -> None:
    world, told = await made(seed)
    for year in (2010, 2013, 2016, 2020):
        then = [one for one in told if one.year <= year]
        past = PastGraph(merged(world.store, world.registry), GRAPH, instant(year, 6), parameters)
        wanted = built(world, then, parameters)
        found: Entries = set()
        for one in then:
            own = entries(await past.neighbours([one.event_id]))
            assert own == {row for row in wanted if one.event_id in row[:2]}
            found |= own
        assert found == wanted
        assert entries(await past.neighbours([one.event_id for one in then])) == wanted
        later = [one.event_id for one in told if one.year > year]
        assert await past.neighbours(later) == []


async def test_the_past_does_not_move_when_more_is_told() -> None:
    parameters = EventGraphParameters(3650.0, 0.002, 2, 5_000)
    world, told = await made(5)
    past = PastGraph(merged(world.store, world.registry), GRAPH, instant(2014), parameters)
    now = PastGraph(merged(world.store, world.registry), GRAPH, instant(2024), parameters)
    known = [one.event_id for one in told if one.year < 2014]
    before, after = entries(await past.neighbours(known)), entries(await now.neighbours(known))
    assert before - after, "later events drove entries out"
    assert after - before
    seen = await world.store.events(GRAPH, [row[1] for row in before], Visibility(instant(2014), None))
    assert {record.event.event_id for record in seen} == {row[1] for row in before}


async def test_a_walk_in_the_past_goes_where_it_went_then() -> None:
    world = World()
    first = world.event("Acorn opened a mill.", "2001-01-01", "Acorn", doc=Doc("a", "2010-01-01"))
    second = world.event("Acorn sold the mill.", "2001-09-01", "Acorn", doc=Doc("b", "2011-01-01"))
    third = world.event("Acorn lent the mill.", "2001-02-01", "Acorn", doc=Doc("c", "2015-01-01"))
    # What is stored is today's: with lists of one, the later event has taken the place of the other.
    world.related(first, third, 0.9)
    world.related(third, first, 0.9)
    world.related(second, third, 0.7)
    await world.build()
    one = EventGraphParameters(3650.0, 0.002, 1, 5_000)
    server = ApiServer(SETTINGS, replace(world.ports(), event_graph=one), GRAPH)
    port = await server.start()
    async with Client(f"127.0.0.1:{port}") as client:

        async def walked(known: str, seed: str = first) -> list[str]:
            request = query_pb2.WalkRequest(seed_event_ids=[seed], length=1)
            if known:
                request.as_of.known_text = known
            found = await client.query.Walk(request)
            assert all(0.0 < path.probability <= 1.0 for path in found.paths)
            return sorted({event_id for path in found.paths for event_id in path.event_ids} - {seed})

        assert await walked("2012") == [second]
        assert await walked("2010") == []
        assert await walked("2016") == [third]
        assert await walked("") == [third]
        with pytest.raises(grpc.aio.AioRpcError):
            await walked("2012", third)
        hits = await client.retrieve("mill", Options(known="2012"))
        assert third not in {hit.id for hit in hits}
    await server.drain(DrainTimes(0, 0))
