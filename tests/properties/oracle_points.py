"""The oracle's first half: what claims say begins and ends when, and which of it counts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tidegraph.domain.documents import EndpointBasis, Status, Verb
from tidegraph.domain.facts import Assertion, Revision
from tidegraph.domain.granules import granule
from tidegraph.domain.interval import OPEN_END, OPEN_START, Granularity
from tidegraph.domain.policies import KeyPolicy, OnStart, OnState, OnStop


@dataclass
class Start:
    """A value starts, or is seen, at ``at``; ``until`` is how far the claim carries it."""

    at: int
    who: str
    claim: Assertion | None
    until: int

    @property
    def stated(self) -> bool:
        return self.claim.valid.start_basis is EndpointBasis.STATED

    @property
    def planned(self) -> bool:
        return self.claim.status is Status.PLANNED

    @property
    def joint(self) -> bool:
        return ("shared", "yes") in self.claim.qualifiers

    @property
    def grain(self) -> Granularity:
        return self.claim.valid.start_granularity


@dataclass
class End:
    """A value is over at ``at``."""

    at: int
    who: str
    claim: Assertion | None
    stated: bool
    grain: Granularity
    told: int
    label: str
    named: bool

    @property
    def planned(self) -> bool:
        return self.claim is not None and self.claim.status is Status.PLANNED


def who(claim: Assertion, policy: KeyPolicy) -> str:
    return claim.subject if policy.value_is_subject else claim.object


def rank(claim: Assertion, grain: int, stated: bool) -> tuple:
    """Smaller is better."""
    return (
        claim.verb is not Verb.CORRECTION,
        {Status.REPORTED: 1, Status.PLANNED: 2}.get(claim.status, 0),
        not stated,
        -claim.source_priority,
        grain or 99,
        -claim.confidence,
        -claim.document_time,
        claim.assertion_id,
    )


def end_rank(end: End) -> tuple:
    if end.claim is None:
        return (True, 0, True, 0, int(end.grain) or 99, 0.0, -end.told, end.label)
    return rank(end.claim, int(end.grain), end.stated)


def read(claims: Sequence[Assertion], turns: Sequence[Revision], policy: KeyPolicy):
    """(starts, ends) of all claims that are not denied."""
    starts, ends = [], []
    for claim in claims:
        if claim.status is Status.DENIED:
            continue
        valid, over = claim.valid, claim.verb is Verb.STOP or claim.status is Status.CEASED
        known = valid.end_basis is EndpointBasis.STATED and valid.end != OPEN_END
        until = valid.end
        if valid.start != OPEN_START and known and until <= valid.start:
            first, after = granule(valid.start, max(valid.start_granularity, valid.end_granularity))
            if until < first:
                continue
            until = after
        happens = policy.on_start is OnStart.HAPPENS
        if happens and not over and valid.start != OPEN_START and not known:
            until, known = granule(valid.start, valid.start_granularity)[1], True
        name = who(claim, policy)
        if name and valid.start != OPEN_START:
            seen = valid.end if valid.end_basis is EndpointBasis.OBSERVED else OPEN_END
            told = in_force(claim, valid.start)
            starts.append(Start(valid.start, name, told, min(until, seen) if known else seen))
        elif name and not over and not known:
            starts.append(Start(OPEN_START, name, claim, OPEN_END))
        counts = policy.on_stop is OnStop.ENDS or happens or not over
        if counts and (known or (over and until != OPEN_END and valid.end_basis is EndpointBasis.OBSERVED)):
            ends.append(
                End(
                    until,
                    name,
                    in_force(claim, until),
                    known,
                    valid.end_granularity,
                    claim.document_time,
                    claim.assertion_id,
                    bool(name),
                )
            )
    if policy.on_stop is OnStop.ENDS:
        ends += silent(claims, turns, policy)
    denials = [claim for claim in claims if claim.status is Status.DENIED]
    kept = [start for start in starts if not any(kills(d, start, claims, policy) for d in denials)]
    ends = [end for end in ends if not any(kills(d, end, claims, policy) for d in denials)]
    return kept, [follow(end, starts, kept) for end in ends]


def follow(end: End, told: Sequence[Start], kept: Sequence[Start]) -> End:
    """An end told beside a start, at its time, goes where the last correction moved that start."""
    claim = end.claim
    if claim is None or not end.stated or claim.verb is Verb.CORRECTION or claim.valid.start != OPEN_START:
        return end
    beside = sorted(
        {
            start.who
            for start in told
            if start.claim.document_id == claim.document_id
            and start.at == end.at
            and start.who != end.who
            and start.stated
            and start.claim.verb is not Verb.CORRECTION
        }
    )
    for name in beside:
        corrections = [s for s in kept if s.who == name and s.stated and s.claim.verb is Verb.CORRECTION]
        if not corrections:
            continue
        last = min(corrections, key=lambda s: (-s.claim.document_time, rank(s.claim, int(s.grain), True)))
        former = [
            s
            for s in told
            if s.who == name
            and s.stated
            and s.claim.verb is not Verb.CORRECTION
            and s.at != last.at
            and s.claim.document_time <= last.claim.document_time
        ]
        here = [s for s in former if s.at == end.at and s.claim.document_id == claim.document_id]
        if here and all((abs(end.at - last.at), end.at) <= (abs(s.at - last.at), s.at) for s in former):
            return replace(end, at=last.at, grain=last.grain)
    return end


def in_force(claim: Assertion, at: int) -> Assertion:
    """A plan that a register still tells at or after its time is a plan no longer."""
    told_late = claim.register and at <= claim.document_time and claim.status is Status.PLANNED
    return replace(claim, status=Status.ASSERTED) if told_late else claim


def joint(claim: Assertion) -> bool:
    return ("shared", "yes") in claim.qualifiers


def ahead(claim: Assertion) -> bool:
    """Whether a claim announces an end, or a start, after its document."""
    valid = claim.valid
    return claim.document_time < (valid.end if claim.verb is Verb.STOP else valid.start) < OPEN_END


def silent(claims, turns, policy) -> list[End]:
    found = []
    for document in {turn.document_id for turn in turns if turn.register}:
        times = {turn.document_time for turn in turns if turn.document_id == document and turn.register}
        pages = {
            time: [
                claim
                for claim in claims
                if claim.register
                and claim.document_id == document
                and claim.document_time == time
                and claim.status is not Status.DENIED
                and who(claim, policy)
                and (claim.verb is not Verb.STOP or ahead(claim))
            ]
            for time in sorted(times - {OPEN_START})
        }
        for name in {who(claim, policy) for page in pages.values() for claim in page}:
            found += silent_about(name, document, pages, policy)
    return found


def silent_about(name: str, document: str, pages: dict[int, list[Assertion]], policy: KeyPolicy) -> list[End]:
    """The ends of a value that a register's pages, by document time, no longer say."""
    found = []
    for told in pages:
        before = [time for time in pages if time < told and stands(name, time, pages, policy)]
        if not before or max(before) != max(time for time in pages if time < told):
            continue
        if stands(name, told, pages, policy):
            continue
        last = max(time for time in pages if time < told and about(name, pages[time], policy))
        dues = [c for c in about(name, pages[last], policy) if c.verb is Verb.STOP and c.valid.end <= told]
        due = min(dues, key=lambda claim: claim.valid.end, default=None)
        at = due.valid.end if due else told
        grain = due.valid.end_granularity if due else Granularity.MICROSECOND
        found.append(End(at, name, None, False, grain, told, f"{document}\0{name}", False))
    return found


