"""Names of places, in any script and romanisation."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from rapidfuzz.distance import Levenshtein

from tidegraph.resolution.folding import fold, is_latin, latin
from tidegraph.resolution.grades import NONE, Match, acronyms, same_word, transliterated
from tidegraph.resolution.tables import tables

_KINDS: Final = "city|town|state|province|county|kingdom|republic|commonwealth|municipality|island"
_OF: Final = re.compile(rf"^(?:the )?(?:(?:{_KINDS}) of )?(?:the )?")


@lru_cache(maxsize=50_000)
def place(name: str) -> tuple[str, ...]:
    """Folded words of a place name in Latin letters, "the" and "city of" in front and ", Texas" behind off.

    A country is ("", its code), in whatever way it is named.
    """
    folded = fold(name)
    if folded in tables().countries and (len(folded) > 2 or name.isupper()):
        return ("", tables().countries[folded])
    whole = latin(name.split(",", maxsplit=1)[0] if "," in name.strip(" ,") else name)
    return tuple(_OF.sub("", whole).split() or whole.split())


def place_match(a: str, b: str) -> Match:
    """How two place names relate; symmetric."""
    left, right = place(a), place(b)
    if not left or not right:
        return NONE
    if left == right:
        return Match("exact")
    if "".join(left) == "".join(right):
        return Match("spaced")
    if not left[0] and not right[0]:
        return Match("conflict")
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
