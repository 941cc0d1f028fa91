"""What ids are known as at instants, each worked out once for the sightings that were recorded by then."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence

from tidegraph.domain.identity import Sighting
from tidegraph.resolution.profiles import Profile
from tidegraph.resolution.standing import canonical_at, keys_of, near, profile_at


class Profiles:
    """Profiles, keys and names of ids at instants of the recorded axis, microseconds.

    Args:
        sightings: by id, in the order of recorded_at; ids may be added while this is in use.
    """

    def __init__(self, sightings: Mapping[str, Sequence[Sighting]]) -> None:
        self._sightings = sightings
        self._profiles: dict[tuple[str, int], Profile | None] = {}
        self._keys: dict[tuple[str, int], frozenset[str]] = {}
        self._names: dict[tuple[str, int], str] = {}
        self._near: dict[tuple[str, int, str, int], bool] = {}

    def known(self, entity_id: str, known_at: int) -> bool:
        """True when anything was told of the id by then."""
        return self._told(entity_id, known_at) > 0

    def keys(self, entity_id: str, known_at: int) -> frozenset[str]:
        """The keys under which candidates of the id are found."""
        place = entity_id, self._told(entity_id, known_at)
        if place not in self._keys:
            told = self._sightings.get(entity_id, ())[: place[1]]
            self._keys[place] = frozenset(key for one in told for key in (one.keys or keys_of(one)))
        return self._keys[place]

    def canonical(self, entity_id: str, known_at: int) -> str:
        """The normal form of the full name of the id, "" before its first sighting."""
        place = entity_id, self._told(entity_id, known_at)
        if place not in self._names:
            self._names[place] = canonical_at(self._sightings.get(entity_id, ()), known_at)
        return self._names[place]

    def near(self, one: str, other: str, known_at: int) -> bool:
        """True when the score of two ids that are known may join them or is a question for an operator."""
        one, other = min(one, other), max(one, other)
        place = (one, self._told(one, known_at), other, self._told(other, known_at))
        if place not in self._near:
            left, right = self._profile(one, known_at), self._profile(other, known_at)
            self._near[place] = left is not None and right is not None and near(left, right)
        return self._near[place]

    def _profile(self, entity_id: str, known_at: int) -> Profile | None:
        place = entity_id, self._told(entity_id, known_at)
        if place not in self._profiles:
            self._profiles[place] = profile_at(entity_id, self._sightings.get(entity_id, ()), known_at)
        return self._profiles[place]

    def _told(self, entity_id: str, known_at: int) -> int:
        told = self._sightings.get(entity_id, ())
        if not told or told[-1].recorded_at <= known_at:
            return len(told)
        return bisect_right(told, known_at, key=_recorded_at)


def _recorded_at(seen: Sighting) -> int:
    return seen.recorded_at
