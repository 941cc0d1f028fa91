"""Domain records to API messages. Nothing is decided here."""

from __future__ import annotations

from collections.abc import Mapping

from google.protobuf.timestamp_pb2 import Timestamp

from tidegraph.api.v1 import types_pb2 as api
from tidegraph.domain.documents import TimeState
from tidegraph.domain.facts import FactVersion
from tidegraph.domain.interval import OPEN_START, Granularity, format_instant
from tidegraph.ports import ChunkRecord, EntityRecord, EventRecord
from tidegraph.services.times import to_period, to_stamp

Names = Mapping[str, EntityRecord]


def entity_ref(entity_id: str, names: Names) -> api.EntityRef:
    """A reference; an entity that the reader may not see keeps its id as its name."""
    record = names.get(entity_id)
    if record is None:
        return api.EntityRef(entity_id=entity_id, name=entity_id)
    kind = api.EntityType.ValueType(int(record.type))
    return api.EntityRef(entity_id=entity_id, name=record.name, type=kind)


def fact(version: FactVersion, names: Names, text: str) -> api.Fact:
    value = (
        api.Value(entity=entity_ref(version.object, names))
        if version.object_is_entity
        else api.Value(literal=version.object)
    )
    return api.Fact(
        fact_id=version.version_id,
        key=version.key,
        subject=entity_ref(version.subject, names),
        predicate=version.predicate,
        object=value,
        qualifiers=[api.Qualifier(name=name, value=value) for name, value in version.qualifiers],
        valid=to_period(
            version.valid.start, version.valid.end, version.start_granularity, version.end_granularity
        ),
        recorded=recorded(version.recorded_at, version.invalidated_at),
        end_inferred=version.end_inferred,
        start_known=version.start_known,
        announced=version.announced,
        conflicted=version.conflicted,
        text=text,
    )


def recorded(start: int, end: int) -> api.Period:
    return to_period(start, end, Granularity.MICROSECOND, Granularity.MICROSECOND)


def event(record: EventRecord, names: Names) -> api.Event:
    inner = record.event
    message = api.Event(
        event_id=inner.event_id,
        sentence=inner.sentence,
        time_state=api.TimeState.ValueType(int(inner.time_state)),
        entities=[entity_ref(entity_id, names) for entity_id in record.entity_ids],
        status=api.ClaimStatus.ValueType(int(inner.status)),
        extractor=inner.extractor,
        source=api.Source(
            document_id=record.document_id,
            revision=record.revision,
            title=record.title,
            start_char=inner.start_char,
            end_char=inner.end_char,
            document_time_text=document_time(record.document_time),
            recorded=recorded(record.recorded_at, record.withdrawn_at),
        ),
    )
    if inner.time_state is TimeState.DATED and inner.interval is not None:
        span = inner.interval
        message.time.CopyFrom(to_period(span.start, span.end, span.granularity, span.granularity))
    return message


def chunk_source(record: ChunkRecord) -> api.Source:
    return api.Source(
        document_id=record.document_id,
        revision=record.revision,
        title=record.chunk.title,
        start_char=record.chunk.start_char,
        end_char=record.chunk.end_char,
        document_time_text=document_time(record.document_time),
        recorded=recorded(record.recorded_at, record.withdrawn_at),
    )


def document_time(value: int) -> str:
    """Text of a document time; empty when the document has none."""
    return "" if value == OPEN_START else format_instant(value)


def stamp(value: int) -> Timestamp | None:
    return to_stamp(value)
