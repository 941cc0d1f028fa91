"""Builders of times of day, alone and on dates."""

from __future__ import annotations

from dataclasses import replace

from tidegraph.language.grounding.build_dates import weekday_of
from tidegraph.language.grounding.build_relative import UNIT_ORDER, day_from_word
from tidegraph.language.grounding.match import Match, builder
from tidegraph.language.grounding.nodes import (
    At,
    Clock,
    ClockRange,
    Date,
    DayPart,
    Lasting,
    Node,
    Numeric,
    Relative,
    Same,
    Shift,
    Span,
)

UNMARKED_MORNING = 7
"""An hour below seven without am or pm is read as the afternoon."""


def clock_value(hour: int, minute: int | None, second: int | None, ampm: str, fixed: bool) -> Clock | None:
    if ampm:
        if not 0 <= hour <= 24 or (hour > 12 and ampm == "a"):
            return None
        if hour <= 12:
            hour = hour % 12 + (12 if ampm == "p" else 0)
        fixed = True
    if hour > 24 or (minute or 0) > 59 or (hour == 24 and minute):
        return None
    return Clock(hour, minute, second, fixed=fixed or hour > 12 or hour == 0)


@builder
def clock(m: Match) -> Node | None:
    ampm, found = m.text("ampm"), m.value("clock")
    if isinstance(found, Clock):
        made = clock_value(found.hour, found.minute, found.second, ampm, found.fixed)
    elif m.has("dotted"):
        hour, minute = dotted_time(m.value("dotted"))
        made = clock_value(hour, minute, None, ampm, False)
    elif m.has("digits"):
        digits = m.number("digits") or 0
        made = clock_value(digits // 100, digits % 100, None, ampm, True)
    else:
        made = clock_value(m.number("hour") or 0, m.number("minute"), None, ampm, False)
    if made is not None and m.has("tz"):
        made = replace(made, offset=m.number("tz"))
    return made


def dotted_time(found: object) -> tuple[int, int]:
    """18.30 as hour and minute."""
    if isinstance(found, Numeric):
        return found.first, found.second
    value = found if isinstance(found, float) else 0.0
    return int(value), round(value % 1 * 100)


@builder
def clock_pair(m: Match) -> Node | None:
    pair = m.value("node")
    if not isinstance(pair, tuple):
        return None
    first = clock_value(pair[0].hour, pair[0].minute, None, "", pair[0].fixed)
    last = clock_value(pair[1].hour, pair[1].minute, None, m.text("ampm"), pair[1].fixed)
    return paired(first, last)


def paired(first: Clock | None, last: Clock | None) -> Node | None:
    """The left time takes morning or afternoon from the right one."""
    if first is None or last is None:
        return None
    if (
        last.fixed
        and not first.fixed
        and last.hour >= 12
        and first.hour < 12
        and first.hour + 12 <= last.hour
    ):
        first = replace(first, hour=first.hour + 12, fixed=True)
    if first.fixed or last.fixed:
        return ClockRange(first, last)
    if 0 < first.hour < UNMARKED_MORNING and first.hour < last.hour < 12:
        first, last = (replace(c, hour=c.hour + 12, fixed=True) for c in (first, last))
    elif last.hour < first.hour <= 12:
        last = replace(last, hour=last.hour + 12, fixed=True)
    return ClockRange(first, last)


@builder
def clock_range(m: Match) -> Node | None:
    start, end = m.value("start"), m.value("end")
    if isinstance(start, int):
        start = clock_value(start, None, None, "", False)
    if isinstance(end, int):
        end = clock_value(end, None, None, "", False)
    return paired(start, end) if isinstance(start, Clock) and isinstance(end, Clock) else None


@builder
def day_part(m: Match) -> Node | None:
    made = m.value("part")
    if isinstance(made, DayPart):
        return replace(made, mod=m.text("mod") or made.mod)
    if isinstance(made, Clock):
        return made
    part, mod = m.text("part"), m.text("mod")
    name = {"a": "am", "p": "pm"}.get(part, part)
    if name in ("noon", "midnight"):
        return Clock(12 if name == "noon" else 0, 0, fixed=True, part=name)
    return DayPart(name, mod)


@builder
def morning(m: Match) -> Node | None:
    return DayPart("morning")


@builder
def weekday_day_part(m: Match) -> Node | None:
    made = day_part(m)
    return At(Date(weekday=m.number("wd")), made) if made is not None else None


@builder
def day_word_part(m: Match) -> Node | None:
    """ "gestern Abend": a word for a day with a part of it."""
    made = DayPart("morning") if m.symbol("part") == "MORGENC" else day_part(m)
    return At(day_from_word(m.number("date") or 0), made) if made is not None else None


@builder
def clock_fixed(m: Match) -> Node | None:
    """A clock of 24 hours: "um 9 Uhr" is the morning."""
    made = clock_value(m.number("hour") or 0, m.number("minute"), None, "", True)
    return replace(made, offset=m.number("tz")) if made is not None and m.has("tz") else made


@builder
def clock_half_before(m: Match) -> Node | None:
    """ "halb neun" is half an hour before nine."""
    hour = m.number("hour") or 0
    return Clock((hour - 1) % 12 or 12, 30) if 1 <= hour <= 12 else None


@builder
def this_part(m: Match) -> Node | None:
    return part_on(Relative("day", 0, "document"), m)


@builder
def that_part(m: Match) -> Node | None:
    return part_on(Same("day"), m)


@builder
def tonight(m: Match) -> Node | None:
    return At(Relative("day", 0, "document"), DayPart("night"))


@builder
def last_night(m: Match) -> Node | None:
    return part_on(Shift(Span((("day", 1),)), -1, "document"), m)


def part_on(day: Node, m: Match) -> Node | None:
    part = day_part(m)
    return At(day, part) if part is not None else None


@builder
def date_part(m: Match) -> Node | None:
    found = day_part(m)
    return At(m.node("date"), found) if found is not None else None


@builder
def early_part(m: Match) -> Node | None:
    found = m.node("date")
    if not isinstance(found, At) or not isinstance(found.time, DayPart):
        return None
    return At(found.date, replace(found.time, mod=m.text("mod")))


@builder
def clock_digits(m: Match) -> Node | None:
    """ "at 1830": four digits that are a time on the five minutes; years do not stand behind "at"."""
    digits = m.number("digits") or 0
    return clock_value(digits // 100, digits % 100, None, "", True) if digits % 5 == 0 else None


@builder
def clock_past(m: Match) -> Node | None:
    """ "half past three", "twenty minutes to noon"."""
    if m.has("minutes") and any(t.value in UNIT_ORDER and t.value != "minute" for t in m.tokens):
        return None
    minutes = {"QUARTERU": 15, "HALF": 30}.get(m.symbol("part")) or m.number("minutes") or 0
    noon = m.value("noon")
    if m.has("noon") and noon not in ("noon", "midnight"):
        return None
    hour = (m.number("hour") or 0) if not m.has("noon") else (12 if noon == "noon" else 0)
    made = clock_value(hour, 0, None, m.text("ampm"), m.has("noon"))
    if made is None or minutes > 59:
        return None
    total = made.hour * 60 + (minutes if m.symbol("way") != "TO" else -minutes)
    return replace(made, hour=total // 60 % 24, minute=total % 60)


@builder
def clock_part(m: Match) -> Node | None:
    found, part_node = m.value("time"), m.value("part")
    if not isinstance(found, Clock):
        found = clock_value(m.number("hour") or 0, None, None, "", False)
    if not isinstance(found, Clock) or not isinstance(part_node, DayPart) or found.fixed:
        return None
    return clock_in(found, part_node.name)


@builder
def at(m: Match) -> Node | None:
    found, time = m.node("date"), m.node("time")
    if isinstance(found, At):
        if not isinstance(found.time, DayPart) or not isinstance(time, Clock | ClockRange):
            return None
        return At(found.date, in_part(time, found.time.name))
    return At(found, time)


def in_part(time: Clock | ClockRange, name: str) -> Clock | ClockRange:
    if isinstance(time, ClockRange):
        return ClockRange(clock_in(time.start, name), clock_in(time.end, name))
    return clock_in(time, name)


def clock_in(found: Clock, name: str) -> Clock:
    if (
        not found.fixed
        and found.hour < 12
        and (name in ("afternoon", "evening", "pm") or (name == "night" and found.hour > 4))
    ):
        return replace(found, hour=found.hour + 12, fixed=True)
    return replace(found, fixed=True)


@builder
def at_hour(m: Match) -> Node | None:
    made = clock_value(m.number("hour") or 0, None, None, "", False)
    found = m.node("date")
    if made is None or not isinstance(found, At) or not isinstance(found.time, DayPart):
        return None
    return At(found.date, clock_in(made, found.time.name))


@builder
def at_plain(m: Match) -> Node | None:
    if m.has("digits") or m.has("year"):
        found = m.value("year")
        digits = (found.year or 0) if isinstance(found, Date) else m.number("digits") or 0
        made = clock_value(digits // 100, digits % 100, None, "", True)
    elif m.has("dotted"):
        hour, minute = dotted_time(m.value("dotted"))
        made = clock_value(hour, minute, None, "", True)
    else:
        made = clock_value(m.number("hour") or 0, None, None, "", False)
    return At(m.node("date"), made) if made is not None else None


@builder
def at_hours(m: Match) -> Node | None:
    start = clock_value(m.number("start") or 0, None, None, "", False)
    end = clock_value(m.number("end") or 0, None, None, "", False)
    found = m.node("date")
    if start is None or end is None:
        return None
    if isinstance(found, At):
        if not isinstance(found.time, DayPart):
            return None
        return At(found.date, in_part(ClockRange(start, end), found.time.name))
    return At(found, ClockRange(start, end))


@builder
def at_month_day(m: Match) -> Node | None:
    return At(Date(day=m.number("day")), m.node("time"))


@builder
def weekday_part(m: Match) -> Node | None:
    day, found = weekday_of(m), m.node("part")
    return At(day, found) if day is not None else None


@builder
def lasting_at(m: Match) -> Node | None:
    found = m.node("span")
    return Lasting(At(m.node("date"), m.node("time")), found) if isinstance(found, Span) else None
