"""The part of a sentence that speaks of one of its dates: "A on 1 May, B on 2 June" holds two events."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import pairwise
from typing import Final

from tidegraph.domain.interval import Interval
from tidegraph.language.grounding import ground
from tidegraph.ports import EventRecord
from tidegraph.settings import GroundingSettings

_SEPARATOR: Final = re.compile(r"\s*(?:[,;]\s*(?:(?:and|then)\s+){0,2}|(?:and|then)\s+)")
_NAMED: Final = re.compile(r"(?:the\s+)?(?:[^\W\d_a-z]|\w*\d|[^\W\d_]+\s+\w*\d)")
"""An item that says what it is about: by a name, a number, or a noun with a number ("version 2")."""
_CLOSING: Final = re.compile(r"\W*")


def part_of(record: EventRecord, settings: GroundingSettings) -> str:
    """The sentence of an event or, when it lists several with a date each, the item of its date."""
    event = record.event
    if event.interval is None:
        return event.sentence
    for item, interval in _items(event.sentence, settings):
        if (interval.start, interval.end) == (event.interval.start, event.interval.end):
            return item
    return event.sentence


@lru_cache(maxsize=1_024)
def _items(sentence: str, settings: GroundingSettings) -> tuple[tuple[str, Interval], ...]:
    """(item, date) of a sentence in which every item ends with a date of its own; else nothing."""
    dated = [
        (found.start_char, found.end_char, found.interval)
        for found in ground(sentence, None, settings)
        if found.interval is not None
    ]
    if len(dated) < 2 or not _CLOSING.fullmatch(sentence, dated[-1][1]):
        return ()
    items = [(sentence[: dated[0][1]], dated[0][2])]
    for (_, before, _), (start, end, interval) in pairwise(dated):
        separator = _SEPARATOR.match(sentence, before, start)
        if separator is None or not _NAMED.match(sentence, separator.end(), start):
            return ()
        items.append((sentence[separator.end() : end], interval))
    return tuple(items)
