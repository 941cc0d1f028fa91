"""Erasure of a document or an entity from every place, and the certificate of it.

First what is found by the names in the record of belief: dead letters, answers of a language model. Then
that record itself: tombstones in ``extracted`` (for an entity: records without it, under the same keys),
marked with the decision, so that an erasure that was interrupted still finds what it is about. Then the
graph, which is built anew from what is left and so holds nothing of it on either axis, vectors and
neighbours included, then the status lines, and the certificate last. Topics that are not compacted cannot
be edited: the certificate says until when they hold raw copies.
"""

from __future__ import annotations

import asyncio
import hashlib
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

import orjson

from tidegraph.domain.documents import ExtractedDocument, Position
from tidegraph.domain.errors import Rejected
from tidegraph.domain.interval import format_instant
from tidegraph.events.v1 import records_pb2
from tidegraph.log.codecs import decode, encode
from tidegraph.log.deadletter import list_letters
from tidegraph.log.headers import ERASED, first
from tidegraph.log.keys import document_key, position_key
from tidegraph.log.topics import TOPICS, Topic
from tidegraph.ports import AnswerCache, Clock, GraphStore, Log, LogRecord, StatusStore
from tidegraph.streams.rebuild import Rebuilder
from tidegraph.streams.sink import PartitionedLog
from tidegraph.streams.writing.erased import COVER, Erased, names_in

_UNEDITED: Final = (Topic.DOCUMENTS, Topic.GROUNDED, Topic.RESOLVED, Topic.CHANGES, Topic.STATUS)
"""Topics whose records stay until they age out."""
_COMPACTED: Final = (Topic.EXTRACTED, Topic.DEAD_LETTERS)
_LETTERS: Final = 1_000_000

Ages = Callable[[Sequence[Topic]], Awaitable[dict[Topic, int | None]]]


