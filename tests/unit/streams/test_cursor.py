"""The writer goes by what the store says: it skips, it never steps over a hole, it goes back."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import cast

import pytest
from faust.types import TP

from tidegraph.domain.errors import Retryable
from tidegraph.ports import LogRecord
from tidegraph.streams.cursor import Cursors
from tidegraph.streams.delivery import Delivery, deliver
from tidegraph.streams.flow import Input
from tidegraph.streams.gate import Gate
from tidegraph.streams.intake import Arrival

HERE = TP("p.resolved", 0)


def _record(offset: int) -> LogRecord:
    return LogRecord("resolved", 0, offset, 0, b"g", b"v", ())


@dataclass
class Log:
    """A consumer over a log of ``end`` records that begins at ``start``."""

    end: int = 100
    start: int = 0
    at: int = 0
    rewound: list[int] = field(default_factory=list)
    other: set[TP] = field(default_factory=set)

    def assigned(self) -> set[TP]:
        return {HERE, *self.other}

    async def position(self, partition: TP) -> int:
        return self.at

    async def log_start(self, partition: TP) -> int:
        return self.start

    async def rewind(self, partition: TP, offset: int) -> None:
        assert partition == HERE
        self.rewound.append(offset)
        self.at = max(offset, self.start)


@dataclass
class Store:
    """Offsets by name of partition."""

    offsets: dict[str, int] = field(default_factory=dict)

    async def applied(self, name: str) -> int:
        return self.offsets.get(name, -1)


async def _life() -> str:
    return "life"


def _cursors(log: Log, store: Store, gate: Gate | None = None) -> Cursors:
    return Cursors(log, gate or Gate(), "p.", store.applied, _life)


async def test_what_the_store_has_is_skipped() -> None:
    cursors = _cursors(Log(), Store({"life/0": 4}))
    due = (await cursors.of(0)).due([_record(offset) for offset in (3, 4, 5, 6)])
    assert [record.offset for record in due] == [5, 6]


async def test_nothing_is_taken_beyond_a_hole() -> None:
    cursors = _cursors(Log(), Store({"life/0": 4}))
    cursor = await cursors.of(0)
    assert cursor.due([_record(7), _record(8)]) == []
    due = cursor.due([_record(5), _record(6), _record(8)])
    assert [record.offset for record in due] == [5, 6]


async def test_a_log_that_begins_later_is_no_hole() -> None:
    cursors = _cursors(Log(start=50), Store({"life/0": 4}))
    assert [record.offset for record in (await cursors.of(0)).due([_record(50)])] == [50]


async def test_a_consumer_that_is_ahead_of_an_idle_writer_goes_back() -> None:
    log = Log(at=60, other={TP("p.other", 0)})
    cursors = _cursors(log, Store({"life/0": 9}))
    await cursors.check()
    assert log.rewound == [], "records may be on their way in the first round"
    await cursors.check()
    assert log.rewound == [10]
    await cursors.check()
    await cursors.check()
    assert log.rewound == [10], "it stands where the store waits"


async def test_it_goes_back_again_when_the_records_do_not_come() -> None:
    log = Log(at=60)
    cursors = _cursors(log, Store())
    for _ in range(2):
        await cursors.check()
    log.at = 60  # what was under way moved it on, and was dropped
    for _ in range(2):
        await cursors.check()
    assert log.rewound == [0, 0]


async def test_a_busy_writer_is_left_alone() -> None:
    log, gate = Log(at=60), Gate()
    cursors = _cursors(log, Store(), gate)
    await gate.enter()
    for _ in range(5):
        await cursors.check()
    assert log.rewound == []


async def test_after_a_reset_the_store_is_asked_again() -> None:
    store = Store({"life/0": 9})
    cursors = _cursors(Log(), store)
    (await cursors.of(0)).advance(30)
    assert (await cursors.of(0)).due([_record(10)]) == []
    cursors.reset(0)
    assert [record.offset for record in (await cursors.of(0)).due([_record(10)])] == [10]


@pytest.mark.parametrize("lost", [0, 7, 30])
async def test_every_record_is_applied_once_in_order_whatever_the_consumer_does(
    lost: int, rng: random.Random
) -> None:
    """Random deliveries, stale ones after a rewind among them, and a store that loses its last writes."""
    log, store, applied = Log(end=80), Store(), list[int]()
    cursors = _cursors(log, store)
    for turn in range(2_000):
        if rng.random() < 0.3:
            log.at = rng.randint(0, log.end)  # a rebalance, a stale fetch: anything
        batch = [_record(n) for n in range(log.at, min(log.end, log.at + rng.randint(0, 9)))]
        log.at += len(batch)
        cursor = await cursors.of(0)
        due = cursor.due(batch)
        if due:
            applied += [record.offset for record in due]
            store.offsets["life/0"] = due[-1].offset
            cursor.advance(due[-1].offset)
        if turn == 60 and lost:
            kept = max(-1, store.offsets.get("life/0", -1) - lost)
            store.offsets["life/0"] = kept
            del applied[kept + 1 :]
            cursors.reset()
        await cursors.check()
        if store.offsets.get("life/0") == log.end - 1:
            break
    assert applied == list(range(log.end))


@dataclass
class Deliveries:
    """What the writer was handed, by the name of the partition; ``during`` happens once, in the middle."""

    store: Store
    during: Callable[[], None] | None = None
    is_failing: bool = False
    seen: list[tuple[str, list[int]]] = field(default_factory=list)

    def forget(self) -> None: ...

    async def apply(self, name: str, items: Sequence[Input]) -> None:
        during, self.during = self.during, None
        if during:
            during()
        if self.is_failing:
            raise Retryable("STORE_UNAVAILABLE", "away")
        self.seen.append((name, [item.record.offset for item in items]))
        self.store.offsets[name] = items[-1].record.offset


@pytest.mark.parametrize("is_held", [False, True], ids=["written", "held and written later"])
async def test_a_log_that_begins_anew_while_a_batch_is_written_is_read_whole(is_held: bool) -> None:
    log, store, lives = Log(), Store(), ["first"]

    async def life() -> str:
        return lives[-1]

    cursors = Cursors(log, Gate(), "p.", store.applied, life)

    def begins_anew() -> None:
        lives.append("second")
        cursors.reset()

    delivery = Deliveries(store, begins_anew, is_held)
    process = deliver(cast(Delivery, delivery), cursors, lambda arrivals: False)
    batch = [Arrival(_record(n), True) for n in (0, 1, 2)]
    if is_held:
        with pytest.raises(Retryable):
            await process(batch)
        delivery.is_failing = False
    await process(batch)
    log.at = 5
    await process([Arrival(_record(n), True) for n in (3, 4)])
    for _ in range(2):
        await cursors.check()
    assert log.rewound == [0]
    await process([Arrival(_record(n), True) for n in range(5)])
    assert delivery.seen == [("first/0", [0, 1, 2]), ("second/0", [0, 1, 2, 3, 4])]
