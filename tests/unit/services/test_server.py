"""Every method over a real channel: an in-process server on the twins, and the client."""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from dataclasses import replace
from datetime import UTC, datetime

import grpc
import grpc.aio
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc
from tests.unit.services.running import SETTINGS, Running, rpc_error
from tests.unit.services.world import GRAPH, Doc, World

from tidegraph.api.v1 import (
    ingest_pb2,
    ingest_pb2_grpc,
    query_pb2,
    query_pb2_grpc,
    types_pb2,
)
from tidegraph.client import ApiError, Client, Options
from tidegraph.domain.documents import Position
from tidegraph.domain.errors import Rejected
from tidegraph.ports import ChangeRow, Commit, DocumentStatus, Fence
from tidegraph.services.server import ApiServer, DrainTimes
from tidegraph.services.tokens import await_token, read_await_token
from tidegraph.settings import ServerSettings

# --- questions --------------------------------------------------------------------------------------


async def test_ask_streams_its_parts_in_order(running: Running) -> None:
    parts = [part async for part in running.client.ask_stream("Who was chair of Fenwick Mill in 2020?")]
    assert [part.WhichOneof("part") for part in parts] == ["start", "timeline", "text", "citations", "final"]
    start, final = parts[0].start, parts[-1].final
    assert start.basis.valid.start_text == "2020"
    assert start.basis.reasoner == "built-in"
    assert start.basis.final  # the known time is the watermark
    assert start.intent.relation == types_pb2.TIME_RELATION_IN
    assert [link.entity.name for link in start.intent.entities] == ["Fenwick Mill"]
    assert list(final.values) == ["Ada Quill"]
    assert final.outcome == query_pb2.ANSWER_OUTCOME_ANSWERED
    assert all(check.passed for check in final.checks)
    assert not final.steps


async def test_ask_tells_its_steps_when_asked(running: Running) -> None:
    answer = await running.client.ask("Who was chair of Fenwick Mill in 2020?", explain=True)
    assert [step.split(":")[0] for step in answer.steps] == ["scope", "evidence", "order", "persistence"]
    assert answer.known
    cited = answer.citations[0]
    assert cited.document_id == "minutes-1"
    assert cited.sentence.startswith("Ada Quill was elected chair")
    assert (cited.valid.start_text, cited.recorded.start_text[:10]) == ("2019-03-01", "2019-03-02")


async def test_the_same_question_at_two_times_and_two_states_of_knowledge(running: Running) -> None:
    ask, question = running.client.ask, "Who is chair of Fenwick Mill?"
    assert (await ask(question)).values == ("Ben Marsh",)
    assert (await ask(question, Options(valid="2021-01-01"))).values == ("Ada Quill",)
    assert (await ask(question, Options(known="2020-01-01"))).values == ("Ada Quill",)
    assert (await ask(question, Options(valid=datetime(2023, 1, 1, tzinfo=UTC)))).values == ("Ben Marsh",)
    before = await ask(question, Options(known="2018"))
    assert before.outcome == "not_known"
    assert before.text.startswith("Not known as of 31 December 2018")
    assert not before.citations


async def test_timeline_of_an_entity_and_of_a_query(running: Running) -> None:
    timeline = await running.client.timeline(entity="Fenwick Mill")
    texts = [entry.text for entry in timeline.dated]
    assert texts[0].startswith("Fact # 1 [2019-03-01 until 2022-06-01]: Ada Quill was chair")
    assert texts[1].startswith("Event # 1 [2019-03-01]: Ada Quill")
    narrow = await running.client.timeline(entity="Fenwick Mill", options=Options(valid="2020"))
    assert not any("Ben Marsh" in entry.text for entry in narrow.dated)
    asked = await running.client.timeline(query="weir at Fenwick Mill")
    assert any("weir" in entry.text for entry in asked.dated)


async def test_walks_are_reproducible_and_follow_time(running: Running) -> None:
    hits = await running.client.retrieve("opened a weir")
    seed = next(hit.id for hit in hits if hit.kind == "event" and "opened" in hit.text)
    request = query_pb2.WalkRequest(seed_event_ids=[seed], walks_per_seed=2, length=3, random_seed=7)
    one, two = await running.client.query.Walk(request), await running.client.query.Walk(request)
    assert one.paths == two.paths
    assert len(one.paths[0].event_ids) == 2
    assert len(one.events) == 2
    request.direction = query_pb2.WALK_DIRECTION_BACKWARD
    assert len((await running.client.query.Walk(request)).paths[0].event_ids) == 1


