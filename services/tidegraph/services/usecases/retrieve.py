"""Ranked evidence: a vector leg, a full-text leg and a point-in-time fact leg, fused by RRF.

Every leg is restricted by the as-of on both axes and by labels before it ranks. Ids in the fused ranking
carry their kind: ``event:``, ``chunk:`` or ``fact:``.
"""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from tidegraph.domain.asof import AsOf, Certainty
from tidegraph.domain.documents import Status, TimeState
from tidegraph.domain.facts import FactVersion
from tidegraph.domain.fuse import Fused, fuse
from tidegraph.domain.interval import MICROS_PER_DAY, OPEN_START, Interval
from tidegraph.ports import ChunkRecord, EventRecord, Scored
from tidegraph.services.usecases.event_search import BY_ENTITY_MAX, coverage, search_terms
from tidegraph.services.usecases.matching import Matcher
from tidegraph.services.usecases.scope import Scope, until_end, window_of
from tidegraph.services.usecases.work import Work

LEG_MAX: Final = 50
FACT_BOOST: Final = 3.0 / 61
"""A fact that is asked for and surely holds then counts as if three more legs had it first: as many legs
as can find an event.
"""
COSINE_MIN: Final = 0.15
"""Below it two texts are as near as any two texts are."""
EVENT_BOOST: Final = 0.5 / 61
"""An event inside the asked time counts half a leg more than one before it."""
TIME_WEIGHT: Final = 0.5
DECAY_DAYS: Final = 1_500.0
KINDS: Final = ("event", "chunk")
_NEVER: Final = Interval(OPEN_START, OPEN_START)

Windows: TypeAlias = Mapping[str, Sequence[Interval | None]]
"""Valid times to search each kind of text in; None: any."""


@dataclass(frozen=True, slots=True)
class Leg:
    """What one leg found, for explanation."""

    name: str
    candidates: int
    elapsed_ms: float


@dataclass(frozen=True, slots=True)
class Hit:
    """One piece of evidence; exactly one of event, chunk and fact is set."""

    id: str
    score: float
    ranks: tuple[tuple[str, int], ...]
    event: EventRecord | None = None
    chunk: ChunkRecord | None = None
    fact: FactVersion | None = None


@dataclass(frozen=True, slots=True)
class Retrieved:
    """Hits, best first; ``suppressed`` counts facts of the asked kind that hold at other times only."""

    hits: tuple[Hit, ...]
    suppressed: int
    legs: tuple[Leg, ...]


async def retrieve(work: Work, scope: Scope, limit: int) -> Retrieved:
    """The best evidence for the question of ``work`` as of the asked time.

    Facts and texts count that hold in it, and events that had happened by its end: what began before may
    last. What a text states without a date holds while its revision is in force. Where no time was asked,
    it is now, and events of any time count.
    """
    window = window_of(scope.relation, scope.interval)
    before, force = until_end(scope.relation, window), window
    if not scope.given:
        before, force = None, work.moment.valid
    # Old revisions repeat what is in force now; asked for by itself, it is not lost among them.
    windows: Windows = {"event": (before,) if before == force else (before, force), "chunk": (force,)}
    facts, suppressed, certain, fact_leg = await _fact_leg(work, window)
    texts = [await _text_leg(work, what, windows[what]) for what in KINDS]
    vectors = await _vector_legs(work, windows)
    entity_leg = await _entity_leg(work, before)
    rankings = {leg.name: ids for leg, ids in [(fact_leg, list(facts)), *texts, *vectors, entity_leg]}
    boosts = dict.fromkeys((item for item, sure in certain.items() if sure), FACT_BOOST)
    fused = fuse(rankings, boosts)
    hits = await _load(work, await _without_replaced(work, fused, force), facts, limit)
    if scope.given and window is not None:
        hits = _in_time_first(hits, window)
    legs = (fact_leg, *(leg for leg, _ in (*texts, *vectors, entity_leg)))
    return Retrieved(tuple(hits), suppressed, legs)


async def _fact_leg(
    work: Work, window: Interval | None
) -> tuple[dict[str, FactVersion], int, dict[str, bool], Leg]:
    """Facts of the linked entities that hold in the window, best match first."""
    started = time.perf_counter()
    everything = await work.facts_of(work.question.entity_ids)
    asked = AsOf(work.moment.known_at, window)
    certainty = {fact.version_id: asked.certainty(fact) for fact in everything}
    matcher = Matcher(work.question, work.ports.registry, work.names)
    scores = {m.fact.version_id: m.score for m in map(matcher.match, everything) if m is not None}
    shown = [fact for fact in everything if certainty[fact.version_id] is not Certainty.NO]
    shown.sort(key=lambda fact: (-scores.get(fact.version_id, 0.0), -fact.valid.start, fact.version_id))
    shown = shown[:LEG_MAX]
    found = {f"fact:{fact.version_id}": fact for fact in shown}
    sure = {
        key: certainty[fact.version_id] is Certainty.DEFINITE and fact.version_id in scores
        for key, fact in found.items()
    }
    suppressed = sum(
        1 for fact in everything if fact.version_id in scores and certainty[fact.version_id] is Certainty.NO
    )
    return found, suppressed, sure, Leg("facts", len(found), _ms(started))


