"""Whatever a stage does, every record of a batch ends in the log and nothing leaves the runner."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegraph.domain.errors import Bug, Conflicted, LimitExceeded, Rejected, Retryable
from tidegraph.log.deadletter import CONNECT, DeadLetter, read_letter
from tidegraph.log.headers import Headers
from tidegraph.log.status import StatusRecord
from tidegraph.log.topics import Topic
from tidegraph.ports import LogRecord
from tidegraph.streams.flow import Input, Output, Result, Subject, status_line
from tidegraph.streams.runner import BUG_ATTEMPTS, Backoff, Runner, Scribe


class StillClock:
    def now(self) -> int:
        return 1_000


def _item(offset: int, key: bytes | None = b"k", value: bytes | None = b"v") -> Input:
    return Input(LogRecord("documents", 0, offset, 7, key, value, ()), "life", 7)


@dataclass
class Script:
    """A stage that fails as it is told: a list of errors for each offset, then success."""

    errors: dict[int, list[BaseException]] = field(default_factory=dict)
    stage: str = "ground"
    calls: list[int] = field(default_factory=list)
    gate: Callable[[], object] | None = None

    async def handle(self, item: Input) -> Result:
        self.calls.append(item.record.offset)
        await asyncio.sleep(0)
        left = self.errors.get(item.record.offset)
        if left:
            raise left.pop(0)
        out = Output(Topic.GROUNDED, b"k", str(item.record.offset).encode(), (), b"k")
        return Result((out,), (status_line(self.subject(item), self.stage, 1),))

    def subject(self, item: Input) -> Subject:
        return Subject(item.position, "g", f"d{item.record.offset}", "r", 7, 1, 1)


@dataclass
class Memory:
    """A sink that keeps what it is given, after failing as it is told."""

    failures: list[BaseException] = field(default_factory=list)
    too_large: bytes | None = None
    letter_bytes: int = 1_000_000
    written: list[bytes] = field(default_factory=list)
    told: list[StatusRecord] = field(default_factory=list)
    buried: list[tuple[bytes, bytes, Headers]] = field(default_factory=list)

    def _fail(self) -> None:
        if self.failures:
            raise self.failures.pop(0)

    async def write(self, outputs: Sequence[Output]) -> None:
        self._fail()
        if any(output.value == self.too_large for output in outputs):
            raise LimitExceeded("RECORD_TOO_LARGE", "too large")
        self.written.extend(output.value for output in outputs)

    async def tell(self, statuses: Sequence[StatusRecord]) -> None:
        self._fail()
        self.told.extend(statuses)

    async def bury(self, key: bytes, value: bytes, headers: Headers) -> None:
        self._fail()
        if value == self.too_large or sum(len(each) for _, each in headers) > self.letter_bytes:
            raise LimitExceeded("RECORD_TOO_LARGE", "too large")
        self.buried.append((key, value, headers))

    def letters(self) -> list[DeadLetter]:
        return [read_letter(LogRecord("dead-letters", 0, 0, 0, k, v, tuple(h))) for k, v, h in self.buried]


def _runner(stage: Script, sink: Memory, slept: list[float] | None = None) -> Runner:
    async def sleep(seconds: float) -> None:
        if slept is not None:
            slept.append(seconds)
        await asyncio.sleep(0)

    return Runner(stage, Scribe(stage.stage, sink, StillClock(), sleep=sleep))


async def test_a_rejected_record_is_buried_and_the_rest_flows_on() -> None:
    sink = Memory()
    stage = Script({1: [Rejected("NOT_TEXT", "not UTF-8")]})
    await _runner(stage, sink).run([_item(0), _item(1, value=b"\xff"), _item(2)])
    assert sink.written == [b"0", b"2"]
    [dead] = sink.letters()
    assert (dead.reason, dead.value, dead.document_id, dead.position.offset) == ("NOT_TEXT", b"\xff", "d1", 1)
    assert [(s.document_id, s.outcome, s.cause) for s in sink.told if s.outcome] == [
        ("d1", "dead_letter", "NOT_TEXT: not UTF-8")
    ]


async def test_a_bug_is_tried_again_then_buried_with_its_trace() -> None:
    sink = Memory()
    stage = Script({0: [ValueError("boom")] * BUG_ATTEMPTS, 1: [Bug("ODD", "once")]})
    await _runner(stage, sink).run([_item(0), _item(1)])
    assert stage.calls == [0] * BUG_ATTEMPTS + [1, 1]
    assert sink.written == [b"1"]
    assert b"ValueError: boom" in dict(sink.buried[0][2])[CONNECT + "exception.stacktrace"]


async def test_what_is_away_is_waited_for_however_long() -> None:
    sink, slept = Memory(), list[float]()
    away: list[BaseException] = [Retryable("STORE_AWAY", "refused") for _ in range(40)]
    stage = Script({0: [*away, Conflicted("FENCE", "moved on")]})
    await _runner(stage, sink, slept).run([_item(0)])
    assert (sink.written, sink.buried, len(slept)) == ([b"0"], [], 41)
    assert max(slept) <= Backoff().cap_seconds


async def test_the_log_is_waited_for_too() -> None:
    sink = Memory([Retryable("LOG_UNAVAILABLE", "x"), Rejected("LOG_ACCESS_DENIED", "x"), OSError("x")])
    await _runner(Script({0: [Rejected("BAD", "x")]}), sink).run([_item(0), _item(1)])
    assert sink.written == [b"1"]
    assert [dead.reason for dead in sink.letters()] == ["BAD"]


async def test_no_key_or_header_of_a_sender_holds_the_stream_up() -> None:
    sink = Memory()
    huge = b"x" * 2_000_000
    item = _item(1)
    item = replace(item, record=replace(item.record, key=huge, headers=(("big", huge), ("small", b"kept"))))
    await _runner(Script({1: [Rejected("BAD", "x")]}), sink).run([_item(0), item, _item(2)])
    assert sorted(sink.written) == [b"0", b"2"]
    [dead] = sink.letters()
    assert (dead.reason, dead.position.offset, dead.headers) == ("BAD", 1, (("small", b"kept"),))


async def test_an_output_that_is_too_large_is_the_document_s_fault() -> None:
    sink = Memory(too_large=b"1")
    await _runner(Script(), sink).run([_item(0), _item(1), _item(2)])
    assert sink.written == [b"0", b"2"]
    assert [dead.reason for dead in sink.letters()] == ["RECORD_TOO_LARGE"]


async def test_a_letter_that_is_too_large_is_sent_without_its_bytes() -> None:
    sink = Memory(too_large=b"huge")
    await _runner(Script({0: [Rejected("BAD", "x")]}), sink).run([_item(0, value=b"huge")])
    [dead] = sink.letters()
    assert dead.reason == "BAD"
    assert dead.value is not None
    assert b"larger than" in dead.value


async def test_one_key_is_kept_in_order_and_others_do_not_wait_for_it() -> None:
    sink = Memory()
    stage = Script({0: [Retryable("AWAY", "x") for _ in range(20)]})
    await _runner(stage, sink).run([_item(0, b"a"), _item(1, b"b"), _item(2, b"a"), _item(3, None)])
    assert sink.written.index(b"0") < sink.written.index(b"2")
    assert sink.written.index(b"1") < sink.written.index(b"0")
    assert sink.written.index(b"3") < sink.written.index(b"0")


async def test_cancellation_passes_through() -> None:
    sink = Memory()
    started = asyncio.Event()

    async def forever(_: float) -> None:
        started.set()
        await asyncio.Event().wait()

    stage = Script({0: [Retryable("AWAY", "x")]})
    runner = Runner(stage, Scribe("ground", sink, StillClock(), sleep=forever))
    task = asyncio.create_task(runner.run([_item(0)]))
    await started.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert (sink.written, sink.buried) == ([], [])


@given(st.integers(1, 10_000), st.floats(0, 1e6))
def test_pauses_are_bounded(attempt: int, asked: float) -> None:
    assert 0 < Backoff().pause(attempt, asked) <= Backoff().cap_seconds


@given(st.lists(st.sampled_from("oRrb"), min_size=1, max_size=12))
async def test_every_record_has_exactly_one_end(kinds: list[str]) -> None:
    make: dict[str, Callable[[], list[BaseException]]] = {
        "o": list,
        "R": lambda: [Rejected("BAD", "x")],
        "r": lambda: [Retryable("AWAY", "x"), Retryable("AWAY", "x")],
        "b": lambda: [RuntimeError("x") for _ in range(BUG_ATTEMPTS)],
    }
    sink = Memory()
    stage = Script({n: make[kind]() for n, kind in enumerate(kinds)})
    await _runner(stage, sink).run([_item(n, b"k%d" % (n % 3)) for n in range(len(kinds))])
    ended = [int(value) for value in sink.written] + [dead.position.offset for dead in sink.letters()]
    assert sorted(ended) == list(range(len(kinds)))
