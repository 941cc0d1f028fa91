"""An entity with more facts than one read gives still answers what a predicate or a time leaves few of."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
from tests.unit.services.running import SETTINGS, rpc_error
from tests.unit.services.world import GRAPH, World

from tidegraph.api.v1 import query_pb2, types_pb2
from tidegraph.client import Client
from tidegraph.services.server import ApiServer, DrainTimes
from tidegraph.services.usecases import facts

IN_2011 = types_pb2.AsOf(valid_text="2011-02-01")
MILL = "Fenwick Mill"


@pytest.fixture
async def client(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Client]:
    world = World()
    for number in range(6):
        start, end = f"201{number}-01-01", f"201{number}-06-01"
        world.claim(f"Person {'ABCDEF'[number]}son", "member_of", MILL, start, end)
    world.claim("Ada Quill", "holds_role", MILL, "2019-03-01", role="chair")
    world.claim("Ben Marsh", "sweeps_floor_of", MILL, "2011-01-01")
    server = ApiServer(SETTINGS, (await world.build()).ports(), GRAPH)
    monkeypatch.setattr(facts, "FACTS_MAX", 5)
    async with Client(f"127.0.0.1:{await server.start()}") as one:
        yield one
    await server.drain(DrainTimes(0, 0))


@pytest.mark.parametrize(
    ("request_message", "names"),
    [
        (query_pb2.GetFactsRequest(entity=MILL, predicate="holds_role", any_valid_time=True), {"Ada Quill"}),
        (query_pb2.GetFactsRequest(object=MILL, predicate="chairs", any_valid_time=True), {"Ada Quill"}),
        (query_pb2.GetFactsRequest(entity=MILL, as_of=IN_2011), {"Person Bson", "Ben Marsh"}),
        (query_pb2.GetFactsRequest(object=MILL, as_of=IN_2011), {"Person Bson", "Ben Marsh"}),
        (query_pb2.GetFactsRequest(object=MILL, predicate="member_of", as_of=IN_2011), {"Person Bson"}),
        (query_pb2.GetFactsRequest(object=MILL, predicate="sweeps_floor_of", as_of=IN_2011), {"Ben Marsh"}),
        (query_pb2.GetFactsRequest(object=MILL, predicate="is a member of", as_of=IN_2011), {"Person Bson"}),
    ],
)
async def test_facts_of_a_predicate_or_a_time(
    client: Client, request_message: query_pb2.GetFactsRequest, names: set[str]
) -> None:
    found = await client.query.GetFacts(request_message)
    assert {fact.subject.name for fact in found.facts} == names


async def test_what_holds_at_other_times_is_counted_as_far_as_it_is_read(client: Client) -> None:
    few = query_pb2.GetFactsRequest(entity=MILL, predicate="holds_role", as_of=IN_2011)
    assert (await client.query.GetFacts(few)).suppressed_count == 1


async def test_an_entity_at_one_time(client: Client) -> None:
    found = await client.query.GetEntity(query_pb2.GetEntityRequest(entity=MILL, as_of=IN_2011))
    assert {fact.subject.name for fact in found.facts} == {"Person Bson", "Ben Marsh"}


async def test_the_history_of_a_predicate(client: Client) -> None:
    request = query_pb2.ListFactHistoryRequest(entity=MILL, predicate="holds_role")
    assert [row.fact.subject.name for row in (await client.query.ListFactHistory(request)).versions] == [
        "Ada Quill"
    ]


async def test_what_is_still_too_many_is_refused(client: Client) -> None:
    for call in (
        client.query.GetFacts(query_pb2.GetFactsRequest(entity=MILL, any_valid_time=True)),
        client.query.ListFactHistory(query_pb2.ListFactHistoryRequest(entity=MILL)),
    ):
        assert (await rpc_error(call))[1] == "TOO_MANY_FACTS"
