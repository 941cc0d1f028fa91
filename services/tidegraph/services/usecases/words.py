"""Words of questions: tokens, stems and the tables of words that carry no content."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib import resources
from typing import Any, Final

_TOKEN: Final = re.compile(r"§\d+|[^\W_]+(?:[.\-'\u2019&/+_][^\W_]+)*[+#]*")
_ENDINGS: Final = (
    *("ements", "ement", "ments", "ment", "ations", "ation", "ated", "ates", "ating", "ings", "ing"),
    *("iers", "ier", "ied", "ies", "ers", "er", "ors", "or", "ed", "es", "s", "y", "e"),
)
_STEM_MIN: Final = 3


@dataclass(frozen=True, slots=True)
class Token:
    """A word of a question with its place."""

    text: str
    start: int
    end: int

    @property
    def lower(self) -> str:
        return self.text.casefold()


def tokens(text: str) -> list[Token]:
    """The words of a text in order; marks between words are dropped."""
    return [Token(match.group(), match.start(), match.end()) for match in _TOKEN.finditer(text)]


@lru_cache(maxsize=8_192)
def stem(word: str) -> str:
    """A crude stem: the same for the forms of one word, and applied to both sides of a comparison."""
    low = word.casefold().removesuffix("'s").removesuffix("\u2019s")
    low = tables().irregular.get(low, low)
    changed = True
    while changed:
        changed = False
        for ending in _ENDINGS:
            if low.endswith(ending) and len(low) - len(ending) >= _STEM_MIN and not low.endswith("ss"):
                low, changed = low[: -len(ending)], True
                break
    if len(low) > _STEM_MIN and low[-1] == low[-2] and low[-1] not in "aeiou":
        low = low[:-1]  # stepped, planning: the letter that the ending doubled
    return low


@lru_cache(maxsize=4_096)
def stems_of(text: str) -> frozenset[str]:
    """Stems of the words of a text."""
    return frozenset(stem(token.lower) for token in tokens(text))


@dataclass(frozen=True, slots=True)
class Hint:
    """Words that ask for a predicate; ``patterns`` restrict it to some values of a qualifier, ``asked`` to
    some forms of question.
    """

    stems: frozenset[str]
    predicate: str
    weight: float
    patterns: tuple[str, ...]
    asked: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class WordTables:
    """The tables of data/question_words.toml."""

    stop: frozenset[str]
    answer_nouns: frozenset[str]
    time_nouns: frozenset[str]
    irregular: dict[str, str]
    hints: tuple[dict[str, Any], ...]


@cache
def tables() -> WordTables:
    table = load("question_words.toml")
    return WordTables(
        stop=frozenset(table["stop"]),
        answer_nouns=frozenset(table["answer_nouns"]),
        time_nouns=frozenset(table["time_nouns"]),
        irregular=table["irregular"],
        hints=tuple(table["hint"]),
    )


@cache
def hints() -> tuple[Hint, ...]:
    return tuple(
        Hint(
            stems=frozenset(stem(word) for word in row["words"]),
            predicate=row["predicate"],
            weight=float(row["weight"]),
            patterns=tuple(row.get("role", ())),
            asked=tuple(row.get("asked", ())),
        )
        for row in tables().hints
    )


def load(name: str) -> dict[str, Any]:
    """A data file of the service."""
    return tomllib.loads(
        resources.files("tidegraph.services").joinpath("data", name).read_text(encoding="utf-8")
    )
