"""Belief by definition: who holds a key at one instant of the world, as known at one instant.

Written to be read, not to be fast: every rule is asked anew for the instant in question, by looking at
all claims. It shares nothing with the implementation but the record types and the calendar.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from tests.properties.oracle_points import End, Start, end_rank, over_in, rank, read, weigh

from tidegraph.domain.documents import Verb
from tidegraph.domain.facts import Assertion, Revision
from tidegraph.domain.granules import granule
from tidegraph.domain.interval import OPEN_END, OPEN_START, Granularity
from tidegraph.domain.policies import KeyPolicy


@dataclass
class Stretch:
    """A value's time under the key before others cut into it."""

    who: str
    at: int
    until: int
    grain: Granularity
    until_grain: Granularity
    until_stated: bool
    through: bool
    inset: bool
    joint: bool
    rank: tuple = field(default=())


def stretches(starts, ends) -> list[Stretch]:
    """All dated stretches."""
    result: list[Stretch] = []
    lone: list[Stretch] = []
    for name in sorted({s.who for s in starts} | {e.who for e in ends}):
        mine = [s for s in starts if s.who == name]
        groups: list[list[Start]] = []
        for start in mine:
            if groups:
                last = groups[-1][-1]
                cut = any(
                    s.who != name and last.at < s.at < start.at and not (s.joint and last.joint)
                    for s in starts
                )
                if not cut and not over_in(ends, name, last.at, start.at):
                    groups[-1].append(start)
                    continue
            groups.append([start])
        own = [e for e in ends if e.who == name]
        runs_on = False
        for number, group in enumerate(groups):
            limit = groups[number + 1][0].at if number + 1 < len(groups) else OPEN_END
            mine_ends = [e for e in own if group[0].at < e.at <= limit]
            made = stretch(group, mine_ends, runs_on)
            runs_on = made.until == OPEN_END
            result.append(made)
        first = groups[0][0].at if groups else OPEN_END
        early = [e for e in own if e.at <= first and e.claim is not None]
        if any(e.named for e in early):
            best = best_end(early)
            lone.append(
                Stretch(name, OPEN_START, best.at, Granularity.UNKNOWN, best.grain, best.stated, False, False,
                        False,
                        (9, best.claim.assertion_id))
            )  # fmt: skip
    for item in sorted(lone, key=lambda one: (one.until, one.rank)):
        before = [s for s in result if s.at < item.until and s.who != item.who]
        if before:
            last = max(before, key=lambda s: (s.at, s.until, s.who))
            if last.until <= item.until and last.until_stated:
                item.at = min(last.until, item.until - 1)
            else:
                first = max(granule(item.until - 1, item.until_grain)[0], last.at + 1)
                item.at = min(first, item.until - 1)
                item.grain = item.until_grain
        result.append(item)
    return result


def stretch(group: list[Start], ends: list[End], runs_on: bool) -> Stretch:
    lead = lead_of(group)
    told_with_end = all(s.until != OPEN_END for s in group) and (bool(ends) or not runs_on)
    until, grain, stated, through = OPEN_END, Granularity.UNKNOWN, False, False
    if ends:
        best = best_end(ends)
        through = best.stated and any(
            best.claim is not None and s.claim.assertion_id == best.claim.assertion_id for s in group
        )
        until, grain, stated = max(best.at, lead.at + 1), best.grain, best.stated
    elif told_with_end:
        last = max(group, key=lambda s: s.until)
        until, grain = last.until, last.claim.valid.end_granularity
    ranks = [rank(s.claim, int(s.grain), s.stated) for s in group if s.at == lead.at]
    return Stretch(
        lead.who,
        lead.at,
        until,
        lead.grain,
        grain,
        stated,
        through,
        told_with_end,
        any(s.joint for s in group),
        min(ranks),
    )


def lead_of(group: list[Start]) -> Start:
    def key(s: Start) -> tuple:
        return (s.at, rank(s.claim, int(s.grain), s.stated))

    fixes = [s for s in group if s.claim.verb is Verb.CORRECTION and s.stated]
    if fixes:
        return min(fixes, key=lambda s: (-s.claim.document_time, rank(s.claim, int(s.grain), s.stated)))
    stated = [s for s in group if s.stated]
    if not stated:
        return min(group, key=key)
    top = min(rank(s.claim, int(s.grain), s.stated)[1:4] for s in stated)
    lead = min((s for s in stated if rank(s.claim, int(s.grain), s.stated)[1:4] == top), key=key)
    for s in stated:
        if (s.grain or 13) < (lead.grain or 13) and lead.at <= s.at < granule(lead.at, lead.grain)[1]:
            lead = s
    seen = [s for s in group if not s.stated and not s.planned and s.at < lead.at]
    return min(seen, key=key) if seen else lead


