"""The contract of the API, over the wire: every method answers, and reasons are given where they are due.

That no method and no reason is left out of the tests is looked at when all of them have run
(tests/ops/test_contract_seen.py).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import grpc
import grpc.aio
import pytest
from google.protobuf.timestamp_pb2 import Timestamp
from google.rpc import error_details_pb2
from grpc_status import rpc_status
from tests.unit.services.running import SETTINGS, Running
from tests.unit.services.test_decisions import ANN, BEN, Served, served
from tests.unit.services.world import GRAPH

from tidegraph.api.v1 import admin_pb2, ingest_pb2, query_pb2, types_pb2
from tidegraph.domain.errors import TidegraphError
from tidegraph.services import ingest_servicer, server
from tidegraph.services.server import ApiServer, DrainTimes
from tidegraph.services.usecases import decisions, diff, facts, identity

__all__ = ["served"]
INVALID, MISSING = grpc.StatusCode.INVALID_ARGUMENT, grpc.StatusCode.NOT_FOUND
SERVICES = {"query": query_pb2, "ingest": ingest_pb2, "admin": admin_pb2}


def methods() -> Iterator[tuple[str, str]]:
    for name, module in SERVICES.items():
        (service,) = module.DESCRIPTOR.services_by_name.values()
        yield from ((name, method.name) for method in service.methods)


async def first(call: Any) -> Any:
    """The answer of a call, or the first message of its stream."""
    if isinstance(call, grpc.aio.UnaryStreamCall):
        message = await call.read()
        assert message is not grpc.aio.EOF
        call.cancel()
        return message
    return await call


async def refused(call: Any) -> tuple[grpc.StatusCode, str]:
    """Code and reason of a call that fails, which must have the whole of a rich error."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await first(call)
    status = rpc_status.from_call(caught.value)
    info = error_details_pb2.ErrorInfo()
    assert status.details[0].Unpack(info)
    assert (info.domain, bool(info.metadata["request_id"])) == ("tidegraph", True)
    assert status.message
    return caught.value.code(), info.reason


class Answers:
    """A request for each method that a graph with one conflict and one merged entity can answer."""

    def __init__(self, served: Served) -> None:
        self.served = served
        self.token = ""

    async def prepare(self) -> None:
        """Two claims that conflict, and two ids that are one."""
        query, client = self.served.client.query, self.served.client
        await self.served.write("a", ANN)
        await self.served.write("b", BEN)
        self.one = (await client.entity("Ann Roe")).entity_id
        self.other = (await client.entity("Nova Ltd")).entity_id
        found = await query.GetFacts(query_pb2.GetFactsRequest(entity="Nova Ltd", any_valid_time=True))
        self.fact_id = found.facts[0].fact_id
        hits = await query.Retrieve(query_pb2.RetrieveRequest(query="Nova Ltd appointed"))
        self.event_id = next(hit.event.event_id for hit in hits.hits if hit.HasField("event"))
        (conflict,) = await client.conflicts()
        self.conflict = conflict.key, conflict.options[0].assertion_id
        self.token = await self._token()

    async def _token(self) -> str:
        document = ingest_pb2.Document(document_id="c", text="Cy Lund joined Nova Ltd on 4 May 2021.")
        token = (await self.served.client.submit(document)).await_token
        await self.served.settle()
        return token

    def request(self, method: str) -> Any:
        """A request that is answered."""
        past = Timestamp(seconds=1)
        made = {
            "Ask": lambda: query_pb2.AskRequest(question="Who is chief executive of Nova Ltd?", explain=True),
            "Retrieve": lambda: query_pb2.RetrieveRequest(query="Nova Ltd", explain=True),
            "GetTimeline": lambda: query_pb2.GetTimelineRequest(entity="Nova Ltd"),
            "Walk": lambda: query_pb2.WalkRequest(seed_event_ids=[self.event_id]),
            "GetFacts": lambda: query_pb2.GetFactsRequest(entity="Nova Ltd"),
            "ListFactHistory": lambda: query_pb2.ListFactHistoryRequest(fact_id=self.fact_id),
            "DiffBeliefs": lambda: query_pb2.DiffBeliefsRequest(known_from=past),
            "GetEntity": lambda: query_pb2.GetEntityRequest(entity=self.one),
            "ExplainFact": lambda: query_pb2.ExplainFactRequest(fact_id=self.fact_id),
            "Trace": lambda: query_pb2.TraceRequest(fact_id=self.fact_id),
            "WatchChanges": query_pb2.WatchChangesRequest,
            "SubmitDocument": lambda: ingest_pb2.SubmitDocumentRequest(
                document=ingest_pb2.Document(document_id="d", text=ANN)
            ),
            "GetIngest": lambda: ingest_pb2.GetIngestRequest(await_token=self.token),
            "WatchIngest": lambda: ingest_pb2.WatchIngestRequest(await_tokens=[self.token]),
            "RetractDocument": lambda: ingest_pb2.RetractDocumentRequest(document_id="a"),
            "EraseDocument": lambda: ingest_pb2.EraseDocumentRequest(document_id="a"),
            "EraseEntity": lambda: ingest_pb2.EraseEntityRequest(entity=self.one),
            "ListDeadLetters": ingest_pb2.ListDeadLettersRequest,
            "ReplayDeadLetters": lambda: ingest_pb2.ReplayDeadLettersRequest(all=True, dry_run=True),
            "GetStatus": ingest_pb2.GetStatusRequest,
            "RebuildGraph": admin_pb2.RebuildGraphRequest,
            "MergeEntities": lambda: admin_pb2.MergeEntitiesRequest(entity_ids=[self.one, self.other]),
            "SplitEntity": lambda: admin_pb2.SplitEntityRequest(entity_ids=[self.one, self.other]),
            "ListReviews": admin_pb2.ListReviewsRequest,
            "ListConflicts": admin_pb2.ListConflictsRequest,
            "DecideConflict": lambda: admin_pb2.DecideConflictRequest(
                key=self.conflict[0], assertion_id=self.conflict[1]
            ),
            "SetPolicies": lambda: admin_pb2.SetPoliciesRequest(validate_only=True),
            "GetPolicies": admin_pb2.GetPoliciesRequest,
            "Reextract": lambda: admin_pb2.ReextractRequest(document_id="a"),
            "SealGraph": admin_pb2.SealGraphRequest,
            "ListDecisions": admin_pb2.ListDecisionsRequest,
        }
        return made[method]()


