"""Phrases of a passage that may be an answer: names, offices, and descriptions. Pure."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from itertools import pairwise
from typing import Final

from tidegraph.language.words import words as words_of
from tidegraph.services.usecases.spans.lists import listed
from tidegraph.services.usecases.spans.segments import Segmented, Sentence, Word

WORDS_MAX: Final = 12
_OF: Final = listed("inside_names")
_LINKS: Final = listed("joining")
_ARTICLES: Final = frozenset(["the", "a", "an"])
_OPEN: Final = listed("no_name")
_WHOLE: Final = {word for word in words_of("names", "joining_heads") if not word.endswith("s")} | words_of(
    "roles", "heads"
)
_TIMES: Final = listed("calendar")
_ROLES: Final = words_of("roles", "heads")
_FOREIGN: Final = listed("foreign_heads")
FOREIGN_WORDS_MAX: Final = 3
_TEAMS: Final = frozenset(["team", "side", "squad", "selection"])
NATIONAL_WORDS_MAX: Final = 6
_DESCRIBING: Final = listed("before_description")
_BREAKS: Final = listed("no_description")


class Shape(IntEnum):
    """How a phrase was found."""

    NAME = 0
    JOINED = 1
    OFFICE = 2
    LOWER = 3
    QUOTED = 4
    LISTED = 5
    HEAD = 6


@dataclass(frozen=True, slots=True)
class Phrase:
    """Words [first, last) of the passage, in the sentence with that index."""

    text: str
    first: int
    last: int
    sentence: int
    shape: Shape


def phrases(passage: Segmented, offices: frozenset[str]) -> list[Phrase]:
    """All phrases of a passage, in its order. ``offices`` are nouns that name an office."""
    found: list[Phrase] = []
    small = {word.text for word in passage.words if not word.is_name}
    for index, sentence in enumerate(passage.sentences):
        spans: dict[tuple[int, int], Shape] = {}
        runs = list(_runs(passage.words, sentence))
        for first, last, wide in runs:
            alone = last == first + 1 and first == sentence.first
            if alone and wide == last and passage.words[first].low in small:
                continue  # a common word that opens the sentence
            head = _head(passage.words, first, last)
            spans.setdefault((first, head or last), Shape.HEAD if head else Shape.NAME)
            if wide > last:
                spans.setdefault((first, wide), Shape.JOINED)
            body = _body(passage.words, first, last)
            if body:
                spans.setdefault((body, last), Shape.NAME)
            team = _national(passage.words, last, sentence.last)
            if team:
                spans.setdefault((first, team), Shape.NAME)
        for first, last in _listed(passage.words, runs, sentence):
            spans.setdefault((first, last), Shape.LISTED)
        for first, last in _offices(passage.words, sentence, runs, offices):
            spans.setdefault((first, last), Shape.OFFICE)
        for first, last in _lower(passage.words, sentence):
            spans.setdefault((first, last), Shape.LOWER)
        for (first, last), shape in sorted(spans.items()):
            if last - first <= WORDS_MAX:
                text = passage.text[passage.words[first].start : passage.words[last - 1].end]
                found.append(Phrase(" ".join(text.split()), first, last, index, shape))
    return found


def _runs(words: tuple[Word, ...], sentence: Sentence) -> Iterator[tuple[int, int, int]]:
    """(first, last, wide): a name, and how far it goes when "for", "and" and the like join it on."""
    index = sentence.first
    while index < sentence.last:
        word = words[index]
        opener = word.low in _OPEN and (index == sentence.first or word.low in _ARTICLES or len(word.low) > 1)
        if not _starts(word) or opener or word.low in _TIMES:
            index += 1
            continue
        last = _reach(words, index, sentence.last, _OF)
        wide = last
        while True:
            more = _link(words, wide, sentence.last)
            if more is None:
                break
            wide = _reach(words, more, sentence.last, _OF)
        yield index, last, wide
        index = last
        if wide > last:
            index = last


def _head(words: tuple[Word, ...], first: int, last: int) -> int | None:
    """The end of the part before "of the ...": a club of a league, but no department of a university."""
    for index in range(first + 1, last - 1):
        if words[index].low == "of" and words[index + 1].low in ("the", "a"):
            return None if any(word.low in _WHOLE for word in words[first:index]) else index
    return None


def _body(words: tuple[Word, ...], first: int, last: int) -> int | None:
    """The begin of what an office is of: "Deputy Director of the National Science Foundation"."""
    for index in range(first + 1, last - 2):
        if words[index].low == "of" and words[index + 1].low == "the" and words[index - 1].low in _ROLES:
            return index + 2
    return None


def _national(words: tuple[Word, ...], last: int, end: int) -> int | None:
    """The end of "national (under-21) (football) team" that follows the name of a country."""
    if last >= end or words[last].low != "national":
        return None
    for index in range(last + 1, min(end, last + NATIONAL_WORDS_MAX)):
        if words[index].low in _TEAMS:
            return index + 1
        if words[index].is_mark:
            return None
    return None


def _starts(word: Word) -> bool:
    return word.is_name or (word.text[0].isdigit() and word.text[-2:] in ("st", "nd", "rd", "th"))


def _reach(words: tuple[Word, ...], first: int, end: int, links: frozenset[str]) -> int:
    """The end of the name that begins at ``first``."""
    last = first + 1
    while last < end:
        word = words[last]
        if (
            (word.is_name and word.low not in _TIMES)
            or (_is_figure(word) and last > first)
            or (word.text in (".", "-", "\u2013") and _bridges(words, last, end, word.text))
        ):
            last += 1
        elif word.text in ("'", "\u2019") and last + 1 < end and words[last + 1].low == "s":
            ahead = last + 2
            if not (ahead < end and words[ahead].is_name):
                return last
            last = ahead
        elif word.low in links:
            ahead = last
            while ahead < end and words[ahead].low in links and ahead - last < 3:
                ahead += 1
            if not (ahead < end and (_starts(words[ahead])) and words[ahead].low not in _TIMES):
                return last
            last = ahead + 1
        elif words[first].low in _FOREIGN and last - first < FOREIGN_WORDS_MAX and _is_plain(word):
            last += 1
        else:
            return last
    return last


def _is_plain(word: Word) -> bool:
    return word.text.isalpha() and word.low not in _BREAKS


def _is_figure(word: Word) -> bool:
    """A short number in a name: "Formula 3", "Section 36"; never a year."""
    text = word.text
    if not text[0].isdigit():
        return False
    digits = sum(character.isdigit() for character in text)
    return digits <= 2 and len(text) <= 5 and not any(mark in text for mark in "\u2013\u2014")


def _bridges(words: tuple[Word, ...], index: int, end: int, mark: str) -> bool:
    """Whether a mark stands inside a name: the stop of an initial, a dash without blanks."""
    if index + 1 >= end or not words[index + 1].is_name:
        return False
    if mark == ".":
        before = words[index - 1].text
        return len(before) <= 4 and (len(before) <= 2 or "." in before or before.casefold() == "vol")
    return words[index - 1].end == words[index].start and words[index].end == words[index + 1].start


def _link(words: tuple[Word, ...], last: int, end: int) -> int | None:
    """Where the next part of a joined name begins, or None."""
    if last + 1 >= end or words[last].low not in _LINKS:
        return None
    ahead = last + 1
    if words[ahead].low in ("the", "of") and ahead + 1 < end:
        ahead += 1
    word = words[ahead]
    return ahead if word.is_name and word.low not in _TIMES and word.low not in _OPEN else None


def _listed(
    words: tuple[Word, ...], runs: list[tuple[int, int, int]], sentence: Sentence
) -> Iterator[tuple[int, int]]:
    """Two names with a comma between them: a place in a place, a person with a title."""
    for (first, last, _), (after, end, _) in pairwise(runs):
        if after == last + 1 and words[last].text == ",":
            yield first, end


def _offices(
    words: tuple[Word, ...],
    sentence: Sentence,
    runs: list[tuple[int, int, int]],
    offices: frozenset[str],
) -> Iterator[tuple[int, int]]:
    """An office in small letters with what it is of: "member of the European Parliament", "head coach"."""
    ends = {first: (last, wide) for first, last, wide in runs}
    for index in range(sentence.first, sentence.last):
        if words[index].low not in offices or words[index].is_name:
            continue
        first = index
        while first > sentence.first and index - first < 3 and _describes(words[first - 1]):
            first -= 1
        yield first, index + 1
        last = index + 1
        if last < sentence.last and words[last].low in ("of", "for", "to", "at", "in"):
            ahead = last + 1
            while ahead < sentence.last and words[ahead].low in _ARTICLES:
                ahead += 1
            if ahead in ends:
                yield first, ends[ahead][0]
                yield first, ends[ahead][1]
            elif ahead < sentence.last and words[ahead].text.isalpha() and words[ahead].low not in _BREAKS:
                end = ahead + 1
                while end < sentence.last and end - ahead < 3 and _describes(words[end]):
                    end += 1
                yield first, end


def _describes(word: Word) -> bool:
    return word.text.isalpha() and word.low not in _BREAKS and word.low not in _DESCRIBING


def _lower(words: tuple[Word, ...], sentence: Sentence) -> Iterator[tuple[int, int]]:
    """A description in small letters after an article or "as"."""
    for index in range(sentence.first, sentence.last - 1):
        if words[index].low not in _DESCRIBING:
            continue
        first = index + 1
        last = first
        while last < sentence.last and last - first < 4 and _describes(words[last]):
            last += 1
        if last > first and not words[first].is_name and words[last - 1].low not in _DESCRIBING:
            yield first, last
