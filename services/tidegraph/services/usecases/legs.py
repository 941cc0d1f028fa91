"""The legs of retrieval: what each finds, restricted by the as-of on both axes and by labels.

Ids carry their kind: ``event:``, ``chunk:`` or ``fact:``.
"""

from __future__ import annotations

import asyncio
import time
from collections import defaultdict
from collections.abc import Awaitable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from tidegraph.domain.asof import AsOf, Certainty
from tidegraph.domain.facts import FactVersion
from tidegraph.domain.fuse import RRF_CONSTANT
from tidegraph.domain.interval import OPEN_END, Interval
from tidegraph.ports import FactFilter, Ranked, Scored, Vector
from tidegraph.services.usecases.event_search import search_terms
from tidegraph.services.usecases.matching import Matcher
from tidegraph.services.usecases.parts_used import Part
from tidegraph.services.usecases.work import Work

LEG_MIN: Final = 50
"""Events that a leg gives at least, and half as many chunks: legs of a hundred found no more answers."""
FACTS_MAX: Final = 50
DOCUMENTS_MAX: Final = 3
"""Documents whose passages match best: their events are candidates whatever words they use."""
COSINE_MIN: Final = 0.15
"""Below it two texts are as near as any two texts are."""
POSSIBLE: Final = 0.5
BUSY_FACTS: Final = 200
"""An entity with more facts is not read whole: what a question costs must not grow with what it names."""


@dataclass(frozen=True, slots=True)
class Windows:
    """Valid times to search in. None: any.

    ``events``: dated events; ``force``: in which the revision of undated text has to be in force;
    ``facts``: in which a fact has to hold.
    """

    events: Interval | None
    force: Interval | None
    facts: Interval | None


@dataclass(frozen=True, slots=True)
class Leg:
    """What one leg found, best first, and how long it took."""

    name: str
    hits: tuple[Scored, ...]
    elapsed_ms: float
    pruned: int = 0
    """Candidates that only the as-of kept out, where the leg can tell."""
    path: str = ""
    """How a vector leg went."""

    @property
    def candidates(self) -> int:
        return len(self.hits)


@dataclass(frozen=True, slots=True)
class FactsFound:
    """Facts of the linked entities that hold in the window.

    ``fit`` says how well each is asked for, in [0, 1], halved where it only may hold then;
    ``suppressed`` counts facts that are asked for and hold at other times only.
    """

    leg: Leg
    facts: Mapping[str, FactVersion]
    fit: Mapping[str, float]
    sure: frozenset[str]
    suppressed: int


@dataclass(frozen=True, slots=True)
class Legs:
    """All legs with the vector of the question."""

    facts: FactsFound
    found: tuple[Leg, ...]
    vector: Vector
    encoded_ms: float

    @property
    def all(self) -> tuple[Leg, ...]:
        return (self.facts.leg, *self.found)


