"""Names that statements tie together, and who may use them when.

A statement holds inside its own scope: what its subject is known to be (a town's county, a company's
state) must not conflict with either profile. A name that was given up can be taken over by another, so a
holder seen well after the change is suspect.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from tidegraph.domain.documents import EntityType
from tidegraph.domain.interval import MICROS_PER_DAY
from tidegraph.resolution.names import name_key
from tidegraph.resolution.profiles import Link, LinkKind, Profile

MAX_CHAIN: Final = 8
"""Renames in a row that are followed."""
GRACE: Final = 60 * MICROS_PER_DAY
"""An old name is still used for so long after a change."""
_SCOPE: Final = ("country", "state", "region", "city", "chamber", "born")

Key = tuple[EntityType, str]


@dataclass(frozen=True, slots=True)
class Tie:
    """One step from a name to another. ``until`` is when the first name was given up, if it was."""

    other: Key
    until: int | None
    scope: Mapping[str, tuple[str, ...]]


class Aliases:
    """An index of statements for one component."""

    def __init__(self, links: Iterable[Link], profiles: Mapping[str, Profile]) -> None:
        self._ties: dict[Key, list[Tie]] = defaultdict(list)
        self._given_up: dict[Key, int] = {}
        for link in links:
            if link.kind is LinkKind.MERGED:
                continue
            former, later = (
                (link.type, name_key(link.type, link.former)),
                (link.type, name_key(link.type, link.later)),
            )
            if former == later or not former[1] or not later[1]:
                continue
            subject = profiles.get(link.subject)
            slots = subject.slots if subject else {}
            scope = {slot: slots[slot] for slot in _SCOPE if slot in slots}
            until = link.at if link.kind is LinkKind.RENAMED else None
            self._ties[former].append(Tie(later, until, scope))
            self._ties[later].append(Tie(former, None, scope))
            if until is not None:
                self._given_up[former] = min(until, self._given_up.get(former, until))

    def tied(self, a: Profile, b: Profile) -> bool:
        """True when a chain of statements leads from a name of one to a name of the other."""
        if not self._ties:
            return False
        wanted = set(keys(b))
        seen = {key for key in keys(a) if key in self._ties}
        if not seen or not any(key in self._ties for key in wanted):
            return False
        front = seen
        for _ in range(MAX_CHAIN):
            front = {
                tie.other
                for key in front
                for tie in self._ties[key]
                if tie.other not in seen and _in_scope(tie, a) and _in_scope(tie, b)
            }
            if front & wanted:
                return True
            seen = seen | front
        return False

    def late(self, profile: Profile) -> bool:
        """True when the profile is seen only well after the name that it bears was given up."""
        if profile.active is None or not self._given_up:
            return False
        given_up = [self._given_up.get(key) for key in keys(profile)]
        return bool(given_up) and all(
            until is not None and profile.active.start > until + GRACE for until in given_up
        )


def keys(profile: Profile) -> Iterator[Key]:
    """The comparable forms of a profile's names."""
    for name in profile.names:
        yield profile.type, name_key(profile.type, name)


def _in_scope(tie: Tie, profile: Profile) -> bool:
    return not any(
        slot in profile.slots and not set(values) & set(profile.slots[slot])
        for slot, values in tie.scope.items()
    )
