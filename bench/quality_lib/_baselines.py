"""Plain ways of finding evidence, for comparison: no time, no facts, no steps.

``vanilla``: the chunks nearest in meaning. ``entities``: events of the named entities by the words that they
share with the question. ``pagerank``: events near the first of those in the event graph, by personalised
PageRank, whatever their time.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Final

from tidegraph.services.usecases.event_search import coverage
from tidegraph.services.usecases.scope import Scope
from tidegraph.services.usecases.walking import Direction, WalkRequest, walk
from tidegraph.services.usecases.work import Work

CONTEXTS: Final = 60
SEEDS: Final = 10
STEPS: Final = 2

Baseline = Callable[[Work, Scope], Awaitable[list[str]]]


async def vanilla(work: Work, scope: Scope) -> list[str]:
    """The texts of the chunks nearest to the question."""
    store, graph, seen = work.ports.store, work.moment.graph, work.moment.seen
    vector = work.ports.encoder.encode([work.question.text])[0]
    hits = await store.search_vector(graph, "chunk", vector, seen, None, CONTEXTS)
    chunks = {r.chunk.chunk_id: r.chunk.text for r in await store.chunks(graph, [h.id for h in hits], seen)}
    return [chunks[hit.id] for hit in hits if hit.id in chunks]


async def entities(work: Work, scope: Scope) -> list[str]:
    """Sentences about the named entities, those with most of the question's words first."""
    return [sentence for _, sentence in await _of_entities(work)]


async def pagerank(work: Work, scope: Scope) -> list[str]:
    """Sentences near the first of them in the event graph."""
    seeds = tuple(event_id for event_id, _ in (await _of_entities(work))[:SEEDS])
    if not seeds:
        return []
    request = WalkRequest(seeds, 1, STEPS, 0, Direction.BOTH, pagerank=True)
    found = await walk(work, request, None)
    return [record.event.sentence for record in found.events][:CONTEXTS]


async def _of_entities(work: Work) -> list[tuple[str, str]]:
    ids = list(work.question.entity_ids)
    records = await work.ports.store.events_of(work.moment.graph, ids, None, work.moment.seen, 400)
    ranked = sorted(records, key=lambda r: (-coverage(work.question, r), r.event.event_id))
    return [(record.event.event_id, record.event.sentence) for record in ranked][:CONTEXTS]


BASELINES: Final[Mapping[str, Baseline]] = {"vanilla": vanilla, "entities": entities, "pagerank": pagerank}
