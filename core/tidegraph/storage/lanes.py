"""Reads on few connections: those that are asked for at the same moment go out in one write.

The client library spends half a millisecond of processor time on a command, most of it around the sending.
A question needs some twenty reads. Here it makes the connection (address, TLS, login), and its transport is
then driven directly: commands are written in a row, replies come back in the same order. Only reads go
this way: whoever gives up waiting leaves a reply behind that is thrown away when it comes.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Coroutine
from typing import Any, Final

import hiredis
from redis import exceptions

LANES_MAX: Final = 16
SPREAD: Final = 4
"""Lanes that the reads of one moment are spread over: the server works off a connection one by one."""
_NOTHING: Final = object()

Entry = tuple[bytes, "asyncio.Future[Any]"]


def packed(*arguments: bytes) -> bytes:
    """A command as it goes on the wire."""
    parts = [b"$%d\r\n%b\r\n" % (len(argument), argument) for argument in arguments]
    return b"*%d\r\n%b" % (len(arguments), b"".join(parts))


class Lane(asyncio.Protocol):
    """One connection: commands in, replies out in the same order.

    Args:
        made: a connection of the client library, connected.
        timeout: seconds without a reply after which the connection is given up.
    """

    def __init__(self, made: Any, timeout: float, lost: Callable[[Lane], None]) -> None:
        self._made = made
        self._timeout = timeout
        self._lost = lost
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[asyncio.Future[Any]] = deque()
        self._reader = hiredis.Reader(
            protocolError=exceptions.InvalidResponse,
            replyError=made._parser.parse_error,
            encoding="utf-8",
            notEnoughData=_NOTHING,
        )
        self._timer: asyncio.TimerHandle | None = None
        self._heard = 0.0
        self._transport: asyncio.Transport = made._writer.transport
        self._before = self._transport.get_protocol()
        self._transport.set_protocol(self)

    @property
    def outstanding(self) -> int:
        return len(self._waiting)

    def send(self, entries: list[Entry]) -> None:
        """Write commands in a row."""
        if not self._waiting:
            self._heard = self._loop.time()
            if self._timer is None:
                self._timer = self._loop.call_later(self._timeout, self._check)
        self._waiting.extend(future for _, future in entries)
        self._transport.write(b"".join([command for command, _ in entries]))

    def data_received(self, data: bytes) -> None:
        try:
            self._reader.feed(data)
            while (reply := self._reader.gets()) is not _NOTHING:
                self._answer(reply)
        except Exception as error:
            self._fail(exceptions.ConnectionError(f"a reply that cannot be read: {error}"))
            self._transport.abort()
        self._heard = self._loop.time()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._lost(self)
        self._fail(exceptions.ConnectionError(f"the connection was lost: {exc or 'closed by the server'}"))
        self._before.connection_lost(exc)

    async def close(self) -> None:
        self._transport.abort()
        await self._made.disconnect()

    def _answer(self, reply: Any) -> None:
        future = self._waiting.popleft()
        if future.done():  # nobody waits for it any more
            return
        if isinstance(reply, Exception):
            future.set_exception(reply)
        else:
            future.set_result(reply)

    def _check(self) -> None:
        self._timer = None
        if not self._waiting:
            return
        left = self._heard + self._timeout - self._loop.time()
        if left > 0:
            self._timer = self._loop.call_later(left, self._check)
        else:
            self._fail(exceptions.TimeoutError("no reply in time"))
            self._transport.abort()

    def _fail(self, error: Exception) -> None:
        while self._waiting:
            future = self._waiting.popleft()
            if not future.done():
                future.set_exception(error)


class Lanes:
    """Connections that are opened as they are needed, and what waits for one.

    Args:
        make: a connection of the client library, not yet connected.
        timeout: seconds without a reply after which a connection is given up.
    """

    def __init__(self, make: Callable[[], Any], timeout: float) -> None:
        self._make = make
        self._timeout = timeout
        self._lanes: list[Lane] = []
        self._queue: list[Entry] = []
        self._flushing = False
        self._opening: set[asyncio.Task[None]] = set()
        self._loop: asyncio.AbstractEventLoop | None = None

    async def ask(self, command: bytes) -> Any:
        """The reply to a packed command; an error of the server or the connection is raised."""
        loop = asyncio.get_running_loop()
        if loop is not self._loop:  # connections of another loop cannot be used, nor closed
            self._loop, self._lanes, self._queue, self._opening = loop, [], [], set()
            self._flushing = False
        future: asyncio.Future[Any] = loop.create_future()
        self._queue.append((command, future))
        if not self._flushing:
            self._flushing = True
            loop.call_soon(self._flush)
        return await future

    async def close(self) -> None:
        """Give all connections back."""
        if self._loop is not asyncio.get_running_loop():
            return
        for task in self._opening:
            task.cancel()
        for lane in list(self._lanes):
            await lane.close()

    def _flush(self) -> None:
        self._flushing = False
        waiting = [entry for entry in self._queue if not entry[1].done()]
        wanted = min(SPREAD, len(waiting))
        idle = [lane for lane in self._lanes if not lane.outstanding]
        if len(idle) < wanted and len(self._lanes) + len(self._opening) < LANES_MAX:
            self._start(self._open())
        chosen = idle[:wanted]
        if not chosen and self._lanes and not self._opening:
            chosen = [min(self._lanes, key=lambda lane: lane.outstanding)]
        if not chosen:
            self._queue = waiting  # until a connection is there
            return
        self._queue = []
        for place, lane in enumerate(chosen):
            lane.send(waiting[place :: len(chosen)])

    def _start(self, opening: Coroutine[Any, Any, None]) -> None:
        task = asyncio.ensure_future(opening)
        self._opening.add(task)

        def opened(task: asyncio.Task[None]) -> None:
            self._opening.discard(task)
            self._flush()

        task.add_done_callback(opened)

    async def _open(self) -> None:
        made = self._make()
        try:
            await made.connect()
        except Exception as error:
            await made.disconnect()
            if not self._lanes:
                entries, self._queue = self._queue, []
                for _, future in entries:
                    if not future.done():
                        future.set_exception(error)
            return
        self._lanes.append(Lane(made, self._timeout, self._forget))

    def _forget(self, lane: Lane) -> None:
        if lane in self._lanes:
            self._lanes.remove(lane)
