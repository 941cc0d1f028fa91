"""Where the reader of a partition stands, for the writer by what the store itself says.

The group's committed offset serves lag figures only. After an assignment, and whenever the store was
away, the store is asked again; records behind it are skipped, records beyond a hole are dropped, and
the consumer is sent back to where the hole begins.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

from faust.types import TP

from tidegraph.log.topics import Topic, topic_name
from tidegraph.ports import LogRecord
from tidegraph.streams.gate import Gate

logger = logging.getLogger(__name__)

REWIND_SECONDS: Final = 0.5


class Reader(Protocol):
    """What the cursors need of the consumer (``StageApp``)."""

    def assigned(self) -> set[TP]: ...

    async def position(self, partition: TP) -> int: ...

    async def log_start(self, partition: TP) -> int: ...

    async def rewind(self, partition: TP, offset: int) -> None: ...


@dataclass(slots=True)
class _Cursor:
    """``next`` is the offset that the store waits for; ``seen`` what it was one round ago."""

    name: str
    next: int
    seen: int = -2


@dataclass(slots=True)
class Cursors:
    """The cursors of the partitions of a topic that this worker reads.

    ``applied`` reads the store's offset of a partition by name; ``life`` the id of the topic's life.
    """

    reader: Reader
    gate: Gate
    prefix: str
    applied: Callable[[str], Awaitable[int]]
    life: Callable[[], Awaitable[str]]
    topic: Topic = Topic.RESOLVED
    _cursors: dict[int, _Cursor] = field(default_factory=dict)

    def reset(self, partition: int | None = None) -> None:
        """Ask the store again before the next record."""
        if partition is None:
            self._cursors.clear()
        else:
            self._cursors.pop(partition, None)

    async def name(self, partition: int) -> str:
        """The name under which the store keeps the offset of a partition."""
        return (await self._cursor(partition)).name

    async def due(self, partition: int, records: Sequence[LogRecord]) -> list[LogRecord]:
        """Those of the records that the store waits for, without a hole; in order."""
        cursor = await self._cursor(partition)
        due: list[LogRecord] = []
        for record in records:
            if record.offset == cursor.next + len(due):
                due.append(record)
            elif record.offset > cursor.next + len(due):
                logger.info("%s waits for offset %d, got %d", cursor.name, cursor.next, record.offset)
                break
        return due

    async def advance(self, partition: int, offset: int) -> None:
        """Everything up to ``offset`` is in the store."""
        (await self._cursor(partition)).next = offset + 1

    async def run(self) -> None:
        """Send the consumer back where it is ahead of the store, for ever."""
        while True:
            await asyncio.sleep(REWIND_SECONDS)
            try:
                await self.check()
            except Exception as error:
                logger.debug("the check of the writer's position waits: %s", error)

    async def check(self) -> None:
        """One round: a consumer that is ahead of an idle writer will not deliver what is missing."""
        name = topic_name(self.topic, self.prefix)
        for partition in sorted(self.reader.assigned()):
            if partition.topic == name and self.gate.idle.is_set():
                await self._check(partition)

    async def _check(self, partition: TP) -> None:
        cursor = await self._cursor(partition.partition)
        is_stable, cursor.seen = cursor.seen == cursor.next, cursor.next
        if is_stable and await self.reader.position(partition) > cursor.next and self.gate.idle.is_set():
            logger.info("%s goes back to offset %d", cursor.name, cursor.next)
            await self.reader.rewind(partition, cursor.next)
            cursor.seen = -2

    async def _cursor(self, partition: int) -> _Cursor:
        cursor = self._cursors.get(partition)
        if cursor is None:
            name = f"{await self.life()}/{partition}"
            tp = TP(topic_name(self.topic, self.prefix), partition)
            begin = max(await self.applied(name) + 1, await self.reader.log_start(tp))
            cursor = self._cursors.setdefault(partition, _Cursor(name, begin))
        return cursor
