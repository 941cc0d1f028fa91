"""Resolved values and the state that resolution reads and writes: anchors and the document's time."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Final

from tidegraph.domain.documents import ExpressionKind, Reading
from tidegraph.domain.interval import (
    MICROS_PER_DAY,
    OPEN_END,
    OPEN_START,
    Granularity,
    Interval,
    civil_from_days,
)
from tidegraph.language.grounding.calendar import MAX_DAY, MIN_DAY
from tidegraph.language.grounding.tense import Tense
from tidegraph.settings import GroundingSettings


@dataclass(frozen=True, slots=True)
class Value:
    """An interval with what is known about it. ``None`` bounds of certainty mean: exact."""

    start: int
    end: int
    granularity: Granularity
    kind: ExpressionKind
    anchor: str = ""
    fuzzy: bool = False
    start_latest: int | None = None
    end_earliest: int | None = None
    alternatives: tuple[Reading, ...] = ()
    confidence: float = 0.9
    operands: tuple[Value, ...] = ()

    @property
    def first_day(self) -> int:
        return self.start // MICROS_PER_DAY

    @property
    def end_day(self) -> int:
        return -(-self.end // MICROS_PER_DAY)

    @property
    def interval(self) -> Interval:
        return Interval(self.start, self.end, self.granularity)

    @property
    def year(self) -> int:
        return civil_from_days(self.first_day)[0]

    @property
    def month(self) -> int:
        return civil_from_days(self.first_day)[1]

    def with_kind(self, kind: ExpressionKind, anchor: str) -> Value:
        return replace(self, kind=kind, anchor=anchor or self.anchor)


def from_days(
    days: tuple[int, int], granularity: Granularity, kind: ExpressionKind, anchor: str = ""
) -> Value | None:
    """A value of whole days, or None outside the years answered for."""
    first, end = days
    if first < MIN_DAY or end > MAX_DAY + 1 or end <= first:
        return None
    return Value(first * MICROS_PER_DAY, end * MICROS_PER_DAY, granularity, kind, anchor)


@dataclass(frozen=True, slots=True)
class Anchor:
    """A resolved value of the text that later expressions may refer to."""

    value: Value
    start_char: int
    paragraph: int = 0
    topical: bool = False

    @property
    def name(self) -> str:
        return f"text:{self.start_char}"


@dataclass(slots=True)
class State:
    """What resolution of one document knows at one place.

    ``document`` is the document time in microseconds. ``paragraph`` holds the anchors of the present
    paragraph, ``last`` the latest one of the document, ``fine`` the latest no coarser than a quarter,
    ``yearly`` the latest year written out. ``narrative``: the document tells of other years than its own.
    ``day_first``: the order of numeric dates, settled by the document or the settings.
    """

    settings: GroundingSettings
    document: int | None
    narrative: bool
    day_first: bool
    paragraph: list[Anchor] = field(default_factory=list)
    number: int = 0
    last: Anchor | None = None
    fine: Anchor | None = None
    yearly: Anchor | None = None
    tense: Tense | None = None

    @property
    def day(self) -> int | None:
        return None if self.document is None else self.document // MICROS_PER_DAY

    @property
    def year(self) -> int | None:
        return None if self.day is None else civil_from_days(self.day)[0]

    def anchor(self) -> Anchor | None:
        """The latest anchor: of the paragraph, else of the document."""
        return self.paragraph[-1] if self.paragraph else self.last

    def next_paragraph(self) -> None:
        self.paragraph.clear()
        self.number += 1

    def push(self, value: Value, start_char: int, topical: bool = False, aside: bool = False) -> None:
        """Remember a resolved day, week, month, quarter, half or year.

        ``topical``: it stands at the head of its sentence. ``aside``: it bounds something else ("until").
        """
        if value.start == OPEN_START or value.end == OPEN_END:
            return
        anchor = Anchor(value, start_char, self.number, topical)
        self.paragraph.append(anchor)
        self.last = anchor
        if value.granularity <= Granularity.QUARTER:
            if not self._is_aside(anchor, aside):
                self.fine = anchor
        elif value.kind is ExpressionKind.ABSOLUTE and value.granularity is Granularity.YEAR:
            self.yearly = anchor

    def _is_aside(self, anchor: Anchor, bounding: bool) -> bool:
        """A date that looks back or ahead inside a paragraph does not move the story."""
        fine = self.fine
        if fine is None or not self.narrative or fine.paragraph != self.number:
            return False
        return bounding or (not anchor.topical and anchor.value.end < fine.value.start)

    def year_for(self, month: int) -> tuple[int, Anchor] | None:
        """The year that the text gives to a month or day without one, with its anchor.

        A story moves on: from the last date with a month, a month six or more earlier belongs to the next
        year. A year written out since then replaces that, when it is near enough not to be an aside.
        """
        fine, yearly = self._usable(self.fine), self._usable(self.yearly)
        if yearly is not None and self._leads(yearly, fine):
            return yearly.value.year, yearly
        if fine is None:
            return None
        gap = month - fine.value.month
        return fine.value.year + (1 if gap <= -6 else 0), fine

    def near_fine(self) -> Anchor | None:
        """The last date with a month, when the text goes on from it."""
        return self._usable(self.fine)

    def _usable(self, anchor: Anchor | None) -> Anchor | None:
        """In a text of its own days only an anchor of this paragraph and of another year counts."""
        if anchor is None or self.narrative or self.year is None:
            return anchor
        here = anchor.paragraph == self.number and anchor.value.year != self.year
        fine = anchor.value.granularity <= Granularity.QUARTER
        near = fine or anchor.topical or abs(anchor.value.year - self.year) <= _NEAR
        return anchor if here and near else None

    def _leads(self, yearly: Anchor, fine: Anchor | None) -> bool:
        """Whether a year stands over the last date with a month."""
        if fine is None:
            return True
        if yearly.start_char < fine.start_char:
            return False
        step = yearly.value.year - fine.value.year
        if fine.paragraph == self.number:
            return -1 <= step <= _NEAR and yearly.topical
        if yearly.paragraph == self.number:
            return -_NEAR <= step <= _FAR if yearly.topical else -1 <= step <= _FAR
        return fine.paragraph != yearly.paragraph and -1 <= step <= _FAR


_NEAR: Final = 3
_FAR: Final = 40
