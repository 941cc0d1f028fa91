"""Names of products, brands and works: labels, slugs and catalogue ids."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from rapidfuzz.distance import Levenshtein

from tidegraph.resolution.folding import is_latin, words
from tidegraph.resolution.grades import NONE, Match, acronyms, transliterated
from tidegraph.resolution.tables import tables

_NUMBER: Final = re.compile(r"\d+(?:\.\d+)*")
_SEPARATORS: Final = re.compile(r"[_/:\-]+")
_VERSION: Final = re.compile(r"\bv(?=\d)", re.IGNORECASE)
_TRAILING_ZEROS: Final = re.compile(r"(?:\.0)+$")


@dataclass(frozen=True, slots=True)
class Product:
    """Words in order, telling words (without noise such as "server"), versions, letters in one piece."""

    parts: tuple[str, ...]
    telling: frozenset[str]
    versions: tuple[str, ...]
    joined: str


@lru_cache(maxsize=50_000)
def product(name: str) -> Product:
    """Take a product's name, slug or catalogue id apart."""
    spaced = _SEPARATORS.sub(" ", _VERSION.sub("", name))
    versions = tuple(_TRAILING_ZEROS.sub("", number) for number in _NUMBER.findall(spaced))
    parts = tuple(dict.fromkeys(part for part in words(spaced.replace(".", " ")) if not part.isdigit()))
    telling = frozenset(part for part in parts if part not in tables().product_noise)
    return Product(parts, telling or frozenset(parts), versions, "".join(parts))


def product_match(a: str, b: str) -> Match:
    """How two product names relate; differing versions are in conflict. Symmetric."""
    left, right = product(a), product(b)
    if left.versions != right.versions:
        similar = left.telling & right.telling or left.joined[:4] == right.joined[:4]
        return Match("numbers") if similar else NONE
    if not left.parts or not right.parts:
        return Match("exact") if left == right else NONE
    if left.joined == right.joined:
        return Match("exact" if left.parts == right.parts else "spaced")
    if left.telling == right.telling:
        return Match("soft")
    if left.telling < right.telling or right.telling < left.telling:
        extra = left.telling ^ right.telling
        return Match("part", 1.0 / len(extra), extra)
    for short, long in ((left, right), (right, left)):
        if _is_acronym(short, long):
            return Match("acronym")
        if len(short.joined) >= 4 and short.joined in long.joined:
            return Match("inside", len(short.joined) / len(long.joined))
    if not (is_latin(a) and is_latin(b)):
        return transliterated(a, b)
    return _unlike(left, right)


def _is_acronym(short: Product, long: Product) -> bool:
    if not 2 <= len(short.joined) <= 6:
        return False
    whole = acronyms(long.parts, tables().minor_words)
    tail = acronyms(long.parts[1:], tables().minor_words) if len(long.parts) > 2 else frozenset[str]()
    return short.joined in whole | tail


def _unlike(left: Product, right: Product) -> Match:
    short, long = sorted((left.joined, right.joined), key=len)
    if 3 <= len(short) < len(long) and short[0] == long[0] and _subsequence(short, long):
        return Match("contracted", len(short) / len(long))
    common = left.telling & right.telling
    likeness = Levenshtein.normalized_similarity(left.joined, right.joined)
    if common:
        extra = left.telling ^ right.telling
        return Match("crossed", max(len(common) / len(left.telling | right.telling), likeness - 0.2), extra)
    return Match("alike", likeness)


def _subsequence(short: str, long: str) -> bool:
    letters = iter(long)
    return all(letter in letters for letter in short)
