"""Which begins and stops of a key count: plans that were called off or lapsed and stale repeats go.

The second step of belief, after ``evidence`` and before ``spells``.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from tidegraph.domain.evidence import Begin, Stop, stop_key
from tidegraph.domain.granules import granule_end
from tidegraph.domain.interval import OPEN_END, OPEN_START
from tidegraph.domain.policies import KeyPolicy, OnState


@dataclass(frozen=True, slots=True)
class Evidence:
    """Begins and stops that count, sorted by (time, order).

    ``stale`` are begins set aside because another holder was named in between; they show as a conflict.
    """

    begins: tuple[Begin, ...]
    stops: tuple[Stop, ...]
    stale: tuple[Begin, ...]


class Axis:
    """Points of one key by value, for questions about what lies between two times."""

    def __init__(self, begins: Iterable[Begin], stops: Iterable[Stop]) -> None:
        self.begins: dict[str, list[Begin]] = defaultdict(list)
        self.stops: dict[str, list[Stop]] = defaultdict(list)
        for begin in begins:
            self.begins[begin.value].append(begin)
        for stop in stops:
            self.stops[stop.value].append(stop)
        self.begin_times = {value: [begin.time for begin in found] for value, found in self.begins.items()}
        self._stop_times = {value: [stop.time for stop in found] for value, found in self.stops.items()}

    def stopped(self, value: str, after: int, until: int) -> bool:
        """A stop of the value lies in (after, until]."""
        times = self._stop_times.get(value, ())
        place = bisect_right(times, after)
        return place < len(times) and times[place] <= until


def settle(begins: Sequence[Begin], stops: Sequence[Stop], policy: KeyPolicy) -> Evidence:
    """Set aside plans that were called off or lapsed and repeats that others overtook."""
    kept, ends = _without_called_off(list(begins), sorted(stops, key=stop_key))
    ends = _without_lapsed_stops(kept, _shifted(kept, ends))
    stale: list[Begin] = []
    if policy.exclusive:
        kept = _without_lapsed(kept, Axis(kept, ends))
        kept, stale = _without_stale(kept, Axis(kept, ends), policy)
    return Evidence(tuple(kept), tuple(ends), tuple(stale))


def _without_called_off(begins: list[Begin], stops: list[Stop]) -> tuple[list[Begin], list[Stop]]:
    """A stop told after a plan, at or before its date, of a value that never began: the plan is off."""
    first: dict[str, int] = {}
    for begin in begins:
        if not begin.planned:
            first.setdefault(begin.value, begin.time)
    off: set[str] = set()
    used: set[str] = set()
    for begin in begins:
        for stop in stops if begin.planned else ():
            early = stop.time <= begin.time and not stop.planned and stop.claim is not None
            named = stop.value == begin.value and stop.document_time >= begin.document_time
            if early and named and first.get(begin.value, OPEN_END) >= stop.time and stop.claim:
                off.add(begin.claim.assertion_id)
                used.add(stop.claim.assertion_id)
    if not off:
        return begins, stops
    return (
        [begin for begin in begins if begin.claim.assertion_id not in off],
        [stop for stop in stops if stop.claim is None or stop.claim.assertion_id not in used | off],
    )


def _shifted(begins: list[Begin], stops: list[Stop]) -> list[Stop]:
    """Stops named by the period in which the value also begins move to the end of that period.

    "Joined in 1924" and "left in 1924", the latter given as the start of 1924, are [1924, 1925). Only a
    stop that ends nothing where it stands is moved.
    """
    axis = Axis(begins, stops)
    result = []
    for stop in stops:
        alone = stop.claim is not None and stop.claim.valid.start == OPEN_START
        times = axis.begin_times.get(stop.value, ()) if alone else ()
        place = bisect_right(times, stop.time - 1)
        open_before = place > 0 and not axis.stopped(stop.value, times[place - 1], stop.time - 1)
        end = granule_end(stop.time, stop.granularity)
        if not open_before and place < len(times) and times[place] < end:
            result.append(replace(stop, time=end))
        else:
            result.append(stop)
    return sorted(result, key=stop_key)


def _without_lapsed_stops(begins: list[Begin], stops: list[Stop]) -> list[Stop]:
    """A planned stop has lapsed when the value is next seen to hold after it, and nobody else began."""
    if not any(stop.planned for stop in stops):
        return stops
    firm = Axis(begins, [stop for stop in stops if not stop.planned])
    result = []
    for stop in stops:
        after = next((begin for begin in begins if begin.time > stop.time and not begin.planned), None)
        lapsed = (
            stop.planned
            and after is not None
            and after.value == stop.value
            and not after.stated
            and not firm.stopped(stop.value, stop.time, after.time)
        )
        if not lapsed:
            result.append(stop)
    return result


def _without_lapsed(begins: list[Begin], axis: Axis) -> list[Begin]:
    """A plan has lapsed when the former holder is the next one seen to hold after its date."""
    result = []
    before: Begin | None = None
    for place, begin in enumerate(begins):
        if not begin.planned:
            before = begin
            result.append(begin)
            continue
        after = next((later for later in begins[place + 1 :] if not later.planned), None)
        lapsed = (
            before is not None
            and after is not None
            and before.value == after.value != begin.value
            and not after.stated
            and not axis.stopped(before.value, before.time, after.time)
        )
        if not lapsed:
            result.append(begin)
    return result


def _without_stale(begins: list[Begin], axis: Axis, policy: KeyPolicy) -> tuple[list[Begin], list[Begin]]:
    """Set aside states that repeat a holder whom a stated start of another has replaced (OnState)."""
    if policy.on_state is OnState.ASSERTS:
        return begins, []
    kept: list[Begin] = []
    stale: list[Begin] = []
    latest: dict[str, int] = {}
    starts: list[Begin] = []
    for begin in begins:
        former = latest.get(begin.value)
        seen = not (begin.stated or begin.planned or begin.register or begin.chosen)
        if seen and former is not None and _replaced(begin, former, starts, axis):
            stale.append(begin)
            continue
        kept.append(begin)
        latest[begin.value] = begin.time
        if begin.stated and not begin.planned:
            starts.append(begin)
    return kept, stale


def _replaced(begin: Begin, former: int, starts: Sequence[Begin], axis: Axis) -> bool:
    for start in reversed(starts):
        if start.time <= former:
            return False
        if start.value == begin.value or (start.shared and begin.shared):
            continue
        if not axis.stopped(start.value, start.time, begin.time):
            return True
    return False