async def _entity_leg(work: Work, window: Interval | None) -> tuple[Leg, list[str]]:
    """Events that mention the linked entities, those first that say most of what is asked."""
    started = time.perf_counter()
    ids = list(work.question.entity_ids)
    records = await work.ports.store.events_of(
        work.moment.graph, ids, window, work.moment.seen, BY_ENTITY_MAX
    )
    asked = work.moment.valid
    scored = sorted(
        records,
        key=lambda r: (-coverage(work.question, r) - TIME_WEIGHT * nearness(r, asked), r.event.event_id),
    )[:LEG_MAX]
    found = [f"event:{record.event.event_id}" for record in scored]
    return Leg("entity_event", len(found), _ms(started)), found


def nearness(record: EventRecord, asked: Interval) -> float:
    """How near an event is to the asked time: exp(-gap / decay) in (0, 1], 0 for one without a time.

    A nearer date never counts less than a farther one, and any date more than none.
    """
    interval = record.event.interval
    if interval is None:
        return 0.0
    return math.exp(-interval.gap(asked) / MICROS_PER_DAY / DECAY_DAYS)


async def _text_leg(work: Work, what: str, windows: Sequence[Interval | None]) -> tuple[Leg, list[str]]:
    started = time.perf_counter()
    terms = search_terms(work.question)
    hits: list[Scored] = []
    for window in windows if terms else ():
        hits += await work.ports.store.search_text(
            work.moment.graph, what, terms, work.moment.seen, window, LEG_MAX
        )
    found = [f"{what}:{hit.id}" for hit in _best(hits)]
    return Leg(f"text_{what}", len(found), _ms(started)), found


def _best(hits: Sequence[Scored]) -> list[Scored]:
    """Each id once, best first."""
    found = {hit.id: hit for hit in sorted(hits, key=lambda hit: hit.score)}
    return sorted(found.values(), key=lambda hit: (-hit.score, hit.id))


async def _vector_legs(work: Work, windows: Windows) -> list[tuple[Leg, list[str]]]:
    """Both vector legs from one encoding of the question without its words of time."""
    started = time.perf_counter()
    texts = [work.question.semantic or work.question.text]
    vector = (await asyncio.to_thread(work.ports.encoder.encode, texts))[0]
    legs = []
    for what in KINDS:
        hits: list[Scored] = []
        for window in windows[what]:
            hits += await work.ports.store.search_vector(
                work.moment.graph, what, vector, work.moment.seen, window, LEG_MAX
            )
        near = [f"{what}:{hit.id}" for hit in _best(hits) if hit.score >= COSINE_MIN]
        legs.append((Leg(f"vector_{what}", len(near), _ms(started)), near))
        started = time.perf_counter()
    return legs


def _in_time_first(hits: Sequence[Hit], window: Interval) -> list[Hit]:
    """The hits with the boost of events that lie in the asked time."""
    raised = [
        replace(hit, score=hit.score + EVENT_BOOST)
        if hit.event is not None and hit.event.event.interval and hit.event.event.interval.overlaps(window)
        else hit
        for hit in hits
    ]
    return sorted(raised, key=lambda hit: (-hit.score, hit.id))


async def _without_replaced(work: Work, fused: Sequence[Fused], valid: Interval | None) -> list[Fused]:
    """The ranking without what is stated undated in revisions that are not in force in the asked time."""
    graph, seen, store = work.moment.graph, work.moment.seen, work.ports.store
    ids = [rest for kind, _, rest in (one.id.partition(":") for one in fused) if kind == "event"]
    static = [r for r in await store.events(graph, ids, seen) if r.event.time_state is TimeState.STATIC]
    if valid is None or not static:
        return list(fused)
    force = await store.in_force(graph, {record.document_id for record in static}, seen)
    replaced = {
        f"event:{record.event.event_id}"
        for record in static
        if not force.get((record.document_id, record.revision), _NEVER).overlaps(valid)
    }
    return [one for one in fused if one.id not in replaced]


async def _load(
    work: Work, fused: Sequence[Fused], facts: Mapping[str, FactVersion], limit: int
) -> list[Hit]:
    """The records of the best ids; denied events are left out."""
    graph, seen, store = work.moment.graph, work.moment.seen, work.ports.store
    best = fused[: 2 * limit]
    ids: dict[str, list[str]] = {"event": [], "chunk": [], "fact": []}
    for one in best:
        kind, _, rest = one.id.partition(":")
        ids[kind].append(rest)
    events = {r.event.event_id: r for r in await store.events(graph, ids["event"], seen)}
    chunks = {r.chunk.chunk_id: r for r in await store.chunks(graph, ids["chunk"], seen)}
    await work.learn_ids(entity_id for record in events.values() for entity_id in record.entity_ids)
    hits: list[Hit] = []
    for one in best:
        kind, _, rest = one.id.partition(":")
        event, chunk = (events.get(rest), None) if kind == "event" else (None, chunks.get(rest))
        fact = facts.get(one.id) if kind == "fact" else None
        if event is not None and event.event.status is Status.DENIED:
            continue
        if event or fact or (chunk and kind == "chunk"):
            hits.append(Hit(one.id, one.score, one.ranks, event, chunk if kind == "chunk" else None, fact))
    return hits[:limit]


def _ms(started: float) -> float:
    return (time.perf_counter() - started) * 1_000