ELSEWHERE = {
    "SubmitDocuments": "a stream of requests: below",
    "GetErasure": "test_contract_reasons.py, with its certificate",
}


async def test_every_method_answers(served: Served) -> None:
    answers = Answers(served)
    await answers.prepare()
    for service, method in methods():
        if method in ELSEWHERE:
            continue
        stub = getattr(served.client, service)
        answer = await first(getattr(stub, method)(answers.request(method)))
        assert type(answer).__name__ == f"{method}Response"
        if hasattr(answer, "basis"):
            assert answer.basis.graph_version > 0, method


async def test_a_stream_of_documents_is_answered(served: Served) -> None:
    async def documents() -> AsyncIterator[ingest_pb2.SubmitDocumentsRequest]:
        for number in range(3):
            document = ingest_pb2.Document(document_id=f"s{number}", text=ANN if number else "")
            yield ingest_pb2.SubmitDocumentsRequest(document=document)

    answer = await served.client.ingest.SubmitDocuments(documents())
    assert (answer.accepted_count, len(answer.rejected)) == (2, 1)


READS = {
    "Ask": query_pb2.AskRequest(question="Who?"),
    "Retrieve": query_pb2.RetrieveRequest(query="a"),
    "GetTimeline": query_pb2.GetTimelineRequest(entity="a"),
    "Walk": query_pb2.WalkRequest(seed_event_ids=["x"]),
    "GetFacts": query_pb2.GetFactsRequest(entity="a"),
    "ListFactHistory": query_pb2.ListFactHistoryRequest(entity="a"),
    "DiffBeliefs": query_pb2.DiffBeliefsRequest(known_from_text="2020"),
    "GetEntity": query_pb2.GetEntityRequest(entity="a"),
    "ExplainFact": query_pb2.ExplainFactRequest(fact_id="a"),
    "Trace": query_pb2.TraceRequest(fact_id="a"),
    "WatchChanges": query_pb2.WatchChangesRequest(),
}


@pytest.mark.parametrize("method", [name for service, name in methods() if service == "query"])
async def test_an_unknown_tenant_is_not_found_by_any_read(running: Running, method: str) -> None:
    call = getattr(running.client.query, method)(READS[method], metadata=(("tidegraph-graph", "nowhere"),))
    assert await refused(call) == (MISSING, "GRAPH_NOT_FOUND")


