"""Rows as evidence: statements out of claims, and which sightings of an id count."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tidegraph.domain.documents import Status
from tidegraph.domain.facts import Assertion
from tidegraph.domain.identity import MAX_SIGHTINGS, Sighting
from tidegraph.domain.naming import normalise
from tidegraph.resolution.standing import Statement


def statement_of(claim: Assertion) -> Statement | None:
    """A claim about a name as a statement; None for one that says nothing or denies it."""
    name = normalise(claim.object)
    if claim.object_is_entity or not name or claim.status is Status.DENIED:
        return None
    return Statement(
        subject=claim.subject,
        name=name,
        at=claim.valid.start,
        document_id=claim.document_id,
        labels=claim.labels,
        recorded_at=claim.recorded_at,
        withdrawn_at=claim.withdrawn_at,
    )


def earliest(sightings: Iterable[Sighting]) -> list[Sighting]:
    """Each sighting once, as it was recorded first."""
    found: dict[str, Sighting] = {}
    for one in sightings:
        held = found.get(one.row_id)
        if held is None or one.recorded_at < held.recorded_at:
            found[one.row_id] = one
    return list(found.values())


def counted(sightings: Sequence[Sighting]) -> list[Sighting]:
    """The sightings of one id that count, in the order in which a store gives them."""
    found: list[Sighting] = []
    for called in (False, True):
        told = (one for one in sightings if one.is_called is called)
        found += sorted(told, key=_order)[:MAX_SIGHTINGS]
    return sorted(found, key=_order)


def _order(one: Sighting) -> tuple[int, str]:
    return one.recorded_at, one.row_id
