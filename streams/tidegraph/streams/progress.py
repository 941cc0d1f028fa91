"""What the stages have to remember beside the graphs: stamps, read marks, parts done.

It lives in the same server as the graphs, under the same prefix; everything in it can be lost without
losing a document, only then a clock that had stepped back is not remembered.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Protocol

import redis.asyncio as redis
from redis import exceptions

from tidegraph.domain.errors import Retryable
from tidegraph.log.status import StatusRecord
from tidegraph.streams.stamps import PartitionStamps

_KEEP_PARTS_SECONDS: Final = 30 * 86_400


@dataclass(frozen=True, slots=True)
class ReadMark:
    """How far a partition was read in a life of its topic, and how many partitions the topic had."""

    life: str
    read_to: int
    partitions: int


class ProgressStore(Protocol):
    """Small facts that outlive a worker.

    Raises:
        Retryable: the store is away.
    """

    async def load(self, partition: str) -> PartitionStamps:
        """The stamps of one partition in one life of a topic."""
        ...

    async def save(self, partition: str, stamps: PartitionStamps) -> None: ...

    async def mark_read(self, marks: Sequence[StatusRecord]) -> None:
        """Keep how far partitions were read; a mark of an older value never replaces a newer one."""
        ...

    async def read_marks(self) -> Mapping[tuple[str, int], ReadMark]:
        """How far each partition of the present life was read, by topic and number; microseconds."""
        ...

    async def part_done(self, position: str, part: int) -> int:
        """Note a committed part of a document; how many different ones are done."""
        ...

    async def add_graphs(self, graphs: Sequence[str]) -> None: ...

    async def graphs(self) -> Sequence[str]: ...

    async def published(self, graph: str) -> int:
        """The commit sequence up to which changes of a graph are on the ``changes`` topic, or -1."""
        ...

    async def set_published(self, graph: str, sequence: int) -> None: ...

    async def finished(self, reader: str, life: str) -> int:
        """The last offset that a reader of a partition has finished in a life of its topic, or -1."""
        ...

    async def finish(self, reader: str, life: str, offset: int) -> None:
        """Keep it; what was finished in an earlier life is forgotten."""
        ...


class MemoryProgress:
    """Progress in memory, for a log in memory and for tests."""

    def __init__(self) -> None:
        self._stamps: dict[str, str] = {}
        self._marks: dict[tuple[str, int], ReadMark] = {}
        self._parts: dict[str, set[int]] = {}
        self._graphs: set[str] = set()
        self._published: dict[str, int] = {}
        self._finished: dict[str, tuple[str, int]] = {}

    async def load(self, partition: str) -> PartitionStamps:
        """As the port says."""
        text = self._stamps.get(partition)
        return PartitionStamps.load(text) if text else PartitionStamps()

    async def save(self, partition: str, stamps: PartitionStamps) -> None:
        """As the port says."""
        self._stamps[partition] = stamps.dump()

    async def mark_read(self, marks: Sequence[StatusRecord]) -> None:
        """As the port says."""
        for mark in marks:
            at = mark.position.topic, mark.position.partition
            self._marks[at] = _newer(self._marks.get(at), mark)

    async def read_marks(self) -> Mapping[tuple[str, int], ReadMark]:
        """As the port says."""
        return dict(self._marks)

    async def part_done(self, position: str, part: int) -> int:
        """As the port says."""
        done = self._parts.setdefault(position, set())
        done.add(part)
        return len(done)

    async def add_graphs(self, graphs: Sequence[str]) -> None:
        """As the port says."""
        self._graphs.update(graphs)

    async def graphs(self) -> Sequence[str]:
        """As the port says."""
        return sorted(self._graphs)

    async def published(self, graph: str) -> int:
        """As the port says."""
        return self._published.get(graph, -1)

    async def set_published(self, graph: str, sequence: int) -> None:
        """As the port says."""
        self._published[graph] = sequence

    async def finished(self, reader: str, life: str) -> int:
        """As the port says."""
        known, offset = self._finished.get(reader, ("", -1))
        return offset if known == life else -1

    async def finish(self, reader: str, life: str, offset: int) -> None:
        """As the port says."""
        self._finished[reader] = (life, offset)


class RedisProgress:
    """Progress in the store's redis, under ``<graph prefix>stream:``."""

    def __init__(self, url: str, prefix: str) -> None:
        self._client = redis.Redis.from_url(url, decode_responses=True, socket_connect_timeout=5.0)
        self._prefix = f"{prefix}stream:"

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    async def load(self, partition: str) -> PartitionStamps:
        """As the port says."""
        text = await self._call(self._client.hget(self._prefix + "stamps", partition))
        return PartitionStamps.load(text) if text else PartitionStamps()

    async def save(self, partition: str, stamps: PartitionStamps) -> None:
        """As the port says."""
        await self._call(self._client.hset(self._prefix + "stamps", partition, stamps.dump()))

    async def mark_read(self, marks: Sequence[StatusRecord]) -> None:
        """As the port says; one worker at a time folds a partition's marks."""
        known = await self.read_marks()
        newer: dict[tuple[str, int], ReadMark] = {}
        for mark in marks:
            at = mark.position.topic, mark.position.partition
            newer[at] = _newer(newer.get(at) or known.get(at), mark)
        if newer:
            fields = {
                f"{topic}/{partition}": f"{mark.life} {mark.read_to} {mark.partitions}"
                for (topic, partition), mark in newer.items()
            }
            await self._call(self._client.hset(self._prefix + "marks", mapping=fields))

    async def read_marks(self) -> Mapping[tuple[str, int], ReadMark]:
        """As the port says."""
        fields = await self._call(self._client.hgetall(self._prefix + "marks"))
        marks: dict[tuple[str, int], ReadMark] = {}
        for name, value in fields.items():
            topic, _, partition = name.rpartition("/")
            life, read_to, partitions = value.rsplit(" ", 2)
            marks[topic, int(partition)] = ReadMark(life, int(read_to), int(partitions))
        return marks

    async def part_done(self, position: str, part: int) -> int:
        """As the port says."""
        key = f"{self._prefix}parts:{position}"
        async with self._client.pipeline(transaction=False) as pipeline:
            pipeline.sadd(key, part)
            pipeline.expire(key, _KEEP_PARTS_SECONDS)
            pipeline.scard(key)
            return int((await self._call(pipeline.execute()))[2])

    async def add_graphs(self, graphs: Sequence[str]) -> None:
        """As the port says."""
        if graphs:
            await self._call(self._client.sadd(self._prefix + "graphs", *graphs))

    async def graphs(self) -> Sequence[str]:
        """As the port says."""
        return sorted(await self._call(self._client.smembers(self._prefix + "graphs")))

    async def published(self, graph: str) -> int:
        """As the port says."""
        return int(await self._call(self._client.hget(self._prefix + "published", graph)) or -1)

    async def set_published(self, graph: str, sequence: int) -> None:
        """As the port says."""
        await self._call(self._client.hset(self._prefix + "published", graph, str(sequence)))

    async def finished(self, reader: str, life: str) -> int:
        """As the port says."""
        known = await self._call(self._client.hget(self._prefix + "finished", reader)) or " -1"
        before, _, offset = known.rpartition(" ")
        return int(offset) if before == life else -1

    async def finish(self, reader: str, life: str, offset: int) -> None:
        """As the port says."""
        await self._call(self._client.hset(self._prefix + "finished", reader, f"{life} {offset}"))

    async def _call(self, answer: Any) -> Any:
        try:
            return await answer
        except (exceptions.RedisError, OSError, TimeoutError) as error:
            raise Retryable("STORE_UNAVAILABLE", f"the store does not answer: {error}") from error


def _newer(known: ReadMark | None, mark: StatusRecord) -> ReadMark:
    life, stamp = mark.position.incarnation, mark.recorded_at
    if known is not None and known.life == life:
        stamp = max(known.read_to, stamp)
    return ReadMark(life, stamp, mark.parts)
