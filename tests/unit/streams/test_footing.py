"""A stage without a store of its own keeps its place on a broker that forgets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import pytest
from faust.types import TP

from tidegraph.domain.errors import Retryable
from tidegraph.log.topics import Topic
from tidegraph.models.clock import FixedClock
from tidegraph.ports import LogRecord
from tidegraph.streams.footing import REWINDS_MAX, Footing
from tidegraph.streams.gate import Gate
from tidegraph.streams.intake import Arrival, Intake
from tidegraph.streams.progress import MemoryProgress

TOPIC = Topic.GROUNDED
HERE = TP(f"p.{TOPIC}", 0)


@dataclass
class Group:
    """A consumer that fetches from ``at``."""

    at: int = 0
    rewound: list[int] = field(default_factory=list)

    def assigned(self) -> set[TP]:
        return {HERE}

    async def position(self, partition: TP) -> int:
        return self.at

    async def log_start(self, partition: TP) -> int:
        return 0

    async def rewind(self, partition: TP, offset: int) -> None:
        self.rewound.append(offset)
        self.at = offset


@dataclass
class Stage:
    """A footing on one topic, and what got through it; ``during`` happens once, in the middle of a batch."""

    group: Group = field(default_factory=Group)
    progress: MemoryProgress = field(default_factory=MemoryProgress)
    life: str = "first"
    seen: list[int] = field(default_factory=list)
    lives: list[str] = field(default_factory=list)
    is_failing: bool = False
    during: Callable[[], None] | None = None

    def __post_init__(self) -> None:
        self.intake = Intake([TOPIC], self._lives, self.progress, FixedClock(0))
        self.footing = Footing.of("extract", [TOPIC], self.group, Gate(), "p.", self.intake, self.progress)

    async def take(self, *offsets: int) -> None:
        self.group.at = max(self.group.at, offsets[-1] + 1)
        await self.footing.process(_arrivals(*offsets), self.process)

    def forget(self) -> None:
        self.intake.reset()
        self.footing.reset()

    def begin_anew(self) -> None:
        self.life = "second"
        self.forget()

    async def check(self, rounds: int = 2) -> None:
        for _ in range(rounds):
            for cursors, _ in self.footing.cursors.values():
                await cursors.check()

    async def process(self, arrivals: Sequence[Arrival]) -> None:
        during, self.during = self.during, None
        if during:
            during()
        if self.is_failing:
            raise Retryable("LOG_UNAVAILABLE", "away")
        self.seen += [each.record.offset for each in arrivals]
        self.lives += [item.incarnation for item in await self.intake.inputs(arrivals)]

    async def _lives(self, topics: Sequence[Topic]) -> dict[Topic, str]:
        return dict.fromkeys(topics, self.life)


def _arrivals(*offsets: int) -> list[Arrival]:
    return [Arrival(LogRecord(str(TOPIC), 0, each, 0, b"k", b"v", ()), True) for each in offsets]


async def test_a_batch_that_failed_is_processed_when_it_comes_again() -> None:
    stage = Stage(is_failing=True)
    with pytest.raises(Retryable):
        await stage.take(0, 1)
    stage.is_failing = False
    await stage.take(0, 1)
    assert stage.seen == [0, 1]


async def test_a_new_life_is_read_from_its_beginning_though_the_consumer_is_beyond_it() -> None:
    stage = Stage()
    await stage.take(0, 1, 2)
    stage.begin_anew()
    await stage.take(3, 4)
    await stage.check()
    assert stage.group.rewound == [0]
    await stage.take(0, 1, 2, 3, 4)
    assert stage.seen == [0, 1, 2, 0, 1, 2, 3, 4]
    await stage.check(3)
    assert stage.group.rewound == [0]


@pytest.mark.parametrize("is_held", [False, True], ids=["done", "held and done later"])
async def test_a_new_life_that_begins_during_a_batch_is_read_whole(is_held: bool) -> None:
    stage = Stage(is_failing=is_held)
    stage.during = stage.begin_anew
    batch = _arrivals(0, 1, 2)
    if is_held:
        with pytest.raises(Retryable):
            await stage.footing.process(batch, stage.process)
        stage.is_failing = False
    await stage.footing.process(batch, stage.process)
    await stage.take(3, 4)
    await stage.check()
    assert stage.group.rewound == [0]
    await stage.take(0, 1, 2, 3, 4)
    assert stage.seen == [0, 1, 2, 0, 1, 2, 3, 4]
    assert stage.lives == ["first"] * 3 + ["second"] * 5


async def test_another_worker_goes_on_where_the_one_before_ended() -> None:
    stage = Stage()
    await stage.take(0, 1, 2)
    later = Stage(progress=stage.progress)
    await later.take(3)
    assert later.seen == [3]
    stage.forget()
    await stage.take(4, 5)
    assert stage.seen == [0, 1, 2, 4, 5]
    anew = Stage(progress=stage.progress, life="second")
    await anew.take(0, 1)
    assert anew.seen == [0, 1]


async def test_a_hole_without_records_is_stepped_over_in_the_end() -> None:
    stage = Stage()
    await stage.take(0, 1)
    for _ in range(REWINDS_MAX):
        await stage.take(3, 4)
        assert stage.seen == [0, 1]
        await stage.check()
    await stage.take(3, 4)
    assert stage.seen == [0, 1, 3, 4]
    await stage.check(3)
    assert stage.group.rewound == [2] * REWINDS_MAX


async def test_what_comes_again_is_done_again_and_moves_nothing_back() -> None:
    """Who tells how far a topic is read goes by what was done since the assignment."""
    stage = Stage()
    await stage.take(0, 1, 2)
    later = Stage(progress=stage.progress)
    await later.take(1, 2)
    assert later.seen == [1, 2]
    await later.take(3)
    await later.check(3)
    assert later.group.rewound == []
