"""The events of one entity as a table, by which most of them are ruled out of a list of K at once.

What is ruled out surely has K others before it; what is left is few, and is weighed exactly.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tidegraph.domain.eventgraph import EventGraphParameters, EventNode
from tidegraph.domain.interval import MICROS_PER_DAY

_SLACK: Final = 1e-9
"""Relative: numpy may differ from ``math`` in the last bit."""
_NEAR: Final = 4_096.0
"""Microseconds: what a time may lose as a float."""
_LOOKED: Final = 4
"""How many times K events on either side are looked at."""

Floats = NDArray[np.float64]


class EventTable:
    """Events that all mention one entity which makes edges."""

    def __init__(self, nodes: Iterable[EventNode], parameters: EventGraphParameters) -> None:
        self.nodes = tuple(sorted(nodes, key=lambda node: (node.interval.start, node.event_id)))
        self._parameters = parameters
        self._starts = np.array([node.interval.start for node in self.nodes], dtype=np.float64)
        self._ends = np.array([node.interval.end for node in self.nodes], dtype=np.float64)
        self._sizes = np.array([len(node.entity_ids) for node in self.nodes], dtype=np.float64)

    def candidates(self, event: EventNode) -> list[EventNode]:
        """Those that may stand in the event's list."""
        lowest, highest, others = self._weights(event)
        lowest = lowest * others
        count = self._parameters.top_k
        floor = float(np.partition(lowest, -count)[-count]) if count <= len(lowest) else 0.0
        return [self.nodes[at] for at in np.flatnonzero(others & (highest > 0.0) & (highest >= floor))]

    def owners(self, event: EventNode) -> list[EventNode]:
        """Those in whose lists the event may stand."""
        _, highest, others = self._weights(event)
        before = np.zeros(len(self.nodes))
        for step in range(1, min(_LOOKED * self._parameters.top_k + 1, len(self.nodes))):
            lowest = self._between(step)
            before[:-step] += others[step:] & (lowest > highest[:-step])
            before[step:] += others[:-step] & (lowest > highest[step:])
        left = others & (highest > 0.0) & (before < self._parameters.top_k)
        return [self.nodes[at] for at in np.flatnonzero(left)]

    def _weights(self, event: EventNode) -> tuple[Floats, Floats, NDArray[np.bool_]]:
        """Bounds of the weight of each with the event, a hair apart, and whether it is another one."""
        shared = np.array([len(node.entity_ids & event.entity_ids) for node in self.nodes], dtype=np.float64)
        start, end = float(event.interval.start), float(event.interval.end)
        gaps = np.maximum(0.0, np.maximum(self._starts, start) - np.minimum(self._ends, end))
        similar = shared / np.maximum(1.0, len(event.entity_ids) + self._sizes - shared)
        others = np.array([node.event_id != event.event_id for node in self.nodes], dtype=np.bool_)
        return self._lowest(similar, gaps), self._highest(similar, gaps), others

    def _between(self, step: int) -> Floats:
        """The least weight of each with the one so many places later: they share this entity at least."""
        starts, ends = self._starts[step:], self._ends[:-step]
        gaps = np.maximum(0.0, np.maximum(self._starts[:-step], starts) - np.minimum(ends, self._ends[step:]))
        return self._lowest(1.0 / (self._sizes[:-step] + self._sizes[step:] - 1.0), gaps)

    def _lowest(self, similar: Floats, gaps: Floats) -> Floats:
        inside = gaps <= self._parameters.delta - _NEAR
        return similar * self._decay(gaps + _NEAR) * (1.0 - _SLACK) * inside

    def _highest(self, similar: Floats, gaps: Floats) -> Floats:
        inside = gaps <= self._parameters.delta + _NEAR
        return similar * self._decay(np.maximum(0.0, gaps - _NEAR)) * (1.0 + _SLACK) * inside

    def _decay(self, gaps: Floats) -> Floats:
        found: Floats = np.exp(-self._parameters.alpha_per_day * gaps / MICROS_PER_DAY)
        return found
