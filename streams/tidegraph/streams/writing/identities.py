"""What a batch changes about which ids are one: components that it touches are looked at anew.

A component is what scores, statements and decisions connect, at one instant of the recorded axis. What is
believed of it is a function of its evidence (``tidegraph.resolution.standing``), so neither the order of
arrival nor the number of workers before the writer plays a part; an instant at which nothing of it
changed is not looked at again.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from tidegraph.domain.facts import Assertion
from tidegraph.domain.identity import (
    NAMES,
    IdentityWrites,
    PairDecision,
    SameAs,
    Sighting,
    Tied,
    apply,
    components,
    is_open,
    plan,
)
from tidegraph.domain.identity import Tie as TieKind
from tidegraph.domain.interval import OPEN_END, OPEN_START, Interval
from tidegraph.domain.predicates import Canonical, Registry
from tidegraph.ports import DocumentWrite, GraphReader
from tidegraph.resolution.standing import MAX_COMPONENT, ties_at
from tidegraph.streams.writing.neighbours import ALWAYS
from tidegraph.streams.writing.news import News
from tidegraph.streams.writing.profiles import Nearness
from tidegraph.streams.writing.standing import World
from tidegraph.streams.writing.submissions import Moves

NOTHING: Final = IdentityWrites()
MAX_GROUP: Final = 4 * MAX_COMPONENT
"""Ids that one change may make the writer look at."""


@dataclass(frozen=True, slots=True)
class Identified:
    """The writes, and the sets of each looked-at id before and after them, as believed now."""

    writes: IdentityWrites = NOTHING
    closed: tuple[SameAs, ...] = ()
    """The rows that ``writes`` closes, as they were."""
    before: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    after: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def ids(self) -> set[str]:
        """Both sides of every row that changes."""
        return {id_ for one in (*self.writes.insert, *self.closed) for id_ in (one.tied.left, one.tied.right)}

    @property
    def changed(self) -> list[str]:
        """Ids whose set is another one than before, sorted."""
        return sorted(id_ for id_, ids in self.after.items() if self.before.get(id_, (id_,)) != ids)


class Identifier:
    """Decides which ids are one, for batches of any graph of one store.

    Args:
        automatic: False joins ids by decisions and by stated names alone.
    """

    def __init__(self, reader: GraphReader, registry: Registry, *, automatic: bool = True) -> None:
        self._reader = reader
        self._registry = registry
        self._automatic = automatic
        self._nearness = Nearness()

    def _keys_of_name(self, graph: str, entity_id: str, name: str) -> tuple[str, ...]:
        claims = (Canonical(entity_id, predicate, name, False, ()) for predicate in NAMES)
        return tuple(self._registry.conflict_key(graph, claim) for claim in claims)

    async def news(
        self,
        graph: str,
        writes: Sequence[DocumentWrite],
        sightings: Sequence[Sighting],
        moves: Moves,
        decisions: Sequence[PairDecision],
        gaps: Mapping[str, tuple[Interval, ...]],
    ) -> News:
        """What the documents, moved times, decisions and withdrawals (``gaps``) of a batch bring."""
        withdrawn, earlier = dict(moves.withdrawn), dict(moves.recorded_earlier)
        moved = await self._reader.assertions_of(graph, sorted(withdrawn.keys() | earlier.keys()))
        names = [claim for write in writes for claim in write.assertions if _is_name(claim)]
        for origin, claims in moved.items():
            names += [
                replace(
                    claim,
                    recorded_at=min(claim.recorded_at, earlier.get(origin, OPEN_END)),
                    withdrawn_at=min(claim.withdrawn_at, withdrawn.get(origin, OPEN_END)),
                )
                for claim in claims
                if _is_name(claim)
            ]
        stored = await self._reader.sightings_of(graph, sorted(gaps)) if gaps else []
        changed = [(one, gaps[one.document_id]) for one in stored if one.gaps != gaps[one.document_id]]
        told = [replace(one, gaps=gaps.get(one.document_id, ())) for one in sightings] if gaps else sightings
        return News(tuple(told), tuple(decisions), tuple(names), tuple(changed))

    async def identify(self, graph: str, news: News) -> Identified:
        """The rows that change, a function of the evidence in the graph and in the batch."""
        world = World(self._reader, graph, self._keys_of_name, self._nearness, automatic=self._automatic)
        since = await world.take(news)
        await world.explore_around(since, ALWAYS)
        stored: dict[str, SameAs] = {}
        insert: list[SameAs] = []
        close: list[tuple[str, int]] = []
        looked: set[str] = set()
        for group in await self._groups(world, since):
            rows = {row.row_id: row for row in world.ties(group.ids)}
            wanted = await self._wanted(world, group) if len(group.ids) > 1 else []
            more, less = plan(rows.values(), wanted, group.instants[0])
            insert += more
            close += less
            stored |= rows
            looked |= group.ids
        before = _sets(looked, stored.values())
        after = _sets(looked, apply(stored, insert, close).values())
        gaps = tuple((one.row_id, found) for one, found in news.gaps)
        writes = IdentityWrites(
            tuple(insert), tuple(close), world.new_sightings(), news.decisions, gaps, world.dropped
        )
        closed = tuple(stored[row_id] for row_id, _ in close if row_id in stored)
        return Identified(writes, closed, before, after)

    async def _groups(self, world: World, since: Mapping[str, int]) -> list[_Group]:
        """The changed ids with all that they may reach, in groups that have no id in common."""
        groups: dict[int, _Group] = {}
        number_of: dict[str, int] = {}
        for number, entity_id in enumerate(sorted(since)):
            if entity_id in number_of:
                continue
            ids = {entity_id}
            while True:
                made = await self._group(world, ids, since)
                others = {number_of[id_] for id_ in made.ids if id_ in number_of}
                if not others:
                    break
                # Reached from here but not from there: at instants of this one only. Look at both as one.
                ids = set(made.ids).union(*(groups.pop(other).ids for other in others))
                number_of = {id_: other for id_, other in number_of.items() if other not in others}
            groups[number] = made
            number_of |= dict.fromkeys(made.ids, number)
        return list(groups.values())

    async def _group(self, world: World, ids: set[str], since: Mapping[str, int]) -> _Group:
        """All ids that belong to a component with one of the ids at some instant from its change on."""
        group = set(ids)
        while True:
            start = min(since[id_] for id_ in group if id_ in since)
            changes = world.instants(group)
            instants = sorted({start, *(at for at in changes if start <= at < OPEN_END)})
            found = set(group)
            for instant in instants:
                for reached in await world.components(found, instant, MAX_GROUP):
                    found |= reached
            found |= await world.partners(found, start)
            found |= await world.later(found, start)
            found |= await world.formerly(found, since)
            if found == group or len(found) > MAX_GROUP:
                return _Group(frozenset(found), tuple(instants))
            group = found

    async def _wanted(self, world: World, group: _Group) -> list[tuple[Tied, Interval]]:
        wanted = []
        for place, instant in enumerate(group.instants):
            until = group.instants[place + 1] if place + 1 < len(group.instants) else OPEN_END
            for component in await world.components(group.ids, instant, MAX_GROUP):
                if len(component) > 1:
                    evidence = world.evidence(component)
                    ties = ties_at(component, evidence, instant, automatic=self._automatic)
                    wanted += [(tied, Interval(instant, until)) for tied in ties]
        return wanted


@dataclass(frozen=True, slots=True)
class _Group:
    """Ids that are looked at together, and the instants at which anything of them changes."""

    ids: frozenset[str]
    instants: tuple[int, ...]


def _is_name(claim: Assertion) -> bool:
    # The first form that a claim takes: what a document states must not hang on what policies make of it.
    return claim.predicate in NAMES and not claim.object_is_entity and claim.filed_from == OPEN_START


def _sets(ids: Iterable[str], rows: Iterable[SameAs]) -> dict[str, tuple[str, ...]]:
    pairs = [(r.tied.left, r.tied.right) for r in rows if r.tied.tie is TieKind.SAME and is_open(r)]
    return components(ids, pairs)
