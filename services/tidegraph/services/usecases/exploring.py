"""The part of the event graph of the known date that a walk needs, read as the walk goes.

A random walk reads the lists of the events that it stands on, PageRank those of all within some steps.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Final

from tidegraph.domain.eventgraph import Link
from tidegraph.domain.interval import Interval
from tidegraph.domain.walk import Adjacency, Path, WalkParameters, pagerank, random_walks
from tidegraph.ports import Neighbour
from tidegraph.services.usecases.past_graph import PastGraph
from tidegraph.services.usecases.work import Work

NODES_MAX: Final = 2_000
"""Events that one step may reach, and after which PageRank goes no further."""

Look = Callable[[Sequence[str]], Awaitable[Mapping[str, Interval | None]]]
"""The times of those of the events that this read may see."""
Allowed = Callable[[str, str], bool]
"""Whether a step may go from one event to another, both of them seen."""


def _any(node: str, other: str) -> bool:
    return True


class Explorer:
    """What was read of the graph: edges of the events that were stood on, times of all that were reached."""

    def __init__(self, work: Work, look: Look, window: Interval | None, allowed: Allowed = _any) -> None:
        self._work = work
        self._look = look
        self._window = window
        self._allowed = allowed
        self._past = past_of(work)
        self._edges: dict[str, dict[str, float]] = {}
        self._looked: set[str] = set()
        self.times: dict[str, Interval | None] = {}

    async def start(self, seeds: Sequence[str]) -> None:
        """Look at the seeds."""
        await self._see(seeds)

    async def walks(self, seeds: Sequence[str], seed: int, parameters: WalkParameters) -> list[Path]:
        """Random walks from the seeds; a step more for each round of reading.

        A walk draws the same steps however long it is, so that a shorter one tells where to read on.
        """
        paths, ends = list[Path](), list(seeds)
        for length in range(1, parameters.length + 1):
            await self._expand(ends)
            step = WalkParameters(parameters.walks, length, parameters.revisit)
            paths = random_walks(self._graph(), seeds, seed, self.shown, step)
            ends = sorted({path.nodes[-1] for path in paths})
        return paths

    async def ranked(self, seeds: Sequence[str], steps: int) -> list[tuple[str, float]]:
        """Personalised PageRank from the seeds over the events within so many steps, best first."""
        frontier = list(seeds)
        for _ in range(steps):
            reached = await self._expand(frontier)
            frontier = [node for node in reached if node not in self._edges]
            if not frontier or len(self.times) > NODES_MAX:
                break
        return pagerank(self._graph(), dict.fromkeys(seeds, 1.0), self.shown)[:NODES_MAX]

    async def _expand(self, nodes: Sequence[str]) -> list[str]:
        """Add the edges of the nodes, read both ways; the events that they lead to."""
        wanted = {node for node in nodes if node in self.times and node not in self._edges}
        if not wanted:
            return []
        for node in wanted:
            self._edges[node] = {}
        for link in await self._entries(sorted(wanted)):
            for node, other in ((link.event_id, link.neighbour_id), (link.neighbour_id, link.event_id)):
                if node in wanted:
                    self._edges[node][other] = link.weight
        reached = sorted({other for node in wanted for other in self._edges[node]})
        await self._see([node for node in reached if node not in self._looked][:NODES_MAX])
        return [node for node in reached if node in self.times]

    async def _see(self, ids: Sequence[str]) -> None:
        self._looked.update(ids)
        if ids:
            self.times.update(await self._look(ids))

    async def _entries(self, nodes: Sequence[str]) -> Sequence[Neighbour]:
        if self._past is not None:
            return await self._past.neighbours(nodes)
        return await self._work.ports.store.neighbours(self._work.moment.graph, nodes)

    def _graph(self) -> Adjacency:
        return {
            node: tuple(
                Link(other, weight)
                for other, weight in sorted(links.items())
                if other in self.times and self._allowed(node, other)
            )
            for node, links in self._edges.items()
        }

    def shown(self, node: str) -> bool:
        """Whether an event that was looked at may be stepped on."""
        if node not in self.times:
            return False
        interval = self.times[node]
        return self._window is None or interval is None or interval.overlaps(self._window)


def past_of(work: Work) -> PastGraph | None:
    """The lists of an older known date; None where the stored ones are in force."""
    moment = work.moment
    if moment.known_at >= moment.read_at:
        return None
    return PastGraph(work.ports.store, moment.graph, moment.known_at, work.ports.event_graph)
