"""Who writes and then reads with the token of the write reads what was written, new names included."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest
from tests.unit.services.test_decisions import ANN, Served, served

from tidegraph.api.v1 import admin_pb2, ingest_pb2, query_pb2, types_pb2
from tidegraph.client import Options

__all__ = ["served"]
T = TypeVar("T")
ZEPHYR = "Zephyr Ltd appointed Cy Lund as chief executive on 4 May 2021."
QUESTION = "Who is chief executive of Zephyr Ltd?"


async def waiting(served: Served, text: str, read: Callable[[str], Awaitable[T]]) -> T:
    """What a read gives that was called before its document was taken in."""
    document = ingest_pb2.Document(document_id="new", text=text, document_time="2021-05-05")
    token = (await served.client.submit(document)).await_token
    reading = asyncio.ensure_future(read(token))
    await asyncio.sleep(0.1)
    assert not reading.done()
    await served.settle()
    return await reading


@pytest.mark.parametrize("before", [ANN, ""], ids=["another document", "a fresh graph"])
async def test_a_question_knows_the_names_of_the_awaited_document(served: Served, before: str) -> None:
    if before:
        await served.write("a", before)
    asked = await waiting(
        served, ZEPHYR, lambda token: served.client.ask(QUESTION, Options(await_token=token))
    )
    assert asked.values == ("Cy Lund",)
    assert [link.entity.name for link in asked.intent.entities] == ["Zephyr Ltd"]
    again = await served.client.ask(QUESTION)
    assert (again.text, again.intent) == (asked.text, asked.intent)


async def test_retrieval_and_timelines_know_them_too(served: Served) -> None:
    def found(token: str) -> Awaitable[query_pb2.RetrieveResponse]:
        request = query_pb2.RetrieveRequest(query=QUESTION, as_of=types_pb2.AsOf(await_token=token))
        return served.client.query.Retrieve(request)

    hits = await waiting(served, ZEPHYR, found)
    assert [link.entity.name for link in hits.intent.entities] == ["Zephyr Ltd"]
    assert hits.hits[0].HasField("fact")

    def told(token: str) -> Awaitable[query_pb2.GetTimelineResponse]:
        request = query_pb2.GetTimelineRequest(query="Orla Pike", as_of=types_pb2.AsOf(await_token=token))
        return served.client.query.GetTimeline(request)

    rows = await waiting(served, "Zephyr Ltd appointed Orla Pike as chair on 4 May 2022.", told)
    assert any(row.HasField("fact") and "Orla Pike" in row.text for row in rows.timeline.dated)


def history(served: Served, token: str) -> Awaitable[object]:
    request = query_pb2.ListFactHistoryRequest(entity="Zephyr Ltd", await_token=token)
    return served.client.query.ListFactHistory(request)


def diff(served: Served, token: str) -> Awaitable[object]:
    request = query_pb2.DiffBeliefsRequest(entity="Zephyr Ltd", known_from_text="2000", await_token=token)
    return served.client.query.DiffBeliefs(request)


def reviews(served: Served, token: str) -> Awaitable[object]:
    request = admin_pb2.ListReviewsRequest(entity="Zephyr Ltd", await_token=token)
    return served.client.admin.ListReviews(request)


def conflicts(served: Served, token: str) -> Awaitable[object]:
    return served.client.admin.ListConflicts(admin_pb2.ListConflictsRequest(await_token=token))


def policies(served: Served, token: str) -> Awaitable[object]:
    return served.client.admin.GetPolicies(admin_pb2.GetPoliciesRequest(await_token=token))


def decisions(served: Served, token: str) -> Awaitable[object]:
    return served.client.admin.ListDecisions(admin_pb2.ListDecisionsRequest(await_token=token))


@pytest.mark.parametrize("read", [history, diff, reviews, conflicts, policies, decisions])
async def test_every_read_of_a_known_time_waits_in_a_fresh_graph(
    served: Served, read: Callable[[Served, str], Awaitable[object]]
) -> None:
    """Without the token the graph, or the entity, is not found."""
    await waiting(served, ZEPHYR, lambda token: read(served, token))


async def test_what_is_told_of_a_fact_waits_for_a_withdrawal(served: Served) -> None:
    await served.write("z", ZEPHYR)
    known = query_pb2.GetFactsRequest(entity="Zephyr Ltd", any_valid_time=True)
    (fact,) = (await served.client.query.GetFacts(known)).facts

    async def after_withdrawal(read: Callable[[str], Awaitable[T]]) -> T:
        token = await served.client.retract("z")
        reading = asyncio.ensure_future(read(token))
        await asyncio.sleep(0.1)
        assert not reading.done()
        await served.settle()
        return await reading

    explained = await after_withdrawal(
        lambda token: served.client.explain(fact.fact_id, Options(await_token=token))
    )
    assert {row.role for row in explained.evidence} == {query_pb2.Evidence.ROLE_WITHDRAWN}
    await served.write("z", ZEPHYR)
    traced = await after_withdrawal(
        lambda token: served.client.query.Trace(
            query_pb2.TraceRequest(fact_id=fact.fact_id, await_token=token)
        )
    )
    assert not traced.events
