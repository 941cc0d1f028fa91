"""Average linkage over scored pairs, with decisions that bind, as a function of the set."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from typing import Final

from tidegraph.domain.interval import OPEN_START
from tidegraph.resolution.profiles import Candidate, Decision, DecisionKind

UNSEEN: Final = -7.0
"""Log-odds of a pair that shares no blocking key."""
FORBIDDEN: Final = -1e15
"""More than all that may be chosen between two groups: one refusal keeps them apart, however large."""
REQUIRED: Final = 1e6
CHOSEN: Final = 1e8
"""What somebody decided is joined before what a rule requires: a rule may part it from others only."""

_Entry = tuple[float, str, str, int, int]


class Linkage:
    """One run over a set of ids; sums of log-odds between groups, joined from the highest mean down."""

    def __init__(
        self,
        ids: Sequence[str],
        pairs: Mapping[tuple[str, str], float],
        decided: Mapping[tuple[str, str], float],
    ) -> None:
        number = {name: n for n, name in enumerate(ids)}
        self._members: dict[int, list[str]] = {n: [name] for n, name in enumerate(ids)}
        self._sums: dict[int, dict[int, tuple[float, int]]] = {n: {} for n in self._members}
        self._next = len(self._members)
        self._heap: list[_Entry] = []
        self._pairs: dict[str, dict[str, float]] = {}
        for (a, b), log_odds in sorted((dict(pairs) | dict(decided)).items()):
            x, y = number[a], number[b]
            self._sums[x][y] = self._sums[y][x] = (log_odds, 1)
            self._pairs.setdefault(a, {})[b] = log_odds
            self._pairs.setdefault(b, {})[a] = log_odds

    def join(self, floor: float) -> list[tuple[str, ...]]:
        """Join while the highest mean reaches the floor; groups sorted, each with its ids sorted."""
        for x in sorted(self._sums):
            for y in sorted(self._sums[x]):
                if x < y:
                    self._offer(x, y, floor)
        while self._heap:
            cost, _, _, x, y = heapq.heappop(self._heap)
            if x in self._members and y in self._members and -cost == self._mean(x, y):
                self._join(x, y, floor)
        return sorted(tuple(members) for members in self._members.values())

    def _mean(self, x: int, y: int) -> float:
        total, seen = self._sums[x].get(y, (0.0, 0))
        size = len(self._members[x]) * len(self._members[y])
        return (total + (size - seen) * UNSEEN) / size

    def _offer(self, x: int, y: int, floor: float) -> None:
        mean = self._mean(x, y)
        if mean >= floor:
            first, second = sorted((self._members[x][0], self._members[y][0]))
            heapq.heappush(self._heap, (-mean, first, second, x, y))

    def _join(self, x: int, y: int, floor: float) -> None:
        new, self._next = self._next, self._next + 1
        self._members[new] = sorted(self._members.pop(x) + self._members.pop(y))
        mine: dict[int, tuple[float, int]] = {}
        for old in (x, y):
            for other, (total, seen) in self._sums.pop(old).items():
                if other in self._members:
                    before = mine.get(other, (0.0, 0))
                    mine[other] = (before[0] + total, before[1] + seen)
                    self._sums[other].pop(old, None)
        self._sums[new] = mine
        for other, sums in mine.items():
            self._sums[other][new] = sums
        for other in sorted(mine):
            self._offer(new, other, floor)

    def undecided(
        self, reject: float, margin: float, members: Mapping[str, tuple[str, ...]]
    ) -> dict[str, tuple[Candidate, ...]]:
        """Single profiles that are not settled, with the groups that they may belong to, likeliest first.

        Either nothing was near enough to join and something is nearer than ``reject``, or the group that
        took the profile is less than ``margin`` nearer than another, and those two are apart.
        """
        found: dict[str, tuple[Candidate, ...]] = {}
        home = {unit: x for x, units in self._members.items() for unit in units}
        for unit, x in sorted(home.items()):
            if len(members[unit]) > 1 or self._is_chosen(unit, x):
                continue
            near = {}
            for y in self._around(unit):
                others = [other for other in self._members[y] if other != unit]
                if others and (mean := self._between([unit], others)) >= reject:
                    near[y] = Candidate(min(members[other][0] for other in others), mean)
            if (x not in near and near) or self._contested(unit, x, near, reject, margin):
                found[members[unit][0]] = tuple(
                    sorted(near.values(), key=lambda candidate: (-candidate.log_odds, candidate.entity_id))
                )
        return found

    def _is_chosen(self, unit: str, x: int) -> bool:
        """True when somebody decided for the profile's own group, whatever else comes near."""
        seen = self._pairs.get(unit, {})
        return any(seen.get(other, UNSEEN) >= CHOSEN for other in self._members[x])

    def _contested(
        self, unit: str, x: int, near: Mapping[int, Candidate], reject: float, margin: float
    ) -> bool:
        """True when a group that is apart from the profile's own comes nearly as near."""
        own = [other for other in self._members[x] if other != unit]
        return any(
            near[x].log_odds - candidate.log_odds < margin and self._between(own, self._members[y]) < reject
            for y, candidate in near.items()
            if y != x
        )

    def _around(self, unit: str) -> list[int]:
        """The groups with which the profile has a scored pair."""
        seen = self._pairs.get(unit, {})
        return sorted(y for y, units in self._members.items() if any(other in seen for other in units))

    def _between(self, left: Sequence[str], right: Sequence[str]) -> float:
        """The mean log-odds between two lists of ids."""
        total = sum(self._pairs.get(a, {}).get(b, UNSEEN) for a in left for b in right)
        return total / (len(left) * len(right))


def decided_pairs(
    decisions: Sequence[Decision], members: Mapping[str, tuple[str, ...]]
) -> dict[tuple[str, str], float]:
    """The scores of pairs of units that decisions stand for; the last one about a pair of ids holds.

    Between two units a refusal outweighs everything else.
    """
    unit_of = {member: unit for unit, ids in members.items() for member in ids}
    last: dict[tuple[str, str], Decision] = {}
    for decision in sorted(decisions, key=lambda d: (d.at, d.kind, d.by, d.why)):
        last[min(decision.a, decision.b), max(decision.a, decision.b)] = decision
    found: dict[tuple[str, str], float] = {}
    for (a, b), decision in sorted(last.items()):
        x, y = unit_of.get(a), unit_of.get(b)
        if x is None or y is None or x == y:
            continue
        required = CHOSEN if decision.at > OPEN_START else REQUIRED
        value = required if decision.kind is DecisionKind.MUST_LINK else FORBIDDEN
        pair = min(x, y), max(x, y)
        found[pair] = min(value, found.get(pair, value))
    return found