def about(name: str, page: Sequence[Assertion], policy: KeyPolicy) -> list[Assertion]:
    return [claim for claim in page if who(claim, policy) == name]


def stands(name: str, time: int, pages: dict[int, list[Assertion]], policy: KeyPolicy) -> bool:
    """Whether a register says a value by its page of ``time``, or leaves it until an announced one."""
    if about(name, pages[time], policy):
        return True
    former = max((other for other in pages if other < time), default=None)
    if former is None or not stands(name, former, pages, policy):
        return False
    last = max(other for other in pages if other < time and about(name, pages[other], policy))
    shared = any(joint(claim) for claim in about(name, pages[last], policy))
    coming = [claim for claim in pages[time] if claim.verb is not Verb.STOP and ahead(claim)]
    return any(not (shared and joint(claim)) for claim in coming)


def kills(denial: Assertion, point: Start | End, claims, policy: KeyPolicy) -> bool:
    """Whether a denial calls a start or an end off."""
    told = point.claim.document_time if point.claim else point.told
    name = who(denial, policy)
    if told > denial.document_time or name not in ("", point.who):
        return False
    if isinstance(point, End) is not (denial.verb is Verb.STOP):
        return False
    if point.planned:
        return True
    fixes = [
        claim
        for claim in claims
        if claim.verb is Verb.CORRECTION
        and claim.status is not Status.DENIED
        and claim.document_id == denial.document_id
    ]
    if not fixes or not name or (point.claim is not None and point.claim.verb is Verb.CORRECTION):
        return False
    if any(who(fix, policy) == name for fix in fixes):
        return point.at == (denial.valid.end if isinstance(point, End) else denial.valid.start)
    return isinstance(point, Start)


