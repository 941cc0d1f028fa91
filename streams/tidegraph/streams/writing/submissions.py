"""Revisions, their readings and their withdrawals: a function of the set of records, not of their order.

A *submission* is one coming of a revision with one content; a *reading* is what one extractor epoch made
of it. Evidence of a reading counts until the earliest of

- a retraction of the document (or of the revision) recorded at or after the submission;
- a submission of the same document with the same document time that replaces it: the one with the
  higher revision where revisions are numbers ("7", "v2", "2024-03"), else the one recorded later;
- a reading of the same submission by another epoch, recorded later. The reading of a re-extraction is
  recorded when that was decided.

A worker that reads a record a second time, because it or its group had forgotten that it was read, may be
another extractor. Nobody decided on that: of readings of one instant the one that was whole first stays, and
the other is *surplus*: nothing is written of it, and whoever keeps the record of belief drops it there, so
that a rebuild finds one reading. Where a graph holds two all the same, the whole one counts, then the
greater epoch, by number where it has one.

What replaces does so when all of its parts are there. A revision that is sent again after it was
withdrawn is a new submission; sent again before, it is a duplicate and changes nothing, except that the
earliest recorded time of the copies counts.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from tidegraph.domain import epochs
from tidegraph.domain.canonical import union
from tidegraph.domain.documents import DocumentHeader, DocumentKind, ExtractedDocument
from tidegraph.domain.ids import make_id
from tidegraph.domain.interval import OPEN_END, OPEN_START, Interval
from tidegraph.ports import DocumentRecord

WHOLE_DOCUMENT: Final = ""
ONE_REVISION: Final = "revision"
"""Scopes of a retraction, kept in the ``extractor_epoch`` of its record."""

_NUMBERED: Final = re.compile(r"(\D*)(\d{1,12}(?:[.\-]\d{1,12})*)")


@dataclass(slots=True)
class DocumentSet:
    """All records of one document: those that the graph holds, and those of the batch.

    ``stored`` are times as the graph has them, by origin: (recorded_at, withdrawn_at).
    """

    records: list[DocumentRecord] = field(default_factory=list)
    stored: dict[str, tuple[int, int]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Placed:
    """What a record of the batch is: new, or a copy of what is there.

    ``record`` is the one to write, or the one that the copy repeats. ``ids_again``: its ids are in use by
    an earlier submission of the revision, so that rows need ids of their own. ``is_surplus``: what another
    extractor read of the same record counts.
    """

    record: DocumentRecord
    is_new: bool
    ids_again: bool
    is_surplus: bool = False


@dataclass(frozen=True, slots=True)
class Moves:
    """Times to move earlier, by origin."""

    withdrawn: tuple[tuple[str, int], ...]
    recorded_earlier: tuple[tuple[str, int], ...]


class Submissions:
    """The documents that a batch touches. Feed it the batch in the order of the log, then ask."""

    def __init__(self, graph: str, document_ids: Iterable[str], stored: Iterable[DocumentRecord]) -> None:
        self._graph = graph
        self._sets: dict[str, DocumentSet] = {name: DocumentSet() for name in document_ids}
        self._lowered: dict[str, int] = {}
        for record in stored:
            known = self._sets[record.header.document_id]
            known.records.append(record)
            for origin in (record.origin, record.revision_origin):
                recorded, withdrawn = known.stored.get(origin, (OPEN_END, -OPEN_END))
                known.stored[origin] = (
                    min(recorded, record.header.recorded_at),
                    max(withdrawn, record.withdrawn_at),
                )

    def place(self, document: ExtractedDocument) -> Placed:
        """Take in a document of the batch; a retraction too."""
        header = document.header
        if header.kind is DocumentKind.RETRACTION:
            return self._retraction(header, WHOLE_DOCUMENT)
        same = self._same_submission(header)
        if not same:
            return self._add(document, self._next_generation(header))
        read_at, epoch = document.reextracted_at or header.recorded_at, document.extractor_epoch
        own = [r for r in same if r.extractor_epoch == epoch and r.header.part == header.part]
        if not own or self._recorded_at(own[0]) > read_at:
            others = _readings(r for r in same if r.extractor_epoch != epoch)
            for group in others.values():
                if self._first(group) == read_at and _complete(group):
                    return Placed(group[0], False, False, is_surplus=True)
        if own:
            self._lower(own[0], document)
            return Placed(own[0], False, own[0].generation > 0)
        return self._add(document, same[0].generation)

    def retract(self, header: DocumentHeader, *, one_revision: bool, decision_id: str = "") -> Placed:
        """Take in a retraction of the header's document, or of its revision alone.

        A decision that is told again, later, is a copy: what was sent again in between stays.
        """
        header = replace(header, kind=DocumentKind.RETRACTION)
        return self._retraction(header, ONE_REVISION if one_revision else WHOLE_DOCUMENT, decision_id)

    def knows(self, document_id: str) -> bool:
        """True when the document is among those that were asked for or taken in."""
        return document_id in self._sets

    def document_ids(self) -> list[str]:
        """The documents that were asked for or taken in, sorted."""
        return sorted(self._sets)

    def records(self, document_id: str) -> list[DocumentRecord]:
        """All records of a document with the times that now hold."""
        known = self._sets[document_id]
        times = self._times(known)
        return [
            replace(
                record,
                header=replace(record.header, recorded_at=self._recorded_at(record)),
                withdrawn_at=times[record.origin],
            )
            for record in known.records
        ]

    def withdrawn_at(self, record: DocumentRecord) -> int:
        """When the reading stops counting."""
        return self._times(self._sets[record.header.document_id])[record.origin]

    def recorded_at(self, record: DocumentRecord) -> tuple[int, int]:
        """(of the submission, of the reading): when each was recorded, by the earliest of its copies."""
        reading = self._recorded_at(record)
        return self._lowered.get(record.revision_origin, reading), reading

    def revision_withdrawn_at(self, record: DocumentRecord) -> int:
        """When the submission as a whole, its chunks with it, stops counting."""
        known = self._sets[record.header.document_id]
        return self._submission_times(known)[record.revision_origin]

    def gaps(self) -> dict[str, tuple[Interval, ...]]:
        """Of each document that was ever retracted: when, after it first came, nothing of it counted."""
        found = {}
        for document_id, known in self._sets.items():
            if any(record.header.kind is DocumentKind.RETRACTION for record in known.records):
                times = self._submission_times(known)
                groups = _by_origin(_evidence(known.records))
                spans = [(self._first(group), times[origin]) for origin, group in groups.items()]
                first = min((start for start, _ in spans), default=OPEN_START)
                found[document_id] = _between(first, [Interval(*span) for span in spans if span[0] < span[1]])
        return found

    def moves(self) -> Moves:
        """What changed about the times of origins that the graph already holds."""
        withdrawn: dict[str, int] = {}
        for known in self._sets.values():
            times = self._times(known) | self._submission_times(known)
            for origin, (_, at) in known.stored.items():
                if times[origin] < at:
                    withdrawn[origin] = times[origin]
        earlier = {
            origin: at
            for known in self._sets.values()
            for origin, (stored, _) in known.stored.items()
            if (at := self._lowered.get(origin, stored)) < stored
        }
        return Moves(tuple(sorted(withdrawn.items())), tuple(sorted(earlier.items())))

    # --- taking in ------------------------------------------------------------------------------

    def _retraction(self, header: DocumentHeader, scope: str, decision_id: str = "") -> Placed:
        told = decision_id or header.recorded_at
        origin = make_id("retraction", self._graph, header.document_id, header.revision, scope, told)
        known = self._sets[header.document_id]
        for record in known.records:
            if record.origin == origin:
                return Placed(record, False, False)
        record = DocumentRecord(header, scope, 0, origin, origin, OPEN_END)
        known.records.append(record)
        return Placed(record, True, False)

    def _add(self, document: ExtractedDocument, generation: int) -> Placed:
        header, epoch = document.header, document.extractor_epoch
        submission = make_id("submission", self._graph, header.document_id, header.revision, generation)
        origin = make_id("reading", submission, epoch)
        read = replace(header, recorded_at=document.reextracted_at or header.recorded_at)
        record = DocumentRecord(read, epoch, generation, origin, submission, OPEN_END)
        self._sets[header.document_id].records.append(record)
        self._lower(record, document)
        return Placed(record, True, generation > 0)

    def _same_submission(self, header: DocumentHeader) -> list[DocumentRecord]:
        """Records of the submission that this one is a part, a copy or another reading of."""
        known = self._sets[header.document_id]
        groups = _by_origin(
            record
            for record in _evidence(known.records)
            if record.header.revision == header.revision
            and _same_content(record.header.content_hash, header.content_hash)
        )
        times = self._submission_times(known)
        living = [group for origin, group in groups.items() if header.recorded_at <= times[origin]]
        return min(living, key=lambda group: group[0].generation, default=[])

    def _next_generation(self, header: DocumentHeader) -> int:
        used = [
            record.generation
            for record in _evidence(self._sets[header.document_id].records)
            if record.header.revision == header.revision
        ]
        return max(used, default=-1) + 1

    def _lower(self, record: DocumentRecord, document: ExtractedDocument) -> None:
        """A reading counts from when it was read, its submission from when the document was recorded."""
        recorded_at = document.header.recorded_at
        read_at = document.reextracted_at or recorded_at
        for origin, at in ((record.origin, read_at), (record.revision_origin, recorded_at)):
            self._lowered[origin] = min(self._lowered.get(origin, OPEN_END), at)

    def _recorded_at(self, record: DocumentRecord) -> int:
        return min(record.header.recorded_at, self._lowered.get(record.origin, OPEN_END))

    # --- when each stops counting -----------------------------------------------------------------

    def _times(self, known: DocumentSet) -> dict[str, int]:
        """Withdrawal of each reading and retraction, by origin."""
        times = self._submission_times(known)
        for submission in _by_origin(_evidence(known.records)).values():
            readings = _readings(submission)
            order = {
                origin: (self._first(group), _complete(group), epochs.order_of(group[0].extractor_epoch))
                for origin, group in readings.items()
            }
            for origin, group in readings.items():
                later = [
                    order[other][0]
                    for other, rows in readings.items()
                    if order[other] > order[origin] and _complete(rows)
                ]
                times[origin] = min([times[group[0].revision_origin], *later])
        return times

    def _submission_times(self, known: DocumentSet) -> dict[str, int]:
        """Withdrawal of each submission as a whole, by its origin; retractions never are."""
        groups = _by_origin(_evidence(known.records))
        retractions = [r for r in known.records if r.header.kind is DocumentKind.RETRACTION]
        same_time: dict[int | None, list[str]] = defaultdict(list)
        for origin, group in groups.items():
            same_time[_instant(group[0].header)].append(origin)
        times = {record.origin: OPEN_END for record in retractions}
        for origin, group in groups.items():
            recorded, revision = self._first(group), group[0].header.revision
            ends = [
                max(recorded, self._first(groups[other]))
                for other in same_time[_instant(group[0].header)]
                if other != origin and _has_complete(groups[other]) and self._replaces(groups[other], group)
            ]
            ends += [
                retraction.header.recorded_at
                for retraction in retractions
                if retraction.header.recorded_at >= recorded
                and (retraction.extractor_epoch == WHOLE_DOCUMENT or retraction.header.revision == revision)
            ]
            times[origin] = min(ends, default=OPEN_END)
        return times

    def _replaces(self, other: Sequence[DocumentRecord], mine: Sequence[DocumentRecord]) -> bool:
        """True when ``other``, of the same document time, is the later word."""
        one, two = mine[0].header, other[0].header
        order = _revision_order(one.revision, two.revision)
        if order:
            return order < 0
        mine_key = (self._first(mine), mine[0].generation, one.revision)
        return mine_key < (self._first(other), other[0].generation, two.revision)

    def _first(self, group: Sequence[DocumentRecord]) -> int:
        return min(self._recorded_at(record) for record in group)


def _between(first: int, spans: Sequence[Interval]) -> tuple[Interval, ...]:
    """What some spans leave open from ``first`` on."""
    joined = union(spans)
    starts, ends = [first, *(span.end for span in joined)], [*(span.start for span in joined), OPEN_END]
    return tuple(Interval(start, end) for start, end in zip(starts, ends, strict=True) if start < end)


def _evidence(records: Iterable[DocumentRecord]) -> list[DocumentRecord]:
    return [record for record in records if record.header.kind is not DocumentKind.RETRACTION]


def _by_origin(records: Iterable[DocumentRecord]) -> dict[str, list[DocumentRecord]]:
    """Records by the submission that they belong to."""
    groups: dict[str, list[DocumentRecord]] = defaultdict(list)
    for record in records:
        groups[record.revision_origin].append(record)
    return groups


def _has_complete(records: Iterable[DocumentRecord]) -> bool:
    """True when all parts of some reading of a submission are there."""
    return any(_complete(group) for group in _readings(records).values())


def _readings(records: Iterable[DocumentRecord]) -> dict[str, list[DocumentRecord]]:
    """Records by the reading that they are a part of."""
    readings: dict[str, list[DocumentRecord]] = defaultdict(list)
    for record in records:
        readings[record.origin].append(record)
    return readings


def _complete(records: Iterable[DocumentRecord]) -> bool:
    listed = list(records)
    return len({record.header.part for record in listed}) >= listed[0].header.parts


def _same_content(one: str, other: str) -> bool:
    return one == other or not one or not other


def _instant(header: DocumentHeader) -> int | None:
    return header.document_time.instant if header.document_time else None


def _revision_order(one: str, other: str) -> int:
    """-1, 0 or 1 by the numbers that two revisions are made of; 0 when they are not comparable so."""
    mine, theirs = _NUMBERED.fullmatch(one), _NUMBERED.fullmatch(other)
    if not mine or not theirs or mine[1] != theirs[1]:
        return 0
    numbers = [[int(part) for part in re.split(r"[.\-]", match[2])] for match in (mine, theirs)]
    return (numbers[0] > numbers[1]) - (numbers[0] < numbers[1])