def best_end(ends: list[End]) -> End:
    fixes = [e for e in ends if e.claim is not None and e.claim.verb is Verb.CORRECTION and e.stated]
    if fixes:
        return min(fixes, key=lambda e: (-e.told, end_rank(e)))
    return min(ends, key=lambda e: (end_rank(e)[1:3], 0 if e.stated else e.at, end_rank(e)[3:], e.at))


def later(one: Stretch, other: Stretch) -> bool:
    return one.at > other.at or (one.at == other.at and order(one) < order(other))


def order(one: Stretch) -> tuple:
    return one.rank if len(one.rank) > 2 else (9, 9, 9, 0, 0, 0.0, 0, one.rank[1])


def rivals(one: Stretch, other: Stretch) -> bool:
    if one.who == other.who or (one.joint and other.joint):
        return False
    if one.at != other.at:
        return True
    return not any(
        a.until_stated and a.until <= granule(b.at, b.grain)[1] for a, b in ((one, other), (other, one))
    )


def holders(found: list[Stretch], time: int) -> list[Stretch]:
    """Who holds at an instant of the world."""
    gone = {id(s): took_over(s, found, time) for s in found}
    there = [s for s in found if s.at <= time < s.until and not gone[id(s)]]
    hidden = {
        id(s)
        for s in there
        if any(
            admitted(w, found) and not w.inset and later(w, s) and rivals(w, s) and w.at <= time < w.until
            for w in found
        )
    }
    there = [s for s in there if id(s) not in hidden]
    return [s for s in there if not any(later(w, s) and rivals(w, s) for w in there)]


def took_over(s: Stretch, found: list[Stretch], time: int) -> bool:
    """Whether, by ``time``, this stretch is over because of another one, or never counted."""
    if not admitted(s, found):
        return True
    if any(w.who == s.who and w is not s and s.at < w.at <= time and admitted(w, found) for w in found):
        return True
    return any(
        admitted(w, found)
        and not w.inset
        and later(w, s)
        and rivals(w, s)
        and w.at <= time
        and not (s.through and s.until > w.until)
        for w in found
    )


def admitted(s: Stretch, found: list[Stretch]) -> bool:
    """A stretch does not count when a better one with the same start takes the slot for all its time."""
    return not any(
        w.at == s.at
        and later(w, s)
        and rivals(w, s)
        and not w.inset
        and not (s.through and s.until > w.until)
        and admitted(w, found)
        for w in found
    )


def belief(claims: Sequence[Assertion], turns: Sequence[Revision], policy: KeyPolicy):
    """(stretches, undated (value, until)) of what counts at one known instant."""
    starts, ends = read(claims, turns, policy)
    named = [end for end in ends if end.who]
    dated = [start for start in starts if start.at != OPEN_START]
    for end in sorted((e for e in ends if not e.who), key=lambda e: (e.at, end_rank(e))):
        kept, left, _ = weigh(dated, named, policy)
        found = stretches(kept, left)
        value = ended(end, found)
        if value:
            named = [*named, replace(end, who=value)]
    kept, left, _ = weigh(dated, named, policy)
    return stretches(kept, left), [start for start in starts if start.at == OPEN_START], dated


def ended(end: End, found: list[Stretch]) -> str:
    period = granule(end.at - 1, end.grain)[0]
    for time in (period - 1, end.at - 1):
        names = {s.who for s in holders(found, time)}
        if names:
            return names.pop() if len(names) == 1 else ""
    return ""


class Oracle:
    """The values held at an instant of the world, when exactly these claims and revisions count."""

    def __init__(self, claims: Sequence[Assertion], turns: Sequence[Revision], policy: KeyPolicy) -> None:
        self._found, undated, dated = belief(claims, turns, policy)
        known = {start.who for start in dated}
        loose = [start for start in undated if start.who not in known]
        self._first = min((s.at for s in self._found if holders(self._found, s.at)), default=OPEN_END)
        best = min(loose, key=lambda s: rank(s.claim, int(s.grain), False), default=None)
        self._undated = best.who if best else ""

    def values_at(self, time: int) -> set[str]:
        names = {s.who for s in holders(self._found, time)}
        if not names and self._undated and time < self._first:
            return {self._undated}
        return names
