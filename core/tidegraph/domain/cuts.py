"""Where the valid axis of a key may be cut in two, so that each side can be resolved without the other.

A cut lies where a spell of value B starts, such that

- B's start is stated as a fact, B goes on open-ended, nothing else is told of that instant, and B's spell is
  its own: B had stopped before, or another began after B's last begin before the cut; no other begin of B on
  the right side, better told or finer, moves the start of that spell;
- every begin, stop and period named by either side lies wholly on its side, and so does the period within
  which the left side ends, without naming its start, a value that the right side tells of;
- what the right side says of a value that the left side knows begins with a stated start that is open-ended,
  or has a stated end and nothing of the value in between. So the first spell there is the same whatever was
  told before: it is neither stale nor a part of an earlier one, its stops are its own, and whether it goes on
  does not hang on how the value had ended.

- a value of which a plan tells is told on one side only; and B's start is no plan;
- a stop of whoever held then, and the period before it in which the holder is looked up, lie on one side.

Then the left side, resolved with B's start behind it, is bounded by B for good, and the right side owes it
nothing: every step from begins and stops to spells and pieces gives for both what it gives for each.

Denials have no place on the axis. As long as nothing is corrected they call off plans of their value and
touch nothing else, so they need to be heard only where such a plan is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tidegraph.domain.documents import EndpointBasis, Status, Verb
from tidegraph.domain.evidence import value_of
from tidegraph.domain.facts import Assertion
from tidegraph.domain.granules import granule_before, granule_end
from tidegraph.domain.interval import OPEN_END, OPEN_START, Interval
from tidegraph.domain.policies import SHARED, KeyPolicy, OnStart, OnStop
from tidegraph.domain.slots import Span

Entry = tuple[int, str, Assertion]
"""(first instant, assertion id, claim)."""


def entry(claim: Assertion, policy: KeyPolicy) -> Entry:
    """A claim by the first instant that it names."""
    return extent(claim, policy)[0], claim.assertion_id, claim


def extent(claim: Assertion, policy: KeyPolicy) -> tuple[int, int]:
    """The first and the last instant that a plain claim names."""
    valid = claim.valid
    if _is_unnamed(claim, policy):
        looked_up = granule_before(valid.end, valid.end_granularity) - 1
        return looked_up, max(valid.end, granule_end(valid.end, valid.end_granularity))
    if valid.start == OPEN_START:
        return valid.end, valid.end
    return valid.start, max(valid.start, valid.end) if valid.end != OPEN_END else valid.start


def is_plain(claim: Assertion, policy: KeyPolicy) -> bool:
    """Whether a claim works only where its times lie: no denial, correction, register or joint holder, no
    undated side, no end before or at its start; who is not named stopped, and not by plan."""
    valid = claim.valid
    stops = claim.verb is Verb.STOP or claim.status is Status.CEASED
    known_stop = valid.end != OPEN_END and valid.end_basis in (EndpointBasis.STATED, EndpointBasis.OBSERVED)
    unnamed = stops and valid.start == OPEN_START and not is_plan(claim)
    return (
        claim.status is not Status.DENIED
        and claim.verb is not Verb.CORRECTION
        and not claim.register
        and (unnamed or not _is_unnamed(claim, policy))
        and (SHARED, "yes") not in claim.qualifiers
        and (known_stop if stops else valid.start != OPEN_START)
        and (valid.start == OPEN_START or valid.end > valid.start)
        and policy.on_start is OnStart.OPENS
        and policy.on_stop is OnStop.ENDS
    )


def is_denial(claim: Assertion) -> bool:
    """Whether a claim does nothing but call off plans, as long as nothing under its key is corrected."""
    return claim.status is Status.DENIED and not claim.register


def is_plan(claim: Assertion) -> bool:
    """Whether a claim that is no register's tells of a plan."""
    return claim.status is Status.PLANNED


def _is_unnamed(claim: Assertion, policy: KeyPolicy) -> bool:
    return not value_of(claim, policy)


def begins(claim: Assertion) -> bool:
    """Whether a plain claim tells since when."""
    return claim.valid.start != OPEN_START


def stop_time(claim: Assertion) -> int | None:
    """When a plain claim says that its value stopped."""
    stops = claim.verb is Verb.STOP or claim.status is Status.CEASED
    return claim.valid.end if stops or claim.valid.end_basis is EndpointBasis.STATED else None


def _states_open_start(claim: Assertion) -> bool:
    valid = claim.valid
    stated = valid.start_basis is EndpointBasis.STATED and begins(claim)
    return stated and valid.end == OPEN_END and not is_plan(claim)


