"""The event graph's lists of K after a batch: those of new events, and all that they enter or leave.

The result is that of a full rebuild over the events that count, whatever the order of arrival: new events
are put into the lists of those that share an entity with them inside the window; lists that named an
event which no longer counts, and those of an entity that has become too frequent to make edges (or
ceased to be), are made anew.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from tidegraph.domain.eventgraph import EventGraphParameters, EventNode, Link, insert, neighbours
from tidegraph.domain.identity import components
from tidegraph.domain.interval import OPEN_END, OPEN_START, Interval
from tidegraph.ports import EventMention, EventRecord, GraphReader, Neighbour
from tidegraph.streams.writing.busyentities import BUSY_EVENTS, BusyEntities
from tidegraph.streams.writing.identities import Identified
from tidegraph.streams.writing.sets import SetView

UNCHANGED: Final = Identified()
MAX_COUNTED: Final = 100_000


@dataclass(frozen=True, slots=True)
class Settling:
    """What the memory of busy entities is told once the commit has gone through: the new events, all lists
    that were looked at, and of what nothing is kept any longer.
    """

    nodes: tuple[EventNode, ...] = ()
    lists: Mapping[str, Sequence[Link]] = field(default_factory=dict)
    stale: frozenset[str] | None = None
    """Entities whose sets or frequencies changed; None: none, and no event left."""
    left: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Relinked:
    """What a batch changes in the lists: (event id, neighbour id) of entries that leave, and new entries."""

    unlinked: tuple[tuple[str, str], ...]
    linked: tuple[Neighbour, ...]
    settling: Settling = field(default_factory=Settling)


NOTHING: Final = Relinked((), ())


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


class Linker:
    """Computes the lists that a batch changes, from one graph's store."""

    def __init__(self, reader: GraphReader, parameters: EventGraphParameters) -> None:
        self._reader = reader
        self._parameters = parameters
        self._busy = BusyEntities(parameters)

    def settle(self, graph: str, relinked: Relinked) -> None:
        """The commit has gone through: what was planned is what the graph holds."""
        settling = relinked.settling
        if settling.stale is not None:
            self._busy.drop(graph, settling.stale, settling.left)
        self._busy.settle(graph, settling.nodes, settling.lists)

    def forget(self) -> None:
        """Forget what was known of the graphs."""
        self._busy.forget()

    async def lists(
        self,
        graph: str,
        new: Sequence[EventRecord],
        gone: Sequence[EventMention],
        identified: Identified = UNCHANGED,
    ) -> Relinked:
        """Every entry of a list that changes.

        Args:
            new: events of the batch that the graph does not hold yet.
            gone: stored events that stop counting.
            identified: which ids are one after the batch; events that a changed set mentions are taken out
                and put in again, but for those of its most mentioned part, which stays as it was.
        """
        view = SetView(self._reader, graph, identified)
        moved, parts = await self._moved(graph, identified, {event.event_id for event in gone})
        counting = [r for r in new if r.event.interval is not None and r.withdrawn_at == OPEN_END]
        if not counting and not gone and not moved and not parts:
            return NOTHING
        await view.learn(id_ for record in counting for id_ in record.entity_ids)
        nodes = [view.node(r.event.event_id, r.event.interval, r.entity_ids) for r in counting]
        if not gone and not moved and not parts:
            grown = await self._grown(view, nodes)
            if grown is not None:
                return grown
        nodes += await view.nodes(moved)
        removed = await view.nodes([*gone, *moved])
        dropped = {node.event_id for node in removed}
        again = await self._naming(view, dropped)
        # A set that makes edges is mentioned by no more events than this, those that leave included.
        limit = self._parameters.frequency_cap + len(removed) + 1
        change = _Change(counting, gone, nodes, removed, again)
        frequent, crossed = await self._frequencies(view, change, parts)
        if crossed:
            known = dropped | {node.event_id for node in again}
            more = await self._of_entities(view, crossed, limit)
            again += [node for node in more if node.event_id not in known]
            frequent, _ = await self._frequencies(view, replace(change, again=again), parts)
        world = await self._world(view, (*nodes, *again), frequent, limit)
        for node in again:
            world.add(node)
        await self._load(graph, world, dropped)
        for event_id in dropped:
            world.drop(event_id)
        before = dict(world.lists)
        for event_id in dropped:
            world.lists.pop(event_id, None)
        self._grow(world, nodes, frequent)
        for node in again:
            candidates = world.candidates(node, frequent)
            world.lists[node.event_id] = neighbours(node, candidates, self._parameters, frequent)
        after = {event_id: links for event_id, links in world.lists.items() if event_id in world.nodes}
        left = dropped - world.nodes.keys()
        changed = _difference(before, after | dict.fromkeys(left, ()))
        stale = frozenset({*view.changed(), *crossed, *parts, *view.former()})
        stale |= {part for both in parts.values() for part in both}
        return replace(changed, settling=Settling(tuple(nodes), after, stale, frozenset(dropped)))

    async def _grown(self, view: SetView, nodes: Sequence[EventNode]) -> Relinked | None:
        """The lists after events that only come; None when one of them takes an entity over the cap.

        What the events of a busy entity are is known; of others they are read.
        """
        cap, come = self._parameters.frequency_cap, _counts(nodes)
        counts = self._busy.counts(view.graph, come)
        unknown = {label: view.members(label) for label in sorted(come.keys() - counts.keys())}
        stored = await self._reader.set_counts(view.graph, unknown, cap + 1)
        counts |= stored
        if any(counts[label] <= cap < counts[label] + come[label] for label in come):
            return None
        frequent = frozenset(label for label in come if counts[label] > cap)
        self._busy.note_above(view.graph, frequent & stored.keys())
        busy = {label for label in come.keys() - frequent if counts[label] >= BUSY_EVENTS}
        await self._keep(view, busy & stored.keys())
        world = await self._world(view, nodes, frequent | busy, BUSY_EVENTS)
        for node in nodes:
            for other in self._busy.near(view.graph, node, frequent):
                world.add(other)
        await self._load(view.graph, world, set())
        before = dict(world.lists)
        self._grow(world, nodes, frequent)
        changed = _difference(before, world.lists)
        return replace(changed, settling=Settling(tuple(nodes), world.lists))

    async def _keep(self, view: SetView, labels: Iterable[str]) -> None:
        """Read busy entities whole: once, and then they are kept."""
        for label in sorted(labels):
            found = await self._of_entities(view, [label], self._parameters.frequency_cap)
            world = _World({node.event_id: node for node in found})
            await self._load(view.graph, world, set())
            self._busy.keep(view.graph, label, found, world.lists)

    async def _moved(
        self, graph: str, identified: Identified, gone: set[str]
    ) -> tuple[list[EventMention], dict[str, tuple[str, str]]]:
        """Events whose sets change, and for each id of a changed set the part that it comes from.

        Of the parts that become one (or that one falls into) the most mentioned is left as it is.
        """
        parts = {
            id_: (identified.before.get(id_, (id_,))[0], identified.after[id_][0])
            for id_ in identified.changed
        }
        if not parts:
            return [], parts
        members: dict[tuple[str, str], list[str]] = defaultdict(list)
        for id_, part in sorted(parts.items()):
            members[part].append(id_)
        named = {"|".join(part): ids for part, ids in members.items()}
        counts = await self._reader.set_counts(graph, named, MAX_COUNTED)
        wanted: set[str] = set()
        for group in set(components((), members).values()):
            touched = sorted(part for part in members if part[0] in group)
            major = max(touched, key=lambda part: (counts["|".join(part)], part))
            wanted.update(id_ for part in touched if part != major for id_ in members[part])
        everywhere = Interval(OPEN_START, OPEN_END)
        probes = [(id_, everywhere, everywhere) for id_ in sorted(wanted)]
        found = await self._reader.probe_mentions(graph, probes, MAX_COUNTED)
        return [event for event in found if event.event_id not in gone], parts

    def _grow(self, world: _World, nodes: Sequence[EventNode], frequent: frozenset[str]) -> None:
        for node in sorted(nodes, key=lambda node: node.event_id):
            world.add(node)
            candidates = world.candidates(node, frequent)
            world.lists |= insert(node, candidates, world.lists, self._parameters, frequent)

    async def _naming(self, view: SetView, dropped: set[str]) -> list[EventNode]:
        """Events whose lists name one that stops counting."""
        if not dropped:
            return []
        entries = await self._reader.neighbours(view.graph, sorted(dropped))
        owners = {entry.event_id for entry in entries} - dropped
        found = await self._reader.event_nodes(view.graph, sorted(owners))
        return await view.nodes([mention for mention in found if mention.withdrawn_at == OPEN_END])

    async def _of_entities(self, view: SetView, labels: Iterable[str], limit: int) -> list[EventNode]:
        everywhere = Interval(OPEN_START, OPEN_END)
        ids = [id_ for label in sorted(labels) for id_ in view.members(label)]
        probes = [(id_, everywhere, everywhere) for id_ in ids]
        return await view.nodes(await self._reader.probe_mentions(view.graph, probes, limit))

    async def _frequencies(
        self, view: SetView, change: _Change, parts: Iterable[str]
    ) -> tuple[frozenset[str], set[str]]:
        """Sets above the cap after the batch, and those of which a part crossed it either way."""
        nodes = (*change.nodes, *change.removed, *change.again)
        labels = sorted({label for node in nodes for label in node.entity_ids} | view.changed())
        cap = self._parameters.frequency_cap
        limit = cap + len(change.gone) + 1
        sets = {label: view.members(label) for label in labels}
        stored = await self._reader.set_counts(view.graph, sets, limit)
        come = _counts(view.node(r.event.event_id, r.event.interval, r.entity_ids) for r in change.new)
        left = _counts(await view.nodes(change.gone))
        after = {label: stored[label] + come.get(label, 0) - left.get(label, 0) for label in labels}
        frequent = frozenset(label for label, count in after.items() if count > cap)
        crossed = {
            label
            for label in labels
            if label not in view.changed() and (stored[label] > cap) != (label in frequent)
        }
        former = {ids[0]: ids for ids in view.former().values()}
        was = await self._reader.set_counts(view.graph, former, limit)
        for id_ in parts:
            if (was[view.former()[id_][0]] > cap) != (view.one(id_) in frequent):
                crossed.add(view.one(id_))
        return frequent, crossed

    async def _world(
        self,
        view: SetView,
        nodes: Sequence[EventNode],
        frequent: frozenset[str],
        limit: int,
    ) -> _World:
        """Stored events that share an entity with any of the nodes inside the window."""
        windows: dict[str, Interval] = {}
        for node in nodes:
            start, end = node.interval.start, node.interval.end
            for label in node.entity_ids - frequent:
                known = windows.get(label, Interval(start, end))
                windows[label] = Interval(min(known.start, start), max(known.end, end))
        reach = self._parameters.delta + 1
        probes = [
            (id_, own, Interval(max(OPEN_START, own.start - reach), min(OPEN_END, own.end + reach)))
            for label, own in sorted(windows.items())
            for id_ in view.members(label)
        ]
        world = _World()
        for node in await view.nodes(await self._reader.probe_mentions(view.graph, probes, limit)):
            world.add(node)
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


@dataclass(frozen=True, slots=True)
class _Change:
    """What comes, what goes (as stored), both as nodes, and nodes whose lists are made anew."""

    new: Sequence[EventRecord]
    gone: Sequence[EventMention]
    nodes: Sequence[EventNode]
    removed: Sequence[EventNode]
    again: Sequence[EventNode]


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
