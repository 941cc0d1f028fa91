"""Builders of dates, periods of the calendar and their parts."""

from __future__ import annotations

from dataclasses import replace

from tidegraph.language.grounding.match import Match, builder, grain_of, of_node, unit_of, year_of
from tidegraph.language.grounding.nodes import (
    Date,
    Edge,
    Node,
    Nth,
    Numeric,
    Part,
    Period,
    Range,
    Relative,
    Same,
    Span,
    Window,
    Within,
)
from tidegraph.language.grounding.numerals import is_day


@builder
def date(m: Match) -> Node | None:
    year, month, day = year_of(m), m.number("month"), m.number("day")
    if day is not None and month is not None and not is_day(2000 if year is None else year, month, day):
        return None
    if day is not None and not 1 <= day <= 31:
        return None
    written = m.number("year")
    short = m.symbol("year") == "YY" or (written is not None and written != year)
    return Date(year, month, day, m.number("wd"), short=short)


@builder
def node(m: Match) -> Node | None:
    return m.node("node")


@builder
def numeric(m: Match) -> Node | None:
    found = m.node("node")
    return replace(found, weekday=m.number("wd")) if isinstance(found, Numeric) else None


@builder
def numeric_slash(m: Match) -> Node | None:
    """3/4 alone may be a fraction: it needs a day above twelve, or company that dates keep."""
    found = m.node("node")
    if not isinstance(found, Numeric):
        return None
    return found if max(found.first, found.second) > 12 else replace(found, doubtful=True)


@builder
def numeric_dotted(m: Match) -> Node | None:
    found = m.node("node")
    if not isinstance(found, Numeric) or found.second > 12:
        return None
    return replace(found, doubtful=True, day_first=True)


@builder
def year_named(m: Match) -> Node | None:
    year = m.number("year")
    return Date(year) if year is not None and 1 <= year <= 3000 else None


@builder
def era(m: Match) -> Node | None:
    year = m.number("year")
    if year is None or not 1 <= year <= 9_999:
        return None
    return Date(1 - year if m.number("era") == -1 else year)


@builder
def era_range(m: Match) -> Node | None:
    first, last = m.number("first"), m.number("last")
    if first is None or last is None or not (1 <= first <= 9_999 and 1 <= last <= 9_999):
        return None
    if m.number("era") == -1:
        first, last = 1 - first, 1 - last
    return Range(Date(first), Date(last)) if first < last else None


@builder
def fiscal(m: Match) -> Node | None:
    return Date(year_of(m), fiscal=True)


@builder
def bare_years(m: Match) -> Node | None:
    """ "1346 to 1347": two years a lifetime apart at most; with "and" only behind "between"."""
    first, last = m.number("first") or 0, m.number("last") or 0
    names = [m.names[t.symbol] for t in m.tokens]
    if ("AND" in names) != ("BETWEEN" in names) or not 0 < last - first <= 150:
        return None
    return Range(Date(first), Date(last))


@builder
def year_range(m: Match) -> Node | None:
    pair = m.value("node")
    if not isinstance(pair, tuple):
        return None
    first, last = pair
    return Range(Date(first), Date(last))


@builder
def day_range(m: Match) -> Node | None:
    year, month = year_of(m), m.number("month")
    first, last = m.number("first"), m.number("last")
    if first is None or last is None or month is None or first > 31 or not is_day(2000, month, last):
        return None
    if first > last:
        return Range(Date(day=first), Date(year, month, last))
    return Range(Date(year, month, first), Date(year, month, last))


@builder
def month_range(m: Match) -> Node | None:
    return Range(Date(month=m.number("first")), Date(year_of(m), m.number("last")))


@builder
def date_day_year(m: Match) -> Node | None:
    """Nov-07-2016: the digits behind the month are day and year."""
    pair, month = m.value("dayyear"), m.number("month")
    if not isinstance(pair, Date) or pair.year is None or month is None:
        return None
    day = pair.day or pair.month or 0
    return Date(pair.year, month, day) if is_day(pair.year, month, day) else None


@builder
def season(m: Match) -> Node | None:
    years = m.value("year")
    year = years[0] if isinstance(years, tuple) else year_of(m)
    return Period("season", m.text("season"), year)


@builder
def season_of_year(m: Match) -> Node | None:
    """ "the spring of next year"."""
    if unit_of(m) != "year":
        return None
    step = m.number("way") or 0
    deictic = m.symbol("way") in ("THIS", "NEXT", "LAST")
    same = m.symbol("way") in ("THAT", "SAMEW")
    of = Same("year") if same else Relative("year", step, "document" if deictic else "either")
    return Within(Period("season", m.text("season")), of)


@builder
def quarter(m: Match) -> Node | None:
    n = m.number("n")
    return Period("quarter", n) if n is not None and 1 <= n <= 4 else None


@builder
def half(m: Match) -> Node | None:
    n = m.number("n")
    if n == -1:
        return Period("half_year", 2)
    return Period("half_year", n) if n in (1, 2) else None


@builder
def decade(m: Match) -> Node | None:
    return Period("decade", m.number("n") or 0)


