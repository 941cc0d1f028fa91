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
class Cursor:
    """Where one partition stands in one life of its topic; a reset leaves whoever holds it with the old life.

    ``next`` is the offset that is waited for; ``seen`` what it was one round ago; ``rewinds`` how often the
    consumer was sent back to it.
    """

    name: str
    next: int
    seen: int = -2
    rewinds: int = 0

    @property
    def life(self) -> str:
        """The life of the topic."""
        return self.name.rpartition("/")[0]

    def due(self, records: Sequence[LogRecord]) -> list[LogRecord]:
        """Those of the records that are waited for, without a hole; in order."""
        due: list[LogRecord] = []
        for record in records:
            if record.offset == self.next + len(due):
                due.append(record)
            elif record.offset > self.next + len(due):
                logger.info("%s waits for offset %d, got %d", self.name, self.next, record.offset)
                break
        return due

    def advance(self, offset: int) -> None:
        """Everything up to ``offset`` is done."""
        self.next, self.rewinds = offset + 1, 0


class BatchLives:
    """In which life each partition of the batch under way was read: one that is held may outlive it."""

    def __init__(self) -> None:
        self._batch: object = None
        self._lives: dict[tuple[str, int], str] = {}

    def take(self, batch: object) -> bool:
        """Whether this is another batch than the one before."""
        if batch is self._batch:
            return False
        self._batch, self._lives = batch, {}
        return True

    async def cursor(self, cursors: Cursors, partition: int) -> Cursor:
        """The cursor of a partition as the batch found it."""
        at = (str(cursors.topic), partition)
        cursor = await cursors.of(partition, self._lives.get(at, ""))
        self._lives[at] = cursor.life
        return cursor


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
    _cursors: dict[int, Cursor] = field(default_factory=dict)

    def reset(self, partition: int | None = None) -> None:
        """Ask the store again before the next record."""
        if partition is None:
            self._cursors.clear()
        else:
            self._cursors.pop(partition, None)

    async def renew(self, partition: int) -> None:
        """Ask the store again if the topic has begun anew."""
        cursor = self._cursors.get(partition)
        if cursor is not None and cursor.life != await self.life():
            self.reset(partition)

    async def of(self, partition: int, life: str = "") -> Cursor:
        """The cursor of a partition in a life of the topic, the present one unless told otherwise.

        Take it once for a batch: a reset may come before the batch is done.
        """
        cursor = self._cursors.get(partition)
        if cursor is not None and life in ("", cursor.life):
            return cursor
        present = await self.life()
        if life and life != present:
            name = f"{life}/{partition}"
            return Cursor(name, await self.applied(name) + 1)
        name = f"{present}/{partition}"
        tp = TP(topic_name(self.topic, self.prefix), partition)
        begin = max(await self.applied(name) + 1, await self.reader.log_start(tp))
        return self._cursors.setdefault(partition, Cursor(name, begin))

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
        cursor = await self.of(partition.partition)
        is_stable, cursor.seen = cursor.seen == cursor.next, cursor.next
        if is_stable and await self.reader.position(partition) > cursor.next and self.gate.idle.is_set():
            logger.info("%s goes back to offset %d", cursor.name, cursor.next)
            await self.reader.rewind(partition, cursor.next)
            cursor.seen, cursor.rewinds = -2, cursor.rewinds + 1
