"""Entities whose names come near one that nobody carries exactly, by the rules of entity resolution."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from rapidfuzz import fuzz

from tidegraph.domain.documents import EntityType
from tidegraph.domain.identity import Sighting
from tidegraph.domain.interval import OPEN_START
from tidegraph.domain.naming import normalise
from tidegraph.ports import EntityRecord, Visibility
from tidegraph.resolution import names
from tidegraph.resolution.grades import strength
from tidegraph.resolution.standing import keys_of
from tidegraph.services.usecases.context import Ports

SEARCH_MAX: Final = 6
HOLDERS_MAX: Final = 50
NEAR_MAX: Final = 24
PART_OF: Final = 0.95
"""A surname or a shortened name matches the name that it is part of."""
STRONG: Final = 0.93
_TYPES: Final = (EntityType.PERSON, EntityType.ORGANISATION, EntityType.PLACE, EntityType.OTHER)


@dataclass(frozen=True, slots=True)
class Similar:
    """An entity with how near its nearest name is, in [0, 1]."""

    record: EntityRecord
    score: float


async def similar(ports: Ports, graph: str, name: str, seen: Visibility | None) -> list[Similar]:
    """Entities found by words and by blocking keys, the nearest first."""
    hits = await ports.store.search_entities(graph, name, SEARCH_MAX, seen)
    records = {record.entity_id: record for record, _ in hits}
    held = await ports.store.holders(graph, sorted(_keys(name)), HOLDERS_MAX + 1)
    ids = {holder for holders in held.values() if len(holders) <= HOLDERS_MAX for holder, _ in holders}
    more = await ports.store.entities(graph, sorted(ids - records.keys())[:NEAR_MAX], seen)
    records |= {record.entity_id: record for record in more}
    found = [Similar(record, max(_scores(name, record), default=0.0)) for record in records.values()]
    return sorted(found, key=lambda one: (-one.score, one.record.entity_id))


def _keys(name: str) -> set[str]:
    """The keys under which a name is found, whatever it names."""
    return {
        key
        for kind in _TYPES
        for key in keys_of(Sighting("", "", ((int(kind), name),), (), (), (), OPEN_START, 0))
    }


def _scores(name: str, record: EntityRecord) -> Iterable[float]:
    return (likeness(name, other, record.type) for other in (record.name, *record.aliases))


def likeness(wanted: str, name: str, kind: EntityType) -> float:
    """How near two names of a thing of one type are, in [0, 1].

    A kind of relation that the resolution of entities calls strong counts as such, whatever the letters
    say; one that it calls a conflict ("Type 4", "Type 5") is none.
    """
    one, other = normalise(wanted), normalise(name)
    if one and set(one.split()) <= set(other.split()):
        return PART_OF
    letters = float(fuzz.ratio(one, other)) / 100.0
    if kind is EntityType.UNSPECIFIED:
        return letters
    relation = names.match(kind, wanted, name)
    match strength(relation):
        case "conflict":
            return 0.0
        case "strong":
            return max(letters, STRONG)
        case "middle" if relation.kind != "part":
            return max(letters, 0.75 + 0.25 * relation.grade)
        case _:
            return letters
