"""Resolved values and the state that resolution reads and writes: anchors and the document's time."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

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

    @property
    def name(self) -> str:
        return f"text:{self.start_char}"


@dataclass(slots=True)
class State:
    """What resolution of one document knows at one place.

    ``document`` is the document time in microseconds. ``paragraph`` holds the anchors of the present
    paragraph, ``last`` the latest one of the document. ``narrative``: the document tells of other years
    than its own. ``day_first``: the order of numeric dates, settled by the document or the settings.
    """

    settings: GroundingSettings
    document: int | None
    narrative: bool
    day_first: bool
    paragraph: list[Anchor] = field(default_factory=list)
    last: Anchor | None = None
    tense: Tense | None = None
    weekday_offset: int = 0

    @property
    def day(self) -> int | None:
        return None if self.document is None else self.document // MICROS_PER_DAY

    def anchor(self) -> Anchor | None:
        """The latest anchor: of the paragraph, else of the document."""
        return self.paragraph[-1] if self.paragraph else self.last

    def push(self, value: Value, start_char: int) -> None:
        """Remember a resolved day, week, month, quarter, half or year."""
        if value.start == OPEN_START or value.end == OPEN_END:
            return
        anchor = Anchor(value, start_char)
        self.paragraph.append(anchor)
        self.last = anchor
