"""Times of metadata: ISO 8601, RFC 3339, RFC 2822, written dates and numbers, never today's date.

A time without a zone is wall time in the default zone, which its provenance then says. Anything that
cannot be read is no time at all: nothing is completed and nothing is guessed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Final
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from tidegraph.domain.documents import DocumentTime
from tidegraph.domain.errors import Rejected
from tidegraph.domain.interval import MICROS_PER_DAY, MICROS_PER_SECOND, Granularity, days_from_civil
from tidegraph.inputs import time_words

MAX_CHARS: Final = 200
NO_ZONE: Final = "no zone given"
"""In the provenance of a time that was written without a zone."""
UNITS: Final = {
    "s": MICROS_PER_SECOND,
    "seconds": MICROS_PER_SECOND,
    "ms": 1_000,
    "milliseconds": 1_000,
    "us": 1,
    "microseconds": 1,
    "days": MICROS_PER_DAY,
}
"""Microseconds in one unit; nanoseconds (``ns``) are divided instead."""
_ARABIC_DIGITS_SINCE: Final = days_from_civil(1600, 1, 1)
"""A year before this in Arabic digits is of the Islamic calendar, whose days only a sighting tells."""
_MAX_INSTANT: Final = days_from_civil(10_000, 1, 1) * MICROS_PER_DAY
_MIN_INSTANT: Final = days_from_civil(-9_999, 1, 1) * MICROS_PER_DAY
_ZEROS: Final = frozenset(
    days_from_civil(*day) * MICROS_PER_DAY
    for day in (
        (0, 1, 1),
        (1, 1, 1),
        (1601, 1, 1),
        (1899, 12, 30),
        (1900, 1, 1),
        (1904, 1, 1),
        (1970, 1, 1),
        (1980, 1, 1),
    )
)
YEAR_ONE_END: Final = days_from_civil(2, 1, 1) * MICROS_PER_DAY
"""Before this instant a metadata time is the zero of some format."""
_DIGITS: Final = re.compile(r"\d")

_CLOCK = (
    r"(?P<hour>\d{1,2})(?::?(?P<minute>\d{2})(?::?(?P<second>\d{2})(?:[.,](?P<fraction>\d{1,18}))?)?)?"
    r"\s*(?P<half>[ap]\.?m\.?(?![a-z]))?\s*"
    r"(?P<zone>z(?![a-z])|(?:utc|gmt)?[+\-\u2212]\d{1,2}:?(?:\d{2})?(?!\d)|[a-z]{1,5}(?![a-z]))?\s*(?:\([^()]*\)|\[[^\]]*\])?"
)
_ISO: Final = re.compile(
    r"(?P<year>[+-]\d{4,6}|\d{4})"
    r"(?:-?w(?P<week>\d{2})(?:-?(?P<weekday>[1-7]))?"
    r"|-(?P<ordinal>\d{3})(?!\d)"
    r"|(?P<sep>[-/.])(?P<month>\d{1,2})(?:(?P=sep)(?P<day>\d{1,2}))?(?!\d)"
    r"|(?P<bmonth>\d{2})(?P<bday>\d{2})(?!\d))?"
    r"(?:(?:t|\s+|,\s*|\s*[-\u2013|]\s+|\s+at\s+)" + _CLOCK + r")?",
    re.IGNORECASE,
)
_WORDED: Final = re.compile(
    r"(?:[^\W\d]+\.?,?\s+)??"
    r"(?:(?P<day>\d{1,2})(?:st|nd|rd|th|er|º|\.)?(?:\s+(?:of|de)\s+|\s*[-,.]?\s*|\s+)(?P<name>[^\W\d]{3,12})\.?"
    r"|(?P<name2>[^\W\d]{3,12})\.?\s+(?P<day2>\d{1,2})(?:st|nd|rd|th)?"
    r"|(?P<name3>[^\W\d]{3,12})\.?)"
    r"(?:\s+(?:of|de)\s+|\s*[-,.]?\s*)(?P<year>\d{4})(?!\d)"
    r"(?:(?:,?\s+(?:at|um|à)\s+|,?\s*t?|\s*[-\u2013|]\s*)" + _CLOCK + r")?",
    re.IGNORECASE,
)
_NUMERIC: Final = re.compile(
    r"(?P<first>\d{1,2})(?P<sep>[/.\-])(?P<second_>\d{1,2})(?P=sep)(?P<year>\d{4})(?!\d)(?:,?\s+"
    + _CLOCK
    + r")?",
    re.IGNORECASE,
)
_ASCTIME: Final = re.compile(
    r"(?:[a-z]{3,9},? )?(?P<name>[a-z]{3,9}) (?P<day>\d{1,2}) " + _CLOCK + r"\s*(?P<year>\d{4})",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class TimeRules:
    """How a time is read where it leaves something open: IANA zone name, order of day and month."""

    zone: str = "UTC"
    day_first: bool = False


UTC_RULES: Final = TimeRules()


@dataclass(frozen=True, slots=True)
class _Wall:
    """A calendar time as written; ``offset`` in minutes, ``None`` when no zone is given."""

    days: int
    micros: int
    granularity: Granularity
    offset: int | None
    note: str = ""


def parse(text: str, provenance: str, rules: TimeRules) -> DocumentTime | None:
    """A metadata time of any common written form; ``None`` when it cannot be read."""
    if len(text) > MAX_CHARS or not _DIGITS.search(text):
        return None
    persian, arabic = time_words.has_persian_digits(text), time_words.has_arabic_digits(text)
    text = " ".join(time_words.western_digits(text).split())
    readers = (_persian, _iso) if persian else (_iso, _persian)
    wall = next(filter(None, (read(text) for read in readers)), None)
    wall = wall or _numeric(text, rules) or _worded(text) or _asctime(text)
    if wall is None or (arabic and wall.days < _ARABIC_DIGITS_SINCE):
        return None
    return _resolve(wall, provenance, rules)


def require(text: str, provenance: str, rules: TimeRules) -> DocumentTime:
    """Like :func:`parse`, for a time that was given on purpose.

    Raises:
        Rejected: the text is not a time.
    """
    time = parse(text, provenance, rules)
    if time is None:
        raise Rejected(
            "INVALID_TIME", f"{provenance}: {text[:80]!r} is not a time; write it as 2024-03-31T09:00:00Z"
        )
    return time


def is_placeholder(time: DocumentTime) -> bool:
    """True for the zero of a clock or a format, which stands for "no time": no one wrote it."""
    return time.granularity <= Granularity.DAY and time.instant in _ZEROS


def from_number(value: int | float, unit: str, provenance: str) -> DocumentTime:
    """The instant ``value`` units after 1970; without a unit only sizes that leave one reading.

    Raises:
        Rejected: an unknown unit, a number of which the unit cannot be known, or one out of range.
    """
    name = unit.lower() or _unit_by_size(value)
    if not name or (name not in UNITS and name not in ("ns", "nanoseconds")):
        raise Rejected(
            "INVALID_TIME",
            f"{provenance}: the unit of the number {value} is not known: name it in the mapping "
            "(time_unit: s, ms, us, ns or days)",
        )
    try:
        micros = int(value // 1_000) if name in ("ns", "nanoseconds") else int(value * UNITS[name])
    except (OverflowError, ValueError):
        raise Rejected("INVALID_TIME", f"{provenance}: {value} is not a time") from None
    if not _MIN_INSTANT <= micros < _MAX_INSTANT:
        raise Rejected("INVALID_TIME", f"{provenance}: {value} ({name} since 1970) is outside the calendar")
    note = "" if unit else f" (number read as {name})"
    return DocumentTime(micros, _granularity_of_number(micros, name), provenance + note)


def at_offset(
    wall: datetime, offset_minutes: int | None, provenance: str, rules: TimeRules
) -> DocumentTime | None:
    """The document time of a naive ``wall`` with seconds; offset ``None``: the default zone, flagged."""
    micros = (wall.hour * 3600 + wall.minute * 60 + wall.second) * MICROS_PER_SECOND + wall.microsecond
    grain = Granularity.MICROSECOND if wall.microsecond else Granularity.SECOND
    days = days_from_civil(wall.year, wall.month, wall.day)
    return _resolve(_Wall(days, micros, grain, offset_minutes), provenance, rules)


def zone_of(name: str) -> tzinfo:
    """The zone of an IANA name.

    Raises:
        Rejected: there is no such zone.
    """
    if name.upper() in ("UTC", "Z", "ETC/UTC"):
        return UTC
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise Rejected(
            "INVALID_TIMEZONE", f"{name!r} is not a time zone: use a name like Europe/Berlin"
        ) from None


def _unit_by_size(value: int | float) -> str:
    """The one unit that puts the number between 1990 and 2100; days and short numbers never qualify."""
    low, high = days_from_civil(1990, 1, 1) * 86_400, days_from_civil(2100, 1, 1) * 86_400
    for name, per_second in (("s", 1), ("ms", 10**3), ("us", 10**6), ("ns", 10**9)):
        if low * per_second <= value < high * per_second:
            return name
    return ""


def _granularity_of_number(micros: int, unit: str) -> Granularity:
    if unit == "days":
        return Granularity.DAY
    return Granularity.MICROSECOND if micros % MICROS_PER_SECOND else Granularity.SECOND


def _iso(text: str) -> _Wall | None:
    match = _ISO.fullmatch(text)
    if match is None:
        return None
    year = int(match["year"])
    if match["week"]:
        days, grain = _week(year, int(match["week"]), match["weekday"])
        if not 1 <= int(match["week"]) <= 53 or days > days_from_civil(year + 1, 1, 3):
            return None
    elif match["ordinal"]:
        days, grain = days_from_civil(year, 1, 1) + int(match["ordinal"]) - 1, Granularity.DAY
        if days < days_from_civil(year, 1, 1) or days >= days_from_civil(year + 1, 1, 1):
            return None
    else:
        found = _civil(year, match["month"] or match["bmonth"], match["day"] or match["bday"])
        if found is None:
            return None
        days, grain = found
    return _with_clock(match, days, grain)


def _week(year: int, week: int, weekday: str | None) -> tuple[int, Granularity]:
    fourth = days_from_civil(year, 1, 4)
    monday = fourth - (fourth + 3) % 7
    start = monday + (week - 1) * 7
    return (start + int(weekday) - 1, Granularity.DAY) if weekday else (start, Granularity.WEEK)


def _civil(year: int, month: str | None, day: str | None) -> tuple[int, Granularity] | None:
    if month is None:
        return days_from_civil(year, 1, 1), Granularity.YEAR
    if day is None:
        valid = 1 <= int(month) <= 12
        return (days_from_civil(year, int(month), 1), Granularity.MONTH) if valid else None
    days = _valid_day(year, int(month), int(day))
    return None if days is None else (days, Granularity.DAY)


def _valid_day(year: int, month: int, day: int) -> int | None:
    if not 1 <= month <= 12 or day < 1:
        return None
    days = days_from_civil(year, month, day)
    following = days_from_civil(year + month // 12, month % 12 + 1, 1)
    return days if days < following else None


def _numeric(text: str, rules: TimeRules) -> _Wall | None:
    match = _NUMERIC.fullmatch(text)
    if match is None:
        return None
    first, second, year = int(match["first"]), int(match["second_"]), int(match["year"])
    ambiguous = first <= 12 and second <= 12 and first != second and match["sep"] != "."
    day_first = first > 12 or match["sep"] == "." or (rules.day_first and second <= 12)
    day, month = (first, second) if day_first else (second, first)
    days = _valid_day(year, month, day)
    if days is None:
        return None
    note = f" (read as {'day/month' if day_first else 'month/day'})" if ambiguous else ""
    return _with_clock(match, days, Granularity.DAY, note)


def _worded(text: str) -> _Wall | None:
    match = _WORDED.fullmatch(text)
    if match is None:
        return None
    month = time_words.month_number(match["name"] or match["name2"] or match["name3"])
    day = match["day"] or match["day2"]
    found = _civil(int(match["year"]), str(month), day) if month else None
    if found is None:
        return None
    return _with_clock(match, *found)


def _asctime(text: str) -> _Wall | None:
    match = _ASCTIME.fullmatch(text)
    month = time_words.month_number(match["name"]) if match else 0
    if match is None or not month:
        return None
    days = _valid_day(int(match["year"]), month, int(match["day"]))
    return None if days is None else _with_clock(match, days, Granularity.DAY)


def _persian(text: str) -> _Wall | None:
    found = time_words.persian_date(text)
    if found is None:
        return None
    days, rest = found
    if not rest:
        return _Wall(days, 0, Granularity.DAY, None, " (Persian calendar)")
    match = re.fullmatch(_CLOCK, rest, re.IGNORECASE)
    return None if match is None else _with_clock(match, days, Granularity.DAY, " (Persian calendar)")


def _with_clock(match: re.Match[str], days: int, grain: Granularity, note: str = "") -> _Wall | None:
    if match["hour"] is None:
        return _Wall(days, 0, grain, None, note)
    hour, minute, second = int(match["hour"]), int(match["minute"] or 0), int(match["second"] or 0)
    if match["half"]:
        if not 1 <= hour <= 12:
            return None
        hour = hour % 12 + (12 if match["half"].lower().startswith("p") else 0)
    midnight = hour == 24 and minute == second == 0
    if grain is not Granularity.DAY or minute > 59 or second > 60 or (hour > 23 and not midnight):
        return None
    offset = time_words.offset_minutes(match["zone"] or "")
    if match["zone"] and offset is None:
        return None
    micros = int((match["fraction"] or "0")[:6].ljust(6, "0"))
    grain = Granularity.MICROSECOND if micros else _clock_grain(match)
    seconds = hour * 3600 + minute * 60 + second
    return _Wall(days, seconds * MICROS_PER_SECOND + micros, grain, offset, note)


def _clock_grain(match: re.Match[str]) -> Granularity:
    if match["second"] is not None:
        return Granularity.SECOND
    return Granularity.MINUTE if match["minute"] is not None else Granularity.HOUR


def _resolve(wall: _Wall, provenance: str, rules: TimeRules) -> DocumentTime | None:
    instant = wall.days * MICROS_PER_DAY + wall.micros
    note = wall.note
    if wall.granularity >= Granularity.DAY:
        pass
    elif wall.offset is not None:
        instant -= wall.offset * 60 * MICROS_PER_SECOND
    else:
        shift, flag = _local_offset(instant, rules.zone)
        instant -= shift
        note += f" ({NO_ZONE}, {rules.zone} assumed{flag})"
    if not _MIN_INSTANT <= instant < _MAX_INSTANT:
        return None
    return DocumentTime(instant, wall.granularity, provenance + note)


def _local_offset(wall_micros: int, zone: str) -> tuple[int, str]:
    """Microseconds to subtract from a wall time in the zone, and what daylight saving did to it."""
    local = zone_of(zone)
    try:
        naive = datetime(1970, 1, 1) + timedelta(microseconds=wall_micros)  # noqa: DTZ001
    except OverflowError:
        return 0, ""
    early = naive.replace(tzinfo=local).utcoffset() or timedelta()
    late = naive.replace(tzinfo=local, fold=1).utcoffset() or timedelta()
    flag = ""
    if early != late:
        flag = ", an hour that daylight saving skips" if early < late else ", the first of two such hours"
    return early // timedelta(microseconds=1), flag
