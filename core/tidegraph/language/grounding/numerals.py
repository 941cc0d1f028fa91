"""What a run of digits can be: a closed list of shapes, everything else is no date.

A run is taken as a whole (maximal munch), so that parts of prices, versions, sections and identifiers
are never looked at on their own.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, TypeAlias

from tidegraph.domain.interval import civil_from_days, days_from_civil
from tidegraph.language.grounding.nodes import At, Clock, Date, Node, Numeric

Lexed: TypeAlias = "tuple[str, object]"
"""(symbol name, value)"""

RUN: Final = r"\d+(?:[.,:/\-\u2010-\u2014]\d+)*"
_DASH: Final = "[-\u2010-\u2014]"
_ISO: Final = re.compile(
    r"(\d{4})-(\d\d)-(\d\d)[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,](\d{1,9}))?)?"
    r"\s?(Z|UTC|[+-]\d\d(?::?\d\d)?)?(?![\w:])"
)
_COMPACT: Final = re.compile(r"((?:19|20)\d\d)(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)?(Z|[+-]\d\d:?\d\d)?(?!\w)")


def is_day(year: int, month: int, day: int) -> bool:
    """Whether the calendar has this day."""
    return (
        1 <= month <= 12 and 1 <= day <= 31 and civil_from_days(days_from_civil(year, month, day))[1] == month
    )


def zone_minutes(text: str | None) -> int | None:
    """Minutes east of UTC of ``Z`` or ``+02:00``; None without a zone."""
    if not text:
        return None
    if text[0] not in "+-":
        return 0
    digits = text[1:].replace(":", "")
    minutes = int(digits[:2]) * 60 + int(digits[2:] or 0)
    return -minutes if text[0] == "-" else minutes


def iso_instant(text: str, at: int) -> tuple[int, Node] | None:
    """An ISO 8601 date with time at a position: (end, node)."""
    match = _ISO.match(text, at) or _COMPACT.match(text, at)
    if not match:
        return None
    groups = match.groups()
    year, month, day, hour, minute = (int(g) for g in groups[:5])
    if not is_day(year, month, day) or hour > 24 or minute > 59 or int(groups[5] or 0) > 60:
        return None
    second = int(groups[5]) if groups[5] else None
    clock = Clock(hour, minute, second, zone_minutes(groups[-1]), fixed=True)
    return match.end(), At(Date(year, month, day), clock)


def _integer(run: str) -> Lexed | None:
    if len(run) > 9:
        return None
    value = int(run)
    if (
        len(run) == 8
        and 1800 <= value // 10_000 <= 2200
        and is_day(value // 10_000, value // 100 % 100, value % 100)
    ):
        return "YMD8", Date(value // 10_000, value // 100 % 100, value % 100)
    if len(run) == 4:
        return ("YA" if 1700 <= value <= 2100 and value % 100 else "YB") if value >= 1000 else "I4", value
    return integer_symbol(value), value


def integer_symbol(value: int) -> str:
    """The symbol of a whole number by size: what it may be in a date."""
    for limit, name in (
        (0, "I0"),
        (12, "I12"),
        (24, "I24"),
        (31, "I31"),
        (59, "I59"),
        (99, "I99"),
        (999, "I999"),
    ):
        if value <= limit:
            return name
    return "IBIG"


def _ymd(run: str) -> Lexed | None:
    year, month, day = (int(p) for p in re.split(rf"[./]|{_DASH}", run))
    return ("YMD", Date(year, month, day)) if is_day(year, month, day) else None


def _dmy(run: str) -> Lexed | None:
    first, second, third = re.split(rf"[./]|{_DASH}", run)
    year = int(third) if len(third) == 4 else two_digit_year(int(third))
    a, b = int(first), int(second)
    if not (is_day(year, a, b) or is_day(year, b, a)):
        return None
    dotted = "." in run and len(third) == 4
    if "." in run and not dotted and len(first) + len(second) < 4:
        return None
    found = Numeric(a, b, year, short=len(third) == 2, day_first=dotted)
    return ("NUMDATE" if len(third) == 4 or "-" not in run else "NUMDASH"), found


def two_digit_year(value: int) -> int:
    """A two-digit year: 00 to 49 this century, the rest the last one."""
    return value + (2000 if value < 50 else 1900)


def _dm(run: str) -> Lexed | None:
    a, b = (int(p) for p in re.split(r"[./]", run))
    if not (is_day(2000, a, b) or is_day(2000, b, a)):
        return None
    return ("DMSLASH" if "/" in run else "DMDOT"), Numeric(a, b)


def _ym(run: str) -> Lexed | None:
    first, second = re.split(rf"[./]|{_DASH}", run)
    year, month = int(first), int(second)
    if len(second) == 2 and (month > 12 or year % 100 + 1 == month):
        return abbreviated_years(year, month)
    return ("YM", Date(year, month)) if 1 <= month <= 12 and 1000 <= year <= 2999 else None


def abbreviated_years(year: int, end: int) -> Lexed | None:
    """1957-58: the second year written with two digits."""
    last = year - year % 100 + end
    return ("YRANGE", (year, last)) if 0 < last - year < 60 and 1000 <= year <= 2100 else None


def _my(run: str) -> Lexed | None:
    first, year = (int(p) for p in re.split(rf"[./]|{_DASH}", run))
    if 1 <= first <= 12:
        return "MY", Date(year, first)
    return ("DY", Date(year, day=first)) if first <= 53 else None


def _years(run: str) -> Lexed | None:
    first, last = (int(p) for p in re.split(_DASH + "|/", run))
    return ("YRANGE", (first, last)) if 1000 <= first < last <= 2200 else None


def _clock(run: str) -> Lexed | None:
    parts = [int(p) for p in run.split(":")]
    if parts[0] > 24 or any(p > 59 for p in parts[1:]):
        return None
    return "CLOCK", Clock(
        parts[0], parts[1], parts[2] if len(parts) > 2 else None, fixed=parts[0] > 12 or run[0] == "0"
    )


def _clocks(run: str) -> Lexed | None:
    first, last = re.split(_DASH, run)
    start, end = (_clock(p if ":" in p else f"{p}:00") for p in (first, last))
    return ("CLOCKS", (start[1], end[1])) if start and end else None


def _military(run: str) -> Lexed | None:
    first, last = re.split(_DASH, run)
    start, end = _clock(f"{first[:2]}:{first[2:]}"), _clock(f"{last[:2]}:{last[2:]}")
    return ("CLOCKS", (start[1], end[1])) if start and end else None


def _day_range(run: str) -> Lexed | None:
    first, last = (int(p) for p in re.split(_DASH, run))
    return ("IRANGE", (first, last)) if 1 <= first < last <= 31 else None


def _grouped(run: str) -> Lexed | None:
    return "IBIG", int(run.replace(",", ""))


def _decimal(run: str) -> Lexed | None:
    return "DECIMAL", float(run)


_SHAPES: Final[tuple[tuple[re.Pattern[str], Callable[[str], Lexed | None]], ...]] = tuple(
    (re.compile(shape), read)
    for shape, read in (
        (r"\d+", _integer),
        (rf"\d{{4}}({_DASH}|[./])\d{{1,2}}\1\d{{1,2}}", _ymd),
        (rf"\d{{1,2}}({_DASH}|[./])\d{{1,2}}\1(?:\d{{4}}|\d\d)", _dmy),
        (r"\d{1,2}[./]\d{1,2}", _dm),
        (rf"\d{{4}}(?:{_DASH}|/)\d{{1,2}}", _ym),
        (rf"(?:\d{{1,2}}/|\d\d{_DASH})\d{{4}}", _my),
        (rf"\d{{4}}(?:{_DASH}|/)\d{{4}}", _years),
        (r"\d{1,2}:\d\d(?::\d\d)?", _clock),
        (rf"\d{{1,2}}(?::\d\d)?{_DASH}\d{{1,2}}:\d\d", _clocks),
        (rf"0\d{{3}}{_DASH}[012]\d{{3}}", _military),
        (rf"\d{{1,2}}{_DASH}\d{{1,2}}", _day_range),
        (r"\d{1,3}(?:,\d{3})+", _grouped),
        (r"\d{1,9}\.\d{1,6}", _decimal),
    )
)


def classify(run: str) -> Lexed | None:
    """The first shape that reads the run, or None."""
    if not run.isascii():
        run = "".join(str(int(c)) if c.isdecimal() else c for c in run)
    for shape, read in _SHAPES:
        if shape.fullmatch(run):
            lexed = read(run)
            if lexed:
                return lexed
    return None


def split_range(run: str) -> tuple[int, Lexed, Lexed] | None:
    """Two dates with a dash between them, "2/29-3/1/2019": (position of the dash, left, right)."""
    if len(run) > 40:
        return None
    for match in re.finditer(_DASH, run):
        left, right = classify(run[: match.start()]), classify(run[match.end() :])
        if left and right and {left[0], right[0]} & {"NUMDATE", "DMSLASH", "DMDOT", "YMD", "CLOCK", "MY"}:
            return match.start(), left, right
    return None