async def test_facts_by_name_wording_and_time(running: Running) -> None:
    facts = running.client.facts
    now = await facts(object="Fenwick Mill", predicate="chairs")
    assert [(fact.subject, fact.valid.start_text) for fact in now] == [("Ben Marsh", "2022-06-01")]
    assert [f.subject for f in await facts(object="Fenwick Mill", predicate="chair of")] == ["Ben Marsh"]
    assert [f.subject for f in await facts(subject="Fenwick Mill", predicate="chair")] == ["Ben Marsh"]
    then = await facts(object="Fenwick Mill", options=Options(valid="2022-05-31"))
    assert [fact.subject for fact in then] == ["Ada Quill"]
    assert len(await facts(entity="Fenwick Mill", any_valid_time=True)) == 2
    response = await running.client.query.GetFacts(query_pb2.GetFactsRequest(object="Fenwick Mill"))
    assert response.suppressed_count == 1


async def test_history_tells_what_was_believed_and_what_took_its_place(running: Running) -> None:
    rows = await running.client.history(entity="Fenwick Mill", predicate="holds_role")
    told = [(row.fact.subject, row.fact.valid.end_text, row.current) for row in rows]
    assert told == [
        ("Ada Quill", "2022-06-01", True),
        ("Ada Quill", "..", False),
        ("Ben Marsh", "..", True),
    ]
    assert rows[1].replaced_by == (rows[0].fact.fact_id, rows[2].fact.fact_id)
    assert "2 June 2022" in rows[1].reason
    assert len(await running.client.history(fact_id=rows[0].fact.fact_id)) == 3
    early = await running.client.history(entity="Fenwick Mill", options=Options(known="2020"))
    assert [row.fact.subject for row in early] == ["Ada Quill"]


async def test_entity_and_explanation(running: Running) -> None:
    found = await running.client.entity("fenwick mill")
    assert (found.name, [fact.subject for fact in found.facts]) == ("Fenwick Mill", ["Ben Marsh"])
    row = (await running.client.history(entity="Ada Quill"))[0]
    why = await running.client.explain(row.fact.fact_id)
    assert [query_pb2.Evidence.Role.Name(e.role) for e in why.evidence] == ["ROLE_SUPPORTS", "ROLE_BOUNDS"]
    assert [fact.subject.name for fact in why.succeeded_by] == ["Ben Marsh"]
    assert any("starts" in reason and "Ben Marsh" in reason for reason in why.reasons)


async def _commit_changes(world: World, expected: int, changes: tuple[ChangeRow, ...]) -> None:
    empty = Commit(GRAPH, Fence("resolved-0", expected, expected + 1), (), (), (), (), (), (), (), (), (), ())
    assert await world.store.commit(replace(empty, changes=changes)) is not None


async def _followed(client: Client, after: int = 0) -> list[tuple[int, str]]:
    """(sequence, change id) of the changes that there are; the stream itself stays open."""
    found: list[tuple[int, str]] = []
    stream = client.changes(after)
    with contextlib.suppress(TimeoutError):
        while True:
            change = await asyncio.wait_for(anext(stream), 0.3)
            found.append((change.sequence, change.change_id))
    await stream.aclose()
    return found


