"""The StatusStore on redis: where each document is, dead letters, and the applied watermark.

Status lines of one document come from stages that run in parallel, at least once and in any order; what
is kept is a function of the lines, not of their order: the line of the farthest stage wins, an outcome
wins over none, and of two outcomes the later one. One Lua script folds a line, so that two folders at
once do no harm.

Keys, all under the graph prefix: ``status:line:<position>`` the line, ``status:documents:<graph>:<id>``
positions of a document, ``status:open:<graph>`` positions without an outcome by recorded time,
``status:dead:<graph>`` dead letters by time, ``status:outcomes:<graph>`` counts, ``status:read:<graph>``
how far the ground stage has read, ``status:certificates`` certificates of erasures.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import orjson

from tidegraph.domain.documents import Position
from tidegraph.domain.interval import OPEN_START
from tidegraph.ports import DocumentStatus
from tidegraph.storage.connection import Connection

STAGES: Final = ("", "ground", "extract", "resolve", "write", "track")
OUTCOMES: Final = ("committed", "dead_letter", "retracted")
MAX_LISTED: Final = 10_000

_FOLD: Final = """
local old = redis.call('GET', KEYS[1])
local function rank(line)
  local final = line.outcome ~= '' and 1 or 0
  return {final, final == 1 and line.updated_at or line.rank, line.rank, line.updated_at, line.cause}
end
local function less(a, b)
  for i = 1, #a do
    if a[i] < b[i] then return true end
    if b[i] < a[i] then return false end
  end
  return false
end
local new = cjson.decode(ARGV[1])
local position = ARGV[2]
if old then
  local kept = cjson.decode(old)
  if not less(rank(kept), rank(new)) then return 0 end
  if kept.outcome ~= '' then redis.call('HINCRBY', KEYS[5], kept.outcome, -1) end
end
redis.call('SET', KEYS[1], ARGV[1])
redis.call('SADD', KEYS[2], position)
local seconds = tonumber(ARGV[5])
if seconds > 0 then
  if new.outcome == '' then
    redis.call('PERSIST', KEYS[2])
  else
    redis.call('EXPIRE', KEYS[1], seconds)
    redis.call('EXPIRE', KEYS[2], seconds)
  end
end
if new.outcome == '' then
  redis.call('ZADD', KEYS[3], ARGV[3], position)
else
  redis.call('ZREM', KEYS[3], position)
  redis.call('HINCRBY', KEYS[5], new.outcome, 1)
end
if new.outcome == 'dead_letter' then
  redis.call('ZADD', KEYS[4], ARGV[4], position)
  if seconds > 0 then
    redis.call('ZREMRANGEBYSCORE', KEYS[4], '-inf', string.format('%.0f', ARGV[4] - seconds * 1000000))
  end
else
  redis.call('ZREM', KEYS[4], position)
