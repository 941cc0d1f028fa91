"""Decisions that a graph's writer has carried out: rows of the store, and how they are read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from tidegraph.domain.errors import NotFound
from tidegraph.ports import DecisionRecord, Visibility
from tidegraph.storage import queries
from tidegraph.storage.codec import Value, check_time
from tidegraph.storage.connection import Connection
from tidegraph.storage.rows import Row, compact, texts
from tidegraph.storage.visibility import known_bound


def decision_row(decision: DecisionRecord) -> Row:
    """Properties of a Decision node."""
    return compact(
        {
            "id": decision.decision_id,
            "kind": decision.kind,
            "subject": decision.subject,
            "actor": decision.actor,
            "reason": decision.reason,
            "recorded_at": check_time(decision.recorded_at),
            "content": decision.content,
        }
    )


def decision_of(row: Mapping[str, Any]) -> DecisionRecord:
    """The inverse of :func:`decision_row`."""
    text = texts(row)
    return DecisionRecord(
        decision_id=text("id"),
        kind=text("kind"),
        subject=text("subject"),
        actor=text("actor"),
        reason=text("reason"),
        recorded_at=row["recorded_at"],
        content=text("content"),
    )


def earliest(decisions: Iterable[DecisionRecord]) -> list[DecisionRecord]:
    """Each decision once, with the earliest time at which it was told, by (recorded_at, id)."""
    found: dict[str, DecisionRecord] = {}
    for decision in decisions:
        known = found.get(decision.decision_id)
        if known is None or decision.recorded_at < known.recorded_at:
            found[decision.decision_id] = decision
    return sorted(found.values(), key=lambda decision: (decision.recorded_at, decision.decision_id))


class DecisionReads:
    """The part of the store's readers that knows decisions."""

    connection: Connection

    async def decisions(
        self,
        graph: str,
        kinds: Sequence[str],
        seen: Visibility,
        subjects: Sequence[str] | None = None,
    ) -> list[DecisionRecord]:
        """Decisions of the kinds recorded by known_at, by (recorded_at, id)."""
        if not kinds or (subjects is not None and not subjects):
            return []
        values: dict[str, Value] = {"kinds": sorted(set(kinds)), "known": known_bound(seen)}
        query = queries.DECISIONS
        if subjects is not None and "" not in subjects:  # an empty property is not stored
            query = queries.DECISIONS_ABOUT
            values["subjects"] = sorted(set(subjects))
        try:
            found = await self.connection.read(graph, query, values)
        except NotFound:
            return []
        decisions = earliest(decision_of(row[0]) for row in found)
        return [one for one in decisions if subjects is None or one.subject in subjects]
