"""Which ids are neighbours at an instant, by what was read of a graph so far.

Ids are neighbours when they share a blocking key and their score is not a plain no, when a document states
a name of the one for the other, or when a decision joins them.
"""

from __future__ import annotations

from collections import ChainMap, Counter
from collections.abc import Iterable, MutableMapping
from dataclasses import dataclass, field
from typing import Final

from tidegraph.domain.identity import PairDecision, Sighting, called_key, in_force
from tidegraph.domain.interval import OPEN_END
from tidegraph.resolution.standing import Evidence, Statement, renamed
from tidegraph.streams.writing.holders import Holders
from tidegraph.streams.writing.profiles import Known, Nearness, Profiles

ALWAYS: Final = OPEN_END - 1
"""The last instant: what is known by then is all that is known."""


@dataclass(frozen=True, slots=True)
class Read:
    """What was read: sightings, statements and decisions (by row id) by the id that they are about, and who
    has keys. An id that has statements, be it none, was read whole."""

    sightings: MutableMapping[str, list[Sighting]] = field(default_factory=dict)
    statements: MutableMapping[str, list[Statement]] = field(default_factory=dict)
    decisions: MutableMapping[str, dict[str, PairDecision]] = field(default_factory=dict)
    holders: Holders = field(default_factory=Holders)

    def before(self) -> Read:
        """What was read without the news: the same but for ids of which something else is put in."""
        return Read(
            ChainMap({}, self.sightings),
            ChainMap({}, self.statements),
            ChainMap({}, self.decisions),
            self.holders,
        )


