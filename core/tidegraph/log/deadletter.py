"""Dead letters: the original bytes and key, and why, in the headers of Kafka Connect.

A letter is keyed by the position of the record that failed, so that a repeated failure is the same
letter; a tombstone removes it. Its headers name the failure, never its text.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from tidegraph.domain.documents import Position
from tidegraph.domain.errors import NotFound, TidegraphError
from tidegraph.log.headers import Headers, first
from tidegraph.log.keys import position_key, split_key
from tidegraph.log.topics import Topic
from tidegraph.ports import Log, LogRecord

CONNECT: Final = "__connect.errors."
_OURS: Final = "tidegraph-dead-"
_ORIGINAL_KEY: Final = _OURS + "key"
_ORIGINAL_NULL: Final = _OURS + "null"
_REASON: Final = _OURS + "reason"
_GRAPH: Final = _OURS + "graph"
_DOCUMENT: Final = _OURS + "document"
_INCARNATION: Final = _OURS + "incarnation"
_FAILED_AT: Final = _OURS + "failed-at"
_ORIGIN: Final = _OURS + "origin"
_MESSAGE_CHARS: Final = 1_000
_TRACE_CHARS: Final = 4_000


@dataclass(frozen=True, slots=True)
class Failure:
    """What could not be used, where and why. ``failed_at`` is microseconds since 1970.

    ``origin`` is the position at which the document or decision entered, where that could be read; its
    status is kept by it.
    """

    record: LogRecord
    incarnation: str
    stage: str
    error: BaseException
    graph: str
    document_id: str
    failed_at: int
    origin: Position | None = None

    @property
    def position(self) -> Position:
        """Where the failed record stands."""
        return Position(self.record.topic, self.record.partition, self.record.offset, self.incarnation)

    @property
    def reason(self) -> str:
        """The stable reason of the error."""
        return self.error.reason if isinstance(self.error, TidegraphError) else "BUG"


@dataclass(frozen=True, slots=True)
class DeadLetter:
    """One letter as read back; ``position`` is that of the record, ``origin`` that of its document."""

    position: Position
    stage: str
    reason: str
    message: str
    graph: str
    document_id: str
    failed_at: int
    origin: Position
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes], ...]


def letter(failure: Failure, expected: bool) -> tuple[bytes, bytes, list[tuple[str, bytes]]]:
    """Key, value and headers of the dead letter; ``expected`` errors carry no stack trace."""
    record = failure.record
    kept = [(name, value) for name, value in record.headers if not name.startswith((CONNECT, _OURS))]
    told = {
        CONNECT + "topic": record.topic,
        CONNECT + "partition": str(record.partition),
        CONNECT + "offset": str(record.offset),
        CONNECT + "connector.name": "tidegraph",
        CONNECT + "task.id": str(record.partition),
        CONNECT + "stage": failure.stage.upper(),
        CONNECT + "class.name": f"tidegraph.streams.{failure.stage}",
        CONNECT + "exception.class.name": f"{type(failure.error).__module__}.{type(failure.error).__name__}",
        CONNECT + "exception.message": str(failure.error)[:_MESSAGE_CHARS],
        CONNECT + "exception.stacktrace": "" if expected else _trace(failure.error),
        _REASON: failure.reason,
        _GRAPH: failure.graph,
        _DOCUMENT: failure.document_id,
        _INCARNATION: failure.incarnation,
        _FAILED_AT: str(failure.failed_at),
        _ORIGIN: position_key(failure.origin or failure.position).decode("ascii"),
    }
    headers = [*kept, *((name, text.encode("utf-8", "replace")) for name, text in told.items())]
    if record.key is not None:
        headers.append((_ORIGINAL_KEY, record.key))
    if record.value is None:
        headers.append((_ORIGINAL_NULL, b"1"))
    return position_key(failure.position), record.value or b"", headers


def read_letter(record: LogRecord) -> DeadLetter:
    """A record of the topic as a letter; missing headers read as empty, as others may write here."""
    keys = [value for name, value in record.headers if name == _ORIGINAL_KEY]
    is_null = first(record.headers, _ORIGINAL_NULL) is not None
    position = Position(
        _text(record.headers, CONNECT + "topic"),
        _number(record.headers, CONNECT + "partition"),
        _number(record.headers, CONNECT + "offset"),
        _text(record.headers, _INCARNATION),
    )
    return DeadLetter(
        position=position,
        stage=_text(record.headers, CONNECT + "stage").lower(),
        reason=_text(record.headers, _REASON),
        message=_text(record.headers, CONNECT + "exception.message"),
        graph=_text(record.headers, _GRAPH),
        document_id=_text(record.headers, _DOCUMENT),
        failed_at=_number(record.headers, _FAILED_AT),
        origin=_origin(_text(record.headers, _ORIGIN)) or position,
        key=keys[0] if keys else None,
        value=None if is_null else record.value,
        headers=tuple((n, v) for n, v in record.headers if not n.startswith((CONNECT, _OURS))),
    )


async def list_letters(
    log: Log, *, limit: int, select: Callable[[DeadLetter], bool] = lambda _: True
) -> list[DeadLetter]:
    """The newest letters that are not removed, newest first, at most ``limit``."""
    found: dict[bytes, DeadLetter] = {}
    async for record in log.read(Topic.DEAD_LETTERS):
        key = record.key or b""
        found.pop(key, None)
        if record.value is not None:
            each = read_letter(record)
            if select(each):
                found[key] = each
    return sorted(found.values(), key=lambda each: (each.failed_at, each.position), reverse=True)[:limit]


async def replay(log: Log, dead: DeadLetter) -> Position:
    """Put the original record back on its topic, then remove the letter; the new position.

    A record of a later stage goes to the partition that it was in, for that says who works on it.
    At least once: a failure in between leaves both, and the stages absorb the repeated record.

    Raises:
        NotFound: the letter names a topic that is not one of ours.
    """
    if dead.position.topic not in {str(topic) for topic in Topic}:
        raise NotFound("NO_SUCH_TOPIC", f"the dead letter is of an unknown topic {dead.position.topic!r}")
    entered = dead.position.topic in (Topic.DOCUMENTS, Topic.CONTROL)
    partition = None if entered else dead.position.partition
    placed = await log.append(dead.position.topic, dead.key, dead.value, dead.headers, None, partition)
    await drop(log, dead)
    return placed


async def drop(log: Log, dead: DeadLetter) -> None:
    """Remove a letter for good."""
    await log.append(Topic.DEAD_LETTERS, position_key(dead.position), None, (), None)


def _origin(text: str) -> Position | None:
    try:
        incarnation, topic, partition, offset = split_key(text.encode("ascii"))
        return Position(topic, int(partition), int(offset), incarnation)
    except ValueError:
        return None


def _trace(error: BaseException) -> str:
    return "".join(traceback.format_exception(error))[-_TRACE_CHARS:]


def _text(headers: Headers, name: str) -> str:
    return first(headers, name) or ""


def _number(headers: Headers, name: str) -> int:
    text = _text(headers, name)
    return int(text) if text.isascii() and text.isdigit() else 0
