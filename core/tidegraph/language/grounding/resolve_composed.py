"""Parts, ordinals, times on dates, ranges and open ranges."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tidegraph.domain.documents import ExpressionKind as Kind
from tidegraph.domain.interval import (
    MICROS_PER_DAY,
    OPEN_END,
    OPEN_START,
    Granularity,
)
from tidegraph.language.grounding import calendar as cal
from tidegraph.language.grounding.nodes import (
    At,
    Date,
    DayPart,
    Edge,
    Lasting,
    Node,
    Nth,
    Numeric,
    Open,
    Part,
    Period,
    Range,
)
from tidegraph.language.grounding.parts import part_value
from tidegraph.language.grounding.resolve_relative import RelativeResolver
from tidegraph.language.grounding.tense import Tense
from tidegraph.language.grounding.times import at_value
from tidegraph.language.grounding.values import Anchor, Value, from_days


class ComposedResolver(RelativeResolver):
    """What is built from other nodes."""

    def _nth(self, node: Nth) -> Value | None:
        of, name, kind = self._base(node.of)
        if of is None:
            return None
        first, end, n = of.first_day, of.end_day, node.n
        if node.unit == "weekday":
            day = cal.nth_weekday(first, end, node.index, n)
            return None if day is None else from_days((day, day + 1), Granularity.DAY, kind, name)
        if node.unit in ("day", "night", "business_day"):
            day = first + n - 1 if n > 0 else end + n
            return from_days((day, day + 1), Granularity.DAY, kind, name) if first <= day < end else None
        granularity = cal.GRANULARITY.get(node.unit, Granularity.RANGE)
        if node.unit == "week":
            fourth = first + 3 if n > 0 else end - 4
            days = cal.shift_unit("week", fourth, n - 1 if n > 0 else n + 1, 1)
        elif node.unit == "weekend":
            saturday = cal.nth_weekday(first, end, 5, n)
            if saturday is None:
                return None
            days = saturday, saturday + 2
        elif node.unit in cal.MONTHS:
            days = cal.shift_unit(node.unit, first if n > 0 else end - 1, n - 1 if n > 0 else n + 1, 1)
            if not first <= days[0] < end:
                return None
        else:
            return None
        return from_days(days, granularity, kind, name)

    def _part(self, node: Part) -> Value | None:
        of, name, kind = self._base(node.of)
        if of is None:
            return None
        return part_value(node.mod, of.with_kind(kind, name), self.state)

    def _edge(self, node: Edge) -> Value | None:
        of, name, kind = self._base(node.of)
        if of is None or node.span.vague:
            return None
        if node.sign > 0:
            moved = self._moved(of.first_day, node.span, 1)
            days = None if moved is None else (of.first_day, moved)
        else:
            moved = self._moved(of.end_day, node.span, -1)
            days = None if moved is None else (moved, of.end_day)
        return from_days(days, Granularity.RANGE, kind, name) if days else None

    def _at(self, node: At) -> Value | None:
        date = self.resolve(node.date)
        if date is None or date.granularity > Granularity.DAY:
            return None
        return at_value(date, node.time, self.state.settings)

    def _time_alone(self, node: Node) -> Value | None:
        """A time of day without a date: on the last day of the paragraph, else on the document's day."""
        for anchor in reversed(self.state.paragraph):
            if anchor.value.granularity <= Granularity.DAY:
                first = anchor.value.first_day
                day = from_days((first, first + 1), Granularity.DAY, Kind.ANAPHORIC, anchor.name)
                return at_value(day, node, self.state.settings) if day else None
        today = self._document_value()
        if today is None or self.state.narrative or isinstance(node, DayPart):
            return None
        value = at_value(today, node, self.state.settings)
        now = self.state.document or 0
        if value is None or now % MICROS_PER_DAY == 0:
            return value
        past = self.state.tense is Tense.PAST
        step = (value.start < now and not past) - (value.start > now and past)
        shift = step * MICROS_PER_DAY
        return replace(value, start=value.start + shift, end=value.end + shift)

    def _range(self, node: Range) -> Value | None:
        start_node, end_node = _ordered_numbers(node.start, self), _ordered_numbers(node.end, self)
        start_node, end_node = _share(start_node, end_node)
        opening = isinstance(end_node, Part) and end_node.mod == "start"
        if isinstance(end_node, Part) and opening and not isinstance(end_node.of, str):
            end_node = end_node.of
        if _lacks_year(start_node) and (
            not _lacks_year(end_node) or self._crosses_year(start_node, end_node)
        ):
            end = self.resolve(end_node)
            start = end and self._before(start_node, end)
        else:
            start = self.resolve(start_node)
            end = start and self._end(end_node, start)
        if start is not None and end is not None and _is_weekday(end_node) and end.start < start.start:
            days = self._toward(start.first_day, cal.weekday(end.first_day), 1)
            end = from_days((days, days + 1), Granularity.DAY, end.kind, end.anchor)
        if start is None or end is None or end.end <= start.start or end.start < start.start:
            return None
        clock = end.granularity <= Granularity.HOUR and not end.fuzzy
        last = end.start if (opening or clock) and end.start > start.start else end.end
        return Value(
            start.start, last, Granularity.RANGE, Kind.RANGE, start.anchor or end.anchor,
            start.fuzzy or end.fuzzy, start.start_latest, end.end_earliest,
            confidence=min(start.confidence, end.confidence), operands=(start, end),
        )  # fmt: skip

    def _end(self, node: Node, start: Value) -> Value | None:
        """The end of a range; "the next day" in it counts from the start."""
        if _lacks_year(node):
            return self._following(node, start)
        self.state.paragraph.append(Anchor(start, -1))
        end = self.resolve(node)
        self.state.paragraph.pop()
        return end and replace(end, anchor=start.anchor if end.anchor == "text:-1" else end.anchor)

    def _crosses_year(self, start: Node, end: Node) -> bool:
        """ "from October to March" in a story, or what is still to end: the end is the nearer one."""
        if not isinstance(start, Date) or not isinstance(end, Date):
            return False
        if not self.state.narrative:
            return self.state.tense is Tense.FUTURE
        return (start.month or 0) > (end.month or 13)

    def _before(self, node: Node, end: Value) -> Value | None:
        """The last date like this that begins at or before another."""
        return self._shared(node, end, (end.year, end.year - 1), lambda v: v.start <= end.start)

    def _following(self, node: Node, start: Value) -> Value | None:
        """The first date like this that ends after another begins."""
        return self._shared(node, start, (start.year, start.year + 1), lambda v: v.start >= start.start)

    def _shared(
        self, node: Node, other: Value, years: tuple[int, int], fits: Callable[[Value], bool]
    ) -> Value | None:
        if isinstance(node, Part):
            inner = None if isinstance(node.of, str) else self._shared(node.of, other, years, fits)
            return inner and part_value(node.mod, inner, self.state)
        for year in years:
            if isinstance(node, Date) and node.month is not None:
                value = self._full_date(replace(node, year=year), year)
            elif isinstance(node, Period):
                value = self._period(replace(node, year=year))
            else:
                return self.resolve(node)
            if value is not None and fits(value):
                return value
        return None

    def _lasting(self, node: Lasting) -> Value | None:
        start = self.resolve(node.start)
        if start is None or node.span.vague:
            return None
        last = self._moved(start.first_day, node.span, 1)
        if last is None:
            return None
        fine = sum(round(cal.FINE[u] * n) for u, n in node.span.parts if u in cal.FINE)
        end = last * MICROS_PER_DAY + start.start % MICROS_PER_DAY + fine
        if end <= start.start or not cal.in_range(end // MICROS_PER_DAY):
            return None
        return Value(start.start, end, Granularity.RANGE, Kind.RANGE, start.anchor, operands=(start,))

    def _operand(self, node: Open) -> Value | None:
        """What is opened: "since" looks back; a deadline looks ahead when no verb says otherwise."""
        tense = self.state.tense
        if node.op == "since":
            self.state.tense = Tense.PAST
        elif tense is None and node.op in ("by", "until"):
            self.state.tense = Tense.FUTURE
        value = self.resolve(node.of)
        self.state.tense = tense
        return value

    def _open(self, node: Open) -> Value | None:
        of = self._operand(node)
        op = node.op
        if op == "before" and isinstance(node.of, Part) and node.of.mod == "end":
            op = "by"
        if of is None or of.start == OPEN_START or of.end == OPEN_END:
            return None
        if of.granularity <= Granularity.HOUR and not of.fuzzy:
            of = replace(of, end=of.start)
        start, end = {
            "since": (of.start, OPEN_END),
            "from": (of.start, OPEN_END),
            "after": (of.end, OPEN_END),
            "until": (OPEN_START, of.end),
            "by": (OPEN_START, of.end),
            "before": (OPEN_START, of.start),
        }[op]
        return Value(
            start, end, Granularity.RANGE, Kind.OPEN_RANGE, of.anchor, of.fuzzy,
            of.start_latest if start == of.start else None, of.end_earliest if end == of.end else None,
            confidence=of.confidence, operands=(of,),
        )  # fmt: skip


def _ordered_numbers(node: Node, resolver: RelativeResolver) -> Node:
    return resolver._ordered(node) if isinstance(node, Numeric) else node


def _is_weekday(node: Node) -> bool:
    return isinstance(node, Date) and node.weekday is not None and node.day is None


def _lacks_year(node: Node) -> bool:
    if isinstance(node, Part) and not isinstance(node.of, str):
        return _lacks_year(node.of)
    if isinstance(node, Date):
        return node.year is None and node.month is not None
    return isinstance(node, Period) and node.year is None and node.unit not in ("decade", "century")


def _share(start: Node, end: Node) -> tuple[Node, Node]:
    """Parts written once for both ends: the month of a day, the year of two months."""
    if not isinstance(start, Date) or not isinstance(end, Date) or start.day is None:
        return start, end
    if start.month is None and end.month is not None:
        month, year = end.month, end.year
        if end.day is not None and start.day > end.day:
            month -= 1
            if month == 0:
                month, year = 12, None if year is None else year - 1
        start = replace(start, month=month, year=year)
    return start, end
