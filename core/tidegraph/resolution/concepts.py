"""What the general words of a name mean, across languages: "hospital", "病院" and "szpital" are one."""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from tidegraph.resolution.folding import fold
from tidegraph.resolution.tables import concept_lists

_UNSPACED: Final = ("CJK", "HIRAGANA", "KATAKANA", "HANGUL", "THAI", "LAO", "KHMER", "MYANMAR")
_MIN_PREFIX: Final = 2


@dataclass(frozen=True, slots=True)
class _Lexicon:
    whole: dict[str, frozenset[str]]
    beginnings: dict[str, frozenset[str]]
    phrases: tuple[tuple[str, str], ...]
    inside: dict[str, frozenset[str]]
    pattern: re.Pattern[str]


@cache
def _lexicon() -> _Lexicon:
    whole: dict[str, set[str]] = defaultdict(set)
    beginnings: dict[str, set[str]] = defaultdict(set)
    inside: dict[str, set[str]] = defaultdict(set)
    phrases = []
    for concept, entries in concept_lists().items():
        for entry in entries:
            folded = fold(entry.removesuffix("*"))
            if unicodedata.name(folded[0], "").startswith(_UNSPACED):
                inside[folded].add(concept)
            elif entry.endswith("*"):
                beginnings[folded].add(concept)
            elif " " in folded:
                phrases.append((f" {folded} ", concept))
            else:
                whole[folded].add(concept)
    longest_first = sorted(inside, key=lambda entry: (-len(entry), entry))
    return _Lexicon(
        {word: frozenset(found) for word, found in whole.items()},
        {word: frozenset(found) for word, found in beginnings.items()},
        tuple(sorted(phrases)),
        {word: frozenset(found) for word, found in inside.items()},
        re.compile("|".join(map(re.escape, longest_first))),
    )


@lru_cache(maxsize=50_000)
def concepts_of_word(word: str) -> frozenset[str]:
    """The concepts of one folded word; the longest beginning that is listed counts."""
    lexicon = _lexicon()
    if word in lexicon.whole:
        return lexicon.whole[word]
    for length in range(len(word), _MIN_PREFIX, -1):
        if word[:length] in lexicon.beginnings:
            return lexicon.beginnings[word[:length]]
    return frozenset()


@lru_cache(maxsize=50_000)
def concepts_of(name: str) -> frozenset[str]:
    """The concepts of a name in any script."""
    lexicon = _lexicon()
    folded = fold(name)
    found: set[str] = set()
    for word in folded.split():
        found |= concepts_of_word(word)
    # What stands inside of words is of scripts without blanks.
    for piece in () if folded.isascii() else lexicon.pattern.findall(folded):
        found |= lexicon.inside[piece]
    padded = f" {folded} "
    found.update(concept for phrase, concept in lexicon.phrases if phrase in padded)
    return frozenset(found)
