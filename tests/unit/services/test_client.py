"""The clients: typed results, typed errors, the sync wrapper."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Iterator
from datetime import UTC, datetime

import grpc
import pytest
from tests.unit.services.world import GRAPH, Doc, World

from tidegraph.client import ApiError, Options, SyncClient
from tidegraph.client.aio import as_of, claim_statuses
from tidegraph.services.server import ApiServer, DrainTimes
from tidegraph.settings import ServerSettings


@pytest.fixture(scope="module")
def target() -> Iterator[str]:
    """A server on a thread of its own, as a sync caller meets it."""
    started, stop = threading.Event(), asyncio.Event()
    found: list[object] = []

    async def serve() -> None:
        world = World()
        world.person("Ada Quill")
        world.claim("Ada Quill", "holds_role", "Fenwick Mill", "2019-03", role="chair", doc=Doc("a"))
        world.claim("Fenwick Mill", "headquarters", "Orby", "2001", doc=Doc("b"))
        await world.build()
        server = ApiServer(ServerSettings("127.0.0.1", 0, False, 1_000_000, 5, 5), world.ports(), GRAPH)
        found.extend([await server.start(), asyncio.get_running_loop()])
        started.set()
        await stop.wait()
        await server.drain(DrainTimes(0, 0))

    thread = threading.Thread(target=asyncio.run, args=(serve(),))
    thread.start()
    started.wait(20)
    port, loop = found
    assert isinstance(loop, asyncio.AbstractEventLoop)
    yield f"127.0.0.1:{port}"
    loop.call_soon_threadsafe(stop.set)
    thread.join(20)


def test_the_sync_client_does_what_the_async_one_does(target: str) -> None:
    with SyncClient(target) as client:
        answer = client.ask("Who is chair of Fenwick Mill?", explain=True)
        assert answer.values == ("Ada Quill",)
        assert answer.known
        assert answer.steps
        assert answer.citations[0].recorded.start == datetime(2020, 1, 1, tzinfo=UTC)
        parts = [part.WhichOneof("part") for part in client.ask_stream("Who is chair of Fenwick Mill?")]
        assert parts[0] == "start"
        assert parts[-1] == "final"
        facts = client.facts(entity="Fenwick Mill")
        assert {str(fact.valid) for fact in facts} == {"2019-03 ..", "2001 .."}
        assert client.entity("fenwick mill").type == "organisation"
        assert len(client.history(entity="Fenwick Mill")) == 2
        assert client.explain(facts[0].fact_id).evidence
        assert client.timeline(entity="Fenwick Mill").dated
        assert client.retrieve("chair of Fenwick Mill")[0].kind == "fact"
        assert client.status().graph == GRAPH
        assert client.dead_letters() == []


def test_a_list_is_read_page_by_page_to_its_end(target: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with SyncClient(target) as client:
        whole = client.facts(entity="Fenwick Mill")
        monkeypatch.setattr("tidegraph.client.calls.PAGE_SIZE", 1)
        assert client.facts(entity="Fenwick Mill") == whole
        assert len(whole) == 2


def test_errors_are_typed_and_say_whether_to_try_again(target: str) -> None:
    with SyncClient(target) as client, pytest.raises(ApiError) as caught:
        client.entity("Nobody at all")
    assert caught.value.code is grpc.StatusCode.NOT_FOUND
    assert caught.value.reason == "ENTITY_NOT_FOUND"
    assert caught.value.metadata["entity"] == "Nobody at all"
    assert not caught.value.retryable
    assert str(caught.value).startswith("ENTITY_NOT_FOUND: ")


def test_a_server_that_is_away_is_retryable() -> None:
    with SyncClient("127.0.0.1:9") as client, pytest.raises(ApiError) as caught:
        client.status()
    assert caught.value.retryable
    assert caught.value.reason == ""


def test_times_are_given_as_text_or_as_aware_datetimes() -> None:
    message = as_of(Options(valid="2024-Q1", known=datetime(2024, 5, 6, tzinfo=UTC)))
    assert message.valid_text == "2024-Q1"
    assert message.known_at.ToJsonString() == "2024-05-06T00:00:00Z"
    with pytest.raises(ValueError, match="time zone"):
        as_of(Options(valid=datetime(2024, 5, 6)))  # noqa: DTZ001 (a naive one is the point)


@pytest.mark.parametrize("name", ["hoped", "unspecified"])
def test_a_status_that_there_is_not_is_refused_by_name(name: str) -> None:
    with pytest.raises(ValueError, match="asserted, planned, denied, reported, ceased"):
        claim_statuses(Options(statuses=(name,)))
