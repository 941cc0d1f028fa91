"""An in-process server on the twins with a client on it, for the tests of the API."""

from __future__ import annotations

from collections.abc import AsyncIterator

import grpc
import grpc.aio
import pytest
from google.rpc import error_details_pb2
from grpc_status import rpc_status
from tests.unit.services.world import GRAPH, Doc, World

from tidegraph.client import Client
from tidegraph.services.server import ApiServer, DrainTimes
from tidegraph.settings import ServerSettings

SETTINGS = ServerSettings(
    host="127.0.0.1",
    port=0,
    reflection=True,
    max_message_bytes=1_000_000,
    default_deadline_seconds=5.0,
    max_deadline_seconds=10.0,
)


class Running:
    """A server with a client on it."""

    def __init__(self, world: World, server: ApiServer, port: int, client: Client) -> None:
        self.world = world
        self.server = server
        self.target = f"127.0.0.1:{port}"
        self.client = client


async def _world() -> World:
    world = World()
    for name in ("Ada Quill", "Ben Marsh"):
        world.person(name)
    world.claim(
        "Ada Quill",
        "holds_role",
        "Fenwick Mill",
        "2019-03-01",
        role="chair",
        doc=Doc("minutes-1", "2019-03-02", title="Minutes"),
        sentence="Ada Quill was elected chair of Fenwick Mill on 1 March 2019.",
    )
    world.claim(
        "Ben Marsh",
        "holds_role",
        "Fenwick Mill",
        "2022-06-01",
        role="chair",
        doc=Doc("minutes-2", "2022-06-02", title="Minutes"),
        sentence="Ben Marsh became chair of Fenwick Mill on 1 June 2022.",
    )
    one = world.event("Fenwick Mill opened a weir.", "2020-05-01", "Fenwick Mill")
    two = world.event("Fenwick Mill repaired the weir.", "2020-08-01", "Fenwick Mill")
    world.related(one, two, 0.8)
    world.chunk("The mill keeps its accounts for ten years.", Doc("rules", "2018-01-01", title="Mill rules"))
    return await world.build()


async def serving() -> AsyncIterator[Running]:
    """A server over the world, drained at the end."""
    world = await _world()
    server = ApiServer(SETTINGS, world.ports(), GRAPH)
    port = await server.start()
    async with Client(f"127.0.0.1:{port}") as client:
        yield Running(world, server, port, client)
    await server.drain(DrainTimes(0, 0))


async def rpc_error(call: grpc.aio.UnaryUnaryCall[object, object]) -> tuple[grpc.StatusCode, str, str]:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call
    status = rpc_status.from_call(caught.value)
    info = error_details_pb2.ErrorInfo()
    assert status.details[0].Unpack(info)
    assert info.domain == "tidegraph"
    assert info.metadata["request_id"]
    return caught.value.code(), info.reason, caught.value.details() or ""
