"""Builders: what a rule's match becomes. Each is a small function named by a rule's ``make``.

A builder returns ``None`` when the match is no date after all (30 February); the rule then does not
apply and the next longest is tried.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from tidegraph.language.grounding.nodes import (
    At,
    Clock,
    ClockRange,
    Date,
    DayPart,
    Edge,
    EventAnchored,
    Lasting,
    Node,
    Nth,
    Numeric,
    Open,
    Part,
    Period,
    Range,
    Recurring,
    Relative,
    Same,
    Shift,
    Span,
    Token,
    Vague,
    Window,
    Within,
)
from tidegraph.language.grounding.numerals import is_day, two_digit_year

UNIT_ORDER: Final = (
    "millennium", "century", "decade", "year", "half_year", "quarter", "month", "fortnight", "week", "weekend",
    "business_day", "day", "night", "hour", "minute", "second",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Match:
    """A rule's match: its tokens, the named ones, the rule's own arguments."""

    tokens: Sequence[Token]
    named: Mapping[str, Sequence[Token]]
    arguments: Mapping[str, object]
    names: Mapping[str, str]
    """symbol character to symbol name"""

    def has(self, name: str) -> bool:
        return bool(self.named.get(name))

    def value(self, name: str) -> object:
        found = self.named.get(name)
        return found[-1].value if found else None

    def number(self, name: str) -> int | None:
        found = self.value(name)
        return int(found) if isinstance(found, int | float) else None

    def text(self, name: str) -> str:
        found = self.value(name)
        return found if isinstance(found, str) else ""

    def node(self, name: str) -> Node:
        return self.value(name)  # type: ignore[return-value]

    def symbol(self, name: str) -> str:
        found = self.named.get(name)
        return self.names[found[-1].symbol] if found else ""

    def argument(self, name: str) -> str:
        return str(self.arguments[name])

    def sign(self, name: str = "sign") -> int:
        value = self.arguments[name]
        return value if isinstance(value, int) else 0


Builder = Callable[[Match], "Node | None"]


def _year(match: Match) -> int | None:
    year = match.number("year")
    if year is not None and 0 <= year < 100 and match.symbol("year") not in ("YA", "YB"):
        return two_digit_year(year)
    return year


def date(m: Match) -> Node | None:
    year, month, day = _year(m), m.number("month"), m.number("day")
    if day is not None and month is not None and not is_day(2000 if year is None else year, month, day):
        return None
    if day is not None and not 1 <= day <= 31:
        return None
    written = m.number("year")
    short = m.symbol("year") == "YY" or (written is not None and written != year)
    return Date(year, month, day, m.number("wd"), short=short)


def node(m: Match) -> Node | None:
    return m.node("node")


def numeric(m: Match) -> Node | None:
    found = m.node("node")
    return replace(found, weekday=m.number("wd")) if isinstance(found, Numeric) else None


def numeric_slash(m: Match) -> Node | None:
    """3/4 alone may be a fraction: it needs a day above twelve, or company that dates keep."""
    found = m.node("node")
    if not isinstance(found, Numeric):
        return None
    return found if max(found.first, found.second) > 12 else replace(found, doubtful=True)


def numeric_dotted(m: Match) -> Node | None:
    found = m.node("node")
    if not isinstance(found, Numeric) or found.second > 12:
        return None
    return replace(found, doubtful=True, day_first=True)


def year_named(m: Match) -> Node | None:
    year = m.number("year")
    return Date(year) if year is not None and 1 <= year <= 3000 else None


def era(m: Match) -> Node | None:
    year = m.number("year")
    if year is None or not 1 <= year <= 9_999:
        return None
    return Date(1 - year if m.number("era") == -1 else year)


def fiscal(m: Match) -> Node | None:
    return Date(_year(m), fiscal=True)


def year_range(m: Match) -> Node | None:
    pair = m.value("node")
    if not isinstance(pair, tuple):
        return None
    first, last = pair
    return Range(Date(first), Date(last))


def day_range(m: Match) -> Node | None:
    year, month = _year(m), m.number("month")
    first, last = m.number("first"), m.number("last")
    if first is None or last is None or month is None or first > 31 or not is_day(2000, month, last):
        return None
    if first > last:
        return Range(Date(day=first), Date(year, month, last))
    return Range(Date(year, month, first), Date(year, month, last))


def season(m: Match) -> Node | None:
    return Period("season", m.text("season"), _year(m))


def quarter(m: Match) -> Node | None:
    n = m.number("n")
    return Period("quarter", n) if n is not None and 1 <= n <= 4 else None


def half(m: Match) -> Node | None:
    n = m.number("n")
    if n == -1:
        return Period("half_year", 2)
    return Period("half_year", n) if n in (1, 2) else None


def decade(m: Match) -> Node | None:
    return Period("decade", m.number("n") or 0)


def century_start(m: Match) -> Node | None:
    return Period("century", (m.number("n") or 0) // 100 + 1)


def century(m: Match) -> Node | None:
    n = m.number("n") or 0
    if not 1 <= n <= 40:
        return None
    return Period("century", -n if m.number("era") == -1 else n)


def holiday(m: Match) -> Node | None:
    return Period("holiday", m.text("name"), _year(m))


def day_word(m: Match) -> Node | None:
    n = m.number("n") or 0
    if n == 0:
        return Relative("day", 0, "document")
    return Shift(Span((("day", abs(n)),)), 1 if n > 0 else -1, "document")


def _unit(m: Match, name: str = "unit") -> str:
    return (
        "second" if m.symbol(name) == "SECOND" else m.text(name) or {"UNIT": "year"}.get(m.symbol(name), "")
    )


def relative(m: Match) -> Node | None:
    return Relative(_unit(m), m.sign("step"), m.argument("base"))


def relative_weekday(m: Match) -> Node | None:
    return Relative("weekday", m.sign("step"), m.argument("base"), m.number("wd") or 0)


def relative_month(m: Match) -> Node | None:
    return Relative("month_name", m.sign("step"), m.argument("base"), m.number("month") or 1)


def relative_season(m: Match) -> Node | None:
    return Relative("season", m.sign("step"), m.argument("base"), m.text("season"))


def relative_holiday(m: Match) -> Node | None:
    return Relative("holiday", m.number("way") or 0, "document", m.text("name"))


def relative_fiscal(m: Match) -> Node | None:
    return Relative(f"fiscal_{_unit(m)}", m.number("way") or 0, "document")


def same(m: Match) -> Node | None:
    return Same(_unit(m))


def to_date(m: Match) -> Node | None:
    return Part("to_date", Relative(m.text("unit"), 0, "document"))


def business_word(m: Match) -> Node | None:
    unit, mod = m.text("word").split("_")
    return Part(mod, Relative(unit, 0, "document"))


def _clock_value(hour: int, minute: int | None, second: int | None, ampm: str, fixed: bool) -> Clock | None:
    if ampm:
        if not 0 <= hour <= 24 or (hour > 12 and ampm == "a"):
            return None
        if hour <= 12:
            hour = hour % 12 + (12 if ampm == "p" else 0)
        fixed = True
    if hour > 24 or (minute or 0) > 59 or (hour == 24 and minute):
        return None
    return Clock(hour, minute, second, fixed=fixed or hour > 12 or hour == 0)


def clock(m: Match) -> Node | None:
    ampm, found = m.text("ampm"), m.value("clock")
    if isinstance(found, Clock):
        made = _clock_value(found.hour, found.minute, found.second, ampm, found.fixed)
    elif m.has("dotted"):
        dotted = m.value("dotted")
        made = (
            _clock_value(dotted.first, dotted.second, None, ampm, False)
            if isinstance(dotted, Numeric)
            else None
        )
    elif m.has("digits"):
        digits = m.number("digits") or 0
        made = _clock_value(digits // 100, digits % 100, None, ampm, True)
    else:
        made = _clock_value(m.number("hour") or 0, m.number("minute"), None, ampm, False)
    if made is not None and m.has("tz"):
        made = replace(made, offset=m.number("tz"))
    return made


def _dotted(found: object) -> tuple[int, int]:
    """18.30 as hour and minute."""
    if isinstance(found, Numeric):
        return found.first, found.second
    value = found if isinstance(found, float) else 0.0
    return int(value), round(value % 1 * 100)


def clock_pair(m: Match) -> Node | None:
    pair = m.value("node")
    if not isinstance(pair, tuple):
        return None
    first = _clock_value(pair[0].hour, pair[0].minute, None, "", pair[0].fixed)
    last = _clock_value(pair[1].hour, pair[1].minute, None, m.text("ampm"), pair[1].fixed)
    return _paired(first, last)


def _paired(first: Clock | None, last: Clock | None) -> Node | None:
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
    if not first.fixed and not last.fixed and last.hour < first.hour < 12:
        last = replace(last, hour=last.hour + 12, fixed=True)
    return ClockRange(first, last)


def clock_range(m: Match) -> Node | None:
    start, end = m.value("start"), m.value("end")
    if isinstance(start, int):
        start = _clock_value(start, None, None, "", False)
    return _paired(start, end) if isinstance(start, Clock) and isinstance(end, Clock) else None


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


def this_part(m: Match) -> Node | None:
    return _part_on(Relative("day", 0, "document"), m)


def that_part(m: Match) -> Node | None:
    return _part_on(Same("day"), m)


def tonight(m: Match) -> Node | None:
    return At(Relative("day", 0, "document"), DayPart("night"))


def last_night(m: Match) -> Node | None:
    return _part_on(Shift(Span((("day", 1),)), -1, "document"), m)


def _part_on(day: Node, m: Match) -> Node | None:
    part = day_part(m)
    return At(day, part) if part is not None else None


def span(m: Match) -> Node | None:
    """Counts and units in any order of tokens; a count without unit is refused."""
    count: float | None = None
    parts: list[tuple[str, float]] = []
    vague, mod = False, ""
    for token in m.tokens:
        name = m.names[token.symbol]
        if name == "MORETHAN":
            mod = str(token.value)
        elif name in ("UNIT", "UNITS", "DAYU", "QUARTERU", "NIGHTU", "WEEKENDU", "SECOND"):
            unit = "second" if name == "SECOND" else str(token.value)
            parts.append(("day" if unit == "night" else unit, 1 if count is None else count))
            count = None
        elif name == "HALFA":
            count = 0.5
        elif name == "HALF" and parts and count is None:
            parts[-1] = (parts[-1][0], parts[-1][1] + 0.5)
        elif name == "HALF":
            count = (count or 0) + 0.5
        elif name in ("SEVERAL", "FEW"):
            vague, count = True, 3
        elif isinstance(token.value, Numeric):
            count = float(f"{token.value.first}.{token.value.second}")
        elif name not in ("A", "AND", "COMMA", "DASH", "ABOUT") and isinstance(token.value, int | float):
            count = token.value if count in (None, 1) else count * token.value
        elif name == "A" and count is None:
            count = 1 if token is m.tokens[0] or not parts else None
    if not parts or any(n > 100_000 for _, n in parts):
        return None
    return Span(tuple(sorted(parts, key=lambda p: UNIT_ORDER.index(p[0]))), vague, mod)


def recurring(m: Match) -> Node | None:
    return Recurring("")


def vague(m: Match) -> Node | None:
    return Vague("")


def nth(m: Match) -> Node | None:
    n = m.number("n")
    inner = m.value("unit")
    of = _of(m)
    if n is None or of is None:
        return None
    if isinstance(inner, Date):
        return Nth(n, "weekday", of, inner.weekday or 0)
    if m.symbol("unit") in ("WDX", "WDL", "WEEKDAY"):
        return Nth(n, "weekday", of, m.number("unit") or 0)
    return Nth(n, _unit(m), of)


def _of(m: Match) -> Node | None:
    if m.symbol("of") in ("UNIT", "QUARTERU"):
        return Same(m.text("of"), "either")
    found = m.node("of")
    return (
        Same(found.unit, "either") if isinstance(found, Relative) and m.symbol("of") == "UNITREF" else found
    )


def nth_day(m: Match) -> Node | None:
    of = _of(m)
    return Nth(m.number("n") or 1, "day", of) if of is not None else None


def weekday_of(m: Match) -> Node | None:
    found, of = m.node("wd"), _of(m)
    if not isinstance(found, Date) or found.weekday is None or of is None:
        return None
    return Nth(1, "weekday", of, found.weekday)


def within(m: Match) -> Node | None:
    of, found = _of(m), m.node("date")
    if not isinstance(found, Date) or found.year is not None or of is None or _grain(of) != "year":
        return None
    return Within(found, of)


def within_period(m: Match) -> Node | None:
    of, found = _of(m), m.node("qh")
    if not isinstance(found, Period) or found.year is not None or of is None or _grain(of) != "year":
        return None
    return Within(found, of)


def _grain(found: Node) -> str:
    if isinstance(found, Relative | Same):
        return found.unit.removeprefix("fiscal_")
    return "year" if isinstance(found, Date) and found.month is None else ""


def part(m: Match) -> Node | None:
    of = _of(m)
    return Part(m.text("mod"), of) if of is not None else None


def part_of_unit(m: Match) -> Node | None:
    of = _of(m)
    return Part(m.text("mod"), of) if of is not None else None


def week_of(m: Match) -> Node | None:
    found = m.value("unit")
    unit = found.unit if isinstance(found, Relative) else m.text("unit")
    return Part(f"{unit}_of", m.node("of")) if unit in ("week", "weekend") else None


def week_number(m: Match) -> Node | None:
    year, n = m.node("year"), m.number("n") or 0
    if not any(t.value in ("week", 0) and m.names[t.symbol] in ("UNIT", "WEEKNUMBER") for t in m.tokens):
        return None
    return Period("week_number", n, year.year) if isinstance(year, Date) and 1 <= n <= 53 else None


def lasting_week(m: Match) -> Node | None:
    return Lasting(m.node("start"), Span((("week", 1),)))


def edge(m: Match) -> Node | None:
    found, of = m.node("span"), _of(m)
    if not isinstance(found, Span) or of is None:
        return None
    return Edge(found, -1 if m.symbol("way") == "LAST" else 1, of)


def edge_alone(m: Match) -> Node | None:
    found = m.node("span")
    if not isinstance(found, Span) or found.parts[-1][0] not in ("month", "quarter"):
        return None
    return Edge(found, 1, Same("year", "either"))


def month_range(m: Match) -> Node | None:
    return Range(Date(month=m.number("first")), Date(_year(m), m.number("last")))


def weekend(m: Match) -> Node | None:
    return Relative("weekend_near", 0, "document")


def now(m: Match) -> Node | None:
    return Relative("day", 0, "document")


def this_time(m: Match) -> Node | None:
    return Same("", "either")


def after_next(m: Match) -> Node | None:
    step = 2 if m.symbol("way") == "NEXT" else -2
    if m.has("wd"):
        return Nth(1, "weekday", Relative("week", step, "document"), m.number("wd") or 0)
    if m.has("month"):
        return Relative("month_name", step, "document", m.number("month") or 1)
    return Relative(_unit(m), step, "document")


def date_day_year(m: Match) -> Node | None:
    """Nov-07-2016: the digits behind the month are day and year."""
    pair, month = m.value("dayyear"), m.number("month")
    if not isinstance(pair, Date) or pair.year is None or month is None:
        return None
    day = pair.day or pair.month or 0
    return Date(pair.year, month, day) if is_day(pair.year, month, day) else None


def window_counted(m: Match) -> Node | None:
    found = Span(((_unit(m), m.number("n") or 1),))
    return Window(found, m.sign(), "document")


def window_within(m: Match) -> Node | None:
    found = m.node("span")
    return Window(found, 1, "future", "within") if isinstance(found, Span) else None


def date_part(m: Match) -> Node | None:
    found = day_part(m)
    return At(m.node("date"), found) if found is not None else None


def early_part(m: Match) -> Node | None:
    found = m.node("date")
    if not isinstance(found, At) or not isinstance(found.time, DayPart):
        return None
    return At(found.date, replace(found.time, mod=m.text("mod")))


def clock_past(m: Match) -> Node | None:
    """ "half past three", "twenty minutes to noon"."""
    minutes = {"QUARTERU": 15, "HALF": 30}.get(m.symbol("part")) or m.number("minutes") or 0
    noon = m.value("noon")
    if m.has("noon") and noon not in ("noon", "midnight"):
        return None
    hour = (m.number("hour") or 0) if not m.has("noon") else (12 if noon == "noon" else 0)
    made = _clock_value(hour, 0, None, m.text("ampm"), m.has("noon"))
    if made is None or minutes > 59:
        return None
    total = made.hour * 60 + (minutes if m.symbol("way") != "TO" else -minutes)
    return replace(made, hour=total // 60 % 24, minute=total % 60)


def clock_part(m: Match) -> Node | None:
    found, part_node = m.value("time"), m.value("part")
    if not isinstance(found, Clock):
        found = _clock_value(m.number("hour") or 0, None, None, "", False)
    if not isinstance(found, Clock) or not isinstance(part_node, DayPart) or found.fixed:
        return None
    return _clock_in(found, part_node.name)


def at(m: Match) -> Node | None:
    found, time = m.node("date"), m.node("time")
    if isinstance(found, At):
        if not isinstance(found.time, DayPart) or not isinstance(time, Clock | ClockRange):
            return None
        return At(found.date, _in_part(time, found.time.name))
    return At(found, time)


def _in_part(time: Clock | ClockRange, name: str) -> Clock | ClockRange:
    if isinstance(time, ClockRange):
        return ClockRange(_clock_in(time.start, name), _clock_in(time.end, name))
    return _clock_in(time, name)


def _clock_in(found: Clock, name: str) -> Clock:
    if (
        not found.fixed
        and found.hour < 12
        and (name in ("afternoon", "evening", "pm") or (name == "night" and found.hour > 4))
    ):
        return replace(found, hour=found.hour + 12, fixed=True)
    return replace(found, fixed=True)


def at_hour(m: Match) -> Node | None:
    made = _clock_value(m.number("hour") or 0, None, None, "", False)
    found = m.node("date")
    if made is None or not isinstance(found, At) or not isinstance(found.time, DayPart):
        return None
    return At(found.date, _clock_in(made, found.time.name))


def shift(m: Match) -> Node | None:
    found = m.node("span")
    return Shift(found, m.sign(), m.argument("base")) if isinstance(found, Span) else None


def shift_in(m: Match) -> Node | None:
    found = m.node("span")
    return Shift(found, 1, "future") if isinstance(found, Span) else None


def shift_from(m: Match) -> Node | None:
    found = m.node("span")
    if m.has("day"):
        found = Span((("day", 1),))
    if m.has("unit"):
        inner = m.node("unit")
        found = Span(((inner.unit, 1),)) if isinstance(inner, Relative) else found
    return Shift(found, m.sign(), m.node("of"), keep=True) if isinstance(found, Span) else None


def event(m: Match) -> Node | None:
    found = m.node("span")
    return EventAnchored(found if isinstance(found, Span) else None, 1)


def window(m: Match) -> Node | None:
    found = m.node("span")
    mod = "within" if m.has("within") else ""
    return Window(found, m.sign(), "document", mod) if isinstance(found, Span) else None


def nth_last(m: Match) -> Node | None:
    """ "last Friday of October": not the Friday before the document, but October's last one."""
    found, of = m.node("last"), _of(m)
    if isinstance(found, Window) and found.sign < 0 and of is not None and found.span.parts[0][1] == 1:
        return Nth(-1, found.span.parts[0][0], of)
    if not isinstance(found, Relative) or found.step != -1 or of is None or found.unit in ("year", "decade", "century"):
        return None
    index = found.index if isinstance(found.index, int) else 0
    return Nth(-1, found.unit, of, index)


