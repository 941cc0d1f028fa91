"""Events by how their documents put them: a read that asks for some finds those, whatever is nearer."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.contracts import samples as s

from tidegraph.domain.documents import Status
from tidegraph.domain.interval import Interval
from tidegraph.ports import GraphStore, Visibility
from tidegraph.storage.visibility import EVERYTHING

MANY = 120
"""More than any read below asks for."""
WHEN = Interval(s.at(2020), s.at(2021))


async def told(store: GraphStore, graph: str) -> dict[Status, list[str]]:
    """Many events that are asserted, and one that is denied: its words and vector are the farthest."""
    head = s.header(graph)
    events, vectors = [], []
    for number in range(MANY):
        record = s.event(head, f"The weir was opened again, for the {number} th time.", number, WHEN)
        events.append(record)
        vectors.append(s.vector(record.event.event_id, 1.0, number / 1_000))
    denied = s.event(head, "Nobody says that on a day of May the old weir was sold to them.", MANY, WHEN)
    denied = replace(denied, event=replace(denied.event, status=Status.DENIED))
    vectors.append(s.vector(denied.event.event_id, 1.0, 1.0))
    events.append(denied)
    write = s.write(head, events=tuple(events))
    await store.commit(s.commit(graph, documents=(write,), vectors=tuple(vectors)))
    found: dict[Status, list[str]] = {}
    for record in events:
        found.setdefault(record.event.status, []).append(record.event.event_id)
    return found


@pytest.mark.parametrize("valid", [None, Interval(s.at(1900), s.at(2100))], ids=["any time", "a time"])
async def test_every_search_finds_the_status_that_is_asked_for(
    store: GraphStore, graph: str, valid: Interval | None
) -> None:
    ids = await told(store, graph)
    (denied,) = ids[Status.DENIED]
    seen = replace(EVERYTHING, statuses=frozenset({Status.DENIED, Status.PLANNED}))
    text = await store.search_text(graph, "event", ["weir"], seen, valid, 5)
    near = await store.search_vector(graph, "event", s.unit(1.0), seen, valid, 5)
    by_id = await store.rank_events(
        graph, "event", [*ids[Status.ASSERTED][:9], denied], s.unit(1.0), seen, valid, 5
    )
    for hits in (text, near, by_id):
        assert [hit.id for hit in hits] == [denied]
    others = replace(EVERYTHING, statuses=frozenset(Status) - {Status.DENIED})
    for hits in (
        await store.search_text(graph, "event", ["weir"], others, valid, MANY + 1),
        await store.search_vector(graph, "event", s.unit(1.0), others, valid, MANY + 1),
    ):
        assert {hit.id for hit in hits} == set(ids[Status.ASSERTED])


async def test_so_do_the_reads_by_id_and_by_entity(store: GraphStore, graph: str) -> None:
    head = s.header(graph)
    who = s.entity(graph, "weir")
    events = [s.event(head, f"The weir was opened, {n}.", n, WHEN, (who.entity_id,)) for n in range(4)]
    events[3] = replace(events[3], event=replace(events[3].event, status=Status.PLANNED))
    commit = s.commit(graph, documents=(s.write(head, events=tuple(events)),), entities=(who,))
    await store.commit(commit)
    every = [record.event.event_id for record in events]
    seen = Visibility(EVERYTHING.known_at, None, frozenset({Status.PLANNED}))
    for valid in (None, Interval(s.at(1900), s.at(2100))):
        of = await store.events_of(graph, [who.entity_id], valid, seen, 2)
        assert [record.event.event_id for record in of] == every[3:]
    assert [record.event.event_id for record in await store.events(graph, every, seen)] == every[3:]
    assert [sketch.event_id for sketch in await store.sketches(graph, every, seen)] == every[3:]
    assert len(await store.events_of(graph, [who.entity_id], None, EVERYTHING, 9)) == 4
