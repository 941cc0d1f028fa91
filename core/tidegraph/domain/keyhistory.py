"""The belief history of one busy key, kept up to date claim by claim.

:func:`tidegraph.domain.belief.history` looks at all evidence under a key. Where a key has thousands of
assertions and the next one is the newest, that is wasteful: what it changes lies close to it on the valid
axis. :class:`KeyHistory` cuts the axis into blocks at instants across which nothing reaches (``cuts``), and
resolves only the block that a claim falls into. Wherever that is not plainly so it resolves the whole key.
"""

from __future__ import annotations

from bisect import bisect_right, insort
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from tidegraph.domain.belief import Plan, replan
from tidegraph.domain.canonical import content_of, version_of
from tidegraph.domain.cuts import (
    Entry,
    entry,
    extent,
    hands_over,
    holds_first,
    is_denial,
    is_plain,
    is_plan,
    leaning,
    loose_period,
    may_cut,
    opens,
    plans_of,
)
from tidegraph.domain.errors import Bug
from tidegraph.domain.evidence import value_of
from tidegraph.domain.facts import Assertion, FactVersion, Revision
from tidegraph.domain.interval import OPEN_END, OPEN_START, Interval
from tidegraph.domain.policies import KeyPolicy
from tidegraph.domain.slots import Span, resolve

BLOCK_CLAIMS: Final = 6
"""A block longer than this is cut in two where it can be."""
CUT_TRIALS: Final = 16
"""How far from its middle a block is tried."""


@dataclass(slots=True)
class _Block:
    """The claims between two cuts, by (first instant, id), and what is believed there."""

    start: int
    claims: list[Entry] = field(default_factory=list)
    spans: tuple[Span, ...] = ()