@pytest.mark.parametrize("service_method", list(methods()), ids="/".join)
async def test_every_method_refuses_a_graph_that_has_no_name(
    running: Running, service_method: tuple[str, str]
) -> None:
    service, method = service_method
    stub = getattr(getattr(running.client, service), method)
    request = getattr(SERVICES[service], f"{method}Request")()
    given = iter([request]) if method == "SubmitDocuments" else request
    call = stub(given, metadata=(("tidegraph-graph", "no/name"),))
    assert await refused(call) == (INVALID, "INVALID_GRAPH")


MANY = (("tidegraph-labels", ",".join(f"label{number}" for number in range(65))),)
BAD_STAMP = types_pb2.AsOf(valid_at=Timestamp(seconds=-(10**12)))


@pytest.mark.parametrize(
    ("method", "request_message", "expected", "metadata"),
    [
        ("query.Retrieve", query_pb2.RetrieveRequest(query="a"), (INVALID, "INVALID_LABELS"), MANY),
        (
            "query.GetFacts",
            query_pb2.GetFactsRequest(entity="a", as_of=BAD_STAMP),
            (INVALID, "INVALID_TIMESTAMP"),
            (),
        ),
        ("query.DiffBeliefs", query_pb2.DiffBeliefsRequest(), (INVALID, "NO_KNOWN_FROM"), ()),
        (
            "query.DiffBeliefs",
            query_pb2.DiffBeliefsRequest(known_from_text="2024", known_to_text="2020"),
            (INVALID, "KNOWN_ORDER"),
            (),
        ),
        (
            "query.Walk",
            query_pb2.WalkRequest(seed_event_ids=[f"e{n}" for n in range(51)]),
            (INVALID, "TOO_MANY_SEEDS"),
            (),
        ),
        (
            "ingest.SubmitDocument",
            ingest_pb2.SubmitDocumentRequest(
                document=ingest_pb2.Document(document_id="a", text="b", media_type="image/png")
            ),
            (INVALID, "UNSUPPORTED_CONTENT_TYPE"),
            (),
        ),
        ("ingest.WatchIngest", ingest_pb2.WatchIngestRequest(), (INVALID, "INVALID_WATCH"), ()),
        ("admin.DecideConflict", admin_pb2.DecideConflictRequest(key="k"), (INVALID, "NO_CLAIM"), ()),
        (
            "admin.DecideConflict",
            admin_pb2.DecideConflictRequest(key="k", assertion_id="a"),
            (MISSING, "CLAIM_NOT_FOUND"),
            (),
        ),
        (
            "admin.Reextract",
            admin_pb2.ReextractRequest(document_id="nowhere"),
            (MISSING, "DOCUMENT_NOT_FOUND"),
            (),
        ),
        (
            "admin.SetPolicies",
            admin_pb2.SetPoliciesRequest(registry_toml="#" * 300_000),
            (INVALID, "REGISTRY_TOO_LONG"),
            (),
        ),
        (
            "admin.ListDecisions",
            admin_pb2.ListDecisionsRequest(kinds=["whim"]),
            (INVALID, "UNKNOWN_KIND"),
            (),
        ),
    ],
)
async def test_what_is_wrong_with_a_request(
    running: Running,
    method: str,
    request_message: Any,
    expected: tuple[grpc.StatusCode, str],
    metadata: tuple[tuple[str, str], ...],
) -> None:
    service, _, name = method.partition(".")
    call = getattr(getattr(running.client, service), name)(request_message, metadata=metadata)
    assert await refused(call) == expected


