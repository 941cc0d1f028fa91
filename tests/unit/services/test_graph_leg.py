"""Neighbours in the event graph as candidates of Retrieve: by request, within the as-of, alike each time."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from unittest import mock

import pytest
from tests.unit.services.running import Running
from tests.unit.services.world import GRAPH, Doc, World

from tidegraph.api.v1 import query_pb2
from tidegraph.domain.interval import instant
from tidegraph.ports import Neighbour
from tidegraph.services.caller import Caller
from tidegraph.services.usecases.graph_leg import GraphLeg
from tidegraph.services.usecases.moment import AskedTime
from tidegraph.services.usecases.opening import opened
from tidegraph.services.usecases.parts_used import Part
from tidegraph.services.usecases.retrieve import DEFAULT, Options, Rerank, Retrieved, retrieve
from tidegraph.services.usecases.trail import Trail

QUESTION = "When did Nimbus move its archive in 2018?"
WAYS = [GraphLeg.WALK, GraphLeg.PAGERANK]
Asked = tuple[Retrieved, Trail, list[str]]


@pytest.fixture(scope="module")
def world() -> World:
    """A chain of events of which only the first has words of the question, and times or dates of its own."""
    world = World()
    first = world.event("Nimbus moved its archive to Basel.", "2018-02", "Nimbus", doc=Doc("a"))
    second = world.event("Heavy rain flooded cellars.", "2018-03", "Orlan", doc=Doc("b"))
    third = world.event("Porters found wet ledgers.", "2018-04", "Orlan", doc=Doc("c"))
    late = world.event("Workmen dried bricks.", "2021-01", "Orlan", doc=Doc("d"))
    secret = world.event("Guards took keys.", "2018-05", "Orlan", doc=Doc("e", labels=("secret",)))
    for other in (second, late, secret):
        world.related(first, other, 0.5)
    world.related(second, third, 0.9)
    return asyncio.run(world.build())


async def asked(
    world: World,
    how: GraphLeg,
    without: frozenset[Part] = frozenset(),
    rerank: Rerank | None = None,
    labels: frozenset[str] | None = frozenset(),
) -> Asked:
    """What is found, how, and of which events lists of the event graph were read."""
    read: list[str] = []
    inner = world.store.neighbours

    async def neighbours(graph: str, ids: Sequence[str]) -> list[Neighbour]:
        read.extend(ids)
        return await inner(graph, ids)

    with mock.patch.object(world.store, "neighbours", neighbours):
        caller = Caller(GRAPH, labels, "r")
        work, scope = await opened(world.ports(), caller, QUESTION, AskedTime(), without=without)
        found = await retrieve(work, scope, 50, Options(rerank, graph=how))
    return found, work.trail, read


def near(found: Retrieved) -> set[str]:
    """Sentences without a word of the question that the leg found."""
    said = {hit.event.event.sentence for hit in found.hits if hit.event and "graph" in dict(hit.ranks)}
    return {sentence for sentence in said if "Nimbus" not in sentence}


@pytest.mark.parametrize("how", WAYS)
@pytest.mark.parametrize("rerank", [Rerank.FEATURES, Rerank.NONE])
async def test_what_lies_near_the_best_events_is_a_candidate(
    world: World, how: GraphLeg, rerank: Rerank
) -> None:
    plain, trail, read = await asked(world, GraphLeg.NONE, rerank=rerank)
    assert not read, "without the leg nothing of the event graph is read"
    assert "graph" not in {leg.name for leg in plain.legs}
    assert trail.searches[-1].graph_leg == "none"
    assert "graph" not in dict(trail.searches[-1].steps)
    found, trail, read = await asked(world, how, rerank=rerank)
    assert read
    assert near(found) == {"Heavy rain flooded cellars.", "Porters found wet ledgers."}
    assert {hit.id for hit in plain.hits} < {hit.id for hit in found.hits}, "and some by it alone"
    (run,) = [leg for leg in trail.legs if leg.name == "graph"]
    assert run.candidates >= 2
    assert trail.searches[-1].graph_leg == how
    assert "graph" in dict(trail.searches[-1].steps)


@pytest.mark.parametrize("how", WAYS)
async def test_neighbours_are_seen_by_who_may_see_them_alone(world: World, how: GraphLeg) -> None:
    found, _, _ = await asked(world, how, labels=frozenset({"secret"}))
    assert "Guards took keys." in near(found)


@pytest.mark.parametrize("how", WAYS)
async def test_the_part_can_be_left_out_of_any_request(world: World, how: GraphLeg) -> None:
    found, _, read = await asked(world, how, without=frozenset({Part.GRAPH}))
    assert not read
    assert not near(found)


@pytest.mark.parametrize("how", WAYS)
async def test_the_same_request_finds_the_same(world: World, how: GraphLeg) -> None:
    one, two = [(await asked(world, how))[0].hits for _ in range(2)]
    assert one == two


async def test_neighbours_of_a_past_date_are_those_of_then() -> None:
    world = World()
    world.event("Nimbus moved its archive.", "2018-02", "Nimbus", "Orlan", doc=Doc("a", "2019-01-01"))
    world.event("Heavy rain fell.", "2018-03", "Orlan", doc=Doc("b", "2020-01-01"))
    world.event("Porters slept.", "2018-03", "Orlan", doc=Doc("c", "2022-01-01"))
    await world.build()
    for year, said in (
        (2019, set()),
        (2021, {"Heavy rain fell."}),
        (2023, {"Heavy rain fell.", "Porters slept."}),
    ):
        known = AskedTime(known_at=instant(year, 6))
        work, scope = await opened(world.ports(), Caller(GRAPH, None, "r"), QUESTION, known)
        found = await retrieve(work, scope, 50, Options(graph=GraphLeg.WALK))
        assert near(found) == said


def test_the_leg_is_left_out_unless_asked_for() -> None:
    assert DEFAULT.graph is GraphLeg.NONE


async def test_a_request_takes_the_leg_and_is_told_of_it(running: Running) -> None:
    stub = running.client.query
    request = query_pb2.RetrieveRequest(query="opened a weir", explain=True)
    plain = await stub.Retrieve(request)
    assert plain.report.graph_leg == query_pb2.GRAPH_LEG_NONE
    for kind in (query_pb2.GRAPH_LEG_WALK, query_pb2.GRAPH_LEG_PAGERANK):
        request.graph_leg = kind
        found = await stub.Retrieve(request)
        assert found.report.graph_leg == kind
        (leg,) = [leg for leg in found.legs if leg.leg == "graph"]
        assert leg.candidate_count >= 1
        reasons = [reason for hit in found.hits for reason in hit.reasons if reason.leg == "graph"]
        assert [reason.rank for reason in reasons]
