"""Blocking: the keys under which two profiles of one thing meet, so that not all pairs are scored."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final

from tidegraph.domain.documents import EntityType
from tidegraph.resolution.folding import latin, skeleton
from tidegraph.resolution.grades import acronyms
from tidegraph.resolution.organisations import organisation
from tidegraph.resolution.persons import person
from tidegraph.resolution.products import product
from tidegraph.resolution.profiles import POINT, Profile
from tidegraph.resolution.tables import tables

MAX_KEYS: Final = 64
_SOFT_SLOTS: Final = ("site", "ticker", "since", "identifier", "email", "parent", "area", "city")


def blocking_keys(profile: Profile) -> tuple[str, ...]:
    """Keys of a profile, sorted; two profiles are compared when they share one.

    Prefixes say what a key is: ``n`` normalised name, ``t`` token, ``c`` consonant skeleton, ``a``
    acronym, ``e`` evidence.
    """
    keys: set[str] = set()
    for name in profile.names:
        keys |= _name_keys(profile.type, name)
    for slot in _SOFT_SLOTS:
        keys.update(f"e:{slot}:{value}" for value in profile.slots.get(slot, ()))
    for value in profile.slots.get(POINT, ()):
        keys |= _cells(value)
    return tuple(sorted(keys))[:MAX_KEYS]


def _name_keys(kind: EntityType, name: str) -> set[str]:
    tokens = set(latin(name).split())
    keys = {"n:" + " ".join(sorted(tokens)), "c:" + skeleton(name)}
    if kind is EntityType.PERSON:
        parts = person(name)
        tokens = set(parts.all_words)
    elif kind is EntityType.ORGANISATION:
        taken = organisation(name)
        tokens = set(taken.words)
        keys.update("a:" + letters for letters in acronyms(taken.words, tables().minor_words))
        keys.add("a:" + "".join(taken.words))
    elif kind is EntityType.OTHER:
        item = product(name)
        tokens = set(item.telling)
        keys.add("n:" + item.joined)
        keys.update("a:" + letters for letters in acronyms(item.parts, tables().minor_words))
        keys.add("a:" + item.joined)
    keys.update(f"t:{word}" for word in tokens if len(word) > 1 and word not in tables().generic_words)
    keys.update(f"c:{skeleton(word)}" for word in tokens if len(word) > 3)
    return keys


def _cells(point: str) -> set[str]:
    """The cell of a tenth of a degree, with its neighbours on the grid's four corners."""
    latitude, _, longitude = point.partition(",")
    row, column = int(float(latitude) * 10 // 1), int(float(longitude) * 10 // 1)
    return {f"e:cell:{row + i}:{column + j}" for i in (0, 1) for j in (0, 1)}


def candidate_pairs(profiles: Mapping[str, Profile]) -> list[tuple[str, str]]:
    """Pairs of ids of one type that share a key, each pair once, in order."""
    holders: dict[tuple[EntityType, str], list[str]] = defaultdict(list)
    for entity_id in sorted(profiles):
        profile = profiles[entity_id]
        for key in blocking_keys(profile):
            holders[profile.type, key].append(entity_id)
    return sorted(set(_pairs(holders.values())))


def _pairs(holders: Iterable[list[str]]) -> Iterable[tuple[str, str]]:
    for ids in holders:
        for i, first in enumerate(ids):
            for second in ids[i + 1 :]:
                yield first, second
