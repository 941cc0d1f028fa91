"""Trees to intervals: the policy of design section 5, one function a node class.

Anaphoric words take the anchor stack, deictic words the document time, verb tense the side of what is
underspecified. A function returns ``None`` when there is nothing to count from.
"""

from __future__ import annotations

from dataclasses import replace

from tidegraph.domain.documents import ExpressionKind as Kind
from tidegraph.domain.documents import Reading
from tidegraph.domain.interval import (
    MICROS_PER_DAY,
    OPEN_END,
    OPEN_START,
    Granularity,
    Interval,
    civil_from_days,
    days_from_civil,
)
from tidegraph.language.grounding import calendar as cal
from tidegraph.language.grounding.lexicon import Grammar
from tidegraph.language.grounding.nodes import (
    At,
    Clock,
    ClockRange,
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
    Relative,
    Same,
    Shift,
    Span,
    Window,
    Within,
)
from tidegraph.language.grounding.numerals import is_day
from tidegraph.language.grounding.parts import part_value
from tidegraph.language.grounding.tense import Tense
from tidegraph.language.grounding.times import at_value
from tidegraph.language.grounding.values import Anchor, State, Value, from_days


_KEPT = (Granularity.QUARTER, Granularity.HALF_YEAR, Granularity.RANGE)


