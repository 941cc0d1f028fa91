"""Words for the full-text index: one way of cutting for what is stored and what is asked.

A token is a run of letters, marks and digits of any script, folded (NFKC, lower case); everything else
separates. What reaches the index and the query therefore never holds an operator, a quote or an escape,
and text that would break a query cannot. Scripts written without spaces are cut into pairs of
characters.
"""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from importlib import resources
from itertools import combinations
from typing import Final

MAX_TERMS: Final = 32
"""A query over about 64 terms can silently return nothing."""
MAX_EXPECTED_HITS: Final = 5_000
"""Full text costs about a microsecond a hit, whatever the limit."""
MAX_TERM_CHARS: Final = 64

_ASCII_WORD: Final = re.compile(r"[a-z0-9]+")
_UNSPACED: Final = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003134f]+"
)
_COMMON: Final = frozenset(
    resources.files("tidegraph.storage").joinpath("common_words.txt").read_text(encoding="utf-8").split()
)


class _Separators(dict[int, str]):
    """A translation table filled as characters are met: separators become spaces."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        value = char if unicodedata.category(char)[0] in "LMN" else " "
        self[code] = value
        return value


_SEPARATORS: Final = _Separators()


def tokens(text: str) -> list[str]:
    """The words of a text in order, repeated ones too."""
    if text.isascii():
        return _ASCII_WORD.findall(text.lower())
    folded = unicodedata.normalize("NFKC", text).casefold().translate(_SEPARATORS)
    found: list[str] = []
    for word in folded.split():
        _cut(word, found)
    return found


def _cut(word: str, found: list[str]) -> None:
    position = 0
    for run in _UNSPACED.finditer(word):
        if run.start() > position:
            found.append(word[position : run.start()])
        chars = run.group()
        found.extend([chars[i : i + 2] for i in range(len(chars) - 1)] or [chars])
        position = run.end()
    if position < len(word):
        found.append(word[position:])


def words(*texts: str) -> str:
    """The words of the texts as they are put into the index."""
    return " ".join(token[:MAX_TERM_CHARS] for text in texts for token in tokens(text))


def select(terms: Iterable[str], limit: int = MAX_TERMS) -> list[str]:
    """The distinct words to search for, common ones left out unless there are no others."""
    found = list(dict.fromkeys(token[:MAX_TERM_CHARS] for term in terms for token in tokens(term)))
    rare = [token for token in found if token not in _COMMON]
    return (rare or found)[:limit]


def rarest(found: Sequence[str], hits: Mapping[str, int], budget: int = MAX_EXPECTED_HITS) -> list[str]:
    """The rarest words whose hits together stay within the budget, at least one that occurs at all."""
    ordered = sorted((word for word in found if hits.get(word, 0)), key=lambda word: (hits[word], word))
    kept: list[str] = []
    total = 0
    for word in ordered:
        total += hits[word]
        if kept and total > budget:
            break
        kept.append(word)
    return kept


def classes(weights: Mapping[str, float]) -> list[tuple[str, tuple[str, ...]]]:
    """Every choice of the words with the query for rows that hold these and none of the others, those first
    that weigh most.
    """
    listed = sorted(weights, key=lambda word: (-weights[word], word))
    chosen = [held for count in range(1, len(listed) + 1) for held in combinations(listed, count)]
    chosen.sort(key=lambda held: (-math.fsum(weights[word] for word in held), held))
    return [(_only(held, listed), held) for held in chosen]


def _only(held: Sequence[str], listed: Sequence[str]) -> str:
    return " ".join([*held, *(f"-{word}" for word in listed if word not in held)])


def any_of(found: Sequence[str]) -> str:
    """A query that finds rows with any of the words; empty for none."""
    return f"({'|'.join(found)})" if found else ""
