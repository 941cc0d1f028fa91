"""The times of the events that mention a busy entity, kept in memory by the one writer.

A new event that mentions an entity with thousands of events enters the lists of few of them. Which ones may
be told from their times, from how many entities each mentions and from the last weight of its list; only
these are looked at. An entity is read from the graph once; from then on it is kept up to date with what is
committed. The fence of a commit tells when somebody else wrote, and then all is forgotten.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tidegraph.domain.eventgraph import EventGraphParameters, EventNode, Link
from tidegraph.domain.interval import MICROS_PER_DAY, Interval

BUSY_EVENTS: Final = 64
"""Entities with fewer events are read each time: that is quick."""
KEPT_EVENTS: Final = 200_000
"""How many events are kept in all entities together; those that were used longest ago go first."""
_SLACK: Final = 1e-9
"""Relative: numpy may differ from ``math`` in the last bit."""
_NEAR: Final = 4_096.0
"""Microseconds: what a time may lose as a float."""

Floats = NDArray[np.float64]
_START, _END, _SIZE, _FLOOR = range(4)


class _Events:
    """The events of one entity: ids, and beside each its start, end, number of entities and floor.

    The floor is the last weight of a full list, 0 of one with room: what weighs less does not enter.
    """

    def __init__(self) -> None:
        self.ids: list[str] = []
        self.place: dict[str, int] = {}
        self._table: Floats = np.zeros((4, BUSY_EVENTS))

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def table(self) -> Floats:
        """Rows: start, end, size, floor; a column for each event."""
        return self._table[:, : len(self.ids)]

    def put(self, node: EventNode, floor: float) -> None:
        at = self.place.setdefault(node.event_id, len(self.ids))
        if at == len(self.ids):
            self.ids.append(node.event_id)
            if at == self._table.shape[1]:
                self._table = np.concatenate([self._table, np.zeros_like(self._table)], axis=1)
        self._table[:, at] = node.interval.start, node.interval.end, len(node.entity_ids), floor


@dataclass(slots=True)
class _Graph:
    """What is kept of one graph; entities stand under the label of their set."""

    events: OrderedDict[str, _Events] = field(default_factory=OrderedDict)
    labels: dict[str, frozenset[str]] = field(default_factory=dict)
    """By event that is kept all that it mentions."""
    holding: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    """By entity, kept or not, the events of ``labels`` that mention it."""
    above: set[str] = field(default_factory=set)
    """Entities above the frequency cap."""

    def drop(self, label: str) -> None:
        for event_id in self.events.pop(label, _Events()).ids:
            if not any(event_id in other.place for other in self._others(event_id)):
                for held in self.labels.pop(event_id, ()):
                    self.holding[held].discard(event_id)

    def _others(self, event_id: str) -> list[_Events]:
        return [self.events[held] for held in self.labels.get(event_id, ()) if held in self.events]


class BusyEntities:
    """The busy entities of all graphs of one store."""

    def __init__(self, parameters: EventGraphParameters) -> None:
        self._parameters = parameters
        self._graphs: dict[str, _Graph] = {}

    def counts(self, graph: str, labels: Iterable[str]) -> dict[str, int]:
        """By entity how many events that count mention it, where that is known; above the cap: cap + 1."""
        kept = self._graphs.get(graph, _Graph())
        above = self._parameters.frequency_cap + 1
        known = {label: above for label in labels if label in kept.above}
        return known | {label: len(kept.events[label]) for label in labels if label in kept.events}

    def keep(
        self, graph: str, label: str, nodes: Sequence[EventNode], lists: Mapping[str, Sequence[Link]]
    ) -> None:
        """Keep an entity as the graph has it: all its events that count, and their lists."""
        kept = self._graphs.setdefault(graph, _Graph())
        kept.drop(label)
        kept.events[label] = _Events()
        for node in nodes:
            self._put(kept, label, node, lists.get(node.event_id, ()))

    def note_above(self, graph: str, labels: Iterable[str]) -> None:
        """Remember entities above the cap."""
        self._graphs.setdefault(graph, _Graph()).above.update(labels)

    def near(self, graph: str, node: EventNode, frequent: Collection[str]) -> list[EventNode]:
        """Events of the kept entities of a new event that may enter its list or whose lists it may enter."""
        kept = self._graphs.get(graph)
        if kept is None:
            return []
        rare = node.entity_ids - frozenset(frequent)
        read = [kept.events[label] for label in sorted(rare & kept.events.keys())]
        for label in rare & kept.events.keys():
            kept.events.move_to_end(label)
        ids, table, in_common = _together(read)
        places = self._entering(node, table, in_common, len(node.entity_ids & frozenset(frequent)))
        return sorted((self._node(kept, ids[at], table[:, at]) for at in places), key=lambda n: n.event_id)

    def settle(self, graph: str, nodes: Iterable[EventNode], lists: Mapping[str, Sequence[Link]]) -> None:
        """A commit has gone through that added these events and left these lists."""
        kept = self._graphs.get(graph)
        if kept is None:
            return
        for node in nodes:
            for label in node.entity_ids & kept.events.keys():
                self._put(kept, label, node, lists.get(node.event_id, ()))
        for event_id, links in lists.items():
            for label in kept.labels.get(event_id, frozenset()) & kept.events.keys():
                events = kept.events[label]
                if event_id in events.place:
                    events.table[_FLOOR, events.place[event_id]] = self._floor(links)
        while sum(map(len, kept.events.values())) > KEPT_EVENTS:
            kept.drop(next(iter(kept.events)))

    def drop(self, graph: str, labels: Iterable[str], event_ids: Iterable[str]) -> None:
        """Forget who is above the cap and all that the events, or any that mention the entities, are in."""
        kept = self._graphs.get(graph)
        if kept is None:
            return
        kept.above.clear()
        touched = set(labels)
        stale = {event_id for label in touched for event_id in kept.holding.get(label, ())} | set(event_ids)
        for event_id in stale:
            touched |= kept.labels.get(event_id, frozenset())
        for label in touched & kept.events.keys():
            kept.drop(label)

    def forget(self) -> None:
        """Keep nothing."""
        self._graphs.clear()

    def _put(self, kept: _Graph, label: str, node: EventNode, links: Sequence[Link]) -> None:
        kept.events[label].put(node, self._floor(links))
        kept.labels[node.event_id] = node.entity_ids
        for held in node.entity_ids:
            kept.holding[held].add(node.event_id)

    def _floor(self, links: Sequence[Link]) -> float:
        full = len(links) >= self._parameters.top_k
        return links[-1].weight if full and links else 0.0

    def _entering(
        self, node: EventNode, table: Floats, in_common: Floats, frequent: int
    ) -> NDArray[np.int64]:
        """Columns of events whose weight with the node may reach either list.

        ``in_common``: how many kept entities each shares with the node; it may share as many more as the
        node has ``frequent`` ones. Others it shares only if it is read by them as well.
        """
        start, end = float(node.interval.start), float(node.interval.end)
        gaps = np.maximum(0.0, np.maximum(table[_START], start) - np.minimum(table[_END], end))
        decay = np.exp(-self._parameters.alpha_per_day * gaps / MICROS_PER_DAY)
        delta = float(self._parameters.delta)
        own, sizes = float(len(node.entity_ids)), table[_SIZE]
        most = np.minimum(in_common + frequent, np.minimum(sizes, own))
        highest = most / (own + sizes - most) * decay * (1.0 + _SLACK) * (gaps <= delta + _NEAR)
        lowest = in_common / (own + sizes - in_common) * decay * (1.0 - _SLACK) * (gaps <= delta - _NEAR)
        count = self._parameters.top_k
        own_floor = float(np.partition(lowest, -count)[-count]) if count <= len(lowest) else 0.0
        found: NDArray[np.int64] = np.flatnonzero(
            (highest > 0.0) & ((highest >= own_floor) | (highest >= table[_FLOOR]))
        )
        return found

    @staticmethod
    def _node(kept: _Graph, event_id: str, column: Floats) -> EventNode:
        interval = Interval(int(column[_START]), int(column[_END]))
        return EventNode(event_id, interval, kept.labels[event_id])


def _together(read: Sequence[_Events]) -> tuple[list[str], Floats, Floats]:
    """The events of several entities, each once: ids, columns, and how many of the entities each mentions."""
    ids: list[str] = []
    columns, counts = [np.zeros((4, 0))], [np.zeros(0)]
    for place, events in enumerate(read):
        fresh = np.ones(len(events), dtype=bool)
        for earlier, found in zip(read[:place], counts[1:], strict=True):
            for event_id in events.place.keys() & earlier.place.keys():
                at = events.place[event_id]
                if fresh[at]:
                    fresh[at] = False
                    found[earlier.place[event_id]] += 1.0
        columns.append(events.table)
        counts.append(np.ones(len(events)))
        ids += events.ids
        counts[-1][~fresh] = 0.0
    table, in_common = np.concatenate(columns, axis=1), np.concatenate(counts)
    once = np.flatnonzero(in_common > 0.0)
    return [ids[at] for at in once], table[:, once], in_common[once]
