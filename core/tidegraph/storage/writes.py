"""The one writer's side of a graph: preparation, the fenced commit, what was applied."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any, Final

import numpy as np

from tidegraph.domain.errors import Bug
from tidegraph.domain.ids import make_id
from tidegraph.ports import Commit, DocumentWrite, EntityWrite, NewVector, WriterState
from tidegraph.storage import bm25, fact_rows, identity_rows, queries, rows, schema
from tidegraph.storage.codec import Value, bits_of
from tidegraph.storage.decisions import decision_row, earliest
from tidegraph.storage.search import FalkorSearch

_APPLIED: Final = "applied:"
_THREAD_ABOVE_VECTORS: Final = 64


class FalkorWrites(FalkorSearch):
    """The GraphWriter half of the store."""

    def __init__(self, *args: Any, dimensions: int, model_id: str, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.dimensions = dimensions
        self.model_id = model_id

    async def prepare(self, graph: str) -> None:
        """Create the graph with all indexes and constraints before its first row; safe to repeat.

        Raises:
            Rejected: the graph was made by another version of its schema or another encoder.
        """
        known = graph in await self.connection.graphs()
        if not known or await schema.missing(self.connection, graph):
            await schema.create(self.connection, graph, self.dimensions)
        values: dict[str, Value] = {
            "version": schema.SCHEMA_VERSION,
            "model": self.model_id,
            "dimensions": self.dimensions,
        }
        version, model, dimensions = (await self.connection.write(graph, queries.INIT_GRAPH, values))[0]
        wanted = (schema.SCHEMA_VERSION, self.model_id, self.dimensions)
        schema.check_made_for((version, model, dimensions), wanted)

    async def writer_state(self, graph: str, partition: str) -> WriterState:
        """Offset and commit sequence as the graph itself has them."""
        found = await self.connection.read(graph, queries.WRITER_STATE, {"partition": partition})
        if not found:
            return WriterState(-1, 0)
        offset, sequence = found[0]
        return WriterState(-1 if offset is None else offset, sequence)

    async def commit(self, commit: Commit) -> WriterState | None:
        """Apply one commit as one statement. None: the fence did not match and nothing changed."""
        check_vectors(commit.vectors, self.dimensions)
        if len(commit.vectors) > _THREAD_ABOVE_VECTORS:
            values = await asyncio.to_thread(commit_parameters, commit)
        else:
            values = commit_parameters(commit)
        found = await self.connection.write(commit.graph, queries.COMMIT, values)
        return WriterState(commit.fence.offset, found[0][0]) if found else None

    async def applied(self, partition: str) -> int:
        """The offset up to which all graphs of the partition are written, or -1."""
        value = await self.connection.command("GET", self.connection.prefix + _APPLIED + partition)
        return int(value) if value is not None else -1

    async def set_applied(self, partition: str, offset: int) -> None:
        """Remember how far all graphs of the partition are written; after the graphs, in one store."""
        await self.connection.command("SET", self.connection.prefix + _APPLIED + partition, offset)


def check_vectors(vectors: Iterable[NewVector], dimensions: int) -> None:
    """Raise Bug for a vector of the wrong length (it has crashed servers) or with a component not finite."""
    for item in vectors:
        if item.vector.shape != (dimensions,):
            raise Bug("INVALID_VECTOR", f"a vector has shape {item.vector.shape}, not ({dimensions},)")
        if not np.isfinite(item.vector).all():
            raise Bug("INVALID_VECTOR", "a vector has a component that is not finite")


def commit_parameters(commit: Commit) -> dict[str, Value]:
    """The parameters of ``queries.COMMIT``: every list is there, most of them empty most of the time."""
    entities, aliases = _entities(commit.entities)
    withdrawn = [{"id": origin, "at": at} for origin, at in commit.withdrawn]
    earlier = [{"id": origin, "at": at} for origin, at in commit.recorded_earlier]
    values: dict[str, Value] = {
        "partition": commit.fence.partition,
        "expected": commit.fence.expected,
        "offset": commit.fence.offset,
        "entities": entities,
        "entities_seen": [{"id": row["id"], "at": row["recorded_at"]} for row in entities],
        "aliases": aliases,
        "aliases_seen": [{"id": row["id"], "at": row["recorded_at"]} for row in aliases],
        "event_vectors": _vectors(commit.vectors, "event"),
        "chunk_vectors": _vectors(commit.vectors, "chunk"),
        "closings": [{"id": id_, "at": at} for id_, at in commit.close_versions],
        "unlinked": [{"event": id_, "neighbour": other} for id_, other in commit.unlinked],
        "linked": [
            {
                "event": entry.event_id,
                "neighbour": entry.neighbour_id,
                "weight": entry.weight,
                "bits": bits_of(entry.weight),
            }
            for entry in commit.linked
        ],
        "changes": [rows.change_row(change) for change in commit.changes],
        "decisions": [decision_row(decision) for decision in earliest(commit.decisions)],
        "decisions_seen": [
            {"id": decision.decision_id, "at": decision.recorded_at}
            for decision in earliest(commit.decisions)
        ],
    }
    for suffix in ("", "_chunks", "_events", "_assertions"):
        values[f"withdrawn{suffix}"] = withdrawn
        values[f"earlier{suffix}"] = earlier
    values["filed_until"] = [{"id": id_, "at": at} for id_, at in commit.filed_until]
    values |= identity_rows.parameters(commit.identity)
    added = bm25.added_counts(commit.documents)
    values["terms"] = [{"id": id_, "rows": count} for id_, count in sorted(added.items())]
    values |= _documents(commit.documents) | _versions(commit)
    values["assertions"] += [fact_rows.assertion_row(item, origin) for origin, item in commit.filed]
    return values


def _documents(documents: Iterable[DocumentWrite]) -> dict[str, list[rows.Row]]:
    found: dict[str, list[rows.Row]] = {
        name: [] for name in ("documents", "chunks", "events", "mentions", "assertions")
    }
    for document in documents:
        record = document.record
        found["documents"].append(rows.document_row(record))
        found["chunks"] += [rows.chunk_row(chunk, record.revision_origin) for chunk in document.chunks]
        found["events"] += [rows.event_row(event, record.origin) for event in document.events]
        found["mentions"] += [
            _mention(event.event.event_id, entity_id, event.event.interval)
            for event in document.events
            for entity_id in event.entity_ids
        ]
        found["assertions"] += [fact_rows.assertion_row(item, record.origin) for item in document.assertions]
    return found


def _mention(event_id: str, entity_id: str, interval: Any) -> rows.Row:
    row: rows.Row = {"event": event_id, "entity": entity_id}
    return row if interval is None else row | {"start": interval.start, "end": interval.end}


def _entities(entities: Iterable[EntityWrite]) -> tuple[list[rows.Row], list[rows.Row]]:
    """Rows of entities and of their names, each once, with the time at which it was told first."""
    found: dict[str, rows.Row] = {}
    aliases: dict[str, rows.Row] = {}
    for entity in entities:
        _earliest(found, {"id": entity.entity_id, "key": entity.key, "recorded_at": entity.recorded_at})
        for normal, text in entity.aliases:
            _earliest(aliases, rows.alias_row(entity, normal, text))
    return list(found.values()), list(aliases.values())


def _earliest(found: dict[str, rows.Row], row: rows.Row) -> None:
    known = found.get(row["id"])
    if known is None or row["recorded_at"] < known["recorded_at"]:
        found[row["id"]] = row


def _vectors(vectors: Iterable[NewVector], what: str) -> list[rows.Row]:
    return [{"id": item.owner_id, "v": item.vector} for item in vectors if item.what == what]


def _versions(commit: Commit) -> dict[str, Value]:
    versions = [fact_rows.version_row(version) for version in commit.insert_versions]
    return {
        "entity_versions": [row for row in versions if row["object_is_entity"]],
        "literal_versions": [
            {"row": row, "value": make_id("value", commit.graph, str(row.get("object", "")))}
            for row in versions
            if not row["object_is_entity"]
        ],
    }
