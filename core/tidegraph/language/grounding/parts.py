"""Parts of periods: early, late, the end of, the rest of, to date."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from tidegraph.domain.documents import ExpressionKind as Kind
from tidegraph.domain.documents import Reading
from tidegraph.domain.interval import MICROS_PER_DAY, Granularity, civil_from_days
from tidegraph.language.grounding import calendar as cal
from tidegraph.language.grounding.values import State, Value, from_days

_WEEKS: Final = ("week_of", "week_from", "week_to", "weekend_of")
_THIRDS: Final = {"early": 0, "start": 0, "mid": 1, "middle": 1, "late": 2, "end": 2}
_YEAR_MONTHS: Final = {
    "early": (1, 4),
    "start": (1, 3),
    "mid": (5, 4),
    "middle": (5, 4),
    "late": (9, 4),
    "end": (9, 4),
}
_MONTH_DAYS: Final = {0: (0, 10), 1: (10, 20), 2: (20, None)}
_WEEK_DAYS: Final = {
    "early": (0, 3),
    "start": (0, 2),
    "mid": (2, 4),
    "middle": (2, 4),
    "late": (3, 7),
    "end": (4, 7),
}
_CENTURY_YEARS: Final = {0: (0, 34), 1: (33, 67), 2: (66, 100)}
_DECADE_YEARS: Final = {0: (0, 4), 1: (3, 7), 2: (6, 10)}


def part_value(mod: str, of: Value, state: State) -> Value | None:
    """The part of a resolved period, or None when it makes no sense there."""
    if mod in ("rest", "later", "earlier", "to_date"):
        return _relative_part(mod, of, state)
    if mod in _WEEKS:
        return _week(mod, of, state)
    if mod in ("first_half", "second_half"):
        return _half(mod, of)
    if mod not in _THIRDS:
        return None
    if of.granularity <= Granularity.DAY:
        return _part_of_day(mod, of)
    days = _third(mod, of)
    value = from_days(days, Granularity.RANGE, of.kind, of.anchor)
    if value is None:
        return None
    whole = Reading(of.interval, "the whole period")
    return replace(value, fuzzy=True, confidence=0.7, alternatives=(whole,))


def _half(mod: str, of: Value) -> Value | None:
    """One half of a period, cut between whole months where it has an even number of them."""
    months = _months(of.first_day, of.end_day)
    middle = (
        cal.add_months(of.first_day, months // 2)
        if months and months % 2 == 0
        else (of.first_day + of.end_day) // 2
    )
    days = (of.first_day, middle) if mod == "first_half" else (middle, of.end_day)
    return from_days(days, Granularity.RANGE, of.kind, of.anchor)


def _week(mod: str, of: Value, state: State) -> Value | None:
    """The week or weekend of a day, or the seven days that begin or end with it."""
    if mod == "weekend_of":
        first, end = cal.unit_days("weekend", of.first_day, 1)
        return from_days((first, end), Granularity.RANGE, of.kind, of.anchor)
    first = {
        "week_of": cal.week_days(of.first_day, state.settings.week_start)[0],
        "week_from": of.first_day,
        "week_to": of.end_day - 7,
    }[mod]
    return from_days((first, first + 7), Granularity.WEEK, of.kind, of.anchor)


def _part_of_day(mod: str, of: Value) -> Value:
    if mod == "end":
        return replace(of, start=of.end - cal.MICROS_PER_SECOND, granularity=Granularity.SECOND, fuzzy=True)
    hours = {0: (0, 12), 1: (10, 14), 2: (16, 24)}[_THIRDS[mod]]
    start = of.start + hours[0] * cal.MICROS_PER_HOUR
    return replace(
        of,
        start=start,
        end=of.start + hours[1] * cal.MICROS_PER_HOUR,
        granularity=Granularity.RANGE,
        fuzzy=True,
    )


def _third(mod: str, of: Value) -> cal.Days:
    """The days of a part: fixed for week, month, year and decade, thirds otherwise."""
    third = _THIRDS[mod]
    first, end = of.first_day, of.end_day
    match of.granularity:
        case Granularity.YEAR:
            month, size = _YEAR_MONTHS[mod]
            year, start_month, _ = civil_from_days(first)
            return cal.month_days(year, start_month + month - 1, size)
        case Granularity.MONTH:
            low, high = _MONTH_DAYS[third]
            return first + low, end if high is None else first + high
        case Granularity.WEEK:
            low, high = _WEEK_DAYS[mod]
            return first + low, first + high
        case Granularity.DECADE:
            low, high = _DECADE_YEARS[third]
            return cal.add_months(first, 12 * low), cal.add_months(first, 12 * high)
        case Granularity.CENTURY:
            low, high = _CENTURY_YEARS[third]
            return cal.add_months(first, 12 * low), cal.add_months(first, 12 * high)
    months = _months(first, end)
    if months and months % 3 == 0:
        size = months // 3
        return cal.add_months(first, third * size), cal.add_months(first, (third + 1) * size)
    size = max(1, (end - first) // 3)
    return first + third * size, end if third == 2 else first + (third + 1) * size


def _months(first: int, end: int) -> int:
    """Whole months from one first-of-month to another; 0 when they are none."""
    (y1, m1, d1), (y2, m2, d2) = civil_from_days(first), civil_from_days(end)
    return (y2 - y1) * 12 + m2 - m1 if d1 == d2 == 1 else 0


def _relative_part(mod: str, of: Value, state: State) -> Value | None:
    """Earlier or later than the anchor inside its period, else than the document's day."""
    anchor = state.anchor()
    start, end = of.start, of.end
    inside = anchor is not None and of.start <= anchor.value.start and anchor.value.end <= of.end
    finer = inside and anchor is not None and (anchor.value.start, anchor.value.end) != (of.start, of.end)
    document = state.day
    if finer and anchor is not None and mod in ("earlier", "later") and of.kind is Kind.ANAPHORIC:
        start, end = (of.start, anchor.value.start) if mod == "earlier" else (anchor.value.end, of.end)
    elif document is not None and of.start <= document * MICROS_PER_DAY < of.end:
        now = document * MICROS_PER_DAY
        start, end = (now, of.end) if mod in ("rest", "later") else (of.start, now)
    elif mod == "to_date":
        return None
    if end <= start:
        start, end = of.start, of.end
    return replace(
        of, start=start, end=end, granularity=Granularity.RANGE, fuzzy=mod != "to_date", confidence=0.75
    )
