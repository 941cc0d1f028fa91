"""Words that count from the document or from an anchor: last week, that day, two years later."""

from __future__ import annotations

from dataclasses import replace

from tidegraph.domain.documents import ExpressionKind as Kind
from tidegraph.domain.interval import (
    MICROS_PER_DAY,
    OPEN_END,
    OPEN_START,
    Granularity,
    civil_from_days,
)
from tidegraph.language.grounding import calendar as cal
from tidegraph.language.grounding.nodes import (
    Relative,
    Same,
    Shift,
    Span,
    Window,
)
from tidegraph.language.grounding.resolve_dates import DateResolver
from tidegraph.language.grounding.tense import Tense
from tidegraph.language.grounding.values import Value, from_days

_THAT_WEEKDAY = 3
_ONE_YEAR = (("year", 1),)
_EARNINGS = (Granularity.QUARTER, Granularity.HALF_YEAR)
_KEPT = (Granularity.QUARTER, Granularity.HALF_YEAR, Granularity.RANGE)
"""Granularities that an offset keeps: a quarter a year earlier is a quarter."""


class RelativeResolver(DateResolver):
    """Relative units, spans before and after, rolling windows."""

    def _relative(self, node: Relative) -> Value | None:
        told = node.base == "document" and node.unit not in ("day", "holiday")
        base, name, kind = self._base("context" if told else node.base)
        if base is None:
            return None
        day = base.first_day
        if node.unit == "weekday" and node.step == _THAT_WEEKDAY and kind is not Kind.ANAPHORIC:
            return self._weekday(int(node.index))
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

    def _shift(self, node: Shift) -> Value | None:
        if node.span.vague:
            return None
        future = node.base == "future"
        if future and (self.state.tense is Tense.PAST or self.state.narrative):
            return None
        base, name, kind = self._base(
            "document" if future else "context" if node.base == "document" else node.base
        )
        unit = node.span.parts[-1][0]
        compared = self.state.paragraph[-1] if self.state.paragraph else None
        backward = node.base == "document" and node.sign < 0 and unit == "year"
        if backward and compared is not None and compared.value.granularity in _EARNINGS:
            base, name, kind = compared.value, compared.name, Kind.ANAPHORIC
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
        if node.sign < 0 and node.span.parts == _ONE_YEAR and base.granularity is Granularity.MONTH:
            node = replace(node, keep=node.keep or (node.base == "anchor" and not self.state.narrative))
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

    def _window(self, node: Window) -> Value | None:
        future = node.base == "future"
        if future and (self.state.tense is Tense.PAST or self.state.narrative):
            return None
        base, name, kind = self._base(
            "document" if future else "context" if node.base == "document" else node.base
        )
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
