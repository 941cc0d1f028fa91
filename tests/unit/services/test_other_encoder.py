"""A service with another encoder than the graph's: questions are refused, what needs no vector is served."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from dataclasses import replace

import grpc
import numpy as np
import pytest
from numpy.typing import NDArray
from tests.unit.services.running import SETTINGS, rpc_error
from tests.unit.services.world import GRAPH, Doc, World

from tidegraph.api.v1 import query_pb2, query_pb2_grpc
from tidegraph.cli import serve
from tidegraph.client import Client
from tidegraph.domain.errors import Bug, Retryable
from tidegraph.models.hashing import HashingEncoder
from tidegraph.services.caller import Caller
from tidegraph.services.server import ApiServer, DrainTimes
from tidegraph.services.usecases.context import Ports
from tidegraph.services.usecases.moment import AskedTime
from tidegraph.services.usecases.opening import of_one_graph, opened


@pytest.fixture
async def world() -> World:
    world = World()
    said = "Ada Quill was elected chair of Fenwick Mill on 1 March 2019."
    world.claim(
        "Ada Quill", "holds_role", "Fenwick Mill", "2019-03-01", role="chair", doc=Doc("a"), sentence=said
    )
    return await world.build()


@pytest.fixture
def ports(world: World) -> Ports:
    return replace(world.ports(), encoder=HashingEncoder(32))


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


class Switching(HashingEncoder):
    """Embeds a question, and then the graph is another encoder's."""

    def __init__(self, world: World) -> None:
        super().__init__(64)
        self.store = world.store

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        self.store.model_id = "of-the-same-length"
        return super().encode(texts)


@pytest.fixture
async def switching(world: World) -> AsyncIterator[query_pb2_grpc.QueryServiceStub]:
    """A bare channel: the client of the product asks again by itself."""
    new = HashingEncoder(64)
    new.model_id = "of-the-same-length"
    server = ApiServer(SETTINGS, replace(world.ports(), encoder=new, former_encoder=Switching(world)), GRAPH)
    port = await server.start()
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        yield query_pb2_grpc.QueryServiceStub(channel)
    await server.drain(DrainTimes(0, 0))


async def test_a_graph_that_is_rebuilt_meanwhile_is_to_be_asked_again(
    world: World, switching: query_pb2_grpc.QueryServiceStub
) -> None:
    async def asked() -> object:
        call = switching.Ask(query_pb2.AskRequest(question="Who was elected in spring?"))
        return [part async for part in call]

    for ask in (
        lambda: switching.Retrieve(query_pb2.RetrieveRequest(query="Fenwick Mill")),
        lambda: switching.GetTimeline(query_pb2.GetTimelineRequest(query="Fenwick Mill")),
        asked,
    ):
        world.store.model_id = "hashing-64"
        code, reason, _ = await rpc_error(ask())
        assert (code, reason) == (grpc.StatusCode.UNAVAILABLE, "GRAPH_REBUILT")
        assert await ask(), "by the new encoder"


async def test_a_query_that_another_graph_refuses_is_told_as_that(world: World) -> None:
    ports = world.ports()
    work, _ = await opened(ports, Caller(GRAPH, None, ""), "Fenwick Mill", AskedTime())
    with pytest.raises(Bug):
        async with of_one_graph(work):
            raise Bug("QUERY_FAILED", "vectors of another length")
    world.store.model_id = "another"
    with pytest.raises(Retryable, match="GRAPH_REBUILT"):
        async with of_one_graph(work):
            raise Bug("QUERY_FAILED", "vectors of another length")