def leaning(claims: Sequence[Entry], policy: KeyPolicy) -> set[str]:
    """Values of which these claims do not begin with a spell that is the same whatever was told before."""
    first_told: dict[str, int] = {}
    found: set[str] = set()
    for place, (first, _, claim) in enumerate(claims):
        value = value_of(claim, policy)
        if (
            value
            and first_told.setdefault(value, first) == first
            and not (_states_open_start(claim) or _states_whole(claim, claims[place + 1 :], policy))
        ):
            found.add(value)
    return found


def _states_whole(claim: Assertion, later: Iterable[Entry], policy: KeyPolicy) -> bool:
    """Whether a claim states a start and an end, and that end is certain to end what began then."""
    valid = claim.valid
    if not begins(claim) or {valid.start_basis, valid.end_basis} != {EndpointBasis.STATED}:
        return False
    for first, _, other in later:
        if first >= valid.end:
            break
        if value_of(other, policy) == value_of(claim, policy) and begins(other):
            return False
    return True


def loose_period(claim: Assertion, policy: KeyPolicy) -> Interval | None:
    """The period that a stop without a start names: what began within it may be what it ends."""
    valid = claim.valid
    if begins(claim) or stop_time(claim) is None or _is_unnamed(claim, policy):
        return None
    return Interval(valid.end, max(valid.end + 1, granule_end(valid.end, valid.end_granularity)))


def hands_over(left: Sequence[Entry], successor: Assertion, policy: KeyPolicy) -> bool:
    """Whether the successor's start begins a spell of its own after these claims."""
    value = value_of(successor, policy)
    mine = [item[2] for item in left if value_of(item[2], policy) == value]
    last = max((claim.valid.start for claim in mine if begins(claim)), default=OPEN_START)
    if last == OPEN_START and not mine:
        return True
    for claim in mine:
        stop = stop_time(claim)
        if stop is not None and last < stop <= successor.valid.start:
            return True
    return any(
        value_of(claim, policy) != value
        and claim.valid.start_basis is EndpointBasis.STATED  # neither stale nor called off: it interrupts
        and not is_plan(claim)
        and claim.valid.start > last
        for _, _, claim in left
    )


def opens(spans: Sequence[Span], first: Assertion) -> bool:
    """Whether a block's first span is that of the claim at its cut."""
    if not spans:
        return False
    span = min(spans, key=lambda span: span.valid.start)
    return (
        span.valid.start == first.valid.start
        and span.start_known
        and span.start_granularity == first.valid.start_granularity
        and (span.subject, span.object) == (first.subject, first.object)
    )


def holds_first(claims: Sequence[Entry], policy: KeyPolicy) -> bool:
    """Whether the spell at a block's cut starts there, whichever other begins of its value are in that spell.

    What is believed does not tell: a spell from before the cut may go on there. Nor is it settled how many
    begins are in the spell while the first of several unnamed stops are looked up.
    """
    instant, _, successor = claims[0]
    value, limit = value_of(successor, policy), granule_end(instant, successor.valid.start_granularity)
    rank = successor.status is Status.REPORTED, -successor.source_priority
    return all(
        first >= limit and (claim.status is Status.REPORTED, -claim.source_priority) >= rank
        for first, _, claim in claims[1:]
        if value_of(claim, policy) == value and begins(claim)
    )


def plans_of(claims: Iterable[Entry], policy: KeyPolicy) -> set[str]:
    """The values of which plans tell."""
    return {value_of(claim, policy) for _, _, claim in claims if is_plan(claim)}


def may_cut(left: Sequence[Entry], right: Sequence[Entry], spans: Iterable[Span], policy: KeyPolicy) -> bool:
    """Whether claims may be cut in two here. ``spans`` are what is believed of both sides together."""
    instant, _, successor = right[0]
    if not _states_open_start(successor) or left[-1][0] >= instant:
        return False
    if len(right) > 1 and right[1][0] <= instant:
        return False
    if any(extent(item[2], policy)[1] > instant for item in left):
        return False
    if not opens([span for span in spans if span.valid.start >= instant], successor):
        return False
    told = {value_of(item[2], policy) for item in right}
    both = {value_of(item[2], policy) for item in left} & told
    if (leaning(right, policy) | plans_of(left, policy) | plans_of(right, policy)) & both:
        return False
    loose = (loose_period(item[2], policy) for item in left if value_of(item[2], policy) in told)
    if any(one and one.end > instant for one in loose):
        return False
    return hands_over(left, successor, policy) and holds_first(right, policy)
