"""The part of a graph that a change of identity may reach, read as far as it is needed."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

from tidegraph.domain.facts import Assertion
from tidegraph.domain.identity import CALLED, PairDecision, SameAs, Sighting
from tidegraph.domain.interval import OPEN_END
from tidegraph.domain.naming import normalise
from tidegraph.ports import GraphReader
from tidegraph.resolution.standing import Evidence, keys_of
from tidegraph.storage.visibility import EVERYTHING
from tidegraph.streams.writing.counting import counted, crowded, earliest, statement_of
from tidegraph.streams.writing.holders import MAX_HOLDERS
from tidegraph.streams.writing.neighbours import ALWAYS, Neighbours, Read
from tidegraph.streams.writing.news import News, parted
from tidegraph.streams.writing.profiles import Nearness

READ_AHEAD: Final = 3

KeysOfName = Callable[[str, str, str], tuple[str, ...]]
"""(graph, entity id, a name that it is told to have) to the conflict keys of claims that say so."""


class World:
    """What was read, with what the batch adds. Each id and key is read once."""

    def __init__(
        self,
        reader: GraphReader,
        graph: str,
        keys_of_name: KeysOfName,
        nearness: Nearness,
        *,
        automatic: bool,
    ) -> None:
        self._reader = reader
        self._graph = graph
        self._keys_of_name = keys_of_name
        self._new: dict[str, Sighting] = {}
        self._moved: dict[str, Assertion] = {}
        self._news: dict[str, dict[str, PairDecision]] = defaultdict(dict)
        self._ties: dict[str, list[SameAs]] = {}
        self._first = OPEN_END
        self.dropped: tuple[str, ...] = ()
        """Rows of stored sightings that do not count any more, and are to lose their keys."""
        self._read = Read()
        self._neighbours = Neighbours(self._read, nearness, automatic=automatic)
        self._before = self._read.before()
        self._earlier = Neighbours(self._before, nearness, automatic=automatic, beside=self._neighbours)

    # --- what is new ------------------------------------------------------------------------------

    async def take(self, news: News) -> dict[str, int]:
        """Take the news of a batch in; the ids that they change, each with the first instant."""
        since: dict[str, int] = {}
        for decision in news.decisions:
            for side in (decision.left, decision.right):
                self._news[side][decision.row_id] = decision
                _lower(since, side, decision.recorded_at)
        for claim in news.names:
            self._moved[claim.assertion_id] = claim
            _lower(since, claim.subject, min(claim.recorded_at, claim.withdrawn_at))
        for one, gaps in news.gaps:
            if (at := parted(one, gaps)) < OPEN_END:
                _lower(since, one.entity_id, at)
        # Nothing changes before the first of the news, so nothing is asked about earlier instants.
        self._first = min((*since.values(), *(one.recorded_at for one in news.sightings)), default=OPEN_END)
        seen = {one.entity_id for one in (*news.sightings, *(one for one, _ in news.gaps))}
        if not seen and not since:
            return since
        await self._fetch(seen | since.keys(), {key for one in news.sightings for key in one.keys})
        self._take_gaps(news)
        pushed = self._take_sightings(news, since)
        touched = {key for one in self._new.values() for key in one.keys}
        before = {key: self._read.holders.crowded(key) for key in touched}
        if pushed:
            before |= await self._drop_keys(pushed)
        for one in self._new.values():
            for key in one.keys:
                self._read.holders.add(key, one.entity_id, one.recorded_at)
        self._crossed(since, before)
        await self._load_statements(sorted(self._ties))
        return since

    def _take_gaps(self, news: News) -> None:
        """Stored sightings get the gaps that they now have."""
        gaps = {one.row_id: found for one, found in news.gaps}
        for entity_id in {one.entity_id for one, _ in news.gaps}:
            told = self._before.sightings[entity_id] = self._read.sightings[entity_id]
            self._read.sightings[entity_id] = [
                replace(one, gaps=gaps.get(one.row_id, one.gaps)).stored_as(one.row_id) for one in told
            ]

    def _take_sightings(self, news: News, since: dict[str, int]) -> list[Sighting]:
        """Sightings that count from now on; the stored ones that do not any more."""
        by_id: dict[str, dict[str, Sighting]] = {one.entity_id: {} for one in news.sightings}
        gone = {one.entity_id for one, _ in news.gaps}
        for entity_id, told in by_id.items():
            if entity_id not in gone:
                self._before.sightings[entity_id] = self._read.sightings[entity_id]
            told.update({one.row_id: one for one in self._read.sightings[entity_id]})
        for row_id, one in earliest(news.sightings).items():
            held = by_id[one.entity_id].get(row_id)
            if held is None or one.recorded_at < held.recorded_at:
                self._new[row_id] = by_id[one.entity_id][row_id] = one
        pushed: list[Sighting] = []
        for entity_id, told in by_id.items():
            counts = self._read.sightings[entity_id] = counted(told)
            kept = {one.row_id for one in counts}
            for row_id in told.keys() & self._new.keys():
                if row_id in kept:
                    _lower(since, entity_id, told[row_id].recorded_at)
                else:
                    del self._new[row_id]
            stored = {one.row_id: one for one in self._before.sightings[entity_id]}
            pushed += [one for row_id, one in stored.items() if row_id not in kept]
        self.dropped = tuple(sorted(one.row_id for one in pushed))
        return pushed

    async def _drop_keys(self, pushed: Sequence[Sighting]) -> dict[str, int]:
        """Take keys from the ids whose sightings with them do not count any more.

        Who came later than others had been told of would find and crowd others, and in another order of
        arrival not. Returned is since when each of the keys was too common.
        """
        lost: dict[str, set[str]] = defaultdict(set)
        for one in pushed:
            for key in keys_of(one):
                lost[key].add(one.entity_id)
        stored = await self._reader.holders(self._graph, sorted(lost), MAX_HOLDERS + 1 + len(pushed))
        before: dict[str, int] = {}
        for key, entity_ids in lost.items():
            first = dict(stored.get(key, ()))
            before[key] = crowded(first, MAX_HOLDERS)
            for entity_id in entity_ids & first.keys():
                counts = [one for one in self._read.sightings[entity_id] if one.row_id not in self._new]
                own = [one.recorded_at for one in counts if key in keys_of(one)]
                first.pop(entity_id)
                first |= {entity_id: min(own)} if own else {}
            self._read.holders.read(key, sorted(first.items(), key=lambda held: held[1])[: MAX_HOLDERS + 1])
        self._forget()
        return before

    def _crossed(self, since: dict[str, int], before: Mapping[str, int]) -> None:
        """Keys that become too common by what is new: from then on they find nobody, also for others.

        A key that was as common at that instant ``before`` finds for others what it found: with many
        documents of one instant the same holders would be looked at again for each of them.
        """
        for key, common in before.items():
            now = self._read.holders.crowded(key)
            if now != common:
                for entity_id in self._read.holders.of(key):
                    _lower(since, entity_id, min(now, common))

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
        asked = sorted({key for key in keys if key not in self._read.holders})
        if not own and not asked:
            return []
        found = await self._reader.identity_evidence(self._graph, own, asked, MAX_HOLDERS + 1, self._first)
        around = {id_ for held in found.holders.values() if len(held) <= MAX_HOLDERS for id_, _ in held}
        wanted = sorted(id_ for id_ in around.union(own) if id_ not in self._ties)
        new = set(wanted)
        self._forget()
        for id_ in wanted:
            self._read.sightings[id_], self._ties[id_] = [], []
            self._read.decisions[id_] = dict(self._news.get(id_, {}))
            if id_ in self._news:
                self._before.decisions[id_] = {}
        for one in found.sightings:
            if one.entity_id in new:
                self._read.sightings[one.entity_id].append(one)
        for pair in found.decisions:
            for side in (pair.left, pair.right):
                if side in self._read.decisions and pair.row_id not in self._news.get(side, {}):
                    self._read.decisions[side][pair.row_id] = pair
                if side in self._news and side in self._read.decisions:
                    self._before.decisions[side][pair.row_id] = pair
        for row in found.ties:
            for side in {row.tied.left, row.tied.right} & new:
                self._ties[side].append(row)
        for key in asked:
            if key in found.crowded:
                self._read.holders.fill(key, found.crowded[key])
            else:
                self._read.holders.read(key, found.holders.get(key, ()))
        return wanted

    async def _load(self, entity_ids: Iterable[str], keys: Iterable[str] = ()) -> None:
        """What is known of the ids: sightings, decisions, statements, rows; and who has the keys."""
        await self._load_statements(await self._fetch(entity_ids, keys))

    async def _load_statements(self, wanted: Sequence[str]) -> None:
        if not wanted:
            return
        # Names that a sighting states which counts: other statements are not found again, so they are none.
        called = {
            id_: {v for one in self._read.sightings[id_] for slot, v in one.slots if slot == CALLED}
            for id_ in wanted
        }
        stating = {
            key
            for id_, names in called.items()
            for name in names
            for key in self._keys_of_name(self._graph, id_, name)
        }
        stored = await self._reader.assertions(self._graph, sorted(stating), EVERYTHING) if stating else []
        told = {claim.assertion_id: claim for claim in stored}
        known = {id_: {normalise(name) for name in names} for id_, names in called.items()}
        changed = {claim.subject for claim in self._moved.values()}
        for id_ in wanted:
            self._read.statements[id_] = []
            if id_ in changed:
                self._before.statements[id_] = []
        for claim in stored:
            if claim.subject in changed and (statement := statement_of(claim)) and claim.subject in known:
                self._before.statements[claim.subject].append(statement)
        for claim in (told | self._moved).values():
            statement = statement_of(claim)
            if statement is not None and statement.name in known.get(claim.subject, ()):
                self._read.statements[claim.subject].append(statement)
        self._forget()

    async def explore(self, entity_ids: Iterable[str], known_at: int) -> None:
        """Read ahead, for many ids at once, what ``components`` would read for one after the other."""
        ids = sorted(id_ for id_ in entity_ids if not self._neighbours.is_explored(id_, known_at))
        if not ids:
            return
        await self._load(ids)
        # The candidates of keys that are known, then those of keys that were read with them.
        for _ in range(2):
            keys = {key for id_ in ids for key in self._neighbours.keys(id_, known_at)}
            pairs = [pair for id_ in ids for pair in self._read.decisions[id_].values()]
            near = {other for id_ in ids for other in self._neighbours.candidates(id_, known_at)}
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
            near = {other for id_ in frontier for other in self._neighbours.around(id_, known_at)}
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
                reached = {other for id_ in frontier for other in self._neighbours.around(id_, known_at)}
                frontier = sorted(reached - component)
                component |= reached
            found.append(frozenset(component))
            placed |= component
        return found

    def instants(self, entity_ids: Iterable[str]) -> set[int]:
        """When anything changed that components of the ids, all of them read, follow from."""
        ids = list(entity_ids)
        return self._neighbours.instants(ids) | self._neighbours.crossings(ids)

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

    def _forget(self) -> None:
        self._neighbours.forget()
        self._earlier.forget()

    async def formerly(self, entity_ids: Iterable[str], since: Mapping[str, int]) -> set[str]:
        """Ids that, by what was known before the news, were neighbours of the changed ones at some instant
        from their change on: what leaves them changes what is left, also where no row tied them."""
        ids = sorted(id_ for id_ in entity_ids if id_ in since and self._before.sightings.get(id_))
        keys = {id_: self._earlier.keys(id_, ALWAYS) for id_ in ids}
        await self._load((), {key for found in keys.values() for key in found})
        found = set(entity_ids)
        for id_ in ids:
            pairs = self._before.decisions.get(id_, {}).values()
            near = {side for pair in pairs for side in (pair.left, pair.right)}
            near.update(o for key in keys[id_] for o in self._read.holders.coming(key, since[id_]))
            await self._load(near)
            found.update(
                other
                for other in sorted(near - {id_} - found)
                if self._earlier.ever_joined(id_, other, since[id_])
            )
        return found

    async def later(self, entity_ids: Iterable[str], since: int) -> set[str]:
        """Ids that become neighbours of one of the ids after ``since``, by what is known of them then."""
        ids = sorted(entity_ids)
        await self.explore(ids, ALWAYS)
        found: set[str] = set()
        for id_ in ids:
            keys = self._neighbours.keys(id_, ALWAYS)
            holders = {other for key in keys for other in self._read.holders.coming(key, since)}
            pairs = self._read.decisions.get(id_, {}).values()
            holders |= {side for pair in pairs for side in (pair.left, pair.right)}
            await self._load(holders)
            for other in sorted(holders - {id_} - found):
                if max(self._neighbours.last(id_), self._neighbours.last(other)) <= since:
                    continue
                instants = sorted(
                    at for at in self._neighbours.instants((id_, other)) if since < at < OPEN_END
                )
                if any(self._neighbours.joined(id_, other, at) for at in instants):
                    found.add(other)
        return found

    def evidence(self, entity_ids: Iterable[str]) -> Evidence:
        """Everything that is known of ids that were read."""
        ids = sorted(entity_ids)
        pairs = {
            row_id: pair
            for id_ in ids
            for row_id, pair in self._read.decisions.get(id_, {}).items()
            if pair.left in self._read.sightings and pair.right in self._read.sightings
        }
        return Evidence(
            sightings={id_: self._read.sightings.get(id_, []) for id_ in ids},
            statements=tuple(s for id_ in ids for s in self._read.statements.get(id_, ())),
            decisions=tuple(pairs[row_id] for row_id in sorted(pairs)),
        )


def _lower(found: dict[str, int], name: str, instant: int) -> None:
    found[name] = min(found.get(name, OPEN_END), instant)
