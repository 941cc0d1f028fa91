"""Small, complete records for the store's tests; every field may be given."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from tidegraph.domain import ids
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
from tidegraph.domain.interval import OPEN_END, Granularity, Interval, instant
from tidegraph.ports import (
    ChunkRecord,
    Commit,
    DocumentRecord,
    DocumentWrite,
    EntityWrite,
    EventRecord,
    Fence,
    NewVector,
)

DIMENSIONS = 8
DAY = 86_400_000_000


def at(year: int, month: int = 1, day: int = 1) -> int:
    return instant(year, month, day)


def unit(*components: float) -> np.ndarray[Any, np.dtype[np.float32]]:
    vector = np.zeros(DIMENSIONS, dtype=np.float32)
    vector[: len(components)] = components
    return vector / np.linalg.norm(vector)


def header(graph: str, document_id: str = "d1", revision: str = "1", **fields: Any) -> DocumentHeader:
    base = DocumentHeader(
        graph=graph,
        document_id=document_id,
        revision=revision,
        source="wiki",
        title="",
        kind=DocumentKind.NARRATIVE,
        document_time=DocumentTime(at(2024, 3), Granularity.DAY, "metadata"),
        labels=(),
        source_priority=0,
        language="en",
        position=Position("documents", 0, 0, "life"),
        recorded_at=at(2024, 4),
        part=0,
        parts=1,
        content_hash="hash",
    )
    return replace(base, **fields)


def record(head: DocumentHeader, epoch: str = "e1", **fields: Any) -> DocumentRecord:
    base = DocumentRecord(
        header=head,
        extractor_epoch=epoch,
        generation=0,
        origin=ids.make_id("reading", head.document_id, head.revision, epoch),
        revision_origin=ids.make_id("submission", head.document_id, head.revision),
        withdrawn_at=OPEN_END,
    )
    return replace(base, **fields)


def chunk(head: DocumentHeader, text: str, ordinal: int = 0, **fields: Any) -> ChunkRecord:
    id_ = ids.chunk_id(head.graph, head.document_id, head.revision, ordinal)
    base = ChunkRecord(
        chunk=Chunk(id_, ordinal, 0, len(text), head.title, text),
        document_id=head.document_id,
        revision=head.revision,
        document_time=head.document_time.instant if head.document_time else -OPEN_END,
        labels=head.labels,
        recorded_at=head.recorded_at,
        withdrawn_at=OPEN_END,
    )
    return replace(base, **fields)


def event(
    head: DocumentHeader,
    sentence: str,
    ordinal: int = 0,
    when: Interval | None = None,
    entities: tuple[str, ...] = (),
    state: TimeState | None = None,
    **fields: Any,
) -> EventRecord:
    known = TimeState.DATED if when else TimeState.UNRESOLVED
    base = EventRecord(
        event=Event(
            event_id=ids.event_id(head.graph, head.document_id, head.revision, 0, 9, "e1", ordinal),
            chunk_ids=(ids.chunk_id(head.graph, head.document_id, head.revision, 0),),
            ordinal=ordinal,
            sentence=sentence,
            start_char=0,
            end_char=len(sentence),
            time_state=state or known,
            interval=when,
            time_rule_id="",
            mention_ids=(),
            score=2,
            reasons=("entity", "eventive"),
            status=Status.ASSERTED,
            extractor="language",
        ),
        entity_ids=entities,
        document_id=head.document_id,
        revision=head.revision,
        document_time=head.document_time.instant if head.document_time else -OPEN_END,
        title=head.title,
        labels=head.labels,
        recorded_at=head.recorded_at,
        withdrawn_at=OPEN_END,
    )
    return replace(base, **fields)


def entity(graph: str, name: str, recorded_at: int = at(2024, 4), **fields: Any) -> EntityWrite:
    key = name.lower()
    base = EntityWrite(
        entity_id=ids.entity_id(graph, key, ""),
        key=key,
        type=EntityType.ORGANISATION,
        aliases=((key, name),),
        recorded_at=recorded_at,
    )
    return replace(base, **fields)


def entity_id(graph: str, name: str) -> str:
    return ids.entity_id(graph, name.lower(), "")


def assertion(
    head: DocumentHeader, subject: str, predicate: str, value: str, ordinal: int = 0, **fields: Any
) -> Assertion:
    valid = ValidTime(
        at(2024), OPEN_END, Granularity.DAY, Granularity.UNKNOWN, EndpointBasis.STATED, EndpointBasis.NONE
    )
    base = Assertion(
        assertion_id=ids.assertion_id(head.graph, head.document_id, head.revision, 0, 9, "e1", ordinal),
        key=ids.make_id("key", subject, predicate),
        subject=subject,
        predicate=predicate,
        object=value,
        object_is_entity=False,
        qualifiers=(),
        valid=valid,
        verb=Verb.START,
        status=Status.ASSERTED,
        confidence=0.9,
        source=head.source,
        source_priority=head.source_priority,
        document_id=head.document_id,
        revision=head.revision,
        document_time=head.document_time.instant if head.document_time else -OPEN_END,
        register=head.kind == DocumentKind.REGISTER,
        labels=head.labels,
        event_id="",
        start_char=0,
        end_char=9,
        rule_id="rule",
        recorded_at=head.recorded_at,
        withdrawn_at=OPEN_END,
    )
    return replace(base, **fields)


def version(
    subject: str, predicate: str, value: str, valid: Interval, recorded_at: int, **fields: Any
) -> FactVersion:
    base = FactVersion(
        version_id=ids.make_id("version", subject, predicate, value, valid.start, valid.end, recorded_at),
        key=ids.make_id("key", subject, predicate),
        subject=subject,
        predicate=predicate,
        object=value,
        object_is_entity=False,
        qualifiers=(("role", "cto"),),
        valid=valid,
        start_granularity=Granularity.DAY,
        end_granularity=Granularity.UNKNOWN,
        start_known=True,
        end_inferred=False,
        announced=False,
        conflicted=False,
        recorded_at=recorded_at,
        invalidated_at=OPEN_END,
    )
    return replace(base, **fields)


def write(
    head: DocumentHeader,
    chunks: tuple[ChunkRecord, ...] = (),
    events: tuple[EventRecord, ...] = (),
    assertions: tuple[Assertion, ...] = (),
    **fields: Any,
) -> DocumentWrite:
    return DocumentWrite(record(head, **fields), chunks, events, assertions)


def vector(owner_id: str, *components: float, what: str = "event") -> NewVector:
    return NewVector(owner_id, what, unit(*components))


def commit(graph: str, expected: int = -1, offset: int = 0, **fields: Any) -> Commit:
    base = Commit(
        graph=graph,
        fence=Fence("life/0", expected, offset),
        documents=(),
        withdrawn=(),
        recorded_earlier=(),
        vectors=(),
        entities=(),
        insert_versions=(),
        close_versions=(),
        unlinked=(),
        linked=(),
        changes=(),
    )
    return replace(base, **fields)
