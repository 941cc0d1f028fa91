"""Outputs, status lines and dead letters onto the log."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine, Sequence
from typing import Any, Protocol

from tidegraph.log.codecs import encode
from tidegraph.log.headers import Headers, stamped
from tidegraph.log.keys import partition_of, position_key
from tidegraph.log.status import StatusRecord
from tidegraph.log.topics import Topic
from tidegraph.streams.flow import Output


class PartitionedLog(Protocol):
    """What the stages need of a log: ``KafkaLog`` and ``MemoryLog`` are such."""

    async def write(
        self, topic: Topic, key: bytes, value: bytes | None, headers: Headers, partition: int
    ) -> int:
        """The append time of the record, microseconds."""
        ...

    async def partition_count(self, topic: Topic) -> int: ...


class LogSink:
    """The ``Sink`` of the stages. Every call returns when the broker has all of its records."""

    def __init__(self, log: PartitionedLog) -> None:
        self._log = log

    async def write(self, outputs: Sequence[Output]) -> None:
        """Write outputs, each to the partition that its route chooses."""
        await _all([self._write(output) for output in outputs])

    async def tell(self, statuses: Sequence[StatusRecord]) -> None:
        """Write status lines; all lines about one partition of documents go to one partition, in order."""
        await _all([self._tell(status) for status in statuses])

    async def bury(self, key: bytes, value: bytes, headers: Headers) -> None:
        """Write a dead letter."""
        partition = partition_of(key, await self._log.partition_count(Topic.DEAD_LETTERS))
        await self._log.write(Topic.DEAD_LETTERS, key, value, headers, partition)

    async def _write(self, output: Output) -> None:
        partition = partition_of(output.route, await self._log.partition_count(output.topic))
        await self._log.write(output.topic, output.key, output.value, output.headers, partition)

    async def _tell(self, status: StatusRecord) -> None:
        partition = status.position.partition % await self._log.partition_count(Topic.STATUS)
        key = position_key(status.position)
        await self._log.write(Topic.STATUS, key, encode(status), stamped((), status.stage), partition)


async def _all(writes: Sequence[Coroutine[Any, Any, None]]) -> None:
    """Wait for every write, then report the first failure."""
    results = await asyncio.gather(*writes, return_exceptions=True)
    for result in results:
        if isinstance(result, BaseException):
            raise result
