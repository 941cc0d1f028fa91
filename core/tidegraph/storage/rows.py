"""Domain records to property maps of the store, and back.

Empty strings and empty lists are left out (an indexed empty string is never found again); a property
that is absent reads as empty. Instants are checked by the codec's rule before they are written.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from tidegraph.domain.documents import (
    Chunk,
    DocumentHeader,
    DocumentKind,
    DocumentTime,
    EntityType,
    Event,
    Position,
    Status,
    TimeState,
)
from tidegraph.domain.ids import make_id
from tidegraph.domain.interval import Granularity, Interval
from tidegraph.ports import (
    ChangeRow,
    ChunkRecord,
    DocumentRecord,
    EntityWrite,
    EventRecord,
)
from tidegraph.storage.codec import check_time
from tidegraph.storage.terms import words

Row = dict[str, Any]

_ABSENT: Final = (None, "", ())


def compact(row: Row) -> Row:
    """The row without what is empty."""
    return {name: value for name, value in row.items() if value not in _ABSENT}


def document_row(record: DocumentRecord) -> Row:
    """Properties of a Document node: one part of one reading."""
    header = record.header
    time = header.document_time
    return compact(
        {
            "id": make_id("part", record.origin, header.part),
            "origin": record.origin,
            "revision_origin": record.revision_origin,
            "generation": record.generation,
            "epoch": record.extractor_epoch,
            "document_id": header.document_id,
            "revision": header.revision,
            "source": header.source,
            "title": header.title,
            "kind": int(header.kind),
            "document_time": check_time(time.instant) if time else None,
            "time_granularity": int(time.granularity) if time else None,
            "time_provenance": time.provenance if time else None,
            "labels": header.labels,
            "source_priority": header.source_priority,
            "language": header.language,
            "topic": header.position.topic,
            "partition": header.position.partition,
            "offset": header.position.offset,
            "incarnation": header.position.incarnation,
            "recorded_at": check_time(header.recorded_at),
            "part": header.part,
            "parts": header.parts,
            "content_hash": header.content_hash,
            "withdrawn_at": check_time(record.withdrawn_at),
        }
    )


def document_order(record: DocumentRecord) -> tuple[str, int, str, int, str]:
    """The order in which documents are returned."""
    header = record.header
    return header.document_id, header.recorded_at, header.revision, header.part, record.origin


def document_record(graph: str, row: Mapping[str, Any]) -> DocumentRecord:
    """The inverse of :func:`document_row`."""
    text = texts(row)
    time = None
    if "document_time" in row:
        granularity = Granularity(row["time_granularity"])
        time = DocumentTime(row["document_time"], granularity, text("time_provenance"))
    header = DocumentHeader(
        graph=graph,
        document_id=text("document_id"),
        revision=text("revision"),
        source=text("source"),
        title=text("title"),
        kind=DocumentKind(row["kind"]),
        document_time=time,
        labels=tuple(row.get("labels", ())),
        source_priority=row["source_priority"],
        language=text("language"),
        position=Position(text("topic"), row["partition"], row["offset"], text("incarnation")),
        recorded_at=row["recorded_at"],
        part=row["part"],
        parts=row["parts"],
        content_hash=text("content_hash"),
    )
    return DocumentRecord(
        header, text("epoch"), row["generation"], text("origin"), text("revision_origin"), row["withdrawn_at"]
    )


def chunk_row(record: ChunkRecord, origin: str) -> Row:
    """Properties of a Chunk node; ``origin`` is the submission that it belongs to."""
    chunk = record.chunk
    return compact(
        {
            "id": chunk.chunk_id,
            "origin": origin,
            "ordinal": chunk.ordinal,
            "start_char": chunk.start_char,
            "end_char": chunk.end_char,
            "title": chunk.title,
            "text": chunk.text,
            "words": words(chunk.title, chunk.text),
            "document_id": record.document_id,
            "revision": record.revision,
            "document_time": check_time(record.document_time),
            "labels": record.labels,
            "recorded_at": check_time(record.recorded_at),
            "withdrawn_at": check_time(record.withdrawn_at),
        }
    )


def chunk_record(row: Mapping[str, Any]) -> ChunkRecord:
    """The inverse of :func:`chunk_row`."""
    text = texts(row)
    chunk = Chunk(text("id"), row["ordinal"], row["start_char"], row["end_char"], text("title"), text("text"))
    return ChunkRecord(
        chunk=chunk,
        document_id=text("document_id"),
        revision=text("revision"),
        document_time=row["document_time"],
        labels=tuple(row.get("labels", ())),
        recorded_at=row["recorded_at"],
        withdrawn_at=row["withdrawn_at"],
    )


def event_row(record: EventRecord, origin: str) -> Row:
    """Properties of an Event node; ``origin`` is the reading that it came from."""
    event = record.event
    interval = event.interval
    return compact(
        {
            "id": event.event_id,
            "origin": origin,
            "chunk_ids": event.chunk_ids,
            "ordinal": event.ordinal,
            "sentence": event.sentence,
            "words": words(record.title, event.sentence),
            "start_char": event.start_char,
            "end_char": event.end_char,
            "time_state": int(event.time_state),
            "start": check_time(interval.start) if interval else None,
            "end": check_time(interval.end) if interval else None,
            "granularity": int(interval.granularity) if interval else None,
            "time_rule_id": event.time_rule_id,
            "mention_ids": event.mention_ids,
            "score": event.score,
            "reasons": event.reasons,
            "status": int(event.status),
            "extractor": event.extractor,
            "entity_ids": record.entity_ids,
            "document_id": record.document_id,
            "revision": record.revision,
            "document_time": check_time(record.document_time),
            "title": record.title,
            "labels": record.labels,
            "recorded_at": check_time(record.recorded_at),
            "withdrawn_at": check_time(record.withdrawn_at),
        }
    )


def event_record(row: Mapping[str, Any]) -> EventRecord:
    """The inverse of :func:`event_row`."""
    text = texts(row)
    event = Event(
        event_id=text("id"),
        chunk_ids=tuple(row.get("chunk_ids", ())),
        ordinal=row["ordinal"],
        sentence=text("sentence"),
        start_char=row["start_char"],
        end_char=row["end_char"],
        time_state=TimeState(row["time_state"]),
        interval=interval_of(row),
        time_rule_id=text("time_rule_id"),
        mention_ids=tuple(row.get("mention_ids", ())),
        score=row["score"],
        reasons=tuple(row.get("reasons", ())),
        status=Status(row["status"]),
        extractor=text("extractor"),
    )
    return EventRecord(
        event=event,
        entity_ids=tuple(row.get("entity_ids", ())),
        document_id=text("document_id"),
        revision=text("revision"),
        document_time=row["document_time"],
        title=text("title"),
        labels=tuple(row.get("labels", ())),
        recorded_at=row["recorded_at"],
        withdrawn_at=row["withdrawn_at"],
    )


def interval_of(row: Mapping[str, Any]) -> Interval | None:
    """An event's own time, or None when it has none."""
    if row.get("start") is None:
        return None
    return Interval(row["start"], row["end"], Granularity(row["granularity"]))


