"""Identity in the twin: the same reads and the same rules of what may still change."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from tidegraph.domain.identity import MAX_SIGHTINGS, IdentityEvidence, PairDecision, SameAs, Sighting, Tie
from tidegraph.domain.interval import OPEN_END
from tidegraph.ports.records import Visibility
from tidegraph.storage import visibility
from tidegraph.storage.identity import check_set, pair_order, sighting_order
from tidegraph.storage.memory.reads import MemoryGraph, MemoryReads


class MemoryIdentity(MemoryReads):
    """The part of the GraphReader that is about identity."""

    async def same_as(self, graph: str, entity_ids: Sequence[str], seen: Visibility) -> list[SameAs]:
        state, known = self.graph(graph), visibility.known_bound(seen)
        found: dict[str, SameAs] = {}
        frontier = ids = set(entity_ids)
        while frontier:
            rows = [one for one in _touching(state, frontier) if one.tied.tie is Tie.SAME]
            rows = [one for one in rows if one.recorded_at <= known < one.invalidated_at]
            rows = [one for one in rows if visibility.permitted(one.tied.labels, seen)]
            found |= {one.row_id: one for one in rows}
            reached = {side for one in rows for side in (one.tied.left, one.tied.right)}
            frontier, ids = reached - ids, ids | reached
            check_set(ids, entity_ids)
        return [found[row_id] for row_id in sorted(found)]

    async def ties(self, graph: str, entity_ids: Sequence[str]) -> list[SameAs]:
        return sorted(_touching(self.graph(graph), set(entity_ids)), key=lambda one: one.row_id)

    async def all_ties(self, graph: str) -> list[SameAs]:
        return sorted(self.graph(graph).identity.ties.values(), key=lambda one: one.row_id)

    async def reviews(self, graph: str, after: str, limit: int, seen: Visibility) -> list[SameAs]:
        known = visibility.known_bound(seen)
        found = [
            one
            for one in await self.all_ties(graph)
            if one.tied.tie is Tie.REVIEW
            and one.row_id > after
            and one.recorded_at <= known < one.invalidated_at
            and visibility.permitted(one.tied.labels, seen)
        ]
        return found[: max(0, limit)]

    async def pair_decisions(self, graph: str, entity_ids: Sequence[str]) -> list[PairDecision]:
        wanted = set(entity_ids)
        found = [
            pair
            for pair in self.graph(graph).identity.pairs.values()
            if pair.left in wanted or pair.right in wanted
        ]
        return sorted(found, key=pair_order)

    async def sightings(self, graph: str, entity_ids: Sequence[str]) -> list[Sighting]:
        by_entity = self.graph(graph).identity.by_entity
        found: list[Sighting] = []
        for entity_id in sorted({*entity_ids} & by_entity.keys()):
            for called in (False, True):
                told = (one for one in by_entity[entity_id].values() if one.is_called is called)
                found += sorted(told, key=sighting_order)[:MAX_SIGHTINGS]
        return sorted((replace(one, keys=()) for one in found), key=sighting_order)

    async def sightings_of(self, graph: str, document_ids: Sequence[str]) -> list[Sighting]:
        wanted = set(document_ids)
        found = [one for one in self.graph(graph).identity.sightings.values() if one.document_id in wanted]
        return sorted((replace(one, keys=()) for one in found), key=sighting_order)

    async def holders(self, graph: str, keys: Sequence[str], limit: int) -> dict[str, list[tuple[str, int]]]:
        by_key = self.graph(graph).identity.by_key
        found = {}
        for key in sorted({*keys} & by_key.keys()):
            first: dict[str, int] = {}
            for seen in by_key[key].values():
                first[seen.entity_id] = min(seen.recorded_at, first.get(seen.entity_id, seen.recorded_at))
            if first:
                found[key] = sorted(first.items(), key=lambda pair: (pair[1], pair[0]))[:limit]
        return found

    async def identity_evidence(
        self, graph: str, entity_ids: Sequence[str], keys: Sequence[str], limit: int, since: int
    ) -> IdentityEvidence:
        holders = await self.holders(graph, keys, limit)
        full = {key: held[-1][1] for key, held in holders.items() if len(held) == limit}
        crowded = {key: at for key, at in full.items() if at <= since}
        holders = {key: held for key, held in holders.items() if key not in crowded}
        around = {id_ for held in holders.values() if len(held) < limit for id_, _ in held}
        ids = sorted(around.union(entity_ids))
        return IdentityEvidence(
            sightings=tuple(await self.sightings(graph, ids)),
            decisions=tuple(await self.pair_decisions(graph, ids)),
            ties=tuple(await self.ties(graph, ids)),
            holders=holders,
            crowded=crowded,
        )

    async def fact_keys(self, graph: str, entity_ids: Sequence[str], limit: int) -> dict[str, list[str]]:
        found: dict[str, list[str]] = {}
        versions = self.graph(graph).versions.values()
        for entity_id in entity_ids:
            subject = sorted({v.key for v in versions if v.subject == entity_id})[:limit]
            as_object = {v.key for v in versions if v.object_is_entity and v.object == entity_id}
            found[entity_id] = sorted({*subject, *sorted(as_object)[:limit]})
        return found

    async def set_counts(
        self, graph: str, sets: Mapping[str, Sequence[str]], limit: int, known_at: int = OPEN_END - 1
    ) -> dict[str, int]:
        events = [
            frozenset(record.entity_ids)
            for _, record in self.graph(graph).events.values()
            if record.event.interval is not None and record.recorded_at <= known_at < record.withdrawn_at
        ]
        return {
            name: min(limit, sum(not entities.isdisjoint(ids) for entities in events))
            for name, ids in sorted(sets.items())
        }


def _touching(state: MemoryGraph, ids: set[str]) -> list[SameAs]:
    stored = state.identity
    row_ids = {row_id for id_ in ids if id_ in stored.touching for row_id in stored.touching[id_]}
    return [stored.ties[row_id] for row_id in row_ids]
