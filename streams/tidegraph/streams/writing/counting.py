"""Rows as evidence: statements out of claims, which sightings of an id count, and when a key is common."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tidegraph.domain.documents import Status
from tidegraph.domain.facts import Assertion
from tidegraph.domain.identity import MAX_SIGHTINGS, Sighting
from tidegraph.domain.interval import OPEN_END
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


def earliest(sightings: Iterable[Sighting]) -> dict[str, Sighting]:
    """Each sighting once, as it was recorded first, by its row id."""
    found: dict[str, Sighting] = {}
    for one in sightings:
        row_id = one.row_id
        held = found.get(row_id)
        if held is None or one.recorded_at < held.recorded_at:
            found[row_id] = one
    return found


def counted(sightings: Mapping[str, Sighting]) -> list[Sighting]:
    """The sightings of one id, by row id, that count, in the order in which a store gives them."""
    found: list[Sighting] = []
    kept = dict.fromkeys((False, True), 0)
    for _, _, one in sorted((one.recorded_at, row_id, one) for row_id, one in sightings.items()):
        if kept[one.is_called] < MAX_SIGHTINGS:
            kept[one.is_called] += 1
            found.append(one)
    return found


def crowded(holders: Mapping[str, int], most: int) -> int:
    """The instant from which more than ``most`` ids have a key, OPEN_END when they never do.

    ``holders``: since when each id has it, at least the ``most + 1`` that had it first.
    """
    times = sorted(holders.values())
    return times[most] if len(times) > most else OPEN_END
