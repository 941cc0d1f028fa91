"""Average linkage over scored pairs, with decisions that bind, as a function of the set."""

from __future__ import annotations

import heapq
from collections.abc import Mapping, Sequence
from typing import Final

from tidegraph.resolution.model import Model
from tidegraph.resolution.profiles import Candidate, Clusters, Decision, DecisionKind

UNSEEN: Final = -7.0
"""Log-odds of a pair that shares no blocking key."""
FORBIDDEN: Final = -1e9
REQUIRED: Final = 1e6


class Linkage:
    """One run over a set of ids; sums of log-odds between groups, joined from the highest mean down."""

    def __init__(
        self,
        ids: Sequence[str],
        pairs: Mapping[tuple[str, str], float],
        decisions: Sequence[Decision],
        model: Model,
    ) -> None:
        self._ids = list(ids)
        self._model = model
        self._members: dict[int, list[str]] = {n: [name] for n, name in enumerate(self._ids)}
        self._sums: dict[int, dict[int, tuple[float, int]]] = {n: {} for n in self._members}
        number = {name: n for n, name in enumerate(self._ids)}
        for (a, b), log_odds in sorted((dict(pairs) | _decided(decisions, number.keys())).items()):
            x, y = number[a], number[b]
            self._sums[x][y] = self._sums[y][x] = (log_odds, 1)

    def clusters(self) -> Clusters:
        """Join while the highest mean reaches the threshold, then name who stays undecided."""
        heap: list[tuple[float, str, str, int, int]] = []
        for x in sorted(self._sums):
            for y in sorted(self._sums[x]):
                if x < y:
                    self._offer(heap, x, y)
        heapq.heapify(heap)
        while heap:
            cost, _, _, x, y = heapq.heappop(heap)
            if x in self._members and y in self._members and -cost == self._mean(x, y):
                self._join(heap, x, y)
        groups = sorted(tuple(sorted(members)) for members in self._members.values())
        return Clusters(tuple(groups), self._undecided())

    def _mean(self, x: int, y: int) -> float:
        total, seen = self._sums[x].get(y, (0.0, 0))
        size = len(self._members[x]) * len(self._members[y])
        return (total + (size - seen) * UNSEEN) / size

    def _offer(self, heap: list[tuple[float, str, str, int, int]], x: int, y: int) -> None:
        mean = self._mean(x, y)
        if mean >= self._model.accept:
            first, second = sorted((self._members[x][0], self._members[y][0]))
            heapq.heappush(heap, (-mean, first, second, x, y))

    def _join(self, heap: list[tuple[float, str, str, int, int]], x: int, y: int) -> None:
        new = max(self._sums) + 1
        self._members[new] = sorted(self._members.pop(x) + self._members.pop(y))
        mine: dict[int, tuple[float, int]] = {}
        for old in (x, y):
            for other, (total, seen) in self._sums.pop(old).items():
                if other in self._members:
                    before = mine.get(other, (0.0, 0))
                    mine[other] = (before[0] + total, before[1] + seen)
                self._sums.get(other, {}).pop(old, None)
        self._sums[new] = mine
        for other, sums in mine.items():
            self._sums[other][new] = sums
        for other in sorted(mine):
            self._offer(heap, new, other)

    def _undecided(self) -> dict[str, tuple[Candidate, ...]]:
        undecided: dict[str, tuple[Candidate, ...]] = {}
        for x, members in self._members.items():
            if len(members) > 1:
                continue
            near = [
                Candidate(self._members[y][0], mean)
                for y in self._sums[x]
                if (mean := self._mean(x, y)) >= self._model.reject
            ]
            if near:
                undecided[members[0]] = tuple(sorted(near, key=lambda c: (-c.log_odds, c.entity_id)))
        return dict(sorted(undecided.items()))


def _decided(decisions: Sequence[Decision], known: object) -> dict[tuple[str, str], float]:
    """The pair scores that decisions stand for; the last one about a pair holds."""
    last: dict[tuple[str, str], Decision] = {}
    for decision in sorted(decisions, key=lambda d: (d.at, d.kind, d.by, d.why)):
        if decision.a in known and decision.b in known and decision.a != decision.b:  # type: ignore[operator]
            last[min(decision.a, decision.b), max(decision.a, decision.b)] = decision
    return {
        pair: REQUIRED if decision.kind is DecisionKind.MUST_LINK else FORBIDDEN
        for pair, decision in last.items()
    }
