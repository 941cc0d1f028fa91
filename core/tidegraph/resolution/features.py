"""What a pair of profiles shows: named numbers that the model weighs.

Names are graded in [0, 1] and spread over knots, so that the model learns one weight a grade; every slot
agrees, conflicts or is silent; products of grade and evidence let weak names through on strong evidence
and hold equal names apart on a conflict.
"""

from __future__ import annotations

import itertools
from typing import Final

from tidegraph.resolution.folding import is_latin
from tidegraph.resolution.names import match
from tidegraph.resolution.profiles import POINT, Profile
from tidegraph.resolution.statistics import Statistics

NEAR_DEGREES: Final = 0.11
FAR_DEGREES: Final = 0.25
MAX_NAMES: Final = 8
"""Names of a profile that are compared, the first ones."""

_KNOTS: Final = (0.0, 0.2, 0.35, 0.5, 0.65, 0.8, 0.9, 1.0)
_HARD: Final = frozenset({"country", "state", "region", "born", "released", "father", "identifier"})
_WEAK: Final = {"country": 0.3, "role": 0.4, "party": 0.2, "kind": 0.2, "chamber": 0.2, "state": 0.8}


def pair_features(a: Profile, b: Profile, statistics: Statistics) -> dict[str, float]:
    """Features of two profiles of one type; symmetric in them."""
    grade = name_grade(a, b)
    spread = _hats(grade)
    features: dict[str, float] = {"bias": 1.0}
    agree, conflict = _slots(a, b, statistics, features)
    soft = _shared_context(a, b, statistics)
    if soft:
        features["context"] = soft
        features["context*name"] = soft * max(grade, 0.0)
    if a.names and b.names and is_latin(a.names[0]) != is_latin(b.names[0]):
        features["scripts differ"] = 1.0
    together = bool(a.documents & b.documents)
    for knot, share in spread:
        features[f"name {knot}"] = share
        if agree:
            features[f"name {knot}*agree"] = share * agree
        if conflict:
            features[f"name {knot}*conflict"] = share * conflict
        if together:
            features[f"name {knot}*document"] = share
    return features


def name_grade(a: Profile, b: Profile) -> float:
    """The best grade among the names of both; below 0 when all pairs are in conflict."""
    return max((match(a.type, x, y) for x in a.names[:MAX_NAMES] for y in b.names[:MAX_NAMES]), default=0.0)


def _hats(grade: float) -> tuple[tuple[str, float], ...]:
    if grade < 0:
        return (("conflict", 1.0),)
    for low, high in itertools.pairwise(_KNOTS):
        if grade <= high:
            upper = (grade - low) / (high - low)
            pairs = ((f"{low:g}", 1.0 - upper), (f"{high:g}", upper))
            return tuple((knot, share) for knot, share in pairs if share)
    return (("1", 1.0),)


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
            rarity = max(statistics.rarity(slot, value) for value in common)
            features[f"same {slot}"] = rarity
            agree = max(agree, rarity * _WEAK.get(slot, 1.0))
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
    left, right = set(a.context), set(b.context)
    whole = sum(statistics.telling(word) for word in left | right)
    return sum(statistics.telling(word) for word in left & right) / whole if whole else 0.0
