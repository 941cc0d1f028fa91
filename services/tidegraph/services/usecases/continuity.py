"""Whether what is asked held during all of a time. Pure: believed facts with uncertain ends are compared."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from tidegraph.domain.asof import endpoints
from tidegraph.domain.facts import FactVersion
from tidegraph.domain.granules import granule
from tidegraph.domain.interval import OPEN_END, OPEN_START, Granularity, Interval

UNITS_MAX: Final = 10_000


@dataclass(frozen=True, slots=True)
class Stretch:
    """The time that has to be filled. ``first_by``: a start up to there is early enough ("since 2021")."""

    start: int
    end: int
    first_by: int


def fills(facts: Sequence[FactVersion], asked: Stretch | None) -> bool | None:
    """Whether the facts surely fill the asked time (None: all from their first start to their last end).

    None as an answer: what is known of their ends does not tell.
    """
    sure = _merged((ends.start_latest, ends.end_earliest) for ends in map(endpoints, facts))
    widest = [(f.valid.start if f.start_known else OPEN_START, f.valid.end) for f in facts]
    possible = _merged(widest)
    if asked is None:
        if len(possible) > 1:
            return False
        return True if len(_merged((fact.valid.start, fact.valid.end) for fact in facts)) == 1 else None
    if not _filled(possible, asked):
        return False
    return True if _filled(sure, asked) else None


def meets_each(facts: Sequence[FactVersion], units: Sequence[Interval]) -> bool | None:
    """Whether the facts surely hold for a while in each of the units; None: what is known does not tell."""
    if missed(facts, units):
        return False
    ends = [endpoints(fact) for fact in facts]
    sure = [(max(one.start, one.start_latest - 1), one.end_earliest) for one in ends]
    met = all(any(start < unit.end and end > unit.start for start, end in sure) for unit in units)
    return True if met else None


def missed(facts: Sequence[FactVersion], units: Sequence[Interval]) -> list[Interval]:
    """The units that none of the facts can meet, in order."""
    possible = [(f.valid.start if f.start_known else OPEN_START, f.valid.end) for f in facts]
    return [u for u in units if not any(start < u.end and end > u.start for start, end in possible)]


def units_of(asked: Stretch, unit: Granularity) -> list[Interval]:
    """The weeks, months or years that the asked time touches; () of one without a start or too long."""
    found: list[Interval] = []
    at = asked.start
    while OPEN_START < at < asked.end and len(found) < UNITS_MAX:
        start, end = granule(at, unit)
        found.append(Interval(start, end, unit))
        at = end
    return found if at >= asked.end else []


def gaps(facts: Sequence[FactVersion], asked: Stretch | None) -> list[Interval]:
    """What the facts leave open of the asked time, in order."""
    spans = _merged((fact.valid.start, fact.valid.end) for fact in facts)
    if asked is None:
        return [Interval(one[1], other[0]) for one, other in pairwise(spans)]
    found, at = [], asked.start
    for start, end in spans:
        if at < min(start, asked.end):
            found.append(Interval(at, min(start, asked.end)))
        at = max(at, end)
    if at < asked.end:
        found.append(Interval(at, asked.end))
    return found


def _filled(spans: Sequence[tuple[int, int]], asked: Stretch) -> bool:
    met = [(start, end) for start, end in spans if start < asked.end and end > asked.start]
    if not met:
        return False
    start, end = met[0]
    return start <= max(asked.start, asked.first_by) and end >= asked.end


def _merged(spans: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Touching and overlapping spans as one, in order."""
    found: list[tuple[int, int]] = []
    for start, end in sorted(span for span in spans if span[0] < span[1]):
        if found and start <= found[-1][1]:
            found[-1] = (found[-1][0], max(found[-1][1], end))
        else:
            found.append((start, end))
    return found


def stretch(window: Interval | None, since: Interval | None, present: int) -> Stretch | None:
    """The asked time as what has to be filled; what goes on is filled up to the present."""
    if window is None:
        return None
    end = max(window.start + 1, present) if window.end == OPEN_END else window.end
    return Stretch(window.start, end, since.end - 1 if since is not None else window.start)
