"""From claims to points on the valid axis: what the assertions under one key say begins and ends when.

This is the first step of belief (design section 7): the assertions that count at one known instant are
read as begins and stops of values, and those that a denial, a later statement or another holder
overtook are set aside. Nothing here depends on recorded times or on the order of arrival.

Conventions: a stop is the first instant at which the fact no longer holds; a stop named by a period
("in 1936") may be given as its start or, inclusively, as the start of the next one. A claim whose end is
not after its start but names the same period holds to the end of that period (1924 to 1924).

A register's revision says all that holds when it was written, and nothing else counts as its silence:

- A value that a revision no longer says has ended by its document time. But a revision that announces a
  value for later speaks of the key until then: what stood before stands until the announced one begins, or
  until a revision neither says it nor announces anything. A revision that announces an end says the value.
- What a revision still announces at or after the date is in force: not a plan, whatever its wording.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from tidegraph.domain.documents import EndpointBasis, Status, Verb
from tidegraph.domain.facts import Assertion, Revision
from tidegraph.domain.granules import granule, granule_end
from tidegraph.domain.interval import OPEN_END, OPEN_START, Granularity
from tidegraph.domain.policies import SHARED, KeyPolicy, OnStart, OnStop, normal_value

Order = tuple[int, int, int, int, int, float, int, str]
"""Sort key of claims, best first: chosen by a decision (below 0), correction, status, stated before seen,
source priority, precision, confidence, document time (later first), id."""

_STATUS_RANK: Final = {Status.ASSERTED: 0, Status.UNSPECIFIED: 0, Status.CEASED: 0, Status.REPORTED: 1}
_PLANNED_RANK: Final = 2
_COARSEST: Final = 99


@dataclass(frozen=True, slots=True)
class Begin:
    """A value begins to hold, or is seen to hold, at ``time``.

    ``stop``: the claim's own stated end, OPEN_END without one. ``seen_until``: how far the claim says
    that it held; OPEN_END when it says nothing of an end. ``chosen``: a decision settled a conflict for this
    claim; of two, the later decision has the greater number.
    """

    time: int
    value: str
    stated: bool
    planned: bool
    shared: bool
    register: bool
    correction: bool
    stop: int
    seen_until: int
    granularity: Granularity
    order: Order
    document_time: int
    claim: Assertion
    chosen: int = 0


@dataclass(frozen=True, slots=True)
class Stop:
    """A value holds no longer at ``time``; ``value`` "" is whoever holds then.

    ``named``: a claim names the value. ``stated`` is false when it is only known to have ended by then (a
    former holder, a register's silence). ``claim`` is None for a silence.
    """

    time: int
    value: str
    named: bool
    stated: bool
    planned: bool
    correction: bool
    granularity: Granularity
    order: Order
    document_time: int
    claim: Assertion | None


@dataclass(frozen=True, slots=True)
class Claims:
    """What the claims of one key say, before they are weighed against each other.

    Begins and stops are sorted by (time, order). ``unnamed`` are stops of whoever held; ``undated`` are
    claims that a value holds, with no time at all.
    """

    begins: tuple[Begin, ...]
    stops: tuple[Stop, ...]
    unnamed: tuple[Stop, ...]
    undated: tuple[Begin, ...]


def value_of(assertion: Assertion, policy: KeyPolicy) -> str:
    """What an assertion puts into the slot of its key; "" when it did not name it."""
    if policy.value_is_subject:
        return assertion.subject
    return assertion.object if assertion.object_is_entity else normal_value(assertion.object)


def gather(
    assertions: Sequence[Assertion],
    revisions: Sequence[Revision],
    policy: KeyPolicy,
    choices: Sequence[str] = (),
) -> Claims:
    """The claims of one key, from the assertions and revisions that count at one known instant.

    ``choices`` are ids of assertions that decisions settled conflicts for, in the order of the decisions.
    """
    chosen = {assertion_id: place for place, assertion_id in enumerate(choices, start=1)}
    begins: list[Begin] = []
    stops: list[Stop] = []
    for assertion in assertions:
        if assertion.status is Status.DENIED:
            continue
        begin, stop = _points(assertion, policy)
        if begin is not None:
            rank = chosen.get(assertion.assertion_id, 0)
            begins.append(begin if not rank else _chosen(begin, rank))
        if stop is not None:
            stops.append(stop)
    if policy.on_stop is OnStop.ENDS:
        stops.extend(silences(assertions, revisions, policy))
    denials = _Denials(assertions, policy)
    told = begins
    begins = sorted((begin for begin in begins if begin.chosen or not denials.off(begin)), key=begin_key)
    stops = [stop for stop in stops if not denials.off(stop)]
    stops = sorted(handed_over(stops, told, begins), key=stop_key)
    return Claims(
        begins=tuple(begin for begin in begins if begin.time != OPEN_START),
        stops=tuple(stop for stop in stops if stop.value),
        unnamed=tuple(stop for stop in stops if not stop.value),
        undated=tuple(begin for begin in begins if begin.time == OPEN_START),
    )


def _points(assertion: Assertion, policy: KeyPolicy) -> tuple[Begin | None, Stop | None]:
    valid = assertion.valid
    ends = assertion.verb is Verb.STOP or assertion.status is Status.CEASED
    end_stated = valid.end_basis is EndpointBasis.STATED and valid.end != OPEN_END
    value = value_of(assertion, policy)
    start, end = valid.start, valid.end
    if start != OPEN_START and end_stated and end <= start:
        end = granule_end(start, max(valid.start_granularity, valid.end_granularity))
        if valid.end < granule(start, max(valid.start_granularity, valid.end_granularity))[0]:
            return None, None  # ends before it begins: not a claim about any time
    if not ends and policy.on_start is OnStart.HAPPENS and start != OPEN_START and not end_stated:
        end, end_stated = granule_end(start, valid.start_granularity), True
    begin = None
    if value and (not ends or start != OPEN_START) and not (start == OPEN_START and end_stated):
        begin = _begin(assertion, value, end if end_stated else OPEN_END)
    ended = end_stated or (ends and end != OPEN_END and valid.end_basis is EndpointBasis.OBSERVED)
    stop = None
    happens = policy.on_start is OnStart.HAPPENS
    if ended and (happens or policy.on_stop is OnStop.ENDS or not ends):
        stop = _stop(assertion, value, end, stated=end_stated)
    return begin, stop


def _chosen(begin: Begin, rank: int) -> Begin:
    return replace(begin, chosen=rank, order=(-rank, *begin.order[1:]))


def _begin(assertion: Assertion, value: str, stop: int) -> Begin:
    valid = assertion.valid
    stated = valid.start_basis is EndpointBasis.STATED and valid.start != OPEN_START
    seen = valid.end if valid.end_basis is EndpointBasis.OBSERVED else OPEN_END
    return Begin(
        time=valid.start,
        value=value,
        stated=stated,
        planned=is_planned(assertion, valid.start),
        shared=_is_joint(assertion),
        register=assertion.register,
        correction=assertion.verb is Verb.CORRECTION,
        stop=stop,
        seen_until=min(stop, seen),
        granularity=valid.start_granularity,
        order=_order(assertion, valid.start, valid.start_granularity, stated=stated),
        document_time=assertion.document_time,
        claim=assertion,
    )


def _stop(assertion: Assertion, value: str, time: int, *, stated: bool) -> Stop:
    return Stop(
        time=time,
        value=value,
        named=bool(value),
        stated=stated,
        planned=is_planned(assertion, time),
        correction=assertion.verb is Verb.CORRECTION,
        granularity=assertion.valid.end_granularity,
        order=_order(assertion, time, assertion.valid.end_granularity, stated=stated),
        document_time=assertion.document_time,
        claim=assertion,
    )


def is_planned(assertion: Assertion, time: int) -> bool:
    """Whether what the claim says of a time is a plan: a register that says it at or after the time is past
    planning. ``time`` is the claim's start or end, in microseconds; OPEN_START leaves a plan a plan."""
    in_force = assertion.register and OPEN_START < time <= assertion.document_time
    return assertion.status is Status.PLANNED and not in_force


def _is_joint(assertion: Assertion) -> bool:
    return (SHARED, "yes") in assertion.qualifiers


def _order(assertion: Assertion, time: int, granularity: Granularity, *, stated: bool) -> Order:
    planned = is_planned(assertion, time)
    return (
        0 if assertion.verb is Verb.CORRECTION else 1,
        _PLANNED_RANK if planned else _STATUS_RANK.get(assertion.status, 0),
        0 if stated else 1,
        -assertion.source_priority,
        int(granularity) or _COARSEST,
        -assertion.confidence,
        -assertion.document_time,
        assertion.assertion_id,
    )


def begin_key(begin: Begin) -> tuple[int, Order]:
    """Sort key of begins: time, then the better claim."""
    return begin.time, begin.order


def stop_key(stop: Stop) -> tuple[int, Order]:
    """Sort key of stops: time, then the better claim."""
    return stop.time, stop.order


def handed_over(stops: Sequence[Stop], told: Sequence[Begin], kept: Sequence[Begin]) -> list[Stop]:
    """Ends that move along when a correction moves the start that they were told with.

    "Ann left on 1 June and Ben followed her" says one date: corrected to 1 July for Ben, it is Ann's as well.
    Of each value the latest correction counts, and it corrects the nearest start that was told before it.
    Only an end that the same document tells on its own, at that very time, moves. ``kept`` are the begins of
    ``told`` that no denial called off.
    """
    moves: dict[tuple[str, int, str], Begin] = {}
    for value, found in sorted(by_value(kept).items()):
        corrections = [begin for begin in found if begin.correction and begin.stated]
        if not corrections:
            continue
        last = min(corrections, key=lambda begin: (-begin.document_time, begin.order))
        former = [
            begin
            for begin in told
            if begin.value == value
            and begin.stated
            and not begin.correction
            and begin.time != last.time
            and begin.document_time <= last.document_time
        ]
        nearest = min((abs(begin.time - last.time), begin.time) for begin in former) if former else None
        for begin in former:
            if nearest == (abs(begin.time - last.time), begin.time):
                moves[begin.claim.document_id, begin.time, value] = last
    return [_moved(stop, moves) for stop in stops] if moves else list(stops)


def _moved(stop: Stop, moves: Mapping[tuple[str, int, str], Begin]) -> Stop:
    claim = stop.claim
    if claim is None or not stop.stated or stop.correction or claim.valid.start != OPEN_START:
        return stop
    for (document_id, time, value), last in moves.items():
        if (claim.document_id, stop.time) == (document_id, time) and stop.value != value:
            precision = int(last.granularity) or _COARSEST
            order = (*stop.order[:4], precision, *stop.order[5:])
            return replace(stop, time=last.time, granularity=last.granularity, order=order)
    return stop


@dataclass(slots=True)
class _Word:
    """What a register's revision says of one value: jointly held or not, and when it ends, if announced."""

    joint: bool = False
    end: int = OPEN_END
    granularity: Granularity = Granularity.UNKNOWN


@dataclass(slots=True)
class _Turn:
    """What a register's revision says under one key. ``ahead``: of what it announces, whether it is joint."""

    values: dict[str, _Word] = field(default_factory=lambda: defaultdict(_Word))
    ahead: set[bool] = field(default_factory=set)

    def take(self, assertion: Assertion, value: str) -> None:
        valid, time = assertion.valid, assertion.document_time
        if assertion.verb is Verb.STOP:
            if time < valid.end < OPEN_END and value:
                word = self.values[value]
                word.joint |= _is_joint(assertion)
                if valid.end < word.end:
                    word.end, word.granularity = valid.end, valid.end_granularity
        elif value:
            self.values[value].joint |= _is_joint(assertion)
            if valid.start > time:
                self.ahead.add(_is_joint(assertion))

    def keeps(self, word: _Word) -> bool:
        """Whether a value that is not said stands until one that is announced, and excludes it, begins."""
        return bool(self.ahead) and not (word.joint and all(self.ahead))


def silences(assertions: Iterable[Assertion], revisions: Iterable[Revision], policy: KeyPolicy) -> list[Stop]:
    """Where a register stopped saying a value: the document time of its first later revision without it.

    The end that the register had announced, where it lies before that revision. A revision that announces
    another value for later silences nothing; one that says a value again is a begin of its own.
    """
    said: dict[str, dict[int, _Turn]] = defaultdict(lambda: defaultdict(_Turn))
    for revision in revisions:
        if revision.register and revision.document_time != OPEN_START:
            said[revision.document_id][revision.document_time]  # a revision that says nothing counts
    for assertion in assertions:
        times = said.get(assertion.document_id)
        if times is None or not assertion.register or assertion.document_time not in times:
            continue
        if assertion.status is not Status.DENIED:
            times[assertion.document_time].take(assertion, value_of(assertion, policy))
    return [stop for document_id, times in said.items() for stop in _silences_of(document_id, times)]


def _silences_of(document_id: str, turns: Mapping[int, _Turn]) -> Iterator[Stop]:
    standing: dict[str, _Word] = {}
    for time, turn in sorted(turns.items(), key=lambda item: item[0]):
        for value in sorted(standing.keys() - turn.values.keys()):
            if not turn.keeps(standing[value]):
                yield _silence(document_id, value, standing.pop(value), time)
        standing |= turn.values


def _silence(document_id: str, value: str, word: _Word, told: int) -> Stop:
    announced = word.end <= told
    time = word.end if announced else told
    granularity = word.granularity if announced else Granularity.MICROSECOND
    order = (1, 0, 1, 0, int(granularity) or _COARSEST, 0.0, -told, f"{document_id}\0{value}")
    return Stop(time, value, False, False, False, False, granularity, order, told, None)


class _Denials:
    """What denials call off.

    A denial calls off plans of its value told no later than it. A denial beside a correction in the same
    document ("it is B, not A"; "on 1 April, not on 1 March") also calls off what had been told as a fact:
    all of another value, or what began at the denied time. No other denial touches a fact.
    """

    def __init__(self, assertions: Sequence[Assertion], policy: KeyPolicy) -> None:
        self._denials = [
            (assertion, value_of(assertion, policy))
            for assertion in assertions
            if assertion.status is Status.DENIED
        ]
        self._corrected = {
            (assertion.document_id, value_of(assertion, policy))
            for assertion in assertions
            if assertion.verb is Verb.CORRECTION and assertion.status is not Status.DENIED
        }
        self._correcting = {document_id for document_id, _ in self._corrected}

    def off(self, point: Begin | Stop) -> bool:
        """Whether some denial calls off this begin or stop."""
        return any(self._calls_off(denial, value, point) for denial, value in self._denials)

    def _calls_off(self, denial: Assertion, value: str, point: Begin | Stop) -> bool:
        if denial.document_time < point.document_time or value not in ("", point.value):
            return False
        if isinstance(point, Stop) != (denial.verb is Verb.STOP):
            return False
        if point.planned:
            return True
        if denial.document_id not in self._correcting or not value or point.correction:
            return False
        if (denial.document_id, value) not in self._corrected:
            return isinstance(point, Begin)
        denied_time = denial.valid.end if isinstance(point, Stop) else denial.valid.start
        return denied_time == point.time


def by_value(begins: Iterable[Begin]) -> Mapping[str, list[Begin]]:
    """Begins of each value, in the order given."""
    result: dict[str, list[Begin]] = defaultdict(list)
    for begin in begins:
        result[begin.value].append(begin)
    return result