async def test_changes_can_be_followed_and_resumed(running: Running, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pages end between commits, whatever their size."""
    monkeypatch.setattr("tidegraph.services.usecases.changes.PAGE", 2)
    world = running.world
    version = (await world.store.all_versions(GRAPH))[0]
    sizes = (3, 1, 2)
    for expected, size in enumerate(sizes):
        rows = tuple(
            ChangeRow(f"c{expected}-{n}", 0, "asserted", version.subject, version.version_id, 5, "said")
            for n in range(size)
        )
        await _commit_changes(world, expected, rows)
    told = [(2 + place, f"c{place}-{n}") for place, size in enumerate(sizes) for n in range(size)]
    assert await _followed(running.client) == told
    assert await _followed(running.client, after=2) == told[3:]


async def test_a_change_that_rests_on_hidden_evidence_is_not_told() -> None:
    world = World()
    world.claim("Ada Quill", "holds_role", "Fenwick Mill", "2019", role="chair", doc=Doc("open"))
    world.claim("Ben Marsh", "holds_role", "Fenwick Mill", "2022", role="chair", doc=Doc("s", labels=("hr",)))
    world.claim("Orlan Ltd", "status", "active", "2020", literal=True)
    await world.build()
    changes = tuple(
        ChangeRow(v.version_id, 0, "asserted", v.subject, v.version_id, 5, f"{v.predicate} {v.object}")
        for v in await world.store.all_versions(GRAPH)
    )
    await _commit_changes(world, 0, changes)
    server = ApiServer(SETTINGS, world.ports(), GRAPH)
    port = await server.start()
    seen: dict[tuple[str, ...] | None, set[str]] = {}
    for labels in (None, ("hr",), ()):
        async with Client(f"127.0.0.1:{port}", labels=labels) as client:
            seen[labels] = {change_id for _, change_id in await _followed(client)}
    await server.drain(DrainTimes(0, 0))
    everything = {change.change_id for change in changes}
    assert seen[None] == seen["hr",] == everything
    assert 0 < len(seen[()]) < len(everything)
    shown = [v for v in await world.store.all_versions(GRAPH) if v.version_id in seen[()]]
    assert {v.predicate for v in shown} == {"status"}


# --- documents ----------------------------------------------------------------------------------------


async def test_a_document_is_written_into_the_log(running: Running) -> None:
    document = ingest_pb2.Document(
        document_id="memo", title="Memo", text="Ben Marsh left.", document_time="2025-05-01"
    )
    accepted = await running.client.submit(document)
    position = read_await_token(accepted.await_token)
    record = [r async for r in running.world.log.read("documents")][position.offset]
    assert b"Ben Marsh left." in (record.value or b"")
    request = ingest_pb2.GetIngestRequest(await_token=accepted.await_token)
    assert (await rpc_error(running.client.ingest.GetIngest(request)))[1] == "INGEST_NOT_FOUND"


async def test_what_a_json_document_says_of_itself_holds_where_the_request_is_silent(
    running: Running,
) -> None:
    own = '{"id": "row-1", "text": "Ben Marsh left.", "labels": ["hr"], "revision": "7", "source": "wiki"}'
    for given, labels in (
        (ingest_pb2.Document(json=own), ["hr"]),
        (ingest_pb2.Document(json=own, labels=["board"]), ["board"]),
    ):
        accepted = await running.client.submit(given)
        assert (accepted.document_id, accepted.revision) == ("row-1", "7")
        position = read_await_token(accepted.await_token)
        record = [r async for r in running.world.log.read("documents")][position.offset]
        sent = json.loads(record.value or b"")
        assert (sent["labels"], sent["source"]) == (labels, "wiki")


async def test_an_unknown_kind_of_document_is_refused(running: Running) -> None:
    document = ingest_pb2.Document(document_id="memo", text="A text.", kind=99)  # type: ignore[arg-type]
    request = ingest_pb2.SubmitDocumentRequest(document=document)
    assert (await rpc_error(running.client.ingest.SubmitDocument(request)))[1] == "INVALID_KIND"


async def test_a_document_of_another_graph_is_not_told_of(running: Running) -> None:
    position = Position("documents", 0, 900, "life")
    dead = DocumentStatus(position, "other", "secret", "1", "ground", "dead_letter", "a secret cause", 5, 6)
    await running.world.status.put([dead])
    as_of = types_pb2.AsOf(await_token=await_token(position))
    request = query_pb2.GetFactsRequest(entity="Fenwick Mill", as_of=as_of)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await running.client.query.GetFacts(request, timeout=0.3)
    assert caught.value.code() == grpc.StatusCode.DEADLINE_EXCEEDED


async def test_ingest_status_and_dead_letters(running: Running) -> None:
    accepted = await running.client.submit(ingest_pb2.Document(document_id="memo", text="A text."))
    position = read_await_token(accepted.await_token)

    def status(stage: str, outcome: str, cause: str = "") -> DocumentStatus:
        return DocumentStatus(position, GRAPH, "memo", accepted.revision, stage, outcome, cause, 5, 6)

    await running.world.status.put([status("ground", "")])
    watch = running.client.watch_ingest(accepted.await_token)
    assert (await anext(watch)).stage == "ground"
    await running.world.status.put([status("extract", "dead_letter", "NO_TEXT")])
    assert [(s.stage, s.outcome) async for s in watch] == [("extract", "dead_letter")]
    by_id = await running.client.ingest.GetIngest(ingest_pb2.GetIngestRequest(document_id="memo"))
    assert by_id.statuses[0].cause == "NO_TEXT"
    assert [letter.document_id for letter in await running.client.dead_letters()] == ["memo"]
    with pytest.raises(ApiError) as caught:
        await running.client.ask("Who is chair?", Options(await_token=accepted.await_token))
    assert caught.value.reason == "DOCUMENT_FAILED"


async def test_a_read_waits_for_its_own_write(running: Running) -> None:
    accepted = await running.client.submit(ingest_pb2.Document(document_id="memo", text="A text."))
    options = Options(await_token=accepted.await_token)
    asking = asyncio.create_task(running.client.ask("Who is chair of Fenwick Mill?", options))
    await asyncio.sleep(0.05)
    assert not asking.done()
    position = read_await_token(accepted.await_token)
    done = DocumentStatus(position, GRAPH, "memo", "1", "write", "committed", "", 5, 6)
    await running.world.status.put([done])
    assert (await asking).values == ("Ben Marsh",)


async def test_a_retraction_is_a_record_and_streams_are_counted(running: Running) -> None:
    await running.client.retract("minutes-1")
    record = [r async for r in running.world.log.read("documents")][-1]
    assert b'"kind":"retraction"' in (record.value or b"")

    async def documents() -> AsyncIterator[ingest_pb2.SubmitDocumentsRequest]:
        for text in ("one", "", "two"):
            yield ingest_pb2.SubmitDocumentsRequest(document=ingest_pb2.Document(document_id="d", text=text))

    response = await running.client.ingest.SubmitDocuments(documents())
    assert response.accepted_count == 2
    assert [(r.index, r.reason) for r in response.rejected] == [(1, "EMPTY_DOCUMENT")]


async def test_status_tells_rows_and_components(running: Running) -> None:
    status = await running.client.status()
    assert status.graph == GRAPH
    assert status.rows["facts"] == 3
    assert status.graph_version == 1
    assert {part.name: part.healthy for part in status.components} == {
        "store": True,
        "status": True,
        "encoder": True,
    }


# --- the server itself -----------------------------------------------------------------------------------


async def test_health_and_reflection_answer(running: Running) -> None:
    async with grpc.aio.insecure_channel(running.target) as channel:
        health = health_pb2_grpc.HealthStub(channel)
        for name in ("", "tidegraph.api.v1.QueryService"):
            answer = await health.Check(health_pb2.HealthCheckRequest(service=name))
            assert answer.status == health_pb2.HealthCheckResponse.SERVING
        stub = reflection_pb2_grpc.ServerReflectionStub(channel)
        call = stub.ServerReflectionInfo()
        await call.write(reflection_pb2.ServerReflectionRequest(list_services=""))
        listed = (await call.read()).list_services_response.service
        assert {"tidegraph.api.v1.AdminService", "tidegraph.api.v1.IngestService"} <= {s.name for s in listed}
        await call.done_writing()


async def test_a_drain_finishes_what_is_under_way_and_takes_nothing_new(running: Running) -> None:
    accepted = await running.client.submit(ingest_pb2.Document(document_id="memo", text="A text."))
    options = Options(await_token=accepted.await_token)
    asking = asyncio.create_task(running.client.ask("Who is chair of Fenwick Mill?", options))
    await asyncio.sleep(0.05)
    draining = asyncio.create_task(running.server.drain(DrainTimes(0, 5)))
    await asyncio.sleep(0.05)
    async with Client(running.target) as late:
        with pytest.raises(ApiError) as caught:
            await late.status()
        assert caught.value.code is grpc.StatusCode.UNAVAILABLE
        assert caught.value.retryable
    position = read_await_token(accepted.await_token)
    done = DocumentStatus(position, GRAPH, "memo", "1", "write", "committed", "", 5, 6)
    await running.world.status.put([done])
    assert (await asking).values == ("Ben Marsh",)
    await draining


async def test_it_listens_on_loopback_only(running: Running) -> None:
    settings = ServerSettings("0.0.0.0", 0, False, 1_000_000, 5, 5)
    with pytest.raises(Rejected) as caught:
        await ApiServer(settings, running.world.ports(), GRAPH).start()
    assert caught.value.reason == "NO_AUTHENTICATION"


def test_tokens_round_trip_and_refuse_others() -> None:
    position = Position("documents", 3, 17, "life-1")
    assert read_await_token(await_token(position)) == position
    for token in ("", "x", "WyJhMSJd", "W1tb" * 400, await_token(position)[:-3], "ä" * 10, "A" * 3_000):
        with pytest.raises(Rejected):
            read_await_token(token)


async def test_labels_of_the_caller_hide_evidence(running: Running) -> None:
    world = World()
    world.person("Ada Quill")
    world.claim("Ada Quill", "holds_role", "Fenwick Mill", "2019", role="chair", doc=Doc("s", labels=("hr",)))
    await world.build()
    server = ApiServer(SETTINGS, world.ports(), GRAPH)
    port = await server.start()
    for labels, outcome in (
        (None, "answered"),
        (("hr",), "answered"),
        (("other",), "not_known"),
        ((), "not_known"),
    ):
        async with Client(f"127.0.0.1:{port}", labels=labels) as client:
            assert (await client.ask("Who is chair of Fenwick Mill?")).outcome == outcome
    await server.drain(DrainTimes(0, 0))


def test_all_query_methods_are_covered() -> None:
    """A method added to the API must be added here."""
    service = query_pb2.DESCRIPTOR.services_by_name["QueryService"]
    assert {method.name for method in service.methods} == {
        *("Ask", "Retrieve", "GetTimeline", "Walk", "GetFacts", "ListFactHistory", "GetEntity"),
        *("ExplainFact", "WatchChanges", "Trace", "DiffBeliefs"),
    }
    assert query_pb2_grpc.QueryServiceServicer
    assert ingest_pb2_grpc.IngestServiceServicer
