"""What a batch does to the facts: every conflict key that it touches is planned against all evidence."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tidegraph.domain.belief import replan
from tidegraph.domain.documents import DocumentKind
from tidegraph.domain.facts import Assertion, FactVersion, Revision
from tidegraph.domain.filing import in_force
from tidegraph.domain.interval import OPEN_END
from tidegraph.domain.keyhistory import KeyHistory
from tidegraph.ports import DocumentWrite, GraphReader
from tidegraph.storage.rulebook import CONFLICT, Rulebook
from tidegraph.storage.visibility import EVERYTHING, complete_revisions
from tidegraph.streams.writing import feed
from tidegraph.streams.writing.busykeys import BUSY_CLAIMS, BusyKeys, Kept, Snapshot
from tidegraph.streams.writing.control import Effects
from tidegraph.streams.writing.submissions import Moves, Submissions


@dataclass(frozen=True, slots=True)
class Belief:
    """Versions to insert and to close, and what of it is news: (action, version, instant).

    ``kept`` are busy keys as the graph will have them: to be kept once the commit has gone through.
    """

    insert: tuple[FactVersion, ...]
    close: tuple[tuple[str, int], ...]
    news: tuple[tuple[str, FactVersion, int], ...]
    kept: Mapping[str, Kept] = field(default_factory=dict)


@dataclass(slots=True)
class _Change:
    """The change of belief as it is gathered, key by key."""

    insert: list[FactVersion] = field(default_factory=list)
    close: list[tuple[str, int]] = field(default_factory=list)
    news: list[tuple[str, FactVersion, int]] = field(default_factory=list)
    kept: dict[str, Kept] = field(default_factory=dict)

    def take(self, before: Sequence[FactVersion], after: Sequence[FactVersion]) -> None:
        """The rows of a key before and after, as far as they may differ."""
        stored = {row.version_id: row for row in before}
        for row in after:
            known = stored.get(row.version_id)
            if known is None:
                self.insert.append(row)
            elif row.invalidated_at != known.invalidated_at:
                self.close.append((row.version_id, row.invalidated_at))
        self.news += feed.changed(before, after)


@dataclass(frozen=True, slots=True)
class _Touched:
    """Stored assertions whose times move, as they become; and since when each key may have changed.

    ``arriving`` are new claims, by key; ``plain`` the keys about which nothing else is new.
    """

    moved: dict[str, Assertion]
    since: dict[str, int]
    arriving: dict[str, list[Assertion]]
    plain: set[str]


class Believer:
    """Plans belief for batches of any graph of one store."""

    def __init__(self, reader: GraphReader) -> None:
        self._reader = reader
        self.busy = BusyKeys()

    async def believe(
        self,
        graph: str,
        writes: Sequence[DocumentWrite],
        submissions: Submissions,
        moves: Moves,
        effects: Effects,
        rulebook: Rulebook,
    ) -> Belief:
        """The change of belief that follows from new rows, moved times and decisions.

        Args:
            rulebook: with the policies of the graph, and with the decisions of the batch.
        """
        touched = await self._touched(graph, writes, submissions, moves, effects)
        change = _Change()
        plain = {key: touched.arriving[key] if key in touched.plain else [] for key in touched.since}
        quick = self.busy.take(graph, plain)
        for key, history in quick.items():
            _add(change, key, history, touched.arriving[key])
        keys = sorted(touched.since.keys() - quick.keys())
        if keys:
            stored, versions, decided = await asyncio.gather(
                self._reader.assertions(graph, keys, EVERYTHING),
                self._reader.stored_versions(graph, keys),
                self._reader.decisions(graph, (CONFLICT,), EVERYTHING, keys),
            )
            evidence = _evidence(stored, touched, effects)
            revisions = await self._revisions(graph, submissions, evidence)
            self._plan(change, touched, evidence, revisions, versions, rulebook.joined(decided))
        return Belief(tuple(change.insert), tuple(change.close), tuple(change.news), change.kept)

    async def _touched(
        self,
        graph: str,
        writes: Sequence[DocumentWrite],
        submissions: Submissions,
        moves: Moves,
        effects: Effects,
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
                moved[assertion.assertion_id] = _moved(assertion, origin, withdrawn, earlier)
                _lower(since, assertion.key, instant)
        for document_id, keys in spoken.items():
            for key in keys:
                _lower(since, key, registers[document_id])
        for key, instant in effects.since.items():
            _lower(since, key, instant)
        arriving: dict[str, list[Assertion]] = defaultdict(list)
        for origin, row in effects.filed:
            arriving[row.key].append(_moved(row, origin, withdrawn, earlier))
        for claim in (claim for write in writes for claim in write.assertions):
            arriving[claim.key].append(claim)
        plain = {key for key in arriving if key not in since}
        for key, rows in list(arriving.items()):
            counting = [row for row in map(in_force, rows) if row is not None]
            arriving[key] = sorted(counting, key=lambda row: (row.recorded_at, row.assertion_id))
            for claim in counting:
                _lower(since, key, min(claim.recorded_at, registers.get(claim.document_id, OPEN_END)))
        return _Touched(moved, since, arriving, plain)

    async def _revisions(
        self, graph: str, submissions: Submissions, evidence: Mapping[str, Sequence[Assertion]]
    ) -> list[Revision]:
        """Complete revisions of all registers that speak under the keys, the batch's included."""
        registers = {a.document_id for found in evidence.values() for a in found if a.register}
        held = {name for name in registers if submissions.knows(name)}
        others = await self._reader.revisions(graph, sorted(registers - held), EVERYTHING)
        records = [record for name in sorted(held) for record in submissions.records(name)]
        return [*others, *complete_revisions(records)]

    def _plan(
        self,
        change: _Change,
        touched: _Touched,
        evidence: Mapping[str, Sequence[Assertion]],
        revisions: Sequence[Revision],
        versions: Iterable[FactVersion],
        rulebook: Rulebook,
    ) -> None:
        stored: dict[str, list[FactVersion]] = defaultdict(list)
        for version in versions:
            stored[version.key].append(version)
        for key in sorted(touched.since):
            claims, rows = evidence.get(key, ()), stored.get(key, [])
            if key in change.kept or not (claims or rows):
                continue
            rules = rulebook.rules_of(claims)
            writes = replan(rows, claims, revisions, rules, touched.since[key])
            closed = dict(writes.close)
            after = [
                replace(row, invalidated_at=closed.get(row.version_id, row.invalidated_at)) for row in rows
            ]
            after += writes.insert
            change.take(rows, after)
            if (
                len(claims) >= BUSY_CLAIMS
                and rules.is_constant
                and not any(claim.register for claim in claims)
            ):
                change.kept[key] = Snapshot(tuple(claims), tuple(after), rules.at(OPEN_END)[0])