class KeyHistory:
    """All evidence of one key with the versions it was planned into; evidence is added newest last.

    After every call the rows that the plans so far made are, coalesced, ``history`` of all evidence so far.
    """

    def __init__(
        self,
        assertions: Iterable[Assertion],
        revisions: Iterable[Revision],
        policy: KeyPolicy,
        stored: Iterable[FactVersion],
    ) -> None:
        """``stored`` are the versions planned from exactly this evidence, closed ones included."""
        self._policy = policy
        self._claims = {claim.assertion_id: claim for claim in assertions}
        self._revisions = tuple(revisions)
        self._rows = {row.version_id: row for row in stored}
        self._before: dict[str, FactVersion | None] = {}
        self._newest = max((_last_change(item) for item in self._evidence()), default=OPEN_START)
        self._cut()

    def add(self, claim: Assertion, revisions: Iterable[Revision] = ()) -> Plan:
        """Take one more assertion in, with the revisions that came with it; the writes it takes.

        Raises:
            Bug: the claim is recorded or withdrawn before evidence that is already here.
        """
        revisions = tuple(revisions)
        since = min([claim.recorded_at, *(revision.recorded_at for revision in revisions)])
        if claim.assertion_id in self._claims:
            return Plan((), ())
        if since < self._newest:
            raise Bug("NOT_NEWEST", "a key history takes evidence in the order in which it was recorded")
        self._claims[claim.assertion_id] = claim
        self._revisions += revisions
        arrived: list[Assertion | Revision] = [claim, *revisions]
        self._newest = max(map(_last_change, arrived))
        writes = self._local(claim) if self._blocks and not revisions else None
        if writes is None:
            writes = replan(
                self._rows.values(), list(self._claims.values()), self._revisions, self._policy, since
            )
            self._apply(writes)
            self._cut(in_step=True)
        return writes

    def versions(self) -> tuple[FactVersion, ...]:
        """All rows, closed ones included."""
        return tuple(self._rows.values())

    @property
    def claim_count(self) -> int:
        """How many claims are held."""
        return len(self._claims)

    @property
    def block_count(self) -> int:
        """Into how many blocks the key is cut; none where it is left whole."""
        return len(self._blocks)

    def takes(self, claims: Iterable[Assertion]) -> bool:
        """Whether these claims, one after another as they were recorded, may be added."""
        return all(
            claim.recorded_at >= self._newest and claim.withdrawn_at == OPEN_END and not claim.register
            for claim in claims
        )

    def settle(self) -> tuple[tuple[FactVersion, ...], tuple[FactVersion, ...]]:
        """(rows as they were, rows as they are) of all that changed since the last call.

        A row that is new is in the second only.
        """
        before = tuple(row for row in self._before.values() if row is not None)
        after = tuple(self._rows[id_] for id_ in self._before)
        self._before = {}
        return before, after

    def _evidence(self) -> list[Assertion | Revision]:
        return [*self._claims.values(), *self._revisions]

    def _apply(self, writes: Plan) -> None:
        for version_id, at in writes.close:
            row = self._rows[version_id]
            self._before.setdefault(version_id, row)
            self._rows[version_id] = replace(row, invalidated_at=at)
        for version in writes.insert:
            self._before.setdefault(version.version_id, None)
            self._rows[version.version_id] = version

    # --- blocks -----------------------------------------------------------------------------------

    def _cut(self, *, in_step: bool = False) -> None:
        """Cut the key anew, or leave it whole where some claim is not plain.

        ``in_step``: the rows were just planned, and need not be held against the evidence.
        """
        live = [claim for claim in self._claims.values() if claim.withdrawn_at > self._newest]
        self._blocks: list[_Block] = []
        self._starts: list[int] = []
        self._told: Counter[str] = Counter()
        self._leaning: Counter[str] = Counter()
        self._loose: dict[str, list[Interval]] = {}
        self._plans: set[str] = set()
        self._denials = [claim for claim in live if is_denial(claim)]
        self._current: dict[Span, str] = {}
        placed = [claim for claim in live if not is_denial(claim)]
        if not placed or not all(is_plain(claim, self._policy) for claim in placed):
            return
        for row in self._rows.values():
            if row.invalidated_at == OPEN_END:
                self._current[content_of(row)[1]] = row.version_id
        whole = _Block(
            OPEN_START, sorted(entry(claim, self._policy) for claim in placed), tuple(self._current)
        )
        if not in_step and set(self._current) != set(self._resolved(whole.claims, None)):
            raise Bug("KEY_HISTORY_OUT_OF_STEP", "the stored versions do not follow from the evidence")
        self._blocks, self._starts = [whole], [OPEN_START]
        self._told = Counter(value_of(claim, self._policy) for claim in placed)
        self._plans = plans_of(whole.claims, self._policy)
        for claim in placed:
            self._loosen(claim)
        self._leaning = Counter(leaning(whole.claims, self._policy))
        self._split(0)

    def _resolved(self, claims: Sequence[Entry], following: _Block | None) -> tuple[Span, ...]:
        """What these claims make believed, with the first that follows them, and what calls them off."""
        heard = [claim for _, _, claim in claims]
        if following is not None:
            heard.append(following.claims[0][2])
        plans = plans_of(claims, self._policy) if self._denials else ()
        if plans:
            heard += [one for one in self._denials if value_of(one, self._policy) in ("", *plans)]
        return resolve(heard, (), self._policy)

    def _loosen(self, claim: Assertion) -> None:
        period = loose_period(claim, self._policy)
        if period is not None:
            self._loose.setdefault(value_of(claim, self._policy), []).append(period)

    def _split(self, place: int) -> None:
        """Cut a block in two, again and again, as long as it is too long and can be."""
        pending = [place]
        while pending:
            place = pending.pop()
            block = self._blocks[place]
            if len(block.claims) <= BLOCK_CLAIMS:
                continue
            at = self._cut_place(block)
            if at is None:
                continue
            right = _Block(block.claims[at][0], block.claims[at:])
            left = _Block(block.start, block.claims[:at])
            left.spans = tuple(span for span in block.spans if span.valid.start < right.start)
            right.spans = tuple(span for span in block.spans if span.valid.start >= right.start)
            self._leaning.subtract(leaning(block.claims, self._policy))
            self._leaning.update(leaning(left.claims, self._policy))
            self._leaning.update(leaning(right.claims, self._policy))
            self._blocks[place : place + 1] = [left, right]
            self._starts[place : place + 1] = [left.start, right.start]
            pending = [other + (other > place) for other in pending] + [place + 1, place]

    def _cut_place(self, block: _Block) -> int | None:
        """The place nearest to the middle at which the claims of a block may be cut."""
        middle = len(block.claims) // 2
        near = range(max(1, middle - CUT_TRIALS), min(len(block.claims), middle + CUT_TRIALS))
        for at in sorted(near, key=lambda at: (abs(at - middle), at)):
            if may_cut(block.claims[:at], block.claims[at:], block.spans, self._policy):
                return at
        return None

    def _local(self, claim: Assertion) -> Plan | None:
        """The writes of a claim that touches one block only; None when that is not certain."""
        if claim.withdrawn_at != OPEN_END:
            return None
        if is_denial(claim):
            return self._denied(claim)
        if not is_plain(claim, self._policy):
            return None
        item = entry(claim, self._policy)
        place = bisect_right(self._starts, item[0]) - 1
        block = self._blocks[place]
        claims = list(block.claims)
        insort(claims, item)
        following = self._blocks[place + 1] if place + 1 < len(self._blocks) else None
        if not self._stays_inside(claim, block, claims, following):
            return None
        found = self._resolved(claims, following)
        limit = following.start if following is not None else OPEN_END
        spans = tuple(span for span in found if span.valid.start < limit)
        if following is not None and not opens(found[len(spans) :], following.claims[0][2]):
            return None
        if block.start != OPEN_START and not opens(spans, block.claims[0][2]):
            return None
        writes = self._changed(block.spans, spans, claim)
        if writes is None:
            return None
        self._told[value_of(claim, self._policy)] += 1
        self._plans |= plans_of([item], self._policy)
        self._loosen(claim)
        self._leaning.subtract(leaning(block.claims, self._policy))
        self._leaning.update(leaning(claims, self._policy))
        block.claims, block.spans = claims, spans
        self._split(place)
        return writes

    def _denied(self, claim: Assertion) -> Plan | None:
        """A denial calls off plans: without any of its value it changes nothing."""
        value = value_of(claim, self._policy)
        if value in self._plans or (self._plans and not value):
            return None
        self._denials.append(claim)
        return Plan((), ())

    def _stays_inside(
        self, claim: Assertion, block: _Block, claims: Sequence[Entry], following: _Block | None
    ) -> bool:
        """Whether the cuts beside a block hold with the claim in it, and what others say of its value."""
        first, last = extent(claim, self._policy)
        if first <= block.start != OPEN_START or (following is not None and last >= following.start):
            return False
        if block.start != OPEN_START and not holds_first(claims, self._policy):
            return False
        value = value_of(claim, self._policy)
        here = sum(value_of(known, self._policy) == value for _, _, known in block.claims)
        if value and self._told[value] > here:
            if is_plan(claim) or value in self._plans:
                return False
            leaned = value in leaning(block.claims, self._policy)
            if self._leaning[value] > leaned or value in leaning(claims, self._policy):
                return False
            if any(period.contains(first) for period in self._loose.get(value, ())):
                return False
            loose = loose_period(claim, self._policy)
            if loose is not None and following is not None and loose.end > following.start:
                return False
        return following is None or hands_over(claims, following.claims[0][2], self._policy)

    def _changed(self, before: Sequence[Span], after: Sequence[Span], claim: Assertion) -> Plan | None:
        old, new = set(before), set(after)
        key, now = claim.key, Interval(claim.recorded_at, OPEN_END)
        insert = []
        for span in after:
            if span in old:
                continue
            version = version_of(key, span, now)
            if version.version_id in self._rows:
                return None
            insert.append(version)
        close = [(self._current[span], claim.recorded_at) for span in before if span not in new]
        writes = Plan(tuple(insert), tuple(sorted(close)))
        self._apply(writes)
        for span in before:
            if span not in new:
                del self._current[span]
        for span, version in zip([span for span in after if span not in old], insert, strict=True):
            self._current[span] = version.version_id
        return writes


def _last_change(item: Assertion | Revision) -> int:
    return item.recorded_at if item.withdrawn_at == OPEN_END else item.withdrawn_at
