"""Dead letters keep the original, say why, and can be replayed once."""

from __future__ import annotations

import pytest

from tidegraph.domain.errors import NotFound, Rejected
from tidegraph.log.deadletter import CONNECT, DeadLetter, Failure, letter, list_letters, replay
from tidegraph.log.memory import MemoryLog
from tidegraph.log.topics import Topic
from tidegraph.ports import LogRecord


class TickingClock:
    def __init__(self) -> None:
        self.value = 1_700_000_000_000_000

    def now(self) -> int:
        self.value += 1_000
        return self.value


def _record(value: bytes | None = b"\xff\x00broken", key: bytes | None = b"k\xff") -> LogRecord:
    return LogRecord("documents", 2, 17, 5_000, key, value, (("h", b"1"), ("h", b"\xfe")))


def _failure(record: LogRecord, error: BaseException | None = None, failed_at: int = 9) -> Failure:
    return Failure(
        record=record,
        incarnation="life",
        stage="ground",
        error=error or Rejected("NOT_TEXT", "not UTF-8 at byte 0"),
        graph="acme",
        document_id="d1",
        failed_at=failed_at,
    )


async def _write(log: MemoryLog, failure: Failure) -> None:
    key, value, headers = letter(failure, expected=True)
    await log.append(Topic.DEAD_LETTERS, key, value, headers, None)


@pytest.mark.parametrize("value", [b"\xff\x00broken", b"", None])
@pytest.mark.parametrize("key", [b"k\xff", b"", None])
async def test_a_letter_keeps_the_original(value: bytes | None, key: bytes | None) -> None:
    log = MemoryLog(TickingClock())
    await _write(log, _failure(_record(value, key)))
    [dead] = await list_letters(log, limit=10)
    assert (dead.key, dead.value, dead.headers) == (key, value, (("h", b"1"), ("h", b"\xfe")))
    assert (dead.position.topic, dead.position.partition, dead.position.offset) == ("documents", 2, 17)
    assert (dead.stage, dead.reason, dead.graph, dead.document_id) == ("ground", "NOT_TEXT", "acme", "d1")


def test_connect_headers_are_there_and_short() -> None:
    try:
        raise ValueError("x" * 50_000)
    except ValueError as error:
        _, _, headers = letter(_failure(_record(), error), expected=False)
    told = {name.removeprefix(CONNECT): value for name, value in headers if name.startswith(CONNECT)}
    assert told["topic"] == b"documents"
    assert told["exception.class.name"] == b"builtins.ValueError"
    assert told["exception.stacktrace"].startswith(b"x")
    assert sum(len(value) for value in told.values()) < 6_000


def test_an_expected_error_has_no_trace() -> None:
    _, _, headers = letter(_failure(_record()), expected=True)
    assert dict(headers)[CONNECT + "exception.stacktrace"] == b""


async def test_a_repeated_failure_is_one_letter_the_newest_first() -> None:
    log = MemoryLog(TickingClock(), partitions=3)
    await _write(log, _failure(_record(), failed_at=1))
    other = LogRecord("documents", 0, 1, 0, None, b"x", ())
    await _write(log, _failure(other, failed_at=2))
    await _write(log, _failure(_record(), failed_at=3))
    found = await list_letters(log, limit=10)
    assert [each.failed_at for each in found] == [3, 2]
    assert [each.failed_at for each in await list_letters(log, limit=1)] == [3]


async def test_replay_restores_the_record_and_removes_the_letter() -> None:
    log = MemoryLog(TickingClock())
    await _write(log, _failure(_record()))
    [dead] = await list_letters(log, limit=10)
    placed = await replay(log, dead)
    [again] = [record async for record in log.read(Topic.DOCUMENTS)]
    assert (again.key, again.value, again.headers) == (_record().key, _record().value, _record().headers)
    assert (placed.topic, placed.offset) == ("documents", 0)
    assert await list_letters(log, limit=10) == []


async def test_a_letter_of_an_unknown_topic_is_not_replayed() -> None:
    log = MemoryLog(TickingClock())
    key, value, headers = letter(_failure(_record()), expected=True)
    foreign = [(n, b"else" if n == CONNECT + "topic" else v) for n, v in headers]
    await log.append(Topic.DEAD_LETTERS, key, value, foreign, None)
    [dead] = await list_letters(log, limit=10, select=lambda each: each.graph == "acme")
    with pytest.raises(NotFound):
        await replay(log, dead)
    assert isinstance(dead, DeadLetter)
