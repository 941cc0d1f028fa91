"""The sets of ids that are one thing, read from a store."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from tidegraph.domain.facts import FactVersion
from tidegraph.domain.identity import Tie, believed, components
from tidegraph.ports import FactFilter, GraphReader, Visibility
from tidegraph.storage.visibility import of_any_status

_ALL_FACTS: Final = 1 << 31
MAX_JOINT: Final = 2_000
"""Facts of ids in sets that are looked at for conflicts which only the sets make."""


@dataclass(frozen=True, slots=True)
class Sets:
    """The sets that ids are in; an id of no set stands for itself."""

    members: dict[str, tuple[str, ...]]

    def one(self, entity_id: str) -> str:
        """The id under which a set is read."""
        return self.members.get(entity_id, (entity_id,))[0]

    def all(self, entity_ids: Iterable[str]) -> tuple[str, ...]:
        """The ids with all that are one with them."""
        return tuple(dict.fromkeys(m for id_ in entity_ids for m in self.members.get(id_, (id_,))))

    def __bool__(self) -> bool:
        return bool(self.members)


async def joint_facts(reader: GraphReader, graph: str, seen: Visibility) -> list[FactVersion]:
    """Facts from which those are found that only the sets put in conflict: of the ids of each set but the
    one with most facts, since a key that they share is one of theirs."""
    rows = [row for row in believed(await reader.all_ties(graph), seen.known_at) if row.tied.tie is Tie.SAME]
    sets = set(components((), ((row.tied.left, row.tied.right) for row in rows)).values())
    counts = await reader.fact_counts(graph, sorted(id_ for ids in sets for id_ in ids), seen, _ALL_FACTS)
    largest = {max(ids, key=lambda id_: (counts.get(id_, 0), id_)) for ids in sets}
    others = sorted({id_ for ids in sets for id_ in ids} - largest)
    which = FactFilter(entity_ids=tuple(others), limit=MAX_JOINT)
    return await reader.facts(graph, which, seen) if others else []


class SetReader:
    """Reads sets as believed at known_at.

    Args:
        keep: what was read is not read again. For one request, whose reads are as of one moment.
    """

    def __init__(self, reader: GraphReader, *, keep: bool) -> None:
        self._reader = reader
        self.keeps = keep
        self._known: dict[tuple[str, Visibility], dict[str, tuple[str, ...]]] = {}

    async def read(self, graph: str, entity_ids: Iterable[str], seen: Visibility) -> Sets:
        """The sets of at least two ids that the ids are in."""
        asked = {*entity_ids} - {""}
        key = graph, of_any_status(seen)
        known = self._known.get(key, {})
        unknown = sorted(asked - known.keys())
        found = {id_: (id_,) for id_ in unknown} | await self._sets_of(graph, unknown, seen)
        if self.keeps:
            known = self._known.setdefault(key, {})
            known |= found
            found = known
        return Sets({member: found[id_] for id_ in asked if len(found[id_]) > 1 for member in found[id_]})

    async def _sets_of(
        self, graph: str, asked: Sequence[str], seen: Visibility
    ) -> dict[str, tuple[str, ...]]:
        rows = await self._reader.same_as(graph, asked, seen) if asked else []
        return components((), ((row.tied.left, row.tied.right) for row in rows))
