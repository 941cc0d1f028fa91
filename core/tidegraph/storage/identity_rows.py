"""Rows about identity as property maps of the store, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final, TypeVar

from tidegraph.domain.identity import IdentityWrites, PairDecision, Rule, SameAs, Tie, Tied, Trait
from tidegraph.storage.codec import Value, check_time
from tidegraph.storage.rows import Row, compact, texts

BLOCK: Final = "key"
"""The kind of a trait by which candidates are found."""


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


def trait_row(trait: Trait) -> Row:
    """Properties of a Trait node; ``block`` is what candidates are found by."""
    return compact(
        {
            "id": trait.row_id,
            "entity_id": trait.entity_id,
            "kind": trait.kind,
            "value": trait.value,
            "block": trait.value if trait.kind == BLOCK else None,
            "recorded_at": check_time(trait.recorded_at),
        }
    )


def parameters(writes: IdentityWrites) -> dict[str, Value]:
    """The lists of ``queries_identity.WRITES``."""
    traits, pairs = earliest(writes.traits), earliest(writes.decisions)
    same = [same_row(one) for one in writes.insert]
    closed: list[Row] = [{"id": row_id, "at": at} for row_id, at in writes.close]
    return {
        "traits": [trait_row(trait) for trait in traits],
        "traits_seen": [{"id": trait.row_id, "at": trait.recorded_at} for trait in traits],
        "pairs": [pair_row(pair) for pair in pairs],
        "pairs_seen": [{"id": pair.row_id, "at": pair.recorded_at} for pair in pairs],
        "same": [row for row in same if row["tie"] == Tie.SAME],
        "reviews": [row for row in same if row["tie"] == Tie.REVIEW],
        "same_closed": closed,
        "reviews_closed": closed,
    }


_Told = TypeVar("_Told", Trait, PairDecision)


def earliest(told: Iterable[_Told]) -> list[_Told]:
    """Each row once, as it was told first."""
    found: dict[str, _Told] = {}
    for one in told:
        known = found.get(one.row_id)
        if known is None or one.recorded_at < known.recorded_at:
            found[one.row_id] = one
    return list(found.values())
