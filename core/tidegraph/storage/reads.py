"""Reads of one graph by id, key, name and time. Search by text and vector is in ``search``."""

from __future__ import annotations

import copy
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any, Final, Self

from tidegraph.domain.interval import OPEN_END, OPEN_START, Granularity, Interval
from tidegraph.domain.naming import display_name
from tidegraph.ports import (
    ChangeRow,
    ChunkRecord,
    EntityRecord,
    EventMention,
    EventRecord,
    GraphMade,
    Neighbour,
    Visibility,
)
from tidegraph.storage import codec, queries, queries_search, rows, rulebook, terms, visibility
from tidegraph.storage.codec import Value
from tidegraph.storage.dump import canonical_row
from tidegraph.storage.fact_reads import MAX_LIMIT, FactReads

_ID: Final = itemgetter(0)


class FalkorReads(FactReads):
    """The GraphReader half of the store, but for the searches."""

    _forces: dict[tuple[str, Visibility], dict[str, dict[str, Interval]]] | None = None

    def for_request(self) -> Self:
        """The same store for one request: when a document's revisions are in force is read once, and of ids
        that were seen to be tied to no other none are looked for.
        """
        other = copy.copy(self)
        other._forces, other._alone = {}, {}
        return other

    async def graphs(self) -> list[str]:
        """Names of all graphs under the prefix."""
        return await self.connection.graphs()

    # --- entities ---------------------------------------------------------------------------------

    async def entities(
        self, graph: str, entity_ids: Sequence[str], seen: Visibility | None = None
    ) -> list[EntityRecord]:
        """Entities in the order of their ids."""
        if not entity_ids:
            return []
        found = await self.connection.read_plain(graph, queries.ENTITIES, {"ids": sorted(set(entity_ids))})
        for row in found:
            self.note_ties(graph, row[0], row[-1])
        return _entities(found)

    async def all_entities(self, graph: str) -> list[EntityRecord]:
        """Every entity of the graph, for dumps and checks."""
        return _entities(await self.connection.read_plain(graph, queries.ALL_ENTITIES))

    async def entities_by_name(
        self, graph: str, normalised: Sequence[str], seen: Visibility | None = None
    ) -> dict[str, list[EntityRecord]]:
        """Entities that carry exactly this normalised name or alias, by name."""
        if not normalised:
            return {}
        found: dict[str, list[list[Any]]] = {}
        values = {"names": sorted(set(normalised))}
        for name, *row in await self.connection.read_plain(graph, queries.ENTITIES_BY_NAME, values):
            found.setdefault(name, []).append(row)
            self.note_ties(graph, row[0], row[-1])
        return {name: _entities(group) for name, group in found.items()}

    async def search_entities(
        self, graph: str, text: str, limit: int, seen: Visibility | None = None
    ) -> list[tuple[EntityRecord, float]]:
        """Full-text search over names and aliases, best first."""
        query = terms.any_of(terms.select([text], limit=16))
        if not query or limit <= 0:
            return []
        values = {"text": query, "limit": min(limit, MAX_LIMIT)}
        hits = await self.connection.read(graph, queries.SEARCH_ENTITIES, values)
        scores: dict[str, float] = dict(hits)
        found = [
            (entity, float(scores[entity.entity_id])) for entity in await self.entities(graph, list(scores))
        ]
        return sorted(found, key=lambda pair: (-pair[1], pair[0].entity_id))

    # --- events and chunks ------------------------------------------------------------------------

    async def events(self, graph: str, event_ids: Sequence[str], seen: Visibility) -> list[EventRecord]:
        """Visible events in the order of the ids asked for."""
        found = await self._by_id(graph, "event", event_ids, seen)
        told = (visibility.mask(rows.event_record(row), seen) for row in found)
        records = {r.event.event_id: r for r in told if visibility.of_status(r.event.status, seen)}
        return [records[id_] for id_ in dict.fromkeys(event_ids) if id_ in records]

    async def chunks(self, graph: str, chunk_ids: Sequence[str], seen: Visibility) -> list[ChunkRecord]:
        """Visible chunks in the order of the ids asked for."""
        found = await self._by_id(graph, "chunk", chunk_ids, seen)
        records = {row["id"]: visibility.mask(rows.chunk_record(row), seen) for row in found}
        return [records[id_] for id_ in dict.fromkeys(chunk_ids) if id_ in records]

    async def _by_id(
        self, graph: str, what: str, ids: Sequence[str], seen: Visibility
    ) -> list[dict[str, Any]]:
        if not ids:
            return []
        values = {"ids": sorted(set(ids)), **visibility.parameters(seen)}
        return [row[0] for row in await self.connection.read(graph, queries.by_id(what), values)]

    async def events_of(
        self,
        graph: str,
        entity_ids: Sequence[str],
        valid: Interval | None,
        seen: Visibility,
        limit: int,
        last: bool = False,
    ) -> list[EventRecord]:
        """Events that mention any of the entities: dated ones in time order, then the others by id.

        ``last``: the dated ones from the latest start back.
        """
        if not entity_ids or limit <= 0:
            return []
        values: dict[str, Value] = {
            "entities": sorted(set(entity_ids)),
            "limit": min(limit, MAX_LIMIT),
            **visibility.event_parameters(seen),
        }
        if valid is None:
            query = queries.LAST_EVENTS_OF if last else queries.EVENTS_OF
            found = await self.connection.read(graph, query, values)
            return [visibility.mask(rows.event_record(row[0]), seen) for row in found]
        values["valid_from"], values["valid_to"] = visibility.valid_bounds(valid)
        query = queries.LAST_EVENTS_OF_DURING if last else queries.EVENTS_OF_DURING
        found = await self.connection.read(graph, query, values)
        dated = [visibility.mask(rows.event_record(row[0]), seen) for row in found]
        if len(dated) >= limit:
            return dated
        found = await self.connection.read(graph, queries.STATIC_EVENTS_OF, values)
        static = [visibility.mask(rows.event_record(row[0]), seen) for row in found]
        force = await self.in_force(graph, {record.document_id for record in static}, seen)
        return (dated + [event for event in static if visibility.event_passes(event, valid, force)])[:limit]

    async def in_force(
        self, graph: str, document_ids: Iterable[str], seen: Visibility
    ) -> dict[visibility.Revision, Interval]:
        """When each visible revision of the documents is in force."""
        asked = set(document_ids)
        kept = self._forces if self._forces is not None else {}
        known = kept.setdefault((graph, visibility.of_any_status(seen)), {})
        missing = sorted(asked - known.keys())
        if missing:
            known |= await self._forces_of(graph, missing, seen)
        return {
            (document_id, revision): force
            for document_id in asked
            for revision, force in known[document_id].items()
        }

    async def _forces_of(
        self, graph: str, document_ids: Sequence[str], seen: Visibility
    ) -> dict[str, dict[str, Interval]]:
        """By document when each of its visible revisions is in force; of every document asked for."""
        values = {"documents": document_ids, **visibility.parameters(seen)}
        rows_found = await self.connection.read_plain(graph, queries_search.IN_FORCE, values)
        rows_found.sort(key=lambda row: (row[3], row[4]))
        starts = ((row[0], row[1], OPEN_START if row[2] is None else row[2]) for row in rows_found)
        found: dict[str, dict[str, Interval]] = {document_id: {} for document_id in document_ids}
        for (document_id, revision), force in visibility.forces(starts).items():
            found[document_id][revision] = force
        return found

    async def neighbours(self, graph: str, event_ids: Sequence[str]) -> list[Neighbour]:
        """Entries of the events' own lists and entries of other lists that name them."""
        return await self._lists(graph, queries.NEIGHBOURS, event_ids)

    async def lists_of(self, graph: str, event_ids: Sequence[str]) -> list[Neighbour]:
        """Entries of the events' own lists."""
        return await self._lists(graph, queries.LISTS_OF, event_ids)

    async def _lists(self, graph: str, query: str, event_ids: Sequence[str]) -> list[Neighbour]:
        if not event_ids:
            return []
        found = await self.connection.read(graph, query, {"ids": sorted(set(event_ids))})
        entries = [Neighbour(owner, other, codec.float_of(bits)) for owner, other, bits in found]
        return sorted(entries, key=lambda entry: (entry.event_id, -entry.weight, entry.neighbour_id))

    async def probe_mentions(
        self, graph: str, probes: Sequence[tuple[str, Interval, Interval]], limit: int
    ) -> list[EventMention]:
        """For each (entity, own time, window) the ``limit`` dated events nearest in time; one round trip."""
        if not probes:
            return []
        asked = [
            {"entity": entity, "start": own.start, "end": own.end, "from": window.start, "to": window.end}
            for entity, own, window in probes
        ]
        values = {"probes": asked, "limit": limit, "open": OPEN_END}
        found = await self.connection.read(graph, queries.EVENT_MENTIONS, values)
        return sorted((_mention(row) for row in found), key=lambda mention: mention.event_id)

    async def event_nodes(self, graph: str, event_ids: Sequence[str]) -> list[EventMention]:
        """Dated events by id, withdrawn or not, in the order of their ids."""
        return await self._event_nodes(graph, queries.EVENT_NODES, {"ids": sorted(set(event_ids))})

    async def event_nodes_of(self, graph: str, origins: Sequence[str]) -> list[EventMention]:
        """Dated events of the readings, withdrawn or not, in the order of their ids."""
        return await self._event_nodes(graph, queries.EVENT_NODES_OF, {"origins": sorted(set(origins))})

    async def _event_nodes(self, graph: str, query: str, values: dict[str, Value]) -> list[EventMention]:
        if not any(values.values()):
            return []
        found = await self.connection.read(graph, query, values)
        return sorted((_mention(row) for row in found), key=lambda mention: mention.event_id)

    async def mention_counts(self, graph: str, entity_ids: Sequence[str], limit: int) -> dict[str, int]:
        """How many dated events that count mention each entity, counted no further than ``limit``."""
        if not entity_ids:
            return {}
        values = {"entities": sorted(set(entity_ids)), "open": OPEN_END, "limit": limit}
        return dict(await self.connection.read(graph, queries.MENTION_COUNTS, values))

    # --- feed and figures -------------------------------------------------------------------------

    async def changes(self, graph: str, after_sequence: int, limit: int) -> list[ChangeRow]:
        """What changed, ascending by (commit sequence, change id). A page may end inside a commit."""
        values = {"after": after_sequence, "limit": max(0, limit)}
        return [rows.change_of(row[0]) for row in await self.connection.read(graph, queries.CHANGES, values)]

    async def restrictions(
        self, graph: str, version_ids: Sequence[str]
    ) -> Mapping[str, frozenset[frozenset[str]]]:
        """The label sets of the evidence under the key of each version, of those that have any."""
        if not version_ids:
            return {}
        found: dict[str, set[frozenset[str]]] = {}
        values: dict[str, Value] = {"versions": list(version_ids)}
        for id_, labels in await self.connection.read(graph, queries.RESTRICTIONS, values):
            found.setdefault(id_, set()).add(frozenset(labels))
        return {id_: frozenset(sets) for id_, sets in found.items()}

    async def sequence(self, graph: str) -> int:
        """Number of the last commit; 0 before the first."""
        found = await self.connection.read(graph, queries.SEQUENCE)
        return int(found[0][0]) if found else 0

    async def made(self, graph: str) -> GraphMade:
        """By what the graph was made, and where it stands."""
        values: dict[str, Value] = {"policies": rulebook.POLICIES}
        found = await self.connection.read_plain(graph, queries.GRAPH_INFO, values)
        model, dimensions, sequence, policies = found[0] if found else ("", 0, 0, 0)
        return GraphMade(str(model), int(dimensions), int(sequence), bool(policies))

    async def scan(self, graph: str, what: str, after: str, limit: int) -> list[tuple[str, str]]:
        """A page of stored rows in the order of their ids, as canonical JSON."""
        values = {"after": after, "limit": max(0, min(limit, MAX_LIMIT))}
        found = await self.connection.read(graph, queries.SCAN[what], values)
        return [(id_, canonical_row(row)) for id_, row in found]

    async def counts(self, graph: str) -> Mapping[str, int]:
        """Documents, chunks, events, entities, assertions and fact versions of the graph."""
        found = {}
        for name, query in queries.COUNTS.items():
            found[name] = int((await self.connection.read(graph, query))[0][0])
        return found


