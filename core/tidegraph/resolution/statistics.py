"""How telling an agreement is, and what a component's own statements say.

Counting values in what has arrived so far would make a score depend on the order of arrival. Rarity is
therefore a property of slots, values and words in fixed tables; statements about names and the holders of
short names are functions of the component that is clustered.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from tidegraph.resolution.aliases import Aliases
from tidegraph.resolution.holders import Holders
from tidegraph.resolution.profiles import Link, Profile
from tidegraph.resolution.tables import tables

_COMMON_WORD: Final = 0.1


class Statistics:
    """What a score rests on besides the two profiles."""

    __slots__ = ("aliases", "holders")

    def __init__(self, aliases: Aliases, holders: Holders) -> None:
        self.aliases = aliases
        self.holders = holders

    @classmethod
    def of(
        cls, links: Iterable[Link] = (), profiles: Iterable[Profile] | Mapping[str, Profile] = ()
    ) -> Statistics:
        """The statistics of a component: the fixed tables, its links, the subjects of the links."""
        by_id = profiles if isinstance(profiles, Mapping) else {p.entity_id: p for p in profiles}
        return cls(Aliases(links, by_id), Holders(by_id.values()))

    def rarity(self, slot: str, value: str) -> float:
        """How telling it is that two things share ``value``: 1 for a key, 0 for what everybody shares."""
        return tables().value_rarity.get((slot, value), 1.0)

    def telling(self, word: str) -> float:
        """How telling a shared word of context is."""
        return _COMMON_WORD if word in tables().common_words or len(word) == 1 else 1.0