@builder
def century_start(m: Match) -> Node | None:
    return Period("century", (m.number("n") or 0) // 100 + 1)


@builder
def century(m: Match) -> Node | None:
    n = m.number("n") or 0
    if not 1 <= n <= 40:
        return None
    return Period("century", -n if m.number("era") == -1 else n)


@builder
def century_range(m: Match) -> Node | None:
    first, last = m.number("first") or 0, m.number("last") or 0
    named = any(t.value == "century" for t in m.tokens)
    if not named or not 1 <= first < last <= 40:
        return None
    return Range(Period("century", first), Period("century", last))


@builder
def half_of(m: Match) -> Node | None:
    """Half of a month, decade or century; halves of years are periods of their own."""
    found, of = m.node("qh"), of_node(m)
    if not isinstance(found, Period) or found.unit != "half_year" or found.year is not None or of is None:
        return None
    if grain_of(of) == "year":
        return None
    return Part("first_half" if found.index == 1 else "second_half", of)


@builder
def holiday(m: Match) -> Node | None:
    return Period("holiday", m.text("name"), year_of(m))


@builder
def within(m: Match) -> Node | None:
    of, found = of_node(m), m.node("date")
    if isinstance(found, Date) and found.month is None and found.day and of is not None:
        return Nth(found.day, "day", of) if grain_of(of) == "month" else None
    if not isinstance(found, Date) or found.year is not None or of is None or grain_of(of) != "year":
        return None
    return Within(found, of)


@builder
def within_period(m: Match) -> Node | None:
    of, found = of_node(m), m.node("qh")
    if not isinstance(found, Period) or found.year is not None or of is None or grain_of(of) != "year":
        return None
    return Within(found, of)


@builder
def week_of(m: Match) -> Node | None:
    found = m.value("unit")
    unit = found.unit.removesuffix("_near") if isinstance(found, Relative) else m.text("unit")
    return Part(f"{unit}_of", m.node("of")) if unit in ("week", "weekend") else None


@builder
def half_unit(m: Match) -> Node | None:
    """ "das zweite Halbjahr": the unit says that it is a half."""
    n = m.number("n")
    is_half = any(t.value == "half_year" for t in m.tokens)
    return Period("half_year", n) if is_half and n in (1, 2) else None


@builder
def week_number_slash(m: Match) -> Node | None:
    """ "KW 12/2024", read as month or day and year by its shape."""
    pair = m.value("pair")
    return Period("week_number", pair.month or pair.day or 0, pair.year) if isinstance(pair, Date) else None


@builder
def week_number_plain(m: Match) -> Node | None:
    n, year = m.number("n") or 0, m.number("year")
    if m.has("unit") and m.value("unit") not in ("week", 0):
        return None
    return Period("week_number", n, year) if year is not None and 1 <= n <= 53 else None


@builder
def week_number(m: Match) -> Node | None:
    year, n = m.node("year"), m.number("n") or 0
    if not any(t.value in ("week", 0) and m.names[t.symbol] in ("UNIT", "WEEKNUMBER") for t in m.tokens):
        return None
    return Period("week_number", n, year.year) if isinstance(year, Date) and 1 <= n <= 53 else None


@builder
def part(m: Match) -> Node | None:
    of = of_node(m)
    return Part(m.text("mod"), of) if of is not None else None


@builder
def part_of_unit(m: Match) -> Node | None:
    of = of_node(m)
    return Part(m.text("mod"), of) if of is not None else None


@builder
def business_word(m: Match) -> Node | None:
    unit, mod = m.text("word").split("_")
    return Part(mod, Relative(unit, 0, "document"))


@builder
def to_date(m: Match) -> Node | None:
    return Part("to_date", Relative(m.text("unit"), 0, "document"))


@builder
def edge(m: Match) -> Node | None:
    found, of = m.node("span"), of_node(m)
    if not isinstance(found, Span) or of is None:
        return None
    return Edge(found, -1 if m.symbol("way") == "LAST" else 1, of)


@builder
def edge_alone(m: Match) -> Node | None:
    found = m.node("span")
    if not isinstance(found, Span) or found.parts[-1][0] not in ("month", "quarter"):
        return None
    return Edge(found, 1, Same("year", "either"))


@builder
def nth(m: Match) -> Node | None:
    n = m.number("n")
    inner = m.value("unit")
    of = of_node(m)
    if n is None or of is None:
        return None
    if isinstance(inner, Relative):
        return Nth(n, "weekend", of) if inner.unit == "weekend_near" else None
    if isinstance(inner, Date):
        return Nth(n, "weekday", of, inner.weekday or 0)
    if m.symbol("unit") in ("WDX", "WDL", "WEEKDAY"):
        return Nth(n, "weekday", of, m.number("unit") or 0)
    return Nth(n, unit_of(m), of)


@builder
def nth_day(m: Match) -> Node | None:
    of = of_node(m)
    return Nth(m.number("n") or 1, "day", of) if of is not None else None


@builder
def nth_last(m: Match) -> Node | None:
    """ "last Friday of October": not the Friday before the document, but October's last one."""
    found, of = m.node("last"), of_node(m)
    if isinstance(found, Window) and found.sign < 0 and of is not None and found.span.parts[0][1] == 1:
        return Nth(-1, found.span.parts[0][0], of)
    if (
        not isinstance(found, Relative)
        or found.step != -1
        or of is None
        or found.unit in ("year", "decade", "century")
    ):
        return None
    index = found.index if isinstance(found.index, int) else 0
    return Nth(-1, found.unit, of, index)


@builder
def nth_days(m: Match) -> Node | None:
    first, last, of = m.number("first"), m.number("last"), of_node(m)
    if first is None or last is None or of is None or grain_of(of) != "month" or not 1 <= first < last <= 31:
        return None
    return Range(Nth(first, "day", of), Nth(last, "day", of))


@builder
def weekday_of(m: Match) -> Node | None:
    found, of = m.node("wd"), of_node(m)
    if not isinstance(found, Date) or found.weekday is None or of is None:
        return None
    return Nth(1, "weekday", of, found.weekday)


@builder
def unit_alone(m: Match) -> Node | None:
    found = m.node("node")
    return Same(found.unit, "either") if isinstance(found, Relative) and found.unit != "century" else None
