"""What is shown by how documents put it: on every method that shows evidence, found wherever it stands."""

from __future__ import annotations

from collections.abc import AsyncIterator

import grpc
import pytest
from tests.unit.services.running import SETTINGS, rpc_error
from tests.unit.services.world import GRAPH, Doc, World

from tidegraph.api.v1 import query_pb2, types_pb2
from tidegraph.client import Client
from tidegraph.domain.documents import Status
from tidegraph.services.server import ApiServer, DrainTimes

ASSERTED, PLANNED, DENIED = (
    types_pb2.CLAIM_STATUS_ASSERTED,
    types_pb2.CLAIM_STATUS_PLANNED,
    types_pb2.CLAIM_STATUS_DENIED,
)
OPENED = "Fenwick Mill opened a weir."
DID_NOT = "Fenwick Mill did not sell the weir."
PLANS = "Fenwick Mill plans to sell the weir."
MANY = 300


async def _world() -> World:
    world = World()
    for number in range(MANY):
        day = f"20{10 + number % 10}-0{1 + number % 9}-0{1 + number % 8}"
        world.event(f"Fenwick Mill repaired the weir and gate {number}.", day, "Fenwick Mill")
    first = world.event(OPENED, "2009-05-01", "Fenwick Mill")
    denied = world.event(DID_NOT, "2020-05-05", "Fenwick Mill", status=Status.DENIED)
    world.event(PLANS, "2024-05-05", "Fenwick Mill", status=Status.PLANNED)
    world.related(first, denied, 0.9)
    world.chunk(
        "Who is chair and who is treasurer of Fenwick Mill is in its old weir.", Doc("rules", "2018-01-01")
    )
    world.claim("Ada Quill", "holds_role", "Fenwick Mill", "2019-03-01", role="chair")
    world.claim(
        "Ben Marsh", "holds_role", "Fenwick Mill", "2024-03-01", role="treasurer", status=Status.PLANNED
    )
    return await world.build()


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    server = ApiServer(SETTINGS, (await _world()).ports(), GRAPH)
    async with Client(f"127.0.0.1:{await server.start()}") as one:
        yield one
    await server.drain(DrainTimes(0, 0))


REPAIRS = "repaired weir and gate of Fenwick Mill"
POSTS = "Who is chair and who is treasurer of Fenwick Mill with its old weir?"


async def retrieved(
    client: Client, *statuses: types_pb2.ClaimStatus, query: str = REPAIRS
) -> list[query_pb2.Hit]:
    request = query_pb2.RetrieveRequest(query=query, statuses=statuses, page_size=200)
    return list((await client.query.Retrieve(request)).hits)


def sentences(hits: list[query_pb2.Hit]) -> set[str]:
    return {hit.event.sentence for hit in hits if hit.HasField("event")}


def kinds(hits: list[query_pb2.Hit]) -> set[str]:
    return {hit.WhichOneof("item") or "" for hit in hits}


async def test_retrieve_finds_what_is_denied_behind_all_that_is_nearer(client: Client) -> None:
    assert sentences(await retrieved(client, DENIED)) == {DID_NOT}
    assert sentences(await retrieved(client, PLANNED, DENIED)) == {DID_NOT, PLANS}
    assert not sentences(await retrieved(client)) & {DID_NOT, PLANS}


async def test_facts_and_passages_have_their_status_too(client: Client) -> None:
    everything = await retrieved(client, query=POSTS)
    assert kinds(everything) == {"event", "fact", "chunk"}
    assert {hit.fact.subject.name for hit in everything if hit.HasField("fact")} == {"Ada Quill", "Ben Marsh"}
    planned = await retrieved(client, PLANNED, query=POSTS)
    assert kinds(planned) == {"event", "fact"}
    assert {hit.fact.subject.name for hit in planned if hit.HasField("fact")} == {"Ben Marsh"}
    asserted = await retrieved(client, ASSERTED, query=POSTS)
    assert kinds(asserted) == {"event", "fact", "chunk"}
    assert {hit.fact.subject.name for hit in asserted if hit.HasField("fact")} == {"Ada Quill"}
    assert kinds(await retrieved(client, DENIED, query=POSTS)) == {"event"}


