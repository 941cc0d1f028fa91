"""Builders of words that count from somewhere, of spans, ranges and open ranges."""

from __future__ import annotations

from typing import Final

from tidegraph.language.grounding.match import Match, builder, unit_of
from tidegraph.language.grounding.nodes import (
    Date,
    EventAnchored,
    Lasting,
    Node,
    Nth,
    Numeric,
    Open,
    Period,
    Range,
    Recurring,
    Relative,
    Same,
    Shift,
    Span,
    Vague,
    Window,
    Within,
)

UNIT_ORDER: Final = (
    "millennium",
    "century",
    "decade",
    "year",
    "half_year",
    "quarter",
    "month",
    "fortnight",
    "week",
    "weekend",
    "business_day",
    "day",
    "night",
    "hour",
    "minute",
    "second",
)


@builder
def day_word(m: Match) -> Node | None:
    return day_from_word(m.number("n") or 0)


def day_from_word(n: int) -> Node:
    """Yesterday is -1, today 0, tomorrow 1."""
    if n == 0:
        return Relative("day", 0, "document")
    return Shift(Span((("day", abs(n)),)), 1 if n > 0 else -1, "document")


@builder
def relative(m: Match) -> Node | None:
    return Relative(unit_of(m), m.sign("step"), m.argument("base"))


@builder
def relative_weekday(m: Match) -> Node | None:
    return Relative("weekday", m.sign("step"), m.argument("base"), m.number("wd") or 0)


@builder
def relative_month(m: Match) -> Node | None:
    return Relative("month_name", m.sign("step"), m.argument("base"), m.number("month") or 1)


@builder
def relative_season(m: Match) -> Node | None:
    return Relative("season", m.sign("step"), m.argument("base"), m.text("season"))


@builder
def relative_holiday(m: Match) -> Node | None:
    return Relative("holiday", m.number("way") or 0, "document", m.text("name"))


@builder
def relative_fiscal(m: Match) -> Node | None:
    return Relative(f"fiscal_{unit_of(m)}", m.number("way") or 0, "document")


@builder
def same_a_year_before(m: Match) -> Node | None:
    """ "the same quarter last year": the anchor's quarter, a year back."""
    if unit_of(m, "year") != "year":
        return None
    unit = unit_of(m) if m.has("unit") else ""
    return Shift(Span((("year", 1),)), -1, Same(unit), keep=True)


@builder
def same_month(m: Match) -> Node | None:
    return Within(Date(month=m.number("month")), Same("year"))


@builder
def same_season(m: Match) -> Node | None:
    return Within(Period("season", m.text("season")), Same("year"))


@builder
def same(m: Match) -> Node | None:
    return Same(unit_of(m))


@builder
def weekend(m: Match) -> Node | None:
    return Relative("weekend_near", 0, "document")


@builder
def now(m: Match) -> Node | None:
    return Relative("day", 0, "document")


@builder
def neighbour_day(m: Match) -> Node | None:
    return Relative("day", m.number("way") or 1, "anchor")


@builder
def neighbour_year(m: Match) -> Node | None:
    return Relative("year", m.number("way") or 1, "either")


@builder
def neighbour_month(m: Match) -> Node | None:
    return Relative("month", m.number("way") or 1, "either")


@builder
def this_time(m: Match) -> Node | None:
    return Same("", "either")


@builder
def after_next(m: Match) -> Node | None:
    step = 2 if m.symbol("way") == "NEXT" else -2
    if m.has("wd"):
        return Nth(1, "weekday", Relative("week", step, "document"), m.number("wd") or 0)
    if m.has("month"):
        return Relative("month_name", step, "document", m.number("month") or 1)
    return Relative(unit_of(m), step, "document")


@builder
def weekday_count(m: Match) -> Node | None:
    way = m.number("way") or 1
    return Relative("weekday_count", way * (m.number("n") or 1), "document", m.number("wd") or 0)


@builder
def hyphened_earlier(m: Match) -> Node | None:
    return Shift(Span(((unit_of(m), 1),)), -1, "either")


@builder
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
    singular = m.names[m.tokens[-1].symbol] not in ("UNITS", "HALF")
    if singular and any(m.names[t.symbol] in ("YA", "YB") for t in m.tokens):
        return None
    if not parts or any(n > 100_000 for _, n in parts):
        return None
    return Span(tuple(sorted(parts, key=lambda p: UNIT_ORDER.index(p[0]))), vague, mod)


@builder
def recurring(m: Match) -> Node | None:
    return Recurring("")


@builder
def vague(m: Match) -> Node | None:
    return Vague("")


@builder
def shift(m: Match) -> Node | None:
    found = m.node("span")
    return Shift(found, m.sign(), m.argument("base")) if isinstance(found, Span) else None


@builder
def shift_in(m: Match) -> Node | None:
    found = m.node("span")
    return Shift(found, 1, "future") if isinstance(found, Span) else None


@builder
def shift_from(m: Match) -> Node | None:
    found = m.node("span")
    if m.has("day"):
        found = Span((("day", 1),))
    if m.has("unit"):
        inner = m.node("unit")
        found = Span(((inner.unit, 1),)) if isinstance(inner, Relative) else found
    return Shift(found, m.sign(), m.node("of"), keep=True) if isinstance(found, Span) else None


@builder
def event(m: Match) -> Node | None:
    found = m.node("span")
    return EventAnchored(found if isinstance(found, Span) else None, 1)


@builder
def window(m: Match) -> Node | None:
    found = m.node("span")
    mod = "within" if m.has("within") else ""
    return Window(found, m.sign(), "document", mod) if isinstance(found, Span) else None


@builder
def window_counted(m: Match) -> Node | None:
    found = Span(((unit_of(m), m.number("n") or 1),))
    return Window(found, m.sign(), "document")


@builder
def window_within(m: Match) -> Node | None:
    found = m.node("span")
    return Window(found, 1, "future", "within") if isinstance(found, Span) else None


@builder
def window_unit(m: Match) -> Node | None:
    return Window(Span(((unit_of(m), 1),)), m.sign(), "document")


@builder
def ended(m: Match) -> Node | None:
    found = m.value("span")
    first = m.tokens[0].value if m.names[m.tokens[0].symbol] == "UNITREF" else None
    if isinstance(first, Relative):
        found = Span(((first.unit, 1),))
    elif m.has("unit"):
        found = Span(((unit_of(m), 1),))
    elif m.has("qh"):
        period = m.node("qh")
        found = Span(((period.unit, 1),)) if isinstance(period, Period) else None
    return Window(found, -1, m.node("date"), mod="ended") if isinstance(found, Span) else None


@builder
def day_after_alone(m: Match) -> Node | None:
    return Shift(Span((("day", 1),)), -1 if m.symbol("way") == "BEFORE" else 1, "either")


@builder
def range_(m: Match) -> Node | None:
    return Range(m.node("start"), m.node("end"))


@builder
def open_(m: Match) -> Node | None:
    of = m.node("of")
    if isinstance(of, Numeric) and of.doubtful and m.tokens[-1].value is not of:
        return None
    return Open(m.argument("op"), of)


@builder
def open_comparison(m: Match) -> Node | None:
    equal = any(m.names[t.symbol] == "EQ" for t in m.tokens)
    more = m.symbol("op") == "MORE"
    return Open(("since" if equal else "after") if more else ("until" if equal else "before"), m.node("of"))


@builder
def lasting(m: Match) -> Node | None:
    found = m.node("span")
    return Lasting(m.node("start"), found) if isinstance(found, Span) else None


@builder
def lasting_week(m: Match) -> Node | None:
    return Lasting(m.node("start"), Span((("week", 1),)))
