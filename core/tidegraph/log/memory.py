"""The in-memory twin of the log: same contract, one process, nothing lasting."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Sequence

from tidegraph.domain.documents import Position
from tidegraph.log.headers import Headers, with_backfill
from tidegraph.log.keys import partition_of
from tidegraph.log.topics import TOPICS, Topic
from tidegraph.ports import Clock, LogRecord


class MemoryLog:
    """Topics as lists. ``incarnation`` stands for Kafka's topic id, one for all topics.

    Records get the clock's time in whole milliseconds, as a broker with LogAppendTime does.
    """

    def __init__(self, clock: Clock, *, partitions: int = 1, incarnation: str = "memory") -> None:
        self.partitions = partitions
        self._clock = clock
        self._incarnation = incarnation
        self._topics: dict[str, list[list[LogRecord]]] = defaultdict(
            lambda: [[] for _ in range(self.partitions)]
        )
        self._keyless = 0

    async def append(
        self,
        topic: str,
        key: bytes | None,
        value: bytes | None,
        headers: Sequence[tuple[str, bytes]],
        timestamp: int | None,
        partition: int | None = None,
    ) -> Position:
        """As ``KafkaLog.append``; never fails."""
        name = Topic(topic)
        chosen = self._partition(key) if partition is None else partition
        now = self._clock.now() // 1_000 * 1_000
        own_time = timestamp is not None and not TOPICS[name].broker_time
        records = self._topics[name][chosen]
        record = LogRecord(
            topic=str(name),
            partition=chosen,
            offset=len(records),
            timestamp=timestamp if own_time and timestamp is not None else now,
            key=key,
            value=value,
            headers=tuple(with_backfill(headers, timestamp)),
        )
        records.append(record)
        return Position(str(name), chosen, record.offset, self._incarnation)

    async def write(
        self, topic: Topic, key: bytes, value: bytes | None, headers: Headers, partition: int
    ) -> int:
        """As ``KafkaLog.write``."""
        placed = await self.append(topic, key, value, headers, None, partition)
        return self._topics[topic][placed.partition][placed.offset].timestamp

    async def partition_count(self, topic: Topic) -> int:
        """The same for every topic."""
        return self.partitions

    async def read(self, topic: str) -> AsyncIterator[LogRecord]:
        """All records, partition by partition."""
        for records in list(self._topics[Topic(topic)]):
            for record in list(records):
                yield record

    def records(self, topic: Topic, partition: int, offset: int, limit: int) -> list[LogRecord]:
        """Up to ``limit`` records of a partition from an offset on."""
        return self._topics[topic][partition][offset : offset + limit]

    def incarnation(self, topic: Topic) -> str:
        """The id of the topic's present life."""
        return self._incarnation

    def _partition(self, key: bytes | None) -> int:
        if key is None:
            self._keyless += 1
            return self._keyless % self.partitions
        return partition_of(key, self.partitions)
