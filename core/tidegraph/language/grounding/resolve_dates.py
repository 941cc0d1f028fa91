"""Dates and named periods: what is missing comes from the text, then from the document time."""

from __future__ import annotations

from dataclasses import replace

from tidegraph.domain.documents import ExpressionKind as Kind
from tidegraph.domain.documents import Reading
from tidegraph.domain.interval import (
    Granularity,
    civil_from_days,
    days_from_civil,
)
from tidegraph.language.grounding import calendar as cal
from tidegraph.language.grounding.nodes import (
    Date,
    Numeric,
    Period,
    Within,
)
from tidegraph.language.grounding.numerals import is_day
from tidegraph.language.grounding.resolve_base import ResolverBase
from tidegraph.language.grounding.tense import Tense
from tidegraph.language.grounding.values import Value, from_days


class DateResolver(ResolverBase):
    """Dates, numeric dates, weekdays, quarters, seasons, decades, centuries, holidays."""

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
        readings = (
            ()
            if given or other is None
            else (Reading(other.interval, "the other side of the document time"),)
        )
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
        """ "on the 8th": in the month that the story has reached, else by tense around the document."""
        fine = self.state.near_fine()
        base = fine.value.first_day if fine else self.state.day
        if base is None:
            return None
        year, month, today = civil_from_days(base)
        step = 0
        if (fine and dom < today - 7) or (not fine and dom < today and self.state.tense is Tense.FUTURE):
            step = 1
        elif dom > today and not fine and self.state.tense is Tense.PAST:
            step = -1
        first, end = cal.month_days(year, month + step)
        if first + dom > end:
            return None
        day = first + dom - 1
        return from_days(
            (day, day + 1), Granularity.DAY, Kind.UNDERSPECIFIED, fine.name if fine else "document_time"
        )

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
        given = (
            None
            if node.unit == "holiday" and not self.state.narrative
            else self.state.year_for(self._first_month(node))
        )
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
        ahead = self.state.tense is Tense.FUTURE or (
            node.unit == "holiday" and self.state.tense is not Tense.PAST
        )
        if self.state.tense is None and node.unit in ("quarter", "half_year"):
            chosen = year
        elif ahead and future:
            chosen = future[0]
        elif past:
            chosen = past[-1]
        else:
            return None
        return self._period_of(node, chosen, Kind.UNDERSPECIFIED, "document_time")
