"""Names of places, in any script and romanisation."""

from __future__ import annotations

from functools import lru_cache

from rapidfuzz.distance import Levenshtein

from tidegraph.resolution.folding import is_latin, latin
from tidegraph.resolution.grades import NONE, Match, acronyms, same_word, transliterated
from tidegraph.resolution.tables import tables


@lru_cache(maxsize=50_000)
def place(name: str) -> tuple[str, ...]:
    """Folded words of a place name in Latin letters, articles in front and words like "city of" off."""
    parts = latin(name).split()
    while len(parts) > 1 and parts[0] in ("the", "city", "town", "of"):
        parts = parts[1:]
    return tuple(parts)


def place_match(a: str, b: str) -> Match:
    """How two place names relate; symmetric."""
    left, right = place(a), place(b)
    if not left or not right:
        return NONE
    if left == right:
        return Match("exact")
    if "".join(left) == "".join(right):
        return Match("spaced")
    for short, long in ((left, right), (right, left)):
        if (
            len("".join(short)) <= 5
            and len(long) > 1
            and "".join(short) in acronyms(long, tables().minor_words)
        ):
            return Match("acronym")
    if not (is_latin(a) and is_latin(b)):
        return transliterated(a, b)
    return _latin_match(a, b, left, right)


def _latin_match(a: str, b: str, left: tuple[str, ...], right: tuple[str, ...]) -> Match:
    generic = tables().place_words
    common = {x for x in left if any(same_word(x, y) for y in right)}
    if common - generic and (len(common) == len(left) or len(common) == len(right)):
        return Match("part", 1.0, frozenset(left) ^ frozenset(right))
    if common - generic and len(left) > 1 and len(right) > 1:
        return Match("crossed", len(common) / max(len(left), len(right)))
    straight = Levenshtein.normalized_similarity("".join(left), "".join(right))
    if common:  # only "saint" or "north" in common
        rest = "".join(w for w in left if w not in common), "".join(w for w in right if w not in common)
        straight = min(straight, Levenshtein.normalized_similarity(*rest))
        return Match("alike", straight)
    return Match("alike", max(straight, transliterated(a, b).grade - 0.05))