def over_in(ends: Sequence[End], name: str, after: int, until: int) -> bool:
    return any(end.who == name and after < end.at <= until for end in ends)


def weigh(starts: list[Start], ends: list[End], policy: KeyPolicy):
    """(starts, ends, stale): what is left after plans called off, lapsed plans and stale repeats."""
    starts = sorted(starts, key=lambda s: (s.at, rank(s.claim, int(s.grain), s.stated)))
    ends = sorted(ends, key=lambda e: (e.at, end_rank(e)))
    off, used = set(), set()
    for start in starts:
        begun = [s.at for s in starts if s.who == start.who and not s.planned]
        for end in ends:
            told_after = end.told >= start.claim.document_time
            early = end.claim is not None and not end.planned and end.at <= start.at
            if (
                start.planned
                and end.who == start.who
                and told_after
                and early
                and min(begun, default=OPEN_END) >= end.at
            ):
                off.add(start.claim.assertion_id)
                used.add(end.claim.assertion_id)
    starts = [s for s in starts if s.claim.assertion_id not in off]
    ends = [e for e in ends if e.claim is None or e.claim.assertion_id not in off | used]
    ends = sorted([moved(end, starts, ends) for end in ends], key=lambda e: (e.at, end_rank(e)))
    ends = [end for end in ends if not lapsed_end(end, starts, ends)]
    if not policy.exclusive:
        return starts, ends, []
    starts = [start for start in starts if not lapsed_start(start, starts, ends)]
    kept, stale = [], []
    for start in starts:
        (stale if repeats(start, kept, ends, policy) else kept).append(start)
    return kept, ends, stale


def moved(end: End, starts, ends) -> End:
    if end.claim is None or end.claim.valid.start != OPEN_START:
        return end
    before = [s.at for s in starts if s.who == end.who and s.at < end.at]
    inside = [s.at for s in starts if s.who == end.who and end.at <= s.at < granule(end.at, end.grain)[1]]
    running = before and not over_in(ends, end.who, max(before), end.at - 1)
    return replace(end, at=granule(end.at, end.grain)[1]) if inside and not running else end


def lapsed_end(end: End, starts, ends) -> bool:
    if not end.planned:
        return False
    later = [start for start in starts if start.at > end.at and not start.planned]
    firm = [e for e in ends if not e.planned]
    return bool(
        later
        and later[0].who == end.who
        and not later[0].stated
        and not over_in(firm, end.who, end.at, later[0].at)
    )


def lapsed_start(start: Start, starts, ends) -> bool:
    if not start.planned:
        return False
    place = next(i for i, s in enumerate(starts) if s is start)
    before = [s for s in starts[:place] if not s.planned]
    after = [s for s in starts[place + 1 :] if not s.planned]
    if not before or not after:
        return False
    same = before[-1].who == after[0].who != start.who
    return same and not after[0].stated and not over_in(ends, before[-1].who, before[-1].at, after[0].at)


def repeats(start: Start, kept, ends, policy) -> bool:
    """A state that repeats a holder whom a stated start of another has replaced since."""
    former = [s.at for s in kept if s.who == start.who]
    if (
        policy.on_state is OnState.ASSERTS
        or start.stated
        or start.planned
        or start.claim.register
        or not former
    ):
        return False
    return any(
        other.stated
        and not other.planned
        and other.who != start.who
        and other.at > max(former)
        and not (other.joint and start.joint)
        and not over_in(ends, other.who, other.at, start.at)
        for other in kept
    )
