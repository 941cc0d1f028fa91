"""What a read may see: one set of rules for FalkorDB and the twin.

A row is seen when it was recorded by known_at, was not withdrawn by then, and the caller holds one of
its labels or it has none. Nothing that happened after known_at shows: a later withdrawal or
invalidation reads as an open end.

A revision of a document is in force from its document time until that of the next later revision of the
same document that the read can see; one without a document time is in force before all others. A chunk,
and an event that is timeless, passes a valid-time constraint when its revision is in force at some
instant of it. A dated event passes when its own time overlaps. An event whose time is meant but not
known passes only where no constraint is set.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any, Final, TypeVar

from tidegraph.domain import facts, filing
from tidegraph.domain.documents import DocumentKind, Status, TimeState
from tidegraph.domain.facts import Assertion, FactVersion
from tidegraph.domain.interval import (
    EXACT_MICROS_MAX,
    MICROS_PER_DAY,
    OPEN_END,
    OPEN_START,
    Interval,
)
from tidegraph.ports import ChunkRecord, DocumentRecord, EventRecord, Visibility

EVERYTHING: Final = Visibility(OPEN_END - 1, None)
"""What the writer sees: all that is known, whatever its labels."""

_Withdrawable = TypeVar("_Withdrawable", Assertion, ChunkRecord, EventRecord, DocumentRecord)


def known_bound(seen: Visibility) -> int:
    """known_at as the store compares it: stamps lie below 2^53, where float64 is exact."""
    return min(seen.known_at, EXACT_MICROS_MAX)


def valid_bounds(valid: Interval) -> tuple[int, int]:
    """(from, to) of ``start < to and end > from``, on whole days beyond 2^53 as stored times are."""
    start, end = valid.start, valid.end
    if abs(start) > EXACT_MICROS_MAX and start != OPEN_START:
        start -= start % MICROS_PER_DAY
    if abs(end) > EXACT_MICROS_MAX and end != OPEN_END:
        end += -end % MICROS_PER_DAY
    return start, end


def parameters(seen: Visibility) -> dict[str, Any]:
    """The parameters of ``queries.visible``."""
    return {
        "known": known_bound(seen),
        "all": seen.labels is None,
        "labels": sorted(seen.labels or ()),
    }


def event_parameters(seen: Visibility) -> dict[str, Any]:
    """The parameters of ``queries.shown``."""
    statuses = None if seen.statuses is None else sorted(int(status) for status in seen.statuses)
    return {**parameters(seen), "statuses": statuses}


def of_any_status(seen: Visibility) -> Visibility:
    """The same, for what depends on no status: all rows but events."""
    return replace(seen, statuses=None)


def of_status(status: Status, seen: Visibility) -> bool:
    """True when the read asks for events of this status."""
    return seen.statuses is None or status in seen.statuses


def permitted(labels: Iterable[str], seen: Visibility) -> bool:
    """True when the caller may see a row with these labels."""
    listed = tuple(labels)
    return seen.labels is None or not listed or not seen.labels.isdisjoint(listed)


def visible(recorded_at: int, withdrawn_at: int, labels: Iterable[str], seen: Visibility) -> bool:
    """True when a row was known at known_at and the caller may see it."""
    return recorded_at <= known_bound(seen) < withdrawn_at and permitted(labels, seen)


def mask(record: _Withdrawable, seen: Visibility) -> _Withdrawable:
    """The record as it was at known_at: a later withdrawal is not known yet."""
    later = known_bound(seen) < record.withdrawn_at != OPEN_END
    return replace(record, withdrawn_at=OPEN_END) if later else record


def evidence(rows: Iterable[Assertion], seen: Visibility) -> list[Assertion]:
    """Rows of assertions that the caller may see, in the recorded intervals in which each counts."""
    known = known_bound(seen)
    found = (filing.in_force(row) for row in rows)
    return [
        # When a form ends may be a thing of the future; what counts is in the recorded interval already.
        mask(replace(row, filed_from=OPEN_START, filed_until=OPEN_END), seen)
        for row in found
        if row is not None and row.recorded_at <= known
    ]


def mask_version(version: FactVersion, seen: Visibility) -> FactVersion:
    """The version as it was at known_at: a later invalidation is not known yet."""
    later = known_bound(seen) < version.invalidated_at != OPEN_END
    return replace(version, invalidated_at=OPEN_END) if later else version


Revision = tuple[str, str]
"""(document id, revision)"""


def in_force(records: Iterable[DocumentRecord], seen: Visibility) -> dict[Revision, Interval]:
    """When each visible revision is in force. ``records`` hold all revisions of their documents."""
    starts = []
    for record in records:
        header = record.header
        if header.kind != DocumentKind.RETRACTION and visible(
            header.recorded_at, record.withdrawn_at, header.labels, seen
        ):
            start = header.document_time.instant if header.document_time else OPEN_START
            starts.append((header.document_id, header.revision, start))
    return forces(starts)


def forces(starts: Iterable[tuple[str, str, int]]) -> dict[Revision, Interval]:
    """When each revision is in force, from (document id, revision, document time) of all visible parts."""
    documents: dict[str, dict[str, int]] = {}
    for document_id, revision, start in starts:
        documents.setdefault(document_id, {})[revision] = start
    found: dict[Revision, Interval] = {}
    for document_id, by_revision in documents.items():
        if len(by_revision) == 1:
            for revision, start in by_revision.items():
                found[document_id, revision] = Interval(start, OPEN_END)
            continue
        times = sorted(set(by_revision.values()))
        following = dict(zip(times, [*times[1:], OPEN_END], strict=True))
        for revision, start in by_revision.items():
            found[document_id, revision] = Interval(start, following[start])
    return found


def complete_revisions(records: Iterable[DocumentRecord]) -> list[facts.Revision]:
    """Revisions of which every part has arrived, by (document, recorded_at, revision, submission).

    The newest reading of a submission stands for it.
    """
    groups: dict[tuple[str, str, str], list[DocumentRecord]] = {}
    for record in records:
        if record.header.kind != DocumentKind.RETRACTION:
            header = record.header
            key = (header.document_id, header.revision, record.revision_origin)
            groups.setdefault(key, []).append(record)
    found = []
    for (document_id, revision, _), group in groups.items():
        if len({record.header.part for record in group}) < group[0].header.parts:
            continue
        first = min(group, key=lambda record: record.header.recorded_at)
        time = first.header.document_time
        found.append(
            facts.Revision(
                document_id=document_id,
                revision=revision,
                document_time=time.instant if time else OPEN_START,
                register=first.header.kind == DocumentKind.REGISTER,
                recorded_at=first.header.recorded_at,
                withdrawn_at=max(record.withdrawn_at for record in group),
            )
        )
    return sorted(found, key=lambda item: (item.document_id, item.recorded_at, item.revision))


def event_passes(record: EventRecord, valid: Interval | None, force: Mapping[Revision, Interval]) -> bool:
    """True when the event passes the valid-time constraint."""
    if valid is None:
        return True
    if record.event.interval is not None:
        return overlaps(record.event.interval, valid)
    if record.event.time_state != TimeState.STATIC:
        return False
    return revision_passes(record.document_id, record.revision, valid, force)


def revision_passes(
    document_id: str, revision: str, valid: Interval | None, force: Mapping[Revision, Interval]
) -> bool:
    """True when the revision is in force at some instant of the constraint."""
    if valid is None:
        return True
    interval = force.get((document_id, revision))
    return interval is not None and overlaps(interval, valid)


def overlaps(stored: Interval, valid: Interval) -> bool:
    """``stored`` overlaps the constraint, by the same comparison as the store's."""
    start, end = valid_bounds(valid)
    return stored.start < end and stored.end > start
