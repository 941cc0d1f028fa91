"""How telling an agreement is: fixed tables, so that one more document never changes an old answer.

Counting values in what has arrived so far would make a score depend on the order of arrival. Rarity here
is therefore a property of the slot and of the word alone; what a component says itself (``links``) is a
function of that component.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from tidegraph.resolution.profiles import Link
from tidegraph.resolution.tables import tables


@dataclass(frozen=True, slots=True)
class Statistics:
    """What a score may rest on besides the two profiles.

    ``links`` are the statements about names in force for the component; ``rarities`` the weight in
    [0, 1] of an agreement by slot, for values that the tables do not list.
    """

    links: tuple[Link, ...] = ()
    rarities: Mapping[str, float] = field(default_factory=dict)

    @classmethod
    def of(cls, links: Iterable[Link] = ()) -> Statistics:
        """The statistics of a component: the fixed tables and its links, in one order."""
        return cls(tuple(sorted(set(links))))

    def rarity(self, slot: str, value: str) -> float:
        """How telling it is that two things share ``value``: 1 for a key, 0 for what everybody shares."""
        return self.rarities.get(slot, 1.0) * tables().value_rarity.get(value, 1.0)

    def telling(self, word: str) -> float:
        """How telling a shared word of context is."""
        return 0.1 if word in tables().common_words or len(word) == 1 else 1.0
