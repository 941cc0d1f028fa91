"""Same request, same basis: byte for byte, under load, and by another server on the same graph."""

from __future__ import annotations

import asyncio

from tests.unit.services.running import SETTINGS, Running
from tests.unit.services.world import GRAPH

from tidegraph.api.v1 import query_pb2
from tidegraph.client import Client
from tidegraph.services.server import ApiServer, DrainTimes


async def test_the_same_request_gives_the_same_bytes_whatever_else_is_asked(running: Running) -> None:
    questions = [
        "Who is chair of Fenwick Mill?",
        "What happened after the weir opened?",
        "weir",
        "Who kept accounts?",
    ]

    async def asked(client: Client) -> list[bytes]:
        found: list[bytes] = []
        for question in questions:
            call = client.query.Ask(query_pb2.AskRequest(question=question))
            found += [part.SerializeToString(deterministic=True) async for part in call]
            for leg in query_pb2.GraphLeg.values():
                request = query_pb2.RetrieveRequest(query=question, read_time=True, graph_leg=leg)
                found.append((await client.query.Retrieve(request)).SerializeToString(deterministic=True))
        walk = query_pb2.WalkRequest(seed_event_ids=[await _event(client)], random_seed=7)
        found.append((await client.query.Walk(walk)).SerializeToString(deterministic=True))
        return found

    alone = await asked(running.client)
    for _ in range(3):
        others = [asked(running.client) for _ in range(8)]
        assert all(found == alone for found in await asyncio.gather(*others))
    other = ApiServer(SETTINGS, running.world.ports(), GRAPH)
    port = await other.start()
    async with Client(f"127.0.0.1:{port}") as client:
        assert await asked(client) == alone
    await other.drain(DrainTimes(0, 0))


async def _event(client: Client) -> str:
    hits = await client.query.Retrieve(query_pb2.RetrieveRequest(query="opened a weir"))
    return next(hit.event.event_id for hit in hits.hits if "opened" in hit.event.sentence)
