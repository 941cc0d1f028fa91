"""Headings that stand within prose ("Early years ( 1990-1995 ). He was born") or behind a lone list mark.

They date and name what follows, and tell nothing by themselves. Only words and marks are looked at, no parse.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from tidegraph.language.words import words

RUN_IN_LEVEL: Final = 7
"""Below every heading of a line of its own."""
LONE_LEVEL: Final = 8
_YEARS: Final = r"\(\s*(?:from\s+|since\s+)?\d{4}(?:\s*[-–—/]\s*(?:\d{4}|\d{2}|present|now|today))?\s*\)"
_BARE_YEARS: Final = r"(?:1[5-9]|20)\d\d(?:[-–—/](?:\d{4}|\d{2}))?(?: season)?"
_RUN_IN: Final = re.compile(
    rf"(?:^|(?<=[.!?])\s+)(?P<head>[^\W_][^.!?;:()\n]{{1,80}}?\s?{_YEARS}|{_BARE_YEARS})\s?\.(?=\s|$)",
    re.MULTILINE,
)
_JOINING: Final = frozenset(
    {"of", "the", "and", "for", "in", "to", "from", "with", "at", "on", "a", "de", "&"}
)
_MAX_HEAD_WORDS: Final = 10
_LIST_OF: Final = re.compile(rf"\b([Ll]ist of [^.:;()]+(?:{_YEARS})?)\s?\.\s*$")
_BEHIND_BRACKET: Final = re.compile(r"\)\s+([A-Z][^.:;,()]{5,80}?)\s?\.\s*$")
_MIN_WORD: Final = 4
"""Behind a shorter word a full stop may be that of an abbreviation."""
_MAX_LONE_WORDS: Final = 6
_MIN_REGULAR: Final = 3
_YEAR: Final = re.compile(r"\b\d{4}\b")
_TERMINAL: Final = re.compile(r"[.!?;:,]\s*$")


def run_in_heads(text: str, start: int, end: int) -> list[tuple[int, int, int]]:
    """(start, end, end of its full stop) of each heading within a paragraph, in text order. Linear."""
    found = []
    for match in _RUN_IN.finditer(text, start, end):
        head = match.group("head")
        before = text[start : match.start()].rstrip(" .").rsplit(maxsplit=1)
        sure = not before or len(before[-1]) >= _MIN_WORD or not before[-1].isalpha()
        if sure and ("(" not in head or _is_title(head[: head.rfind("(")].split())):
            found.append((match.start("head"), match.end("head"), match.end()))
    return found


def _is_title(told: Sequence[str]) -> bool:
    """Capitalised words, words that join them, and nouns of sections: no verb can be among them."""
    nouns = words("tables", "section_nouns")
    return 0 < len(told) <= _MAX_HEAD_WORDS and all(
        not w[0].islower() or w in _JOINING or w in nouns for w in told
    )


def is_lone_line(text: str) -> bool:
    """Whether an item is a few words with a year ("2015 season"): between two paragraphs, a heading."""
    few = len(text.split()) <= _MAX_LONE_WORDS and _YEAR.search(text) is not None
    return few and not _TERMINAL.search(text) and ":" not in text


def closing_head(item: str, before: Sequence[int]) -> str:
    """The heading of the next list at the end of an item, or "": "Ada Poll (1990-1995) Mayors of Leeds ."

    It closes with a full stop and is written like a title; a list by that name may stand behind anything.
    Among items of as many words each (``before``) it stands behind as many.
    """
    listed = _LIST_OF.search(item)
    if listed is not None:
        return listed.group(1).strip()
    behind = _BEHIND_BRACKET.search(item)
    if behind is not None and _is_title(behind.group(1).split()):
        return behind.group(1).strip()
    return _beyond(item, before)


def _beyond(item: str, before: Sequence[int]) -> str:
    """ "Bren Holvik Driver of the Year ." in a list of names of two words."""
    if len(before) < _MIN_REGULAR or not item.rstrip().endswith("."):
        return ""
    usual = max(set(before), key=lambda n: (list(before).count(n), -n))
    told = item.rstrip(" .").split()
    rest = told[usual:]
    regular = list(before).count(usual) * 2 >= len(before)
    plain = not any(c in ",;:()" for c in item) and not any(c.isdigit() for w in rest for c in w)
    title = 1 < len(rest) <= _MAX_HEAD_WORDS and rest[0][:1].isupper()
    return " ".join(rest) if regular and plain and title else ""


def cut_at(start: int, end: int, heads: Sequence[tuple[int, int, int]]) -> Iterator[tuple[int, int, bool]]:
    """The spans of a paragraph that holds headings: (start, end, whether it is one)."""
    at = start
    for head, stop, after in heads:
        yield at, head, False
        yield head, stop, True
        at = after
    yield at, end, False
