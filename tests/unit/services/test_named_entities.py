"""What a request names is meant exactly: an unknown name or key is NOT_FOUND, never nothing or another."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from typing import Any

import grpc
import grpc.aio
import pytest
from google.rpc import error_details_pb2
from grpc_status import rpc_status
from tests.unit.services.running import Running, rpc_error, serving

from tidegraph.api.v1 import admin_pb2, ingest_pb2, query_pb2, types_pb2
from tidegraph.domain.documents import Position
from tidegraph.ports import DocumentStatus

NEAR = "Ben March"
"""One letter from a person that the world knows, Ben Marsh."""


@pytest.fixture
async def running() -> AsyncIterator[Running]:
    async for one in serving():
        yield one


CALLS: dict[str, Callable[[str], tuple[str, str, Any]]] = {
    "facts by entity": lambda name: (
        "query",
        "GetFacts",
        query_pb2.GetFactsRequest(entity=name, any_valid_time=True),
    ),
    "facts by subject": lambda name: (
        "query",
        "GetFacts",
        query_pb2.GetFactsRequest(subject=name, any_valid_time=True),
    ),
    "facts by object": lambda name: (
        "query",
        "GetFacts",
        query_pb2.GetFactsRequest(object=name, any_valid_time=True),
    ),
    "history": lambda name: ("query", "ListFactHistory", query_pb2.ListFactHistoryRequest(entity=name)),
    "diff": lambda name: (
        "query",
        "DiffBeliefs",
        query_pb2.DiffBeliefsRequest(entity=name, known_from_text="2000"),
    ),
    "entity": lambda name: ("query", "GetEntity", query_pb2.GetEntityRequest(entity=name)),
    "timeline": lambda name: ("query", "GetTimeline", query_pb2.GetTimelineRequest(entity=name)),
    "reading": lambda name: (
        "query",
        "Retrieve",
        query_pb2.RetrieveRequest(
            query="Who?", reading=types_pb2.Reading(entities=[types_pb2.EntityChoice(entity=name)])
        ),
    ),
    "reviews": lambda name: ("admin", "ListReviews", admin_pb2.ListReviewsRequest(entity=name)),
    "erasure": lambda name: ("ingest", "EraseEntity", ingest_pb2.EraseEntityRequest(entity=name)),
}


@pytest.mark.parametrize("what", CALLS)
async def test_a_near_name_is_told_and_not_taken(running: Running, what: str) -> None:
    service, method, request = CALLS[what](NEAR)
    call = getattr(getattr(running.client, service), method)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call(request)
    info = error_details_pb2.ErrorInfo()
    assert rpc_status.from_call(caught.value).details[0].Unpack(info)
    assert (caught.value.code(), info.reason) == (grpc.StatusCode.NOT_FOUND, "ENTITY_NOT_FOUND")
    assert "Ben Marsh" in info.metadata["near"]
    assert "near it: Ben Marsh" in caught.value.details()
    _, _, exact = CALLS[what]("ben marsh")
    await call(exact)


async def test_a_near_name_in_a_question_is_marked_as_one(running: Running) -> None:
    answer = await running.client.ask(f"Which role did {NEAR} have in 2023?")
    (link,) = answer.intent.entities
    assert (link.text, link.entity.name) == (NEAR, "Ben Marsh")
    assert link.candidates[0].reason == "close name"
    assert link.candidates[0].score < 1.0


async def test_an_unknown_key_is_not_found(running: Running) -> None:
    query = running.client.query
    for call in (
        query.ListFactHistory(query_pb2.ListFactHistoryRequest(key="nope")),
        query.DiffBeliefs(query_pb2.DiffBeliefsRequest(key="nope", known_from_text="2000")),
    ):
        code, reason, _ = await rpc_error(call)
        assert (code, reason) == (grpc.StatusCode.NOT_FOUND, "KEY_NOT_FOUND")
    everything = query_pb2.GetFactsRequest(entity="Fenwick Mill", any_valid_time=True)
    fact = (await query.GetFacts(everything)).facts[0]
    known = query_pb2.ListFactHistoryRequest(key=fact.key)
    assert (await query.ListFactHistory(known)).versions
    early = query_pb2.ListFactHistoryRequest(key=fact.key, known_text="2001")
    assert (await rpc_error(query.ListFactHistory(early)))[1] == "KEY_NOT_FOUND"
    diff = query_pb2.DiffBeliefsRequest(key=fact.key, known_from_text="2001", known_to_text="2002")
    assert (await rpc_error(query.DiffBeliefs(diff)))[1] == "KEY_NOT_FOUND"


NOWHERE = (("tidegraph-graph", "nowhere"),)


@pytest.mark.parametrize(
    ("service", "request_message"),
    [
        ("admin", admin_pb2.SealGraphRequest()),
        ("admin", admin_pb2.ReextractRequest()),
        ("admin", admin_pb2.ReextractRequest(document_id="minutes-1")),
        ("ingest", ingest_pb2.ListDeadLettersRequest()),
    ],
)
async def test_nothing_is_done_for_a_graph_that_is_not_there(
    running: Running, service: str, request_message: Any
) -> None:
    method = type(request_message).__name__.removesuffix("Request")
    call = getattr(getattr(running.client, service), method)
    code, reason, _ = await rpc_error(call(request_message, metadata=NOWHERE))
    assert (code, reason) == (grpc.StatusCode.NOT_FOUND, "GRAPH_NOT_FOUND")
    assert not [record async for record in running.world.log.read("control")]
    await call(request_message)


async def test_a_graph_of_which_only_refused_documents_are_known_has_its_dead_letters(
    running: Running,
) -> None:
    position = Position("documents", 0, 7, "life")
    refused = DocumentStatus(position, "nowhere", "memo", "1", "chunk", "dead_letter", "NO_TEXT", 5, 6)
    await running.world.status.put([refused])
    found = await running.client.ingest.ListDeadLetters(ingest_pb2.ListDeadLettersRequest(), metadata=NOWHERE)
    assert [one.document_id for one in found.dead_letters] == ["memo"]