def _add(change: _Change, key: str, history: KeyHistory, claims: Iterable[Assertion]) -> None:
    """Take the claims, in the order in which they were recorded, into a key that is kept."""
    for claim in claims:
        history.add(claim)
    change.take(*history.settle())
    change.kept[key] = history


def _moved(
    row: Assertion, origin: str, withdrawn: Mapping[str, int], earlier: Mapping[str, int]
) -> Assertion:
    return replace(
        row,
        withdrawn_at=min(row.withdrawn_at, withdrawn.get(origin, OPEN_END)),
        recorded_at=min(row.recorded_at, earlier.get(origin, OPEN_END)),
    )


def _evidence(stored: Sequence[Assertion], touched: _Touched, effects: Effects) -> dict[str, list[Assertion]]:
    """All evidence under the keys, each row in the recorded interval in which it counts."""
    found: dict[str, list[Assertion]] = defaultdict(list)
    until = dict(effects.filed_until)
    for row in stored:
        now = touched.moved.get(row.assertion_id, row)
        bound = until.get(row.assertion_id, OPEN_END)
        counting = in_force(replace(now, filed_until=min(now.filed_until, bound)))
        if counting is not None:
            found[row.key].append(counting)
    known = {row.assertion_id for row in stored}
    for key, rows in touched.arriving.items():
        found[key] += [row for row in rows if row.assertion_id not in known]
    return found


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