async def test_lists_end_where_they_would_be_cut(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    query, admin = running.client.query, running.client.admin
    monkeypatch.setattr(facts, "FACTS_MAX", 1)
    monkeypatch.setattr(diff, "DIFF_MAX", 1)
    monkeypatch.setattr(identity, "REVIEWS_MAX", 1)
    monkeypatch.setattr(decisions, "CONFLICTS_MAX", 1)
    everything = query_pb2.GetFactsRequest(entity="Fenwick Mill", any_valid_time=True)
    assert await refused(query.GetFacts(everything)) == (INVALID, "TOO_MANY_FACTS")
    changes = query_pb2.DiffBeliefsRequest(known_from_text="2000")
    assert await refused(query.DiffBeliefs(changes)) == (INVALID, "TOO_MANY_FACTS")
    assert await refused(admin.ListReviews(admin_pb2.ListReviewsRequest())) == (INVALID, "TOO_MANY_REVIEWS")
    conflicts = admin.ListConflicts(admin_pb2.ListConflictsRequest())
    assert await refused(conflicts) == (INVALID, "TOO_MANY_CONFLICTS")


async def test_a_retrieval_ends_at_its_last_page(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    request = query_pb2.RetrieveRequest(query="weir of Fenwick Mill", page_size=2)
    request.page_token = (await running.client.query.Retrieve(request)).next_page_token
    monkeypatch.setattr("tidegraph.services.query_servicer.HITS_MAX", 2)
    assert await refused(running.client.query.Retrieve(request)) == (INVALID, "TOO_MANY_HITS")


async def test_a_stream_of_documents_has_its_bounds(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def documents(text: str) -> AsyncIterator[ingest_pb2.SubmitDocumentsRequest]:
        for number in range(4):
            document = ingest_pb2.Document(document_id=f"s{number}", text=text)
            yield ingest_pb2.SubmitDocumentsRequest(document=document)

    monkeypatch.setattr(ingest_servicer, "REJECTED_MAX", 2)
    call = running.client.ingest.SubmitDocuments(documents(""))
    assert await refused(call) == (INVALID, "TOO_MANY_REJECTED")
    monkeypatch.setattr(ingest_servicer, "STREAM_MAX", 2)
    call = running.client.ingest.SubmitDocuments(documents(ANN))
    assert await refused(call) == (INVALID, "TOO_MANY_DOCUMENTS")


async def busy(call: Any) -> None:
    """Call until the server says that it is busy, and when to come again."""

    async def until_refused() -> None:
        for _ in range(100):
            await first(call())
            await asyncio.sleep(0.05)

    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await until_refused()
    details = rpc_status.from_call(caught.value).details
    info, again = error_details_pb2.ErrorInfo(), error_details_pb2.RetryInfo()
    assert details[0].Unpack(info)
    assert details[1].Unpack(again)
    assert (caught.value.code(), info.reason) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "SERVER_BUSY")
    assert again.retry_delay.ToNanoseconds() > 0


async def test_a_server_is_busy_with_calls_or_with_watches(
    running: Running, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "CALLS_MAX", 1)
    monkeypatch.setattr(server, "WATCHES_MAX", 1)
    other = ApiServer(SETTINGS, running.world.ports(), GRAPH)
    port = await other.start()
    # The client of the product tries again by itself; a bare channel shows what the server says.
    async with grpc.aio.insecure_channel(f"127.0.0.1:{port}") as channel:
        query = running.client.query.__class__(channel)
        watch = query_pb2.WatchChangesRequest(after_sequence=10**9)
        held = query.WatchChanges(watch)  # stays open
        await asyncio.sleep(0.2)
        await busy(lambda: query.WatchChanges(watch))
        entity = query_pb2.GetEntityRequest(entity="Fenwick Mill")
        assert (await query.GetEntity(entity)).facts, "who watches takes no place from who asks"
        document = ingest_pb2.Document(document_id="x", text=ANN)
        token = (await running.client.submit(document)).await_token
        waiting = query_pb2.GetEntityRequest(entity="Fenwick Mill", as_of=types_pb2.AsOf(await_token=token))
        taken = query.GetEntity(waiting)  # nobody takes the document in: it waits on
        await busy(lambda: query.GetEntity(entity))
        taken.cancel()
        held.cancel()
    await other.drain(DrainTimes(0, 0))


async def test_a_port_that_is_taken_is_told(running: Running) -> None:
    port = int(running.target.rpartition(":")[2])
    taken = ApiServer(
        SETTINGS.__class__("127.0.0.1", port, False, 1_000_000, 5, 5), running.world.ports(), GRAPH
    )
    with pytest.raises(TidegraphError) as caught:
        await taken.start()
    assert caught.value.reason == "PORT_TAKEN"


async def test_an_erasure_wants_one_entity(served: Served) -> None:
    for number, born in enumerate(("1950", "1987")):
        text = f"John Smith was born on 3 March {born}. He joined Nova{number} Ltd on 4 May 2021."
        await served.write(f"j{number}", text)
    found = await served.client.query.GetEntity(query_pb2.GetEntityRequest(entity="John Smith"))
    if not found.homonyms:
        pytest.fail("the two persons of one name were taken for one")
    call = served.client.ingest.EraseEntity(ingest_pb2.EraseEntityRequest(entity="John Smith"))
    assert await refused(call) == (INVALID, "AMBIGUOUS_ENTITY")
