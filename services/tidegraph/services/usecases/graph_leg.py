"""The event graph as a leg of retrieval: what walks from the best events come by (DyG-RAG eq. 9)."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Sequence
from enum import StrEnum
from typing import Final

from tidegraph.domain.interval import Interval
from tidegraph.domain.walk import WalkParameters, arrivals
from tidegraph.ports import Scored
from tidegraph.services.usecases.exploring import Explorer, Look
from tidegraph.services.usecases.legs import LEG_MIN, Leg
from tidegraph.services.usecases.work import Work

SEEDS_MAX: Final = 20
WALKS: Final = WalkParameters(walks=5, length=3)
STEPS: Final = 2
"""How far PageRank looks: every step reads the lists of all events that the one before it came to."""


class GraphLeg(StrEnum):
    """How neighbours of the best events become candidates: not at all, by random walks or by PageRank."""

    NONE = "none"
    WALK = "walk"
    PAGERANK = "pagerank"


async def graph_leg(work: Work, seeds: Sequence[str], window: Interval | None, how: GraphLeg) -> Leg:
    """Events that are come by from the seeds (event ids, best first), those come by most often first.

    The question decides where walks go, so that the same request finds the same.
    """
    started = time.perf_counter()
    seeds = seeds[:SEEDS_MAX]
    explorer = Explorer(work, _look(work), window)
    await explorer.start(seeds)
    if how is GraphLeg.PAGERANK:
        ranked = await explorer.ranked(seeds, STEPS)
    else:
        ranked = arrivals(await explorer.walks(seeds, _seed(work), WALKS))
    hits = tuple(Scored(f"event:{event_id}", score) for event_id, score in ranked[:LEG_MIN])
    return Leg("graph", hits, (time.perf_counter() - started) * 1_000)


def _seed(work: Work) -> int:
    return int.from_bytes(hashlib.sha256(work.question.text.encode()).digest()[:8], "big")


def _look(work: Work) -> Look:
    async def look(ids: Sequence[str]) -> dict[str, Interval | None]:
        found = await work.ports.store.sketches(work.moment.graph, ids, work.shown)
        return {sketch.event_id: sketch.interval for sketch in found}

    return look
