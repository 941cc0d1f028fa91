"""A server with a cross-encoder: it reads a bounded number of texts, orders them, and no call outlasts it."""

from __future__ import annotations

import threading
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace

import grpc
import numpy as np
import pytest
from numpy.typing import NDArray
from tests.unit.services.running import SETTINGS, rpc_error
from tests.unit.services.world import GRAPH, Doc, World

from tidegraph.api.v1 import query_pb2
from tidegraph.client import Client
from tidegraph.services.server import ApiServer, DrainTimes
from tidegraph.services.usecases.retrieve import CROSSED_MAX

FAVOURED = "Nimbus moved depot 33 to Basel."


class Favouring:
    """Likes one text; keeps what it read, and may be made to wait."""

    model_id = "favouring"

    def __init__(self) -> None:
        self.read: list[Sequence[str]] = []
        self.goes_on = threading.Event()
        self.goes_on.set()

    def score(self, question: str, texts: Sequence[str]) -> NDArray[np.float32]:
        self.read.append(texts)
        self.goes_on.wait(timeout=30)
        return np.array([9.0 if text == FAVOURED else -9.0 for text in texts], dtype=np.float32)


@pytest.fixture
def reranker() -> Favouring:
    return Favouring()


@asynccontextmanager
async def serving(reranker: Favouring, seconds: float = 10.0) -> AsyncIterator[Client]:
    """A server with the reranker, whose calls take at most so long."""
    world = World()
    for number in range(CROSSED_MAX + 10):
        day = f"2018-{number % 12 + 1:02}-{number % 28 + 1:02}"
        world.event(f"Nimbus moved depot {number} to Basel.", day, "Nimbus", doc=Doc(f"d{number}"))
    ports = replace((await world.build()).ports(), reranker=reranker)
    server = ApiServer(replace(SETTINGS, default_deadline_seconds=seconds), ports, GRAPH)
    port = await server.start()
    try:
        async with Client(f"127.0.0.1:{port}") as client:
            yield client
    finally:
        reranker.goes_on.set()
        await server.drain(DrainTimes(0, 0))


def request(
    reranking: query_pb2.Reranking.ValueType = query_pb2.RERANKING_UNSPECIFIED,
) -> query_pb2.RetrieveRequest:
    words = "Nimbus moved depot 33 to Basel"
    return query_pb2.RetrieveRequest(query=words, reranking=reranking, explain=True)


async def test_it_orders_the_hits_unless_told_otherwise(reranker: Favouring) -> None:
    async with serving(reranker) as client:
        found = await client.query.Retrieve(request())
        assert found.report.reranking == query_pb2.RERANKING_CROSS_ENCODER
        assert found.hits[0].event.sentence == FAVOURED
        reasons = {reason.feature: reason.score for reason in found.hits[0].reasons}
        assert reasons["cross_encoder"] > 7.9
        assert [len(texts) for texts in reranker.read] == [CROSSED_MAX]
        plain = await client.query.Retrieve(request(query_pb2.RERANKING_FEATURES))
        assert len(reranker.read) == 1
        assert not any(reason.feature == "cross_encoder" for hit in plain.hits for reason in hit.reasons)


async def test_a_call_ends_at_its_deadline_however_long_it_takes(reranker: Favouring) -> None:
    reranker.goes_on.clear()
    async with serving(reranker, seconds=1.5) as client:
        begun = time.monotonic()
        code, reason, _ = await rpc_error(client.query.Retrieve(request()))
        assert (code, reason) == (grpc.StatusCode.DEADLINE_EXCEEDED, "DEADLINE_EXCEEDED")
        assert time.monotonic() - begun < 10
        assert not reranker.goes_on.is_set(), "and it is still being waited for"
        plain = request(query_pb2.RERANKING_FEATURES)
        answered = await client.query.Retrieve(plain, timeout=10)
        assert answered.hits, "what needs no cross-encoder is answered meanwhile"
