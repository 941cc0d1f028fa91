"""The one as-of predicate of all reads: what was known at ``known_at`` of what held at ``valid``.

Intervals are half-open on both axes. Endpoints that were given by a period coarser than a day are
uncertain: "from 2017" began somewhere in 2017. A match is definite when it holds wherever the true
endpoints lie, possible when it holds for some of them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from typing import Final

from tidegraph.domain.facts import FactVersion
from tidegraph.domain.granules import granule, granule_before
from tidegraph.domain.interval import OPEN_END, OPEN_START, Granularity, Interval

ALL_KNOWN: Final = OPEN_END - 1
"""``known_at`` for "all that is known"."""


class Certainty(IntEnum):
    """How surely a fact meets a question about time."""

    NO = 0
    POSSIBLE = 1
    DEFINITE = 2


class Allen(StrEnum):
    """The thirteen relations of two half-open intervals (Allen 1983), "fact RELATION asked"."""

    BEFORE = "before"
    MEETS = "meets"
    OVERLAPS = "overlaps"
    STARTS = "starts"
    DURING = "during"
    FINISHES = "finishes"
    EQUALS = "equals"
    FINISHED_BY = "finished_by"
    CONTAINS = "contains"
    STARTED_BY = "started_by"
    OVERLAPPED_BY = "overlapped_by"
    MET_BY = "met_by"
    AFTER = "after"


SHARING: Final = frozenset(Allen) - {Allen.BEFORE, Allen.MEETS, Allen.MET_BY, Allen.AFTER}
"""The relations in which the two share an instant: the default of every read."""


def relation(one: Interval, other: Interval) -> Allen:
    """The one relation that non-empty ``one`` has to non-empty ``other``.

    Raises:
        ValueError: if either is empty.
    """
    if one.is_empty or other.is_empty:
        raise ValueError("an empty interval has no relation to another")
    return _relation(one.start, one.end, other.start, other.end)


def _relation(start: int, end: int, other_start: int, other_end: int) -> Allen:
    if end < other_start:
        return Allen.BEFORE
    if end == other_start:
        return Allen.MEETS
    if other_end < start:
        return Allen.AFTER
    if other_end == start:
        return Allen.MET_BY
    if start == other_start:
        return Allen.EQUALS if end == other_end else Allen.STARTS if end < other_end else Allen.STARTED_BY
    if end == other_end:
        return Allen.FINISHES if start > other_start else Allen.FINISHED_BY
    if start > other_start:
        return Allen.DURING if end < other_end else Allen.OVERLAPPED_BY
    return Allen.CONTAINS if end > other_end else Allen.OVERLAPS


@dataclass(frozen=True, slots=True)
class Endpoints:
    """A valid interval with uncertain ends: start in [start, start_latest], end in [end_earliest, end]."""

    start: int
    start_latest: int
    end_earliest: int
    end: int


def endpoints(version: FactVersion) -> Endpoints:
    """Between which instants the true start and end of a version lie.

    Times given by the day or finer are taken as exact. A fact whose start is unknown held, for sure, only
    in the last period before its end.
    """
    start, end = version.valid.start, version.valid.end
    earliest_end = end
    if not version.end_inferred and version.end_granularity > Granularity.DAY and end != OPEN_END:
        earliest_end = max(start, granule_before(end, version.end_granularity))
    latest_start = start
    if start == OPEN_START:
        latest_start = (
            end if end == OPEN_END else granule_before(end, max(version.end_granularity, Granularity.DAY))
        )
    elif version.start_known and version.start_granularity > Granularity.DAY:
        latest_start = min(granule(start, version.start_granularity)[1], end)
    return Endpoints(start, latest_start, max(earliest_end, min(start + 1, end)), end)


def is_known(recorded_at: int, invalidated_at: int, known_at: int) -> bool:
    """Whether a row counts at ``known_at``: ``recorded_at <= known_at < invalidated_at``."""
    return recorded_at <= known_at < invalidated_at


@dataclass(frozen=True, slots=True)
class AsOf:
    """A question about both axes.

    ``valid``: the asked interval; an instant t is ``[t, t + 1)``; None asks at any time. ``relations``:
    which relations of the fact's interval to the asked one count.
    """

    known_at: int = ALL_KNOWN
    valid: Interval | None = None
    relations: frozenset[Allen] = SHARING

    @classmethod
    def at(cls, valid_at: int, known_at: int = ALL_KNOWN) -> AsOf:
        """The point-in-time question."""
        return cls(known_at, Interval(valid_at, valid_at + 1))

    def certainty(self, version: FactVersion) -> Certainty:
        """Whether a version was believed at known_at, and how surely it meets the asked time."""
        if not is_known(version.recorded_at, version.invalidated_at, self.known_at):
            return Certainty.NO
        if self.valid is None:
            return Certainty.NO if version.valid.is_empty else Certainty.DEFINITE
        found = possible_relations(endpoints(version), self.valid)
        if not found & self.relations:
            return Certainty.NO
        return Certainty.DEFINITE if found <= self.relations else Certainty.POSSIBLE

    def select(self, versions: Iterable[FactVersion]) -> list[tuple[FactVersion, Certainty]]:
        """The versions that meet the question, definite ones first, else in the order given."""
        found = [(version, self.certainty(version)) for version in versions]
        met = [pair for pair in found if pair[1] is not Certainty.NO]
        return sorted(met, key=lambda pair: -pair[1])


def possible_relations(ends: Endpoints, asked: Interval) -> frozenset[Allen]:
    """Every relation that the interval may have to the asked one, wherever its true endpoints lie.

    Exact: relations change only where an endpoint passes an endpoint of the asked interval.
    """
    if asked.is_empty or ends.start >= ends.end:
        return frozenset()
    starts = _probes(ends.start, ends.start_latest, asked)
    stops = _probes(ends.end_earliest, ends.end, asked)
    return frozenset(
        _relation(start, stop, asked.start, asked.end) for start in starts for stop in stops if start < stop
    )


def _probes(low: int, high: int, asked: Interval) -> set[int]:
    around = (low, high, *(edge + step for edge in (asked.start, asked.end) for step in (-1, 0, 1)))
    return {value for value in around if low <= value <= high}
