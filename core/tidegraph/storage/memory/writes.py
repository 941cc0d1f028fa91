"""The one writer's side of the twin: the same fence, the same rules of what may still change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeVar

from tidegraph.domain.facts import Assertion
from tidegraph.domain.graphs import check_graph_name
from tidegraph.ports import ChangeRow, ChunkRecord, Commit, DocumentRecord, EventRecord, WriterState
from tidegraph.storage import bm25, codec
from tidegraph.storage.decisions import earliest
from tidegraph.storage.memory.identity import MemoryIdentity
from tidegraph.storage.memory.identity_state import apply_identity
from tidegraph.storage.memory.names import StoredEntity
from tidegraph.storage.memory.reads import MemoryGraph
from tidegraph.storage.memory.search import MemorySearch
from tidegraph.storage.writes import check_vectors, commit_parameters

_Row = TypeVar("_Row", Assertion, ChunkRecord, EventRecord)


class MemoryWrites(MemorySearch):
    """The GraphWriter half of the twin."""

    async def prepare(self, graph: str) -> None:
        """Create the graph if it is new."""
        self._graphs.setdefault(check_graph_name(graph), MemoryGraph())

    async def writer_state(self, graph: str, partition: str) -> WriterState:
        """Offset and commit sequence of the graph."""
        state = self.graph(graph)
        return WriterState(state.offsets.get(partition, -1), state.sequence)

    async def commit(self, commit: Commit) -> WriterState | None:
        """Apply one commit. None: the fence did not match and nothing changed."""
        check_vectors(commit.vectors, self.dimensions)
        codec.parameters(commit_parameters(commit))  # refuses what the real store would refuse
        state, fence = self._graphs.get(check_graph_name(commit.graph)), commit.fence
        if state is None or state.offsets.get(fence.partition, -1) != fence.expected:
            return None
        state.offsets[fence.partition] = fence.offset
        state.sequence += 1
        _add_rows(state, commit)
        state.terms.update(bm25.added_counts(commit.documents))
        _move_times(state, dict(commit.withdrawn), dict(commit.recorded_earlier))
        _apply_facts(state, commit)
        apply_identity(state.identity, commit.identity, state.entities)
        for event_id, neighbour_id in commit.unlinked:
            state.lists.get(event_id, {}).pop(neighbour_id, None)
        for entry in commit.linked:
            if entry.event_id in state.events and entry.neighbour_id in state.events:
                state.lists.setdefault(entry.event_id, {})[entry.neighbour_id] = entry
        decided = earliest([*state.decisions.values(), *commit.decisions])
        state.decisions = {decision.decision_id: decision for decision in decided}
        known = {change.change_id for change in state.changes}
        state.changes += [
            replace(change, sequence=state.sequence)
            for change in commit.changes
            if change.change_id not in known
        ]
        return WriterState(fence.offset, state.sequence)

    async def applied(self, partition: str) -> int:
        """The offset up to which all graphs of the partition are written, or -1."""
        return self._applied.get(partition, -1)

    async def set_applied(self, partition: str, offset: int) -> None:
        """Remember how far all graphs of the partition are written."""
        self._applied[partition] = offset


class MemoryStore(MemoryWrites, MemoryIdentity):
    """Both sides of graphs that live in this process (``ports.GraphStore``)."""

    def beside(self) -> MemoryStore:
        """A store for graphs of the same names that nobody reads yet."""
        return MemoryStore(self.registry, self.dimensions, self.model_id)

    async def drop(self, graph: str) -> None:
        """Remove a graph, if there is one."""
        self._graphs.pop(graph, None)

    async def writers(self, graph: str) -> Mapping[str, int]:
        """The offset of every partition of ``resolved`` that was written to the graph; none: no graph."""
        state = self._graphs.get(graph)
        return dict(state.offsets) if state else {}

    async def inherit(
        self, graph: str, sequence: int, offsets: Mapping[str, int], changes: Sequence[ChangeRow]
    ) -> None:
        """Make a graph that was built anew the successor of the one that it replaces."""
        state = self.graph(graph)
        state.sequence, state.offsets, state.changes = sequence, dict(offsets), list(changes)

    async def take_place(self, graph: str, built: MemoryStore) -> None:
        """Serve the graph that ``built`` holds instead of the present one."""
        self._graphs[graph] = built.graph(graph)
        await built.drop(graph)

    async def close(self) -> None:
        """Nothing to close."""


def _add_rows(state: MemoryGraph, commit: Commit) -> None:
    for entity in commit.entities:
        stored = state.entities.setdefault(entity.entity_id, StoredEntity(entity.key, entity.recorded_at))
        stored.add(entity)
    for document in commit.documents:
        record = document.record
        state.documents.setdefault((record.origin, record.header.part), record)
        for chunk in document.chunks:
            state.chunks.setdefault(chunk.chunk.chunk_id, (record.revision_origin, chunk))
        for event in document.events:
            state.events.setdefault(event.event.event_id, (record.origin, event))
        for assertion in document.assertions:
            state.assertions.setdefault(assertion.assertion_id, (record.origin, assertion))
    for origin, row in commit.filed:
        state.assertions.setdefault(row.assertion_id, (origin, row))
    for assertion_id, until in commit.filed_until:
        if assertion_id in state.assertions:
            origin, row = state.assertions[assertion_id]
            state.assertions[assertion_id] = origin, replace(row, filed_until=min(row.filed_until, until))
    for vector in commit.vectors:
        state.vectors.setdefault((vector.what, vector.owner_id), vector.vector)


def _move_times(state: MemoryGraph, withdrawn: Mapping[str, int], earlier: Mapping[str, int]) -> None:
    """Withdrawals and recorded times of whole origins: only ever earlier."""
    if not withdrawn and not earlier:
        return
    for key, record in state.documents.items():
        state.documents[key] = _moved_document(record, withdrawn, earlier)
    _move_rows(state.chunks, withdrawn, earlier)
    _move_rows(state.events, withdrawn, earlier)
    _move_rows(state.assertions, withdrawn, earlier)


def _move_rows(
    rows: dict[str, tuple[str, _Row]], withdrawn: Mapping[str, int], earlier: Mapping[str, int]
) -> None:
    for id_, (origin, row) in rows.items():
        if origin in withdrawn or origin in earlier:
            moved = replace(
                row,
                withdrawn_at=min(row.withdrawn_at, withdrawn.get(origin, row.withdrawn_at)),
                recorded_at=min(row.recorded_at, earlier.get(origin, row.recorded_at)),
            )
            rows[id_] = origin, moved


def _moved_document(
    record: DocumentRecord, withdrawn: Mapping[str, int], earlier: Mapping[str, int]
) -> DocumentRecord:
    header = record.header
    recorded_at = min(header.recorded_at, earlier.get(record.origin, header.recorded_at))
    return replace(
        record,
        header=replace(header, recorded_at=recorded_at),
        withdrawn_at=min(record.withdrawn_at, withdrawn.get(record.origin, record.withdrawn_at)),
    )


def _apply_facts(state: MemoryGraph, commit: Commit) -> None:
    for version in commit.insert_versions:
        known = version.subject in state.entities and (
            not version.object_is_entity or version.object in state.entities
        )
        if known:
            state.versions.setdefault(version.version_id, version)
    for version_id, at in commit.close_versions:
        stored = state.versions.get(version_id)
        if stored is not None and stored.invalidated_at > at:
            state.versions[version_id] = replace(stored, invalidated_at=at)
