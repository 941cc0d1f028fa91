"""Calendar arithmetic on day numbers (days since 1970-01-01) and microseconds; proleptic Gregorian."""

from __future__ import annotations

from typing import Final

from tidegraph.domain.interval import MICROS_PER_DAY, Granularity, civil_from_days, days_from_civil

MICROS_PER_HOUR: Final = MICROS_PER_DAY // 24
MICROS_PER_MINUTE: Final = MICROS_PER_HOUR // 60
MICROS_PER_SECOND: Final = MICROS_PER_MINUTE // 60
MIN_DAY: Final = days_from_civil(-9_999, 1, 1)
MAX_DAY: Final = days_from_civil(9_999, 12, 31)

MONTHS: Final = {
    "month": 1,
    "quarter": 3,
    "half_year": 6,
    "year": 12,
    "decade": 120,
    "century": 1200,
    "millennium": 12_000,
}
DAYS: Final = {"day": 1, "business_day": 1, "week": 7, "fortnight": 14, "weekend": 7, "night": 1}
FINE: Final = {"hour": MICROS_PER_HOUR, "minute": MICROS_PER_MINUTE, "second": MICROS_PER_SECOND}

GRANULARITY: Final = {
    "second": Granularity.SECOND,
    "minute": Granularity.MINUTE,
    "hour": Granularity.HOUR,
    "day": Granularity.DAY,
    "night": Granularity.DAY,
    "business_day": Granularity.DAY,
    "week": Granularity.WEEK,
    "fortnight": Granularity.RANGE,
    "weekend": Granularity.RANGE,
    "month": Granularity.MONTH,
    "quarter": Granularity.QUARTER,
    "half_year": Granularity.HALF_YEAR,
    "year": Granularity.YEAR,
    "decade": Granularity.DECADE,
    "century": Granularity.CENTURY,
    "millennium": Granularity.RANGE,
    "season": Granularity.RANGE,
}

Days = tuple[int, int]
"""[first day, day after the last)"""


def weekday(day: int) -> int:
    """Monday is 0."""
    return (day + 3) % 7


def month_length(year: int, month: int) -> int:
    following = days_from_civil(year + 1, 1, 1) if month == 12 else days_from_civil(year, month + 1, 1)
    return following - days_from_civil(year, month, 1)


def month_days(year: int, month: int, months: int = 1) -> Days:
    """``months`` whole months from a month; ``month`` may lie outside 1 to 12."""
    first = year * 12 + month - 1
    last = first + months
    return days_from_civil(first // 12, first % 12 + 1, 1), days_from_civil(last // 12, last % 12 + 1, 1)


def year_days(year: int, years: int = 1) -> Days:
    return month_days(year, 1, 12 * years)


def add_months(day: int, months: int) -> int:
    """The same day of another month, clipped to its length."""
    year, month, dom = civil_from_days(day)
    index = year * 12 + month - 1 + months
    year, month = index // 12, index % 12 + 1
    return days_from_civil(year, month, min(dom, month_length(year, month)))


def week_days(day: int, week_start: int) -> Days:
    """The week that holds a day; ``week_start`` 1 is Monday, 7 Sunday."""
    first = day - (weekday(day) - (week_start - 1)) % 7
    return first, first + 7


def add_business_days(day: int, count: int) -> int:
    """The day ``count`` Monday-to-Friday days away."""
    step = 1 if count > 0 else -1
    weeks, rest = divmod(abs(count), 5)
    if weekday(day) >= 5:
        day -= (weekday(day) - 4) if step > 0 else (weekday(day) - 7)
    day += step * weeks * 7
    while rest:
        day += step
        if weekday(day) < 5:
            rest -= 1
    return day


def unit_days(unit: str, day: int, week_start: int) -> Days:
    """The whole unit that holds a day."""
    year, month, _ = civil_from_days(day)
    if unit in MONTHS:
        size = MONTHS[unit]
        index = year * 12 + month - 1
        first = index // size * size
        return month_days(first // 12, first % 12 + 1, size)
    if unit in ("week", "fortnight"):
        first, end = week_days(day, week_start)
        return first, end + (7 if unit == "fortnight" else 0)
    if unit == "weekend":
        monday = day - weekday(day)
        return monday + 5, monday + 7
    return day, day + 1


def shift_unit(unit: str, day: int, count: int, week_start: int) -> Days:
    """The whole unit ``count`` units away from the one that holds a day."""
    first, _ = unit_days(unit, day, week_start)
    if unit in MONTHS:
        return unit_days(unit, add_months(first, count * MONTHS[unit]), week_start)
    if unit == "business_day":
        moved = add_business_days(day, count) if count else day
        return moved, moved + 1
    return unit_days(unit, first + count * DAYS.get(unit, 1), week_start)


def in_range(day: int) -> bool:
    """Whether a day lies in the years that the engine answers for (-9999 to 9999)."""
    return MIN_DAY <= day <= MAX_DAY


def iso_week_days(year: int, week: int) -> Days:
    """ISO week ``week`` of a year: the first one holds 4 January."""
    fourth = days_from_civil(year, 1, 4)
    first = fourth - weekday(fourth) + 7 * (week - 1)
    return first, first + 7


def easter(year: int, julian: bool = False) -> int:
    """Day number of Easter Sunday, by the anonymous Gregorian computus or the Julian one."""
    if julian:
        d = (19 * (year % 19) + 15) % 30
        e = (2 * (year % 4) + 4 * (year % 7) - d + 34) % 7
        month, day = divmod(d + e + 114, 31)
        century = year // 100
        return days_from_civil(year, month, day + 1) + century - century // 4 - 2
    a, b, c = year % 19, year // 100, year % 100
    h = (19 * a + b - b // 4 - (b - (b + 8) // 25 + 1) // 3 + 15) % 30
    k = (32 + 2 * (b % 4) + 2 * (c // 4) - h - c % 4) % 7
    m = (a + 11 * h + 22 * k) // 451
    month, day = divmod(h + k - 7 * m + 114, 31)
    return days_from_civil(year, month, day + 1)


def nth_weekday(first: int, end: int, day_of_week: int, n: int) -> int | None:
    """The n-th such weekday of [first, end); -1 is the last. None when there is none."""
    if n > 0:
        found = first + (day_of_week - weekday(first)) % 7 + 7 * (n - 1)
    else:
        last = end - 1
        found = last - (weekday(last) - day_of_week) % 7 + 7 * (n + 1)
    return found if first <= found < end else None


def holiday_day(rule: str, year: int) -> int | None:
    """Day number of a holiday in a year, from its rule: ``12-25``, ``easter+1``, ``nth 11 3 4`` (month,
    weekday, n), ``orthodox+0``."""
    kind, _, rest = rule.partition(" ")
    if kind == "easter":
        return easter(year) + int(rest or 0)
    if kind == "orthodox":
        return easter(year, julian=True) + int(rest or 0)
    if kind == "nth":
        month, day_of_week, n, shift = ([int(p) for p in rest.split()] + [0])[:4]
        found = nth_weekday(*month_days(year, month), day_of_week, n)
        return None if found is None else found + shift
    month, day = (int(p) for p in rule.split("-"))
    return days_from_civil(year, month, day)
