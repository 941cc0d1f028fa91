"""What every part of resolution stands on: the base of relative words, moves over the calendar."""

from __future__ import annotations

from abc import ABC, abstractmethod

from tidegraph.domain.documents import ExpressionKind as Kind
from tidegraph.domain.interval import (
    Granularity,
)
from tidegraph.language.grounding import calendar as cal
from tidegraph.language.grounding.lexicon import Grammar
from tidegraph.language.grounding.nodes import (
    Node,
    Span,
)
from tidegraph.language.grounding.values import Anchor, State, Value, from_days


class ResolverBase(ABC):
    """The state of one document, and how to count from it."""

    def __init__(self, state: State, grammar: Grammar) -> None:
        self.state = state
        self._grammar = grammar
        self._week_start = state.settings.week_start

    @abstractmethod
    def resolve(self, node: Node) -> Value | None:
        """The value of a node, or None when it has none or none is known."""

    def _base(self, base: Node | str) -> tuple[Value | None, str, Kind]:
        """What a relative node counts from: (value, anchor name, kind)."""
        if not isinstance(base, str):
            value = self.resolve(base)
            return value, value.anchor if value else "", value.kind if value else Kind.UNSPECIFIED
        anchor = self.state.anchor()
        document = self._document_value()
        if base == "anchor" and anchor is not None:
            return anchor.value, anchor.name, Kind.ANAPHORIC
        if base == "either" and anchor is not None and self._prefers_anchor(anchor):
            return anchor.value, anchor.name, Kind.ANAPHORIC
        if base == "context" and self.state.narrative and anchor is not None:
            return anchor.value, anchor.name, Kind.ANAPHORIC
        return document, "document_time", Kind.DEICTIC

    def _prefers_anchor(self, anchor: Anchor) -> bool:
        return bool(self.state.paragraph) or self.state.narrative or self.state.document is None

    def _document_value(self) -> Value | None:
        if self.state.day is None:
            return None
        return from_days((self.state.day, self.state.day + 1), Granularity.DAY, Kind.DEICTIC, "document_time")

    def _finer_anchor(self, granularity: Granularity) -> Anchor | None:
        """The latest anchor of the paragraph that is at least as fine."""
        for anchor in reversed(self.state.paragraph):
            if anchor.value.granularity <= granularity:
                return anchor
        return None

    def _moved(self, day: int, span: Span, sign: int) -> int | None:
        """A day moved by a span; fractions go to the next finer unit."""
        for unit, count in span.parts:
            whole = int(count)
            if unit in cal.MONTHS:
                months = round(count * cal.MONTHS[unit])
                if abs(months) > 12 * 30_000:
                    return None
                day = cal.add_months(day, sign * months)
            elif unit == "business_day":
                day = cal.add_business_days(day, sign * whole)
            elif unit in cal.DAYS:
                day += sign * round(count * cal.DAYS[unit])
            if not cal.in_range(day):
                return None
        return day

    @staticmethod
    def _toward(day: int, day_of_week: int, step: int) -> int:
        """The nearest such weekday from a day on, the day itself included."""
        if step > 0:
            return day + (day_of_week - cal.weekday(day)) % 7
        return day - (cal.weekday(day) - day_of_week) % 7

    def _day_base(self) -> tuple[int | None, str]:
        """The day that weekdays count from: the document's, in a narrative the last day of the text."""
        if self.state.day is not None and not self.state.narrative:
            return self.state.day, "document_time"
        for anchor in reversed(self.state.paragraph):
            if anchor.value.granularity <= Granularity.WEEK:
                return anchor.value.first_day, anchor.name
        return (self.state.day, "document_time") if self.state.day is not None else (None, "")