def _entities(found: list[list[Any]]) -> list[EntityRecord]:
    """Entities in the order of their ids, from a row for each alias."""
    found.sort(key=_ID)
    return [_entity(list(group)) for _, group in groupby(found, _ID)]


def _entity(group: Sequence[Sequence[Any]]) -> EntityRecord:
    """An entity from rows of (id, key, recorded_at, and of an alias normal form, text, type, recorded_at),
    with whatever else.
    """
    entity_id, key, recorded_at = group[0][:3]
    known = (row[3:7] for row in group if row[3] is not None)
    listed = sorted(known, key=lambda alias: (alias[3], alias[0], alias[1], alias[2]))
    names = [(normal, text) for normal, text, _, _ in listed]
    typed = next((alias[2] for alias in listed if alias[2]), 0)
    return EntityRecord(
        entity_id=entity_id,
        key=key,
        name=display_name(key, names),
        type=rows.entity_type(typed),
        aliases=tuple(sorted({text for _, text in names})),
        recorded_at=recorded_at,
    )


def _mention(row: Sequence[Any]) -> EventMention:
    event_id, start, end, granularity, entity_ids, recorded_at, withdrawn_at = row
    interval = Interval(start, end, Granularity(granularity))
    return EventMention(event_id, interval, frozenset(entity_ids or ()), recorded_at, withdrawn_at)
