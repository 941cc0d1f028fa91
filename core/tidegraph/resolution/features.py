"""What a pair of profiles shows: named numbers that the model weighs.

The relation of the names gives one feature a kind, spread over knots where the kind has degrees; every
slot agrees, conflicts or is silent. Products of kind and evidence let weak names through on strong
evidence and hold equal names apart on a conflict.
"""

from __future__ import annotations

from collections import Counter
from functools import lru_cache
from itertools import pairwise
from typing import Final

from tidegraph.domain.documents import EntityType
from tidegraph.resolution.aliases import Tied
from tidegraph.resolution.folding import words
from tidegraph.resolution.grades import CONFLICTS, NONE, Match, strength
from tidegraph.resolution.names import match
from tidegraph.resolution.persons import person
from tidegraph.resolution.profiles import POINT, Profile
from tidegraph.resolution.statistics import Statistics

NEAR_DEGREES: Final = 0.11
FAR_DEGREES: Final = 0.25
MERGED: Final = "merged into the other"
"""The feature of two things of which a statement says that one went into the other."""
MAX_NAMES: Final = 8
"""Names of a profile that are compared, the first ones."""

_KNOTS: Final = (0.0, 0.35, 0.5, 0.65, 0.8, 0.9, 1.0)
_ORDER: Final = {"conflict": -1, "weak": 0, "short": 1, "middle": 2, "strong": 3}
_HARD: Final = frozenset({"country", "state", "region", "born", "released", "father", "identifier"})
_WEAK: Final = {
    "country": 0.3,
    "role": 0.4,
    "party": 0.2,
    "faction": 0.2,
    "kind": 0.2,
    "chamber": 0.2,
    "parent": 0.2,
    "product": 0.2,
    "state": 0.7,
    "region": 0.7,
}


def pair_features(a: Profile, b: Profile, statistics: Statistics) -> dict[str, float]:
    """Features of two profiles of one type; symmetric in them."""
    names = best_match(a, b)
    group = strength(names)
    features: dict[str, float] = {"bias": 1.0}
    agree, conflict = _slots(a, b, statistics, features)
    soft = _shared_context(a, b, statistics)
    if soft:
        features["context"] = soft
        features[f"context*{group}"] = soft
    if names.extra:
        features["extra known"] = _known_share(names.extra, a, b)
    _statements(a, b, statistics, group, agree, conflict, features)
    together = bool(a.documents & b.documents)
    evidence = (("", 1.0), ("*agree", agree), ("*conflict", conflict), ("*document", float(together)))
    for suffix, value in evidence:
        if value:
            features[group + suffix] = value
            for knot, share in _hats(names.grade):
                features[names.kind + knot + suffix] = share * value
    return features


def _statements(
    a: Profile,
    b: Profile,
    statistics: Statistics,
    group: str,
    agree: float,
    conflict: float,
    features: dict[str, float],
) -> None:
    """What statements about names say: one is the other's alias, or bears a name after it was given up."""
    if statistics.aliases.merged(a, b):
        features[MERGED] = 1.0
    late = statistics.aliases.late(a), statistics.aliases.late(b)
    if group != "strong":
        tied = statistics.aliases.tied(a, b)
        if tied is Tied.YES:
            features["alias"] = 1.0
            features["alias*agree"] = agree
            features["alias*conflict"] = conflict
        elif tied is Tied.OUT_OF_TIME:
            features["alias out of time"] = 1.0
    elif late[0] != late[1]:
        features["taken over"] = 1.0
        features["taken over*agree"] = agree
    if group == "short" and a.documents & b.documents:
        features["rival" if statistics.holders.rivals(a, b) else "sole holder"] = 1.0


def best_match(a: Profile, b: Profile) -> Match:
    """The closest relation among the names of both; a conflict of two names outweighs the rest."""
    return _best_of(a.type, a.names, b.names)


