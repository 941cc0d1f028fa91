"""The ground stage: a raw record becomes a document with its chunks and resolved time expressions.

Here a document enters: its position and its recorded time are fixed, and its own time is found.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from tidegraph.domain.documents import (
    Chunk,
    DocumentHeader,
    DocumentKind,
    DocumentTime,
    GroundedDocument,
    StructuredRecord,
    TimeExpression,
)
from tidegraph.domain.errors import Rejected
from tidegraph.inputs.document import RawDocument
from tidegraph.language import chunking
from tidegraph.language.grounding import find_document_time, ground
from tidegraph.language.sources import SourceSettings
from tidegraph.log.codecs import encode
from tidegraph.log.headers import backfill_instant, stamped
from tidegraph.log.keys import document_key, grounded_key
from tidegraph.log.status import Stage
from tidegraph.log.topics import Topic
from tidegraph.ports import Clock, LogRecord
from tidegraph.streams.flow import Input, Output, Result, Subject, status_line

RECORDS_PER_PART = 256
"""Structured records of one part, so that no record of the log grows with the document."""
_PART_RECORD_CHARS = 1_000_000

Decode = Callable[[LogRecord], RawDocument]


@dataclass(frozen=True, slots=True)
class _Piece:
    """What one part carries."""

    text: str
    end_char: int
    chunks: tuple[Chunk, ...]
    records: tuple[StructuredRecord, ...]


class GroundHandler:
    """``documents`` to ``grounded``. ``decode`` reads the record's envelope."""

    stage = Stage.GROUND

    def __init__(self, decode: Decode, sources: SourceSettings, clock: Clock, default_graph: str) -> None:
        self._decode = decode
        self._sources = sources
        self._clock = clock
        self._default_graph = default_graph

    async def handle(self, item: Input) -> Result:
        """One output for each part of the document; the work runs in a thread."""
        documents = await asyncio.to_thread(self.ground, item)
        headers = tuple(stamped(item.record.headers, self.stage))
        outputs = tuple(
            Output(
                Topic.GROUNDED,
                grounded_key(document.header),
                encode(document),
                headers,
                document_key(document.header.graph, document.header.document_id),
            )
            for document in documents
        )
        accepted = replace(Subject.of(documents[0].header), part=0)
        return Result(outputs, (status_line(accepted, self.stage, self._clock.now()),))

    def subject(self, item: Input) -> Subject:
        """The document as far as the record tells, without the work of grounding it."""
        graph, document_id, revision = self._default_graph, "", ""
        try:
            raw = self._decode(item.record)
            graph, document_id, revision = raw.graph, raw.document_id, raw.revision
        except Exception:
            document_id = (item.record.key or b"").decode("utf-8", "replace")[:200]
        return Subject(item.position, graph, document_id, revision, item.recorded_at, 0, 0)

    def ground(self, item: Input) -> list[GroundedDocument]:
        """The document's parts, in order.

        Raises:
            Rejected: the record is no document, or declares a backfill time that is none.
            Retryable: the schema registry does not answer.
        """
        raw = self._decode(item.record)
        backfill = backfill_instant(item.record.headers)
        recorded_at = item.recorded_at if backfill is None else min(backfill, item.recorded_at)
        is_text = bool(raw.text) and raw.kind is not DocumentKind.RETRACTION
        document_time = raw.document_time
        if document_time is None and is_text:
            document_time = find_document_time(raw.text, self._sources.of(raw.source))
        expressions = self._expressions(raw, document_time) if is_text else ()
        pieces = list(_pieces(raw))
        return [
            GroundedDocument(
                header=_header(raw, item, document_time, recorded_at, part, len(pieces)),
                text=piece.text,
                chunks=piece.chunks,
                expressions=_within(expressions, piece),
                records=piece.records,
                mapping=raw.mapping,
            )
            for part, piece in enumerate(pieces, start=1)
        ]

    def _expressions(self, raw: RawDocument, time: DocumentTime | None) -> tuple[TimeExpression, ...]:
        settings = self._sources.of(raw.source)
        language = raw.language.split("-")[0].lower()
        if language and language != settings.language:
            try:
                return ground(raw.text, time, replace(settings, language=language))
            except Rejected:
                pass  # no grammar for that language: the default one still reads dates in figures
        return ground(raw.text, time, settings)


def _header(
    raw: RawDocument, item: Input, time: DocumentTime | None, recorded_at: int, part: int, parts: int
) -> DocumentHeader:
    return DocumentHeader(
        graph=raw.graph,
        document_id=raw.document_id,
        revision=raw.revision,
        source=raw.source,
        title=raw.title,
        kind=raw.kind,
        document_time=time,
        labels=raw.labels,
        source_priority=raw.source_priority,
        language=raw.language,
        position=item.position,
        recorded_at=recorded_at,
        part=part,
        parts=parts,
        content_hash=raw.content_hash,
        appended_at=item.recorded_at if recorded_at < item.recorded_at else 0,
    )


def _pieces(raw: RawDocument) -> Iterator[_Piece]:
    """The parts of a document: of its text, and of its records; a retraction is one empty part."""
    if raw.kind is DocumentKind.RETRACTION or not (raw.text or raw.records):
        yield _Piece("", 0, (), ())
        return
    if raw.text:
        for part in chunking.cut(raw.graph, raw.document_id, raw.revision, raw.title, raw.text):
            yield _Piece(raw.text[part.start_char : part.end_char], part.end_char, part.chunks, ())
    for group in _record_groups(raw.records):
        yield _Piece("", 0, (), group)


def _record_groups(records: Sequence[str]) -> Iterator[tuple[StructuredRecord, ...]]:
    group: list[StructuredRecord] = []
    size = 0
    for ordinal, text in enumerate(records):
        if group and (len(group) >= RECORDS_PER_PART or size + len(text) > _PART_RECORD_CHARS):
            yield tuple(group)
            group, size = [], 0
        pointer = f"/{ordinal}" if len(records) > 1 else ""
        group.append(StructuredRecord(ordinal, pointer, text))
        size += len(text)
    if group:
        yield tuple(group)


def _within(expressions: Sequence[TimeExpression], piece: _Piece) -> tuple[TimeExpression, ...]:
    """The expressions that begin in the text of a piece."""
    if not piece.text:
        return ()
    start = piece.end_char - len(piece.text)
    return tuple(each for each in expressions if start <= each.start_char < piece.end_char)
