"""What ids are known as at instants, each worked out once for the sightings that were recorded by then."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from functools import cached_property
from hashlib import blake2b
from typing import Final

from tidegraph.domain.documents import EntityType
from tidegraph.domain.identity import Sighting, told_at
from tidegraph.domain.interval import OPEN_END
from tidegraph.resolution.profiles import Profile
from tidegraph.resolution.standing import canonical_at, keys_of, kind_of, near, profile_at

MAX_NEAR: Final = 100_000
"""Pairs of which it is kept whether they come near each other, from batch to batch."""

Place = tuple[str, int, int]


class Nearness:
    """Which pairs come near each other, by the rows that tell of both: true for as long as the process runs.

    Only digests of the ids of rows are kept, nothing of what documents say.
    """

    def __init__(self) -> None:
        self._known: dict[bytes, bool] = {}

    def near(self, one: Known, other: Known) -> bool:
        """True when the score of two ids may join them or is a question for an operator."""
        if one.place > other.place:
            one, other = other, one
        pair = one.digest + other.digest
        found = self._known.get(pair)
        if found is None:
            if len(self._known) >= MAX_NEAR:
                # The oldest half; a pair that is asked about again is worked out again.
                self._known = dict(list(self._known.items())[MAX_NEAR // 2 :])
            found = self._known[pair] = near(one.profile, other.profile)
        return found


class Known:
    """What is known of an id by its first sightings, at least one."""

    def __init__(self, place: Place, told: Sequence[Sighting]) -> None:
        self.place: Final = place
        """The id, the number of sightings, and a bit for each whose document was withdrawn."""
        self._told = told

    @cached_property
    def digest(self) -> bytes:
        """Of the ids of the rows that tell it, from which the entity id and all else follow."""
        return blake2b("".join(one.row_id for one in self._told).encode(), digest_size=16).digest()

    @cached_property
    def kind(self) -> EntityType:
        """The type of what it names, as of ``profile``."""
        return kind_of(self._told)

    @cached_property
    def profile(self) -> Profile:
        found = profile_at(self.place[0], self._told, OPEN_END)
        assert found is not None, "there is a sighting"
        return found

    @cached_property
    def canonical(self) -> str:
        """The normal form of the full name."""
        return canonical_at(self._told, OPEN_END)


class Profiles:
    """What ids are known as at instants of the recorded axis, microseconds.

    Args:
        sightings: by id, in the order of recorded_at; ids may be added while this is in use.
        nearness: what is known from earlier batches.
        beside: of the same ids, with other sightings of some; what is the same is worked out there.
    """

    def __init__(
        self,
        sightings: Mapping[str, Sequence[Sighting]],
        nearness: Nearness,
        beside: Profiles | None = None,
    ) -> None:
        self._sightings = sightings
        self._nearness = nearness
        self._beside = beside
        self._known: dict[Place, Known] = {}
        self._keys: dict[tuple[str, int], frozenset[str]] = {}
        self._near: dict[tuple[Place, Place], bool] = {}

    def at(self, entity_id: str, known_at: int) -> Known | None:
        """What is known of an id at an instant; None before its first sighting."""
        if self._beside is not None and self._is_same(entity_id):
            return self._beside.at(entity_id, known_at)
        told, number = self._recorded(entity_id, known_at)
        if not number:
            return None
        gone = 0
        for bit, one in enumerate(told):
            if one.gaps and bit < number and not one.stands(known_at):
                gone |= 1 << bit
        place = entity_id, number, gone
        found = self._known.get(place)
        if found is None:
            counted = told_at(told[:number], known_at) if gone else told[:number]
            found = self._known[place] = Known(place, counted)
        return found

    def keys(self, entity_id: str, known_at: int) -> frozenset[str]:
        """The keys under which candidates of the id are found at an instant, of withdrawn documents too: who
        is found by them is compared by what counts."""
        if self._beside is not None and self._is_same(entity_id):
            return self._beside.keys(entity_id, known_at)
        told, number = self._recorded(entity_id, known_at)
        if not number:
            return frozenset()
        found = self._keys.get((entity_id, number))
        if found is None:
            found = frozenset(key for one in told[:number] for key in (one.keys or keys_of(one)))
            self._keys[entity_id, number] = found
        return found

    def _is_same(self, entity_id: str) -> bool:
        beside = self._beside
        return beside is not None and self._sightings.get(entity_id) is beside._sightings.get(entity_id)

    def _recorded(self, entity_id: str, known_at: int) -> tuple[Sequence[Sighting], int]:
        """The sightings of an id, and how many of them were recorded by an instant."""
        told = self._sightings.get(entity_id, ())
        if told and told[-1].recorded_at > known_at:
            return told, bisect_right(told, known_at, key=_recorded_at)
        return told, len(told)

    def near(self, one: Known, other: Known) -> bool:
        """True when the score of two ids may join them or is a question for an operator."""
        if one.kind is not other.kind or one.kind is EntityType.UNSPECIFIED:
            return False
        pair = one.place, other.place
        found = self._near.get(pair)
        if found is None:
            found = self._nearness.near(one, other)
            self._near[pair] = self._near[other.place, one.place] = found
        return found


def _recorded_at(seen: Sighting) -> int:
    return seen.recorded_at
