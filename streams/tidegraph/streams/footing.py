"""Where the stages without a store of their own stand on a broker that forgets.

An embedded broker that was restarted begins its topics anew. A consumer that comes back late fetches
from where it stood: if the new log is already longer, no fetch fails, and what lies before is never
read. The group's committed offset does not help: it may be of the life before, or lie beyond a hole. So
each stage keeps a cursor on every partition, as the writer does on ``resolved``.
"""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from tidegraph.domain.errors import Retryable
from tidegraph.log.topics import Topic
from tidegraph.streams.agents import Process
from tidegraph.streams.cursor import BatchLives, Cursor, Cursors, Reader
from tidegraph.streams.gate import Gate
from tidegraph.streams.intake import Arrival, Intake
from tidegraph.streams.progress import ProgressStore

REWINDS_MAX: Final = 3
"""A hole that is still there after the consumer went back so often has no records: a transaction's marker."""


@dataclass(slots=True)
class FinishedOffsets:
    """What a stage has finished of a topic, by the cursors' names of its partitions."""

    stage: str
    topic: Topic
    progress: ProgressStore
    _finished: dict[str, int] = field(default_factory=dict)

    async def applied(self, name: str) -> int:
        """The last finished offset of a partition in a life, by whichever worker, ``-1`` for none."""
        reader, life = self._split(name)
        return max(self._finished.get(name, -1), await self.progress.finished(reader, life))

    async def finish(self, name: str, offset: int) -> None:
        """Everything up to ``offset`` is done."""
        self._finished[name] = offset
        reader, life = self._split(name)
        with contextlib.suppress(Retryable):  # at worst a later worker does it again
            await self.progress.finish(reader, life, offset)

    def _split(self, name: str) -> tuple[str, str]:
        life, _, partition = name.rpartition("/")
        return f"{self.stage}/{self.topic}/{partition}", life


@dataclass(slots=True)
class Footing:
    """Hands a stage its records without a hole, and sends its consumer back to where one begins."""

    intake: Intake
    cursors: dict[str, tuple[Cursors, FinishedOffsets]]
    _lives: BatchLives = field(default_factory=BatchLives)

    @classmethod
    def of(
        cls,
        stage: str,
        topics: Sequence[Topic],
        reader: Reader,
        gate: Gate,
        prefix: str,
        intake: Intake,
        progress: ProgressStore,
    ) -> Footing:
        """A footing of a stage on its topics."""
        cursors = {}
        for topic in topics:
            finished = FinishedOffsets(stage, topic, progress)
            life = _life_of(intake, topic)
            cursors[str(topic)] = (Cursors(reader, gate, prefix, finished.applied, life, topic), finished)
        return cls(intake, cursors)

    def reset(self) -> None:
        """The assignment or the life of a topic changed."""
        for cursors, _ in self.cursors.values():
            cursors.reset()

    async def process(self, arrivals: Sequence[Arrival], process: Process) -> None:
        """Process a batch up to a hole; what lies beyond it comes again.

        What is done already is done once more, as on any broker: who tells how far is read goes by it.
        """
        groups: dict[tuple[str, int], list[Arrival]] = defaultdict(list)
        for each in arrivals:
            groups[each.record.topic, each.record.partition].append(each)
        if self._lives.take(arrivals) and self.intake.notice_new_life(arrivals):
            for topic, partition in groups:
                await self.cursors[topic][0].renew(partition)
        held = {at: await self._lives.cursor(self.cursors[at[0]][0], at[1]) for at in groups}
        due = [each for at, group in groups.items() for each in _due(held[at], group)]
        if not due:
            return
        await process(due)
        last = {(each.record.topic, each.record.partition): each.record.offset for each in due}
        for at, offset in last.items():
            if offset >= held[at].next:
                held[at].advance(offset)
                await self.cursors[at[0]][1].finish(held[at].name, offset)


def _due(cursor: Cursor, arrivals: Sequence[Arrival]) -> list[Arrival]:
    offsets = [each.record.offset for each in arrivals]
    if cursor.rewinds >= REWINDS_MAX and offsets[0] > cursor.next:
        cursor.next = offsets[0]
    due = {record.offset for record in cursor.due([each.record for each in arrivals])}
    wanted = [each for each in arrivals if each.record.offset < cursor.next or each.record.offset in due]
    return [replace(each, life=cursor.life) for each in wanted]


def _life_of(intake: Intake, topic: Topic) -> Callable[[], Awaitable[str]]:
    async def life() -> str:
        return await intake.life(topic)

    return life
