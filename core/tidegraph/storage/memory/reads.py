"""Reads of the twin by id, key, name and time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self

from tidegraph.domain.documents import DocumentKind, TimeState
from tidegraph.domain.errors import NotFound
from tidegraph.domain.facts import Assertion, FactVersion, Revision
from tidegraph.domain.graphs import check_graph_name
from tidegraph.domain.interval import OPEN_END, Interval
from tidegraph.domain.predicates import Registry
from tidegraph.ports import (
    ChangeRow,
    ChunkRecord,
    DecisionRecord,
    DocumentRecord,
    EntityRecord,
    EventMention,
    EventRecord,
    FactFilter,
    GraphMade,
    Neighbour,
    Visibility,
)
from tidegraph.storage import visibility
from tidegraph.storage.derive import derive_for, first, matches, merge_versions
from tidegraph.storage.dump import canonical_row
from tidegraph.storage.fact_rows import assertion_row, version_order
from tidegraph.storage.memory.identity_state import StoredIdentity
from tidegraph.storage.memory.names import StoredEntity, entity_record, search_names
from tidegraph.storage.rows import chunk_row, document_order, document_row, event_row
from tidegraph.storage.rulebook import CONFLICT, POLICIES, Rulebook


@dataclass
class MemoryGraph:
    """One tenant's graph."""

    sequence: int = 0
    offsets: dict[str, int] = field(default_factory=dict)
    documents: dict[tuple[str, int], DocumentRecord] = field(default_factory=dict)
    chunks: dict[str, tuple[str, ChunkRecord]] = field(default_factory=dict)
    events: dict[str, tuple[str, EventRecord]] = field(default_factory=dict)
    assertions: dict[str, tuple[str, Assertion]] = field(default_factory=dict)
    """Rows with the origin that they are withdrawn by."""
    entities: dict[str, StoredEntity] = field(default_factory=dict)
    versions: dict[str, FactVersion] = field(default_factory=dict)
    vectors: dict[tuple[str, str], Any] = field(default_factory=dict)
    lists: dict[str, dict[str, Neighbour]] = field(default_factory=dict)
    changes: list[ChangeRow] = field(default_factory=list)
    terms: Counter[str] = field(default_factory=Counter)
    """Rows by word, see ``bm25``."""
    decisions: dict[str, DecisionRecord] = field(default_factory=dict)
    identity: StoredIdentity = field(default_factory=StoredIdentity)