class EditableLog(Log, PartitionedLog, Protocol):
    """A log in which records can be read, and written to a partition."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """What was removed and where; names nothing but ids. Instants are microseconds.

    ``raw_copies`` has for each topic the instant at which its last raw copy is gone, ``None`` for never.
    """

    control_id: str
    graph: str
    actor: str
    reason: str
    decided_at: int
    erased_at: int
    document_id: str
    entity_ids: tuple[str, ...]
    documents: tuple[str, ...]
    removed: Mapping[str, int]
    positions: tuple[str, ...]
    raw_copies: Mapping[str, int | None]
    content_hash: str

    def json(self) -> str:
        """The certificate as JSON, for people and for the check; instants in words."""
        ends = {topic: "never" if at is None else format_instant(at) for topic, at in self.raw_copies.items()}
        is_open = any(at is None for at in self.raw_copies.values())
        last = None if is_open else max(at for at in self.raw_copies.values() if at is not None)
        fields = {
            "certificate": "tidegraph-erasure-1",
            "control_id": self.control_id,
            "graph": self.graph,
            "actor": self.actor,
            "reason": self.reason,
            "decided_at": format_instant(self.decided_at),
            "decided_at_micros": self.decided_at,
            "erased_at": format_instant(self.erased_at),
            "document_id": self.document_id,
            "entity_ids": list(self.entity_ids),
            "documents": list(self.documents),
            "removed": dict(self.removed),
            "raw_positions": list(self.positions),
            "raw_copies_gone_by": ends,
            "last_raw_copy_gone_by": "never" if last is None else format_instant(last),
            "content_hash": self.content_hash,
        }
        return orjson.dumps(fields, option=orjson.OPT_INDENT_2).decode()


@dataclass(slots=True)
class _Removed:
    """What is taken out of the log.

    ``records``: the places of records of ``extracted`` that are to be written over, by key and partition.
    """

    documents: set[str] = field(default_factory=set)
    positions: set[Position] = field(default_factory=set)
    names: set[str] = field(default_factory=set)
    records: set[tuple[int, int]] = field(default_factory=set)
    counts: dict[str, int] = field(default_factory=lambda: {"extracted": 0})


class ErasureTask:
    """Carries erasures out (``upkeep.Task``). Done again after an interruption, it ends the same."""

    def __init__(
        self,
        rebuilder: Rebuilder,
        store: GraphStore,
        log: EditableLog,
        status: StatusStore,
        ages: Ages,
        clock: Clock,
        answers: AnswerCache | None = None,
    ) -> None:
        """``ages`` gives how long topics keep a record, in milliseconds, ``None`` for good.

        ``answers`` are those of a language model, which quote the documents that it read.
        """
        self._rebuilder = rebuilder
        self._store = store
        self._log = log
        self._status = status
        self._ages = ages
        self._clock = clock
        self._answers = answers

    async def carry_out(
        self, graph: str, fences: Mapping[str, int], decision: records_pb2.ControlRecord
    ) -> str:
        """As the protocol says; the certificate is kept in the status store by the decision's position."""
        erasure = decision.erasure
        entities = [*erasure.entity_ids, *filter(None, [erasure.entity_id])]
        if not erasure.document_id and not entities:
            raise Rejected("INVALID_DECISION", "an erasure names a document or the ids of an entity")
        until = decision.recorded_at
        documents = {erasure.document_id: until} if erasure.document_id else {}
        erased = Erased(documents, dict.fromkeys(entities, until))
        removed = await self._concerned(graph, erased, decision.control_id)
        removed.counts["dead-letters"] = await self._letters(graph, erased, removed)
        removed.counts["model answers"] = await self._forget(graph, {*documents, *removed.documents})
        await self._write_over(erased, decision.control_id, removed.records)
        before = await self._rows(graph)
        rebuilt = await self._rebuilder.rebuild(graph, fences, tell_gone=False)
        after = await self._rows(graph)
        removed.counts |= {f"graph {name}": before[name] - after.get(name, 0) for name in before}
        if erasure.document_id:
            removed.counts["status lines"] = await self._status.erase(graph, erasure.document_id, until)
        now = self._clock.now()
        certificate = Certificate(
            control_id=decision.control_id,
            graph=graph,
            actor=decision.actor,
            reason=decision.reason,
            decided_at=until,
            erased_at=now,
            document_id=erasure.document_id,
            entity_ids=tuple(sorted(entities)),
            documents=tuple(sorted(removed.documents)),
            removed=removed.counts,
            positions=tuple(f"{p.topic}/{p.partition}/{p.offset}" for p in sorted(removed.positions)),
            raw_copies=await self._raw_copies(now),
            content_hash=rebuilt.content_hash,
        )
        await self._status.keep_certificate(_position(decision), certificate.json())
        return f"erased {sum(removed.counts.values())} rows and records; content hash {rebuilt.content_hash}"

    async def _forget(self, graph: str, documents: Iterable[str]) -> int:
        """Drop what a language model answered about the documents."""
        if self._answers is None:
            return 0
        forget = self._answers.forget
        return sum([await asyncio.to_thread(forget, (graph, name)) for name in sorted(documents)])

    async def is_complete(self, decision: records_pb2.ControlRecord) -> bool:
        """True once there is a certificate."""
        return bool(await self._status.certificate(_position(decision)))

    async def _concerned(self, graph: str, erased: Erased, control_id: str) -> _Removed:
        """What is to be taken out, and what this erasure took out before it was interrupted."""
        removed = _Removed()
        async for record in living(self._log, Topic.EXTRACTED):
            done = _marked(record, control_id)
            if done is not None:
                removed.documents.add(done[0])
                removed.positions.add(done[1])
                removed.counts["extracted"] += 1
                continue
            document = _document(record)
            if document is None or document.header.graph != graph or not record.key:
                continue
            if erased.apply(document) is document:
                continue
            removed.records.add((record.partition, record.offset))
            removed.documents.add(document.header.document_id)
            removed.names |= names_in(document, erased.entities)
            removed.positions.add(document.header.position)
            removed.counts["extracted"] += 1
        return removed

    async def _write_over(self, erased: Erased, control_id: str, records: set[tuple[int, int]]) -> None:
        """Tombstones, or records without the entity, in the place of these records."""
        async for record in self._log.read(Topic.EXTRACTED):
            if (record.partition, record.offset) not in records:
                continue
            document = _document(record)
            assert document is not None
            left = erased.apply(document)
            value = None if left is None else encode(left)
            headers = (*record.headers, (ERASED, _mark(control_id, document)))
            await self._log.write(Topic.EXTRACTED, record.key or b"", value, headers, record.partition)

    async def _letters(self, graph: str, erased: Erased, removed: _Removed) -> int:
        """Tombstones in the place of the dead letters that are concerned."""
        concerned = set(erased.documents) | removed.documents
        keys = {document_key(graph, name) for name in concerned} | {name.encode() for name in concerned}
        positions, names = removed.positions, {name.encode() for name in removed.names}
        letters = await list_letters(self._log, limit=_LETTERS)
        found = [
            letter
            for letter in letters
            if letter.position in positions
            or (
                letter.graph in ("", graph)
                and (
                    letter.document_id in concerned
                    or letter.key in keys
                    or any(name in (letter.value or b"") for name in names)
                )
            )
        ]
        count = await self._log.partition_count(Topic.DEAD_LETTERS)
        for letter in found:
            key = position_key(letter.position)
            await asyncio.gather(
                *(self._log.write(Topic.DEAD_LETTERS, key, None, (), p) for p in range(count))
            )
        return len(found)

    async def _rows(self, graph: str) -> Mapping[str, int]:
        return dict(await self._store.counts(graph)) if graph in await self._store.graphs() else {}

    async def _raw_copies(self, now: int) -> dict[str, int | None]:
        """Until when each topic may hold bytes of what was erased."""
        found = await self._ages([*_UNEDITED, *_COMPACTED])
        return {str(topic): None if age is None else now + age * 1_000 for topic, age in found.items()}


