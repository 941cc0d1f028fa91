"""What a search yields before it is ranked, and what is left to decide of a valid-time constraint."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

from tidegraph.domain.interval import OPEN_START, Interval
from tidegraph.ports import Scored, Visibility
from tidegraph.storage import queries, visibility
from tidegraph.storage.codec import Value
from tidegraph.storage.reads import FalkorReads

PAGE_MIN: Final = 50
"""Hits of which the revisions are looked up at a time."""
SPARE: Final = 1.25
"""What is asked for beyond what the share of rows that were kept calls for."""
LEAST_MORE: Final = 1.5
MOST_MORE: Final = 16.0


class Hit(NamedTuple):
    """A row that a search found: an event or a chunk."""

    id: str
    document_id: str
    revision: str
    undated: bool
    score: float

    @staticmethod
    def of(id_: str, document_id: str, revision: str, undated: str, score: str, *_: int) -> Hit:
        """A hit from the cells of a plain row."""
        return Hit(id_, document_id, revision, undated == "true", float(score))


class HitReads(FalkorReads):
    """The reads that all searches share."""

    async def passing_in_force(
        self, graph: str, hits: Sequence[Hit], valid: Interval | None, seen: Visibility, limit: int
    ) -> tuple[list[Hit], int]:
        """The first hits, in their order, of which the revision is in force, where a valid time is asked
        for, and how many before the last of them were left out. No more are looked at than are needed.
        """
        if valid is None:
            return list(hits[:limit]), 0
        kept: list[Hit] = []
        at = 0
        while at < len(hits) and len(kept) < limit:
            page = hits[at : at + max(PAGE_MIN, limit + limit // 4 - len(kept))]
            force = await self.in_force(graph, {hit.document_id for hit in page if hit.undated}, seen)
            passing = {one for one, interval in force.items() if visibility.overlaps(interval, valid)}
            for hit in page:
                at += 1
                if not hit.undated or (hit.document_id, hit.revision) in passing:
                    kept.append(hit)
                    if len(kept) == limit:
                        break
        return kept, at - len(kept)


def more(asked: int, kept: int, limit: int, cap: int) -> int:
    """How many to ask for next, by the share of those asked for that was kept."""
    wanted = asked * min(MOST_MORE, max(LEAST_MORE, SPARE * limit / max(1, kept)))
    return min(int(wanted), cap)


def scored(hits: Sequence[Hit]) -> list[Scored]:
    """The hits as a leg gives them."""
    return [Scored(id_, score, document_id) for id_, document_id, _, _, score in hits]


_BEFORE: Final = "n.document_time < $force_to"
"""A revision that is in force at some instant of a time came before its end."""
_STATIC_BEFORE: Final = f"{queries.STATIC} AND {_BEFORE}"


def of_status(holds: str, seen: Visibility) -> str:
    """The condition on events, and their status is one that is asked for."""
    return holds if seen.statuses is None else f"n.status IN $statuses AND {holds}"


def condition(
    what: str, valid: Interval | None, force: Interval | None, seen: Visibility, values: dict[str, Value]
) -> str:
    """What a row has to be, as far as the store can decide on it alone: its time, the status of an event."""
    holds = _in_time(what, valid, force, values)
    return holds if what == "chunk" else of_status(holds, seen)


def _in_time(what: str, valid: Interval | None, force: Interval | None, values: dict[str, Value]) -> str:
    """The part of the valid-time constraint that the store can decide on a row alone; sets what it needs."""
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