class MemoryReads:
    """The GraphReader half of the twin, but for the searches."""

    def __init__(self, registry: Registry, dimensions: int, model_id: str) -> None:
        self.registry = registry
        self.dimensions = dimensions
        self.model_id = model_id
        self._graphs: dict[str, MemoryGraph] = {}
        self._applied: dict[str, int] = {}

    def graph(self, name: str) -> MemoryGraph:
        """The graph of that name. Raises NotFound."""
        try:
            return self._graphs[check_graph_name(name)]
        except KeyError:
            raise NotFound("GRAPH_NOT_FOUND", "no such graph; ingest a document into it first") from None

    def for_request(self) -> Self:
        """The twin itself: it has everything at hand."""
        return self

    async def graphs(self) -> list[str]:
        return sorted(self._graphs)

    # --- facts ------------------------------------------------------------------------------------

    async def facts(self, graph: str, which: FactFilter, seen: Visibility) -> list[FactVersion]:
        state = self.graph(graph)
        hidden = self._hidden_keys(state, which, seen)
        found = [
            visibility.mask_version(version, seen)
            for version in state.versions.values()
            if matches(version, which, seen)
        ]
        if hidden:
            evidence = await self.assertions(graph, sorted(hidden), seen)
            registers = sorted({item.document_id for item in evidence if item.register})
            revisions = await self.revisions(graph, registers, seen)
            decided = await self.decisions(graph, (POLICIES,), seen)
            decided += await self.decisions(graph, (CONFLICT,), seen, sorted(hidden))
            book = Rulebook.of(self.registry, decided)
            derived = derive_for(book, evidence, revisions, which, seen)
            found = merge_versions(found, hidden, derived)
        return first(found, which)

    async def fact_counts(
        self, graph: str, entity_ids: Sequence[str], seen: Visibility, most: int
    ) -> dict[str, int]:
        found, known = dict.fromkeys(entity_ids, 0), visibility.known_bound(seen)
        for version in self.graph(graph).versions.values():
            # A version that was closed as it was recorded was never believed; whether there is one depends
            # on what arrived first.
            if version.recorded_at > known or version.recorded_at >= version.invalidated_at:
                continue
            sides = {version.subject, *([version.object] if version.object_is_entity else [])}
            for entity_id in sides & found.keys():
                found[entity_id] += 1
        return {entity_id: min(count, most) for entity_id, count in found.items()}

    def _hidden_keys(self, state: MemoryGraph, which: FactFilter, seen: Visibility) -> set[str]:
        if seen.labels is None:
            return set()
        keys = set(which.keys) | {state.versions[i].key for i in which.version_ids if i in state.versions}
        sides = set(which.entity_ids)
        reached = {
            item.key
            for _, item in state.assertions.values()
            if (not (which.keys or which.version_ids) or item.key in keys)
            and (not which.subject_ids or item.subject in which.subject_ids)
            and (not which.object_ids or item.object in which.object_ids)
            and (not sides or item.subject in sides or item.object in sides)
        }
        return {
            item.key
            for _, item in state.assertions.values()
            if item.key in reached and not visibility.permitted(item.labels, seen)
        }

    async def assertions(self, graph: str, keys: Sequence[str], seen: Visibility) -> list[Assertion]:
        wanted = set(keys)
        rows = [item for _, item in self.graph(graph).assertions.values() if item.key in wanted]
        found = visibility.evidence((row for row in rows if visibility.permitted(row.labels, seen)), seen)
        return sorted(found, key=lambda item: (item.key, item.recorded_at, item.assertion_id))

    async def assertions_of(self, graph: str, origins: Sequence[str]) -> dict[str, list[Assertion]]:
        found: dict[str, list[Assertion]] = {}
        for _, (origin, item) in sorted(self.graph(graph).assertions.items()):
            if origin in set(origins):
                found.setdefault(origin, []).append(item)
        return found

    async def keys_of(self, graph: str, document_ids: Sequence[str]) -> dict[str, list[str]]:
        found: dict[str, set[str]] = {}
        for _, item in self.graph(graph).assertions.values():
            if item.document_id in set(document_ids):
                found.setdefault(item.document_id, set()).add(item.key)
        return {document_id: sorted(keys) for document_id, keys in sorted(found.items())}

    async def stored_versions(self, graph: str, keys: Sequence[str]) -> list[FactVersion]:
        found = [version for version in self.graph(graph).versions.values() if version.key in set(keys)]
        return sorted(found, key=version_order)

    async def all_versions(self, graph: str) -> list[FactVersion]:
        return sorted(self.graph(graph).versions.values(), key=version_order)

    # --- documents and entities -------------------------------------------------------------------

    async def documents(
        self, graph: str, document_ids: Sequence[str], seen: Visibility
    ) -> list[DocumentRecord]:
        known = visibility.known_bound(seen)
        found = [
            visibility.mask(record, seen)
            for record in self.graph(graph).documents.values()
            if record.header.document_id in set(document_ids)
            and record.header.recorded_at <= known
            and visibility.permitted(record.header.labels, seen)
        ]
        return sorted(found, key=document_order)

    async def revisions(self, graph: str, document_ids: Sequence[str], seen: Visibility) -> list[Revision]:
        return visibility.complete_revisions(await self.documents(graph, document_ids, seen))

    async def in_force(
        self, graph: str, document_ids: Iterable[str], seen: Visibility
    ) -> dict[visibility.Revision, Interval]:
        return visibility.in_force(await self.documents(graph, list(document_ids), seen), seen)

    async def entities(
        self, graph: str, entity_ids: Sequence[str], seen: Visibility | None = None
    ) -> list[EntityRecord]:
        stored = self.graph(graph).entities
        return [entity_record(id_, stored[id_]) for id_ in sorted(set(entity_ids)) if id_ in stored]

    async def all_entities(self, graph: str) -> list[EntityRecord]:
        return await self.entities(graph, list(self.graph(graph).entities))

    async def entities_by_name(
        self, graph: str, normalised: Sequence[str], seen: Visibility | None = None
    ) -> dict[str, list[EntityRecord]]:
        found: dict[str, list[EntityRecord]] = {}
        for entity_id, entity in sorted(self.graph(graph).entities.items()):
            for name in sorted({normal for normal, _ in entity.names} & set(normalised)):
                found.setdefault(name, []).append(entity_record(entity_id, entity))
        return found

    async def search_entities(
        self, graph: str, text: str, limit: int, seen: Visibility | None = None
    ) -> list[tuple[EntityRecord, float]]:
        return search_names(self.graph(graph).entities, text, limit)

    # --- events and chunks ------------------------------------------------------------------------

    async def events(self, graph: str, event_ids: Sequence[str], seen: Visibility) -> list[EventRecord]:
        found = [self.graph(graph).events.get(id_) for id_ in dict.fromkeys(event_ids)]
        return [visibility.mask(entry[1], seen) for entry in found if entry and _shown(entry[1], seen)]

    async def chunks(self, graph: str, chunk_ids: Sequence[str], seen: Visibility) -> list[ChunkRecord]:
        found = [self.graph(graph).chunks.get(id_) for id_ in dict.fromkeys(chunk_ids)]
        return [visibility.mask(entry[1], seen) for entry in found if entry and _seen(entry[1], seen)]

    async def events_of(
        self,
        graph: str,
        entity_ids: Sequence[str],
        valid: Interval | None,
        seen: Visibility,
        limit: int,
        last: bool = False,
    ) -> list[EventRecord]:
        wanted = set(entity_ids)
        found = [
            visibility.mask(record, seen)
            for _, record in self.graph(graph).events.values()
            if not wanted.isdisjoint(record.entity_ids) and _shown(record, seen)
        ]
        static = {r.document_id for r in found if r.event.time_state == TimeState.STATIC}
        force = await self.in_force(graph, static, seen) if valid is not None else {}
        kept = [record for record in found if visibility.event_passes(record, valid, force)]
        return sorted(kept, key=_last_order if last else _event_order)[: max(0, limit)]

    async def neighbours(self, graph: str, event_ids: Sequence[str]) -> list[Neighbour]:
        wanted = set(event_ids)
        return sorted(
            (
                entry
                for entries in self.graph(graph).lists.values()
                for entry in entries.values()
                if entry.event_id in wanted or entry.neighbour_id in wanted
            ),
            key=lambda entry: (entry.event_id, -entry.weight, entry.neighbour_id),
        )

    async def lists_of(self, graph: str, event_ids: Sequence[str]) -> list[Neighbour]:
        wanted = set(event_ids)
        return [entry for entry in await self.neighbours(graph, event_ids) if entry.event_id in wanted]

    async def probe_mentions(
        self, graph: str, probes: Sequence[tuple[str, Interval, Interval]], limit: int
    ) -> list[EventMention]:
        nodes = _nodes(record for _, record in self.graph(graph).events.values())
        found: dict[str, EventMention] = {}
        for entity_id, own, window in probes:
            candidates = [
                node
                for node in nodes
                if entity_id in node.entity_ids
                and node.withdrawn_at == OPEN_END
                and visibility.overlaps(node.interval, window)
            ]
            candidates.sort(key=lambda node: (node.interval.gap(own), node.event_id))
            found |= {node.event_id: node for node in candidates[:limit]}
        return [found[event_id] for event_id in sorted(found)]

    async def event_nodes(self, graph: str, event_ids: Sequence[str]) -> list[EventMention]:
        stored = self.graph(graph).events
        return _nodes(stored[id_][1] for id_ in sorted(set(event_ids)) if id_ in stored)

    async def event_nodes_of(self, graph: str, origins: Sequence[str]) -> list[EventMention]:
        events = self.graph(graph).events
        return _nodes(record for _, (origin, record) in sorted(events.items()) if origin in set(origins))

    async def mention_counts(self, graph: str, entity_ids: Sequence[str], limit: int) -> dict[str, int]:
        state = self.graph(graph)
        nodes = [
            node for node in _nodes(r for _, r in state.events.values()) if node.withdrawn_at == OPEN_END
        ]
        return {
            id_: min(limit, sum(id_ in node.entity_ids for node in nodes))
            for id_ in sorted(set(entity_ids))
            if id_ in state.entities
        }

    async def changes(self, graph: str, after_sequence: int, limit: int) -> list[ChangeRow]:
        found = [change for change in self.graph(graph).changes if change.sequence > after_sequence]
        return sorted(found, key=lambda change: (change.sequence, change.change_id))[: max(0, limit)]

    async def decisions(
        self,
        graph: str,
        kinds: Sequence[str],
        seen: Visibility,
        subjects: Sequence[str] | None = None,
    ) -> list[DecisionRecord]:
        state = self._graphs.get(graph)
        known = visibility.known_bound(seen)
        found = [
            decision
            for decision in (state.decisions.values() if state else ())
            if decision.kind in kinds
            and decision.recorded_at <= known
            and (subjects is None or decision.subject in subjects)
        ]
        return sorted(found, key=lambda decision: (decision.recorded_at, decision.decision_id))

    async def restrictions(
        self, graph: str, version_ids: Sequence[str]
    ) -> dict[str, frozenset[frozenset[str]]]:
        state = self.graph(graph)
        keys = {id_: state.versions[id_].key for id_ in version_ids if id_ in state.versions}
        sets: dict[str, set[frozenset[str]]] = {key: set() for key in keys.values()}
        for _, assertion in state.assertions.values():
            if assertion.key in sets and assertion.labels:
                sets[assertion.key].add(frozenset(assertion.labels))
        return {id_: frozenset(sets[key]) for id_, key in keys.items() if sets[key]}

    async def sequence(self, graph: str) -> int:
        return self.graph(graph).sequence

    async def made(self, graph: str) -> GraphMade:
        state = self.graph(graph)
        policies = any(decision.kind == POLICIES for decision in state.decisions.values())
        return GraphMade(self.model_id, self.dimensions, state.sequence, policies)

    async def scan(self, graph: str, what: str, after: str, limit: int) -> list[tuple[str, str]]:
        state = self.graph(graph)
        rows = {
            "document": lambda: (document_row(record) for record in state.documents.values()),
            "chunk": lambda: (chunk_row(record, origin) for origin, record in state.chunks.values()),
            "event": lambda: (event_row(record, origin) for origin, record in state.events.values()),
            "assertion": lambda: (assertion_row(item, origin) for origin, item in state.assertions.values()),
        }[what]()
        found = sorted((str(row["id"]), canonical_row(row)) for row in rows if str(row["id"]) > after)
        return found[: max(0, limit)]

    async def counts(self, graph: str) -> Mapping[str, int]:
        state = self.graph(graph)
        documents = {
            record.header.document_id
            for record in state.documents.values()
            if record.header.kind != DocumentKind.RETRACTION
        }
        return {
            "documents": len(documents),
            "chunks": len(state.chunks),
            "events": len(state.events),
            "entities": len(state.entities),
            "assertions": len(state.assertions),
            "facts": len(state.versions),
        }


def _nodes(records: Iterable[EventRecord]) -> list[EventMention]:
    return [
        EventMention(
            record.event.event_id,
            record.event.interval,
            frozenset(record.entity_ids),
            record.recorded_at,
            record.withdrawn_at,
        )
        for record in records
        if record.event.interval is not None
    ]


def _seen(record: EventRecord | ChunkRecord, seen: Visibility) -> bool:
    return visibility.visible(record.recorded_at, record.withdrawn_at, record.labels, seen)


def _event_order(record: EventRecord) -> tuple[bool, int, str]:
    interval = record.event.interval
    return interval is None, interval.start if interval else 0, record.event.event_id


def _last_order(record: EventRecord) -> tuple[bool, int, str]:
    undated, start, event_id = _event_order(record)
    return undated, -start, event_id


def _shown(record: EventRecord, seen: Visibility) -> bool:
    return _seen(record, seen) and visibility.of_status(record.event.status, seen)
