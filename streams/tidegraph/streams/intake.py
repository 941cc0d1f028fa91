"""From Faust's events to the inputs of a stage: raw bytes, the life of the topic, the stamp."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tidegraph.domain.interval import OPEN_END
from tidegraph.log.topics import Topic
from tidegraph.ports import Clock, LogRecord
from tidegraph.streams.flow import Input
from tidegraph.streams.progress import ProgressStore
from tidegraph.streams.stamps import PartitionStamps

_BROKER_TIME: Final = 1
"""Kafka's timestamp type LogAppendTime."""
_CLAIM_TOLERANCE_MICROS: Final = 5_000_000
"""Clocks of one site differ by less; a producer that claims a later time is held to the present."""

STAMPED: Final = frozenset({Topic.DOCUMENTS, Topic.CONTROL})
"""Where documents and decisions enter: the stamp of the position is their recorded time."""

Incarnations = Callable[[Sequence[Topic]], Awaitable[dict[Topic, str]]]


@dataclass(frozen=True, slots=True)
class Arrival:
    """A record with what the broker says of its timestamp, and the life of its topic where that is known."""

    record: LogRecord
    has_broker_time: bool
    life: str = ""


def arrival(message: Any, prefix: str) -> Arrival:
    """A Faust message as a record of our table of topics. Timestamps have millisecond steps."""
    seconds = message.timestamp or 0.0
    record = LogRecord(
        topic=str(message.topic).removeprefix(prefix),
        partition=message.partition,
        offset=message.offset,
        timestamp=round(seconds * 1_000) * 1_000,
        key=message.key,
        value=message.value,
        headers=_headers(message.headers),
    )
    return Arrival(record, message.timestamp_type == _BROKER_TIME)


def _headers(headers: Any) -> tuple[tuple[str, bytes], ...]:
    pairs = headers.items() if isinstance(headers, dict) else headers or ()
    return tuple((str(name), value or b"") for name, value in pairs)


class Intake:
    """Knows the present life of each topic, and the stamps of the partitions that have them.

    Raises whatever the log or the stamp store raise; the caller holds its batch and asks again.
    """

    def __init__(
        self, topics: Sequence[Topic], incarnations: Incarnations, stamps: ProgressStore, clock: Clock
    ) -> None:
        """Records of topics with the broker's time are stamped."""
        self._topics = tuple(topics)
        self._ask = incarnations
        self._store = stamps
        self._clock = clock
        self._lives: dict[Topic, str] = {}
        self._seen: dict[tuple[str, int], int] = {}
        self._stamps: dict[str, PartitionStamps] = {}
        self._done: dict[tuple[str, int], Input] = {}

    def reset(self) -> None:
        """Forget what belongs to an assignment: partitions may have been elsewhere meanwhile."""
        self._lives.clear()
        self._seen.clear()
        self._stamps.clear()
        self._done.clear()

    def finished(self, inputs: Sequence[Input]) -> None:
        """These are in the log with all that came of them."""
        for item in inputs:
            self._done[item.record.topic, item.record.partition] = item

    def done(self, topic: Topic, partition: int) -> int | None:
        """The offset after the last finished record of this assignment, or ``None`` when there is none."""
        last = self._last(topic, partition)
        return None if last is None else last.record.offset + 1

    def finished_stamp(self, topic: Topic, partition: int) -> int | None:
        """The stamp of the last finished record of this assignment, or ``None`` when there is none."""
        last = self._last(topic, partition)
        return None if last is None else last.recorded_at

    def _last(self, topic: Topic, partition: int) -> Input | None:
        """The last finished record; one that was read before the topic began anew tells nothing of it."""
        last = self._done.get((str(topic), partition))
        if last is not None and last.incarnation != self._lives.get(topic, last.incarnation):
            return None
        return last

    async def lift(self, topic: Topic, partition: int, stamp: int) -> None:
        """Promise that no later record of the partition gets a stamp below ``stamp``."""
        name = f"{await self.life(topic)}/{partition}"
        if name not in self._stamps:
            self._stamps[name] = await self._store.load(name)
        stamps = self._stamps[name]
        if stamp > stamps.highest:
            stamps.lift(stamp)
            await self._store.save(name, stamps)

    async def life(self, topic: Topic) -> str:
        """The id of the topic's present life."""
        if topic not in self._lives:
            self._lives = await self._ask(self._topics)
        return self._lives[topic]

    async def inputs(self, arrivals: Sequence[Arrival]) -> list[Input]:
        """Inputs of a batch; the recorded times among them are kept before they are used."""
        if not all(each.life for each in arrivals):
            self.notice_new_life(arrivals)
        result, touched = [], set()
        for each in arrivals:
            record = each.record
            life = each.life or await self.life(Topic(record.topic))
            stamp = 0
            if record.topic in STAMPED:
                name = f"{life}/{record.partition}"
                touched.add(name)
                stamp = await self._stamp(name, each)
            result.append(Input(record, life, stamp))
        for name in sorted(touched):
            await self._store.save(name, self._stamps[name])
        return result

    async def _stamp(self, name: str, each: Arrival) -> int:
        if name not in self._stamps:
            self._stamps[name] = await self._store.load(name)
        latest = OPEN_END if each.has_broker_time else self._clock.now() + _CLAIM_TOLERANCE_MICROS
        return self._stamps[name].stamp(each.record.offset, each.record.timestamp, latest)

    def notice_new_life(self, arrivals: Sequence[Arrival]) -> bool:
        """Note how far the records go; true when the topic may have begun anew: its id is then asked again.

        Offsets only step back by a rewind or because the broker started empty.
        """
        stepped_back = False
        for each in arrivals:
            partition = (each.record.topic, each.record.partition)
            stepped_back |= each.record.offset <= self._seen.get(partition, -1)
            self._seen[partition] = each.record.offset
        if stepped_back:
            self._lives.clear()
        return stepped_back