@lru_cache(maxsize=20_000)
def _best_of(kind: EntityType, left: tuple[str, ...], right: tuple[str, ...]) -> Match:
    best, rank = NONE, _rank(NONE)
    for x in _compared(kind, left):
        for y in _compared(kind, right):
            found = match(kind, x, y)
            if found.kind in CONFLICTS:
                return Match("conflict")
            if (ranked := _rank(found)) > rank:
                best, rank = found, ranked
    return best


@lru_cache(maxsize=20_000)
def _compared(kind: EntityType, names: tuple[str, ...]) -> tuple[str, ...]:
    """The names that speak for a profile: of a person the full ones, where there are any."""
    if kind is EntityType.PERSON:
        full = tuple(name for name in names if len(person(name).all_words) > 1)
        names = full or names
    return names[:MAX_NAMES]


def _rank(found: Match) -> tuple[int, float, bool, str]:
    return _ORDER[strength(found)], found.grade, found.kind != NONE.kind, found.kind


@lru_cache(maxsize=20_000)
def _hats(grade: float) -> tuple[tuple[str, float], ...]:
    """The two knots that a grade lies between, as they are written, each with its share."""
    if grade >= 1.0:
        return ((" 1", 1.0),)
    for low, high in pairwise(_KNOTS):
        if grade <= high:
            upper = (grade - low) / (high - low)
            pairs = ((f" {low:g}", 1.0 - upper), (f" {high:g}", upper))
            return tuple((knot, share) for knot, share in pairs if share)
    return ((" 1", 1.0),)


def _known_share(extra: frozenset[str], a: Profile, b: Profile) -> float:
    """The share of words in the name of one only that stand around the other."""
    own = _words_of(a.names)
    around = {True: _around(b), False: _around(a)}
    return sum(word in around[word in own] for word in extra) / len(extra)


def _around(profile: Profile) -> set[str]:
    places = [value for slot in ("city", "state") for value in profile.slots.get(slot, ())]
    return set(profile.context).union(*(value.split() for value in places))


@lru_cache(maxsize=20_000)
def _words_of(names: tuple[str, ...]) -> frozenset[str]:
    return frozenset(word for name in names for word in words(name))


def _slots(a: Profile, b: Profile, statistics: Statistics, features: dict[str, float]) -> tuple[float, float]:
    """Write agreements and conflicts; return the strongest of each in [0, 1]."""
    agree = conflict = 0.0
    for slot, left in a.slots.items():
        right = b.slots.get(slot)
        if right is None:
            continue
        if slot == POINT:
            distance = _distance(left, right)
            if distance <= NEAR_DEGREES:
                features["near"] = agree = 1.0
            elif distance > FAR_DEGREES:
                features["far"] = conflict = 1.0
            continue
        common = set(left) & set(right)
        if common:
            telling = max(statistics.rarity(slot, value) for value in common) * _WEAK.get(slot, 1.0)
            features[f"same {slot}"] = telling
            agree = max(agree, telling)
        else:
            features[f"other {slot}"] = 1.0
            if slot in _HARD:
                conflict = 1.0
    return agree, conflict


def _distance(left: tuple[str, ...], right: tuple[str, ...]) -> float:
    """The smallest gap in degrees, the larger of the two axes."""
    best = 360.0
    for x in left:
        for y in right:
            (lat, lon), (other_lat, other_lon) = _degrees(x), _degrees(y)
            wide = abs(lon - other_lon)
            best = min(best, max(abs(lat - other_lat), min(wide, 360.0 - wide)))
    return best


def _degrees(value: str) -> tuple[float, float]:
    latitude, _, longitude = value.partition(",")
    return float(latitude), float(longitude)


def _shared_context(a: Profile, b: Profile, statistics: Statistics) -> float:
    """The telling share of words in common. Counted before it is weighed: a sum over a set of words would
    round differently from process to process."""
    left = set(a.context)
    shared = left.intersection(b.context)
    if not shared:
        return 0.0
    common, whole = _weigh(shared, statistics), _weigh(left.union(b.context), statistics)
    return common / whole if whole else 0.0


def _weigh(words_around: set[str], statistics: Statistics) -> float:
    counts = Counter(map(statistics.telling, words_around))
    return sum(weight * number for weight, number in sorted(counts.items()))
