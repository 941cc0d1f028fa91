"""Ranked evidence: the legs fused by RRF, the best of them ranked again by what they say.

Every leg is restricted by the as-of on both axes and by labels before it ranks. Ids in the ranking carry
their kind: ``event:``, ``chunk:``, ``fact:`` or ``sentence:``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Final

import numpy as np

from tidegraph.domain.errors import Rejected
from tidegraph.domain.facts import FactVersion
from tidegraph.domain.fuse import Fused, fuse
from tidegraph.domain.interval import Interval
from tidegraph.ports import ChunkRecord, EventRecord, EventSketch, Vector
from tidegraph.services.usecases import ranking
from tidegraph.services.usecases.graph_leg import GraphLeg, graph_leg
from tidegraph.services.usecases.legs import Leg, Legs, Windows, search
from tidegraph.services.usecases.parts_used import Part
from tidegraph.services.usecases.pooled import Candidates, Entry, text_of
from tidegraph.services.usecases.question import Relation
from tidegraph.services.usecases.ranking import AskedSpan, Floats, TimeEncoding, Wanted
from tidegraph.services.usecases.repeats import Said, without_repeats
from tidegraph.services.usecases.scope import Scope, until_end, window_of
from tidegraph.services.usecases.trail import LegRun, SearchRun, Timer
from tidegraph.services.usecases.untold import PASSAGES_MAX, untold
from tidegraph.services.usecases.work import Work

FACT_BOOST: Final = 3.0 / 61
"""A fact that is asked for and surely holds then counts as if three more legs had it first: as many legs
as can find an event.
"""
HIDDEN_MAX: Final = 1_000
"""Denied and planned events of the passages of which sentences are taken."""
POOL_MAX: Final = 250
"""Candidates that are ranked again: a fixed number, so that no clock decides what is found."""
CROSSED_MAX: Final = 32
"""Candidates that a cross-encoder reads."""
CROSS_WEIGHT: Final = 8.0


class Rerank(StrEnum):
    """What orders the candidates: the features of ``ranking``, a cross-encoder beside them, or the fused
    ranks alone.
    """

    FEATURES = "features"
    CROSS_ENCODER = "cross_encoder"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Options:
    """How to retrieve.

    ``rerank`` None: a cross-encoder where one is configured, else features. ``time_weight`` (lambda) is what
    the asked time counts in the ranking; 0 ignores it. ``depth``: how many hits each leg is to give at least;
    0: as many as are shown. The ranking is of one depth: pages of it have to agree on that.
    """

    rerank: Rerank | None = None
    time_weight: float = 1.0
    time_encoding: TimeEncoding = TimeEncoding.KERNEL
    graph: GraphLeg = GraphLeg.NONE
    depth: int = 0


DEFAULT: Final = Options()


@dataclass(frozen=True, slots=True)
class Hit:
    """One piece of evidence; exactly one of event, chunk and fact is set. A chunk may be one sentence of it
    that no event tells; its text and its place are then those of the sentence.

    ``ranks``: where each leg had it. ``parts``: what each feature adds to the score, when it was ranked by
    features.
    """

    id: str
    score: float
    ranks: tuple[tuple[str, int], ...]
    event: EventRecord | None = None
    chunk: ChunkRecord | None = None
    fact: FactVersion | None = None
    parts: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Retrieved:
    """Hits, best first; ``suppressed`` counts facts of the asked kind that hold at other times only.

    How they were found stands in the work's trail.
    """

    hits: tuple[Hit, ...]
    suppressed: int
    legs: tuple[Leg, ...]


async def retrieve(work: Work, scope: Scope, limit: int, options: Options = DEFAULT) -> Retrieved:
    """The best evidence for the question of ``work`` as of the asked time.

    Facts and texts count that hold in it, and events that had happened by its end: what began before may
    last. What a text states without a date holds while its revision is in force. Where no time was asked,
    it is now, and events of any time count.
    """
    options = _left_out(work, options)
    clock = Timer()
    rerank = chosen(work, options)
    options = replace(options, rerank=rerank)
    found = await search(work, windows_of(work, scope), options.depth or limit)
    clock.took("legs")
    boosts = dict.fromkeys(found.facts.sure, FACT_BOOST)
    fused = fuse({leg.name: [hit.id for hit in leg.hits] for leg in found.all}, boosts)[:POOL_MAX]
    if options.graph is not GraphLeg.NONE:
        found = await _with_graph(work, scope, fused, found, options)
        fused = fuse({leg.name: [hit.id for hit in leg.hits] for leg in found.all}, boosts)[:POOL_MAX]
        clock.took("graph")
    size = len(fused)
    if rerank is Rerank.NONE:
        shown = await _unranked(work, fused, found, limit)
        clock.took("records")
    else:
        pool = await _pool(work, fused, found, windows_of(work, scope))
        size += sum(entry.sentence is not None for entry in pool)
        clock.took("records")
        asked = AskedSpan.of(scope.relation, scope.interval)
        shown = _distinct(work, await _ranked(work, pool, found, asked, options), limit)
    hits = await _whole(work, shown)
    clock.took("ranking")
    crossing = work.ports.reranker if rerank is Rerank.CROSS_ENCODER else None
    model = crossing.model_id if crossing else ""
    work.trail.legs += [
        LegRun(leg.name, leg.candidates, leg.elapsed_ms, leg.pruned, leg.path) for leg in found.all
    ]
    work.trail.searches.append(
        SearchRun(
            pool=size,
            encoder=work.ports.encoder.model_id,
            reranking=rerank.value,
            reranker=model,
            time_weight=options.time_weight,
            graph_leg=options.graph.value,
            steps=tuple(clock.steps),
        )
    )
    return Retrieved(hits=tuple(hits), suppressed=found.facts.suppressed, legs=found.all)


def _left_out(work: Work, options: Options) -> Options:
    """The options without the parts that a measurement leaves out."""
    if Part.RERANK in work.without:
        options = replace(options, rerank=Rerank.NONE)
    if Part.GRAPH in work.without:
        options = replace(options, graph=GraphLeg.NONE)
    return replace(options, time_weight=0.0) if Part.TIME in work.without else options


def windows_of(work: Work, scope: Scope) -> Windows:
    """Where the legs search."""
    window = window_of(scope.relation, scope.interval)
    if Part.TIME in work.without:
        return Windows(events=None, force=None, facts=None)
    if not scope.given:
        return Windows(events=None, force=work.moment.valid, facts=window)
    events = until_end(scope.relation, window)
    if scope.relation is Relation.AFTER and scope.interval is not None:
        events = Interval(scope.interval.start, max(events.end if events else 0, scope.interval.end))
    return Windows(events=events, force=window, facts=window)


def chosen(work: Work, options: Options) -> Rerank:
    """What orders the candidates.

    Raises:
        Rejected: NO_RERANKER, a cross-encoder is asked for and none is configured.
    """
    if options.rerank is Rerank.CROSS_ENCODER and work.ports.reranker is None:
        message = "the server has no cross-encoder; set TIDEGRAPH_RERANKER, or leave reranking out"
        raise Rejected("NO_RERANKER", message, field="reranking")
    return options.rerank or (Rerank.CROSS_ENCODER if work.ports.reranker else Rerank.FEATURES)


async def _with_graph(
    work: Work, scope: Scope, fused: Sequence[Fused], found: Legs, options: Options
) -> Legs:
    """The legs and beside them what lies near the best events of all in the event graph."""
    listed = await _pool(work, fused, found)
    pool: Iterable[Entry] = listed
    if options.rerank is not Rerank.NONE:
        asked = AskedSpan.of(scope.relation, scope.interval)
        pool = await _ranked(work, listed, found, asked, replace(options, rerank=Rerank.FEATURES))
    seeds = [entry.sketch.event_id for entry in pool if entry.sketch is not None]
    leg = await graph_leg(work, seeds, windows_of(work, scope).events, options.graph)
    return replace(found, found=(*found.found, leg))


async def _unranked(work: Work, fused: Sequence[Fused], found: Legs, limit: int) -> list[Entry]:
    """What is shown of the pool in its own order; no more of it is read than that takes."""
    pool: list[Entry] = []
    shown: list[Entry] = []
    page = max(1, limit + limit // 2)
    for start in range(0, len(fused), page):
        pool += await _pool(work, fused[start : start + page], found)
        shown = _distinct(work, pool, limit)
        if len(shown) >= limit:
            break
    return shown


def _distinct(work: Work, pool: Iterable[Entry], limit: int) -> list[Entry]:
    """The first of the pool that repeat none before them."""
    text = text_of(work)
    return without_repeats((_said(entry, text(entry)) for entry in pool), limit)


async def _pool(
    work: Work, fused: Sequence[Fused], found: Legs, windows: Windows | None = None
) -> list[Entry]:
    """The pool with what ranking needs of its events; the rest is read of what is shown.

    ``windows``: the sentences that no event tells are to be in it, as far as they may be of these times.
    """
    events = [one.id.partition(":")[2] for one in fused if one.id.startswith("event:")]
    quoting = windows is not None and not work.chosen and Part.CHUNKS not in work.without
    told, (records, hidden) = await asyncio.gather(
        work.ports.store.sketches(work.moment.graph, events, work.shown),
        _passages(work, fused if quoting else (), found.vector),
    )
    sketches = {f"event:{sketch.event_id}": sketch for sketch in told}
    entries = []
    for one in fused:
        sketch, fact = sketches.get(one.id), found.facts.facts.get(one.id)
        if sketch is not None or fact is not None or one.id.startswith("chunk:"):
            entries.append(Entry(one.id, one.score, one.ranks, sketch, fact))
    if windows is not None and records:
        of = {one.id: one for one in fused}
        for s in untold(records, [*told, *hidden], windows.events):
            passage = of[f"chunk:{s.record.chunk.chunk_id}"]
            entries.append(Entry(s.id, passage.score, passage.ranks, None, None, (), s))
    return entries


async def _passages(
    work: Work, fused: Sequence[Fused], vector: Vector
) -> tuple[list[ChunkRecord], list[EventSketch]]:
    """The best passages, of which the sentences that no event tells are to be in the pool, and the events of
    their documents that are hidden: what is denied or only planned is no evidence because it is a sentence.
    """
    graph, store = work.moment.graph, work.ports.store
    best = [one.id.partition(":")[2] for one in fused if one.id.startswith("chunk:")][:PASSAGES_MAX]
    if not best:
        return [], []
    records = await store.chunks(graph, best, work.moment.seen)
    documents = sorted({record.document_id for record in records})
    hidden = await store.rank_events(graph, "document", documents, vector, work.hidden, None, HIDDEN_MAX)
    return records, await store.sketches(graph, [hit.id for hit in hidden], work.hidden)


async def _ranked(
    work: Work, pool: Sequence[Entry], found: Legs, asked: AskedSpan | None, options: Options
) -> Iterator[Entry]:
    """The pool by the score of its features, best first; made as it is looked at, which is seldom all."""
    cosines = {hit.id: hit.score for leg in found.found if _is_cosine(leg.name) for hit in leg.hits}
    missing = [e.sketch.event_id for e in pool if e.sketch is not None and e.id not in cosines]
    scored = await work.ports.store.rank_events(
        work.moment.graph, "event", missing, found.vector, work.moment.seen, None, len(missing)
    )
    cosines |= {f"event:{hit.id}": hit.score for hit in scored}
    maker = Candidates(work, found, cosines, pool)
    pool = sorted(pool, key=lambda entry: entry.id)
    candidates = [maker.of(entry) for entry in pool]
    texts = [one.text for one in candidates]
    wanted = Wanted.of(work.question)
    scores, parts = ranking.score(
        candidates, maker.question, asked, options.time_weight, options.time_encoding, wanted
    )
    if options.rerank is Rerank.CROSS_ENCODER:
        parts["cross_encoder"] = await _crossed(work, maker.question, texts, scores)
        scores = scores + parts["cross_encoder"]
    order, parts["variety"] = ranking.varied(np.round(scores, 9), texts, maker.question)
    return (
        replace(
            pool[index],
            score=float(sum(row[index] for row in parts.values())),
            parts=tuple((name, float(row[index])) for name, row in parts.items() if row[index]),
        )
        for index in order
    )


async def _crossed(work: Work, question: str, texts: Sequence[str], scores: Floats) -> Floats:
    """What the cross-encoder adds to the best by features: a fixed number, which bounds its time."""
    assert work.ports.reranker is not None
    best = np.argsort(-np.round(scores, 9), kind="stable")[:CROSSED_MAX]
    given = await asyncio.to_thread(work.ports.reranker.score, question, [texts[i] for i in best])
    added = np.zeros(len(texts))
    added[best] = CROSS_WEIGHT / (1.0 + np.exp(-given.astype(np.float64)))
    return added


def _is_cosine(leg: str) -> bool:
    return leg.startswith("vector_") or leg in ("entity_event", "document_event")


def _said(entry: Entry, text: str) -> Said[Entry]:
    event, sentence = entry.sketch, entry.sentence
    if sentence is not None:
        chunk = sentence.record.chunk
        place = (sentence.record.document_id, chunk.start_char, chunk.end_char)
        return Said(entry, text, None, sentence.interval, place)
    if event is None:
        return Said(entry, text, None, entry.fact.valid if entry.fact else None, ("", 0, 0))
    place = (event.document_id, event.start_char, event.end_char)
    return Said(entry, text, event.status, event.interval, place)


async def _whole(work: Work, entries: Sequence[Entry]) -> list[Hit]:
    """The shown hits with their records and the names that they speak of."""
    graph, seen, store = work.moment.graph, work.moment.seen, work.ports.store
    sketches = [e.sketch for e in entries if e.sketch is not None]
    events, chunks, _ = await asyncio.gather(
        store.events(graph, [sketch.event_id for sketch in sketches], seen),
        store.chunks(graph, [e.id.partition(":")[2] for e in entries if e.id.startswith("chunk:")], seen),
        work.learn_ids(entity_id for sketch in sketches for entity_id in sketch.entity_ids),
    )
    event_of = {f"event:{record.event.event_id}": record for record in events}
    chunk_of = {f"chunk:{record.chunk.chunk_id}": record for record in chunks}
    chunk_of |= {e.id: e.sentence.record for e in entries if e.sentence is not None}
    hits = (
        Hit(e.id, e.score, e.ranks, event_of.get(e.id), chunk_of.get(e.id), e.fact, e.parts) for e in entries
    )
    return [hit for hit in hits if hit.event or hit.chunk or hit.fact]
