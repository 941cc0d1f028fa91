"""Retrieve and Trace over the wire: the ranking that is asked for, from facts to events and back."""

from __future__ import annotations

import grpc
import pytest
from tests.unit.services.running import Running, rpc_error

from tidegraph.api.v1 import query_pb2


async def test_retrieve_pages_over_fused_hits(running: Running) -> None:
    stub = running.client.query
    request = query_pb2.RetrieveRequest(
        query="weir of Fenwick Mill", page_size=2, read_time=True, explain=True
    )
    request.as_of.valid_text = "2020"
    first = await stub.Retrieve(request)
    assert len(first.hits) == 2
    assert {leg.leg for leg in first.legs} >= {"facts", "text_event", "vector_event"}
    seen = [_hit_id(hit) for hit in first.hits]
    while first.next_page_token:
        request.page_token = first.next_page_token
        first = await stub.Retrieve(request)
        seen += [_hit_id(hit) for hit in first.hits]
    assert len(seen) == len(set(seen)) >= 3
    reasons = [reason for hit in first.hits for reason in hit.reasons]
    assert all(bool(reason.feature) != (reason.rank >= 1) for reason in reasons)
    assert "document" in {reason.feature for reason in reasons}
    assert first.report.pool_count >= len(seen)
    assert first.report.reranking == query_pb2.RERANKING_FEATURES
    assert [step.name for step in first.report.steps] == ["legs", "records", "ranking"]
    assert {leg.path for leg in first.legs if leg.leg.startswith("vector")} <= {
        "exact",
        "index",
        "time first",
    }


def _hit_id(hit: query_pb2.Hit) -> str:
    place = f"{hit.chunk.chunk_id} {hit.chunk.source.start_char} {hit.chunk.source.end_char}"
    return hit.event.event_id or hit.fact.fact_id or place


async def test_retrieve_takes_the_ranking_that_is_asked_for(running: Running) -> None:
    stub = running.client.query
    fused = await stub.Retrieve(
        query_pb2.RetrieveRequest(query="weir", reranking=query_pb2.RERANKING_NONE, explain=True)
    )
    assert fused.hits
    assert not any(reason.feature for hit in fused.hits for reason in hit.reasons)
    assert fused.report.reranking == query_pb2.RERANKING_NONE
    request = query_pb2.RetrieveRequest(query="weir", time_weight=11)
    code, reason, _ = await rpc_error(stub.Retrieve(request))
    assert (code, reason) == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_TIME_WEIGHT")
    request = query_pb2.RetrieveRequest(query="weir", reranking=query_pb2.RERANKING_CROSS_ENCODER)
    code, reason, _ = await rpc_error(stub.Retrieve(request))
    assert (code, reason) == (grpc.StatusCode.INVALID_ARGUMENT, "NO_RERANKER")


async def test_trace_from_a_fact_to_its_events_and_back(running: Running) -> None:
    stub = running.client.query
    facts = (await stub.GetFacts(query_pb2.GetFactsRequest(entity="Fenwick Mill", any_valid_time=True))).facts
    traced = [await stub.Trace(query_pb2.TraceRequest(fact_id=fact.fact_id)) for fact in facts]
    assert all([fact.fact_id] == [f.fact_id for f in t.facts] for fact, t in zip(facts, traced, strict=True))
    for fact, found in zip(facts, traced, strict=True):
        for event in found.events:
            back = await stub.Trace(query_pb2.TraceRequest(event_id=event.event_id))
            assert fact.fact_id in {f.fact_id for f in back.facts}
            assert [e.event_id for e in back.events] == [event.event_id]
    for request, reason in (
        (query_pb2.TraceRequest(), "NO_RESTRICTION"),
        (query_pb2.TraceRequest(fact_id="none"), "FACT_NOT_FOUND"),
        (query_pb2.TraceRequest(event_id="none"), "EVENT_NOT_FOUND"),
    ):
        assert (await rpc_error(stub.Trace(request)))[1] == reason


async def test_walk_by_pagerank_scores_events(running: Running) -> None:
    hits = await running.client.retrieve("opened a weir")
    seed = next(hit.id for hit in hits if hit.kind == "event" and "opened" in hit.text)
    request = query_pb2.WalkRequest(seed_event_ids=[seed], method=query_pb2.WALK_METHOD_PAGERANK)
    found = await running.client.query.Walk(request)
    assert not found.paths
    assert len(found.scores) == len(found.events) == 2
    assert sum(found.scores) == pytest.approx(1.0)
    assert list(found.scores) == sorted(found.scores, reverse=True)
    request.method = query_pb2.WALK_METHOD_RANDOM
    walked = await running.client.query.Walk(request)
    assert walked.scores[0] == 1.0, "every walk passes its seed"
