"""What a batch does to the facts: every conflict key that it touches is planned against all evidence."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from tidegraph.domain.belief import replan
from tidegraph.domain.documents import DocumentKind
from tidegraph.domain.facts import Assertion, FactVersion, Revision
from tidegraph.domain.interval import OPEN_END
from tidegraph.domain.predicates import Registry
from tidegraph.ports import DocumentWrite, GraphReader
from tidegraph.storage.derive import policy_of
from tidegraph.storage.visibility import EVERYTHING, complete_revisions
from tidegraph.streams.writing import feed
from tidegraph.streams.writing.control import Effects
from tidegraph.streams.writing.submissions import Moves, Submissions


@dataclass(frozen=True, slots=True)
class Belief:
    """Versions to insert and to close, and what of it is news: (action, version, instant)."""

    insert: tuple[FactVersion, ...]
    close: tuple[tuple[str, int], ...]
    news: tuple[tuple[str, FactVersion, int], ...]


@dataclass(frozen=True, slots=True)
class _Touched:
    """Stored assertions whose times move, as they become; and since when each key may have changed."""

    moved: dict[str, Assertion]
    since: dict[str, int]


class Believer:
    """Plans belief for batches of any graph of one store."""

    def __init__(self, reader: GraphReader, registry: Registry) -> None:
        self._reader = reader
        self._registry = registry

    async def believe(
        self,
        graph: str,
        writes: Sequence[DocumentWrite],
        submissions: Submissions,
        moves: Moves,
        effects: Effects,
    ) -> Belief:
        """The change of belief that follows from new rows, moved times and decisions."""
        touched = await self._touched(graph, writes, submissions, moves)
        for key, instant in effects.since.items():
            _lower(touched.since, key, instant)
        keys = sorted(touched.since)
        if not keys:
            return Belief((), (), ())
        stored, versions = await asyncio.gather(
            self._reader.assertions(graph, keys, EVERYTHING), self._reader.stored_versions(graph, keys)
        )
        evidence: dict[str, list[Assertion]] = defaultdict(list)
        for assertion in (*stored, *(claim for write in writes for claim in write.assertions)):
            evidence[assertion.key].append(touched.moved.get(assertion.assertion_id, assertion))
        revisions = await self._revisions(graph, submissions, evidence)
        return self._plans(touched.since, evidence, revisions, versions)

    async def _touched(
        self, graph: str, writes: Sequence[DocumentWrite], submissions: Submissions, moves: Moves
    ) -> _Touched:
        withdrawn, earlier = dict(moves.withdrawn), dict(moves.recorded_earlier)
        registers = _registers(writes, submissions, moves)
        by_origin, spoken = await asyncio.gather(
            self._reader.assertions_of(graph, sorted(withdrawn.keys() | earlier.keys())),
            self._reader.keys_of(graph, sorted(registers)),
        )
        moved: dict[str, Assertion] = {}
        since: dict[str, int] = {}
        for origin, assertions in by_origin.items():
            instant = min(withdrawn.get(origin, OPEN_END), earlier.get(origin, OPEN_END))
            for assertion in assertions:
                moved[assertion.assertion_id] = replace(
                    assertion,
                    withdrawn_at=min(assertion.withdrawn_at, withdrawn.get(origin, OPEN_END)),
                    recorded_at=min(assertion.recorded_at, earlier.get(origin, OPEN_END)),
                )
                _lower(since, assertion.key, instant)
        for claim in (claim for write in writes for claim in write.assertions):
            _lower(since, claim.key, min(claim.recorded_at, registers.get(claim.document_id, OPEN_END)))
        for document_id, keys in spoken.items():
            for key in keys:
                _lower(since, key, registers[document_id])
        return _Touched(moved, since)

    async def _revisions(
        self, graph: str, submissions: Submissions, evidence: dict[str, list[Assertion]]
    ) -> list[Revision]:
        """Complete revisions of all registers that speak under the keys, the batch's included."""
        registers = {a.document_id for found in evidence.values() for a in found if a.register}
        held = {name for name in registers if submissions.knows(name)}
        others = await self._reader.revisions(graph, sorted(registers - held), EVERYTHING)
        records = [record for name in sorted(held) for record in submissions.records(name)]
        return [*others, *complete_revisions(records)]

    def _plans(
        self,
        since: dict[str, int],
        evidence: dict[str, list[Assertion]],
        revisions: Sequence[Revision],
        versions: Iterable[FactVersion],
    ) -> Belief:
        stored: dict[str, list[FactVersion]] = defaultdict(list)
        for version in versions:
            stored[version.key].append(version)
        insert: list[FactVersion] = []
        close: list[tuple[str, int]] = []
        news: list[tuple[str, FactVersion, int]] = []
        for key in sorted(since):
            if not evidence[key]:
                continue
            policy = policy_of(self._registry, evidence[key])
            writes = replan(stored[key], evidence[key], revisions, policy, since[key])
            if writes.is_empty:
                continue
            insert += writes.insert
            close += writes.close
            closed = dict(writes.close)
            after = [
                replace(row, invalidated_at=closed.get(row.version_id, row.invalidated_at))
                for row in stored[key]
            ]
            news += feed.changed(stored[key], [*after, *writes.insert])
        return Belief(tuple(insert), tuple(close), tuple(news))


def _registers(writes: Sequence[DocumentWrite], submissions: Submissions, moves: Moves) -> dict[str, int]:
    """Registers of which a revision comes, goes or moves, with the first instant that is concerned.

    Their silence may end anything that they ever said.
    """
    moved = dict(moves.withdrawn)
    for origin, at in moves.recorded_earlier:
        _lower(moved, origin, at)
    found: dict[str, int] = {}
    for write in writes:
        if write.record.header.kind in (DocumentKind.REGISTER, DocumentKind.RETRACTION):
            # The last part to come makes its revision speak, from the recorded time of the first on.
            document_id, submission = write.record.header.document_id, write.record.revision_origin
            for record in submissions.records(document_id):
                if record.revision_origin == submission:
                    _lower(found, document_id, record.header.recorded_at)
    for document_id in submissions.document_ids():
        for record in submissions.records(document_id):
            if record.origin in moved and record.header.kind is DocumentKind.REGISTER:
                _lower(found, document_id, moved[record.origin])
    return found


def _lower(found: dict[str, int], name: str, instant: int) -> None:
    found[name] = min(found.get(name, OPEN_END), instant)
