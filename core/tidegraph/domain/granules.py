"""Calendar granules: the period that a time of some granularity names ("1936": the whole year)."""

from __future__ import annotations

from typing import Final

from tidegraph.domain.interval import (
    MICROS_PER_DAY,
    OPEN_END,
    OPEN_START,
    Granularity,
    civil_from_days,
    instant,
)

_FIXED: Final = {
    Granularity.MICROSECOND: 1,
    Granularity.SECOND: 1_000_000,
    Granularity.MINUTE: 60 * 1_000_000,
    Granularity.HOUR: 3_600 * 1_000_000,
    Granularity.DAY: MICROS_PER_DAY,
}
_MONTHS: Final = {
    Granularity.MONTH: 1,
    Granularity.QUARTER: 3,
    Granularity.HALF_YEAR: 6,
    Granularity.YEAR: 12,
    Granularity.DECADE: 120,
    Granularity.CENTURY: 1_200,
}
_WEEK_OFFSET_DAYS: Final = 3
"""1970-01-01 was a Thursday: weeks begin on Monday."""


def granule(value: int, granularity: Granularity) -> tuple[int, int]:
    """``[start, end)`` of the period of that size which contains the instant.

    An unknown size or RANGE gives the instant itself, one microsecond long; an open side stays open.
    Weeks begin on Monday, decades in years ending in 0, centuries in years ending in 00.
    """
    if value in (OPEN_START, OPEN_END):
        return value, value
    if granularity in _MONTHS:
        size = _MONTHS[granularity]
        year, month, _ = civil_from_days(value // MICROS_PER_DAY)
        first = (year * 12 + month - 1) // size * size
        return _month_start(first), _month_start(first + size)
    if granularity is Granularity.WEEK:
        week = (value // MICROS_PER_DAY + _WEEK_OFFSET_DAYS) // 7
        start = (week * 7 - _WEEK_OFFSET_DAYS) * MICROS_PER_DAY
        return start, start + 7 * MICROS_PER_DAY
    size = _FIXED.get(granularity, 1)
    start = value - value % size
    return start, start + size


def granule_end(value: int, granularity: Granularity) -> int:
    """The first instant after the granule that contains ``value``."""
    return granule(value, granularity)[1]


def granule_before(end: int, granularity: Granularity) -> int:
    """Start of the granule that an exclusive end closes: 1937-01-01 by year gives 1936-01-01."""
    return granule(end - 1, granularity)[0] if end not in (OPEN_START, OPEN_END) else end


def _month_start(months: int) -> int:
    return instant(months // 12, months % 12 + 1)
