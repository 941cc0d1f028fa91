"""A stage without a store of its own keeps its place on a broker that forgets."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from faust.types import TP

from tidegraph.domain.errors import Retryable
from tidegraph.log.topics import Topic
from tidegraph.models.clock import FixedClock
from tidegraph.ports import LogRecord
from tidegraph.streams.footing import Footing
from tidegraph.streams.gate import Gate
from tidegraph.streams.intake import Arrival, Intake
from tidegraph.streams.progress import MemoryProgress

TOPIC = Topic.GROUNDED
HERE = TP(f"p.{TOPIC}", 0)


@dataclass
class Group:
    """A consumer whose group has committed ``committed``."""

    committed: int = 0
    at: int = 0
    rewound: list[int] = field(default_factory=list)

    def assigned(self) -> set[TP]:
        return {HERE}

    async def position(self, partition: TP) -> int:
        return self.at

    async def log_start(self, partition: TP) -> int:
        return 0

    async def start_of(self, partition: TP) -> int:
        return self.committed

    async def rewind(self, partition: TP, offset: int) -> None:
        self.rewound.append(offset)
        self.at = offset


@dataclass
class Stage:
    """A footing on one topic, and what got through it."""

    group: Group
    life: str = "first"
    seen: list[int] = field(default_factory=list)
    is_failing: bool = False

    async def start(self) -> None:
        self.intake = Intake([TOPIC], self._lives, MemoryProgress(), FixedClock(0))
        self.footing = await Footing.of([TOPIC], self.group, Gate(), "p.", self.intake)

    async def take(self, *offsets: int) -> None:
        arrivals = [Arrival(LogRecord(str(TOPIC), 0, each, 0, b"k", b"v", ()), True) for each in offsets]
        self.group.at = max(self.group.at, offsets[-1] + 1)
        await self.footing.process(arrivals, self._process)

    def forget(self) -> None:
        self.intake.reset()
        self.footing.reset()

    async def check(self) -> None:
        for cursors, _ in self.footing.cursors.values():
            await cursors.check()

    async def _lives(self, topics: Sequence[Topic]) -> dict[Topic, str]:
        return dict.fromkeys(topics, self.life)

    async def _process(self, arrivals: Sequence[Arrival]) -> None:
        if self.is_failing:
            raise Retryable("LOG_UNAVAILABLE", "away")
        self.seen += [each.record.offset for each in arrivals]


async def _stage(committed: int = 0) -> Stage:
    stage = Stage(Group(committed))
    await stage.start()
    return stage


async def test_it_begins_where_its_group_does() -> None:
    stage = await _stage(committed=3)
    await stage.take(2, 3, 4)
    assert stage.seen == [3, 4]


async def test_a_batch_that_failed_is_processed_when_it_comes_again() -> None:
    stage = await _stage()
    stage.is_failing = True
    try:
        await stage.take(0, 1)
    except Retryable:
        stage.is_failing = False
    await stage.take(0, 1)
    assert stage.seen == [0, 1]


async def test_a_new_life_is_read_from_its_beginning_though_the_consumer_is_beyond_it() -> None:
    stage = await _stage()
    await stage.take(0, 1, 2)
    stage.life = "second"
    stage.group.committed = 3  # what was acknowledged in the first life, committed in the second
    stage.forget()
    await stage.take(3, 4)
    for _ in range(2):
        await stage.check()
    assert stage.group.rewound == [0]
    await stage.take(0, 1, 2, 3, 4)
    assert stage.seen == [0, 1, 2, 0, 1, 2, 3, 4]
    for _ in range(3):
        await stage.check()
    assert stage.group.rewound == [0]


async def test_an_assignment_that_comes_back_goes_on_where_the_group_is() -> None:
    stage = await _stage()
    await stage.take(0, 1)
    stage.group.committed = 5  # another worker had the partition meanwhile
    stage.forget()
    await stage.take(5, 6)
    assert stage.seen == [0, 1, 5, 6]
