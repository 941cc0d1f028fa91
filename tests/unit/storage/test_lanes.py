"""Reads that go out together: replies in order, and what happens when one side goes away."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import hiredis
import pytest
import redis.asyncio as redis
from redis import exceptions

from tidegraph.embedded.network import free_port
from tidegraph.storage.lanes import LANES_MAX, Lanes, packed


class Server:
    """Speaks the protocol: every command is answered with what ``answer`` makes of its last argument."""

    def __init__(self) -> None:
        self.answer: Callable[[str], bytes | None] = lambda text: (
            b"$%d\r\n%b\r\n"
            % (
                len(text.encode()),
                text.encode(),
            )
        )
        self.received: list[list[str]] = []
        """What came in at once, by reads of the server."""
        self.heard = 0
        self.came = asyncio.Condition()
        self.connections = 0
        self.writers: list[asyncio.StreamWriter] = []
        self.port = free_port()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        self.writers.append(writer)
        parser = hiredis.Reader(encoding="utf-8")
        while data := await reader.read(1 << 16):
            parser.feed(data)
            batch: list[str] = []
            while (command := parser.gets()) is not False:
                if command[0] == "CLIENT":  # the client library says who it is
                    writer.write(b"+OK\r\n")
                else:
                    batch.append(command[-1])
            if batch:
                await self._took(batch)
            for text in batch:
                reply = self.answer(text)
                if reply is not None:
                    writer.write(reply)
        writer.close()

    async def _took(self, batch: list[str]) -> None:
        self.received.append(batch)
        async with self.came:
            self.heard += len(batch)
            self.came.notify_all()

    async def hears(self, count: int) -> None:
        """Wait until so many commands have come."""
        async with self.came:
            await self.came.wait_for(lambda: self.heard >= count)


@pytest.fixture
async def server() -> AsyncIterator[Server]:
    made = Server()
    listening = await asyncio.start_server(made.serve, "127.0.0.1", made.port)
    yield made
    listening.close()
    for writer in made.writers:
        writer.close()


@pytest.fixture
async def lanes(server: Server) -> AsyncIterator[Lanes]:
    made = _lanes(server.port, 5.0)
    yield made
    await made.close()


def _lanes(port: int, timeout: float) -> Lanes:
    pool = redis.ConnectionPool.from_url(
        f"redis://127.0.0.1:{port}", protocol=2, decode_responses=True, socket_connect_timeout=2
    )
    return Lanes(lambda: pool.connection_class(**pool.connection_kwargs), timeout)


def _read(text: str) -> bytes:
    return packed(b"GET", text.encode())


async def test_a_reply_of_any_text_comes_back(lanes: Lanes) -> None:
    for text in ("", "a\r\nb", "漢 \U0001f600", "x" * 300_000):
        assert await lanes.ask(_read(text)) == text


async def test_reads_of_one_moment_go_out_together_and_keep_their_replies(
    lanes: Lanes, server: Server
) -> None:
    await lanes.ask(_read("first"))
    await asyncio.gather(*(lanes.ask(_read(f"warm{n}")) for n in range(2)))
    server.received.clear()
    asked = [f"q{n}" for n in range(40)]
    assert await asyncio.gather(*(lanes.ask(_read(text)) for text in asked)) == asked
    assert len(server.received) <= 4
    assert server.connections <= 4


async def test_who_gives_up_does_not_take_the_reply_of_the_next(lanes: Lanes, server: Server) -> None:
    answer = server.answer
    server.answer = lambda text: None if text == "slow" else answer(text)
    slow = asyncio.create_task(lanes.ask(_read("slow")))
    await server.hears(1)
    slow.cancel()
    after = [asyncio.create_task(lanes.ask(_read(f"n{n}"))) for n in range(3)]
    await server.hears(4)
    server.writers[0].write(b"$4\r\nslow\r\n")
    assert await asyncio.gather(*after) == ["n0", "n1", "n2"]


async def test_an_error_of_one_read_is_that_of_no_other(lanes: Lanes, server: Server) -> None:
    answer = server.answer
    server.answer = lambda text: b"-OOM no more\r\n" if text == "bad" else answer(text)
    found = await asyncio.gather(*(lanes.ask(_read(t)) for t in ("a", "bad", "b")), return_exceptions=True)
    assert found[0::2] == ["a", "b"]
    assert isinstance(found[1], exceptions.OutOfMemoryError)


async def test_a_lost_connection_fails_what_waits_and_is_opened_anew(lanes: Lanes, server: Server) -> None:
    answer, server.answer = server.answer, lambda text: None
    waiting = asyncio.create_task(lanes.ask(_read("a")))
    await server.hears(1)
    server.writers[0].close()
    with pytest.raises(exceptions.ConnectionError):
        await waiting
    server.answer = answer
    assert await lanes.ask(_read("again")) == "again"


async def test_a_server_that_never_answers_is_given_up(server: Server) -> None:
    lanes = _lanes(server.port, 0.05)
    server.answer = lambda text: None
    with pytest.raises(exceptions.TimeoutError):
        await lanes.ask(_read("a"))
    await lanes.close()


async def test_what_is_no_reply_ends_the_connection(lanes: Lanes, server: Server) -> None:
    server.answer = lambda text: b"!nonsense\r\n"
    with pytest.raises(exceptions.ConnectionError):
        await lanes.ask(_read("a"))


async def test_no_server_is_an_error_for_all_that_wait() -> None:
    lanes = _lanes(free_port(), 1.0)
    found = await asyncio.gather(*(lanes.ask(_read("a")) for _ in range(5)), return_exceptions=True)
    assert {type(error) for error in found} == {exceptions.ConnectionError}
    await lanes.close()


async def test_there_are_never_more_connections_than_allowed(lanes: Lanes, server: Server) -> None:
    server.answer = lambda text: None
    asked: list[asyncio.Task[Any]] = []
    for n in range(4 * LANES_MAX):
        asked.append(asyncio.create_task(lanes.ask(_read(f"n{n}"))))
        if n < LANES_MAX:
            await server.hears(n + 1)
    await server.hears(len(asked))
    assert server.connections == LANES_MAX
    for task in asked:
        task.cancel()


async def test_one_may_be_used_in_one_loop_after_another(server: Server, lanes: Lanes) -> None:
    other = _lanes(server.port, 5.0)

    def elsewhere() -> str:
        async def ask() -> str:
            text: str = await other.ask(_read("there"))
            return text

        return asyncio.run(ask())

    assert await asyncio.to_thread(elsewhere) == "there"
    assert await other.ask(_read("here")) == "here"
    await other.close()