async def search(work: Work, windows: Windows, wanted: int) -> Legs:
    """All legs, side by side where they do not need one another.

    Args:
        wanted: hits that are shown at most; each leg gives as many events, and more.
    """
    events = max(LEG_MIN, wanted)
    limits = {"event": events, "chunk": events // 2}
    encoding = asyncio.ensure_future(_encoded(work))

    async def near(what: str) -> Leg:
        return await _vector(work, what, (await encoding)[0], windows, limits)

    async def mentioning() -> Leg:
        ids = list(work.question.entity_ids)
        return await _ranked(work, "entity", ids, (await encoding)[0], windows, events)

    async def own() -> Leg:
        documents = best_documents([await passages, await near_passages])
        return await _ranked(work, "document", documents, (await encoding)[0], windows, events)

    # Each begins as soon as it can: the vector takes as long as what needs none.
    passages = asyncio.ensure_future(_text(work, "chunk", windows, limits))
    near_passages = asyncio.ensure_future(near("chunk"))
    facts, found = await asyncio.gather(
        fact_leg(work, windows.facts),
        asyncio.gather(
            _text(work, "event", windows, limits),
            passages,
            near("event"),
            near_passages,
            mentioning(),
            own(),
        ),
    )
    vector, encoded = await encoding
    left = (found[0], found[2], found[4]) if Part.CHUNKS in work.without else found
    return Legs(facts, left, vector, encoded)


async def _encoded(work: Work) -> tuple[Vector, float]:
    """The question's vector, and the milliseconds that it took."""
    started = time.perf_counter()
    vector = await work.vector()
    return vector, _ms(started)


async def fact_leg(work: Work, window: Interval | None) -> FactsFound:
    """Facts of the linked entities that hold in the window, best match first."""
    started = time.perf_counter()
    matcher = Matcher(work.question, work.ports.registry, work.names)
    everything = [] if Part.FACTS in work.without else await _facts(work, matcher, window)
    asked = AsOf(work.moment.known_at, window)
    certainty = {fact.version_id: asked.certainty(fact) for fact in everything}
    scores = {m.fact.version_id: m.score for m in map(matcher.match, everything) if m is not None}
    shown = [fact for fact in everything if certainty[fact.version_id] is not Certainty.NO]
    shown.sort(key=lambda fact: (-scores.get(fact.version_id, 0.0), -fact.valid.start, fact.version_id))
    found = {f"fact:{fact.version_id}": fact for fact in shown[:FACTS_MAX]}
    fit = {key: scores.get(fact.version_id, 0.0) for key, fact in found.items()}
    definite = {key for key, f in found.items() if certainty[f.version_id] is Certainty.DEFINITE}
    fit = {key: value if key in definite else POSSIBLE * value for key, value in fit.items()}
    suppressed = sum(certainty[version_id] is Certainty.NO for version_id in scores)
    hits = tuple(Scored(key, fit[key]) for key in found)
    leg = Leg("facts", hits, _ms(started), len(everything) - len(shown))
    sure = frozenset(key for key in definite if fit[key])
    return FactsFound(leg, found, fit, sure, suppressed)


async def _facts(work: Work, matcher: Matcher, window: Interval | None) -> list[FactVersion]:
    """The facts of the linked entities; of a busy one those that the question may mean: what it shares with
    another linked entity, what is said by the predicates asked for, and what began last in the window.
    """
    ids = work.question.entity_ids
    store, moment = work.ports.store, work.moment
    counts = await store.fact_counts(moment.graph, ids, moment.seen, BUSY_FACTS + 1) if ids else {}
    busy = tuple(entity_id for entity_id in ids if counts.get(entity_id, 0) > BUSY_FACTS)
    if not busy:
        return await work.facts_of(ids)
    before = window.end if window is not None else OPEN_END
    latest = FactFilter(entity_ids=busy, begun_before=before, limit=FACTS_MAX)
    wanted = [latest]
    if matcher.asked_predicates:
        wanted.append(replace(latest, predicates=matcher.asked_predicates, limit=BUSY_FACTS))
    if len(work.question.entities) > 1:
        wanted.append(FactFilter(subject_ids=ids, object_ids=ids, limit=BUSY_FACTS))
    found = {fact.version_id: fact for fact in await work.facts_of([i for i in ids if i not in busy])}
    for facts in await asyncio.gather(*map(work.facts_by, wanted)):
        found |= {fact.version_id: fact for fact in facts}
    work.step(
        "limit", f"of an entity with more than {BUSY_FACTS} facts those that are asked for were looked at"
    )
    return sorted(found.values(), key=lambda fact: (fact.key, fact.valid.start, fact.version_id))


async def _text(work: Work, what: str, windows: Windows, limits: Mapping[str, int]) -> Leg:
    terms, valid = search_terms(work.question), _valid(what, windows)
    found = work.ports.store.search_text(
        work.moment.graph, what, terms, work.shown, valid, limits[what], windows.force
    )
    return await _timed(f"text_{what}", what, found)


async def _vector(work: Work, what: str, vector: Vector, windows: Windows, limits: Mapping[str, int]) -> Leg:
    valid = _valid(what, windows)
    found = work.ports.store.search_vector(
        work.moment.graph, what, vector, work.shown, valid, limits[what], windows.force
    )
    return await _timed(f"vector_{what}", what, found, COSINE_MIN)


async def _ranked(
    work: Work, by: str, ids: Sequence[str], vector: Vector, windows: Windows, limit: int
) -> Leg:
    found = work.ports.store.rank_events(
        work.moment.graph, by, ids, vector, work.shown, windows.events, limit, windows.force
    )
    return await _timed(f"{by}_event", "event", found)


def _valid(what: str, windows: Windows) -> Interval | None:
    return windows.events if what == "event" else windows.force


async def _timed(name: str, what: str, found: Awaitable[Sequence[Scored]], least: float = -1.0) -> Leg:
    started = time.perf_counter()
    ranked = await found
    near = tuple(
        [Scored(f"{what}:{id_}", score, document) for id_, score, document in ranked if score >= least]
    )
    if isinstance(ranked, Ranked):
        return Leg(name, near, _ms(started), ranked.pruned, ranked.path)
    return Leg(name, near, _ms(started))


def best_documents(legs: Iterable[Leg]) -> list[str]:
    """The documents whose passages match best, by reciprocal ranks over the legs."""
    scores: dict[str, float] = defaultdict(float)
    for leg in legs:
        first: dict[str, int] = {}
        for rank, hit in enumerate(leg.hits, start=1):
            first.setdefault(hit.document_id, rank)
        for document_id, rank in first.items():
            scores[document_id] += 1.0 / (RRF_CONSTANT + rank)
    ranked = sorted(scores, key=lambda id_: (-scores[id_], id_))
    return ranked[:DOCUMENTS_MAX]


def _ms(started: float) -> float:
    return (time.perf_counter() - started) * 1_000
