"""Under which conflict key a claim counts when: policies may change, what was told does not.

A claim keeps the words that it was told in. Each registry of a graph's timeline turns them into a
canonical form under a conflict key; where that changes from one epoch to the next, the claim has one row
for each form, and each row counts while its registry holds. A row's id follows from the claim and from
the decision by which its form began, so that rows are the same whichever came first, claim or decision.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tidegraph.domain.facts import Assertion
from tidegraph.domain.ids import make_id
from tidegraph.domain.interval import OPEN_END
from tidegraph.domain.policies import Qualifiers
from tidegraph.domain.predicates import Registry
from tidegraph.domain.rules import Timeline


@dataclass(frozen=True, slots=True)
class Told:
    """A claim in the words of its document, its names resolved. ``claim_id`` is that of its first row."""

    claim_id: str
    subject: str
    predicate: str
    object: str
    object_is_entity: bool
    qualifiers: Qualifiers


def filings(graph: str, model: Assertion, told: Told, timeline: Timeline) -> tuple[Assertion, ...]:
    """The rows of a claim, one for each form that it has over time, with the bounds of each.

    Args:
        model: everything about the claim but its form, its id and its bounds.
    """
    rows: list[Assertion] = []
    for epoch in timeline.epochs:
        row = _formed(graph, model, told, epoch.registry)
        if rows and _form(rows[-1]) == _form(row):
            continue
        if rows:
            rows[-1] = replace(rows[-1], filed_until=epoch.since)
        id_ = make_id("filed", told.claim_id, epoch.decision_id) if rows else told.claim_id
        rows.append(
            replace(
                row,
                assertion_id=id_,
                told=_written(told) if rows or not _says_itself(row, told) else "",
                filed_from=epoch.since,
                filed_until=OPEN_END,
            )
        )
    return tuple(rows)


def refile(
    graph: str, rows: Sequence[Assertion], timeline: Timeline
) -> tuple[tuple[Assertion, ...], tuple[tuple[str, int], ...]]:
    """(rows to add, (row id, filed_until) to move earlier) for a claim of which these rows are stored."""
    first = min(rows, key=lambda row: (row.filed_from, row.assertion_id))
    wanted = filings(graph, first, told_of(first), timeline)
    bounds = {row.assertion_id: row.filed_until for row in wanted}
    known = {row.assertion_id for row in rows}
    added = tuple(row for row in wanted if row.assertion_id not in known)
    # A row that no epoch begins any more never counted.
    untils = ((row.assertion_id, bounds.get(row.assertion_id, row.filed_from)) for row in rows)
    stored = {row.assertion_id: row.filed_until for row in rows}
    return added, tuple(sorted((id_, until) for id_, until in untils if until < stored[id_]))


def told_of(row: Assertion) -> Told:
    """What the claim of a stored row was told as."""
    if not row.told:
        return Told(
            row.assertion_id, row.subject, row.predicate, row.object, row.object_is_entity, row.qualifiers
        )
    claim_id, subject, predicate, object_, is_entity, qualifiers = json.loads(row.told)
    pairs = tuple((name, value) for name, value in qualifiers)
    return Told(claim_id, subject, predicate, object_, is_entity, pairs)


def in_force(row: Assertion) -> Assertion | None:
    """The row with the recorded interval in which it counts; None when there is none.

    A row that was withdrawn when it was recorded never counts, whether or not it was ever filed anew.
    """
    recorded, withdrawn = max(row.recorded_at, row.filed_from), min(row.withdrawn_at, row.filed_until)
    if recorded >= withdrawn:
        return None
    if (recorded, withdrawn) == (row.recorded_at, row.withdrawn_at):
        return row
    return replace(row, recorded_at=recorded, withdrawn_at=withdrawn)


def _formed(graph: str, model: Assertion, told: Told, registry: Registry) -> Assertion:
    canonical = registry.canonical(
        told.subject, told.predicate, told.object, told.qualifiers, object_is_entity=told.object_is_entity
    )
    return replace(
        model,
        key=registry.conflict_key(graph, canonical),
        subject=canonical.subject,
        predicate=canonical.predicate,
        object=canonical.object,
        object_is_entity=canonical.object_is_entity,
        qualifiers=canonical.qualifiers,
    )


def _form(row: Assertion) -> tuple[object, ...]:
    return row.key, row.subject, row.predicate, row.object, row.object_is_entity, row.qualifiers


def _says_itself(row: Assertion, told: Told) -> bool:
    return _form(row)[1:] == (
        told.subject,
        told.predicate,
        told.object,
        told.object_is_entity,
        told.qualifiers,
    )


def _written(told: Told) -> str:
    return json.dumps(
        [
            told.claim_id,
            told.subject,
            told.predicate,
            told.object,
            told.object_is_entity,
            [list(pair) for pair in told.qualifiers],
        ],
        ensure_ascii=False,
        separators=(",", ":"),
    )