def change_row(change: ChangeRow) -> Row:
    """Properties of a Change node; the commit sets its sequence."""
    return compact(
        {
            "id": change.change_id,
            "action": change.action,
            "entity_id": change.entity_id,
            "version_id": change.version_id,
            "recorded_at": check_time(change.recorded_at),
            "text": change.text,
        }
    )


def change_of(row: Mapping[str, Any]) -> ChangeRow:
    """The inverse of :func:`change_row`, with the sequence of its commit."""
    text = texts(row)
    return ChangeRow(
        change_id=text("id"),
        sequence=row["seq"],
        action=text("action"),
        entity_id=text("entity_id"),
        version_id=text("version_id"),
        recorded_at=row["recorded_at"],
        text=text("text"),
    )


def alias_row(entity: EntityWrite, normal: str, text: str) -> Row:
    """Properties of an Alias node: one name that an entity was seen under, as a thing of one type.

    The type is a part of the id: each has the time at which it was told first, whatever arrived first.
    """
    return compact(
        {
            "id": make_id("alias", entity.entity_id, normal, text, int(entity.type)),
            "entity_id": entity.entity_id,
            "norm": normal,
            "text": text,
            "words": words(text),
            "type": int(entity.type),
            "recorded_at": check_time(entity.recorded_at),
        }
    )


def entity_type(value: Any) -> EntityType:
    """The type of a stored entity or alias."""
    return EntityType(int(value or 0))


def texts(row: Mapping[str, Any]) -> Callable[[str], str]:
    """Reads a property as text; "" where there is none."""

    def text(name: str) -> str:
        return str(row.get(name, ""))

    return text
