"""Read marks: a topic that is read to its end moves the watermark, one with an unread record does not."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import cast

from faust.types import TP

from tidegraph.log.codecs import decode
from tidegraph.log.memory import MemoryLog
from tidegraph.log.status import READ_TO, StatusRecord
from tidegraph.log.topics import Topic
from tidegraph.models.clock import FixedClock
from tidegraph.ports import LogRecord
from tidegraph.streams.app import StageApp
from tidegraph.streams.intake import Arrival, Intake
from tidegraph.streams.progress import MemoryProgress
from tidegraph.streams.pulse import Pulse


class Ticking(FixedClock):
    """Each look is a second later than the one before."""

    def now(self) -> int:
        self._instant += 1_000_000
        return self._instant


class App:
    """A stage that fetched just now; ``high`` is the end of its partition."""

    def __init__(self) -> None:
        self.high = 0
        self.consumer = self

    def assignment(self) -> set[TP]:
        return {TP("control", 0), TP("extracted", 0)}

    def highwater(self, partition: TP) -> int:
        return self.high

    def fetched_at(self, partition: TP) -> float:
        return time.time() + 1.0

    async def start_of(self, partition: TP) -> int:
        return 0


async def _lives(topics: Sequence[Topic]) -> dict[Topic, str]:
    return dict.fromkeys(topics, "life")


async def test_a_decision_that_is_not_read_keeps_the_mark_of_control_back() -> None:
    clock, app = Ticking(1_700_000_000_000_000), App()
    log = MemoryLog(clock)
    intake = Intake((Topic.EXTRACTED, Topic.CONTROL), _lives, MemoryProgress(), clock)
    pulse = Pulse(cast(StageApp, app), intake, log, "", clock, Topic.CONTROL)

    async def mark() -> int:
        await pulse.beat()
        lines = [decode(StatusRecord, record.value or b"") for record in log.records(Topic.STATUS, 0, 0, 99)]
        assert {(line.stage, line.position.topic, line.parts) for line in lines} == {(READ_TO, "control", 1)}
        return lines[-1].recorded_at

    await mark()
    empty, later = await mark(), await mark()
    assert 1_700_000_000_000_000 < empty < later, "nothing comes: the mark goes with the broker's time"

    app.high = 1
    decided = clock.now()
    assert await mark() == later
    assert await mark() == later < decided
    record = LogRecord("control", 0, 0, decided, b"g", b"", ())
    items = await intake.inputs([Arrival(record, True)])
    intake.finished(items)
    assert await mark() > decided == items[0].recorded_at
