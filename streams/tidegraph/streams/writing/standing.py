"""The part of a graph that a change of identity may reach, read as far as it is needed.

Ids are neighbours at an instant when they share a blocking key and their score is not a plain no, when a
document states a name of the one for the other, or when a decision joins them.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from tidegraph.domain.facts import Assertion
from tidegraph.domain.identity import (
    CALLED,
    PairDecision,
    SameAs,
    Sighting,
    in_force,
)
from tidegraph.domain.interval import OPEN_END
from tidegraph.ports import GraphReader
from tidegraph.resolution.standing import (
    Evidence,
    Statement,
    renamed,
)
from tidegraph.storage.visibility import EVERYTHING
from tidegraph.streams.writing.counting import counted, crowded, earliest, statement_of
from tidegraph.streams.writing.profiles import Profiles

READ_AHEAD: Final = 3
MAX_HOLDERS: Final = 20
"""A key that more ids have finds no candidates: it tells too little."""

KeysOfName = Callable[[str, str, str], tuple[str, ...]]
"""(graph, entity id, a name that it is told to have) to the conflict keys of claims that say so."""


class World:
    """What was read, with what the batch adds. Each id and key is read once."""

    def __init__(self, reader: GraphReader, graph: str, keys_of_name: KeysOfName, *, automatic: bool) -> None:
        self._reader = reader
        self._graph = graph
        self._keys_of_name = keys_of_name
        self._automatic = automatic
        self._sightings: dict[str, list[Sighting]] = {}
        self._new: dict[str, Sighting] = {}
        self._new_holders: dict[str, list[tuple[str, int]]] = defaultdict(list)
        self._holders: dict[str, dict[str, int]] = {}
        self._statements: dict[str, list[Statement]] = {}
        self._moved: dict[str, Assertion] = {}
        self._decisions: dict[str, dict[str, PairDecision]] = {}
        self._news: dict[str, dict[str, PairDecision]] = defaultdict(dict)
        self._ties: dict[str, list[SameAs]] = {}
        self._profiles = Profiles(self._sightings)
        self._near: dict[tuple[str, int], set[str]] = {}
        # By what was read so far; emptied whenever more is read.
        self._candidates_read: dict[tuple[str, int], set[str]] = {}
        self._neighbours_read: dict[tuple[str, int], set[str]] = {}

    # --- what is new ------------------------------------------------------------------------------

    async def take(
        self,
        sightings: Sequence[Sighting],
        decisions: Sequence[PairDecision],
        names: Sequence[Assertion],
    ) -> dict[str, int]:
        """Take the news of a batch in; the ids that they change, each with the first instant."""
        since: dict[str, int] = {}
        for decision in decisions:
            for side in (decision.left, decision.right):
                self._news[side][decision.row_id] = decision
                _lower(since, side, decision.recorded_at)
        for claim in names:
            self._moved[claim.assertion_id] = claim
            _lower(since, claim.subject, min(claim.recorded_at, claim.withdrawn_at))
        seen = {one.entity_id for one in sightings}
        if seen or since:
            await self._fetch(seen | since.keys(), {key for one in sightings for key in one.keys})
        by_id = {id_: {one.row_id: one for one in self._sightings[id_]} for id_ in seen}
        for row_id, one in earliest(sightings).items():
            held = by_id[one.entity_id].get(row_id)
            if held is None or one.recorded_at < held.recorded_at:
                self._new[row_id] = by_id[one.entity_id][row_id] = one
        for entity_id, told in by_id.items():
            counts = self._sightings[entity_id] = counted(told)
            for row_id in told.keys() & self._new.keys():
                if told[row_id] in counts:
                    _lower(since, entity_id, told[row_id].recorded_at)
                else:
                    del self._new[row_id]
        touched = {key for one in self._new.values() for key in one.keys}
        before = {key: crowded(self._holders[key], MAX_HOLDERS) for key in touched}
        for one in self._new.values():
            for key in one.keys:
                self._new_holders[key].append((one.entity_id, one.recorded_at))
                _lower(self._holders[key], one.entity_id, one.recorded_at)
        self._crossed(since, before)
        await self._load_statements(sorted(self._ties))
        return since

    def _crossed(self, since: dict[str, int], before: Mapping[str, int]) -> None:
        """Keys that become too common by what is new: from then on they find nobody, also for others.

        A key that was as common at that instant ``before`` finds for others what it found: with many
        documents of one instant the same holders would be looked at again for each of them.
        """
        for key, common in before.items():
            now = crowded(self._holders[key], MAX_HOLDERS)
            if now < common:
                for entity_id in self._holders[key]:
                    _lower(since, entity_id, now)

    def ties(self, entity_ids: Iterable[str]) -> list[SameAs]:
        """Every stored row between two ids that were read."""
        ids = set(entity_ids)
        rows = {row.row_id: row for id_ in ids for row in self._ties[id_]}
        return [row for row in rows.values() if row.tied.left in ids and row.tied.right in ids]

    def new_sightings(self) -> tuple[Sighting, ...]:
        """The sightings to write: those that count, with their keys."""
        return tuple(self._new[row_id] for row_id in sorted(self._new))

    # --- reading ----------------------------------------------------------------------------------

    async def _fetch(self, entity_ids: Iterable[str], keys: Iterable[str]) -> list[str]:
        """What is stored of ids and keys that were not read yet, and of the candidates that the keys find,
        in one round trip; the ids that are new."""
        # One by one: a difference of sets would walk over all that was read, each time.
        own = sorted({id_ for id_ in entity_ids if id_ and id_ not in self._ties})
        asked = sorted({key for key in keys if key not in self._holders})
        if not own and not asked:
            return []
        found = await self._reader.identity_evidence(self._graph, own, asked, MAX_HOLDERS + 1)
        around = {id_ for held in found.holders.values() if len(held) <= MAX_HOLDERS for id_, _ in held}
        wanted = sorted(around.union(own) - self._ties.keys())
        new = set(wanted)
        self._forget()
        for id_ in wanted:
            self._sightings[id_], self._ties[id_] = [], []
            self._decisions[id_] = dict(self._news.get(id_, {}))
        for one in found.sightings:
            if one.entity_id in new:
                self._sightings[one.entity_id].append(one)
        for pair in found.decisions:
            for side in (pair.left, pair.right):
                if side in self._decisions and pair.row_id not in self._news.get(side, {}):
                    self._decisions[side][pair.row_id] = pair
        for row in found.ties:
            for side in {row.tied.left, row.tied.right} & new:
                self._ties[side].append(row)
        for key in asked:
            self._holders[key] = dict(found.holders.get(key, ()))
            for entity_id, at in self._new_holders.get(key, ()):
                _lower(self._holders[key], entity_id, at)
        return wanted

    async def _load(self, entity_ids: Iterable[str], keys: Iterable[str] = ()) -> None:
        """What is known of the ids: sightings, decisions, statements, rows; and who has the keys."""
        await self._load_statements(await self._fetch(entity_ids, keys))

    async def _load_statements(self, wanted: Sequence[str]) -> None:
        if not wanted:
            return
        new: dict[str, list[Assertion]] = defaultdict(list)
        for claim in self._moved.values():
            new[claim.subject].append(claim)
        stating = {
            key
            for id_ in wanted
            for one in self._sightings[id_]
            for slot, value in one.slots
            if slot == CALLED
            for key in self._keys_of_name(self._graph, id_, value)
        }
        told: dict[str, Assertion] = {}
        if stating:
            found = await self._reader.assertions(self._graph, sorted(stating), EVERYTHING)
            told = {claim.assertion_id: claim for claim in found}
        told |= {c.assertion_id: c for id_ in wanted for c in new.get(id_, ())}
        for id_ in wanted:
            self._statements[id_] = []
        for claim in told.values():
            statement = statement_of(claim)
            if statement is not None and claim.subject in self._statements:
                self._statements[claim.subject].append(statement)
        self._forget()

    def _forget(self) -> None:
        self._candidates_read.clear()
        self._neighbours_read.clear()

    async def explore(self, entity_ids: Iterable[str], known_at: int) -> None:
        """Read ahead, for many ids at once, what ``components`` would read for one after the other."""
        ids = sorted(entity_ids)
        await self._load(ids)
        # The candidates of keys that are known, then those of keys that were read with them.
        for _ in range(2):
            keys = {key for id_ in ids for key in self._profiles.keys(id_, known_at)}
            pairs = [pair for id_ in ids for pair in self._decisions[id_].values()]
            near = {other for id_ in ids for other in self._candidates(id_, known_at)}
            await self._load(near.union(*((pair.left, pair.right) for pair in pairs)), keys)

    async def explore_around(self, entity_ids: Iterable[str], known_at: int) -> None:
        """Read ahead for the ids and for what they reach, a step for all of them at a time.

        A step begins at everything that is reached by what was read before, not at the ids alone: their
        candidates came with their keys.
        """
        reached = set(entity_ids)
        explored: set[str] = set()
        for _ in range(READ_AHEAD):
            reached |= self._reached(reached, known_at)
            if reached == explored:
                return
            await self.explore(reached, known_at)
            explored = set(reached)

    def _reached(self, entity_ids: set[str], known_at: int) -> set[str]:
        """What a few steps from neighbour to neighbour lead to by what was read so far."""
        found: set[str] = set()
        frontier = entity_ids
        for _ in range(READ_AHEAD):
            near = {other for id_ in frontier for other in self._neighbours(id_, known_at)}
            frontier = near - found - entity_ids
            found |= frontier
        return found

    # --- components -------------------------------------------------------------------------------

    async def components(self, entity_ids: Iterable[str], known_at: int, limit: int) -> list[frozenset[str]]:
        """The components of the ids at an instant; one that grows beyond ``limit`` is not read on."""
        found: list[frozenset[str]] = []
        placed: set[str] = set()
        for start in sorted(entity_ids):
            if start in placed:
                continue
            component, frontier = {start}, [start]
            while frontier and len(component) <= limit:
                await self.explore(frontier, known_at)
                reached = {other for id_ in frontier for other in self._around(id_, known_at)}
                frontier = sorted(reached - component)
                component |= reached
            found.append(frozenset(component))
            placed |= component
        return found

    async def partners(self, entity_ids: Iterable[str], since: int) -> set[str]:
        """Ids that a stored row ties to one of the ids at some instant from ``since`` on."""
        await self._load(entity_ids)
        rows = [
            row
            for id_ in entity_ids
            for row in self._ties[id_]
            if max(row.recorded_at, since) < row.invalidated_at
        ]
        return {side for row in rows for side in (row.tied.left, row.tied.right)}

    def instants(self, entity_ids: Iterable[str]) -> set[int]:
        """When anything about the ids was recorded or withdrawn."""
        found: set[int] = set()
        for id_ in entity_ids:
            found.update(one.recorded_at for one in self._sightings.get(id_, ()))
            found.update(one.recorded_at for one in self._decisions.get(id_, {}).values())
            for statement in self._statements.get(id_, ()):
                found |= {statement.recorded_at, statement.withdrawn_at}
        return found

    def crossings(self, entity_ids: Iterable[str]) -> set[int]:
        """When a key that several of the ids have became too common to find one by the other: by what was
        told of others, at an instant at which nothing was recorded of the ids themselves."""
        shared = Counter(key for id_ in entity_ids for key in self._profiles.keys(id_, OPEN_END - 1))
        return {crowded(self._holders.get(key, {}), MAX_HOLDERS) for key, n in shared.items() if n > 1}

    async def later(self, entity_ids: Iterable[str], since: int) -> set[str]:
        """Ids that become neighbours of one of the ids after ``since``, by what is known of them then."""
        ids = sorted(entity_ids)
        await self.explore(ids, OPEN_END - 1)
        found: set[str] = set()
        for id_ in ids:
            holders = {h for key in self._profiles.keys(id_, OPEN_END - 1) for h in self._coming(key, since)}
            pairs = self._decisions.get(id_, {}).values()
            holders |= {side for pair in pairs for side in (pair.left, pair.right)}
            await self._load(holders)
            for other in sorted(holders - {id_} - found):
                instants = sorted(at for at in self.instants((id_, other)) if since < at < OPEN_END)
                if any(self._joined(id_, other, at) for at in instants):
                    found.add(other)
        return found

    def _coming(self, key: str, since: int) -> list[str]:
        """Who may be found by a key at some instant after ``since``: nobody once too many have it."""
        held = self._holders.get(key, {})
        if sum(at <= since for at in held.values()) > MAX_HOLDERS:
            return []
        return list(held)

    def evidence(self, entity_ids: Iterable[str]) -> Evidence:
        """Everything that is known of ids that were read."""
        ids = sorted(entity_ids)
        pairs = {
            row_id: pair
            for id_ in ids
            for row_id, pair in self._decisions.get(id_, {}).items()
            if pair.left in self._sightings and pair.right in self._sightings
        }
        return Evidence(
            sightings={id_: self._sightings.get(id_, []) for id_ in ids},
            statements=tuple(s for id_ in ids for s in self._statements.get(id_, ())),
            decisions=tuple(pairs[row_id] for row_id in sorted(pairs)),
        )

    def _around(self, entity_id: str, known_at: int) -> set[str]:
        """The neighbours of an id that was explored at this instant."""
        place = entity_id, known_at
        if place not in self._near:
            self._near[place] = self._neighbours(entity_id, known_at)
        return self._near[place]

    def _joined(self, one: str, other: str, known_at: int) -> bool:
        """True when one id is a neighbour of the other at an instant."""
        if not (self._profiles.known(one, known_at) and self._profiles.known(other, known_at)):
            return False
        decided = in_force(self._decisions.get(one, {}).values(), known_at)
        if any(pair.same and other in (pair.left, pair.right) for pair in decided):
            return True
        return other in self._candidates(one, known_at) and self._close(one, other, known_at)

    def _neighbours(self, entity_id: str, known_at: int) -> set[str]:
        place = entity_id, known_at
        if place not in self._neighbours_read:
            self._neighbours_read[place] = self._look_around(entity_id, known_at)
        return self._neighbours_read[place]

    def _look_around(self, entity_id: str, known_at: int) -> set[str]:
        if not self._profiles.known(entity_id, known_at):
            return set()
        decided = in_force(self._decisions.get(entity_id, {}).values(), known_at)
        joined = {side for one in decided if one.same for side in (one.left, one.right)}
        found = {id_ for id_ in joined if self._profiles.known(id_, known_at)}
        for other in self._candidates(entity_id, known_at):
            if other not in found and self._close(entity_id, other, known_at):
                found.add(other)
        return found - {entity_id}

    def _close(self, one: str, other: str, known_at: int) -> bool:
        if not self._profiles.known(other, known_at):
            return False
        statements = (*self._statements[one], *self._statements[other])
        if statements and renamed(one, other, Evidence(self._sightings, statements), known_at):
            return True
        if self._profiles.canonical(one, known_at) == self._profiles.canonical(other, known_at):
            return True
        return self._automatic and self._profiles.near(one, other, known_at)

    def _candidates(self, entity_id: str, known_at: int) -> set[str]:
        place = entity_id, known_at
        if place in self._candidates_read:
            return self._candidates_read[place]
        found: set[str] = set()
        for key in self._profiles.keys(entity_id, known_at):
            holders = [id_ for id_, at in self._holders.get(key, {}).items() if at <= known_at]
            if len(holders) <= MAX_HOLDERS:
                found.update(holders)
        found.discard(entity_id)
        self._candidates_read[place] = found
        return found


def _lower(found: dict[str, int], name: str, instant: int) -> None:
    found[name] = min(found.get(name, OPEN_END), instant)