end
return 1
"""
_ADVANCE: Final = """
local old = redis.call('GET', KEYS[1])
if old and tonumber(old) >= tonumber(ARGV[1]) then return 0 end
redis.call('SET', KEYS[1], ARGV[1])
return 1
"""


def position_text(position: Position) -> str:
    """A position as one text: life of the log, topic, partition, offset."""
    return f"{position.incarnation}/{position.topic}/{position.partition}/{position.offset}"


class RedisStatusStore:
    """``ports.StatusStore`` beside the graphs, on the same server."""

    def __init__(self, connection: Connection, keep_days: int = 0) -> None:
        """``keep_days``: how long a line is kept after its outcome; 0 for good. Counts stay."""
        self._connection = connection
        self._keep_seconds = keep_days * 86_400

    async def put(self, statuses: Sequence[DocumentStatus]) -> None:
        """Fold status lines; a repeated or overtaken line changes nothing."""
        if not statuses:
            return
        pipe = self._connection.redis.pipeline(transaction=False)
        for status in statuses:
            position = position_text(status.position)
            keys = (
                self._key("line", position),
                self._key("documents", status.graph, status.document_id),
                self._key("open", status.graph),
                self._key("dead", status.graph),
                self._key("outcomes", status.graph),
            )
            pipe.eval(
                _FOLD, len(keys), *keys, _encode(status), position, status.recorded_at, status.updated_at,
                self._keep_seconds,
            )  # fmt: skip
        await self._connection.run(pipe.execute())

    async def get(self, positions: Sequence[Position]) -> list[DocumentStatus]:
        """The lines of the positions that are known, in the order asked for."""
        return await self._lines([position_text(position) for position in positions])

    async def by_document(self, graph: str, document_id: str) -> list[DocumentStatus]:
        """Every submission of a document, by recorded time."""
        members = await self._connection.command("SMEMBERS", self._key("documents", graph, document_id))
        return sorted(await self._lines([_text(member) for member in members]), key=_order)

    async def dead_letters(self, graph: str, limit: int) -> list[DocumentStatus]:
        """Dead letters of the graph, the newest first."""
        if limit <= 0:
            return []
        last = min(limit, MAX_LISTED) - 1
        return await self._lines(
            [
                _text(member)
                for member in await self._connection.command("ZREVRANGE", self._key("dead", graph), 0, last)
            ]
        )

    async def summary(self, graph: str) -> Mapping[str, int]:
        """Number of documents by outcome, and ``in_progress``."""
        pipe = self._connection.redis.pipeline(transaction=False)
        pipe.hmget(self._key("outcomes", graph), list(OUTCOMES))
        pipe.zcard(self._key("open", graph))
        counts, in_progress = await self._connection.run(pipe.execute())
        found = {name: int(count or 0) for name, count in zip(OUTCOMES, counts, strict=True)}
        return found | {"in_progress": int(in_progress)}

    async def in_progress(self, graph: str) -> list[DocumentStatus]:
        """Lines without an outcome, the oldest first, at most ``MAX_LISTED``."""
        found = await self._connection.command("ZRANGE", self._key("open", graph), 0, MAX_LISTED - 1)
        return await self._lines([_text(member) for member in found])

    async def erase(self, graph: str, document_id: str, until: int) -> int:
        """Forget the lines of a document that were recorded up to an instant; how many there were."""
        found = [line for line in await self.by_document(graph, document_id) if line.recorded_at <= until]
        return await self.forget([line.position for line in found])

    async def forget(self, positions: Sequence[Position]) -> int:
        """Forget the lines of the positions; how many there were."""
        found = await self.get(positions)
        pipe = self._connection.redis.pipeline(transaction=True)
        for line in found:
            position = position_text(line.position)
            pipe.delete(self._key("line", position))
            pipe.srem(self._key("documents", line.graph, line.document_id), position)
            pipe.zrem(self._key("open", line.graph), position)
            pipe.zrem(self._key("dead", line.graph), position)
            if line.outcome:
                pipe.hincrby(self._key("outcomes", line.graph), line.outcome, -1)
        if found:
            await self._connection.run(pipe.execute())
        return len(found)

    async def keep_certificate(self, position: Position, text: str) -> None:
        """Keep the certificate of an erasure under the position of its decision; without an end."""
        await self._connection.command("HSET", self._key("certificates"), position_text(position), text)

    async def certificate(self, position: Position) -> str:
        """The certificate of an erasure, or ""."""
        found = await self._connection.command("HGET", self._key("certificates"), position_text(position))
        return _text(found) if found else ""

    async def advance(self, graph: str, ground_read_to: int) -> None:
        """How far (recorded stamp) the ground stage has read for this graph; never back."""
        await self._connection.command("EVAL", _ADVANCE, 1, self._key("read", graph), ground_read_to)

    async def watermark(self, graph: str) -> int:
        """The last instant up to which nothing can be added any more.

        How far ground has read, held just below the oldest accepted document without an outcome: that
        document will be seen at its own stamp.
        """
        pipe = self._connection.redis.pipeline(transaction=False)
        pipe.zrange(self._key("open", graph), 0, 0, withscores=True)
        pipe.get(self._key("read", graph))
        oldest, read_to = await self._connection.run(pipe.execute())
        if read_to is None:
            return OPEN_START
        return min(int(read_to), int(oldest[0][1]) - 1) if oldest else int(read_to)

    async def _lines(self, positions: Sequence[str]) -> list[DocumentStatus]:
        if not positions:
            return []
        keys = [self._key("line", position) for position in positions]
        return [
            _decode(value) for value in await self._connection.command("MGET", *keys) if value is not None
        ]

    def _key(self, kind: str, *parts: str) -> str:
        return ":".join((f"{self._connection.prefix}status:{kind}", *parts))


def _encode(status: DocumentStatus) -> bytes:
    position = status.position
    return orjson.dumps(
        {
            # Lua holds numbers as float64: stamps lie below 2^53, where that is exact.
            "rank": STAGES.index(status.stage) if status.stage in STAGES else 0,
            "topic": position.topic,
            "partition": position.partition,
            "offset": position.offset,
            "incarnation": position.incarnation,
            "graph": status.graph,
            "document_id": status.document_id,
            "revision": status.revision,
            "stage": status.stage,
            "outcome": status.outcome,
            "cause": status.cause,
            "recorded_at": status.recorded_at,
            "updated_at": status.updated_at,
        }
    )


def _decode(value: bytes) -> DocumentStatus:
    row: dict[str, Any] = orjson.loads(value)
    return DocumentStatus(
        position=Position(row["topic"], row["partition"], row["offset"], row["incarnation"]),
        graph=row["graph"],
        document_id=row["document_id"],
        revision=row["revision"],
        stage=row["stage"],
        outcome=row["outcome"],
        cause=row["cause"],
        recorded_at=row["recorded_at"],
        updated_at=row["updated_at"],
    )


def _text(value: bytes | str) -> str:
    return value.decode() if isinstance(value, bytes) else value


def _order(status: DocumentStatus) -> tuple[int, str]:
    return status.recorded_at, position_text(status.position)
