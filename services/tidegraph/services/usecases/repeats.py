"""Of hits that say the same only the best: what is read is bounded, and a repeat says nothing new."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

T = TypeVar("T")
SHARE: Final = 0.85
"""Share of the words of the shorter text that another one holds to say the same."""
WORDS_MIN: Final = 4
_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Said(Generic[T]):
    """An item with what it says, how (a denial is no repeat of the claim), of what time, and where:
    (document, first character, last one).
    """

    item: T
    text: str
    status: Hashable
    time: Hashable
    place: tuple[str, int, int]


def without_repeats(items: Iterable[Said[T]], limit: int) -> list[T]:
    """The first ``limit`` items in order without those whose words an earlier one holds.

    Only what is of one time, or stands in one place, repeats another: the same words of another time are
    another event. An item without text is no repeat, nor is one that differs in a number.
    """
    kept: list[T] = []
    seen: list[tuple[frozenset[str], Said[T]]] = []
    for said in items:
        if len(kept) >= limit:
            break
        words = frozenset(_WORD.findall(said.text.casefold()))
        if words and any(_alike(words, other) and _same_event(said, earlier) for other, earlier in seen):
            continue
        if words:
            seen.append((words, said))
        kept.append(said.item)
    return kept


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    if min(len(one), len(other)) < WORDS_MIN:
        return one == other
    if len(one & other) < SHARE * min(len(one), len(other)):
        return False
    return not any(word.isdigit() for word in one ^ other)


def _same_event(one: Said[T], other: Said[T]) -> bool:
    (document, start, end), (elsewhere, first, last) = one.place, other.place
    same_place = document == elsewhere != "" and start < last and first < end
    return one.status == other.status and (one.time == other.time or same_place)
