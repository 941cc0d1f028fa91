"""The connection to FalkorDB: one pool, constant queries with parameters, errors by what to do.

``hiredis`` is required: parsing replies in Python costs most of a client's time otherwise.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Awaitable, Mapping
from typing import Any, Final, cast

import hiredis  # noqa: F401  (redis-py uses it when present; an import error says so at start)
import redis.asyncio as redis
from redis import exceptions
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff

from tidegraph.domain.errors import Bug, NotFound, Retryable, TidegraphError
from tidegraph.domain.graphs import check_graph_name, is_graph_name
from tidegraph.storage import codec
from tidegraph.storage.lanes import Lanes, packed

_CREDENTIALS: Final = re.compile(r"(?<=://)[^/]*@")
_BUSY_CODES: Final = (
    "BUSY",
    "CLUSTERDOWN",
    "LOADING",
    "MASTERDOWN",
    "MISCONF",
    "NOREPLICAS",
    "OOM",
    "READONLY",
    "TRYAGAIN",
    "max number of clients reached",
    "Max pending queries exceeded",
    "Query timed out",
    "Query's mem consumption exceeded capacity",
    "Invalid arguments for procedure 'db.idx.vector.queryNodes'",  # its index is being built after a start
)
"""How errors begin that pass by themselves. Only the beginning counts: a message may quote a document."""
_AWAY: Final = (exceptions.ConnectionError, exceptions.TimeoutError, OSError, EOFError, TimeoutError)
_PASSING: Final = (exceptions.ReadOnlyError, exceptions.OutOfMemoryError, exceptions.TryAgainError)
_EMPTY: Final = "Invalid graph operation on empty key"
_REFUSED: Final = "the store refused a query: "
_TIMEOUT_REFUSED: Final = "The query TIMEOUT parameter value cannot exceed"
WRITE_FACTOR: Final = 6
"""How many times longer than a read a write may take."""
_MAX_CONNECTIONS: Final = 16


def shown_url(url: str) -> str:
    """A store's address as it may be printed: without user, password and options."""
    return _CREDENTIALS.sub("", url).partition("?")[0]


def translate(error: Exception) -> TidegraphError:
    """The domain error for an exception of the redis client."""
    text = str(error)
    if isinstance(error, _AWAY):
        return Retryable("STORE_UNAVAILABLE", f"the store does not answer: {text[:300]}")
    if text.startswith(_EMPTY):
        return NotFound("GRAPH_NOT_FOUND", "no such graph; ingest a document into it first")
    if isinstance(error, _PASSING) or text.startswith(_BUSY_CODES):
        return Retryable("STORE_BUSY", f"the store cannot take this now: {text[:300]}")
    return Bug("QUERY_FAILED", f"{_REFUSED}{text[:300]}")


