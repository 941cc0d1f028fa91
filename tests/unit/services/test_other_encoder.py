"""A service with another encoder than the graph's: questions are refused, what needs no vector is served."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import replace

import grpc
import pytest
from tests.unit.services.running import SETTINGS, rpc_error
from tests.unit.services.world import GRAPH, Doc, World

from tidegraph.api.v1 import query_pb2
from tidegraph.cli import serve
from tidegraph.client import Client
from tidegraph.models.hashing import HashingEncoder
from tidegraph.services.server import ApiServer, DrainTimes
from tidegraph.services.usecases.context import Ports


@pytest.fixture
async def ports() -> Ports:
    world = World()
    said = "Ada Quill was elected chair of Fenwick Mill on 1 March 2019."
    world.claim(
        "Ada Quill", "holds_role", "Fenwick Mill", "2019-03-01", role="chair", doc=Doc("a"), sentence=said
    )
    return replace((await world.build()).ports(), encoder=HashingEncoder(32))


@pytest.fixture
async def client(ports: Ports) -> AsyncIterator[Client]:
    server = ApiServer(SETTINGS, ports, GRAPH)
    port = await server.start()
    async with Client(f"127.0.0.1:{port}") as client:
        yield client
    await server.drain(DrainTimes(0, 0))


async def test_what_needs_vectors_says_what_to_do(client: Client) -> None:
    query = client.query
    for call in (
        query.Retrieve(query_pb2.RetrieveRequest(query="Fenwick Mill")),
        query.GetTimeline(query_pb2.GetTimelineRequest(query="Fenwick Mill")),
    ):
        code, reason, message = await rpc_error(call)
        assert (code, reason) == (grpc.StatusCode.FAILED_PRECONDITION, "ENCODER_CHANGED")
        assert "hashing-64 (64 dimensions)" in message
        assert "hashing-32 (32)" in message
        assert "tidegraph rebuild" in message
    with pytest.raises(Exception, match="ENCODER_CHANGED"):
        await client.ask("Who is chair of Fenwick Mill?")


async def test_the_rest_is_served_and_the_status_tells(client: Client) -> None:
    assert [fact.subject for fact in await client.facts(entity="Fenwick Mill")] == ["Ada Quill"]
    assert (await client.timeline(entity="Fenwick Mill")).dated
    status = await client.status()
    encoder = next(part for part in status.components if part.name == "encoder")
    assert not encoder.healthy
    assert "ENCODER_CHANGED" in encoder.detail


def test_a_server_tells_it_when_it_starts(ports: Ports, caplog: pytest.LogCaptureFixture) -> None:
    asyncio.run(serve._told_of_another_encoder(ports, GRAPH))
    assert "ENCODER_CHANGED" in caplog.text
    caplog.clear()
    asyncio.run(serve._told_of_another_encoder(ports, "a-graph-without-a-document"))
    asyncio.run(serve._told_of_another_encoder(replace(ports, encoder=HashingEncoder(64)), GRAPH))
    assert not caplog.text
