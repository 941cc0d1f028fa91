"""Which ids are one entity: the rows that say so, what is not decided, and an operator's decisions."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from tidegraph.domain.documents import Position
from tidegraph.domain.errors import LimitExceeded, NotFound, Rejected
from tidegraph.domain.identity import MAX_MERGED, SameAs, Sighting, Tie
from tidegraph.events.v1 import records_pb2
from tidegraph.ports import EntityRecord, Visibility
from tidegraph.resolution.engine import score
from tidegraph.resolution.profiles import Profile
from tidegraph.resolution.standing import keys_of, profile_at
from tidegraph.resolution.statistics import Statistics
from tidegraph.services.caller import Caller
from tidegraph.services.usecases.context import Moment, Ports
from tidegraph.services.usecases.decide import decide
from tidegraph.services.usecases.linking import named
from tidegraph.storage.merged import apart

MAX_JOINED: Final = 128
"""Ids that merges may make one entity: with what comes near them, what the writer looks at for one change."""
REVIEWS_MAX: Final = 10_000
NEAR_MAX: Final = 8
"""Other entities that are shown with an entity."""
HOLDERS_MAX: Final = 50
REASONS_MAX: Final = 3
_NO_STATISTICS: Final = Statistics.of()


@dataclass(frozen=True, slots=True)
class Near:
    """Another entity with how likely it is the same, in [0, 1], and what speaks for and against it."""

    record: EntityRecord
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class Review:
    """A pair that the rules do not decide."""

    tie: SameAs
    left: EntityRecord
    right: EntityRecord
    score: float
    reason: str


# --- decisions --------------------------------------------------------------------------------------


async def merge(ports: Ports, caller: Caller, entity_ids: Sequence[str], reason: str) -> Position:
    """Say that the ids are one entity, from now on.

    Raises:
        Rejected: TOO_FEW_ENTITIES. LimitExceeded: TOO_MANY_ENTITIES; SET_TOO_LARGE, the entity would have
            more ids than the writer keeps together. NotFound: ENTITY_NOT_FOUND.
    """
    ids, together = await _known(ports, caller, entity_ids)
    if len(ids) < 2:
        raise Rejected("TOO_FEW_ENTITIES", "give at least two different entity ids", field="entity_ids")
    if len(together) > MAX_JOINED:
        message = f"the entity would have {len(together)} ids; at most {MAX_JOINED} may be one"
        raise LimitExceeded("SET_TOO_LARGE", message, field="entity_ids")
    return await decide(ports, caller, reason, merge=records_pb2.Merge(entity_ids=ids))


async def split(ports: Ports, caller: Caller, entity_ids: Sequence[str], reason: str) -> Position:
    """Say that the ids are apart, from now on: one from the rest of its set, several from each other.

    Raises:
        Rejected: NOT_MERGED, the one id stands alone. LimitExceeded: TOO_MANY_ENTITIES.
        NotFound: ENTITY_NOT_FOUND.
    """
    ids, _ = await _known(ports, caller, entity_ids)
    rest: list[str] = []
    if len(ids) == 1:
        now = Visibility(ports.clock.now(), caller.labels)
        whole = (await ports.store.entities(caller.graph, ids, now))[0]
        rest = [member for member in whole.members if member != ids[0]]
        if not rest:
            message = "this entity is one id; there is nothing to split it from"
            raise Rejected("NOT_MERGED", message, entity_id=ids[0][:80])
        _check_number(rest)
    return await decide(ports, caller, reason, split=records_pb2.Split(entity_ids=ids, from_ids=rest))


async def _known(ports: Ports, caller: Caller, entity_ids: Sequence[str]) -> tuple[list[str], set[str]]:
    """The ids, each once, and all that are taken for the same as one of them."""
    ids = sorted(set(entity_ids))
    if not ids:
        raise Rejected("TOO_FEW_ENTITIES", "give entity ids", field="entity_ids")
    _check_number(ids)
    now = Visibility(ports.clock.now(), caller.labels)
    found = await ports.store.entities(caller.graph, ids, now)
    known = {member for record in found for member in (record.entity_id, *record.members)}
    for entity_id in ids:
        if entity_id not in known:
            message = f"no entity has the id {entity_id[:80]!r} in this graph; `tidegraph entity` shows ids"
            raise NotFound("ENTITY_NOT_FOUND", message, entity=entity_id[:80])
    return ids, known


def _check_number(ids: Sequence[str]) -> None:
    if len(ids) > MAX_MERGED:
        message = f"a decision takes at most {MAX_MERGED} ids, not {len(ids)}; make several"
        raise LimitExceeded("TOO_MANY_ENTITIES", message, field="entity_ids")


# --- reading ----------------------------------------------------------------------------------------


async def ties_of(ports: Ports, moment: Moment, record: EntityRecord) -> list[SameAs]:
    """Every row about the ids of an entity that was told by known_at, as it was then; newest last."""
    ids = record.members or (record.entity_id,)
    rows = await ports.store.ties(moment.graph, ids)
    shown = [
        row
        for row in rows
        if row.recorded_at <= moment.known_at
        and row.recorded_at < row.invalidated_at
        and _may_see(row, moment.seen)
    ]
    return sorted(shown, key=lambda row: (row.recorded_at, row.row_id))


async def own_names(ports: Ports, moment: Moment, rows: Iterable[SameAs]) -> dict[str, EntityRecord]:
    """The records of both sides of each row, every id by itself: what it is called apart from its set."""
    sides = sorted({side for row in rows for side in (row.tied.left, row.tied.right)})
    return {record.entity_id: record for record in await apart(ports.store).entities(moment.graph, sides)}


def _may_see(row: SameAs, seen: Visibility) -> bool:
    return seen.labels is None or not row.tied.labels or not seen.labels.isdisjoint(row.tied.labels)


async def near(ports: Ports, moment: Moment, record: EntityRecord) -> list[Near]:
    """Entities that come near one without being taken for it, the likeliest first."""
    graph, own = moment.graph, set(record.members or (record.entity_id,))
    told = await ports.store.sightings(graph, sorted(own))
    keys = {key for one in told if one.recorded_at <= moment.known_at for key in keys_of(one)}
    held = await ports.store.holders(graph, sorted(keys), HOLDERS_MAX + 1)
    others = {
        holder
        for holders in held.values()
        if len(holders) <= HOLDERS_MAX
        for holder, at in holders
        if at <= moment.known_at
    }
    others -= own
    theirs = await ports.store.sightings(graph, sorted(others))
    mine = _profile(record.entity_id, told, moment.known_at)
    if mine is None:
        return []
    records = await ports.store.entities(graph, sorted(others), moment.seen)
    found: list[Near] = []
    for other in records:
        ids = set(other.members or (other.entity_id,))
        profile = _profile(other.entity_id, (s for s in theirs if s.entity_id in ids), moment.known_at)
        if profile is not None:
            value, reason = _scored(mine, profile)
            found.append(Near(other, value, reason))
    found.sort(key=lambda one: (-one.score, one.record.entity_id))
    return found[:NEAR_MAX]


def _profile(entity_id: str, told: Iterable[Sighting], known_at: int) -> Profile | None:
    return profile_at(entity_id, sorted(told, key=lambda s: (s.recorded_at, s.row_id)), known_at)


def _scored(one: Profile, other: Profile) -> tuple[float, str]:
    """(probability that both are one, what weighs most)."""
    found = score(one, other, _NO_STATISTICS)
    weighed = [f"{part.feature} {part.weight:+.1f}" for part in found.reasons[:REASONS_MAX] if part.weight]
    return 1.0 / (1.0 + math.exp(-found.log_odds)), ", ".join(weighed)


async def reviews(ports: Ports, moment: Moment, entity: str, offset: int, size: int) -> list[Review]:
    """A page of the pairs that the rules do not decide, with one more when there are more.

    Args:
        entity: a name or id that the pairs are about; "" for all.

    Raises:
        NotFound: ENTITY_NOT_FOUND. LimitExceeded: TOO_MANY_REVIEWS, a page beyond what is listed.
    """
    if offset + size > REVIEWS_MAX:
        message = f"reviews are listed up to {REVIEWS_MAX}; name an entity"
        raise LimitExceeded("TOO_MANY_REVIEWS", message, field="page_token")
    if entity:
        rows = await _about(ports, moment, entity)
    else:
        rows = await ports.store.reviews(moment.graph, "", offset + size + 1, moment.seen)
    return await _shown(ports, moment, rows[offset : offset + size + 1])


async def _about(ports: Ports, moment: Moment, entity: str) -> list[SameAs]:
    records = await named(ports, moment, entity)
    ids = sorted({id_ for record in records for id_ in (record.members or (record.entity_id,))})
    return [
        row
        for row in await ports.store.ties(moment.graph, ids)
        if row.tied.tie is Tie.REVIEW
        and row.recorded_at <= moment.known_at < row.invalidated_at
        and _may_see(row, moment.seen)
    ]


async def _shown(ports: Ports, moment: Moment, rows: Sequence[SameAs]) -> list[Review]:
    sides = sorted({side for row in rows for side in (row.tied.left, row.tied.right)})
    names = await own_names(ports, moment, rows)
    told = await ports.store.sightings(moment.graph, sides)
    found = []
    for row in rows:
        left, right = row.tied.left, row.tied.right
        if left not in names or right not in names:
            continue
        one = _profile(left, (s for s in told if s.entity_id == left), moment.known_at)
        other = _profile(right, (s for s in told if s.entity_id == right), moment.known_at)
        value, weighed = _scored(one, other) if one and other else (0.5, "")
        reason = f"{row.tied.reason}: {weighed}" if weighed else row.tied.reason
        found.append(Review(row, names[left], names[right], value, reason))
    return found
