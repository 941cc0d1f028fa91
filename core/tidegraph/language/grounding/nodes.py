"""What the grammar builds: tokens, and small trees that say what a time expression means.

A tree is free of context: "last Friday" is ``Relative``, whatever day it is. Only ``resolve`` turns
trees into intervals.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

Base: TypeAlias = "Node | str"
"""What a relative node counts from: ``document``, ``anchor``, ``either`` or another node."""


@dataclass(frozen=True, slots=True)
class Date:
    """Calendar fields, any of which may be missing. ``year`` 0 is 1 BCE; ``short`` when it had two digits."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    weekday: int | None = None
    fiscal: bool = False
    short: bool = False


@dataclass(frozen=True, slots=True)
class Numeric:
    """A numeric date whose day/month order is open: ``first``/``second`` as written."""

    first: int
    second: int
    year: int | None = None
    weekday: int | None = None
    short: bool = False
    doubtful: bool = False
    day_first: bool = False


@dataclass(frozen=True, slots=True)
class Within:
    """A month, day, quarter or season of a year that another node names: "August of that year"."""

    date: Node
    of: Node


@dataclass(frozen=True, slots=True)
class Period:
    """A named part of the calendar: quarter, half_year, season, decade, century, week_number, holiday."""

    unit: str
    index: int | str
    year: Base | int | None = None


@dataclass(frozen=True, slots=True)
class Clock:
    """A time of day; ``offset`` is minutes east of UTC. ``fixed`` when morning or afternoon is certain."""

    hour: int
    minute: int | None = None
    second: int | None = None
    offset: int | None = None
    fixed: bool = False
    part: str = ""


@dataclass(frozen=True, slots=True)
class ClockRange:
    """From one time of day to another."""

    start: Clock
    end: Clock


@dataclass(frozen=True, slots=True)
class DayPart:
    """Morning, afternoon and so on; ``mod`` is early or late."""

    name: str
    mod: str = ""


@dataclass(frozen=True, slots=True)
class At:
    """A time of day, a part of the day or a clock range on a date."""

    date: Node
    time: Node


@dataclass(frozen=True, slots=True)
class Relative:
    """This, last or next (``step`` 0, -1, 1) of a unit, weekday, month, season or holiday."""

    unit: str
    step: int
    base: Base
    index: int | str = 0


@dataclass(frozen=True, slots=True)
class Span:
    """A length of time: (unit, count) pairs, the coarsest first."""

    parts: tuple[tuple[str, float], ...]
    vague: bool = False
    mod: str = ""


@dataclass(frozen=True, slots=True)
class Shift:
    """A span before (-1) or after (+1) a base. ``mod`` more/less makes it open."""

    span: Span
    sign: int
    base: Base
    keep: bool = False


@dataclass(frozen=True, slots=True)
class Window:
    """The past or next n units, rolling from the base; ``calendar`` takes whole units."""

    span: Span
    sign: int
    base: Base
    mod: str = ""  # ended: up to and with the base; within: from the base on


@dataclass(frozen=True, slots=True)
class Nth:
    """The n-th (or -1: last) unit or weekday of a period."""

    n: int
    unit: str
    of: Base
    index: int = 0


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a period: early, mid, late, start, middle, end, rest, earlier, later, to_date, ended."""

    mod: str
    of: Base


@dataclass(frozen=True, slots=True)
class Edge:
    """The first (1) or last (-1) span of a period: "the first nine months of 1996"."""

    span: Span
    sign: int
    of: Base


@dataclass(frozen=True, slots=True)
class Same:
    """The anchor taken up again at a unit: "that month", "the same day"; ``unit`` empty: as it is."""

    unit: str
    base: Base = "anchor"


@dataclass(frozen=True, slots=True)
class Range:
    """From one node to another, the named end included."""

    start: Node
    end: Node


@dataclass(frozen=True, slots=True)
class Lasting:
    """A span that begins with a node: "a week starting tomorrow"."""

    start: Node
    span: Span


@dataclass(frozen=True, slots=True)
class Open:
    """since, from, until, by, before, after a node."""

    op: str
    of: Node


@dataclass(frozen=True, slots=True)
class Recurring:
    """A rule without a place on the calendar."""

    text: str


@dataclass(frozen=True, slots=True)
class EventAnchored:
    """A span counted from an event that the text only names."""

    span: Span | None
    sign: int


@dataclass(frozen=True, slots=True)
class Vague:
    """A word of time without a value: recently, soon, nowadays."""

    text: str


Node: TypeAlias = (
    "Date | Numeric | Within | Period | Clock | ClockRange | DayPart | At | Relative | Span | Shift"
    " | Window | Nth | Part | Edge | Same | Range | Lasting | Open | Recurring | EventAnchored | Vague"
)


@dataclass(frozen=True, slots=True)
class Token:
    """One lexical unit or, after reduction, one expression: ``symbol`` is a grammar symbol's character."""

    symbol: str
    start: int
    end: int
    value: object
    rule: str = ""
    parts: tuple[Token, ...] = ()