class Resolver:
    """Resolves the nodes of one document in reading order."""

    def __init__(self, state: State, grammar: Grammar) -> None:
        self.state = state
        self._grammar = grammar
        self._week_start = state.settings.week_start

    def resolve(self, node: Node) -> Value | None:
        """The value of a node, or None when it has none or none is known."""
        match node:
            case Date():
                return self._date(node)
            case Numeric():
                return self._date(self._ordered(node))
            case Within():
                return self._within(node)
            case Period():
                return self._period(node)
            case Relative():
                return self._relative(node)
            case Same():
                return self._same(node)
            case Shift():
                return self._shift(node)
            case Window():
                return self._window(node)
            case Nth():
                return self._nth(node)
            case Part():
                return self._part(node)
            case Edge():
                return self._edge(node)
            case At():
                return self._at(node)
            case Clock() | ClockRange() | DayPart():
                return self._time_alone(node)
            case Range():
                return self._range(node)
            case Lasting():
                return self._lasting(node)
            case Open():
                return self._open(node)
        return None

    # --- dates --------------------------------------------------------------------------------------

    def _ordered(self, node: Numeric) -> Date:
        """Day and month of a numeric date: what only fits one way, then the document's order."""
        year = node.year if node.year is not None else 2000
        day_first = node.day_first or self.state.day_first
        if not is_day(year, node.second, node.first):
            day_first = False
        elif not is_day(year, node.first, node.second):
            day_first = True
        day, month = (node.first, node.second) if day_first else (node.second, node.first)
        return Date(node.year, month, day, node.weekday, short=node.short)

    def _date(self, node: Date) -> Value | None:
        if node.year is not None:
            return self._full_date(node, self._long_year(node.year) if node.short else node.year)
        if node.month is not None:
            return self._yearless(node)
        if node.weekday is not None:
            return self._weekday_day(node) if node.day else self._weekday(node.weekday)
        return self._day_only(node.day) if node.day else None

    def _long_year(self, year: int) -> int:
        """The century of a two-digit year: near the text's other years, at most 20 years ahead."""
        anchor = self.state.anchor()
        if self.state.narrative and anchor is not None:
            return min((year - 200, year - 100, year, year + 100), key=lambda y: abs(y - anchor.value.year))
        if self.state.day is None:
            return year
        now = civil_from_days(self.state.day)[0]
        return now + 20 - (now + 20 - year) % 100

    def _full_date(self, node: Date, year: int) -> Value | None:
        if node.fiscal:
            return self._fiscal_year(year)
        if node.month is None:
            return from_days(cal.year_days(year), Granularity.YEAR, Kind.ABSOLUTE)
        if node.day is None:
            return from_days(cal.month_days(year, node.month), Granularity.MONTH, Kind.ABSOLUTE)
        if not is_day(year, node.month, node.day):
            return None
        day = days_from_civil(year, node.month, node.day)
        value = from_days((day, day + 1), Granularity.DAY, Kind.ABSOLUTE)
        if value and node.weekday is not None and cal.weekday(day) != node.weekday:
            value = replace(value, confidence=0.6)
        return value

    def _fiscal_year(self, year: int) -> Value | None:
        """A fiscal year is named by the calendar year that it ends in."""
        start = self.state.settings.fiscal_start_month
        days = cal.month_days(year if start == 1 else year - 1, start, 12)
        return from_days(days, Granularity.YEAR, Kind.ABSOLUTE)

    def _yearless(self, node: Date) -> Value | None:
        given = self.state.year_for(node.month or 1)
        year = given[0] if given else self._document_year(node)
        value = None if year is None else self._full_date(node, year)
        if year is None or value is None:
            return None
        name = given[1].name if given else "document_time"
        other = self._full_date(node, year - 1 if self.state.tense is Tense.FUTURE else year + 1)
        readings = () if given or other is None else (Reading(other.interval, "the other side of the document time"),)
        return replace(value, kind=Kind.UNDERSPECIFIED, anchor=name, confidence=0.75, alternatives=readings)

    def _document_year(self, node: Date) -> int | None:
        if self.state.day is None:
            return None
        today, month, dom = self.state.day, node.month or 1, node.day or 1
        year = civil_from_days(today)[0]
        years = [y for y in range(year - 8, year + 9) if node.day is None or is_day(y, month, dom)]
        if node.weekday is not None and node.day is not None:
            fitting = [
                y
                for y in years
                if cal.weekday(days_from_civil(y, month, dom)) == node.weekday and abs(y - year) <= 1
            ]
            years = fitting or years
        starts = {y: days_from_civil(y, month, dom) for y in years}
        past = [y for y in years if starts[y] <= today]
        length = 1 if node.day else 28
        future = [y for y in years if starts[y] + length > today]
        if self.state.tense is Tense.PAST and past:
            return past[-1]
        if self.state.tense is Tense.FUTURE and future:
            return future[0]
        return min(years, key=lambda y: (abs(starts[y] - today), -y), default=None)

    def _weekday(self, day_of_week: int) -> Value | None:
        base, name = self._day_base()
        if base is None:
            return None
        if name == "document_time":
            future = self.state.tense is not Tense.PAST
            day = self._toward(base, day_of_week, 1 if future else -1)
            other = self._toward(base + (-1 if future else 1), day_of_week, -1 if future else 1)
        else:
            day, other = self._toward(base, day_of_week, 1), self._toward(base - 1, day_of_week, -1)
        value = from_days((day, day + 1), Granularity.DAY, Kind.UNDERSPECIFIED, name)
        reading = from_days((other, other + 1), Granularity.DAY, Kind.UNDERSPECIFIED, name)
        if value and reading:
            value = replace(
                value, confidence=0.8, alternatives=(Reading(reading.interval, "the other side"),)
            )
        return value

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

    def _weekday_day(self, node: Date) -> Value | None:
        """ "Friday the 13th": the nearest month in which they meet."""
        base, name = self._day_base()
        if base is None or node.day is None:
            return None
        year, month, _ = civil_from_days(base)
        best: int | None = None
        for step in (0, 1, -1, 2, -2, 3, -3, 4, -4, 5, -5, 6, -6):
            first, end = cal.month_days(year, month + step)
            day = first + node.day - 1
            if day < end and cal.weekday(day) == node.weekday:
                future = self.state.tense is Tense.FUTURE
                if best is None or (future and best < base <= day):
                    best = day
        if best is None:
            return None
        return from_days((best, best + 1), Granularity.DAY, Kind.UNDERSPECIFIED, name)

    def _day_only(self, dom: int) -> Value | None:
        if self.state.day is None:
            return None
        year, month, today = civil_from_days(self.state.day)
        step = 0
        if self.state.tense is Tense.FUTURE and dom < today:
            step = 1
        elif self.state.tense is Tense.PAST and dom > today:
            step = -1
        first, end = cal.month_days(year, month + step)
        if first + dom > end:
            return None
        day = first + dom - 1
        return from_days((day, day + 1), Granularity.DAY, Kind.UNDERSPECIFIED, "document_time")

    def _within(self, node: Within) -> Value | None:
        year = self.resolve(node.of)
        if year is None:
            return None
        inner = node.date
        if isinstance(inner, Date):
            value = self._full_date(replace(inner, year=year.year), year.year)
        elif isinstance(inner, Period):
            value = self._period(replace(inner, year=year.year))
        else:
            return None
        return value and value.with_kind(year.kind, year.anchor)

    # --- named periods ------------------------------------------------------------------------------

    def _period(self, node: Period) -> Value | None:
        if node.unit == "decade":
            first = int(node.index)
            return from_days(cal.year_days(first, 10), Granularity.DECADE, Kind.ABSOLUTE)
        if node.unit == "century":
            n = int(node.index)
            first = (n - 1) * 100 + 1 if n > 0 else n * 100 + 1
            return from_days(
                cal.year_days(first - (1 if n > 0 else 0), 100), Granularity.CENTURY, Kind.ABSOLUTE
            )
        if isinstance(node.year, int):
            return self._period_of(node, node.year, Kind.ABSOLUTE, "")
        return self._period_yearless(node)

    def _period_of(self, node: Period, year: int, kind: Kind, anchor: str) -> Value | None:
        days = self._period_days(node, year)
        granularity = (
            Granularity.DAY if node.unit == "holiday" else cal.GRANULARITY.get(node.unit, Granularity.RANGE)
        )
        return from_days(days, granularity, kind, anchor) if days else None

    def _period_days(self, node: Period, year: int) -> cal.Days | None:
        if node.unit == "holiday":
            day = cal.holiday_day(self._grammar.holidays[str(node.index)], year)
            return None if day is None else (day, day + 1)
        if node.unit == "season":
            return self._season(str(node.index), year)
        if node.unit == "week_number":
            return cal.iso_week_days(year, int(node.index))
        size = cal.MONTHS[node.unit]
        return cal.month_days(year, (int(node.index) - 1) * size + 1, size)

    def _season(self, name: str, year: int) -> cal.Days:
        month = {"spring": 3, "summer": 6, "autumn": 9, "winter": 12}[name]
        if self.state.settings.southern_hemisphere:
            month = (month + 5) % 12 + 1
        return cal.month_days(year, month, 3)

    def _first_month(self, node: Period) -> int:
        days = self._period_days(node, 2001)
        return civil_from_days(days[0])[1] if days else 1

    def _period_yearless(self, node: Period) -> Value | None:
        given = None if node.unit == "holiday" and not self.state.narrative else self.state.year_for(self._first_month(node))
        if given is not None:
            return self._period_of(node, given[0], Kind.UNDERSPECIFIED, given[1].name)
        if self.state.day is None:
            return None
        today = self.state.day
        year = civil_from_days(today)[0]
        spans = [(y, d) for y in range(year - 2, year + 3) if (d := self._period_days(node, y))]
        past = [
            y for y, d in spans if d[0] <= today and (d[1] <= today or node.unit in ("season", "holiday"))
        ]
        future = [y for y, d in spans if d[1] > today]
        if (node.unit == "holiday" and self.state.tense is not Tense.PAST and future) or (self.state.tense is Tense.FUTURE and future):
            chosen = future[0]
        elif past:
            chosen = past[-1]
        else:
            return None
        return self._period_of(node, chosen, Kind.UNDERSPECIFIED, "document_time")

    # --- relative -----------------------------------------------------------------------------------

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

    def _relative(self, node: Relative) -> Value | None:
        told = node.base == "document" and node.unit not in ("day", "holiday")
        base, name, kind = self._base("context" if told else node.base)
        if base is None:
            return None
        day = base.first_day
        match node.unit:
            case "weekday":
                days, granularity = self._relative_weekday(day, node.step, int(node.index)), Granularity.DAY
            case "month_name":
                days, granularity = self._relative_month(day, node.step, int(node.index)), Granularity.MONTH
            case "season":
                days, granularity = self._relative_season(day, node.step, str(node.index)), Granularity.RANGE
            case "holiday":
                return self._relative_holiday(day, node.step, str(node.index))
            case "weekend_near":
                step = -1 if self.state.tense is Tense.PAST and cal.weekday(day) < 5 else 0
                days, granularity = cal.shift_unit("weekend", day, step, 1), Granularity.RANGE
            case "weekday_count":
                days, granularity = self._weekday_count(day, node.step, int(node.index)), Granularity.DAY
            case "fiscal_year" | "fiscal_quarter":
                return self._relative_fiscal(day, node)
            case "hour" | "minute" | "second":
                return self._relative_fine(node, name, kind)
            case _:
                days = cal.shift_unit(node.unit, day, node.step, self._week_start)
                granularity = cal.GRANULARITY.get(node.unit, Granularity.RANGE)
        return from_days(days, granularity, kind, name)

    def _relative_weekday(self, day: int, step: int, day_of_week: int) -> cal.Days:
        if step == 2:
            found = day + 1 + (day_of_week - cal.weekday(day + 1)) % 7
        elif step == 3:
            found = day + (day_of_week - cal.weekday(day)) % 7
        else:
            found = day - cal.weekday(day) + 7 * step + day_of_week
        return found, found + 1

    @staticmethod
    def _weekday_count(day: int, count: int, day_of_week: int) -> cal.Days:
        """The n-th such weekday after (or before) a day, the day itself left out."""
        if count > 0:
            found = day + 1 + (day_of_week - cal.weekday(day + 1)) % 7 + 7 * (count - 1)
        else:
            found = day - 1 - (cal.weekday(day - 1) - day_of_week) % 7 + 7 * (count + 1)
        return found, found + 1

    def _relative_month(self, day: int, step: int, month: int) -> cal.Days:
        year, now, _ = civil_from_days(day)
        if step < 0:
            year -= (month >= now) - step - 1
        elif step > 0:
            year += (month <= now) + step - 1
        return cal.month_days(year, month)

    def _relative_season(self, day: int, step: int, name: str) -> cal.Days:
        year = civil_from_days(day)[0]
        spans = [self._season(name, y) for y in range(year - 2, year + 3)]
        if step < 0:
            return [s for s in spans if s[1] <= day][-1]
        if step > 0:
            return next(s for s in spans if s[0] > day)
        current = [s for s in spans if s[0] <= day < s[1]]
        return current[0] if current else self._season(name, year)

    def _relative_holiday(self, day: int, step: int, name: str) -> Value | None:
        year = civil_from_days(day)[0]
        rule = self._grammar.holidays[name]
        days = [d for y in range(year - 2, year + 3) if (d := cal.holiday_day(rule, y)) is not None]
        found = [d for d in days if d < day][-1:] if step < 0 else [d for d in days if d >= day][:1]
        return (
            from_days((found[0], found[0] + 1), Granularity.DAY, Kind.DEICTIC, "document_time")
            if found
            else None
        )

    def _relative_fiscal(self, day: int, node: Relative) -> Value | None:
        start = self.state.settings.fiscal_start_month
        year, month, _ = civil_from_days(day)
        index = year * 12 + month - start
        size = 12 if node.unit == "fiscal_year" else 3
        first = index // size * size + node.step * size + start - 1
        days = cal.month_days(first // 12, first % 12 + 1, size)
        granularity = Granularity.YEAR if size == 12 else Granularity.QUARTER
        return from_days(days, granularity, Kind.DEICTIC, "document_time")

    def _relative_fine(self, node: Relative, name: str, kind: Kind) -> Value | None:
        if self.state.document is None:
            return None
        size = cal.FINE[node.unit]
        start = self.state.document + (0 if node.step >= 0 else -size)
        return Value(start, start + size, Granularity.RANGE, kind, name)

    def _same(self, node: Same) -> Value | None:
        base, name, kind = self._base("either" if node.base == "either" else "anchor")
        if base is None or (node.base == "anchor" and kind is not Kind.ANAPHORIC):
            return None
        if not node.unit:
            return base.with_kind(kind, name)
        granularity = cal.GRANULARITY.get(node.unit, Granularity.RANGE)
        if (
            granularity < base.granularity
            and base.granularity != Granularity.RANGE
            and kind is Kind.ANAPHORIC
        ):
            finer = self._finer_anchor(granularity)
            if finer is None:
                return None
            base, name = finer.value, finer.name
        days = cal.unit_days(node.unit, base.first_day, self._week_start)
        return from_days(days, granularity, kind, name)

    def _finer_anchor(self, granularity: Granularity) -> Anchor | None:
        """The latest anchor of the paragraph that is at least as fine."""
        for anchor in reversed(self.state.paragraph):
            if anchor.value.granularity <= granularity:
                return anchor
        return None

    def _shift(self, node: Shift) -> Value | None:
        if node.span.vague:
            return None
        future = node.base == "future"
        if future and (self.state.tense is Tense.PAST or self.state.narrative):
            return None
        base, name, kind = self._base("document" if future else "context" if node.base == "document" else node.base)
        unit = node.span.parts[-1][0]
        if (
            node.base == "anchor"
            and unit in cal.DAYS
            and base is not None
            and base.granularity > Granularity.WEEK
        ):
            finer = self._finer_anchor(Granularity.DAY)
            base, name = (finer.value, finer.name) if finer else (base, name)
        if base is None:
            return None
        if unit in cal.FINE:
            return self._shift_fine(node, base, name, kind)
        day = self._moved(base.first_day, node.span, node.sign)
        if day is None:
            return None
        value = self._shifted(node, base, day, unit)
        value = value and value.with_kind(kind, name)
        if value and node.span.mod == "more":
            after = node.sign > 0
            return replace(
                value,
                start=value.start if after else OPEN_START,
                end=OPEN_END if after else value.end,
                kind=Kind.OPEN_RANGE,
                granularity=Granularity.RANGE,
            )
        return value

    def _shifted(self, node: Shift, base: Value, day: int, unit: str) -> Value | None:
        """The unit named; a finer or earnings-like coarse anchor is kept."""
        if unit in cal.MONTHS and node.span.parts[-1][1] % 1:
            unit = "month"
        granularity = cal.GRANULARITY[unit]
        if (node.keep and base.granularity < granularity) or base.granularity in _KEPT:
            end = self._moved(base.end_day, node.span, node.sign)
            return from_days((day, end or day + 1), base.granularity, base.kind)
        if unit in cal.DAYS:
            if node.keep and node.sign > 0 and base.granularity > Granularity.DAY:
                moved = self._moved(base.end_day - 1, node.span, node.sign)
                day = day if moved is None else moved
            return from_days((day, day + 1), Granularity.DAY, base.kind)
        return from_days(cal.unit_days(unit, day, self._week_start), granularity, base.kind)

    def _shift_fine(self, node: Shift, base: Value, name: str, kind: Kind) -> Value | None:
        start = base.start
        if isinstance(node.base, str) and name == "document_time" and self.state.document is not None:
            start = self.state.document
        day = self._moved(
            start // MICROS_PER_DAY,
            Span(tuple(p for p in node.span.parts if p[0] not in cal.FINE)),
            node.sign,
        )
        if day is None:
            return None
        start = day * MICROS_PER_DAY + start % MICROS_PER_DAY
        start += node.sign * sum(round(cal.FINE[u] * n) for u, n in node.span.parts if u in cal.FINE)
        if not cal.in_range(start // MICROS_PER_DAY):
            return None
        return Value(start, start + cal.MICROS_PER_SECOND, Granularity.SECOND, kind, name)

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

    def _window(self, node: Window) -> Value | None:
        future = node.base == "future"
        if future and (self.state.tense is Tense.PAST or self.state.narrative):
            return None
        base, name, kind = self._base("document" if future else "context" if node.base == "document" else node.base)
        if base is None or node.span.vague:
            return None
        unit = node.span.parts[-1][0]
        if unit in cal.FINE and self.state.document is not None:
            size = sum(round(cal.FINE[u] * n) for u, n in node.span.parts if u in cal.FINE)
            start = self.state.document - (size if node.sign < 0 else 0)
            return Value(start, start + size, Granularity.RANGE, kind, name)
        if node.mod == "ended":
            end = base.end_day
            first = self._moved(end, node.span, -1)
            return None if first is None else from_days((first, end), Granularity.RANGE, kind, name)
        if node.sign < 0:
            first = self._moved(base.first_day, node.span, -1)
            days = None if first is None else (first, base.first_day)
        else:
            last = self._moved(base.first_day, node.span, 1)
            shift = 0 if node.mod == "within" else 1
            days = None if last is None else (base.first_day + shift, last + shift)
        return from_days(days, Granularity.RANGE, kind, name) if days else None

    # --- parts, times, ranges -----------------------------------------------------------------------

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
            days = None if saturday is None else (saturday, saturday + 2)
        elif node.unit in cal.MONTHS:
            days = cal.shift_unit(node.unit, first if n > 0 else end - 1, n - 1 if n > 0 else n + 1, 1)
            if not first <= days[0] < end:
                return None
        else:
            return None
        return from_days(days, granularity, kind, name) if days else None

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
        for anchor in reversed(self.state.paragraph):
            if anchor.value.granularity <= Granularity.DAY:
                day = from_days(
                    (anchor.value.first_day, anchor.value.first_day + 1),
                    Granularity.DAY,
                    Kind.ANAPHORIC,
                    anchor.name,
                )
                return at_value(day, node, self.state.settings) if day else None
        return None

    def _range(self, node: Range) -> Value | None:
        start_node, end_node = _ordered_numbers(node.start, self), _ordered_numbers(node.end, self)
        start_node, end_node = _share(start_node, end_node)
        opening = isinstance(end_node, Part) and end_node.mod == "start"
        if isinstance(end_node, Part) and opening and not isinstance(end_node.of, str):
            end_node = end_node.of
        if _lacks_year(start_node) and (not _lacks_year(end_node) or self._crosses_year(start_node, end_node)):
            end = self.resolve(end_node)
            start = end and self._before(start_node, end)
        else:
            start = self.resolve(start_node)
            end = start and (
                self._following(end_node, start) if _lacks_year(end_node) else self.resolve(end_node)
            )
        if start is not None and end is not None and _is_weekday(end_node) and end.start < start.start:
            days = self._toward(start.first_day, cal.weekday(end.first_day), 1)
            end = from_days((days, days + 1), Granularity.DAY, end.kind, end.anchor)
        if start is None or end is None or end.end <= start.start or end.start < start.start:
            return None
        clock = end.granularity <= Granularity.HOUR and not end.fuzzy
        last = end.start if (opening or clock) and end.start > start.start else end.end
        return Value(
            start.start, last, Granularity.RANGE, Kind.RANGE, start.anchor or end.anchor, start.fuzzy or end.fuzzy,
            start.start_latest, end.end_earliest, confidence=min(start.confidence, end.confidence), operands=(start, end),
        )  # fmt: skip

    def _crosses_year(self, start: Node, end: Node) -> bool:
        """ "from October to March" in a story: the end is the nearer one."""
        if not self.state.narrative or not isinstance(start, Date) or not isinstance(end, Date):
            return False
        return (start.month or 0) > (end.month or 13)

    def _before(self, node: Node, end: Value) -> Value | None:
        """The last date like this that begins at or before another."""
        return self._shared(node, end, (end.year, end.year - 1), lambda v: v.start <= end.start)

    def _following(self, node: Node, start: Value) -> Value | None:
        """The first date like this that ends after another begins."""
        return self._shared(node, start, (start.year, start.year + 1), lambda v: v.start >= start.start)

    def _shared(self, node: Node, other: Value, years: tuple[int, int], fits: object) -> Value | None:
        if isinstance(node, Part):
            inner = self._shared(node.of, other, years, fits)  # type: ignore[arg-type]
            return inner and part_value(node.mod, inner, self.state)
        for year in years:
            if isinstance(node, Date) and node.month is not None:
                value = self._full_date(replace(node, year=year), year)
            elif isinstance(node, Period):
                value = self._period(replace(node, year=year))
            else:
                return self.resolve(node)
            if value is not None and fits(value):  # type: ignore[operator]
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

    def _open(self, node: Open) -> Value | None:
        of = self.resolve(node.of)
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


def _ordered_numbers(node: Node, resolver: Resolver) -> Node:
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
    if isinstance(start, Date) and isinstance(end, Date):
        if start.month is None and start.day is not None and end.month is not None:
            month, year = end.month, end.year
            if end.day is not None and start.day > end.day:
                month, year = (
                    (12, year - 1 if year is not None else None) if month == 1 else (month - 1, year)
                )
            start = replace(start, month=month, year=year)
    return start, end


__all__ = ["Interval", "Resolver"]