def _document(record: LogRecord) -> ExtractedDocument | None:
    try:
        return decode(ExtractedDocument, record.value) if record.value is not None else None
    except Rejected:
        return None


def _position(decision: records_pb2.ControlRecord) -> Position:
    at = decision.position
    return Position(at.topic, at.partition, at.offset, at.incarnation)


def _mark(control_id: str, document: ExtractedDocument) -> bytes:
    at = document.header.position
    where = (at.topic, at.partition, at.offset, at.incarnation)
    return orjson.dumps([control_id, document.header.document_id, *where])


def _marked(record: LogRecord, control_id: str) -> tuple[str, Position] | None:
    """The document and the position that a record spoke of before this erasure wrote over it."""
    text = first(record.headers, ERASED)
    if text is None:
        return None
    by, document_id, *where = orjson.loads(text)
    return (document_id, Position(*where)) if by == control_id else None


async def living(log: Log, topic: Topic) -> AsyncIterator[LogRecord]:
    """The last record of each key in its partition: what compaction leaves. Keeps no values in memory."""
    last: dict[tuple[int, bytes], int] = {}
    async for record in log.read(topic):
        last[record.partition, _digest(record)] = record.offset
    async for record in log.read(topic):
        # What was appended since is given as well: it is of the present.
        if record.offset >= last.get((record.partition, _digest(record)), record.offset):
            yield record


def _digest(record: LogRecord) -> bytes:
    return hashlib.blake2b(record.key or b"", digest_size=16).digest()


async def covered_documents(log: Log, graph: str) -> frozenset[str]:
    """Documents of the graph that an erasure has left with covered names."""
    found = set()
    async for record in log.read(Topic.EXTRACTED):
        if record.value is not None and COVER.encode() in record.value:
            document = _document(record)
            if document is not None and document.header.graph == graph:
                found.add(document.header.document_id)
    return frozenset(found)


def declared_ages(topics: Sequence[Topic]) -> dict[Topic, int | None]:
    """How long topics keep a record as the table of topics declares it, in milliseconds."""
    found: dict[Topic, int | None] = {}
    for topic in topics:
        spec = TOPICS[topic]
        age = spec.compaction_lag_ms if "compact" in spec.cleanup else spec.retention_ms
        found[topic] = None if age == "-1" else int(age)
    return found
