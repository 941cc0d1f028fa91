"""Walks over the event graph: weighted random walks (DyG-RAG eq. 9) and personalised PageRank.

Both take the graph as an adjacency, stay inside a visibility predicate (the asked time, known_at, labels)
and return what they reached with a score. Nothing is random but what the given seed decides.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tidegraph.domain.eventgraph import Link, Lists

Adjacency = Mapping[str, Sequence[Link]]
"""Node to its neighbours with positive weights, by id."""


@dataclass(frozen=True, slots=True)
class Path:
    """One walk: the nodes in order, its seed first, and the product of its transition probabilities."""

    nodes: tuple[str, ...]
    probability: float


@dataclass(frozen=True, slots=True)
class WalkParameters:
    """``walks`` per seed of ``length`` steps. Without ``revisit`` a walk never meets a node twice."""

    walks: int = 3
    length: int = 4
    revisit: bool = False


def adjacency(lists: Lists) -> dict[str, tuple[Link, ...]]:
    """The graph that walks follow: every list read both ways, so that an edge has one weight."""
    found: dict[str, dict[str, float]] = defaultdict(dict)
    for event_id, links in lists.items():
        found[event_id]
        for link in links:
            found[event_id][link.event_id] = link.weight
            found[link.event_id][event_id] = link.weight
    return {
        node: tuple(Link(other, weight) for other, weight in sorted(edges.items()))
        for node, edges in sorted(found.items())
    }


def random_walks(
    graph: Adjacency,
    seeds: Iterable[str],
    seed: int,
    visible: Callable[[str], bool],
    parameters: WalkParameters = WalkParameters(),
) -> list[Path]:
    """Several walks from each seed node, P(u|v) = w(v,u) / sum of w(v,u') over visible u' (eq. 9).

    A walk depends on (seed, its seed node, its number) alone, not on which other seeds there are. It ends
    early where no visible neighbour is left. Seeds that are not visible give no walk.
    """
    return [
        _walk(graph, start, np.random.default_rng(_entropy(seed, start, number)), visible, parameters)
        for start in dict.fromkeys(seeds)
        if visible(start)
        for number in range(parameters.walks)
    ]


def _entropy(seed: int, start: str, number: int) -> int:
    digest = hashlib.sha256(f"{seed}\0{start}\0{number}".encode()).digest()
    return int.from_bytes(digest[:16], "big")


def _walk(
    graph: Adjacency,
    start: str,
    rng: np.random.Generator,
    visible: Callable[[str], bool],
    parameters: WalkParameters,
) -> Path:
    nodes, probability = [start], 1.0
    for _ in range(parameters.length):
        options = transitions(graph, nodes[-1], visible, () if parameters.revisit else nodes)
        if not options:
            break
        chances = np.cumsum([chance for _, chance in options])
        place = min(int(np.searchsorted(chances, rng.random() * chances[-1], side="right")), len(options) - 1)
        node, chance = options[place]
        nodes.append(node)
        probability *= chance
    return Path(tuple(nodes), probability)


def transitions(
    graph: Adjacency, node: str, visible: Callable[[str], bool], without: Sequence[str] = ()
) -> list[tuple[str, float]]:
    """(neighbour, probability) of one step (eq. 9), by id; the probabilities sum to 1."""
    links = [link for link in graph.get(node, ()) if link.event_id not in without and visible(link.event_id)]
    total = sum(link.weight for link in links)
    return [(link.event_id, link.weight / total) for link in links] if total > 0.0 else []


def visits(paths: Iterable[Path]) -> list[tuple[str, float]]:
    """(node, share of the walks that pass it), most visited first, ties by id."""
    counts: dict[str, int] = defaultdict(int)
    total = 0
    for path in paths:
        total += 1
        for node in set(path.nodes):
            counts[node] += 1
    return sorted(
        ((node, count / total) for node, count in counts.items()), key=lambda item: (-item[1], item[0])
    )


def arrivals(paths: Iterable[Path]) -> list[tuple[str, float]]:
    """(node, share of the walks that step onto it), most often come by first, ties by id.

    That a walk starts at a node says nothing of it.
    """
    return visits(Path(path.nodes[1:], path.probability) for path in paths)


def pagerank(
    graph: Adjacency,
    seeds: Mapping[str, float],
    visible: Callable[[str], bool],
    damping: float = 0.85,
    iterations: int = 100,
) -> list[tuple[str, float]]:
    """Personalised PageRank over what is visible and reachable from the seeds: (node, score), best first.

    Scores sum to 1. A node without visible neighbours gives its share back to the seeds. Stops when no
    score moves by more than 1e-12, or after ``iterations`` rounds. Without a visible seed: [].
    """
    start = {node: weight for node, weight in seeds.items() if weight > 0.0 and visible(node)}
    nodes = _reachable(graph, start, visible)
    if not nodes:
        return []
    place = {node: number for number, node in enumerate(nodes)}
    home = np.zeros(len(nodes))
    for node, value in start.items():
        home[place[node]] = value
    home /= home.sum()
    steps = [(place[node], place[to], p) for node in nodes for to, p in transitions(graph, node, visible)]
    source = np.array([step[0] for step in steps], dtype=np.intp)
    target = np.array([step[1] for step in steps], dtype=np.intp)
    chance = np.array([step[2] for step in steps])
    dangling = np.ones(len(nodes), dtype=bool)
    dangling[source] = False
    score = home.copy()
    for _ in range(iterations):
        moved = np.bincount(target, weights=score[source] * chance, minlength=len(nodes))
        following = (1.0 - damping) * home + damping * (moved + score[dangling].sum() * home)
        done = bool(np.abs(following - score).max() <= 1e-12)
        score = following
        if done:
            break
    return sorted(((node, float(score[place[node]])) for node in nodes), key=lambda item: (-item[1], item[0]))


def _reachable(graph: Adjacency, start: Iterable[str], visible: Callable[[str], bool]) -> list[str]:
    found = set(start)
    frontier = sorted(found)
    while frontier:
        following = {to for node in frontier for to, _ in transitions(graph, node, visible)} - found
        found |= following
        frontier = sorted(following)
    return sorted(found)
