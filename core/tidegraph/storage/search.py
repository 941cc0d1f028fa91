"""The text and the vector leg over events and chunks.

Neither index takes a filter. The text leg filters the yielded node itself; the vector leg asks for more
than is wanted and grows when too few survive. A valid-time constraint that leaves few events is served
the other way round: time first, then exact distances over what is left.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, Self

from tidegraph.domain.documents import Status
from tidegraph.domain.interval import OPEN_START, Interval
from tidegraph.ports import EventSketch, Ranked, Scored, Vector, Visibility
from tidegraph.storage import bm25, queries, queries_search, terms, visibility
from tidegraph.storage.codec import Value
from tidegraph.storage.fact_reads import MAX_LIMIT
from tidegraph.storage.reads import FalkorReads

MIN_NEIGHBOURS: Final = 50
"""The beam is max(efRuntime, k): below 50 the recall of the index falls."""
MAX_NEIGHBOURS: Final = 4_096
OVERFETCH: Final = 2
SPARE: Final = 1.25
"""What is asked for beyond what the share of rows that were kept calls for."""
LEAST_MORE: Final = 1.5
MOST_MORE: Final = 16.0
TEXT_OVERFETCH: Final = 2
"""How many times the wanted rows are scored."""
MAX_CLASS_WORDS: Final = 6
"""Up to this many words rows are asked for by which of them they hold: 63 queries at most, in one."""
MENTIONS_MAX: Final = 2_000
"""An entity with more mentions reaches no events by itself: its cost must not grow with the graph."""
EXACT_MAX_EVENTS: Final = 10_000
"""Up to this many events inside the constraint exact distances are quicker than growing k."""
EXACT_MIN_EVENTS: Final = 1_000
EXACT_PER_ROOT: Final = 10
"""n exact distances cost as much as an index of N events of which n pass, when n is this many times the
root of N: what is asked of it grows with N / n.
"""


class _Hit(NamedTuple):
    id: str
    document_id: str
    revision: str
    undated: bool
    score: float

    @staticmethod
    def of(id_: str, document_id: str, revision: str, undated: str, score: str, *_: int) -> _Hit:
        """A hit from the cells of a plain row."""
        return _Hit(id_, document_id, revision, undated == "true", float(score))


@dataclass(frozen=True, slots=True)
class _Near:
    """What a vector search found and how."""

    hits: list[_Hit]
    path: str
    pruned: int


@dataclass(frozen=True, slots=True)
class _Passing:
    """Hits that pass, how many rows the index gave, and how many of those looked at were left out."""

    kept: list[_Hit]
    reached: int
    pruned: int


class FalkorSearch(FalkorReads):
    """The searches of the GraphReader."""

    _counting: dict[tuple[str, ...], asyncio.Future[Mapping[str, int]]] | None = None

    def for_request(self) -> Self:
        """The same store for one request, which counts the rows of its words once as well."""
        other = super().for_request()
        other._counting = {}
        return other

    # --- text -------------------------------------------------------------------------------------

    async def search_text(
        self,
        graph: str,
        what: str,
        words: Sequence[str],
        seen: Visibility,
        valid: Interval | None,
        limit: int,
        force: Interval | None = None,
    ) -> list[Scored]:
        """BM25, best first; the rarest words are asked for, within a budget of hits.

        The rows scored are those that hold the most telling of the words, some times as many as wanted.
        """
        found = terms.select(words)
        if not found or limit <= 0:
            return []
        counts = bm25.Statistics.of(what, found, await self._term_counts(graph, what, found))
        rare = terms.rarest(found, {word: max(1, counts.holding[word]) for word in found})
        values: dict[str, Value] = visibility.parameters(seen)
        condition = _condition(what, valid, force, values)
        asked = min(TEXT_OVERFETCH * limit, MAX_LIMIT)
        while True:
            rows = await self._holding(graph, what, rare, counts, condition, {**values, "limit": asked})
            scorers = {held: counts.scorer(held) for held in {row[5] for row in rows}}
            hits = [_Hit(a, b, c, d == "true", scorers[held](text or "")) for a, b, c, d, text, held in rows]
            hits.sort(key=lambda hit: (-hit.score, hit.id))
            kept, _ = await self._in_force(graph, hits, force or valid, seen, limit)
            if len(kept) >= limit or len(rows) < asked or asked >= MAX_LIMIT:
                return _scored(kept)
            asked = _more(asked, len(kept), limit, MAX_LIMIT)

    async def _term_counts(self, graph: str, what: str, words: Sequence[str]) -> Mapping[str, int]:
        """Stored counts of the words. One request asks for both kinds at once: it searches both."""
        if self._counting is None:
            return await self._counted(graph, bm25.asked_ids(what, words))
        key = graph, *words
        if key not in self._counting:
            ids = [id_ for kind in queries.LABELS for id_ in bm25.asked_ids(kind, words)]
            self._counting[key] = asyncio.ensure_future(self._counted(graph, ids))
        return await asyncio.shield(self._counting[key])

    async def _counted(self, graph: str, ids: Sequence[str]) -> Mapping[str, int]:
        return dict(await self.connection.read_plain(graph, queries_search.TERM_COUNTS, {"ids": ids}))

    async def _holding(
        self,
        graph: str,
        what: str,
        words: Sequence[str],
        counts: bm25.Statistics,
        condition: str,
        values: dict[str, Value],
    ) -> list[list[Any]]:
        """Rows with the words that they hold, sorted; those rows first that hold the most telling ones."""
        if len(words) > MAX_CLASS_WORDS:
            weighed = [{"word": word, "idf": counts.idf(word)} for word in words]
            query = queries_search.search_text(what, condition)
            rows = await self.connection.read_plain(graph, query, {**values, "terms": weighed})
            # A list in a plain row is "[a, b]"; words hold nothing but letters, marks and digits.
            return [[*row[:5], tuple(sorted(row[5][1:-1].split(", ")))] for row in rows]
        classes = terms.classes({word: counts.idf(word) for word in words})
        asked = [{"query": query, "place": place} for place, (query, _) in enumerate(classes)]
        query = queries_search.search_classes(what, condition)
        held = [tuple(sorted(words)) for _, words in classes]
        limit = wanted = values["limit"]
        while True:
            rows = await self.connection.read_plain(
                graph, query, {**values, "classes": asked, "limit": limit}
            )
            # A row that holds another form of a word is found again without it.
            once = {row[0]: row for row in reversed(rows)}
            if len(once) >= wanted or len(rows) < limit:
                found = sorted(once.values(), key=lambda row: (row[5], row[0]))
                return [[*row[:5], held[row[5]]] for row in found[:wanted]]
            limit *= OVERFETCH

    # --- vectors ----------------------------------------------------------------------------------

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
        """Vector leg, best first; score is cosine similarity.

        The index, asked for more than is wanted. Too few pass: time first, then exact distances, where few
        events lie inside the asked time; else the index, asked for more.
        """
        if limit <= 0:
            return Ranked()
        values: dict[str, Value] = {"vector": vector, **visibility.parameters(seen)}
        condition = _condition(what, valid, force, values)
        at = force or valid
        cap = _first(limit) if valid is not None and what == "event" else MAX_NEIGHBOURS
        found = await self._nearest(graph, what, values, condition, seen, at, limit, cap)
        if cap < MAX_NEIGHBOURS and len(found.hits) < limit and found.path == "index":
            if await self._few_during(graph, values):
                exact = await self._exact(graph, what, values, queries.DURING, limit)
                static = [hit for hit in found.hits if hit.undated]
                kept = sorted((*exact, *static), key=lambda hit: (-hit.score, hit.id))
                found = _Near(kept, "time first", found.pruned)
            else:
                asked = _more(cap, len(found.hits), limit, MAX_NEIGHBOURS)
                found = await self._nearest(
                    graph, what, values, condition, seen, at, limit, MAX_NEIGHBOURS, asked
                )
        return Ranked(_scored(found.hits[:limit]), found.path, found.pruned)

    async def sketches(self, graph: str, event_ids: Sequence[str], seen: Visibility) -> list[EventSketch]:
        """Visible events as far as ranking needs them, in the order of the ids asked for."""
        if not event_ids:
            return []
        values: dict[str, Value] = {"ids": sorted(set(event_ids)), **visibility.parameters(seen)}
        rows = await self.connection.read_plain(graph, queries_search.POOL, values)
        found = {row[0]: _sketch(row) for row in rows}
        return [found[id_] for id_ in dict.fromkeys(event_ids) if id_ in found]

    async def rank_events(
        self,
        graph: str,
        by: str,
        ids: Sequence[str],
        vector: Vector,
        seen: Visibility,
        valid: Interval | None,
        limit: int,
        force: Interval | None = None,
    ) -> list[Scored]:
        """Events by exact cosine similarity among those that entities, documents or ids reach."""
        if not ids or limit <= 0:
            return []
        values: dict[str, Value] = {
            "ids": sorted(set(ids)),
            "vector": vector,
            "cap": MENTIONS_MAX,
            **visibility.parameters(seen),
        }
        condition = _condition("event", valid, force, values)
        values["limit"] = min(limit if (force or valid) is None else 2 * limit, MAX_LIMIT)
        rows = await self.connection.read_plain(graph, queries_search.rank_events(by, condition), values)
        kept, _ = await self._in_force(graph, [_Hit.of(*row) for row in rows], force or valid, seen, limit)
        return _scored(kept)

    async def _few_during(self, graph: str, values: dict[str, Value]) -> bool:
        """True when looking at all events inside the time costs less than the index would."""
        bounds = {name: values[name] for name in ("valid_from", "valid_to")}
        total = int((await self.connection.read_plain(graph, queries.VECTOR_COUNTS["event"]))[0][0])
        few = min(EXACT_MAX_EVENTS, max(EXACT_MIN_EVENTS, int(EXACT_PER_ROOT * total**0.5)))
        rows = await self.connection.read_plain(graph, queries.COUNT_DURING, {**bounds, "limit": few + 1})
        return int(rows[0][0]) <= few

    async def _exact(
        self, graph: str, what: str, values: dict[str, Value], condition: str, limit: int
    ) -> list[_Hit]:
        asked = {**values, "limit": min(limit, MAX_LIMIT)}
        rows = await self.connection.read_plain(graph, queries.exact_vector(what, condition), asked)
        return [_Hit.of(*row) for row in rows]

    async def _unreached(self, graph: str, what: str, reached: int) -> bool:
        """True when the index gave fewer rows than there are and looking at all of them is cheap.

        Many equal vectors (a sentence that every revision repeats) can cut the index into parts, of
        which a query sees one.
        """
        total = int((await self.connection.read_plain(graph, queries.VECTOR_COUNTS[what]))[0][0])
        return reached < total <= EXACT_MAX_EVENTS

    async def _nearest(
        self,
        graph: str,
        what: str,
        values: dict[str, Value],
        condition: str,
        seen: Visibility,
        valid: Interval | None,
        limit: int,
        cap: int,
        asked: int = 0,
    ) -> _Near:
        """The nearest that pass, growing k while too few do and there are more."""
        asked = asked or _first(limit)
        cap = max(cap, asked)
        while True:
            near = await self._passing(graph, what, {**values, "k": asked}, condition, seen, valid, limit)
            kept, reached = near.kept, near.reached
            if len(kept) < limit and reached < asked and await self._unreached(graph, what, reached):
                hits = await self._exact(graph, what, values, condition, MAX_LIMIT)
                kept, _ = await self._in_force(graph, hits, valid, seen, limit)
                return _Near(kept, "exact", near.pruned)
            if len(kept) >= limit or reached < asked or asked >= cap:
                return _Near(kept, "index", near.pruned)
            asked = _more(asked, len(kept), limit, cap)

    async def _passing(
        self,
        graph: str,
        what: str,
        values: dict[str, Value],
        condition: str,
        seen: Visibility,
        valid: Interval | None,
        limit: int,
    ) -> _Passing:
        """The first ``limit`` of the nearest $k that pass. No more are looked up than are needed, as long as
        none of the others can be as near as the last of them.
        """
        query = queries.search_vector(what, condition, "reach_to" in values)
        for look in (limit + limit // 4, values["k"]):
            rows = await self.connection.read_plain(graph, query, {**values, "look": look})
            if not rows:
                counted = await self.connection.read_plain(graph, queries.reached_vectors(what), values)
                return _Passing([], int(counted[0][0]), int(counted[0][0]))
            hits = sorted((_Hit.of(*row) for row in rows), key=lambda hit: (-hit.score, hit.id))
            kept, outdated = await self._in_force(graph, hits, valid, seen, limit)
            if len(rows) < look or (len(kept) >= limit and kept[-1].score > hits[-1].score):
                break
        reached, close = rows[0][5:]
        passed = len(hits) if len(rows) < look else close
        return _Passing(kept, reached, reached - passed + outdated)

    async def _in_force(
        self, graph: str, hits: Sequence[_Hit], valid: Interval | None, seen: Visibility, limit: int
    ) -> tuple[list[_Hit], int]:
        """The first hits, in their order, of which the revision is in force, where a valid time is asked
        for, and how many before the last of them were left out. No more are looked at than are needed.
        """
        if valid is None:
            return list(hits[:limit]), 0
        kept: list[_Hit] = []
        at = 0
        while at < len(hits) and len(kept) < limit:
            page = hits[at : at + max(MIN_NEIGHBOURS, limit + limit // 4 - len(kept))]
            force = await self.in_force(graph, {hit.document_id for hit in page if hit.undated}, seen)
            passing = {one for one, interval in force.items() if visibility.overlaps(interval, valid)}
            for hit in page:
                at += 1
                if not hit.undated or (hit.document_id, hit.revision) in passing:
                    kept.append(hit)
                    if len(kept) == limit:
                        break
        return kept, at - len(kept)


def _scored(hits: Sequence[_Hit]) -> list[Scored]:
    return [Scored(id_, score, document_id) for id_, document_id, _, _, score in hits]


def _sketch(row: list[Any]) -> EventSketch:
    """A sketch from a plain row: a list in one is "[a, b]", and ids of entities hold no comma."""
    id_, sentence, title, document_id, time, start, end, first, last, status, entity_ids = row
    interval = None if start is None else Interval(start, end)
    return EventSketch(
        id_, sentence or "", title or "", document_id, time, interval, first, last, Status(status),
        tuple(entity_ids[1:-1].split(", ")) if entity_ids and entity_ids != "[]" else (),
    )  # fmt: skip


def _first(limit: int) -> int:
    """How many neighbours are asked for first."""
    return min(max(MIN_NEIGHBOURS, OVERFETCH * limit), MAX_NEIGHBOURS)


def _more(asked: int, kept: int, limit: int, cap: int) -> int:
    """How many to ask for next, by the share of those asked for that was kept."""
    wanted = asked * min(MOST_MORE, max(LEAST_MORE, SPARE * limit / max(1, kept)))
    return min(int(wanted), cap)


_BEFORE: Final = "n.document_time < $force_to"
"""A revision that is in force at some instant of a time came before its end."""
_STATIC_BEFORE: Final = f"{queries.STATIC} AND {_BEFORE}"


def _condition(what: str, valid: Interval | None, force: Interval | None, values: dict[str, Value]) -> str:
    """The part of the valid-time constraint that the store can decide on a row alone."""
    at = force or valid
    if at is None:
        return "true"
    values["force_to"] = visibility.valid_bounds(at)[1]
    if what == "chunk":
        values["reach_from"], values["reach_to"] = OPEN_START, values["force_to"]
        return _BEFORE
    if valid is None:
        return f"(n.start IS NOT NULL OR {_BEFORE})"
    values["valid_from"], values["valid_to"] = visibility.valid_bounds(valid)
    values["reach_from"] = values["valid_from"]
    values["reach_to"] = max(values["valid_to"], values["force_to"])
    return f"(({queries.DURING}) OR ({_STATIC_BEFORE}))"