class Neighbours:
    """What follows from what was read; :meth:`forget` is to be called when more was read.

    What follows from things of which all was read is kept for good.
    """

    def __init__(
        self, read: Read, nearness: Nearness, *, automatic: bool, beside: Neighbours | None = None
    ) -> None:
        self._read = read
        self._automatic = automatic
        self._profiles: Profiles = Profiles(read.sightings, nearness, beside._profiles if beside else None)
        self._latest: dict[str, int] = {}
        # Candidates and neighbours by id and instant: of which all was read, and the rest.
        self._found: dict[tuple[str, int], frozenset[str]] = {}
        self._found_so_far: dict[tuple[str, int], frozenset[str]] = {}
        self._whole: dict[tuple[str, int], frozenset[str]] = {}
        self._so_far: dict[tuple[str, int], frozenset[str]] = {}
        self._settled: dict[str, int] = {}

    def forget(self) -> None:
        """Forget what followed from a part."""
        self._so_far.clear()
        self._found_so_far.clear()

    def keys(self, entity_id: str, known_at: int) -> frozenset[str]:
        """The keys under which candidates of an id are found at an instant."""
        return self._profiles.keys(entity_id, known_at)

    def instants(self, entity_ids: Iterable[str]) -> set[int]:
        """When anything about the ids was recorded or withdrawn."""
        found: set[int] = set()
        for id_ in entity_ids:
            for seen in self._read.sightings.get(id_, ()):
                found.add(seen.recorded_at)
                found.update(*((gap.start, gap.end) for gap in seen.gaps))
            found.update(one.recorded_at for one in self._read.decisions.get(id_, {}).values())
            for statement in self._read.statements.get(id_, ()):
                found |= {statement.recorded_at, statement.withdrawn_at}
        return found

    def crossings(self, entity_ids: Iterable[str]) -> set[int]:
        """When a key that several of the ids have became too common to find one by the other: by what was
        told of others, at an instant at which nothing was recorded of the ids themselves."""
        shared = Counter(key for id_ in entity_ids for key in self._profiles.keys(id_, ALWAYS))
        return {self._read.holders.crowded(key) for key, n in shared.items() if n > 1}

    def last(self, entity_id: str) -> int:
        """The last instant at which anything about an id that was read was recorded or withdrawn."""
        found = self._latest.get(entity_id)
        if found is None:
            instants = (at for at in self.instants((entity_id,)) if at < OPEN_END)
            found = self._latest[entity_id] = max(instants, default=0)
        return found

    def around(self, entity_id: str, known_at: int) -> frozenset[str]:
        """The neighbours of an id at an instant, by what was read so far."""
        if known_at >= self._settled.get(entity_id, OPEN_END):
            known_at = ALWAYS
        place = entity_id, known_at
        found = self._whole.get(place, self._so_far.get(place))
        if found is None:
            found = self._look_around(entity_id, known_at)
            if not self._is_read(entity_id, known_at):
                self._so_far[place] = found
            else:
                self._whole[place] = found
                if known_at == ALWAYS:
                    self._settled[entity_id] = self._settles(entity_id)
        return found

    def is_explored(self, entity_id: str, known_at: int) -> bool:
        """True when the neighbours of an id at an instant are known, whatever more is read."""
        return (entity_id, known_at) in self._whole or known_at >= self._settled.get(entity_id, OPEN_END)

    def _is_read(self, entity_id: str, known_at: int) -> bool:
        """True when all was read that the neighbours of an id at an instant follow from."""
        return (
            entity_id in self._read.statements
            and all(key in self._read.holders for key in self._profiles.keys(entity_id, known_at))
            and all(other in self._read.statements for other in self._may_reach(entity_id, known_at))
        )

    def _settles(self, entity_id: str) -> int:
        """From when on the neighbours of an id, of which all was read, stay as they are in the end."""
        keys = map(self._read.holders.last, self._profiles.keys(entity_id, ALWAYS))
        others = map(self.last, self._may_reach(entity_id, ALWAYS))
        return max(self.last(entity_id), max(keys, default=0), max(others, default=0))

    def _may_reach(self, entity_id: str, known_at: int) -> set[str]:
        pairs = self._read.decisions.get(entity_id, {}).values()
        return {side for pair in pairs for side in (pair.left, pair.right)}.union(
            self.candidates(entity_id, known_at)
        )

    def joined(self, one: str, other: str, known_at: int) -> bool:
        """True when one id is a neighbour of the other at an instant."""
        own, them = self._profiles.at(one, known_at), self._profiles.at(other, known_at)
        if own is None or them is None:
            return False
        decided = in_force(self._read.decisions.get(one, {}).values(), known_at)
        if any(pair.same and other in (pair.left, pair.right) for pair in decided):
            return True
        return other in self.candidates(one, known_at) and self._close(own, them, known_at)

    def ever_joined(self, one: str, other: str, since: int) -> bool:
        """True when one id is a neighbour of the other at some instant from ``since`` on."""
        if self.joined(one, other, since):
            return True
        instants = sorted(at for at in self.instants((one, other)) if since < at < OPEN_END)
        return any(self.joined(one, other, at) for at in instants)

    def _look_around(self, entity_id: str, known_at: int) -> frozenset[str]:
        own = self._profiles.at(entity_id, known_at)
        if own is None:
            return frozenset()
        decisions = self._read.decisions.get(entity_id)
        decided = in_force(decisions.values(), known_at) if decisions else ()
        joined = {side for one in decided if one.same for side in (one.left, one.right)}
        found = {id_ for id_ in joined if self._profiles.at(id_, known_at) is not None}
        for other in self.candidates(entity_id, known_at) - found:
            them = self._profiles.at(other, known_at)
            if them is not None and self._close(own, them, known_at):
                found.add(other)
        return frozenset(found - {entity_id})

    def _close(self, one: Known, other: Known, known_at: int) -> bool:
        left, right = one.place[0], other.place[0]
        if self._read.statements[left] or self._read.statements[right]:
            statements = (*self._read.statements[left], *self._read.statements[right])
            if renamed(left, right, Evidence(self._read.sightings, statements), known_at):
                return True
        return self._is_namesake(one, other) or (self._automatic and self._profiles.near(one, other))

    def _is_namesake(self, one: Known, other: Known) -> bool:
        """True when both have one full name; who has a name has the key of it."""
        bearers = self._read.holders.all_of(called_key(one.canonical)) if one.canonical else None
        if bearers is not None and other.place[0] not in bearers:
            return False
        return one.canonical == other.canonical

    def candidates(self, entity_id: str, known_at: int) -> frozenset[str]:
        """Whom the keys of an id find at an instant, of those that were read."""
        place = entity_id, known_at
        known = self._found.get(place, self._found_so_far.get(place))
        if known is None:
            found: set[str] = set()
            keys, holders = self._profiles.keys(entity_id, known_at), self._read.holders
            for key in keys:
                found.update(holders.found(key, known_at))
            known = frozenset(found - {entity_id})
            kept = self._found if all(map(holders.__contains__, keys)) else self._found_so_far
            kept[place] = known
        return known