def nth_days(m: Match) -> Node | None:
    first, last, of = m.number("first"), m.number("last"), _of(m)
    if first is None or last is None or of is None or _grain(of) != "month" or not 1 <= first < last <= 31:
        return None
    return Range(Nth(first, "day", of), Nth(last, "day", of))


def weekday_part(m: Match) -> Node | None:
    day, found = weekday_of(m), m.node("part")
    return At(day, found) if day is not None else None


def unit_alone(m: Match) -> Node | None:
    found = m.node("node")
    return Same(found.unit, "either") if isinstance(found, Relative) and found.unit != "century" else None


def weekday_count(m: Match) -> Node | None:
    way = m.number("way") or 1
    return Relative("weekday_count", way * (m.number("n") or 1), "document", m.number("wd") or 0)


def hyphened_earlier(m: Match) -> Node | None:
    return Shift(Span(((_unit(m), 1),)), -1, "either")


def at_plain(m: Match) -> Node | None:
    if m.has("digits") or m.has("year"):
        found = m.value("year")
        digits = (found.year or 0) if isinstance(found, Date) else m.number("digits") or 0
        made = _clock_value(digits // 100, digits % 100, None, "", True)
    elif m.has("dotted"):
        hour, minute = _dotted(m.value("dotted"))
        made = _clock_value(hour, minute, None, "", True)
    else:
        made = _clock_value(m.number("hour") or 0, None, None, "", False)
    return At(m.node("date"), made) if made is not None else None


def at_hours(m: Match) -> Node | None:
    start = _clock_value(m.number("start") or 0, None, None, "", False)
    end = _clock_value(m.number("end") or 0, None, None, "", False)
    found = m.node("date")
    if start is None or end is None:
        return None
    if isinstance(found, At):
        if not isinstance(found.time, DayPart):
            return None
        return At(found.date, _in_part(ClockRange(start, end), found.time.name))
    return At(found, ClockRange(start, end))


def at_month_day(m: Match) -> Node | None:
    return At(Date(day=m.number("day")), m.node("time"))


def lasting_at(m: Match) -> Node | None:
    found = m.node("span")
    return Lasting(At(m.node("date"), m.node("time")), found) if isinstance(found, Span) else None


def day_after_alone(m: Match) -> Node | None:
    return Shift(Span((("day", 1),)), -1 if m.symbol("way") == "BEFORE" else 1, "either")


def window_unit(m: Match) -> Node | None:
    return Window(Span(((_unit(m), 1),)), m.sign(), "document")


def ended(m: Match) -> Node | None:
    found = m.value("span")
    first = m.tokens[0].value if m.names[m.tokens[0].symbol] == "UNITREF" else None
    if isinstance(first, Relative):
        found = Span(((first.unit, 1),))
    elif m.has("unit"):
        found = Span(((_unit(m), 1),))
    elif m.has("qh"):
        period = m.node("qh")
        found = Span(((period.unit, 1),)) if isinstance(period, Period) else None
    return Window(found, -1, m.node("date"), mod="ended") if isinstance(found, Span) else None


def range_(m: Match) -> Node | None:
    return Range(m.node("start"), m.node("end"))


def open_(m: Match) -> Node | None:
    of = m.node("of")
    if isinstance(of, Numeric) and of.doubtful and m.tokens[-1].value is not of:
        return None
    return Open(m.argument("op"), of)


def open_comparison(m: Match) -> Node | None:
    equal = any(m.names[t.symbol] == "EQ" for t in m.tokens)
    more = m.symbol("op") == "MORE"
    return Open(("since" if equal else "after") if more else ("until" if equal else "before"), m.node("of"))


def lasting(m: Match) -> Node | None:
    found = m.node("span")
    return Lasting(m.node("start"), found) if isinstance(found, Span) else None


BUILDERS: Final[Mapping[str, Builder]] = {
    f.__name__.rstrip("_"): f
    for f in (
        date, node, numeric, numeric_slash, numeric_dotted, year_named, era, fiscal, year_range, day_range, season,
        quarter, half, decade, century_start, century, holiday, day_word, relative, relative_weekday, relative_month,
        relative_season, relative_holiday, relative_fiscal, same, to_date, business_word, clock, clock_pair,
        clock_range, day_part, this_part, that_part, tonight, last_night, span, recurring, vague, nth, nth_day,
        weekday_of, within, within_period, part, part_of_unit, week_of, at, at_hour, shift, shift_in, shift_from,
        event, window, window_unit, ended, range_, open_, open_comparison, lasting,
        nth_last, nth_days, weekday_part, unit_alone, weekday_count, hyphened_earlier, at_plain, at_hours, at_month_day,
        lasting_at, day_after_alone, week_number, lasting_week, edge, edge_alone, month_range, now, this_time, after_next,
        window_counted, window_within, date_part, early_part, clock_past, clock_part, date_day_year, weekend,
        nth_last, nth_days, weekday_part, unit_alone, weekday_count, hyphened_earlier, at_plain, at_hours, at_month_day,
        lasting_at, day_after_alone, week_number, lasting_week, edge, edge_alone, month_range, now, this_time, after_next,
        window_counted, window_within, date_part, early_part, clock_past, clock_part, date_day_year, weekend,
    )
}  # fmt: skip
