"""The text and the vector leg of the twin: exact, by looking at every row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np

from tidegraph.domain.documents import TimeState
from tidegraph.domain.interval import Granularity, Interval
from tidegraph.ports import ChunkRecord, EventRecord, EventSketch, Ranked, Scored, Vector, Visibility
from tidegraph.storage import bm25, terms, visibility
from tidegraph.storage.memory.reads import MemoryReads
from tidegraph.storage.search import MENTIONS_MAX


class MemorySearch(MemoryReads):
    """The searches of the GraphReader."""

    async def search_text(
        self,
        graph: str,
        what: str,
        words: Sequence[str],
        seen: Visibility,
        valid: Interval | None,
        limit: int,
        force: Interval | None = None,
    ) -> list[Scored]:
        """Rows that hold any of the words, by BM25."""
        wanted = terms.select(words)
        counts = bm25.Statistics.of(what, wanted, self.graph(graph).terms)
        scored = []
        for record in await self._passing(graph, what, seen, valid, force):
            text = _words(record)
            held = set(wanted) & set(text.split())
            if held:
                scored.append(Scored(_id(record), counts.score(text, held), record.document_id))
        return sorted(scored, key=lambda hit: (-hit.score, hit.id))[: max(0, limit)]

    async def search_vector(
        self,
        graph: str,
        what: str,
        vector: Vector,
        seen: Visibility,
        valid: Interval | None,
        limit: int,
        force: Interval | None = None,
    ) -> Ranked:
        """Rows by cosine similarity."""
        return Ranked(
            self._by_cosine(graph, what, await self._passing(graph, what, seen, valid, force), vector, limit)
        )

    async def sketches(self, graph: str, event_ids: Sequence[str], seen: Visibility) -> list[EventSketch]:
        """Visible events as far as ranking needs them, in the order of the ids asked for."""
        return [_sketch(record) for record in await self.events(graph, event_ids, seen)]

    async def rank_events(
        self,
        graph: str,
        by: str,
        ids: Sequence[str],
        vector: Vector,
        seen: Visibility,
        valid: Interval | None,
        limit: int,
        force: Interval | None = None,
    ) -> list[Scored]:
        """Events by exact cosine similarity among those that entities, documents or ids reach."""
        events = [record for _, record in self.graph(graph).events.values()]
        asked = set(ids)
        if by == "entity":
            mentions = Counter(id_ for record in events for id_ in record.entity_ids)
            asked = {id_ for id_ in asked if mentions[id_] <= MENTIONS_MAX}
        reached = {record.event.event_id for record in events if asked & _sides(record, by)}
        passing = await self._passing(graph, "event", seen, valid, force)
        return self._by_cosine(graph, "event", [r for r in passing if _id(r) in reached], vector, limit)

    def _by_cosine(
        self,
        graph: str,
        what: str,
        records: Sequence[EventRecord | ChunkRecord],
        vector: Vector,
        limit: int,
    ) -> list[Scored]:
        stored = self.graph(graph).vectors
        norm = float(np.linalg.norm(vector))
        scored = []
        for record in records:
            other = stored.get((what, _id(record)))
            if other is not None:
                cosine = float(np.dot(vector, other)) / (norm * float(np.linalg.norm(other)) or 1.0)
                scored.append(Scored(_id(record), cosine, record.document_id))
        return sorted(scored, key=lambda hit: (-hit.score, hit.id))[: max(0, limit)]

    def _rows(self, graph: str, what: str) -> Iterator[EventRecord | ChunkRecord]:
        state = self.graph(graph)
        rows = state.events.values() if what == "event" else state.chunks.values()
        return (record for _, record in rows)

    async def _passing(
        self, graph: str, what: str, seen: Visibility, valid: Interval | None, force: Interval | None
    ) -> list[EventRecord | ChunkRecord]:
        rows = [
            record
            for record in self._rows(graph, what)
            if visibility.visible(record.recorded_at, record.withdrawn_at, record.labels, seen)
            and (isinstance(record, ChunkRecord) or visibility.of_status(record.event.status, seen))
        ]
        at = force or valid
        if at is None:
            return rows
        forces = await self.in_force(graph, {record.document_id for record in rows}, seen)
        return [record for record in rows if _passes(record, valid, at, forces)]


def _passes(
    record: EventRecord | ChunkRecord,
    valid: Interval | None,
    force: Interval,
    forces: Mapping[visibility.Revision, Interval],
) -> bool:
    if isinstance(record, EventRecord):
        if record.event.interval is not None:
            return valid is None or visibility.overlaps(record.event.interval, valid)
        if valid is not None and record.event.time_state is not TimeState.STATIC:
            return False
    return visibility.revision_passes(record.document_id, record.revision, force, forces)


def _words(record: EventRecord | ChunkRecord) -> str:
    if isinstance(record, EventRecord):
        return terms.words(record.title, record.event.sentence)
    return terms.words(record.chunk.title, record.chunk.text)


def _id(record: EventRecord | ChunkRecord) -> str:
    return record.event.event_id if isinstance(record, EventRecord) else record.chunk.chunk_id


def _sides(record: EventRecord, by: str) -> set[str]:
    """What the record is reached by."""
    if by == "entity":
        return set(record.entity_ids)
    return {record.document_id if by == "document" else record.event.event_id}


def _sketch(record: EventRecord) -> EventSketch:
    event = record.event
    return EventSketch(
        event_id=event.event_id,
        sentence=event.sentence,
        title=record.title,
        document_id=record.document_id,
        document_time=record.document_time,
        interval=replace(event.interval, granularity=Granularity.RANGE) if event.interval else None,
        start_char=event.start_char,
        end_char=event.end_char,
        status=event.status,
        entity_ids=record.entity_ids,
    )
