"""The event graph against a rebuild by the book, in every order of arrival."""

from __future__ import annotations

import math
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.properties.scale import examples

from tidegraph.domain.eventgraph import (
    EventGraph,
    EventGraphParameters,
    EventNode,
    frequent_entities,
    insert,
    neighbours,
    reach,
    weight,
)
from tidegraph.domain.eventtable import EventTable
from tidegraph.domain.interval import MICROS_PER_DAY, Interval

names = st.frozensets(st.sampled_from("abcdef"), min_size=0, max_size=4)


@st.composite
def worlds(draw: st.DrawFn) -> tuple[list[EventNode], EventGraphParameters]:
    count = draw(st.integers(1, 12))
    events = []
    for number in range(count):
        start, length = draw(st.integers(0, 20)), draw(st.integers(0, 5))
        interval = Interval(start * MICROS_PER_DAY, (start + length) * MICROS_PER_DAY + 1)
        events.append(EventNode(f"e{number:02d}", interval, draw(names)))
    parameters = EventGraphParameters(
        delta_days=draw(st.sampled_from([0.0, 3.0, 100.0])),
        alpha_per_day=draw(st.sampled_from([0.0, 0.02, 1.0])),
        top_k=draw(st.integers(1, 4)),
        frequency_cap=draw(st.sampled_from([2, 4, 100])),
    )
    return events, parameters


def by_the_book(
    events: list[EventNode], parameters: EventGraphParameters
) -> dict[str, list[tuple[str, float]]]:
    """Equations 3 to 6 and the frequency cap, pair by pair."""
    mentions = Counter(name for event in events for name in event.entity_ids)
    lists = {}
    for one in events:
        found = []
        for other in events:
            rare = {n for n in one.entity_ids & other.entity_ids if mentions[n] <= parameters.frequency_cap}
            early, late = sorted((one.interval, other.interval), key=lambda i: i.start)
            gap = max(0, late.start - early.end)
            if other is one or not rare or gap > parameters.delta_days * MICROS_PER_DAY:
                continue
            jaccard = len(one.entity_ids & other.entity_ids) / len(one.entity_ids | other.entity_ids)
            value = jaccard * math.exp(-parameters.alpha_per_day * gap / MICROS_PER_DAY)
            if value > 0:
                found.append((other.event_id, value))
        lists[one.event_id] = sorted(found, key=lambda item: (-item[1], item[0]))[: parameters.top_k]
    return lists


def plain(graph: EventGraph) -> dict[str, list[tuple[str, float]]]:
    return {
        event_id: [(link.event_id, link.weight) for link in links] for event_id, links in graph.lists.items()
    }


@examples(300, 20_000)
@given(worlds(), st.randoms(use_true_random=False))
def test_growing_equals_rebuilding_in_any_order(world, rng) -> None:
    events, parameters = world
    graph = EventGraph(parameters)
    for event in rng.sample(events, len(events)):
        graph.add(event)
        graph.add(event)
    assert plain(graph) == by_the_book(events, parameters)


@examples(200, 10_000)
@given(worlds(), st.randoms(use_true_random=False))
def test_removing_equals_never_having_added(world, rng) -> None:
    events, parameters = world
    graph = EventGraph(parameters)
    for event in events:
        graph.add(event)
    gone = rng.sample(events, rng.randint(0, len(events)))
    for event in gone:
        graph.remove(event.event_id)
    assert plain(graph) == by_the_book([event for event in events if event not in gone], parameters)


@examples(200, 10_000)
@given(worlds())
def test_what_an_insertion_says_changed_is_all_that_changed(world) -> None:
    events, parameters = world
    graph = EventGraph(parameters)
    for event in events:
        before = dict(graph.lists)
        changed = graph.add(event)
        assert {i for i in graph.lists if graph.lists[i] != before.get(i)} <= changed


@examples(200, 10_000)
@given(worlds())
def test_candidates_within_reach_are_enough(world) -> None:
    events, parameters = world
    frequent = frequent_entities(events, parameters.frequency_cap)
    event, others = events[0], events[1:]
    full = neighbours(event, others, parameters, frequent)
    limit = reach(full, parameters)
    near = [other for other in others if event.interval.gap(other.interval) <= limit]
    assert neighbours(event, near, parameters, frequent) == full


@examples(200, 10_000)
@given(worlds())
def test_weights_are_symmetric_and_between_0_and_1(world) -> None:
    events, parameters = world
    for one in events:
        for other in events:
            assert weight(one, other, parameters) == weight(other, one, parameters)
            assert 0.0 <= weight(one, other, parameters) <= 1.0


@examples(300, 10_000)
@given(worlds())
def test_tables_rule_out_nothing_that_is_in_a_list(world) -> None:
    events, parameters = world
    mentions = Counter(name for event in events for name in event.entity_ids)
    rare = sorted(name for name, count in mentions.items() if count <= parameters.frequency_cap)
    tables = {name: EventTable([e for e in events if name in e.entity_ids], parameters) for name in rare}
    lists = by_the_book(events, parameters)
    for event in events:
        own = [tables[name] for name in rare if name in event.entity_ids]
        candidates = {node.event_id for table in own for node in table.candidates(event)}
        assert {other for other, _ in lists[event.event_id]} <= candidates
        owners = {other for other, links in lists.items() if event.event_id in dict(links)}
        for table in own:
            assert owners & {node.event_id for node in table.nodes} <= {
                n.event_id for n in table.owners(event)
            }


def test_a_table_rules_out_most_events_of_a_hub() -> None:
    parameters = EventGraphParameters(delta_days=3650.0, alpha_per_day=0.002, top_k=6, frequency_cap=9_999)
    days = [Interval(day * MICROS_PER_DAY, day * MICROS_PER_DAY + 1) for day in range(500)]
    events = [EventNode(f"e{day}", when, frozenset(("hub", f"t{day}"))) for day, when in enumerate(days)]
    table = EventTable(events, parameters)
    around = {f"e{day}" for day in range(244, 257)} - {"e250"}
    assert {node.event_id for node in table.candidates(events[250])} <= around
    assert {node.event_id for node in table.owners(events[250])} <= around


def test_an_edge_exactly_at_the_window_counts_and_beyond_it_does_not() -> None:
    parameters = EventGraphParameters(delta_days=2.0, alpha_per_day=0.1, top_k=3, frequency_cap=9)
    base = EventNode("a", Interval(0, 1), frozenset("x"))
    at = EventNode("b", Interval(1 + 2 * MICROS_PER_DAY, 2 + 2 * MICROS_PER_DAY), frozenset("x"))
    beyond = EventNode("c", Interval(2 + 2 * MICROS_PER_DAY, 3 + 2 * MICROS_PER_DAY), frozenset("x"))
    changed = insert(base, [at, beyond], {}, parameters)
    assert [link.event_id for link in changed["a"]] == ["b"]
    assert changed["a"][0].weight == pytest.approx(math.exp(-0.2))
    assert set(changed) == {"a", "b"}
