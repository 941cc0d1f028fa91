"""Names that statements tie together, and who may use them when.

A statement holds inside its own scope: what its subject is known to be (a town's county, a company's
state) must not conflict with either profile. A name that was given up can be taken over by another, so a
holder seen well after the change is suspect.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from functools import lru_cache
from typing import Final

from tidegraph.domain.documents import EntityType
from tidegraph.domain.interval import MICROS_PER_DAY, OPEN_START
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
    """One step from a name to another. ``at`` is when the later name took over, ``None`` when unknown."""

    other: Key
    at: int | None
    scope: Mapping[str, tuple[str, ...]]
    document: str


class Tied(IntEnum):
    """What statements say of two profiles."""

    NO = 0
    OUT_OF_TIME = 1
    """A chain of names leads from one to the other, but not at the times at which they were seen."""
    YES = 2


class Aliases:
    """An index of statements for one component."""

    def __init__(self, links: Iterable[Link], profiles: Mapping[str, Profile]) -> None:
        self._later: dict[Key, list[Tie]] = defaultdict(list)
        self._former: dict[Key, list[Tie]] = defaultdict(list)
        self._given_up: dict[Key, int] = {}
        self._merged: set[frozenset[Key]] = set()
        for link in links:
            former, later = (
                (link.type, name_key(link.type, link.former)),
                (link.type, name_key(link.type, link.later)),
            )
            if former == later or not former[1] or not later[1]:
                continue
            if link.kind is LinkKind.MERGED:
                self._merged.add(frozenset((former, later)))
                continue
            subject = profiles.get(link.subject)
            slots = subject.slots if subject else {}
            scope = {slot: slots[slot] for slot in _SCOPE if slot in slots}
            at = link.at if link.kind is LinkKind.RENAMED else None
            self._later[former].append(Tie(later, at, scope, link.document))
            self._former[later].append(Tie(former, at, scope, link.document))
            if at is not None:
                self._given_up[former] = min(at, self._given_up.get(former, at))

    def tied(self, a: Profile, b: Profile) -> Tied:
        """Whether a chain of renames or aliases leads from a name of one to a name of the other."""
        if not self._known(a) or not self._known(b):
            return Tied.NO
        if self._forward(a, b, True) or self._forward(b, a, True):
            return Tied.YES
        return Tied.OUT_OF_TIME if self._forward(a, b, False) or self._forward(b, a, False) else Tied.NO

    def merged(self, a: Profile, b: Profile) -> bool:
        """True when a statement says that one of the two went into the other."""
        return bool(self._merged) and any(frozenset((x, y)) in self._merged for x in keys(a) for y in keys(b))

    def late(self, profile: Profile) -> bool:
        """True when the profile is seen only well after every name that it bears was given up."""
        if profile.active is None or not self._given_up:
            return False
        given_up = [self._given_up.get(key) for key in keys(profile)]
        return bool(given_up) and all(
            until is not None and profile.active.start > until + GRACE for until in given_up
        )

    def _known(self, profile: Profile) -> bool:
        return any(key in self._later or key in self._former for key in keys(profile))

    def _forward(self, a: Profile, b: Profile, in_time: bool) -> bool:
        """True when ``b`` bears a name that a name of ``a`` was changed to, step by step.

        In time: no step lies before ``a`` was last seen under its name or before the step ahead of it, and
        ``b`` is seen after the last one. The document of a statement may be older than what it announces.
        """
        wanted = set(keys(b))
        seen: set[tuple[Key, int]] = set()
        front = [(key, a.active.start if a.active else OPEN_START) for key in keys(a)]
        for _ in range(MAX_CHAIN):
            ahead: list[tuple[Key, int]] = []
            for key, now in front:
                for tie in self._later.get(key, ()):
                    at = now if tie.at is None else tie.at
                    if not (_in_scope(tie, a) and _in_scope(tie, b)):
                        continue
                    if in_time and at + GRACE < now and tie.document not in a.documents:
                        continue
                    too_early = b.active is not None and b.active.end + GRACE < at
                    if tie.other in wanted and not (
                        in_time and too_early and tie.document not in b.documents
                    ):
                        return True
                    if (tie.other, at) not in seen:
                        seen.add((tie.other, at))
                        ahead.append((tie.other, at))
            front = ahead
        return False


@lru_cache(maxsize=20_000)
def _keys(kind: EntityType, names: tuple[str, ...]) -> tuple[Key, ...]:
    return tuple(dict.fromkeys((kind, name_key(kind, name)) for name in names))


def keys(profile: Profile) -> tuple[Key, ...]:
    """The comparable forms of a profile's names."""
    return _keys(profile.type, profile.names)


def _in_scope(tie: Tie, profile: Profile) -> bool:
    return not any(
        slot in profile.slots and not set(values) & set(profile.slots[slot])
        for slot, values in tie.scope.items()
    )
