"""Events of busy entities: the writer's memory of them changes no list, and asks the store for little."""

from __future__ import annotations

import random
from collections.abc import Callable

import pytest
from tests.contracts.feed import GRAPH, retraction, writing
from tests.contracts.samples import DAY, at
from tests.contracts.test_writer import PARTITION, items

from tidegraph.domain.documents import ExtractedDocument
from tidegraph.domain.eventgraph import EventGraph, EventGraphParameters, EventNode
from tidegraph.domain.interval import OPEN_END, Interval
from tidegraph.domain.predicates import Registry
from tidegraph.models.hashing import HashingEncoder
from tidegraph.ports import EventMention, GraphStore
from tidegraph.storage.memory import MemoryStore
from tidegraph.storage.visibility import EVERYTHING
from tidegraph.streams.writing import links
from tidegraph.streams.writing.writer import GraphWriter

PARAMETERS = EventGraphParameters(delta_days=300.0, alpha_per_day=0.01, top_k=3, frequency_cap=70)
NAMES = ["Hub", "Crowd", "Field", *(f"Rare{number}" for number in range(30))]


def papers(rng: random.Random, count: int) -> list[ExtractedDocument]:
    """Papers of which a half tell of one of three names, close in time and with many equal times."""
    made = []
    for number in range(count):
        paper = writing(f"d{number}", "1", at(2020), at(2024) + number * DAY)
        for _ in range(rng.randrange(1, 3)):
            names = {rng.choice(NAMES[:3]) if rng.random() < 0.5 else rng.choice(NAMES) for _ in range(3)}
            start = at(2020) + rng.randrange(900) * DAY
            paper.tells(f"It was {rng.random()}.", Interval(start, start + rng.randrange(20) * DAY), *names)
        made.append(paper.done())
    return made


async def stored_and_rebuilt(store: GraphStore) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """The lists as they are stored and as they are made from all events that count, with all bits."""
    entities = [entity.entity_id for entity in await store.all_entities(GRAPH)]
    found = await store.events_of(GRAPH, entities, None, EVERYTHING, 5_000)
    ids = [record.event.event_id for record in found]
    stored: dict[str, list[str]] = {}
    for entry in await store.lists_of(GRAPH, ids):
        stored.setdefault(entry.event_id, []).append(f"{entry.neighbour_id} {entry.weight!r}")
    graph = EventGraph(PARAMETERS)
    for record in await store.events(GRAPH, ids, EVERYTHING):
        if record.event.interval is not None and record.withdrawn_at == OPEN_END:
            node = EventNode(record.event.event_id, record.event.interval, frozenset(record.entity_ids))
            graph.add(node)
    rebuilt = {
        event_id: [f"{link.event_id} {link.weight!r}" for link in links]
        for event_id, links in graph.lists.items()
        if links
    }
    return stored, rebuilt


@pytest.mark.parametrize("busy", [1, 3, 20])
async def test_lists_are_those_of_a_rebuild(
    fresh_memory: Callable[[], MemoryStore],
    registry: Registry,
    rng: random.Random,
    monkeypatch: pytest.MonkeyPatch,
    busy: int,
) -> None:
    """Arrivals over and under the cap, retractions and a new writer between them."""
    monkeypatch.setattr(links, "BUSY_EVENTS", busy)
    store = fresh_memory()
    made = papers(rng, 130)
    gone = [retraction(f"d{number}", at(2025) + number) for number in rng.sample(range(100), 6)]
    records = [*made[:110], *gone, *made[110:]]
    writer = GraphWriter(store, registry, HashingEncoder(8), PARAMETERS, automatic=False)
    offset = 0
    while offset < len(records):
        size = rng.randrange(1, 12)
        await writer.write(GRAPH, PARTITION, items(records[offset : offset + size], offset))
        offset += size
        stored, rebuilt = await stored_and_rebuilt(store)
        assert stored == rebuilt, offset
        if rng.random() < 0.1:
            writer = GraphWriter(store, registry, HashingEncoder(8), PARAMETERS, automatic=False)


async def test_a_busy_entity_is_read_once(
    fresh_memory: Callable[[], MemoryStore], registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(links, "BUSY_EVENTS", 10)
    store = fresh_memory()
    read: list[list[EventMention]] = []
    probe = store.probe_mentions

    async def watched(*arguments: object) -> list[EventMention]:
        read.append(await probe(*arguments))  # type: ignore[arg-type]
        return read[-1]

    monkeypatch.setattr(store, "probe_mentions", watched)
    writer = GraphWriter(store, registry, HashingEncoder(8), PARAMETERS, automatic=False)
    for number in range(40):
        paper = writing(f"d{number}", "1", at(2020), at(2024) + number * DAY)
        paper.tells(f"It was {number}.", Interval(at(2020) + number, at(2020) + number + DAY), "Hub")
        await writer.write(GRAPH, PARTITION, items([paper.done()], number))
    assert max(map(len, read[:12])) == 10
    assert sum(map(len, read[12:])) == 0
    stored, rebuilt = await stored_and_rebuilt(store)
    assert stored == rebuilt
