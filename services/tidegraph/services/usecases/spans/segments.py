"""Sentences and words of a passage, as the search for an answer needs them. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from tidegraph.services.usecases.spans.lists import listed

_WORD: Final = re.compile(r"[^\W_]+(?:['\u2019.\-\u2010-\u2015/&][^\W_]+)*|[^\w\s]")
_YEARS: Final = re.compile(r"(\d{3,4}[\-\u2010-\u2015/])(?=\d)")
_INITIALS: Final = re.compile(r"(?:[^\W\d_]\.)*[^\W\d_]\.?$")
_SHORT: Final = listed("short")
_OPENERS: Final = listed("openers")
_ENDS: Final = frozenset(".!?")
_CLOSERS: Final = frozenset("\"')]\u201d\u2019")


@dataclass(frozen=True, slots=True)
class Word:
    """A word or a single mark, with its characters in the passage."""

    text: str
    low: str
    start: int
    end: int

    @property
    def is_name(self) -> bool:
        """Whether it begins like a name."""
        return self.text[0].isupper()

    @property
    def is_mark(self) -> bool:
        return not self.text[0].isalnum()


@dataclass(frozen=True, slots=True)
class Sentence:
    """A run of words [first, last) of the passage; ``block`` counts the lines of the text."""

    first: int
    last: int
    block: int


@dataclass(frozen=True, slots=True)
class Segmented:
    """A passage in words and sentences."""

    text: str
    words: tuple[Word, ...]
    sentences: tuple[Sentence, ...]


def segmented(text: str) -> Segmented:
    """The words and sentences of a passage.

    A full stop after initials or a short form ends no sentence, unless what follows begins like one.
    Line breaks always end one.
    """
    words = tuple(_words(text))
    found: list[Sentence] = []
    first, block = 0, 0
    for index, word in enumerate(words):
        after = words[index + 1] if index + 1 < len(words) else None
        broken = after is not None and "\n" in text[word.end : after.start]
        if after is None or broken or _ends(words, index):
            found.append(Sentence(first, index + 1, block))
            first = index + 1
        block += broken
    return Segmented(text, words, tuple(found))


def _words(text: str) -> Iterator[Word]:
    for match in _WORD.finditer(text):
        yield Word(match.group(), match.group().casefold(), match.start(), match.end())


def _ends(words: tuple[Word, ...], index: int) -> bool:
    word, after = words[index], words[index + 1]
    if word.text not in _ENDS and not (
        word.text in _CLOSERS and index and words[index - 1].text in _ENDS and index > 1
    ):
        return False
    if after.text in _CLOSERS or (after.is_mark and after.text not in "\"'([\u201c-\u2013\u2022"):
        return False
    if not (after.is_name or after.text[0].isdigit() or after.is_mark):
        return False
    if word.text != "." or not index:
        return True
    before = words[index - 1]
    short = before.low in _SHORT or (_INITIALS.match(before.text) and before.is_name and len(before.text) < 8)
    glued = after.start == word.end
    return not short or (not glued and after.low in _OPENERS)
