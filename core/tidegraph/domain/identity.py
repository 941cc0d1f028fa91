"""Which entity ids name one thing: rows with a recorded interval, and the sets that they make.

A merge rewrites nothing. It is a row that says of two ids that they are one, from when to when that was
believed, by whom and why; a split closes the row. Which ids form a set at ``known_at`` follows from the
rows that were believed then. Like facts, rows are a view of a function of the evidence: :func:`plan`
brings stored rows to what that function says, closing and inserting, never deleting.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

from tidegraph.domain.canonical import union
from tidegraph.domain.fitting import Kind, fit
from tidegraph.domain.ids import make_id
from tidegraph.domain.interval import OPEN_END, OPEN_START, Interval

MAX_SET: Final = 1_000
"""Ids of one set that a read follows; an operator cannot merge more than ``MAX_MERGED`` at once."""
MAX_MERGED: Final = 50
MAX_SIGHTINGS: Final = 8
"""Sightings of an id that count, of those that state another name and of all others."""
CALLED: Final = "called"
"""The slot of a sighting for the other names that a document states of the thing."""
SIGNED: Final = "signed"
"""The slot of a sighting for the signature that its id is made of."""
APART: Final = "apart"
"""The slot of a sighting for the ids of which the document tells as of other things than this one."""
NAME: Final = "name"
"""The predicate whose value is the name of its subject."""
ALSO_CALLED: Final = "also_called"
FORMERLY_CALLED: Final = "formerly_called"
NAMES: Final = (NAME, ALSO_CALLED, FORMERLY_CALLED)
"""The predicates whose value is a name of their subject."""


class Tie(StrEnum):
    """What a row says of its two ids: one thing, or a question for an operator."""

    SAME = "same"
    REVIEW = "review"


class Rule(StrEnum):
    """By what a row came about."""

    PROFILE = "profile"
    RENAME = "rename"
    OPERATOR = "operator"
    JUDGE = "judge"


@dataclass(frozen=True, slots=True)
class Tied:
    """What a row says, without when it was believed. ``left`` < ``right``.

    ``actor``: who decided, "" for a rule. ``labels``: of the evidence; who holds none of them does not see
    the row.
    """

    left: str
    right: str
    tie: Tie
    rule: Rule
    actor: str
    reason: str
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SameAs:
    """One row: believed over ``[recorded_at, invalidated_at)``, microseconds on the recorded axis."""

    row_id: str
    tied: Tied
    recorded_at: int
    invalidated_at: int

    @property
    def recorded(self) -> Interval:
        return Interval(self.recorded_at, self.invalidated_at)


@dataclass(frozen=True, slots=True)
class PairDecision:
    """What a decision of ``control`` says of one pair of ids, from ``recorded_at`` on. ``left`` < ``right``.

    ``rule`` is OPERATOR or JUDGE.
    """

    decision_id: str
    left: str
    right: str
    same: bool
    rule: Rule
    actor: str
    reason: str
    recorded_at: int

    @property
    def row_id(self) -> str:
        """Id of its stored row."""
        return make_id("pair", self.decision_id, self.left, self.right)


@dataclass(frozen=True, slots=True)
class Sighting:
    """What one document told of one entity id that helps to tell what it names.

    ``names``: (type as a number, as written); ``slots``: (slot, value) of facts that agree or conflict;
    ``keys``: what candidates are found by; ``words``: of its context; ``time``: the document time, or
    OPEN_START. Of an id the ``MAX_SIGHTINGS`` that were recorded first count, of each sort. ``gaps``: when,
    on the recorded axis, the document was withdrawn.
    """

    entity_id: str
    document_id: str
    names: tuple[tuple[int, str], ...]
    slots: tuple[tuple[str, str], ...]
    keys: tuple[str, ...]
    words: tuple[str, ...]
    time: int
    recorded_at: int
    gaps: tuple[Interval, ...] = ()
    _row_id: str = field(default="", init=False, repr=False, compare=False)

    @property
    def is_called(self) -> bool:
        """True when the document states another name of the thing."""
        return any(slot == CALLED for slot, _ in self.slots)

    @property
    def row_id(self) -> str:
        """Id of its stored row: a function of all of it but ``keys``, ``recorded_at`` and ``gaps``."""
        if not self._row_id:
            named = [f"{kind}:{name}" for kind, name in self.names]
            told = [f"{slot}={value}" for slot, value in self.slots]
            parts = ("\n".join(named), "\n".join(told), " ".join(self.words), self.time)
            self.stored_as(make_id("sighting", self.entity_id, self.document_id, *parts))
        return self._row_id

    def stands(self, known_at: int) -> bool:
        """True when it was recorded by an instant and its document was not withdrawn then."""
        return self.recorded_at <= known_at and not any(gap.start <= known_at < gap.end for gap in self.gaps)

    def stored_as(self, row_id: str) -> Sighting:
        """The same, told its id: to work it out again costs more than to read it."""
        object.__setattr__(self, "_row_id", row_id)
        return self


@dataclass(frozen=True, slots=True)
class IdentityWrites:
    """What a commit changes about identity."""

    insert: tuple[SameAs, ...] = ()
    close: tuple[tuple[str, int], ...] = ()
    """(row id, invalidated_at): only ever moves earlier."""
    sightings: tuple[Sighting, ...] = ()
    decisions: tuple[PairDecision, ...] = ()
    gaps: tuple[tuple[str, tuple[Interval, ...]], ...] = ()
    """(row id of a stored sighting, when its document was withdrawn): takes the place of what was known."""
    dropped: tuple[str, ...] = ()
    """Row ids of stored sightings that do not count any more: nobody is found by their keys."""

    @property
    def is_empty(self) -> bool:
        rows = self.insert or self.close or self.sightings or self.decisions
        return not (rows or self.gaps or self.dropped)


def told_at(sightings: Iterable[Sighting], known_at: int) -> list[Sighting]:
    """What the sightings that were recorded by an instant told then.

    Of a document that was withdrawn then only that the id exists counts: the name and the signature that it
    is made of.
    """
    return [
        one if not one.gaps or one.stands(known_at) else _bare(one)
        for one in sightings
        if one.recorded_at <= known_at
    ]


def _bare(seen: Sighting) -> Sighting:
    slots = tuple((slot, value) for slot, value in seen.slots if slot == SIGNED)
    return replace(seen, names=seen.names[:1], slots=slots, keys=(), words=(), time=OPEN_START, gaps=())


def called_key(name: str) -> str:
    """The key under which an id is found by a name, in normal form, that it has or is stated to have."""
    return f"={name}"


@dataclass(frozen=True, slots=True)
class IdentityEvidence:
    """What a store holds about some ids, and who has some keys.

    ``holders``: by key the (entity id, recorded_at) that had it first. ``crowded``: of keys that as many as
    were asked for had already at the instant asked for, since when that is so.
    """

    sightings: tuple[Sighting, ...]
    decisions: tuple[PairDecision, ...]
    ties: tuple[SameAs, ...]
    holders: Mapping[str, Sequence[tuple[str, int]]]
    crowded: Mapping[str, int] = field(default_factory=dict)


# --- decisions --------------------------------------------------------------------------------------


def merge_pairs(
    entity_ids: Iterable[str], decision_id: str, rule: Rule, actor: str, reason: str, recorded_at: int
) -> list[PairDecision]:
    """A merge in pairs: every two of the ids are one."""
    listed = sorted(set(entity_ids))
    return [
        PairDecision(decision_id, left, right, True, rule, actor, reason, recorded_at)
        for place, left in enumerate(listed)
        for right in listed[place + 1 :]
    ]


def split_pairs(
    entity_ids: Iterable[str],
    from_ids: Iterable[str],
    decision_id: str,
    rule: Rule,
    actor: str,
    reason: str,
    recorded_at: int,
) -> list[PairDecision]:
    """A split in pairs: each of the ids is apart from each of ``from_ids``; without any, from each other."""
    own = sorted(set(entity_ids))
    rest = sorted(set(from_ids) - set(own))
    pairs = (
        [(one, other) for one in own for other in rest]
        if rest
        else [(one, other) for place, one in enumerate(own) for other in own[place + 1 :]]
    )
    return [
        PairDecision(decision_id, min(pair), max(pair), False, rule, actor, reason, recorded_at)
        for pair in pairs
    ]


def in_force(decisions: Iterable[PairDecision], known_at: int) -> list[PairDecision]:
    """Of the decisions told by ``known_at`` the last about each pair; at equal times one that parts."""
    last: dict[tuple[str, str], PairDecision] = {}
    for decision in sorted(decisions, key=_later):
        if decision.recorded_at <= known_at:
            last[decision.left, decision.right] = decision
    return [last[pair] for pair in sorted(last)]


def _later(decision: PairDecision) -> tuple[int, bool, str]:
    return decision.recorded_at, not decision.same, decision.decision_id


def decided_groups(decisions: Iterable[PairDecision], known_at: int) -> list[list[PairDecision]]:
    """What decisions alone make of their ids: groups of at least two as the merges that join them.

    Merges are taken up the latest first; one that would join two ids which are apart is left out.
    """
    held = in_force(decisions, known_at)
    apart = {(d.left, d.right) for d in held if not d.same}
    groups: dict[str, set[str]] = {}
    joins: dict[str, list[PairDecision]] = {}
    for decision in sorted((d for d in held if d.same), key=lambda d: (-d.recorded_at, d.left, d.right)):
        one = groups.setdefault(decision.left, {decision.left})
        other = groups.setdefault(decision.right, {decision.right})
        if one is other or any((min(a, b), max(a, b)) in apart for a in one for b in other):
            continue
        made = joins.pop(min(one), []) + joins.pop(min(other), []) + [decision]
        one |= other
        for entity_id in other:
            groups[entity_id] = one
        joins[min(one)] = made
    return [joins[first] for first in sorted(joins)]


# --- sets -------------------------------------------------------------------------------------------


def components(ids: Iterable[str], pairs: Iterable[tuple[str, str]]) -> dict[str, tuple[str, ...]]:
    """Each id with the sorted set that the pairs put it in; an id without a pair is a set of its own."""
    parents: dict[str, str] = {entity_id: entity_id for entity_id in ids}

    def root(entity_id: str) -> str:
        parents.setdefault(entity_id, entity_id)
        while parents[entity_id] != entity_id:
            parents[entity_id] = parents[parents[entity_id]]
            entity_id = parents[entity_id]
        return entity_id

    for left, right in pairs:
        one, other = sorted((root(left), root(right)))
        parents[other] = one
    members: dict[str, list[str]] = defaultdict(list)
    for entity_id in sorted(parents):
        members[root(entity_id)].append(entity_id)
    return {entity_id: tuple(group) for group in members.values() for entity_id in group}


# --- planning ---------------------------------------------------------------------------------------


def row(tied: Tied, recorded: Interval, repeat: int = 0) -> SameAs:
    """A row with its id: a function of all of it but ``invalidated_at``."""
    row_id = make_id(
        "same", tied.left, tied.right, tied.tie, tied.rule, tied.actor, tied.reason, *tied.labels,
        recorded.start, repeat,
    )  # fmt: skip
    return SameAs(row_id, tied, recorded.start, recorded.end)


def plan(
    stored: Iterable[SameAs], wanted: Iterable[tuple[Tied, Interval]], since: int
) -> tuple[tuple[SameAs, ...], tuple[tuple[str, int], ...]]:
    """(rows to insert, (row id, invalidated_at) to close) that make the rows say ``wanted``.

    Args:
        stored: every row that may change, closed ones included.
        wanted: what was to be believed, over intervals that begin at ``since`` or later.
    """
    rows = list(stored)
    target: dict[Tied, list[Interval]] = defaultdict(list)
    for one in rows:
        if one.recorded_at < min(one.invalidated_at, since):
            target[one.tied].append(Interval(one.recorded_at, min(one.invalidated_at, since)))
    for tied, interval in wanted:
        target[tied].append(interval)
    insert, close = fit(_ROWS, rows, target)
    return tuple(sorted(insert, key=lambda one: one.row_id)), tuple(sorted(close))


_ROWS: Final[Kind[SameAs, Tied]] = Kind(
    id_of=lambda one: one.row_id, content_of=lambda one: one.tied, make=row
)


def apply(
    stored: Mapping[str, SameAs], insert: Iterable[SameAs], close: Iterable[tuple[str, int]]
) -> dict[str, SameAs]:
    """Stored rows by id after a plan, as a store makes them."""
    found = dict(stored)
    for one in insert:
        found.setdefault(one.row_id, one)
    for row_id, at in close:
        one = found[row_id]
        if at < one.invalidated_at:
            found[row_id] = SameAs(row_id, one.tied, one.recorded_at, at)
    return found


def coalesced(rows: Iterable[SameAs]) -> list[tuple[Tied, Interval]]:
    """What the rows say with as few intervals as possible, without rows that were never believed."""
    intervals: dict[Tied, list[Interval]] = defaultdict(list)
    for one in rows:
        if one.recorded_at < one.invalidated_at:
            intervals[one.tied].append(one.recorded)
    order = lambda item: (item[0].left, item[0].right, item[0].tie, item[0].rule, item[0].reason, item[1])  # noqa: E731
    return sorted(((tied, i) for tied, found in intervals.items() for i in union(found)), key=order)


def believed(rows: Iterable[SameAs], known_at: int) -> list[SameAs]:
    """The rows believed at an instant, in the order of their ids."""
    found = [one for one in rows if one.recorded_at <= known_at < one.invalidated_at]
    return sorted(found, key=lambda one: one.row_id)


def is_open(one: SameAs) -> bool:
    """True for a row that is believed now."""
    return one.recorded_at < one.invalidated_at == OPEN_END