class Connection:
    """Queries against the graphs of one FalkorDB server.

    Args:
        url: ``redis://``, ``rediss://`` or ``unix://``.
        graph_prefix: put before every graph name; the rest of the key space is not touched.
        query_timeout_ms: how long the server may work on one read. A lower bound of the server holds.
    """

    def __init__(self, url: str, graph_prefix: str, query_timeout_ms: int) -> None:
        self.prefix = graph_prefix
        self._timeout_ms = query_timeout_ms
        self._may_set_timeout = True
        self.redis = redis.Redis(connection_pool=_pool(url, query_timeout_ms, is_text=False))
        pool = _pool(url, query_timeout_ms, is_text=True)
        self._graphs = redis.Redis(connection_pool=pool)
        self._lanes = Lanes(
            lambda: pool.connection_class(**pool.connection_kwargs), _patience_seconds(query_timeout_ms)
        )
        self.round_trips = 0
        """Commands sent; reads that were asked for at one moment went out together."""

    def under(self, prefix: str) -> Connection:
        """The same connections under another prefix; they are closed with this one."""
        other = copy.copy(self)
        other.prefix = prefix
        return other

    def key(self, graph: str) -> str:
        """The redis key of a graph."""
        return self.prefix + check_graph_name(graph)

    async def read(
        self, graph: str, query: str, values: Mapping[str, codec.Value] | None = None
    ) -> list[list[Any]]:
        """Rows of a read-only query, bounded by the query time-out."""
        return codec.decode_rows(await self._read(graph, query, values or {}, b"--compact"))

    async def read_plain(
        self, graph: str, query: str, values: Mapping[str, codec.Value] | None = None
    ) -> list[list[Any]]:
        """The same for a query that returns texts, integers and nulls alone: a third of the work on both
        sides. A float comes as its text, a boolean as ``true`` or ``false``.
        """
        return codec.plain_rows(await self._read(graph, query, values or {}))

    async def _read(
        self, graph: str, query: str, values: Mapping[str, codec.Value], *options: bytes
    ) -> list[Any]:
        text = codec.query_bytes(codec.parameters(values) + query)
        command = (b"GRAPH.RO_QUERY", self.key(graph).encode(), text, *options)
        if self._may_set_timeout:
            try:
                return await self._asked(*command, b"TIMEOUT", b"%d" % self._timeout_ms)
            except Bug as error:
                self._drop_timeout(error)
        return await self._asked(*command)

    async def _asked(self, *command: bytes) -> list[Any]:
        self.round_trips += 1
        try:
            reply: list[Any] = await self._lanes.ask(packed(*command))
        except (exceptions.RedisError, *_AWAY) as error:
            raise translate(error) from error
        return reply

    async def write(
        self, graph: str, query: str, values: Mapping[str, codec.Value] | None = None
    ) -> list[list[Any]]:
        """Rows of a query that writes: one statement, applied whole or not at all.

        It may take longer than a read: a commit that is cut off would have to be done again.
        """
        text = codec.query_bytes(codec.parameters(values or {}) + query)
        arguments = ("GRAPH.QUERY", self.key(graph), text, "--compact")
        if self._may_set_timeout:
            try:
                timeout_ms = WRITE_FACTOR * self._timeout_ms
                return codec.decode_rows(await self._sent(self._graphs, *arguments, "TIMEOUT", timeout_ms))
            except Bug as error:
                self._drop_timeout(error)
        return codec.decode_rows(await self._sent(self._graphs, *arguments))

    def _drop_timeout(self, error: Bug) -> None:
        """After a refusal of our bound: the operator has set a lower one, and theirs holds."""
        if not str(error.args[0]).startswith(_REFUSED + _TIMEOUT_REFUSED):
            raise error
        self._may_set_timeout = False

    async def command(self, *arguments: Any) -> Any:
        """A redis command, replied to in bytes; its failure as a domain error."""
        return await self._sent(self.redis, *arguments)

    async def _sent(self, client: Any, *arguments: Any) -> Any:
        self.round_trips += 1
        try:
            return await client.execute_command(*arguments)
        except (exceptions.RedisError, *_AWAY) as error:
            raise translate(error) from error

    async def run(self, reply: Awaitable[Any] | Any) -> Any:
        """The reply of a client method; its failure as a domain error."""
        self.round_trips += 1
        try:
            return await reply if isinstance(reply, Awaitable) else reply
        except (exceptions.RedisError, *_AWAY) as error:
            raise translate(error) from error

    async def graphs(self) -> list[str]:
        """Names of the graphs under the prefix, sorted."""
        names = await self.command("GRAPH.LIST")
        keys = [name.decode() if isinstance(name, bytes) else str(name) for name in names]
        found = [key[len(self.prefix) :] for key in keys if key.startswith(self.prefix)]
        return sorted(name for name in found if is_graph_name(name))

    async def close(self) -> None:
        """Give all connections back."""
        await self._lanes.close()
        for client in (self.redis, self._graphs):
            await cast(Any, client).aclose()
            await client.connection_pool.disconnect()


def _patience_seconds(query_timeout_ms: int) -> float:
    """How long a reply is waited for before the connection is given up."""
    return WRITE_FACTOR * query_timeout_ms / 1000 + 5


def _pool(url: str, query_timeout_ms: int, *, is_text: bool) -> Any:
    """Connections whose replies are bytes, or text: rows hold so much text that C has to decode it."""
    return redis.BlockingConnectionPool.from_url(
        url,
        max_connections=_MAX_CONNECTIONS,
        timeout=query_timeout_ms / 1000 + 5,
        socket_connect_timeout=5,
        socket_timeout=_patience_seconds(query_timeout_ms),
        # Whoever calls decides whether to try again: a write must not be sent twice behind its back.
        retry=Retry(NoBackoff(), 0),
        protocol=2,
        decode_responses=is_text,
    )
