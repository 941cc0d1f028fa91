"""Rows about identity as property maps of the store, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, TypeVar

import orjson

from tidegraph.domain.identity import IdentityWrites, PairDecision, Rule, SameAs, Sighting, Tie, Tied
from tidegraph.domain.interval import Interval
from tidegraph.storage.codec import Value, check_time
from tidegraph.storage.rows import Row, compact, texts


def same_row(one: SameAs) -> Row:
    """Properties of a SAME_AS or REVIEW edge."""
    tied = one.tied
    return compact(
        {
            "id": one.row_id,
            "left": tied.left,
            "right": tied.right,
            "tie": str(tied.tie),
            "rule": str(tied.rule),
            "actor": tied.actor,
            "reason": tied.reason,
            "labels": tied.labels,
            "recorded_at": check_time(one.recorded_at),
            "invalidated_at": check_time(one.invalidated_at),
        }
    )


def same_of(row: Mapping[str, Any]) -> SameAs:
    """The inverse of :func:`same_row`."""
    text = texts(row)
    tied = Tied(
        text("left"),
        text("right"),
        Tie(text("tie")),
        Rule(text("rule")),
        text("actor"),
        text("reason"),
        tuple(row.get("labels", ())),
    )
    return SameAs(text("id"), tied, row["recorded_at"], row["invalidated_at"])


def pair_row(decision: PairDecision) -> Row:
    """Properties of a Pair node."""
    return compact(
        {
            "id": decision.row_id,
            "decision_id": decision.decision_id,
            "left": decision.left,
            "right": decision.right,
            "same": decision.same,
            "rule": str(decision.rule),
            "actor": decision.actor,
            "reason": decision.reason,
            "recorded_at": check_time(decision.recorded_at),
        }
    )


def pair_of(row: Mapping[str, Any]) -> PairDecision:
    """The inverse of :func:`pair_row`."""
    text = texts(row)
    return PairDecision(
        text("decision_id"),
        text("left"),
        text("right"),
        row["same"],
        Rule(text("rule")),
        text("actor"),
        text("reason"),
        row["recorded_at"],
    )


def sighting_row(seen: Sighting) -> Row:
    """Properties of a Sighting node; names and slots as JSON."""
    return compact(
        {
            "id": seen.row_id,
            "entity_id": seen.entity_id,
            "document_id": seen.document_id,
            "names": orjson.dumps(seen.names).decode(),
            "slots": orjson.dumps(seen.slots).decode() if seen.slots else None,
            "keys": seen.keys,
            "called": int(seen.is_called),
            "words": " ".join(seen.words),
            "time": check_time(seen.time),
            "recorded_at": check_time(seen.recorded_at),
            "gaps": _gaps_row(seen.gaps) or None,
        }
    )


def _gaps_row(gaps: Iterable[Interval]) -> list[int]:
    return [check_time(at) for gap in gaps for at in (gap.start, gap.end)]


def sighting_of(row: Sequence[Any]) -> Sighting:
    """The inverse of :func:`sighting_row`, but for the keys: they follow from the rest.

    ``row``: entity id, recorded_at, row id, document id, names, slots, words, time, gaps.
    """
    entity_id, recorded_at, row_id, document_id, names, slots, words, time, gaps = row
    return Sighting(
        entity_id=entity_id,
        document_id=document_id or "",
        names=tuple([(int(kind), name) for kind, name in orjson.loads(names)]),
        slots=tuple([(slot, value) for slot, value in orjson.loads(slots)]) if slots else (),
        keys=(),
        words=tuple(words.split()) if words else (),
        time=time,
        recorded_at=recorded_at,
        gaps=tuple(map(Interval, gaps[::2], gaps[1::2])) if gaps else (),
    ).stored_as(row_id)


def parameters(writes: IdentityWrites) -> dict[str, Value]:
    """The lists of ``queries_identity.WRITES``."""
    sightings, pairs = earliest(writes.sightings), earliest(writes.decisions)
    same = [same_row(one) for one in writes.insert]
    closed: list[Row] = [{"id": row_id, "at": at} for row_id, at in writes.close]
    return {
        "sightings": [sighting_row(one) for one in sightings],
        "sightings_seen": [{"id": one.row_id, "at": one.recorded_at, "keys": one.keys} for one in sightings],
        "sighting_gaps": [{"id": row_id, "gaps": _gaps_row(gaps)} for row_id, gaps in writes.gaps],
        "sightings_dropped": [{"id": row_id} for row_id in writes.dropped],
        "pairs": [pair_row(pair) for pair in pairs],
        "pairs_seen": [{"id": pair.row_id, "at": pair.recorded_at} for pair in pairs],
        "same": [row for row in same if row["tie"] == Tie.SAME],
        "reviews": [row for row in same if row["tie"] == Tie.REVIEW],
        "same_closed": closed,
        "reviews_closed": closed,
    }


_Told = TypeVar("_Told", Sighting, PairDecision)


def earliest(told: Iterable[_Told]) -> list[_Told]:
    """Each row once, as it was told first."""
    found: dict[str, _Told] = {}
    for one in told:
        known = found.get(one.row_id)
        if known is None or one.recorded_at < known.recorded_at:
            found[one.row_id] = one
    return list(found.values())
