"""Times of day on a resolved day."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Final
from zoneinfo import ZoneInfo

from tidegraph.domain.interval import MICROS_PER_DAY, Granularity, civil_from_days
from tidegraph.language.grounding import calendar as cal
from tidegraph.language.grounding.nodes import Clock, ClockRange, DayPart, Node
from tidegraph.language.grounding.values import Value
from tidegraph.settings import GroundingSettings

_PARTS: Final = {
    "am": (8, 12), "morning": (8, 12), "pm": (12, 16), "afternoon": (12, 16), "evening": (16, 20),
    "night": (20, 24), "noon": (12, 13), "midnight": (0, 1),
}  # fmt: skip
_EARLIEST_UNMARKED: Final = 7
"""An hour below seven without am or pm is read as the afternoon."""


def at_value(date: Value, time: Node, settings: GroundingSettings) -> Value | None:
    """A time of day, a range of times or a part of the day, on the day of ``date``."""
    if isinstance(time, Clock):
        return _clock(date, time, settings)
    if isinstance(time, ClockRange):
        start, end = _clock(date, time.start, settings), _clock(date, time.end, settings)
        if start is None or end is None:
            return None
        last = end.start if end.start > start.start else end.start + MICROS_PER_DAY
        return replace(start, end=last, granularity=Granularity.RANGE)
    if isinstance(time, DayPart):
        return _part(date, time, settings)
    return None


def _clock(date: Value, time: Clock, settings: GroundingSettings) -> Value | None:
    hour = time.hour
    if not time.fixed and 0 < hour < _EARLIEST_UNMARKED:
        hour += 12
    start = (
        date.first_day * MICROS_PER_DAY
        + hour * cal.MICROS_PER_HOUR
        + (time.minute or 0) * cal.MICROS_PER_MINUTE
    )
    start += (time.second or 0) * cal.MICROS_PER_SECOND
    offset = time.offset if time.offset is not None else zone_offset(start, settings.timezone)
    start -= offset * cal.MICROS_PER_MINUTE
    if not cal.in_range(start // MICROS_PER_DAY):
        return None
    if time.second is not None:
        size, granularity = cal.MICROS_PER_SECOND, Granularity.SECOND
    elif time.minute is not None:
        size, granularity = cal.MICROS_PER_MINUTE, Granularity.MINUTE
    else:
        size, granularity = cal.MICROS_PER_HOUR, Granularity.HOUR
    return replace(date, start=start, end=start + size, granularity=granularity, alternatives=())


def _part(date: Value, time: DayPart, settings: GroundingSettings) -> Value | None:
    low, high = _PARTS.get(time.name, (0, 24))
    middle = (low + high) // 2
    if time.mod == "early":
        high = middle
    elif time.mod == "late":
        low = middle
    base = date.first_day * MICROS_PER_DAY
    offset = zone_offset(base, settings.timezone) * cal.MICROS_PER_MINUTE
    start, end = (base + h * cal.MICROS_PER_HOUR - offset for h in (low, high))
    return replace(date, start=start, end=end, granularity=Granularity.HOUR, fuzzy=True, alternatives=())


def zone_offset(wall: int, zone: str) -> int:
    """Minutes east of UTC of a wall-clock instant in a zone of the tz database; 0 for UTC."""
    if zone in ("UTC", ""):
        return 0
    year, month, day = civil_from_days(wall // MICROS_PER_DAY)
    if not 1 <= year <= 9999:
        return 0
    minutes = wall % MICROS_PER_DAY // cal.MICROS_PER_MINUTE
    local = datetime(year, month, day, minutes // 60, minutes % 60, tzinfo=ZoneInfo(zone))
    offset = local.utcoffset()
    return 0 if offset is None else int(offset.total_seconds() // 60)
