"""Where the stages without a store of their own stand on a broker that forgets.

An embedded broker that was restarted begins its topics anew. A consumer that comes back late fetches
from where it stood: if the new log is already longer, no fetch fails, and what lies before is never
read. So each stage keeps a cursor on every partition, as the writer does on ``resolved``.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from faust.types import TP

from tidegraph.log.topics import Topic, topic_name
from tidegraph.streams.agents import Process
from tidegraph.streams.cursor import Cursors, Reader
from tidegraph.streams.gate import Gate
from tidegraph.streams.intake import Arrival, Intake


class GroupReader(Reader, Protocol):
    """A consumer that also knows where its group begins to read a partition."""

    async def start_of(self, partition: TP) -> int: ...


@dataclass(slots=True)
class FinishedOffsets:
    """What this process has finished of a topic, by the cursors' names of its partitions.

    The group's committed offset counts only in the life of the topic that the process was born into: a
    later life may be given what was acknowledged in the one before.
    """

    reader: GroupReader
    topic: Topic
    prefix: str
    first_life: str
    _finished: dict[str, int] = field(default_factory=dict)

    async def applied(self, name: str) -> int:
        """The last finished offset of a partition in a life, ``-1`` for none."""
        life, _, partition = name.rpartition("/")
        finished = self._finished.get(name, -1)
        if life == self.first_life:
            tp = TP(topic_name(self.topic, self.prefix), int(partition))
            finished = max(finished, await self.reader.start_of(tp) - 1)
        return finished

    def finish(self, name: str, offset: int) -> None:
        """Everything up to ``offset`` is done."""
        self._finished[name] = offset


@dataclass(slots=True)
class Footing:
    """Hands a stage its records without a hole, and sends its consumer back to where one begins."""

    intake: Intake
    cursors: dict[str, tuple[Cursors, FinishedOffsets]]

    @classmethod
    async def of(
        cls, topics: Sequence[Topic], reader: GroupReader, gate: Gate, prefix: str, intake: Intake
    ) -> Footing:
        """A footing on the topics' present lives."""
        cursors = {}
        for topic in topics:
            life = _life_of(intake, topic)
            finished = FinishedOffsets(reader, topic, prefix, await life())
            cursors[str(topic)] = (Cursors(reader, gate, prefix, finished.applied, life, topic), finished)
        return cls(intake, cursors)

    def reset(self) -> None:
        """The assignment or the life of a topic changed."""
        for cursors, _ in self.cursors.values():
            cursors.reset()

    async def process(self, arrivals: Sequence[Arrival], process: Process) -> None:
        """Process those of a batch that are due; what lies beyond a hole comes again."""
        if self.intake.notice_new_life(arrivals):
            self.reset()
        due = await self._due(arrivals)
        if not due:
            return
        await process(due)
        for each in due:
            cursors, finished = self.cursors[each.record.topic]
            finished.finish(await cursors.name(each.record.partition), each.record.offset)
            await cursors.advance(each.record.partition, each.record.offset)

    async def _due(self, arrivals: Sequence[Arrival]) -> list[Arrival]:
        groups: dict[tuple[str, int], list[Arrival]] = {}
        for each in arrivals:
            groups.setdefault((each.record.topic, each.record.partition), []).append(each)
        wanted: set[tuple[str, int, int]] = set()
        for (topic, partition), group in groups.items():
            cursors, _ = self.cursors[topic]
            due = await cursors.due(partition, [each.record for each in group])
            wanted |= {(topic, partition, record.offset) for record in due}
        return [e for e in arrivals if (e.record.topic, e.record.partition, e.record.offset) in wanted]


def _life_of(intake: Intake, topic: Topic) -> Callable[[], Awaitable[str]]:
    async def life() -> str:
        return await intake.life(topic)

    return life
