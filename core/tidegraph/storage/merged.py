"""Reads that take the ids of one set for one entity, as of known_at.

A merge rewrites nothing: facts, events and mentions keep the id that they were resolved to. This reader
stands before a store, asks it for all ids of a set, and gives what comes back under one id, the first of
the set. Conflict keys that several ids of a set have evidence under are one key then, and are derived from
the evidence of all of them; so is a key under which several ids of a set are named, as holders of one role.
All others are read as they are stored.

The id of a version derived here names a stored key as well (``<version>.<key>``), so that it is found again.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Final, cast

from tidegraph.domain.documents import EntityType
from tidegraph.domain.facts import Assertion, FactVersion
from tidegraph.domain.identity import NAME, called_key
from tidegraph.domain.interval import Interval
from tidegraph.domain.naming import normalise
from tidegraph.domain.predicates import Canonical, Registry
from tidegraph.ports import (
    EntityRecord,
    EventRecord,
    EventSketch,
    FactFilter,
    GraphReader,
    Scored,
    Vector,
    Visibility,
)
from tidegraph.storage.derive import derive_for, first
from tidegraph.storage.fact_rows import version_order
from tidegraph.storage.rulebook import POLICIES, Rulebook, read_rulebook
from tidegraph.storage.sets import SetReader, Sets, joint_facts
from tidegraph.storage.visibility import EVERYTHING

MAX_COMBINATIONS: Final = 256
"""Stored keys that one key of a merged entity may be spread over."""
MAX_CALLED: Final = 50
"""Entities of one stated name that are looked at."""
_MARK: Final = "."


class MergedReader:
    """A GraphReader over another one; what it does not say itself the other one does.

    Args:
        keep: the set of an id is read once, for a reader that serves one request.
    """

    def __init__(self, reader: GraphReader, registry: Registry, *, keep: bool = False) -> None:
        self._reader = reader
        self._registry = registry
        self._sets = SetReader(reader, keep=keep)

    @property
    def below(self) -> GraphReader:
        """The reader that knows no sets."""
        return self._reader

    def __getattr__(self, name: str) -> Any:
        return getattr(self._reader, name)

    async def sets(self, graph: str, entity_ids: Iterable[str], seen: Visibility) -> Sets:
        """The sets of at least two ids that the ids are in."""
        return await self._sets.read(graph, entity_ids, seen)

    def remembering(self) -> MergedReader:
        """The reader for one request, which reads the set of an id once."""
        if self._sets.keeps:
            return self
        return MergedReader(self._reader.for_request(), self._registry, keep=True)

    # --- facts ------------------------------------------------------------------------------------

    async def facts(self, graph: str, which: FactFilter, seen: Visibility) -> list[FactVersion]:
        """Versions in the order (key, valid start, recorded_at, version id); see GraphReader.facts."""
        if any(_MARK in id_ for id_ in which.version_ids):
            return await self._derived_by_id(graph, which, seen)
        asked = await self.sets(graph, (*which.entity_ids, *which.subject_ids, *which.object_ids), seen)
        wide = replace(
            which,
            entity_ids=asked.all(which.entity_ids),
            subject_ids=asked.all(which.subject_ids),
            object_ids=asked.all(which.object_ids),
        )
        found = await self._reader.facts(graph, wide, seen)
        every = FactFilter(conflicted=True, limit=which.limit)
        joint = await joint_facts(self._reader, graph, seen) if which == every else []
        sets = await self.sets(graph, _sides((*found, *joint)), seen)
        if not sets:
            return found
        shown = [_rewritten(version, sets) for version in found]
        if not which.version_ids:
            families = await self._families(graph, (*found, *joint), sets, seen)
            taken = {key for family in families for key in family.keys}
            shown = [version for version in shown if version.key not in taken]
            narrow = replace(
                which,
                keys=(),
                entity_ids=_ones(which.entity_ids, sets, asked),
                subject_ids=_ones(which.subject_ids, sets, asked),
                object_ids=_ones(which.object_ids, sets, asked),
            )
            for family in families:
                shown += await self._derive(graph, family, narrow, seen)
        return first(shown, which)

    async def fact_counts(
        self, graph: str, entity_ids: Sequence[str], seen: Visibility, most: int
    ) -> dict[str, int]:
        """By id how many versions there are about all ids of its set, but at most ``most``."""
        sets = await self.sets(graph, entity_ids, seen)
        counts = await self._reader.fact_counts(graph, sets.all(entity_ids), seen, most)
        totals = {id_: sum(counts.get(one, 0) for one in sets.all((id_,))) for id_ in entity_ids}
        return {id_: min(count, most) for id_, count in totals.items()}

    async def assertions(self, graph: str, keys: Sequence[str], seen: Visibility) -> list[Assertion]:
        """All evidence under the keys and under those that are one with them, as evidence of the first."""
        found = await self._reader.assertions(graph, keys, seen)
        sets = await self.sets(graph, _sides(found), seen)
        if not sets:
            return found
        asked = set(keys)
        for family in await self._families(graph, found, sets, seen):
            mine = min(asked & set(family.keys), default=family.keys[0])
            found = [one for one in found if one.key not in family.keys]
            found += [replace(one, key=mine) for one in family.evidence]
        shown = [replace(one, subject=sets.one(one.subject), object=_object(one, sets)) for one in found]
        return sorted(shown, key=lambda one: (one.key, one.recorded_at, one.assertion_id))

    async def _derived_by_id(self, graph: str, which: FactFilter, seen: Visibility) -> list[FactVersion]:
        keys = {id_.partition(_MARK)[2] for id_ in which.version_ids} - {""}
        plain = tuple(id_ for id_ in which.version_ids if _MARK not in id_)
        wide = replace(which, version_ids=(), keys=tuple(sorted(keys)), limit=MAX_COMBINATIONS)
        found = [v for v in await self.facts(graph, wide, seen) if v.version_id in which.version_ids]
        if plain:
            found += await self.facts(graph, replace(which, version_ids=plain), seen)
        return sorted(found, key=version_order)[: max(0, which.limit)]

    async def _families(
        self, graph: str, found: Iterable[FactVersion | Assertion], sets: Sets, seen: Visibility
    ) -> list[_Family]:
        """Keys that several ids of a set have evidence under or are named under, with that evidence."""
        spread: dict[str, tuple[str, ...]] = {}
        policies = await self._reader.decisions(graph, (POLICIES,), seen)
        registry = Rulebook.of(self._registry, policies).timeline.epochs[-1].registry
        for one in found:
            keys = _spread(registry, graph, one, sets)
            if keys:
                spread[one.key] = keys
        if not spread:
            return []
        every = sorted({key for keys in spread.values() for key in keys} | spread.keys())
        evidence = await self._reader.assertions(graph, every, seen)
        sets = await self.sets(graph, _sides(evidence), seen)  # others are named by what was not found
        by_key: dict[str, list[Assertion]] = defaultdict(list)
        for one in evidence:
            by_key[one.key].append(one)
        families: dict[tuple[str, ...], _Family] = {}
        for key, keys in spread.items():
            held = tuple(sorted(by_key.keys() & {key, *keys}))
            if held and held not in families:
                told = [one for held_key in held for one in by_key[held_key]]
                own = [
                    replace(one, key=held[0], subject=sets.one(one.subject), object=_object(one, sets))
                    for one in told
                ]
                if len(held) > 1 or len(set(map(_named, own))) < len(set(map(_named, told))):
                    families[held] = _Family(held, tuple(own))
        return list(families.values())

    async def _derive(
        self, graph: str, family: _Family, which: FactFilter, seen: Visibility
    ) -> list[FactVersion]:
        registers = sorted({one.document_id for one in family.evidence if one.register})
        revisions = await self._reader.revisions(graph, registers, seen) if registers else []
        book = await read_rulebook(self._reader, self._registry, graph, family.keys, seen)
        anchor = family.keys[0]
        # What was decided of a conflict under any of the keys was decided of the one that they are.
        said = (replace(d, subject=anchor) if d.subject in family.keys else d for d in book.decisions)
        found = derive_for(Rulebook.of(self._registry, said), family.evidence, revisions, which, seen)
        return [replace(v, version_id=f"{v.version_id}{_MARK}{anchor}") for v in found]

    # --- entities ---------------------------------------------------------------------------------

    async def entities(
        self, graph: str, entity_ids: Sequence[str], seen: Visibility | None = None
    ) -> list[EntityRecord]:
        """Entities with all names of their sets, in the order of their ids."""
        return await self._whole(graph, await self._reader.entities(graph, entity_ids), seen)

    async def _whole(
        self, graph: str, records: Iterable[EntityRecord], seen: Visibility | None
    ) -> list[EntityRecord]:
        """The records with the others of their sets."""
        found = {record.entity_id: record for record in records}
        sets = await self.sets(graph, found, seen or EVERYTHING)
        others = await self._reader.entities(graph, [i for i in sets.all(found) if i not in found])
        return _joined([*found.values(), *others], sets)

    async def entities_by_name(
        self, graph: str, normalised: Sequence[str], seen: Visibility | None = None
    ) -> dict[str, list[EntityRecord]]:
        """Entities that carry exactly this normalised name or alias, by name."""
        found = await self._reader.entities_by_name(graph, normalised)
        missing = [name for name in normalised if name not in found]
        found |= await self._called(graph, missing, seen or EVERYTHING)
        listed = (record for records in found.values() for record in records)
        whole = {record.entity_id: record for record in await self._whole(graph, listed, seen)}
        sets = _sets_of(whole.values())
        return {name: _each_once(records, whole, sets) for name, records in found.items()}

    async def _called(
        self, graph: str, names: Sequence[str], seen: Visibility
    ) -> dict[str, list[EntityRecord]]:
        """Entities that a fact says are called so, for names under which no document mentions any."""
        keys = {called_key(name): name for name in names if name}
        held = await self._reader.holders(graph, sorted(keys), MAX_CALLED) if keys else {}
        ids = sorted({holder for holders in held.values() for holder, _ in holders})
        if not ids:
            return {}
        which = FactFilter(subject_ids=tuple(ids), predicates=(NAME,), limit=MAX_COMBINATIONS)
        told: dict[str, set[str]] = {}
        for fact in await self._reader.facts(graph, which, seen):
            if not fact.object_is_entity:
                told.setdefault(normalise(fact.object), set()).add(fact.subject)
        records = {record.entity_id: record for record in await self._reader.entities(graph, ids)}
        return {
            name: [records[id_] for id_ in sorted(told[name]) if id_ in records]
            for name in names
            if name in told
        }

    async def search_entities(
        self, graph: str, text: str, limit: int, seen: Visibility | None = None
    ) -> list[tuple[EntityRecord, float]]:
        """Full-text search over names and aliases; a set has the score of its best name."""
        hits = await self._reader.search_entities(graph, text, limit)
        whole = {r.entity_id: r for r in await self._whole(graph, (record for record, _ in hits), seen)}
        sets = _sets_of(whole.values())
        best: dict[str, float] = {}
        for record, score in hits:
            one = sets.one(record.entity_id)
            best[one] = max(score, best.get(one, score))
        return [(whole[one], score) for one, score in best.items()]

    # --- events -----------------------------------------------------------------------------------

    async def events(self, graph: str, event_ids: Sequence[str], seen: Visibility) -> list[EventRecord]:
        """Visible events in the order of the ids asked for."""
        return await self._told(graph, await self._reader.events(graph, event_ids, seen), seen)

    async def events_of(
        self,
        graph: str,
        entity_ids: Sequence[str],
        valid: Interval | None,
        seen: Visibility,
        limit: int,
        last: bool = False,
    ) -> list[EventRecord]:
        """Events that mention any of the entities; dated ones inside ``valid`` first, in order of time."""
        wide = (await self.sets(graph, entity_ids, seen)).all(entity_ids)
        found = await self._reader.events_of(graph, wide, valid, seen, limit, last=last)
        return await self._told(graph, found, seen)

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
        """Events by exact cosine similarity; those that mention any id of a set count for all of it."""
        wide = (await self.sets(graph, ids, seen)).all(ids) if by == "entity" else tuple(ids)
        return await self._reader.rank_events(graph, by, wide, vector, seen, valid, limit, force)

    async def sketches(self, graph: str, event_ids: Sequence[str], seen: Visibility) -> list[EventSketch]:
        """Visible events as far as ranking needs them, with the ids of sets as one."""
        records = await self._reader.sketches(graph, event_ids, seen)
        sets = await self.sets(graph, (id_ for record in records for id_ in record.entity_ids), seen)
        if not sets:
            return records
        return [replace(r, entity_ids=tuple(sorted({sets.one(i) for i in r.entity_ids}))) for r in records]

    async def _told(self, graph: str, records: Sequence[EventRecord], seen: Visibility) -> list[EventRecord]:
        sets = await self.sets(graph, (id_ for record in records for id_ in record.entity_ids), seen)
        if not sets:
            return list(records)
        return [
            replace(record, entity_ids=tuple(sorted({sets.one(id_) for id_ in record.entity_ids})))
            for record in records
        ]


@dataclass(frozen=True, slots=True)
class _Family:
    """Stored keys that are one key of a merged entity, with the evidence under all of them."""

    keys: tuple[str, ...]
    evidence: tuple[Assertion, ...]


def merged(reader: GraphReader, registry: Registry) -> GraphReader:
    """The reader with sets taken for one entity."""
    if isinstance(reader, MergedReader):
        return reader
    return cast(GraphReader, MergedReader(reader, registry))


def remembering(reader: GraphReader) -> GraphReader:
    """The reader for one request; what it has read of sets is not read again."""
    return cast(GraphReader, reader.remembering()) if isinstance(reader, MergedReader) else reader


def apart(reader: GraphReader) -> GraphReader:
    """The reader below, in which every id stands for itself."""
    return reader.below if isinstance(reader, MergedReader) else reader


def _spread(registry: Registry, graph: str, one: FactVersion | Assertion, sets: Sets) -> tuple[str, ...]:
    """The conflict keys that the claim has under each id of the sets of its sides; none: it is in no set."""
    subjects = sets.members.get(one.subject, (one.subject,))
    objects: tuple[str, ...] = (one.object,)
    if one.object_is_entity:
        objects = sets.members.get(one.object, (one.object,))
    pairs = list(product(subjects, objects))[:MAX_COMBINATIONS]
    if len(pairs) == 1:
        return ()
    claims = (Canonical(s, one.predicate, o, one.object_is_entity, one.qualifiers) for s, o in pairs)
    return tuple(sorted({registry.conflict_key(graph, claim) for claim in claims}))


def _sides(found: Iterable[FactVersion | Assertion]) -> list[str]:
    return [side for one in found for side in (one.subject, one.object if one.object_is_entity else "")]


def _named(one: Assertion) -> tuple[str, str]:
    return one.subject, one.object


def _object(one: FactVersion | Assertion, sets: Sets) -> str:
    return sets.one(one.object) if one.object_is_entity else one.object


def _rewritten(version: FactVersion, sets: Sets) -> FactVersion:
    subject, object_ = sets.one(version.subject), _object(version, sets)
    if (subject, object_) == (version.subject, version.object):
        return version
    return replace(version, subject=subject, object=object_)


def _ones(entity_ids: Iterable[str], *sets: Sets) -> tuple[str, ...]:
    return tuple(dict.fromkeys(one.one(id_) for id_ in entity_ids for one in sets))


def joined(records: Sequence[EntityRecord]) -> EntityRecord:
    """The records of one set as one: the first id, the fullest name, all names."""
    fullest = max(records, key=lambda r: (len(r.key.split()), -r.recorded_at, r.key))
    first = min(records, key=lambda r: r.entity_id)
    typed = [r for r in sorted(records, key=lambda r: (r.recorded_at, r.entity_id)) if r.type]
    return EntityRecord(
        entity_id=first.entity_id,
        key=fullest.key,
        name=fullest.name,
        type=typed[0].type if typed else EntityType.UNSPECIFIED,
        aliases=tuple(sorted({name for record in records for name in record.aliases})),
        recorded_at=min(record.recorded_at for record in records),
        members=tuple(sorted(record.entity_id for record in records)),
    )


def _joined(records: Sequence[EntityRecord], sets: Sets) -> list[EntityRecord]:
    groups: dict[str, list[EntityRecord]] = {}
    for record in records:
        groups.setdefault(sets.one(record.entity_id), []).append(record)
    found = [joined(group) if len(group) > 1 else group[0] for group in groups.values()]
    return sorted(found, key=lambda record: record.entity_id)


def _sets_of(records: Iterable[EntityRecord]) -> Sets:
    return Sets({id_: record.members for record in records for id_ in record.members})


def _each_once(
    records: Iterable[EntityRecord], whole: dict[str, EntityRecord], sets: Sets
) -> list[EntityRecord]:
    ids = dict.fromkeys(sets.one(record.entity_id) for record in records)
    return [whole[entity_id] for entity_id in sorted(ids)]
