"""Walks and PageRank against their definitions."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.properties.scale import examples

from tidegraph.domain.eventgraph import Link
from tidegraph.domain.walk import (
    WalkParameters,
    adjacency,
    arrivals,
    pagerank,
    random_walks,
    transitions,
    visits,
)

NODES = [f"n{i}" for i in range(7)]


@st.composite
def graphs(draw: st.DrawFn) -> dict[str, tuple[Link, ...]]:
    lists: dict[str, tuple[Link, ...]] = {}
    edges = draw(st.lists(st.tuples(st.sampled_from(NODES), st.sampled_from(NODES)), max_size=14))
    weights = {frozenset(edge): draw(st.floats(0.01, 1.0)) for edge in edges}
    for one, other in edges:
        if one != other:
            lists[one] = (*lists.get(one, ()), Link(other, weights[frozenset((one, other))]))
    return adjacency(lists)


def everything(_: str) -> bool:
    return True


@examples(200, 10_000)
@given(graphs(), st.sets(st.sampled_from(NODES)), st.integers(0, 2**32), st.booleans())
def test_walks_stay_inside_what_is_visible_and_on_edges(graph, hidden, seed, revisit) -> None:
    parameters = WalkParameters(walks=2, length=5, revisit=revisit)
    paths = random_walks(graph, NODES, seed, lambda node: node not in hidden, parameters)
    for path in paths:
        assert not hidden & set(path.nodes)
        assert len(path.nodes) <= 6
        assert revisit or len(set(path.nodes)) == len(path.nodes)
        chance = 1.0
        for place, (one, other) in enumerate(zip(path.nodes, path.nodes[1:], strict=False)):
            without = () if revisit else path.nodes[: place + 1]
            steps = dict(transitions(graph, one, lambda node: node not in hidden, without))
            chance *= steps[other]
        assert path.probability == pytest.approx(chance)


@examples(200, 10_000)
@given(graphs(), st.integers(0, 2**32))
def test_a_walk_depends_on_its_seed_and_not_on_its_company(graph, seed) -> None:
    together = random_walks(graph, NODES, seed, everything)
    alone = [path for node in NODES for path in random_walks(graph, [node], seed, everything)]
    assert together == alone


def test_steps_are_taken_in_proportion_to_weights() -> None:
    graph = adjacency({"a": (Link("b", 0.6), Link("c", 0.3), Link("d", 0.1))})
    parameters = WalkParameters(walks=6_000, length=1)
    counts = Counter(path.nodes[1] for path in random_walks(graph, ["a"], 7, everything, parameters))
    for node, share in (("b", 0.6), ("c", 0.3), ("d", 0.1)):
        assert counts[node] / 6_000 == pytest.approx(share, abs=0.025)


def test_walks_follow_lists_both_ways() -> None:
    graph = adjacency({"a": (Link("b", 0.5),), "b": ()})
    assert graph["b"] == (Link("a", 0.5),)


@examples(200, 5_000)
@given(graphs(), st.sets(st.sampled_from(NODES), min_size=1), st.sets(st.sampled_from(NODES), max_size=3))
def test_pagerank_solves_its_equation(graph, seeds, hidden) -> None:
    ranked = dict(pagerank(graph, dict.fromkeys(seeds, 1.0), lambda n: n not in hidden, iterations=2_000))
    start = sorted(seeds - hidden)
    if not start:
        assert ranked == {}
        return
    home = np.array([1.0 / len(start) if node in start else 0.0 for node in NODES])
    matrix = np.zeros((len(NODES), len(NODES)))
    for column, node in enumerate(NODES):
        links = [k for k in graph.get(node, ()) if k.event_id not in hidden] if node not in hidden else []
        total = sum(link.weight for link in links)
        matrix[:, column] = home
        if links:
            matrix[:, column] = 0.0
            for link in links:
                matrix[NODES.index(link.event_id), column] = link.weight / total
    exact = np.linalg.solve(np.eye(len(NODES)) - 0.85 * matrix, 0.15 * home)
    for node, value in zip(NODES, exact, strict=True):
        assert ranked.get(node, 0.0) == pytest.approx(value, abs=1e-9)
    assert sum(ranked.values()) == pytest.approx(1.0)


def test_visits_count_each_walk_once() -> None:
    graph = adjacency({"a": (Link("b", 1.0),)})
    parameters = WalkParameters(walks=4, length=3, revisit=True)
    assert visits(random_walks(graph, ["a"], 1, everything, parameters)) == [("a", 1.0), ("b", 1.0)]


def test_arrivals_do_not_count_where_a_walk_starts() -> None:
    graph = adjacency({"a": (Link("b", 1.0),), "c": ()})
    paths = random_walks(graph, ["a", "b", "c"], 1, everything, WalkParameters(walks=2, length=3))
    assert arrivals(paths) == [("a", 1 / 3), ("b", 1 / 3)]
