"""Spells: the stretches of time for which one value held a key, before others cut into them.

The begins of a value fall into runs; a run ends where the value stopped, or where another value that
excludes it began. Each run is one spell: left and came back are two, told twice is one.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from tidegraph.domain.evidence import Begin, Order, Stop, by_value
from tidegraph.domain.granules import granule, granule_before, granule_end
from tidegraph.domain.interval import OPEN_END, OPEN_START, Granularity
from tidegraph.domain.settling import Evidence

HEDGED: Final = 0.5
"""A stop of lower confidence ends what is known by other claims, and makes up nothing that is not: "left X"
may end an employment as well as a membership."""
_LAST: Final = (9, 9, 9, 0, 0, 0.0, 0, "")


@dataclass(frozen=True, slots=True)
class Spell:
    """One value's stretch ``[start, end)`` on the valid axis.

    ``order`` decides between spells that start at one instant. ``start_known``: the start was stated,
    not only seen. ``end_stated``: a source gives the end; otherwise it is open or follows from what was
    seen. ``through``: one claim gives both ends, and so says that the value held all the time between.
    ``inset``: the spell was only ever told with its end, so that what held around it goes on after it.
    ``planned``: nothing but plans tells of it, neither that it began nor that it ended.
    ``lead`` is the claim that speaks for the spell (its object's wording and qualifiers). ``chosen``: a
    decision settled a conflict for it; of two, the later decision has the greater number.
    """

    value: str
    start: int
    end: int
    order: Order
    start_granularity: Granularity
    end_granularity: Granularity
    start_known: bool
    start_stated: bool
    end_stated: bool
    through: bool
    inset: bool
    planned: bool
    shared: bool
    lead: Begin | Stop
    chosen: int = 0

    def beats(self, other: Spell) -> bool:
        """Whether this spell comes after the other: later start, or the better claim at one instant."""
        return self.start > other.start or (self.start == other.start and self.order < other.order)


def excludes(one: Spell, other: Spell) -> bool:
    """Whether two spells of one key cannot hold together.

    Joint holders can. So can two spells that begin in one and the same period when one of them also ends in
    it ("1936 to 1936" and "since 1936"): nothing tells which part of the year was whose.
    """
    if one.value == other.value or (one.shared and other.shared):
        return False
    if one.start != other.start:
        return True
    return not any(
        first.end_stated and first.end <= granule_end(second.start, second.start_granularity)
        for first, second in ((one, other), (other, one))
    )


def spells(evidence: Evidence) -> list[Spell]:
    """All dated spells of a key, by start. Unnamed stops ("the CTO left") are not yet applied."""
    result: list[Spell] = []
    stops_of: dict[str, list[Stop]] = defaultdict(list)
    for stop in evidence.stops:
        stops_of[stop.value].append(stop)
    begins_of = by_value(evidence.begins)
    times = [begin.time for begin in evidence.begins]
    firsts: list[Spell] = []
    for value in sorted(begins_of.keys() | (stops_of.keys() - {""})):
        stops = stops_of.get(value, [])
        runs = _runs(begins_of.get(value, []), stops, evidence.begins, times)
        starts = [run[0].time for run in runs]
        lone, attached = _attached(starts, stops)
        lone = [stop for stop in lone if stop.claim is not None and stop.claim.confidence >= HEDGED]
        result.extend(_chain(runs, attached))
        if any(stop.named for stop in lone):
            firsts.append(_end_only(value, lone))
    result.sort(key=_by_start)
    for spell in sorted(firsts, key=lambda first: (first.end, first.order)):
        insort(result, _placed(spell, result), key=_by_start)
    return result


def _by_start(spell: Spell) -> tuple[int, Order]:
    return spell.start, spell.order


def _runs(
    begins: Sequence[Begin], stops: Sequence[Stop], every: Sequence[Begin], times: Sequence[int]
) -> list[list[Begin]]:
    """A value's begins, split where it stopped or where another value began in between."""
    runs: list[list[Begin]] = []
    stop_times = [stop.time for stop in stops]
    for begin in begins:
        if runs:
            last = runs[-1][-1]
            stopped = bisect_right(stop_times, begin.time) > bisect_right(stop_times, last.time)
            if not stopped and not _interrupted(last, begin, every, times):
                runs[-1].append(begin)
                continue
        runs.append([begin])
    return runs


def _interrupted(last: Begin, begin: Begin, every: Sequence[Begin], times: Sequence[int]) -> bool:
    """Another value that excludes this one began after ``last`` and not after ``begin``."""
    between = range(bisect_right(times, last.time), bisect_left(times, begin.time))
    return any(
        every[place].value != begin.value and not (every[place].shared and last.shared) for place in between
    )


def _attached(starts: list[int], stops: Sequence[Stop]) -> tuple[list[Stop], list[list[Stop]]]:
    """(stops before the first run, the stops of each run): a stop ends the latest run begun before it."""
    lone: list[Stop] = []
    attached: list[list[Stop]] = [[] for _ in starts]
    for stop in stops:
        place = bisect_left(starts, stop.time)
        (attached[place - 1] if place else lone).append(stop)
    return lone, attached


def _chain(runs: Sequence[list[Begin]], attached: Sequence[list[Stop]]) -> list[Spell]:
    """The spells of one value. What is only seen for a while goes on when the value had not ended before."""
    result: list[Spell] = []
    for run, ends in zip(runs, attached, strict=True):
        open_before = bool(result) and result[-1].end == OPEN_END
        result.append(_spell(run, ends, open_before))
    return result


def _spell(run: list[Begin], ends: list[Stop], open_before: bool) -> Spell:
    start = _start(run)
    bounded = all(begin.seen_until != OPEN_END for begin in run) and (bool(ends) or not open_before)
    end, granularity, stated, through = OPEN_END, Granularity.UNKNOWN, False, False
    if ends:
        best = _best_stop(ends)
        through = best.stated and any(begin.claim is best.claim for begin in run)
        end, granularity, stated = max(best.time, start.time + 1), best.granularity, best.stated
    elif bounded:
        last = max(run, key=lambda begin: begin.seen_until)
        end, granularity = last.seen_until, last.claim.valid.end_granularity
    return Spell(
        value=start.value,
        start=start.time,
        end=end,
        order=min(begin.order for begin in run if begin.time == start.time),
        start_granularity=start.granularity,
        end_granularity=granularity,
        start_known=start.stated,
        start_stated=start.stated,
        end_stated=stated,
        through=through,
        inset=bounded,
        planned=all(begin.planned for begin in run) and not any(map(_confirms, ends)),
        shared=any(begin.shared for begin in run),
        lead=start,
        chosen=max(begin.chosen for begin in run),
    )


def _start(run: list[Begin]) -> Begin:
    """The begin whose time counts for the spell.

    A claim that a decision chose overrides all others, then the latest correction. Otherwise stated
    starts of the best status and source count, of these the earliest; a finer time inside its period
    refines it ("2017" and "4 March 2017"). What was seen to hold before the stated start shows that the
    start is not known.
    """
    chosen = max(run, key=lambda begin: begin.chosen)
    if chosen.chosen:
        return chosen
    corrections = [begin for begin in run if begin.correction and begin.stated]
    if corrections:
        return min(corrections, key=lambda begin: (-begin.document_time, begin.order))
    stated = [begin for begin in run if begin.stated]
    seen = min(run, key=lambda begin: (begin.time, begin.order))
    if not stated:
        return seen
    best = min(begin.order[1:4] for begin in stated)
    first = min((begin for begin in stated if begin.order[1:4] == best), key=lambda b: (b.time, b.order))
    limit = granule(first.time, first.granularity)[1]
    for begin in stated:
        finer = int(begin.granularity or Granularity.RANGE) < int(first.granularity or Granularity.RANGE)
        if finer and first.time <= begin.time < limit:
            first = begin
            limit = granule(first.time, first.granularity)[1]
    firm = [begin for begin in run if not begin.stated and not begin.planned and begin.time < first.time]
    return min(firm, key=lambda b: (b.time, b.order)) if firm else first


def _best_stop(stops: Sequence[Stop]) -> Stop:
    corrections = [stop for stop in stops if stop.correction and stop.stated]
    if corrections:
        return min(corrections, key=lambda stop: (-stop.document_time, stop.order))
    return min(stops, key=lambda stop: (stop.order[1:3], _seen_first(stop), stop.order[3:], stop.time))


def _confirms(stop: Stop) -> bool:
    """Whether an end shows that what it ends had begun: it is told as a fact of this value."""
    return stop.named and not stop.planned and stop.claim is not None and stop.claim.confidence >= HEDGED


def _seen_first(stop: Stop) -> int:
    """Of ends that were only seen, the earliest says most."""
    return 0 if stop.stated else stop.time


def _end_only(value: str, stops: Sequence[Stop]) -> Spell:
    """A value of which only its end is told: it held up to then, nobody said since when."""
    best = _best_stop(stops)
    lead = _best_stop([stop for stop in stops if stop.named])
    return Spell(
        value=value,
        start=OPEN_START,
        end=best.time,
        order=(*_LAST[:7], best.order[7]),
        start_granularity=Granularity.UNKNOWN,
        end_granularity=best.granularity,
        start_known=False,
        start_stated=False,
        end_stated=best.stated,
        through=False,
        inset=False,
        planned=False,
        shared=False,
        lead=lead,
    )


def _placed(spell: Spell, others: Sequence[Spell]) -> Spell:
    """Where an end-only spell may begin: after what is known to have ended, else just before its own end.

    If another value is not known to have ended by then, this one is only known to have held in the last
    period before its end.
    """
    place = bisect_left(others, spell.end, key=lambda other: other.start)
    latest: Spell | None = None
    for other in (others[number] for number in range(place - 1, -1, -1)):
        if latest is not None and other.start < latest.start:
            break
        if other.value != spell.value:
            latest = max(latest or other, other, key=lambda one: (one.end, one.value))
    if latest is None:
        return spell
    if latest.end <= spell.end and latest.end_stated:
        return replace(spell, start=min(latest.end, spell.end - 1))
    start = granule_before(spell.end, spell.end_granularity)
    start = min(max(start, latest.start + 1), spell.end - 1)
    return replace(spell, start=start, start_granularity=spell.end_granularity)
