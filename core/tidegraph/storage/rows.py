"""Domain records to property maps of the store, and back.

Empty strings and empty lists are left out (an indexed empty string is never found again); a property
that is absent reads as empty. Instants are checked by the codec's rule before they are written.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

import orjson

from tidegraph.domain.documents import (
    Chunk,
    DocumentHeader,
    DocumentKind,
    DocumentTime,
    EndpointBasis,
    EntityType,
    Event,
    Position,
    Status,
    TimeState,
    ValidTime,
    Verb,
)
from tidegraph.domain.facts import Assertion, FactVersion
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


def _compact(row: Row) -> Row:
    return {name: value for name, value in row.items() if value not in _ABSENT}


def _pairs(pairs: Iterable[tuple[str, str]]) -> str:
    listed = [list(pair) for pair in pairs]
    return orjson.dumps(listed).decode() if listed else ""


def _unpairs(text: str) -> tuple[tuple[str, str], ...]:
    return tuple((name, value) for name, value in orjson.loads(text)) if text else ()


def document_row(record: DocumentRecord) -> Row:
    """Properties of a Document node: one part of one reading."""
    header = record.header
    time = header.document_time
    return _compact(
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


def document_record(graph: str, row: Mapping[str, Any]) -> DocumentRecord:
    """The inverse of :func:`document_row`."""
    text = _texts(row)
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
    return _compact(
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
    text = _texts(row)
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
    return _compact(
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
    text = _texts(row)
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


def assertion_row(assertion: Assertion, origin: str) -> Row:
    """Properties of an Assertion node."""
    valid = assertion.valid
    return _compact(
        {
            "id": assertion.assertion_id,
            "origin": origin,
            "key": assertion.key,
            "subject": assertion.subject,
            "predicate": assertion.predicate,
            "object": assertion.object,
            "object_is_entity": assertion.object_is_entity,
            "qualifiers": _pairs(assertion.qualifiers),
            "start": check_time(valid.start),
            "end": check_time(valid.end),
            "start_granularity": int(valid.start_granularity),
            "end_granularity": int(valid.end_granularity),
            "start_basis": int(valid.start_basis),
            "end_basis": int(valid.end_basis),
            "verb": int(assertion.verb),
            "status": int(assertion.status),
            "confidence": float(assertion.confidence),
            "source": assertion.source,
            "source_priority": assertion.source_priority,
            "document_id": assertion.document_id,
            "revision": assertion.revision,
            "document_time": check_time(assertion.document_time),
            "register": assertion.register,
            "labels": assertion.labels,
            "restricted": 1 if assertion.labels else None,
            "event_id": assertion.event_id,
            "start_char": assertion.start_char,
            "end_char": assertion.end_char,
            "rule_id": assertion.rule_id,
            "recorded_at": check_time(assertion.recorded_at),
            "withdrawn_at": check_time(assertion.withdrawn_at),
        }
    )


def assertion_of(row: Mapping[str, Any]) -> Assertion:
    """The inverse of :func:`assertion_row`."""
    text = _texts(row)
    valid = ValidTime(
        start=row["start"],
        end=row["end"],
        start_granularity=Granularity(row["start_granularity"]),
        end_granularity=Granularity(row["end_granularity"]),
        start_basis=EndpointBasis(row["start_basis"]),
        end_basis=EndpointBasis(row["end_basis"]),
    )
    return Assertion(
        assertion_id=text("id"),
        key=text("key"),
        subject=text("subject"),
        predicate=text("predicate"),
        object=text("object"),
        object_is_entity=row["object_is_entity"],
        qualifiers=_unpairs(text("qualifiers")),
        valid=valid,
        verb=Verb(row["verb"]),
        status=Status(row["status"]),
        confidence=float(row["confidence"]),
        source=text("source"),
        source_priority=row["source_priority"],
        document_id=text("document_id"),
        revision=text("revision"),
        document_time=row["document_time"],
        register=row["register"],
        labels=tuple(row.get("labels", ())),
        event_id=text("event_id"),
        start_char=row["start_char"],
        end_char=row["end_char"],
        rule_id=text("rule_id"),
        recorded_at=row["recorded_at"],
        withdrawn_at=row["withdrawn_at"],
    )


def version_row(version: FactVersion) -> Row:
    """Properties of a FACT edge."""
    return _compact(
        {
            "id": version.version_id,
            "key": version.key,
            "subject": version.subject,
            "predicate": version.predicate,
            "object": version.object,
            "object_is_entity": version.object_is_entity,
            "qualifiers": _pairs(version.qualifiers),
            "start": check_time(version.valid.start),
            "end": check_time(version.valid.end),
            "granularity": int(version.valid.granularity),
            "start_granularity": int(version.start_granularity),
            "end_granularity": int(version.end_granularity),
            "start_known": version.start_known,
            "end_inferred": version.end_inferred,
            "announced": version.announced,
            "conflicted": version.conflicted,
            "recorded_at": check_time(version.recorded_at),
            "invalidated_at": check_time(version.invalidated_at),
        }
    )


def version_of(row: Mapping[str, Any]) -> FactVersion:
    """The inverse of :func:`version_row`."""
    text = _texts(row)
    return FactVersion(
        version_id=text("id"),
        key=text("key"),
        subject=text("subject"),
        predicate=text("predicate"),
        object=text("object"),
        object_is_entity=row["object_is_entity"],
        qualifiers=_unpairs(text("qualifiers")),
        valid=Interval(row["start"], row["end"], Granularity(row["granularity"])),
        start_granularity=Granularity(row["start_granularity"]),
        end_granularity=Granularity(row["end_granularity"]),
        start_known=row["start_known"],
        end_inferred=row["end_inferred"],
        announced=row["announced"],
        conflicted=row["conflicted"],
        recorded_at=row["recorded_at"],
        invalidated_at=row["invalidated_at"],
    )


def change_row(change: ChangeRow) -> Row:
    """Properties of a Change node; the commit sets its sequence."""
    return _compact(
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
    text = _texts(row)
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
    """Properties of an Alias node: one name that an entity was seen under."""
    return _compact(
        {
            "id": make_id("alias", entity.entity_id, normal, text),
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


def version_order(version: FactVersion) -> tuple[str, int, int, str]:
    """(key, valid start, recorded_at, version id): the order in which facts are returned."""
    return version.key, version.valid.start, version.recorded_at, version.version_id


def _texts(row: Mapping[str, Any]) -> Callable[[str], str]:
    def text(name: str) -> str:
        return str(row.get(name, ""))

    return text
