"""Instants, granularities and half-open intervals.

An instant is an integer: microseconds since 1970-01-01T00:00:00Z in the proleptic Gregorian
calendar, so that years before 1 and after 9999 need no special case. An interval is ``[start, end)``.
An open side is a sentinel (``OPEN_START``, ``OPEN_END``), never ``None``.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

MICROS_PER_SECOND: Final = 1_000_000
MICROS_PER_DAY: Final = 86_400 * MICROS_PER_SECOND
OPEN_END: Final = 1 << 62
"""No end: the interval holds on. Larger than every instant."""
OPEN_START: Final = -(1 << 62)
"""No known start. Smaller than every instant."""
EXACT_MICROS_MAX: Final = 1 << 53
"""Beyond this magnitude (before 1684, after 2255) the store keeps whole days only."""


class Granularity(IntEnum):
    """How finely a time was given, coarsest last. It is data: "2024" is a year, not 1 January."""

    UNKNOWN = 0
    MICROSECOND = 1
    SECOND = 2
    MINUTE = 3
    HOUR = 4
    DAY = 5
    WEEK = 6
    MONTH = 7
    QUARTER = 8
    HALF_YEAR = 9
    YEAR = 10
    DECADE = 11
    CENTURY = 12
    RANGE = 13


@dataclass(frozen=True, slots=True, order=True)
class Interval:
    """A half-open interval ``[start, end)`` of instants (microseconds, UTC).

    Raises:
        ValueError: if ``end < start``. An empty interval (``start == end``) is allowed: it is how a
            version that was never believed is stored.
    """

    start: int
    end: int
    granularity: Granularity = Granularity.RANGE

    def __post_init__(self) -> None:
        if self.end < self.start:
            raise ValueError(f"interval ends before it starts: [{self.start}, {self.end})")

    @property
    def is_empty(self) -> bool:
        return self.start == self.end

    @property
    def has_open_start(self) -> bool:
        return self.start == OPEN_START

    @property
    def has_open_end(self) -> bool:
        return self.end == OPEN_END

    def contains(self, instant: int) -> bool:
        """True when ``start <= instant < end``."""
        return self.start <= instant < self.end

    def overlaps(self, other: Interval) -> bool:
        """True when some instant lies in both."""
        return max(self.start, other.start) < min(self.end, other.end)

    def intersection(self, other: Interval) -> Interval | None:
        """The common part, or ``None`` when there is none."""
        start, end = max(self.start, other.start), min(self.end, other.end)
        return Interval(start, end) if start < end else None

    def gap(self, other: Interval) -> int:
        """Microseconds between the two; 0 when they overlap or touch."""
        return max(0, max(self.start, other.start) - min(self.end, other.end))


ALWAYS: Final = Interval(OPEN_START, OPEN_END)


def days_from_civil(year: int, month: int, day: int) -> int:
    """Days since 1970-01-01 of a proleptic Gregorian date; year 0 is 1 BCE.

    The day may lie outside the month (day 0 is the last of the month before).
    """
    year -= month <= 2
    era = year // 400
    year_of_era = year - era * 400
    day_of_year = (153 * (month + (-3 if month > 2 else 9)) + 2) // 5 + day - 1
    day_of_era = year_of_era * 365 + year_of_era // 4 - year_of_era // 100 + day_of_year
    return era * 146_097 + day_of_era - 719_468


def civil_from_days(days: int) -> tuple[int, int, int]:
    """(year, month, day) of a day number: the inverse of :func:`days_from_civil`."""
    days += 719_468
    era = days // 146_097
    doe = days - era * 146_097
    yoe = (doe - doe // 1_460 + doe // 36_524 - doe // 146_096) // 365
    doy = doe - (365 * yoe + yoe // 4 - yoe // 100)
    mp = (5 * doy + 2) // 153
    day = doy - (153 * mp + 2) // 5 + 1
    month = mp + (3 if mp < 10 else -9)
    return yoe + era * 400 + (month <= 2), month, day


def instant(
    year: int, month: int = 1, day: int = 1, hour: int = 0, minute: int = 0, second: int = 0, micros: int = 0
) -> int:
    """The instant of a UTC wall-clock time; year 0 is 1 BCE."""
    seconds = hour * 3_600 + minute * 60 + second
    return days_from_civil(year, month, day) * MICROS_PER_DAY + seconds * MICROS_PER_SECOND + micros


def format_instant(value: int) -> str:
    """ISO 8601 text of an instant, as short as it is exact; an open side gives ``".."`` (EDTF)."""
    if value in (OPEN_START, OPEN_END):
        return ".."
    days, rest = divmod(value, MICROS_PER_DAY)
    year, month, day = civil_from_days(days)
    year_text = f"{year:04d}" if 0 <= year <= 9999 else f"{year:+06d}"
    text = f"{year_text}-{month:02d}-{day:02d}"
    if not rest:
        return text
    seconds, micros = divmod(rest, MICROS_PER_SECOND)
    text += f"T{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return text + (f".{micros:06d}Z" if micros else "Z")


def format_by_granularity(value: int, granularity: Granularity) -> str:
    """An instant written no finer than it was given: ``2024``, ``2024-03``, ``2024-Q1``, a day, a time."""
    if value in (OPEN_START, OPEN_END):
        return ".."
    year, month, _ = civil_from_days(value // MICROS_PER_DAY)
    year_text = f"{year:04d}" if 0 <= year <= 9999 else f"{year:+06d}"
    match granularity:
        case Granularity.YEAR | Granularity.DECADE | Granularity.CENTURY:
            return year_text
        case Granularity.HALF_YEAR:
            return f"{year_text}-H{(month + 5) // 6}"
        case Granularity.QUARTER:
            return f"{year_text}-Q{(month + 2) // 3}"
        case Granularity.MONTH:
            return f"{year_text}-{month:02d}"
        case Granularity.DAY | Granularity.WEEK:
            return format_instant(value - value % MICROS_PER_DAY)
        case _:
            return format_instant(value)
