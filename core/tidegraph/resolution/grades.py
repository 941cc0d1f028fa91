"""How two names of one type relate: a kind, and a grade where the kind has degrees.

The kinds are what the model weighs; they carry no judgement. ``extra`` are the words that only one of the
names has: a vendor or a town there may be known from what stands around the other name.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from rapidfuzz.distance import JaroWinkler, Levenshtein

from tidegraph.resolution.folding import fold, latin, skeleton

NO_WORDS: Final[frozenset[str]] = frozenset()


@dataclass(frozen=True, slots=True)
class Match:
    """The relation of two names. ``grade`` is in [0, 1], 1 where the kind has no degrees."""

    kind: str
    grade: float = 1.0
    extra: frozenset[str] = NO_WORDS


NONE: Final = Match("none", 0.0)
STRONG: Final = frozenset({"exact", "reordered", "spaced", "extended", "soft", "typo", "vendor"})
MIDDLE: Final = frozenset(
    {"initials", "nickname", "middle", "acronym", "part", "translit", "alike", "bracket", "same code"}
)
SHORT: Final = frozenset({"surname", "given", "mononym", "mononym titled"})
CONFLICTS: Final = frozenset({"conflict", "numbers"})


GROUPS: Final = ("strong", "middle", "short", "weak", "conflict")
"""The classes that ``strength`` gives."""


def strength(match: Match) -> str:
    """The class of a kind, by which evidence is weighed together."""
    if match.kind in CONFLICTS:
        return "conflict"
    if match.kind in STRONG:
        return "strong"
    if match.kind in SHORT:
        return "short"
    if match.kind in MIDDLE:
        return "middle" if match.grade >= 0.6 else "weak"
    return "weak"


def transliterated(a: str, b: str) -> Match:
    """Two names of which at least one is not Latin: by transliteration, then by consonants."""
    if fold(a) == fold(b):
        return Match("exact")
    left, right = latin(a).split(), latin(b).split()
    if not left or not right:
        return NONE
    return Match("translit", max(_letters(left, right), _bones(a, b)))


def _letters(left: list[str], right: list[str]) -> float:
    straight = Levenshtein.normalized_similarity("".join(left), "".join(right))
    return max(straight, Levenshtein.normalized_similarity("".join(sorted(left)), "".join(sorted(right))))


@lru_cache(maxsize=50_000)
def _skeletons(text: str) -> tuple[str, str]:
    bones = [skeleton(word) for word in latin(text).split()]
    return "".join(bones), "".join(sorted(bones))


def _bones(a: str, b: str) -> float:
    """Likeness of the consonants; short ones prove little."""
    (left, left_sorted), (right, right_sorted) = _skeletons(a), _skeletons(b)
    if not left or not right:
        return 0.0
    best = max(
        Levenshtein.normalized_similarity(left, right),
        Levenshtein.normalized_similarity(left_sorted, right_sorted),
        JaroWinkler.similarity(left, right) - 0.08,
    )
    return min(1.0, best) * (0.96 if min(len(left), len(right)) > 3 else 0.85)


def acronyms(words: Iterable[str], minor: frozenset[str]) -> frozenset[str]:
    """First letters of the words: of all, and without the minor ones."""
    words = list(words)
    every = "".join(word[0] for word in words if word)
    major = "".join(word[0] for word in words if word and word not in minor)
    return frozenset((every, major))


def same_word(x: str, y: str) -> bool:
    """One word up to a letter, a romanisation or an ending."""
    if x == y:
        return True
    short = min(len(x), len(y))
    if short < 5:
        return False
    return (
        Levenshtein.distance(x, y, score_cutoff=1) <= 1
        or skeleton(x) == skeleton(y)
        or (short >= 6 and x[: short - 1] == y[: short - 1] and abs(len(x) - len(y)) <= 3)
    )
