"""What a stage takes and gives: records in, outputs and status lines out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from tidegraph.domain.documents import DocumentHeader, ExtractedDocument, GroundedDocument, Position
from tidegraph.domain.errors import Rejected
from tidegraph.log.codecs import decode
from tidegraph.log.headers import Headers
from tidegraph.log.status import StatusRecord
from tidegraph.log.topics import Topic
from tidegraph.ports import LogRecord


@dataclass(frozen=True, slots=True)
class Input:
    """A record as a stage gets it. ``incarnation`` names the life of its topic.

    ``recorded_at`` is the record's stamp where the topic's order gives one (``documents``,
    ``control``), else 0.
    """

    record: LogRecord
    incarnation: str
    recorded_at: int

    @property
    def position(self) -> Position:
        return Position(self.record.topic, self.record.partition, self.record.offset, self.incarnation)


@dataclass(frozen=True, slots=True)
class Output:
    """A record to write. ``route`` is the key that chooses the partition where ``key`` does not.

    Without a value it is a tombstone.
    """

    topic: Topic
    key: bytes
    value: bytes | None
    headers: tuple[tuple[str, bytes], ...]
    route: bytes


@dataclass(frozen=True, slots=True)
class Subject:
    """Which document a record is about, as far as it could be read."""

    position: Position
    graph: str
    document_id: str
    revision: str
    recorded_at: int
    part: int
    parts: int

    @staticmethod
    def of(header: DocumentHeader) -> Subject:
        """The subject that a header names."""
        return Subject(
            position=header.position,
            graph=header.graph,
            document_id=header.document_id,
            revision=header.revision,
            recorded_at=header.recorded_at,
            part=header.part,
            parts=header.parts,
        )


@dataclass(frozen=True, slots=True)
class Result:
    """What came of one input. The status lines are written before the outputs."""

    outputs: tuple[Output, ...]
    statuses: tuple[StatusRecord, ...]


class Handler(Protocol):
    """One stage. ``handle`` raises domain errors only; anything else is a bug of ours."""

    @property
    def stage(self) -> str: ...

    async def handle(self, item: Input) -> Result:
        """Do the work of the stage on one record."""
        ...

    def subject(self, item: Input) -> Subject:
        """Which document the record is about; must not raise, whatever the record holds."""
        ...


class Sink(Protocol):
    """Where outputs go: each call returns when the log has them all.

    Raises:
        Retryable: the log is away.
        LimitExceeded: an output is larger than its topic takes.
    """

    async def write(self, outputs: Sequence[Output]) -> None: ...

    async def tell(self, statuses: Sequence[StatusRecord]) -> None: ...

    async def bury(self, key: bytes, value: bytes, headers: Headers) -> None: ...


def header_subject(item: Input, kind: type[GroundedDocument] | type[ExtractedDocument]) -> Subject:
    """The subject of a record of a later stage; where it cannot be read, the record itself."""
    try:
        return Subject.of(decode(kind, item.record.value or b"").header)
    except Rejected:
        return Subject(item.position, "", "", "", 0, 1, 1)


def status_line(
    subject: Subject, stage: str, now: int, *, outcome: str = "", cause: str = ""
) -> StatusRecord:
    """A status line about a subject; the cause is cut to what fits a line."""
    return StatusRecord(
        position=subject.position,
        graph=subject.graph,
        document_id=subject.document_id,
        revision=subject.revision,
        stage=stage,
        outcome=outcome,
        cause=cause[:500],
        recorded_at=subject.recorded_at,
        updated_at=now,
        part=subject.part,
        parts=subject.parts,
    )
