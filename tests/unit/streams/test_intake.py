from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest

from tidegraph.domain.errors import Retryable
from tidegraph.log.topics import Topic
from tidegraph.models.clock import FixedClock
from tidegraph.ports import LogRecord
from tidegraph.streams.agents import hold_until_done
from tidegraph.streams.intake import Arrival, Intake, arrival
from tidegraph.streams.progress import MemoryProgress
from tidegraph.streams.runner import Backoff

NOW = 1_700_000_000_000_000


@dataclass
class Message:
    """What Faust hands on of a record."""

    headers: Any = ()
    value: bytes | None = b"v"
    key: bytes | None = None
    topic: str = "p.documents"
    partition: int = 3
    offset: int = 9
    timestamp: float | None = 1_700_000_000.123
    timestamp_type: int = 1


def _arrival(offset: int, at: int, *, broker_time: bool = True, topic: str = "documents") -> Arrival:
    return Arrival(LogRecord(topic, 0, offset, at, None, b"v", ()), broker_time)


class Lives:
    """Ids of topics' lives that can be changed, and how often they were asked for."""

    def __init__(self) -> None:
        self.life, self.asked = "one", 0

    async def __call__(self, topics: Sequence[Topic]) -> dict[Topic, str]:
        self.asked += 1
        return dict.fromkeys(topics, self.life)


def _intake(lives: Lives, progress: MemoryProgress | None = None) -> Intake:
    topics = (Topic.DOCUMENTS, Topic.GROUNDED)
    return Intake(topics, lives, progress or MemoryProgress(), FixedClock(NOW))


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        (None, ()),
        ((), ()),
        ([("a", b"1"), ("a", b"\xff")], (("a", b"1"), ("a", b"\xff"))),
        ({"a": b"1"}, (("a", b"1"),)),
        ([("a", None)], (("a", b""),)),
    ],
)
def test_a_message_becomes_a_record(headers: Any, expected: Any) -> None:
    found = arrival(Message(headers, None), "p.")
    assert found.record == LogRecord("documents", 3, 9, 1_700_000_000_123_000, None, None, expected)
    assert found.has_broker_time
    assert not arrival(Message(timestamp=None, timestamp_type=0), "p.").has_broker_time


async def test_stamps_outlive_a_reset_and_other_topics_have_none() -> None:
    progress = MemoryProgress()
    intake = _intake(Lives(), progress)
    first = await intake.inputs([_arrival(0, 50), _arrival(1, 40)])
    intake.reset()
    again = await intake.inputs([_arrival(1, 40), _arrival(2, 45)])
    assert [item.recorded_at for item in (*first, *again)] == [50, 50, 50, 50]
    [grounded] = await intake.inputs([_arrival(0, 40, topic="grounded")])
    assert grounded.recorded_at == 0


async def test_a_producer_may_not_claim_a_time_to_come() -> None:
    intake = _intake(Lives())
    far = NOW + 10**15
    [claimed] = await intake.inputs([_arrival(0, far, broker_time=False)])
    assert NOW <= claimed.recorded_at < NOW + 60_000_000
    [replayed] = await intake.inputs([_arrival(0, far, broker_time=False)])
    assert replayed.recorded_at == claimed.recorded_at
    other = _intake(Lives())
    [told] = await other.inputs([_arrival(0, far)])
    assert told.recorded_at == far, "the broker's own clock is believed"


async def test_offsets_that_step_back_may_be_another_life() -> None:
    lives = Lives()
    intake = _intake(lives)
    await intake.inputs([_arrival(5, 50), _arrival(6, 50)])
    lives.life = "two"
    [item] = await intake.inputs([_arrival(7, 50)])
    assert (item.incarnation, lives.asked) == ("one", 1)
    [item] = await intake.inputs([_arrival(0, 40)])
    assert (item.incarnation, item.recorded_at) == ("two", 40), "a new life has stamps of its own"


async def test_a_promise_holds_for_later_records_and_through_a_reset() -> None:
    intake = _intake(Lives())
    await intake.inputs([_arrival(0, 50)])
    await intake.lift(Topic.DOCUMENTS, 0, 90)
    await intake.lift(Topic.DOCUMENTS, 0, 60)
    intake.reset()
    [item] = await intake.inputs([_arrival(1, 70)])
    assert item.recorded_at == 90


async def test_what_is_finished_is_known_by_partition() -> None:
    intake = _intake(Lives())
    items = await intake.inputs([_arrival(4, 50)])
    assert intake.done(Topic.DOCUMENTS, 0) is None
    intake.finished(items)
    assert (intake.done(Topic.DOCUMENTS, 0), intake.finished_stamp(Topic.DOCUMENTS, 0)) == (5, 50)


async def test_a_batch_is_held_until_it_goes_through() -> None:
    tries = 0

    async def process(_: Sequence[Arrival]) -> None:
        nonlocal tries
        tries += 1
        if tries < 5:
            raise Retryable("AWAY", "x") if tries % 2 else RuntimeError("a bug")

    await hold_until_done(process, [], Backoff(0.0001, 0.0001))
    assert tries == 5


async def test_a_batch_that_ends_after_the_topic_began_anew_says_nothing_of_how_far_that_is_read() -> None:
    lives = Lives()
    intake = _intake(lives)
    inputs = await intake.inputs([_arrival(0, 40), _arrival(1, 50)])
    intake.finished(inputs)
    assert (intake.done(Topic.DOCUMENTS, 0), intake.finished_stamp(Topic.DOCUMENTS, 0)) == (2, 50)
    intake.reset()
    lives.life = "two"
    assert await intake.life(Topic.DOCUMENTS) == "two"
    intake.finished(inputs)
    assert (intake.done(Topic.DOCUMENTS, 0), intake.finished_stamp(Topic.DOCUMENTS, 0)) == (None, None)
