"""Weighted random walks over the event graph of the known date, inside what may be seen (DyG-RAG eq. 9)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from tidegraph.domain.errors import LimitExceeded, NotFound, Rejected
from tidegraph.domain.interval import Interval
from tidegraph.domain.walk import Path, WalkParameters, visits
from tidegraph.ports import EventRecord
from tidegraph.services.usecases.event_search import interval_of, is_dated
from tidegraph.services.usecases.exploring import Explorer
from tidegraph.services.usecases.work import Work

SEEDS_MAX: Final = 50
WALKS_MAX: Final = 20
LENGTH_MAX: Final = 12


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
        NotFound: EVENT_NOT_FOUND, a seed that this read cannot see, or all of them outside the window.
    """
    _check(request)
    records: dict[str, EventRecord] = {}

    async def look(ids: Sequence[str]) -> dict[str, Interval | None]:
        found = await work.ports.store.events(work.moment.graph, list(ids), work.moment.seen)
        statuses = work.shown.statuses or ()
        found = [r for r in found if r.event.status in statuses or r.event.event_id in request.seeds]
        records.update({record.event.event_id: record for record in found})
        return {record.event.event_id: record.event.interval for record in found}

    def allowed(node: str, other: str) -> bool:
        return _follows(records[node], records[other], request.direction)

    explorer = Explorer(work, look, window, allowed)
    await explorer.start(request.seeds)
    unknown = [seed for seed in request.seeds if seed not in records]
    if unknown:
        message = "no such event was known then in this graph; take ids from Retrieve or GetTimeline"
        raise NotFound("EVENT_NOT_FOUND", message, event_id=unknown[0][:80])
    if not any(explorer.shown(seed) for seed in request.seeds):
        message = "none of these events lies in the asked time; leave it out, or ask for another one"
        raise NotFound("EVENT_NOT_FOUND", message, event_id=request.seeds[0][:80], field="as_of")
    paths: list[Path] = []
    if request.pagerank:
        ranked = await explorer.ranked(request.seeds, request.length)
    else:
        parameters = WalkParameters(walks=request.walks, length=request.length)
        paths = await explorer.walks(request.seeds, request.seed, parameters)
        shares = dict(visits(paths))
        ranked = [(node, shares[node]) for node in dict.fromkeys(n for path in paths for n in path.nodes)]
    shown = [records[node] for node, _ in ranked]
    await work.learn_ids(entity_id for record in shown for entity_id in record.entity_ids)
    return Walked(tuple(paths), tuple(shown), tuple(score for _, score in ranked))


def _follows(one: EventRecord, other: EventRecord, direction: Direction) -> bool:
    """Whether a walk in this direction may step from one event to the other."""
    if direction is Direction.BOTH:
        return True
    if not (is_dated(one) and is_dated(other)):
        return False
    start, later = interval_of(one).start, interval_of(other).start
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
