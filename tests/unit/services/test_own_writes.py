"""Who writes and then reads with the token of the write reads what was written, new names included."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest
from tests.unit.services.test_decisions import ANN, Served, served

from tidegraph.api.v1 import ingest_pb2, query_pb2, types_pb2
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
