"""Reasons that come from outside the service, and those of rarely called methods, as they are on the wire."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import Any

import grpc
import pytest
from google.type.interval_pb2 import Interval
from numpy.typing import NDArray
from tests.unit.services.running import SETTINGS, Running
from tests.unit.services.test_contract import INVALID, MISSING, refused
from tests.unit.services.test_decisions import ANN, Served, served
from tests.unit.services.test_timecot import Scripted
from tests.unit.services.world import GRAPH, World

from tidegraph.api.v1 import admin_pb2, ingest_pb2, query_pb2, query_pb2_grpc, types_pb2
from tidegraph.domain.documents import Position
from tidegraph.domain.errors import Bug, LimitExceeded, Rejected, Retryable, TidegraphError
from tidegraph.services.server import ApiServer, DrainTimes
from tidegraph.services.tokens import await_token
from tidegraph.services.usecases.context import Ports

__all__ = ["served"]
AWAY = grpc.StatusCode.UNAVAILABLE
UNMET = grpc.StatusCode.FAILED_PRECONDITION
NOWHERE = await_token(Position("control", 0, 99, "life"))
ASK = query_pb2.AskRequest(question="Who is chair of Fenwick Mill?")


@asynccontextmanager
async def bare(ports: Ports) -> AsyncIterator[grpc.aio.Channel]:
    """A channel without the client of the product, which tries again by itself."""
    server = ApiServer(SETTINGS, ports, GRAPH)
    port = await server.start()
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        yield channel
    await server.drain(DrainTimes(0, 0))


async def whole(call: Any) -> list[Any]:
    return [part async for part in call]


MODEL_ERRORS = [
    (Retryable, "LLM_UNAVAILABLE", AWAY),
    (Retryable, "LLM_BUSY", AWAY),
    (Retryable, "LLM_TIMEOUT", AWAY),
    (Retryable, "LLM_STREAM_CUT", AWAY),
    (Retryable, "LLM_BUDGET", AWAY),
    (Rejected, "LLM_REJECTED", INVALID),
    (LimitExceeded, "LLM_ANSWER_TOO_LONG", INVALID),
    (Rejected, "LLM_UNAUTHORISED", UNMET),
    (Rejected, "LLM_MODEL_UNKNOWN", UNMET),
    (Rejected, "LLM_NO_MODEL", UNMET),
]


@pytest.mark.parametrize(("kind", "reason", "code"), MODEL_ERRORS, ids=str)
async def test_what_the_language_model_fails_with(
    running: Running, kind: type[TidegraphError], reason: str, code: grpc.StatusCode
) -> None:
    ports = replace(running.world.ports(), chat=Scripted("I think", kind(reason, "what to do")))
    async with bare(ports) as channel:
        call = query_pb2_grpc.QueryServiceStub(channel).Ask(ASK)
        assert await refused(whole(call)) == (code, reason)


class Away:
    """An encoder whose server does not answer."""

    def __init__(self, world: World) -> None:
        self.model_id, self.dimensions = world.encoder.model_id, world.encoder.dimensions

    def encode(self, texts: Sequence[str]) -> NDArray[Any]:
        raise Retryable("ENCODER_UNAVAILABLE", "the embeddings server does not answer")


async def test_an_encoder_that_is_away(running: Running) -> None:
    async with bare(replace(running.world.ports(), encoder=Away(running.world))) as channel:
        call = query_pb2_grpc.QueryServiceStub(channel).Retrieve(query_pb2.RetrieveRequest(query="weir"))
        assert await refused(call) == (AWAY, "ENCODER_UNAVAILABLE")


@pytest.mark.parametrize(
    ("kind", "reason", "code"),
    [
        (Retryable, "STORE_UNAVAILABLE", AWAY),
        (Retryable, "STORE_BUSY", AWAY),
        (Bug, "QUERY_FAILED", grpc.StatusCode.INTERNAL),
    ],
    ids=str,
)
async def test_what_the_store_fails_with(
    running: Running,
    monkeypatch: pytest.MonkeyPatch,
    kind: type[TidegraphError],
    reason: str,
    code: grpc.StatusCode,
) -> None:
    async def fail(*given: object) -> None:
        raise kind(reason, "the store does not answer")

    monkeypatch.setattr(running.world.store, "made", fail)
    async with bare(running.world.ports()) as channel:
        call = query_pb2_grpc.QueryServiceStub(channel).GetEntity(query_pb2.GetEntityRequest(entity="a"))
        assert await refused(call) == (code, reason)


LOG_ERRORS = [
    (Retryable, "LOG_UNAVAILABLE", AWAY),
    (Retryable, "TOPIC_MISSING", AWAY),
    (Rejected, "LOG_ACCESS_DENIED", UNMET),
    (Rejected, "LOG_SETTINGS", UNMET),
    (LimitExceeded, "RECORD_TOO_LARGE", INVALID),
]


@pytest.mark.parametrize(("kind", "reason", "code"), LOG_ERRORS, ids=str)
async def test_what_the_log_fails_with(
    running: Running,
    monkeypatch: pytest.MonkeyPatch,
    kind: type[TidegraphError],
    reason: str,
    code: grpc.StatusCode,
) -> None:
    async def fail(*given: object) -> None:
        raise kind(reason, "what to do")

    monkeypatch.setattr(running.world.log, "append", fail)
    request = ingest_pb2.SubmitDocumentRequest(document=ingest_pb2.Document(document_id="a", text=ANN))
    async with bare(running.world.ports()) as channel:
        call = channel.unary_unary(
            "/tidegraph.api.v1.IngestService/SubmitDocument",
            request_serializer=ingest_pb2.SubmitDocumentRequest.SerializeToString,
            response_deserializer=ingest_pb2.SubmitDocumentResponse.FromString,
        )
        assert await refused(call(request)) == (code, reason)


BACKWARDS = Interval()
BACKWARDS.start_time.seconds, BACKWARDS.end_time.seconds = 20, 10
Calls = Callable[[Running], Awaitable[Any]]
REQUESTS: list[tuple[str, grpc.StatusCode, Calls]] = [
    (
        "INVALID_INTERVAL",
        INVALID,
        lambda r: r.client.query.GetFacts(
            query_pb2.GetFactsRequest(entity="a", as_of=types_pb2.AsOf(valid_interval=BACKWARDS))
        ),
    ),
    (
        "NO_DEAD_LETTER",
        MISSING,
        lambda r: r.client.ingest.ReplayDeadLetters(
            ingest_pb2.ReplayDeadLettersRequest(await_tokens=[NOWHERE])
        ),
    ),
    (
        "REASON_TOO_LONG",
        INVALID,
        lambda r: r.client.admin.RebuildGraph(admin_pb2.RebuildGraphRequest(reason="x" * 2_001)),
    ),
    (
        "REGISTRY_TOO_LARGE",
        INVALID,
        lambda r: r.client.admin.SetPolicies(admin_pb2.SetPoliciesRequest(registry_toml=PREDICATES)),
    ),
    (
        "INVALID_REGISTRY",
        INVALID,
        lambda r: r.client.admin.SetPolicies(admin_pb2.SetPoliciesRequest(registry_toml="[[predicate]]")),
    ),
]
PREDICATES = "".join(f'[[predicate]]\nname = "p{number}"\n' for number in range(5_001))


@pytest.mark.parametrize(("reason", "code", "call"), REQUESTS, ids=[row[0] for row in REQUESTS])
async def test_what_is_wrong_with_a_rare_request(
    running: Running, reason: str, code: grpc.StatusCode, call: Calls
) -> None:
    assert await refused(call(running)) == (code, reason)


async def test_one_id_is_not_merged_and_not_split(running: Running) -> None:
    admin, found = running.client.admin, await running.client.entity("Fenwick Mill")
    ids = [found.entity_id]
    call = admin.SplitEntity(admin_pb2.SplitEntityRequest(entity_ids=ids))
    assert await refused(call) == (INVALID, "NOT_MERGED")
    call = admin.MergeEntities(admin_pb2.MergeEntitiesRequest(entity_ids=ids * 2))
    assert await refused(call) == (INVALID, "TOO_FEW_ENTITIES")


async def test_an_erasure_gives_its_certificate(served: Served) -> None:
    await served.write("a", ANN)
    asked = await served.client.ingest.EraseDocument(ingest_pb2.EraseDocumentRequest(document_id="a"))
    request = ingest_pb2.GetErasureRequest(await_token=asked.await_token)
    assert await refused(served.client.ingest.GetErasure(request)) == (MISSING, "NO_CERTIFICATE")
    await served.settle()
    told = json.loads((await served.client.ingest.GetErasure(request)).certificate_json)
    assert told["document_id"] == "a"
