"""The event graph's lists of K after a batch: those of new events, and all that they enter or leave.

The result is that of a full rebuild over the events that count, whatever the order of arrival: new events
are put into the lists of those that share an entity with them inside the window; lists that named an
event which no longer counts, and those of an entity that has become too frequent to make edges (or
ceased to be), are made anew.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from tidegraph.domain.eventgraph import EventGraphParameters, EventNode, Link, insert, neighbours
from tidegraph.domain.interval import OPEN_END, OPEN_START, Interval
from tidegraph.ports import EventMention, EventRecord, GraphReader, Neighbour


@dataclass(frozen=True, slots=True)
class Relinked:
    """What a batch changes in the lists: (event id, neighbour id) of entries that leave, and new entries."""

    unlinked: tuple[tuple[str, str], ...]
    linked: tuple[Neighbour, ...]


@dataclass(slots=True)
class _World:
    """The events that matter to a batch, with their present lists."""

    nodes: dict[str, EventNode] = field(default_factory=dict)
    by_entity: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    lists: dict[str, tuple[Link, ...]] = field(default_factory=dict)

    def add(self, node: EventNode) -> None:
        self.nodes[node.event_id] = node
        for entity_id in node.entity_ids:
            self.by_entity[entity_id].add(node.event_id)

    def drop(self, event_id: str) -> None:
        node = self.nodes.pop(event_id, None)
        for entity_id in node.entity_ids if node else ():
            self.by_entity[entity_id].discard(event_id)

    def candidates(self, node: EventNode, frequent: frozenset[str]) -> list[EventNode]:
        found = {i for entity_id in node.entity_ids - frequent for i in self.by_entity[entity_id]}
        return [self.nodes[event_id] for event_id in sorted(found - {node.event_id})]


def node_of(record: EventRecord) -> EventNode | None:
    """An event as the event graph has it; None for one that has no place in it."""
    interval = record.event.interval
    if interval is None or record.withdrawn_at != OPEN_END:
        return None
    return EventNode(record.event.event_id, interval, frozenset(record.entity_ids))


class Linker:
    """Computes the lists that a batch changes, from one graph's store."""

    def __init__(self, reader: GraphReader, parameters: EventGraphParameters) -> None:
        self._reader = reader
        self._parameters = parameters

    async def lists(self, graph: str, new: Sequence[EventRecord], gone: Sequence[EventMention]) -> Relinked:
        """Every entry of a list that changes.

        Args:
            new: events of the batch that the graph does not hold yet.
            gone: stored events that stop counting.
        """
        nodes = [node for record in new if (node := node_of(record)) is not None]
        removed = [_node(mention) for mention in gone]
        if not nodes and not removed:
            return Relinked((), ())
        dropped = {node.event_id for node in removed}
        again = await self._naming(graph, dropped)
        # An entity that makes edges is mentioned by no more events than this, those that leave included.
        limit = self._parameters.frequency_cap + len(removed) + 1
        frequent, crossed = await self._frequencies(graph, nodes, removed, again)
        if crossed:
            known = dropped | {node.event_id for node in again}
            again += [
                node for node in await self._of_entities(graph, crossed, limit) if node.event_id not in known
            ]
            frequent, _ = await self._frequencies(graph, nodes, removed, again)
        world = await self._world(graph, (*nodes, *again), frequent, limit)
        for node in again:
            world.add(node)
        await self._load(graph, world, dropped)
        for event_id in dropped:
            world.drop(event_id)
        before = dict(world.lists)
        self._grow(world, nodes, frequent)
        for node in again:
            candidates = world.candidates(node, frequent)
            world.lists[node.event_id] = neighbours(node, candidates, self._parameters, frequent)
        after = {event_id: links for event_id, links in world.lists.items() if event_id in world.nodes}
        return _difference(before, after | dict.fromkeys(dropped, ()))

    def _grow(self, world: _World, nodes: Sequence[EventNode], frequent: frozenset[str]) -> None:
        for node in sorted(nodes, key=lambda node: node.event_id):
            world.add(node)
            candidates = world.candidates(node, frequent)
            world.lists |= insert(node, candidates, world.lists, self._parameters, frequent)

    async def _naming(self, graph: str, dropped: set[str]) -> list[EventNode]:
        """Events whose lists name one that stops counting."""
        if not dropped:
            return []
        entries = await self._reader.neighbours(graph, sorted(dropped))
        owners = {entry.event_id for entry in entries} - dropped
        found = await self._reader.event_nodes(graph, sorted(owners))
        return [_node(mention) for mention in found if mention.withdrawn_at == OPEN_END]

    async def _of_entities(self, graph: str, entity_ids: Iterable[str], limit: int) -> list[EventNode]:
        everywhere = Interval(OPEN_START, OPEN_END)
        probes = [(entity_id, everywhere, everywhere) for entity_id in sorted(entity_ids)]
        return [_node(mention) for mention in await self._reader.probe_mentions(graph, probes, limit)]

    async def _frequencies(
        self,
        graph: str,
        nodes: Sequence[EventNode],
        removed: Sequence[EventNode],
        again: Sequence[EventNode],
    ) -> tuple[frozenset[str], set[str]]:
        """Entities above the cap after the batch, and those that crossed it either way."""
        come, left, other = _counts(nodes), _counts(removed), _counts(again)
        cap = self._parameters.frequency_cap
        entities = sorted(come.keys() | left.keys() | other.keys())
        stored = await self._reader.mention_counts(graph, entities, cap + len(removed) + 1)
        before = {entity_id: stored.get(entity_id, 0) for entity_id in entities}
        after = {e: count + come.get(e, 0) - left.get(e, 0) for e, count in before.items()}
        frequent = frozenset(entity_id for entity_id, count in after.items() if count > cap)
        return frequent, {e for e, count in before.items() if (count > cap) != (after[e] > cap)}

    async def _world(
        self,
        graph: str,
        nodes: Sequence[EventNode],
        frequent: frozenset[str],
        limit: int,
    ) -> _World:
        """Stored events that share an entity with any of the nodes inside the window."""
        windows: dict[str, Interval] = {}
        for node in nodes:
            start, end = node.interval.start, node.interval.end
            for entity_id in node.entity_ids - frequent:
                known = windows.get(entity_id, Interval(start, end))
                windows[entity_id] = Interval(min(known.start, start), max(known.end, end))
        reach = self._parameters.delta + 1
        probes = [
            (entity_id, own, Interval(max(OPEN_START, own.start - reach), min(OPEN_END, own.end + reach)))
            for entity_id, own in sorted(windows.items())
        ]
        world = _World()
        for mention in await self._reader.probe_mentions(graph, probes, limit):
            world.add(_node(mention))
        return world

    async def _load(self, graph: str, world: _World, dropped: set[str]) -> None:
        """The present lists of all events of the world and of those that stop counting."""
        by_owner: dict[str, list[Link]] = defaultdict(list)
        for entry in await self._reader.lists_of(graph, sorted(world.nodes.keys() | dropped)):
            by_owner[entry.event_id].append(Link(entry.neighbour_id, entry.weight))
        world.lists = {owner: tuple(links) for owner, links in by_owner.items()}


def _counts(nodes: Iterable[EventNode]) -> dict[str, int]:
    found: dict[str, int] = defaultdict(int)
    for node in nodes:
        for entity_id in node.entity_ids:
            found[entity_id] += 1
    return found


def _node(mention: EventMention) -> EventNode:
    return EventNode(mention.event_id, mention.interval, mention.entity_ids)


def _difference(before: Mapping[str, Sequence[Link]], after: Mapping[str, Sequence[Link]]) -> Relinked:
    unlinked: list[tuple[str, str]] = []
    linked: list[Neighbour] = []
    for event_id in sorted(after):
        old, new = before.get(event_id, ()), after[event_id]
        if old == new:
            continue
        kept = set(old) & set(new)
        unlinked += [(event_id, link.event_id) for link in old if link not in kept]
        linked += [Neighbour(event_id, link.event_id, link.weight) for link in new if link not in kept]
    return Relinked(tuple(unlinked), tuple(linked))
