"""The event graph (DyG-RAG eq. 3 to 6): which events are neighbours, and how close.

    edge      only if E_i and E_j share an entity and |t_i - t_j| <= delta            (3)
    sim       |E_i n E_j| / |E_i u E_j|                                               (4)
    weight    sim * exp(-alpha * |t_i - t_j|), the gap in days; overlapping times: 0  (5)
    N_i       the K events with the largest weight, ties by id                        (6)

Deviation: entities that more than ``frequency_cap`` events mention make no edge alone; a pair also
needs a rarer one in common. They still count in eq. 4. Each event has its own list of K: j may be in
N_i without i being in N_j. Adding events one by one in any order gives the same lists as building them
at once.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from tidegraph.domain.interval import MICROS_PER_DAY, Interval


@dataclass(frozen=True, slots=True)
class EventGraphParameters:
    """Window (days), decay (per day), length of a list, and the frequency cap of an entity."""

    delta_days: float
    alpha_per_day: float
    top_k: int
    frequency_cap: int

    @property
    def delta(self) -> int:
        """The window in microseconds."""
        return int(self.delta_days * MICROS_PER_DAY)


@dataclass(frozen=True, slots=True)
class EventNode:
    """A dated event with the entities it mentions."""

    event_id: str
    interval: Interval
    entity_ids: frozenset[str]


@dataclass(frozen=True, slots=True)
class Link:
    """One entry of an event's list."""

    event_id: str
    weight: float


Lists = Mapping[str, Sequence[Link]]
"""Event id to its list of K."""


def similarity(one: frozenset[str], other: frozenset[str]) -> float:
    """Jaccard overlap of two entity sets (eq. 4); 0 when both are empty."""
    union = len(one | other)
    return len(one & other) / union if union else 0.0


def weight(one: EventNode, other: EventNode, parameters: EventGraphParameters) -> float:
    """Edge weight in [0, 1] (eq. 3 and 5); 0 when there is no edge. Symmetric to the last bit."""
    gap = one.interval.gap(other.interval)
    if gap > parameters.delta:
        return 0.0
    shared = similarity(one.entity_ids, other.entity_ids)
    return shared * math.exp(-parameters.alpha_per_day * gap / MICROS_PER_DAY)


def neighbours(
    event: EventNode,
    candidates: Iterable[EventNode],
    parameters: EventGraphParameters,
    frequent: frozenset[str] = frozenset(),
) -> tuple[Link, ...]:
    """N_i (eq. 6): exact over the candidates, best first, ties by id.

    Args:
        frequent: entities above the frequency cap.
    """
    links = []
    for candidate in candidates:
        link = _link(event, candidate, parameters, frequent)
        if link is not None:
            links.append(link)
    return _best(links, parameters.top_k)


def _link(
    event: EventNode, other: EventNode, parameters: EventGraphParameters, frequent: frozenset[str]
) -> Link | None:
    if other.event_id == event.event_id or not (event.entity_ids & other.entity_ids) - frequent:
        return None
    value = weight(event, other, parameters)
    return Link(other.event_id, value) if value > 0.0 else None


def _best(links: Iterable[Link], count: int) -> tuple[Link, ...]:
    return tuple(sorted(links, key=lambda link: (-link.weight, link.event_id))[:count])


def insert(
    event: EventNode,
    candidates: Sequence[EventNode],
    lists: Lists,
    parameters: EventGraphParameters,
    frequent: frozenset[str] = frozenset(),
) -> dict[str, tuple[Link, ...]]:
    """Every list that changes when one event is added, the event's own included.

    Args:
        candidates: stored events that share an entity with it inside the window, at least those that
            :func:`reach` says may matter.
        lists: the present lists of the candidates.
        frequent: entities above the frequency cap, the new event counted. When its mention takes an
            entity over the cap, the lists of that entity's events must be made anew by :func:`neighbours`.
    """
    changed = {event.event_id: neighbours(event, candidates, parameters, frequent)}
    for candidate in candidates:
        link = _link(candidate, event, parameters, frequent)
        if link is None:
            continue
        present = [old for old in lists.get(candidate.event_id, ()) if old.event_id != event.event_id]
        updated = _best([*present, link], parameters.top_k)
        if updated != tuple(lists.get(candidate.event_id, ())):
            changed[candidate.event_id] = updated
    return changed


def reach(links: Sequence[Link], parameters: EventGraphParameters) -> int:
    """How far in time (microseconds) an event can lie and still enter a list: the window, or less once the
    list is full and exp(-alpha * gap) alone is below its last weight."""
    if len(links) < parameters.top_k or parameters.alpha_per_day <= 0.0 or not links:
        return parameters.delta
    days = -math.log(links[-1].weight) / parameters.alpha_per_day
    return min(parameters.delta, math.ceil(days * MICROS_PER_DAY) + 1)


def frequent_entities(events: Iterable[EventNode], cap: int) -> frozenset[str]:
    """Entities that more than ``cap`` of the events mention."""
    counts: dict[str, int] = defaultdict(int)
    for event in events:
        for entity_id in event.entity_ids:
            counts[entity_id] += 1
    return frozenset(entity_id for entity_id, count in counts.items() if count > cap)


class EventGraph:
    """The event graph in memory, grown one event at a time. The reference for what a store does."""

    def __init__(self, parameters: EventGraphParameters) -> None:
        self._parameters = parameters
        self._events: dict[str, EventNode] = {}
        self._by_entity: dict[str, set[str]] = defaultdict(set)
        self._lists: dict[str, tuple[Link, ...]] = {}
        self._frequent: frozenset[str] = frozenset()

    @property
    def lists(self) -> Mapping[str, tuple[Link, ...]]:
        """Every event's list of K."""
        return self._lists

    def add(self, event: EventNode) -> frozenset[str]:
        """Add one event; a known id changes nothing. Returns the ids whose lists changed."""
        if event.event_id in self._events:
            return frozenset()
        self._events[event.event_id] = event
        crossed = set()
        for entity_id in event.entity_ids:
            mentions = self._by_entity[entity_id]
            mentions.add(event.event_id)
            if len(mentions) == self._parameters.frequency_cap + 1:
                crossed.add(entity_id)
        self._frequent |= crossed
        changed = insert(event, self._candidates(event), self._lists, self._parameters, self._frequent)
        self._lists.update(changed)
        return frozenset(changed) | self._remake({i for entity in crossed for i in self._by_entity[entity]})

    def remove(self, event_id: str) -> frozenset[str]:
        """Take an event out (its document was withdrawn). Returns the ids whose lists changed."""
        event = self._events.pop(event_id, None)
        if event is None:
            return frozenset()
        self._lists.pop(event_id)
        touched = {
            other for other, links in self._lists.items() if any(i.event_id == event_id for i in links)
        }
        for entity_id in event.entity_ids:
            mentions = self._by_entity[entity_id]
            mentions.discard(event_id)
            if len(mentions) == self._parameters.frequency_cap:
                self._frequent -= {entity_id}
                touched |= mentions
        return self._remake(touched)

    def _candidates(self, event: EventNode) -> list[EventNode]:
        ids = {i for entity in event.entity_ids - self._frequent for i in self._by_entity[entity]}
        return [self._events[i] for i in sorted(ids - {event.event_id})]

    def _remake(self, event_ids: Iterable[str]) -> frozenset[str]:
        changed = set()
        for event_id in sorted(event_ids):
            event = self._events[event_id]
            links = neighbours(event, self._candidates(event), self._parameters, self._frequent)
            if links != self._lists.get(event_id):
                self._lists[event_id] = links
                changed.add(event_id)
        return frozenset(changed)
