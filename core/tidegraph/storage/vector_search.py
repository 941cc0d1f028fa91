"""The vector leg over events and chunks.

The index takes no filter. It is asked for the nearest, and what may not be seen, or does not hold at the
asked time, is left out of them. When too few are left there are three ways on, and the one that costs least
is taken: time first, then exact distances; every row that passes; or the index, asked for more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tidegraph.domain.interval import Interval
from tidegraph.ports import Ranked, Vector, Visibility
from tidegraph.storage import queries, visibility
from tidegraph.storage.codec import Value
from tidegraph.storage.fact_reads import MAX_LIMIT
from tidegraph.storage.hits import Hit, HitReads, condition, more, of_status, scored

MIN_NEIGHBOURS: Final = 200
"""The beam of the index (efRuntime): fewer are found at the same cost."""
MAX_NEIGHBOURS: Final = 4_096
OVERFETCH: Final = 2
EXACT_MAX: Final = 10_000
"""Up to this many rows that may pass exact distances are looked at (3 microseconds each)."""
DURING_MIN: Final = 1_000
DURING_PER_ROOT: Final = 10
"""n exact distances cost as much as an index of N events of which n pass, when n is this many times the
root of N: what is asked of it grows with N / n.
"""
MANY: Final = 2.0
"""How many times too many events inside a time are surely too many, by a sample."""
SCAN_MAX: Final = 500_000
"""Rows that are looked at for those that may be seen, when the index gave too few: a tenth of a second."""
ROW_COST: Final = 0.2
DISTANCE_COST: Final = 3.2
NEIGHBOUR_COST: Final = 4.5
"""Microseconds, as measured: a row that the filter leaves out, an exact distance, one more neighbour."""


@dataclass(frozen=True, slots=True)
class _Near:
    """Of the nearest those that pass, how many the index gave, and how many of these the filter left out."""

    kept: list[Hit]
    reached: int
    pruned: int


@dataclass(frozen=True, slots=True)
class _Asked:
    """What is searched for."""

    graph: str
    what: str
    condition: str
    values: dict[str, Value]
    seen: Visibility
    valid: Interval | None
    """When the revision of an undated row has to be in force."""
    limit: int


class VectorSearch(HitReads):
    """The vector leg."""

    async def search_vector(
        self,
        graph: str,
        what: str,
        vector: Vector,
        seen: Visibility,
        valid: Interval | None,
        limit: int,
        force: Interval | None = None,
    ) -> Ranked:
        """The nearest, best first; score is cosine similarity. ``Ranked.path`` says how it went."""
        if limit <= 0:
            return Ranked()
        values: dict[str, Value] = {"vector": vector, **visibility.event_parameters(seen)}
        holds = condition(what, valid, force, seen, values)
        asked = _Asked(graph, what, holds, values, seen, force or valid, limit)
        k = min(max(MIN_NEIGHBOURS, OVERFETCH * limit), MAX_NEIGHBOURS)
        near = await self._passing(asked, k)
        if len(near.kept) >= limit and near.reached >= k:
            return Ranked(scored(near.kept), "index", near.pruned)
        total = int((await self.connection.read_plain(graph, queries.VECTOR_COUNTS[what]))[0][0])
        dated = valid is not None and what == "event"
        while near.reached < total:
            # Many equal vectors (a sentence that every revision repeats) can cut the index into parts, of
            # which a query sees one: it gives fewer than are asked for, and the nearest may be in another.
            cut = near.reached < k and total <= EXACT_MAX
            if len(near.kept) >= limit and not cut:
                break
            further = more(k, len(near.kept), limit, MAX_NEIGHBOURS)
            if cut or _scan_is_cheaper(total, near, further):
                return Ranked(scored(await self._exact(asked)), "exact", near.pruned)
            if dated and not surely_many(near.kept, near.reached, k, total):
                if await self._few_during(asked, total):
                    return Ranked(scored(await self._during(asked, near)), "time first", near.pruned)
                dated = False
            if near.reached < k:
                break
            if k >= MAX_NEIGHBOURS:
                if total <= SCAN_MAX:
                    return Ranked(scored(await self._exact(asked)), "exact", near.pruned)
                break
            k = further
            near = await self._passing(asked, k)
        return Ranked(scored(near.kept), "index", near.pruned)

    async def _passing(self, asked: _Asked, k: int) -> _Near:
        """The first of the nearest ``k`` that pass. No more are looked up than are needed, as long as none of
        the others can be as near as the last of them.
        """
        graph, limit = asked.graph, asked.limit
        values = {**asked.values, "k": k}
        query = queries.search_vector(asked.what, asked.condition, "reach_to" in values)
        for look in (limit + limit // 4, k):
            rows = await self.connection.read_plain(graph, query, {**values, "look": look})
            if not rows:
                query = queries.reached_vectors(asked.what)
                counted = int((await self.connection.read_plain(graph, query, values))[0][0])
                return _Near([], counted, counted)
            hits = sorted((Hit.of(*row) for row in rows), key=lambda hit: (-hit.score, hit.id))
            kept, outdated = await self.passing_in_force(graph, hits, asked.valid, asked.seen, limit)
            if len(rows) < look or (len(kept) >= limit and kept[-1].score > hits[-1].score):
                break
        reached, close = rows[0][5:]
        passed = len(hits) if len(rows) < look else close
        return _Near(kept, reached, reached - passed + outdated)

    async def _few_during(self, asked: _Asked, total: int) -> bool:
        """True when looking at all events inside the time costs less than the index would."""
        bounds = {name: asked.values[name] for name in ("valid_from", "valid_to")}
        few = _few(total)
        query = queries.COUNT_DURING
        rows = await self.connection.read_plain(asked.graph, query, {**bounds, "limit": few + 1})
        return int(rows[0][0]) <= few

    async def _during(self, asked: _Asked, near: _Near) -> list[Hit]:
        """Exact distances to the events inside the time, with the undated ones that the index found."""
        exact = await self._distances(asked, of_status(queries.DURING, asked.seen), asked.limit)
        static = [hit for hit in near.kept if hit.undated]
        return sorted((*exact, *static), key=lambda hit: (-hit.score, hit.id))[: asked.limit]

    async def _exact(self, asked: _Asked) -> list[Hit]:
        """The nearest of all rows that pass."""
        hits = await self._distances(asked, asked.condition, MAX_LIMIT)
        kept, _ = await self.passing_in_force(asked.graph, hits, asked.valid, asked.seen, asked.limit)
        return kept

    async def _distances(self, asked: _Asked, holds: str, limit: int) -> list[Hit]:
        query = queries.exact_vector(asked.what, holds)
        values = {**asked.values, "limit": min(limit, MAX_LIMIT)}
        return [Hit.of(*row) for row in await self.connection.read_plain(asked.graph, query, values)]


def _few(total: int) -> int:
    """Up to how many events inside a time are looked at one by one."""
    return min(EXACT_MAX, max(DURING_MIN, int(DURING_PER_ROOT * total**0.5)))


def surely_many(kept: Sequence[Hit], reached: int, k: int, total: int) -> bool:
    """Whether so many of the nearest ``k`` are dated inside the time that such events need not be counted.

    An index that gave fewer than it was asked for tells nothing of the others.
    """
    dated = sum(not hit.undated for hit in kept)
    return reached >= k and total * dated > MANY * _few(total) * reached


def _scan_is_cheaper(total: int, near: _Near, further: int) -> bool:
    """Whether all rows cost less than ``further`` neighbours, if of all as many pass as of those reached."""
    passing = total * max(1, len(near.kept)) / max(1, near.reached)
    return total * ROW_COST + passing * DISTANCE_COST < further * NEIGHBOUR_COST
