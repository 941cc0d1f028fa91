"""What the API answers when it cannot answer: code, reason, and nothing that leaks."""

from __future__ import annotations

import asyncio
import inspect
import re

import grpc
import grpc.aio
import pytest
from tests.unit.services.running import Running, rpc_error
from tests.unit.services.world import GRAPH

from tidegraph.api.v1 import (
    admin_pb2,
    admin_pb2_grpc,
    ingest_pb2,
    query_pb2,
    types_pb2,
)
from tidegraph.client import ApiError, Client
from tidegraph.services import admin_servicer
from tidegraph.services.server import ApiServer, DrainTimes
from tidegraph.settings import ServerSettings

INVALID, MISSING = grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.NOT_FOUND
BAD_DATE = types_pb2.AsOf(valid_text="the day before")


@pytest.mark.parametrize(
    ("method", "request_message", "code", "reason"),
    [
        ("Retrieve", query_pb2.RetrieveRequest(), INVALID, "EMPTY_QUESTION"),
        ("Retrieve", query_pb2.RetrieveRequest(query="a", page_size=-1), INVALID, "INVALID_PAGE_SIZE"),
        ("Retrieve", query_pb2.RetrieveRequest(query="a", page_token="x"), INVALID, "INVALID_PAGE_TOKEN"),
        ("Retrieve", query_pb2.RetrieveRequest(query="x" * 3_000), INVALID, "QUESTION_TOO_LONG"),
        ("GetTimeline", query_pb2.GetTimelineRequest(), INVALID, "NO_RESTRICTION"),
        ("GetTimeline", query_pb2.GetTimelineRequest(entity="Nobody"), MISSING, "ENTITY_NOT_FOUND"),
        ("GetTimeline", query_pb2.GetTimelineRequest(entity="a", token_budget=-1), INVALID, "INVALID_BUDGET"),
        ("GetFacts", query_pb2.GetFactsRequest(predicate="chair"), INVALID, "NO_RESTRICTION"),
        ("GetFacts", query_pb2.GetFactsRequest(entity="Nobody"), MISSING, "ENTITY_NOT_FOUND"),
        ("GetFacts", query_pb2.GetFactsRequest(entity="a", as_of=BAD_DATE), INVALID, "INVALID_DATE"),
        ("ListFactHistory", query_pb2.ListFactHistoryRequest(), INVALID, "NO_RESTRICTION"),
        ("ListFactHistory", query_pb2.ListFactHistoryRequest(fact_id="x"), MISSING, "FACT_NOT_FOUND"),
        ("GetEntity", query_pb2.GetEntityRequest(entity="Nobody"), MISSING, "ENTITY_NOT_FOUND"),
        ("ExplainFact", query_pb2.ExplainFactRequest(fact_id="x"), MISSING, "FACT_NOT_FOUND"),
        ("Walk", query_pb2.WalkRequest(), INVALID, "NO_SEEDS"),
        ("Walk", query_pb2.WalkRequest(seed_event_ids=["x"]), MISSING, "EVENT_NOT_FOUND"),
        ("Walk", query_pb2.WalkRequest(seed_event_ids=["x"], length=99), INVALID, "INVALID_WALK"),
    ],
)
async def test_wrong_queries_say_what_is_wrong(
    running: Running, method: str, request_message: object, code: grpc.StatusCode, reason: str
) -> None:
    call = getattr(running.client.query, method)(request_message)
    assert (await rpc_error(call))[:2] == (code, reason)