@pytest.mark.parametrize("about", [{"entity": "Fenwick Mill"}, {"query": "Fenwick Mill weir"}])
async def test_timelines_hide_what_is_only_planned_unless_it_is_asked_for(
    client: Client, about: dict[str, str]
) -> None:
    async def told(*statuses: types_pb2.ClaimStatus) -> set[str]:
        request = query_pb2.GetTimelineRequest(
            statuses=statuses,
            token_budget=50_000,
            page_size=500,
            **about,  # type: ignore[arg-type]
        )
        rows = (await client.query.GetTimeline(request)).timeline.dated
        return {row.event.sentence or row.fact.subject.name for row in rows}

    plain = await told()
    assert not plain & {DID_NOT, PLANS}
    assert {"Ada Quill", "Ben Marsh"} <= plain
    assert await told(PLANNED) == {PLANS, "Ben Marsh"}
    assert await told(DENIED) == {DID_NOT}


async def test_a_walk_does_not_step_on_what_is_denied_unless_it_is_asked_for(client: Client) -> None:
    hits = (await client.query.Retrieve(query_pb2.RetrieveRequest(query="opened a weir"))).hits
    seed = next(hit.event.event_id for hit in hits if hit.event.sentence == OPENED)

    async def walked(seed: str, *statuses: types_pb2.ClaimStatus) -> list[str]:
        request = query_pb2.WalkRequest(seed_event_ids=[seed], walks_per_seed=1, statuses=statuses)
        found = await client.query.Walk(request)
        return [event.sentence for event in found.events]

    assert await walked(seed) == [OPENED]
    assert await walked(seed, ASSERTED, DENIED) == [OPENED, DID_NOT]
    denied = next(hit.event.event_id for hit in await retrieved(client, DENIED))
    assert await walked(denied) == [DID_NOT, OPENED], "a seed is taken whatever its status"


async def test_ask_answers_from_what_is_asked_for(client: Client) -> None:
    async def asked(question: str, *statuses: types_pb2.ClaimStatus) -> str:
        request = query_pb2.AskRequest(question=question, statuses=statuses)
        return [part async for part in client.query.Ask(request)][-1].final.text

    question = "When did Fenwick Mill sell the weir?"
    assert PLANS[:-1] not in await asked(question)
    assert PLANS[:-1] in await asked(question, PLANNED)
    who = "Who is treasurer of Fenwick Mill?"
    assert "Ben Marsh" in await asked(who)
    assert "Ben Marsh" not in await asked(who, ASSERTED)
    assert "Ben Marsh" in await asked(who, PLANNED)


async def test_a_status_that_is_not_known_is_refused(client: Client) -> None:
    wrong = [99]
    for call in (
        client.query.Retrieve(query_pb2.RetrieveRequest(query="weir", statuses=wrong)),  # type: ignore[arg-type]
        client.query.GetTimeline(query_pb2.GetTimelineRequest(query="weir", statuses=wrong)),  # type: ignore[arg-type]
        client.query.Walk(query_pb2.WalkRequest(seed_event_ids=["x"], statuses=wrong)),  # type: ignore[arg-type]
    ):
        assert (await rpc_error(call))[1] == "INVALID_STATUS"


async def test_a_walk_from_outside_the_asked_time_is_no_empty_walk(client: Client) -> None:
    hits = (await client.query.Retrieve(query_pb2.RetrieveRequest(query="opened a weir"))).hits
    seed = next(hit.event.event_id for hit in hits if hit.event.sentence == OPENED)
    request = query_pb2.WalkRequest(seed_event_ids=[seed])
    request.as_of.valid_text = "1999"
    code, reason, message = await rpc_error(client.query.Walk(request))
    assert (code, reason) == (grpc.StatusCode.NOT_FOUND, "EVENT_NOT_FOUND")
    assert "asked time" in message
    request.as_of.valid_text = "2009"
    assert (await client.query.Walk(request)).paths
