"""Times at the border: dates as text, and our instants to and from Protobuf."""

from __future__ import annotations

import re
from typing import Final

from google.protobuf.timestamp_pb2 import Timestamp
from google.type.interval_pb2 import Interval as ApiInterval  # type: ignore[import-untyped]

from tidegraph.api.v1 import types_pb2
from tidegraph.domain.errors import Rejected
from tidegraph.domain.interval import (
    MICROS_PER_SECOND,
    OPEN_END,
    OPEN_START,
    Granularity,
    Interval,
    format_by_granularity,
    instant,
)

OPEN: Final = ".."
STAMP_MIN: Final = instant(1)
STAMP_MAX: Final = instant(10_000) - 1
_MONTHS_IN: Final = {"Q": 3, "H": 6}
_DATE: Final = re.compile(
    r"(?P<year>[+-]?\d{1,6})"
    r"(?:-(?P<part>[QH])(?P<index>[1-4])|-(?P<month>\d{2})(?:-(?P<day>\d{2})(?:[T ](?P<time>.+))?)?)?",
    re.IGNORECASE,
)
_TIME: Final = re.compile(
    r"(?P<hour>\d{2})(?::(?P<minute>\d{2})(?::(?P<second>\d{2})(?:\.(?P<fraction>\d{1,6}))?)?)?"
    r"(?P<zone>Z|[+-]\d{2}:?\d{2})?",
    re.IGNORECASE,
)


def read_date(text: str, field: str) -> Interval:
    """The interval of a date as text: ``2024``, ``2024-Q1``, ``2024-03``, ``2024-03-05``, a time; any year.

    A time without a zone is UTC. Astronomical years: 0 is 1 BCE.

    Raises:
        Rejected: INVALID_DATE, naming the field.
    """
    match = _DATE.fullmatch(text.strip())
    try:
        if match:
            return _interval(match)
    except ValueError:
        pass
    shown = text[:40]
    message = f"{shown!r} is no date; write 2024, 2024-Q1, 2024-03, 2024-03-05 or 2024-03-05T10:00:00Z"
    raise Rejected("INVALID_DATE", message, field=field, value=shown)


def _interval(match: re.Match[str]) -> Interval:
    year = int(match["year"])
    if match["part"]:
        part = match["part"].upper()
        length, index = _MONTHS_IN[part], int(match["index"])
        if length * index > 12:
            raise ValueError(index)
        granularity = Granularity.QUARTER if part == "Q" else Granularity.HALF_YEAR
        return _months(year, length * (index - 1) + 1, length, granularity)
    if not match["month"]:
        return _months(year, 1, 12, Granularity.YEAR)
    month = int(match["month"])
    if not 1 <= month <= 12:
        raise ValueError(month)
    if not match["day"]:
        return _months(year, month, 1, Granularity.MONTH)
    day = int(match["day"])
    start = instant(year, month, day)
    if day < 1 or start >= _months(year, month, 1, Granularity.MONTH).end:
        raise ValueError(day)
    if not match["time"]:
        return Interval(start, instant(year, month, day + 1), Granularity.DAY)
    return _clock(start, match["time"])


def _months(year: int, month: int, count: int, granularity: Granularity) -> Interval:
    after = month - 1 + count
    return Interval(instant(year, month), instant(year + after // 12, after % 12 + 1), granularity)


def _clock(day: int, text: str) -> Interval:
    match = _TIME.fullmatch(text.strip())
    if not match:
        raise ValueError(text)
    hour, minute, second = (int(match[name] or 0) for name in ("hour", "minute", "second"))
    if hour > 23 or minute > 59 or second > 59:
        raise ValueError(text)
    micros = int((match["fraction"] or "0").ljust(6, "0"))
    start = day + (hour * 3_600 + minute * 60 + second) * MICROS_PER_SECOND + micros
    start -= _offset(match["zone"] or "Z")
    if match["fraction"]:
        return Interval(start, start + 1, Granularity.MICROSECOND)
    if match["second"]:
        return Interval(start, start + MICROS_PER_SECOND, Granularity.SECOND)
    if match["minute"]:
        return Interval(start, start + 60 * MICROS_PER_SECOND, Granularity.MINUTE)
    return Interval(start, start + 3_600 * MICROS_PER_SECOND, Granularity.HOUR)


def _offset(zone: str) -> int:
    if zone.upper() == "Z":
        return 0
    minutes = int(zone[1:3]) * 60 + int(zone[-2:])
    return (-minutes if zone[0] == "-" else minutes) * 60 * MICROS_PER_SECOND


def from_stamp(stamp: Timestamp, field: str) -> int:
    """Microseconds of a Timestamp; finer than that is cut.

    Raises:
        Rejected: INVALID_TIMESTAMP.
    """
    value = stamp.seconds * MICROS_PER_SECOND + stamp.nanos // 1_000
    if not STAMP_MIN <= value <= STAMP_MAX or not 0 <= stamp.nanos < 1_000_000_000:
        raise Rejected("INVALID_TIMESTAMP", f"{field} must lie in the years 1 to 9999", field=field)
    return value


def to_stamp(value: int) -> Timestamp | None:
    """A Timestamp, or None for an open side and for what it cannot hold."""
    if not STAMP_MIN <= value <= STAMP_MAX:
        return None
    seconds, micros = divmod(value, MICROS_PER_SECOND)
    return Timestamp(seconds=seconds, nanos=micros * 1_000)


def from_interval(interval: ApiInterval, field: str) -> Interval:
    """Half-open; a side that is not set is open.

    Raises:
        Rejected: INVALID_TIMESTAMP, or INVALID_INTERVAL when nothing lies in it.
    """
    start = from_stamp(interval.start_time, field) if interval.HasField("start_time") else OPEN_START
    end = from_stamp(interval.end_time, field) if interval.HasField("end_time") else OPEN_END
    if start >= end:
        raise Rejected("INVALID_INTERVAL", f"{field} ends at or before its start", field=field)
    return Interval(start, end)


def to_period(
    start: int, end: int, start_granularity: Granularity, end_granularity: Granularity
) -> types_pb2.Period:
    """A period with its texts, no finer than the times were given."""
    return types_pb2.Period(
        interval=ApiInterval(start_time=to_stamp(start), end_time=to_stamp(end)),
        start_granularity=_granularity(start_granularity),
        end_granularity=_granularity(end_granularity),
        start_text=format_by_granularity(start, start_granularity),
        end_text=format_by_granularity(end, end_granularity),
    )


def from_period(period: types_pb2.Period, field: str) -> Interval:
    """What ``to_period`` made a period of; by its texts where a Timestamp cannot hold it.

    Raises:
        Rejected: INVALID_TIMESTAMP, INVALID_DATE or INVALID_INTERVAL.
    """
    if period.start_granularity not in types_pb2.Granularity.values():
        raise Rejected("INVALID_INTERVAL", f"{field} has no such granularity", field=field)
    interval = period.interval
    start, end = (
        from_stamp(getattr(interval, side), field)
        if interval.HasField(side)
        else open_side
        if text in ("", OPEN)
        else read_date(text, field).start
        for side, text, open_side in (
            ("start_time", period.start_text, OPEN_START),
            ("end_time", period.end_text, OPEN_END),
        )
    )
    if start >= end:
        raise Rejected("INVALID_INTERVAL", f"{field} ends at or before its start", field=field)
    return Interval(start, end, Granularity(period.start_granularity))


def _granularity(value: Granularity) -> types_pb2.Granularity.ValueType:
    return types_pb2.Granularity.ValueType(int(value))
