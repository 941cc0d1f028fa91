"""The text leg over events and chunks, and exact ranking among the events that one driver reaches.

The full-text index takes no filter: the yielded node itself is filtered.
"""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any, Final, Self

from tidegraph.domain.documents import Status
from tidegraph.domain.interval import Interval
from tidegraph.ports import EventSketch, Scored, Vector, Visibility
from tidegraph.storage import bm25, queries_search, terms, visibility
from tidegraph.storage.codec import Value
from tidegraph.storage.fact_reads import MAX_LIMIT
from tidegraph.storage.hits import Hit, condition, more, scored
from tidegraph.storage.queries import LABELS
from tidegraph.storage.vector_search import VectorSearch

TEXT_OVERFETCH: Final = 2
"""How many times the wanted rows are scored."""
MAX_CLASS_WORDS: Final = 6
"""Up to this many words rows are asked for by which of them they hold: 63 queries at most, in one."""
MENTIONS_MAX: Final = 2_000
"""An entity with more mentions reaches no events by itself: its cost must not grow with the graph."""


class FalkorSearch(VectorSearch):
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
        values: dict[str, Value] = visibility.event_parameters(seen)
        holds = condition(what, valid, force, seen, values)
        asked = min(TEXT_OVERFETCH * limit, MAX_LIMIT)
        while True:
            rows = await self._holding(graph, what, rare, counts, holds, {**values, "limit": asked})
            scorers = {held: counts.scorer(held) for held in {row[5] for row in rows}}
            hits = [Hit(a, b, c, d == "true", scorers[held](text or "")) for a, b, c, d, text, held in rows]
            hits.sort(key=lambda hit: (-hit.score, hit.id))
            kept, _ = await self.passing_in_force(graph, hits, force or valid, seen, limit)
            if len(kept) >= limit or len(rows) < asked or asked >= MAX_LIMIT:
                return scored(kept)
            asked = more(asked, len(kept), limit, MAX_LIMIT)

    async def _term_counts(self, graph: str, what: str, words: Sequence[str]) -> Mapping[str, int]:
        """Stored counts of the words. One request asks for both kinds at once: it searches both."""
        if self._counting is None:
            return await self._counted(graph, bm25.asked_ids(what, words))
        key = graph, *words
        if key not in self._counting:
            ids = [id_ for kind in LABELS for id_ in bm25.asked_ids(kind, words)]
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
        holds: str,
        values: dict[str, Value],
    ) -> list[list[Any]]:
        """Rows with the words that they hold, sorted; those rows first that hold the most telling ones."""
        if len(words) > MAX_CLASS_WORDS:
            weighed = [{"word": word, "idf": counts.idf(word)} for word in words]
            query = queries_search.search_text(what, holds)
            rows = await self.connection.read_plain(graph, query, {**values, "terms": weighed})
            # A list in a plain row is "[a, b]"; words hold nothing but letters, marks and digits.
            return [[*row[:5], tuple(sorted(row[5][1:-1].split(", ")))] for row in rows]
        classes = terms.classes({word: counts.idf(word) for word in words})
        asked = [{"query": query, "place": place} for place, (query, _) in enumerate(classes)]
        query = queries_search.search_classes(what, holds)
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
            limit *= 2

    # --- exact ranking ------------------------------------------------------------------------------

    async def sketches(self, graph: str, event_ids: Sequence[str], seen: Visibility) -> list[EventSketch]:
        """Visible events as far as ranking needs them, in the order of the ids asked for."""
        if not event_ids:
            return []
        values: dict[str, Value] = {"ids": sorted(set(event_ids)), **visibility.parameters(seen)}
        rows = await self.connection.read_plain(graph, queries_search.POOL, values)
        told = map(_sketch, rows)
        found = {sketch.event_id: sketch for sketch in told if visibility.of_status(sketch.status, seen)}
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
            **visibility.event_parameters(seen),
        }
        holds = condition("event", valid, force, seen, values)
        values["limit"] = min(limit if (force or valid) is None else 2 * limit, MAX_LIMIT)
        rows = await self.connection.read_plain(graph, queries_search.rank_events(by, holds), values)
        kept, _ = await self.passing_in_force(
            graph, [Hit.of(*row) for row in rows], force or valid, seen, limit
        )
        return scored(kept)


def _sketch(row: list[Any]) -> EventSketch:
    """A sketch from a plain row: a list in one is "[a, b]", and ids of entities hold no comma."""
    id_, sentence, title, document_id, time, start, end, first, last, status, entity_ids = row
    interval = None if start is None else Interval(start, end)
    return EventSketch(
        id_, sentence or "", title or "", document_id, time, interval, first, last, Status(status),
        tuple(entity_ids[1:-1].split(", ")) if entity_ids and entity_ids != "[]" else (),
    )  # fmt: skip
