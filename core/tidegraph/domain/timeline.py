"""The timeline of an answer: static events apart, dated ones ascending, facts with their intervals.

Lines read ``Event # i [time]: sentence`` and ``Fact # i [from .. to]: text``. A sentence always stays on one
line, so that no document can write a line of its own into the timeline.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from tidegraph.domain.documents import TimeState
from tidegraph.domain.granules import granule
from tidegraph.domain.interval import OPEN_END, OPEN_START, Granularity, Interval, format_by_granularity

_TOKEN = re.compile(r"\w+|[^\w\s]")


@dataclass(frozen=True, slots=True)
class TimelineItem:
    """A candidate for the timeline: an event (DEU), or a fact version told as a sentence.

    ``interval`` is None unless ``time_state`` is DATED. ``value`` orders what is kept under a budget.
    ``start_granularity`` and ``end_granularity`` say how finely to write the ends.
    """

    id: str
    text: str
    is_fact: bool
    time_state: TimeState
    interval: Interval | None
    start_granularity: Granularity
    end_granularity: Granularity
    value: float


@dataclass(frozen=True, slots=True)
class TimelineLine:
    """One numbered line of the finished timeline."""

    item: TimelineItem
    number: int
    text: str


@dataclass(frozen=True, slots=True)
class Timeline:
    """Static events, dated events and facts in order; ``omitted`` ids did not fit the budget."""

    static: tuple[TimelineLine, ...]
    dated: tuple[TimelineLine, ...]
    facts: tuple[TimelineLine, ...]
    omitted: tuple[str, ...]
    tokens: int

    @property
    def text(self) -> str:
        """All lines: facts, then static events, then dated ones."""
        return "\n".join(line.text for line in (*self.facts, *self.static, *self.dated))


def count_tokens(text: str) -> int:
    """Words and punctuation marks: the default measure of a budget."""
    return len(_TOKEN.findall(text))


def build_timeline(
    items: Iterable[TimelineItem], budget: int, count: Callable[[str], int] = count_tokens
) -> Timeline:
    """The timeline of the most valuable items that fit the budget.

    Items of one id are one. What is cut is what is worth least, wherever it stands in time: items are
    taken by value (ties by id) as long as they fit, and only then put in order.

    Args:
        budget: largest number of tokens of all lines together, as ``count`` counts them.
    """
    unique = list({item.id: item for item in items}.values())
    kept: list[TimelineItem] = []
    omitted: list[str] = []
    used = 0
    for item in sorted(unique, key=lambda item: (-item.value, item.id)):
        cost = count(_line(item, len(unique)))
        if used + cost <= budget:
            used += cost
            kept.append(item)
        else:
            omitted.append(item.id)
    facts = sorted((item for item in kept if item.is_fact), key=_by_time)
    static = sorted((item for item in kept if not item.is_fact and item.interval is None), key=lambda i: i.id)
    dated = sorted((item for item in kept if not item.is_fact and item.interval is not None), key=_by_time)
    return Timeline(
        static=_numbered(static, 1),
        dated=_numbered(dated, 1 + len(static)),
        facts=_numbered(facts, 1),
        omitted=tuple(omitted),
        tokens=used,
    )


def _by_time(item: TimelineItem) -> tuple[int, int, str]:
    interval = item.interval or Interval(OPEN_START, OPEN_END)
    return interval.start, interval.end, item.id


def _numbered(items: Sequence[TimelineItem], first: int) -> tuple[TimelineLine, ...]:
    return tuple(
        TimelineLine(item, number, _line(item, number)) for number, item in enumerate(items, start=first)
    )


def _line(item: TimelineItem, number: int) -> str:
    word = "Fact" if item.is_fact else "Event"
    return f"{word} # {number} [{time_text(item)}]: {' '.join(item.text.split())}"


def time_text(item: TimelineItem) -> str:
    """The time of an item as its timeline line writes it."""
    if item.interval is None:
        return "static" if item.time_state is TimeState.STATIC else "time unknown"
    start, end = item.interval.start, item.interval.end
    if not item.is_fact and (start, end) == granule(start, item.start_granularity):
        return format_by_granularity(start, item.start_granularity)
    first = "unknown" if start == OPEN_START else format_by_granularity(start, item.start_granularity)
    if end == OPEN_END:
        return f"since {first}" if start != OPEN_START else "since an unknown time"
    last = format_by_granularity(end, item.end_granularity or item.start_granularity)
    return f"{first} until {last}"
