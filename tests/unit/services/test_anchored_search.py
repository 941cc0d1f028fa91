"""A clause that sets the time by an event: found before anything is searched, named, and replaceable."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
from tests.unit.services.running import SETTINGS, rpc_error
from tests.unit.services.sluice import FEAST, FLOOD, WEIR, sluice
from tests.unit.services.world import GRAPH

from tidegraph.api.v1 import query_pb2, types_pb2
from tidegraph.client import Client, Reading
from tidegraph.services.server import ApiServer, DrainTimes

WHEN = "Who was chair of Fenwick Mill when the flood damaged the weir?"


@pytest.fixture
async def client() -> AsyncIterator[Client]:
    world = await sluice().build()
    server = ApiServer(SETTINGS, world.ports(), GRAPH)
    port = await server.start()
    async with Client(f"127.0.0.1:{port}") as client:
        yield client
    await server.drain(DrainTimes(0, 0))


async def retrieve(client: Client, query: str, **more: Any) -> query_pb2.RetrieveResponse:
    request = query_pb2.RetrieveRequest(query=query, read_time=True, **more)
    return await client.query.Retrieve(request)


def facts(found: query_pb2.RetrieveResponse) -> list[str]:
    return [hit.fact.subject.name for hit in found.hits if hit.HasField("fact")]


@pytest.mark.parametrize(
    ("query", "sentence", "chairs"),
    [
        (WHEN, FLOOD, {"Ada Quill"}),
        ("Who was chair of Fenwick Mill during the harvest feast?", FEAST, {"Ada Quill"}),
        ("When the flood damaged the weir, who was chair of Fenwick Mill?", FLOOD, {"Ada Quill"}),
        ("Who was chair of Fenwick Mill before the weir opened?", WEIR, {"Ada Quill"}),
        ("Who was chair of Fenwick Mill after Ben Marsh became chair?", "", {"Ben Marsh", "Cleo Frost"}),
    ],
)
async def test_retrieve_looks_in_the_time_of_the_anchor(
    client: Client, query: str, sentence: str, chairs: set[str]
) -> None:
    found = await retrieve(client, query)
    assert {name for name in facts(found) if name in ("Ada Quill", "Ben Marsh", "Cleo Frost")} == chairs
    anchor = found.intent.anchor
    assert anchor.sentence == sentence
    assert bool(anchor.event_id) == bool(sentence)
    assert anchor.time.start_text
    if sentence:
        hit = await retrieve(client, sentence)
        assert anchor.event_id in {one.event.event_id for one in hit.hits}


async def test_without_such_a_clause_nothing_is_looked_for(client: Client) -> None:
    found = await retrieve(client, "Who was chair of Fenwick Mill?", explain=True)
    assert not found.intent.HasField("anchor")
    assert {"Ada Quill", "Ben Marsh", "Cleo Frost"} <= set(facts(found))


async def test_a_time_of_the_caller_goes_before_the_anchor(client: Client) -> None:
    found = await retrieve(client, WHEN, as_of=types_pb2.AsOf(valid_text="2023"))
    assert "Ben Marsh" in facts(found)
    assert not found.intent.HasField("anchor")


async def test_a_timeline_of_a_query_is_that_of_the_anchors_time(client: Client) -> None:
    request = query_pb2.GetTimelineRequest(query="What was told of Fenwick Mill after the flood?")
    timeline = (await client.query.GetTimeline(request)).timeline
    said = [entry.event.sentence for entry in timeline.dated]
    assert FEAST in said
    assert WEIR not in said


async def test_the_answer_names_the_anchor_and_the_caller_may_name_another(client: Client) -> None:
    answer = await client.ask(WHEN)
    assert (answer.values, answer.intent.anchor.sentence) == (("Ada Quill",), FLOOD)
    late = "Cleo Frost became chair of Fenwick Mill on 2024-02-01."
    hits = (await retrieve(client, late)).hits
    other = next(hit.event.event_id for hit in hits if hit.event.sentence == late)
    answer = await client.ask(WHEN, reading=Reading(anchor=other))
    assert (answer.values, answer.intent.anchor.event_id) == (("Cleo Frost",), other)
    found = await retrieve(client, WHEN, reading=types_pb2.Reading(anchor_event_id=other))
    assert (found.intent.anchor.event_id, "Ada Quill" in facts(found)) == (other, False)


@pytest.mark.parametrize(
    ("question", "event_id", "code", "reason"),
    [
        (WHEN, "nothing", grpc.StatusCode.NOT_FOUND, "EVENT_NOT_FOUND"),
        ("Who is chair of Fenwick Mill?", "x", grpc.StatusCode.INVALID_ARGUMENT, "INVALID_READING"),
    ],
)
async def test_an_anchor_that_cannot_be_is_refused(
    client: Client, question: str, event_id: str, code: grpc.StatusCode, reason: str
) -> None:
    request = query_pb2.RetrieveRequest(
        query=question, read_time=True, reading=types_pb2.Reading(anchor_event_id=event_id)
    )
    assert (await rpc_error(client.query.Retrieve(request)))[:2] == (code, reason)  # type: ignore[arg-type]
