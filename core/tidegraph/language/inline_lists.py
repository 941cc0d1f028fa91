"""Lists that were written in one line: "- Ada Poll (1998-2003) - Bren Holvik (2003-2009) - Cato Imri"."""

from __future__ import annotations

import re
from typing import Final

_MARK: Final = re.compile(r"(?<=\s)[-–•·](?=\s)|[()\[\]]")
_MARKS: Final = ("-", "•", "·", "–")
_DATE_END: Final = re.compile(
    r"(?:\d|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]*)\s*$", re.IGNORECASE
)
_DATE_START: Final = re.compile(
    r"\s*(?:\d{1,4}(?!\w)(?!\s*[–-]\s*[^\W\d]{4})|present\b|(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec)[a-z]*\s+\d)",
    re.IGNORECASE,
)
_YEAR: Final = re.compile(r"\b\d{4}\b")
_MIN_ITEMS: Final = 3


def pieces(text: str, start: int, end: int) -> list[tuple[int, int]]:
    """The spans of what leads in and of each item, or [] where the line holds no list.

    One kind of mark parts the items: the one before the first of them, else the plainest. Marks in
    brackets and between two dates part nothing. Linear in the length of the line.
    """
    found = _marks(text, start, end)
    leading = text[max(0, start - 2) : start].strip()
    best = leading if leading in _MARKS else next((m for m in _MARKS if len(found.get(m, ())) > 1), "")
    cuts = found.get(best, [])
    few = len(cuts) + (best == leading) < _MIN_ITEMS
    if not cuts or (few and not (best == leading and _are_two(text, start, cuts[0], end))):
        return []
    spans = []
    at = start
    for cut in [*cuts, end]:
        if text[at:cut].strip():
            spans.append(_trimmed(text, at, cut))
        at = cut + 1
    return spans


def _are_two(text: str, start: int, cut: int, end: int) -> bool:
    """Two items: the first one is closed, or both have a date."""
    left = text[start:cut].rstrip()
    return left[-1:] in {".", ";"} or (_dated(left) and _dated(text[cut:end]))


def _dated(text: str) -> bool:
    return _YEAR.search(text) is not None


def _marks(text: str, start: int, end: int) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    depth = 0
    for match in _MARK.finditer(text, start, end):
        mark = match.group()
        if mark in "([":
            depth += 1
        elif mark in ")]":
            depth = max(0, depth - 1)
        elif depth == 0 and _parts(text, start, match.start(), end):
            found.setdefault(mark, []).append(match.start())
    return found


def _parts(text: str, start: int, at: int, end: int) -> bool:
    """Whether an item begins after the mark: a capital, a digit or a quote, outside a range of dates."""
    following = text[at + 1 : min(end, at + 40)]
    first = following.lstrip()[:1]
    if not first or not (first.isupper() or first.isdigit() or first in "\"'“‘«" or not first.isascii()):
        return False
    before = text[max(start, at - 16) : at]
    return not (_DATE_END.search(before) and _DATE_START.match(following))


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end
