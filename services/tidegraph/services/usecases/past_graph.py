"""The event graph as it was at an older known date (DyG-RAG eq. 3 to 6).

The stored lists are today's: they name events that were recorded later, and lack those that later events
drove out. So for a read of the past the lists are made anew from what was known then: they are those of a
graph that was built at that date. Labels do not change a list, they only hide what is on it.
"""

from __future__ import annotations

import asyncio
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

from tidegraph.domain.eventgraph import EventGraphParameters, EventNode, Link, neighbours, weight
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
        self._of: dict[str, tuple[EventNode, ...]] = {}
        self._frequent: set[str] = set()

    async def neighbours(self, event_ids: Sequence[str]) -> list[Neighbour]:
        """Entries of the lists of the events, and of the lists that name them."""
        records = await self._store.events(self._graph, event_ids, self._seen)
        events = list(_nodes(records))
        await self._load(events)
        found: dict[tuple[str, str], Neighbour] = {}
        for event in events:
            candidates = self._candidates(event)
            for link in neighbours(event, candidates, self._parameters, frozenset(self._frequent)):
                found[event.event_id, link.event_id] = Neighbour(event.event_id, link.event_id, link.weight)
            for owner, link in await self._naming(event, candidates):
                found[owner, event.event_id] = Neighbour(owner, event.event_id, link.weight)
        return [found[key] for key in sorted(found)]

    async def _naming(self, event: EventNode, candidates: Sequence[EventNode]) -> list[tuple[str, Link]]:
        """(owner, entry) of the lists that name the event.

        Most are ruled out by what is read already: K events that come before it in the other's list.
        """
        ordered = sorted(candidates, key=lambda node: (node.interval.start, node.event_id))
        starts = [node.interval.start for node in ordered]
        open_ = [node for node in ordered if not self._ruled_out(event, node, ordered, starts)]
        await self._load(open_)
        frequent = frozenset(self._frequent)
        return [
            (node.event_id, link)
            for node in open_
            for link in neighbours(node, self._candidates(node), self._parameters, frequent)
            if link.event_id == event.event_id
        ]

    def _ruled_out(
        self, event: EventNode, owner: EventNode, ordered: Sequence[EventNode], starts: Sequence[int]
    ) -> bool:
        """Whether K of the ordered events come before the event in the owner's list."""
        place = -weight(owner, event, self._parameters), event.event_id
        before = 0
        for node in _outwards(ordered, bisect_left(starts, owner.interval.start)):
            if node is owner or not (node.entity_ids & owner.entity_ids) - self._frequent:
                continue
            value = weight(owner, node, self._parameters)
            before += value > 0.0 and (-value, node.event_id) < place
            if before >= self._parameters.top_k:
                return True
        return False

    def _candidates(self, event: EventNode) -> list[EventNode]:
        """Events that share an entity that makes edges."""
        found = {
            node.event_id: node
            for entity_id in sorted(event.entity_ids - self._frequent)
            for node in self._of[entity_id]
        }
        found.pop(event.event_id, None)
        return [found[event_id] for event_id in sorted(found)]

    async def _load(self, events: Iterable[EventNode]) -> None:
        """Read the events of the entities that are not known yet; those of too many make no edges."""
        wanted = sorted({id_ for node in events for id_ in node.entity_ids} - self._of.keys())
        limit = self._parameters.frequency_cap + 1
        read = await asyncio.gather(
            *(self._store.events_of(self._graph, [id_], None, self._seen, limit) for id_ in wanted)
        )
        for entity_id, records in zip(wanted, read, strict=True):
            nodes = tuple(_nodes(records))
            self._of[entity_id] = nodes
            if len(nodes) >= limit:
                self._frequent.add(entity_id)


def _nodes(records: Iterable[EventRecord]) -> Iterator[EventNode]:
    for record in records:
        if record.event.interval is not None:
            yield EventNode(record.event.event_id, record.event.interval, frozenset(record.entity_ids))


def _outwards(ordered: Sequence[EventNode], middle: int) -> Iterator[EventNode]:
    """The events from a place on, by turns later and earlier."""
    for step in range(len(ordered)):
        if middle + step < len(ordered):
            yield ordered[middle + step]
        if middle - 1 - step >= 0:
            yield ordered[middle - 1 - step]
