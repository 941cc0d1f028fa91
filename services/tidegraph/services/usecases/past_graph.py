"""The event graph as it was at an older known date (DyG-RAG eq. 3 to 6).

The stored lists are today's: they name events that were recorded later, and lack those that later events
drove out. So for a read of the past the lists are made anew from what was known then: they are those of a
graph that was built at that date. Labels do not change a list, they only hide what is on it.
"""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from tidegraph.domain.eventgraph import EventGraphParameters, EventNode, Link, neighbours
from tidegraph.domain.eventtable import EventTable
from tidegraph.ports import EventRecord, GraphReader, Neighbour, Visibility


class PastGraph:
    """Lists of one graph as of one known date; what it reads of an entity it reads once."""

    def __init__(
        self, store: GraphReader, graph: str, known_at: int, parameters: EventGraphParameters
    ) -> None:
        self._store = store
        self._graph = graph
        self._seen = Visibility(known_at, None)
        self._parameters = parameters
        self._of: dict[str, EventTable] = {}
        self._frequent: set[str] = set()

    async def neighbours(self, event_ids: Sequence[str]) -> list[Neighbour]:
        """Entries of the lists of the events, and of the lists that name them."""
        records = await self._store.events(self._graph, event_ids, self._seen)
        events = list(_nodes(records))
        await self._load(events)
        owners = {event.event_id: self._owners(event) for event in events}
        await self._load(node for nodes in owners.values() for node in nodes)
        found: dict[tuple[str, str], Neighbour] = {}
        lists: dict[str, tuple[Link, ...]] = {}
        for event in events:
            for owner in (event, *owners[event.event_id]):
                if owner.event_id not in lists:
                    lists[owner.event_id] = self._list(owner)
                for link in lists[owner.event_id]:
                    if event.event_id in (owner.event_id, link.event_id):
                        row = Neighbour(owner.event_id, link.event_id, link.weight)
                        found[owner.event_id, link.event_id] = row
        return [found[key] for key in sorted(found)]

    def _owners(self, event: EventNode) -> list[EventNode]:
        """Events in whose lists the event may stand: no entity that they share with it rules that out."""
        left = [self._of[entity_id].owners(event) for entity_id in sorted(event.entity_ids - self._frequent)]
        counts = Counter(node.event_id for nodes in left for node in nodes)
        nodes = {node.event_id: node for found in left for node in found}
        return [
            nodes[event_id]
            for event_id in sorted(nodes)
            if counts[event_id] == len((nodes[event_id].entity_ids & event.entity_ids) - self._frequent)
        ]

    def _list(self, event: EventNode) -> tuple[Link, ...]:
        """The event's list of K."""
        tables = [self._of[entity_id] for entity_id in sorted(event.entity_ids - self._frequent)]
        candidates = {node.event_id: node for table in tables for node in table.candidates(event)}
        return neighbours(event, candidates.values(), self._parameters, frozenset(self._frequent))

    async def _load(self, events: Iterable[EventNode]) -> None:
        """Read the events of the entities that are not known yet; those of too many make no edges."""
        asked = {id_ for node in events for id_ in node.entity_ids} - self._of.keys() - self._frequent
        if not asked:
            return
        cap = self._parameters.frequency_cap
        entities = await self._store.entities(self._graph, sorted(asked), self._seen)
        sets = {id_: (id_,) for id_ in asked} | {
            one.entity_id: one.members for one in entities if one.members
        }
        counts = await self._store.set_counts(self._graph, sets, cap + 1, self._seen.known_at)
        self._frequent |= {id_ for id_ in asked if counts[id_] > cap}
        wanted = sorted(asked - self._frequent)
        read = await asyncio.gather(
            *(self._store.events_of(self._graph, [id_], None, self._seen, cap + 1) for id_ in wanted)
        )
        for entity_id, records in zip(wanted, read, strict=True):
            self._of[entity_id] = EventTable(_nodes(records), self._parameters)


def _nodes(records: Iterable[EventRecord]) -> Iterator[EventNode]:
    for record in records:
        if record.event.interval is not None:
            yield EventNode(record.event.event_id, record.event.interval, frozenset(record.entity_ids))
