"""Weighted random walks over the event graph of the known date, inside what may be seen (DyG-RAG eq. 9)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from tidegraph.domain.errors import LimitExceeded, NotFound, Rejected
from tidegraph.domain.eventgraph import Link
from tidegraph.domain.interval import Interval
from tidegraph.domain.walk import Path, WalkParameters, pagerank, random_walks, visits
from tidegraph.ports import EventRecord, Neighbour
from tidegraph.services.usecases.event_search import is_dated
from tidegraph.services.usecases.past_graph import PastGraph
from tidegraph.services.usecases.work import Work

SEEDS_MAX: Final = 50
WALKS_MAX: Final = 20
LENGTH_MAX: Final = 12
NODES_MAX: Final = 2_000


class Direction(StrEnum):
    """Which way in time a walk may step."""

    BOTH = "both"
    FORWARD = "forward"
    BACKWARD = "backward"


@dataclass(frozen=True, slots=True)
class WalkRequest:
    """From where, how often, how far; the same ``seed`` gives the same walks.

    ``pagerank``: personalised PageRank over the events within ``length`` steps instead of walks.
    """

    seeds: tuple[str, ...]
    walks: int
    length: int
    seed: int
    direction: Direction
    pagerank: bool = False


@dataclass(frozen=True, slots=True)
class Walked:
    """Paths with their probabilities, and every event on them with its score.

    The score is the share of walks that pass the event, or its PageRank.
    """

    paths: tuple[Path, ...]
    events: tuple[EventRecord, ...]
    scores: tuple[float, ...]


async def walk(work: Work, request: WalkRequest, window: Interval | None) -> Walked:
    """Walks from the seeds over events inside the window (None: any time).

    Raises:
        Rejected: NO_SEEDS or INVALID_WALK. LimitExceeded: TOO_MANY_SEEDS.
        NotFound: EVENT_NOT_FOUND, a seed that this read cannot see.
    """
    _check(request)
    events = await _events(work, request.seeds)
    unknown = [seed for seed in request.seeds if seed not in events]
    if unknown:
        message = "no such event was known then in this graph; take ids from Retrieve or GetTimeline"
        raise NotFound("EVENT_NOT_FOUND", message, event_id=unknown[0][:80])
    past = _past(work)
    edges: dict[str, dict[str, float]] = {}
    frontier = list(request.seeds)
    for _ in range(request.length):
        frontier = [event_id for event_id in frontier if event_id not in edges]
        if not frontier or len(events) > NODES_MAX:
            break
        entries = await _entries(work, past, frontier)
        frontier = await _expand(work, frontier, entries, edges, events)
    graph = {
        node: tuple(
            Link(other, weight)
            for other, weight in sorted(links.items())
            if _allowed(events, node, other, request.direction)
        )
        for node, links in edges.items()
    }

    def shown(node: str) -> bool:
        return _visible(events, node, window)

    if request.pagerank:
        paths, ranked = [], pagerank(graph, dict.fromkeys(request.seeds, 1.0), shown)[:NODES_MAX]
    else:
        parameters = WalkParameters(walks=request.walks, length=request.length)
        paths = random_walks(graph, request.seeds, request.seed, shown, parameters)
        shares = dict(visits(paths))
        ranked = [(node, shares[node]) for node in dict.fromkeys(n for path in paths for n in path.nodes)]
    found = [events[node] for node, _ in ranked]
    await work.learn_ids(entity_id for record in found for entity_id in record.entity_ids)
    return Walked(tuple(paths), tuple(found), tuple(score for _, score in ranked))


def _past(work: Work) -> PastGraph | None:
    """The lists of an older known date; None where the stored ones are in force."""
    moment = work.moment
    if moment.known_at >= moment.now:
        return None
    return PastGraph(work.ports.store, moment.graph, moment.known_at, work.ports.event_graph)


async def _entries(work: Work, past: PastGraph | None, frontier: Sequence[str]) -> list[Neighbour]:
    if past is not None:
        return await past.neighbours(frontier)
    return await work.ports.store.neighbours(work.moment.graph, frontier)


async def _expand(
    work: Work,
    frontier: Sequence[str],
    entries: Sequence[Neighbour],
    edges: dict[str, dict[str, float]],
    events: dict[str, EventRecord],
) -> list[str]:
    """Add the edges of the frontier, read both ways; the events that they lead to."""
    for node in frontier:
        edges.setdefault(node, {})
    wanted = set(frontier)
    for link in entries:
        for node, other in ((link.event_id, link.neighbour_id), (link.neighbour_id, link.event_id)):
            if node in wanted:
                edges[node][other] = link.weight
    reached = sorted({other for node in frontier for other in edges[node]} - events.keys())
    events.update(await _events(work, reached[:NODES_MAX]))
    return [node for node in reached if node in events]


async def _events(work: Work, ids: Sequence[str]) -> dict[str, EventRecord]:
    found = await work.ports.store.events(work.moment.graph, list(ids), work.moment.seen)
    return {record.event.event_id: record for record in found}


def _visible(events: dict[str, EventRecord], node: str, window: Interval | None) -> bool:
    record = events.get(node)
    if record is None:
        return False
    interval = record.event.interval
    return window is None or interval is None or interval.overlaps(window)


def _allowed(events: dict[str, EventRecord], node: str, other: str, direction: Direction) -> bool:
    if direction is Direction.BOTH:
        return True
    one, two = events.get(node), events.get(other)
    if one is None or two is None or not (is_dated(one) and is_dated(two)):
        return False
    start = one.event.interval.start if one.event.interval else 0
    later = two.event.interval.start if two.event.interval else 0
    return later >= start if direction is Direction.FORWARD else later <= start


def _check(request: WalkRequest) -> None:
    if not request.seeds:
        raise Rejected("NO_SEEDS", "give at least one event to walk from", field="seed_event_ids")
    if len(request.seeds) > SEEDS_MAX:
        message = f"at most {SEEDS_MAX} seeds are taken, not {len(request.seeds)}"
        raise LimitExceeded("TOO_MANY_SEEDS", message, field="seed_event_ids")
    if not 1 <= request.walks <= WALKS_MAX or not 1 <= request.length <= LENGTH_MAX:
        message = f"walks_per_seed is 1 to {WALKS_MAX}, length 1 to {LENGTH_MAX}"
        raise Rejected("INVALID_WALK", message, field="length")
