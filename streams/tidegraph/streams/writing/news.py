"""What a batch brings that identity may follow from."""

from __future__ import annotations

from dataclasses import dataclass, replace

from tidegraph.domain.facts import Assertion
from tidegraph.domain.identity import PairDecision, Sighting
from tidegraph.domain.interval import OPEN_END, Interval


@dataclass(frozen=True, slots=True)
class News:
    """What a batch brings that identity may follow from."""

    sightings: tuple[Sighting, ...] = ()
    decisions: tuple[PairDecision, ...] = ()
    names: tuple[Assertion, ...] = ()
    """Statements of a name, as they become: new ones and those whose times move."""
    gaps: tuple[tuple[Sighting, tuple[Interval, ...]], ...] = ()
    """Stored sightings of documents that are withdrawn, or come again, with the gaps that they now have."""


def parted(one: Sighting, gaps: tuple[Interval, ...]) -> int:
    """The first instant at which a sighting counts otherwise with other gaps than it has."""
    ends = {at for gap in (*one.gaps, *gaps) for at in (gap.start, gap.end)} | {one.recorded_at}
    other = replace(one, gaps=gaps)
    return min((at for at in ends if one.stands(at) != other.stands(at)), default=OPEN_END)
