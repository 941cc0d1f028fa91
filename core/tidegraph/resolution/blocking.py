"""Blocking: the keys under which two profiles of one thing meet, so that not all pairs are scored.

A key is worth what its kind tells: a whole name much, one word of it less, the town least. Candidates are
ranked by the worth of the keys that they share, so that a bounded number of them keeps the likely ones.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from tidegraph.domain.documents import EntityType
from tidegraph.resolution.aliases import Key
from tidegraph.resolution.aliases import keys as keys_of
from tidegraph.resolution.folding import latin, skeleton
from tidegraph.resolution.grades import acronyms
from tidegraph.resolution.names import name_key
from tidegraph.resolution.organisations import organisation
from tidegraph.resolution.persons import person
from tidegraph.resolution.places import place
from tidegraph.resolution.products import product
from tidegraph.resolution.profiles import POINT, Link, LinkKind, Profile
from tidegraph.resolution.tables import tables

MAX_KEYS: Final = 64
"""Keys of a profile that are kept, the most telling first."""
MAX_HOLDERS: Final = 400
"""A key held by more profiles of one type brings no candidates by itself."""
_FEWER_HOLDERS: Final = {"c": 20, "a": 20, "t": 100, "i": 100}
"""The same for keys of a kind that things which have nothing to do with each other come to share: with a
graph such a key would only fill the candidates with strangers."""
MAX_TOGETHER: Final = 100
"""Mentions of one type in a document that are all compared with each other."""
MAX_CANDIDATES: Final = 50

_WORTH: Final = {
    **{"l": 8.0, "n": 8.0, "e": 4.0, "a": 4.0, "d": 3.0, "k": 2.0, "i": 2.0, "c": 2.0, "t": 2.0},
    **{"p": 1.0, "r": 1.0},
}
_EVIDENCE: Final = ("site", "ticker", "since", "identifier", "email", "parent", "area")
_ROUGH: Final = ("region", "state")


def blocking_keys(profile: Profile, *, rough: bool = False) -> tuple[str, ...]:
    """Keys of a profile, sorted; two profiles are compared when they share one.

    The letter in front says what a key is: ``n`` normalised name, ``t`` a word of it, ``i`` surname and
    initial, ``k`` nickname group inside a document, ``a`` acronym, ``c`` consonant skeleton, ``l`` chain of
    renames, ``d`` document, ``e`` evidence, ``p`` beginning or end of a name (of a place: within its country
    or region); and, where ``rough`` ones are asked for, ``r`` a shorter beginning, or state, region or
    country alone. Rough keys are for a set in memory: in a large graph their holders are many.
    """
    keys: set[str] = set()
    for name in profile.names:
        keys |= _name_keys(name, profile)
    keys.update(f"d:{document}" for document in profile.documents)
    for slot in _EVIDENCE:
        keys.update(f"e:{slot}:{value}" for value in profile.slots.get(slot, ()))
    for letter, slots in (("e", ("city",)), ("r", _ROUGH)):
        for slot in slots:
            for value in profile.slots.get(slot, ()):
                for country in profile.slots.get("country", ("",)):
                    keys.add(f"{letter}:{slot}:{country}:{value}")
    for value in profile.slots.get(POINT, ()):
        keys |= _cells(value)
    kept = keys if rough else {key for key in keys if key[0] != "r"}
    ranked = sorted(kept, key=lambda key: (-_WORTH[key[0]], key))
    return tuple(sorted(ranked[:MAX_KEYS]))


def _name_keys(name: str, profile: Profile) -> set[str]:
    kind = profile.type
    tokens = set(latin(name).split())
    keys = {"n:" + " ".join(sorted(tokens)), "c:" + skeleton(name)}
    if kind is EntityType.PERSON:
        parts = person(name)
        tokens = set(parts.all_words)
        numbers = {n for word in (*parts.given, parts.surname) for n in tables().nicknames.get(word, ())}
        keys.update(f"i:{word[0]}:{parts.surname}" for word in parts.given)
        keys.update(f"k:{number}:{document}" for number in numbers for document in profile.documents)
    elif kind is EntityType.PLACE:
        keys |= _acronym_keys(place(name))
        keys.add("r:" + skeleton(name)[:3])
        keys.update(_local_keys(skeleton(name), profile))
    elif kind is EntityType.ORGANISATION:
        tokens = set(organisation(name).words)
        keys |= _acronym_keys(organisation(name).words)
    elif kind is EntityType.OTHER:
        item = product(name)
        tokens = set(item.telling)
        keys.add("n:" + item.joined)
        keys |= _acronym_keys(item.parts)
        keys.update(
            (
                "r:" + item.joined[:2],
                "p:" + item.joined[:4],
                "p:" + item.joined[-7:],
                "r:" + skeleton(name)[:3],
            )
        )
        keys.add("a:" + "".join(item.parts[1:] or item.parts))
    keys.update(f"t:{word}" for word in tokens if len(word) > 1 and word not in tables().generic_words)
    keys.update(f"c:{skeleton(word)}" for word in tokens if len(word) > 3)
    return keys


def _local_keys(sound: str, profile: Profile) -> Iterator[str]:
    """Keys of a place by its country and how its name begins: across scripts names seldom agree in full."""
    for country in profile.slots.get("country", ()):
        yield f"r:in:{country}"
        yield f"p:{country}:{sound[:3]}"
        yield f"p:{country}:{sound[:2]}"
        for slot in _ROUGH:
            yield from (f"p:{country}:{value}:{sound[:1]}" for value in profile.slots.get(slot, ()))


def _acronym_keys(words: tuple[str, ...]) -> set[str]:
    letters = acronyms(words, tables().minor_words) if len(words) > 1 else frozenset[str]()
    return {f"a:{short}" for short in letters if len(short) > 1} | {"a:" + "".join(words)}


def _cells(point: str) -> set[str]:
    """The four cells of a tenth of a degree around a point: points nearer than that share one."""
    latitude, _, longitude = point.partition(",")
    row, column = int(float(latitude) * 10 // 1), int(float(longitude) * 10 // 1)
    return {f"e:cell:{row + i}:{column + j}" for i in (0, 1) for j in (0, 1)}


class Blocks:
    """An index of keys by type; what it returns depends on the set of profiles added, not on their order."""

    def __init__(self, links: Iterable[Link] = ()) -> None:
        self._holders: dict[tuple[EntityType, str], set[str]] = defaultdict(set)
        self._chains = name_chains(links)

    def add(self, profile: Profile) -> None:
        """Enter a profile under each of its keys."""
        for key in self._keys(profile):
            self._holders[profile.type, key].add(profile.entity_id)

    def _keys(self, profile: Profile) -> Iterator[str]:
        yield from blocking_keys(profile, rough=True)
        if self._chains:
            yield from sorted(
                {f"l:{self._chains[key][1]}" for key in keys_of(profile) if key in self._chains}
            )

    def candidates(self, profile: Profile, limit: int = MAX_CANDIDATES) -> tuple[str, ...]:
        """Ids that share a key, the most telling first, at most ``limit``; the profile itself is left out.

        Keys with too many holders only add to the worth of those found by rarer ones.
        """
        worth: dict[str, float] = defaultdict(float)
        common = []
        for key in self._keys(profile):
            holders = self._holders.get((profile.type, key), ())
            if len(holders) > _FEWER_HOLDERS.get(key[0], MAX_HOLDERS):
                common.append((key, holders))
                continue
            for other in holders:
                worth[other] += _WORTH[key[0]]
        for key, holders in common:
            for other in worth:
                worth[other] += _WORTH[key[0]] if other in holders else 0.0
        worth.pop(profile.entity_id, None)
        ranked = heapq.nsmallest(limit, [(-known, other) for other, known in worth.items()])
        return tuple(other for _, other in ranked)


def candidate_pairs(profiles: Mapping[str, Profile], links: Iterable[Link] = ()) -> list[tuple[str, str]]:
    """Pairs of ids of one type that share a key or are tied by a statement, each pair once, in order."""
    holders: dict[tuple[EntityType, str], list[str]] = defaultdict(list)
    chains = name_chains(links)
    for entity_id in sorted(profiles):
        profile = profiles[entity_id]
        for key in blocking_keys(profile, rough=True):
            holders[profile.type, key].append(entity_id)
        for chain in sorted({chains[key] for key in keys_of(profile) if key in chains}):
            holders[chain[0], f"l:{chain[1]}"].append(entity_id)
    for (kind, key), ids in list(holders.items()):
        if key.startswith("d:") and len(ids) > MAX_TOGETHER:
            del holders[kind, key]
    return sorted(set(_pairs(holders.values())))


def name_chains(links: Iterable[Link]) -> dict[Key, Key]:
    """Comparable forms of names that statements tie, each with the least form of its chain."""
    parent: dict[Key, Key] = {}

    def root(key: Key) -> Key:
        while parent.setdefault(key, key) != key:
            key = parent[key]
        return key

    for link in links:
        if link.kind is LinkKind.MERGED:
            continue
        a, b = (root((link.type, name_key(link.type, name))) for name in (link.former, link.later))
        parent[max(a, b)] = min(a, b)
    return {key: root(key) for key in sorted(parent)}


def _pairs(holders: Iterable[list[str]]) -> Iterator[tuple[str, str]]:
    for ids in holders:
        for i, first in enumerate(ids):
            for second in ids[i + 1 :]:
                yield first, second