@pytest.mark.parametrize(
    ("method", "request_message", "code", "reason"),
    [
        ("SubmitDocument", ingest_pb2.SubmitDocumentRequest(), INVALID, "EMPTY_DOCUMENT"),
        ("GetIngest", ingest_pb2.GetIngestRequest(), INVALID, "NO_RESTRICTION"),
        ("GetIngest", ingest_pb2.GetIngestRequest(await_token="x"), INVALID, "INVALID_AWAIT_TOKEN"),
        ("GetIngest", ingest_pb2.GetIngestRequest(document_id="x"), MISSING, "INGEST_NOT_FOUND"),
        ("RetractDocument", ingest_pb2.RetractDocumentRequest(), INVALID, "MISSING_ID"),
        ("EraseDocument", ingest_pb2.EraseDocumentRequest(), INVALID, "MISSING_ID"),
        ("EraseEntity", ingest_pb2.EraseEntityRequest(entity="nobody"), MISSING, "ENTITY_NOT_FOUND"),
        ("GetErasure", ingest_pb2.GetErasureRequest(await_token="x"), INVALID, "INVALID_AWAIT_TOKEN"),
        ("ReplayDeadLetters", ingest_pb2.ReplayDeadLettersRequest(), INVALID, "NO_RESTRICTION"),
    ],
)
async def test_wrong_writes_say_what_is_wrong(
    running: Running, method: str, request_message: object, code: grpc.StatusCode, reason: str
) -> None:
    call = getattr(running.client.ingest, method)(request_message)
    assert (await rpc_error(call))[:2] == (code, reason)


async def test_an_admin_method_that_is_not_served_says_so(running: Running) -> None:
    service = admin_pb2.DESCRIPTOR.services_by_name["AdminService"]
    told = set(re.findall(r'not_served\("(\w+)"\)', inspect.getsource(admin_servicer)))
    async with grpc.aio.insecure_channel(running.target) as channel:
        stub = admin_pb2_grpc.AdminServiceStub(channel)
        for method in service.methods:
            if method.name not in told:
                continue
            request = getattr(admin_pb2, method.input_type.name)()
            code, reason, message = await rpc_error(getattr(stub, method.name)(request))
            assert (code, reason) == (grpc.StatusCode.UNIMPLEMENTED, "NOT_IMPLEMENTED")
            assert method.name in message


async def test_an_unknown_graph_is_not_an_empty_answer(running: Running) -> None:
    async with Client(running.target, graph="other") as client:
        with pytest.raises(ApiError) as caught:
            await client.ask("Who is chair of Fenwick Mill?")
        assert (caught.value.code, caught.value.reason) == (MISSING, "GRAPH_NOT_FOUND")
    async with Client(running.target, graph="no/such name") as client:
        with pytest.raises(ApiError) as caught:
            await client.status()
        assert caught.value.reason == "INVALID_GRAPH"


async def test_a_bug_leaks_nothing_but_its_request_id(
    running: Running, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def broken(*_: object) -> None:
        raise ZeroDivisionError("the secret of the house")

    monkeypatch.setattr(running.world.store, "made", broken)
    call = running.client.query.GetEntity(
        query_pb2.GetEntityRequest(entity="Fenwick Mill"), metadata=(("x-request-id", "trace-1"),)
    )
    code, reason, message = await rpc_error(call)
    assert (code, reason) == (grpc.StatusCode.INTERNAL, "INTERNAL")
    assert "trace-1" in message
    assert "secret" not in message
    assert "trace-1" in caplog.text
    assert "the secret of the house" in caplog.text


async def test_a_call_ends_at_the_default_deadline(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    async def stuck(*_: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(running.world.store, "made", stuck)
    settings = ServerSettings("127.0.0.1", 0, False, 1_000_000, 0.2, 0.2)
    server = ApiServer(settings, running.world.ports(), GRAPH)
    port = await server.start()
    async with Client(f"127.0.0.1:{port}") as client:
        request = query_pb2.GetEntityRequest(entity="Fenwick Mill")
        assert (await rpc_error(client.query.GetEntity(request)))[0] is grpc.StatusCode.DEADLINE_EXCEEDED
        with pytest.raises(ApiError) as caught:
            await client.ask("Who is chair of Fenwick Mill?")
        assert caught.value.reason == "DEADLINE_EXCEEDED"
    await server.drain(DrainTimes(0, 0))
