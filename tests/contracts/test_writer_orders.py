"""Any order of arrival, with repeats, in any batches, on both stores: one graph."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

from tests.contracts.feed import GRAPH, retraction, since, writing
from tests.contracts.samples import DAY, at
from tests.contracts.test_writer import PARAMETERS, PARTITION, day, items, make_writer

from tidegraph.domain.documents import DocumentKind, ExtractedDocument, Status, Verb
from tidegraph.domain.eventgraph import EventGraph, EventNode
from tidegraph.domain.interval import OPEN_END, OPEN_START
from tidegraph.domain.predicates import Registry
from tidegraph.ports import GraphStore, Visibility
from tidegraph.storage import dump
from tidegraph.storage.falkor import FalkorStore
from tidegraph.storage.memory import MemoryStore
from tidegraph.storage.visibility import EVERYTHING


def world(rng: random.Random) -> list[ExtractedDocument]:
    """A small company's papers: values, lists, tables, stops, retractions, repeats."""
    firms, values = ["Acme", "Birch", "Cedar"], ["30 days", "60 days", "90 days"]
    made = []
    for number in range(24):
        year, recorded = rng.randrange(2000, 2020), at(2024) + number * DAY
        paper = writing(f"d{number}", "1", at(year) if rng.random() < 0.9 else None, recorded)
        for _ in range(rng.randrange(3)):
            stop = rng.random() < 0.2
            paper.says(
                rng.choice(firms),
                "has_value",
                "" if stop else rng.choice(values),
                since(OPEN_START, at(year))
                if stop
                else since(at(year), rng.choice([OPEN_END, at(year + 2)])),
                verb=Verb.STOP if stop else rng.choice([Verb.START, Verb.STATE, Verb.CHANGE]),
                status=rng.choice([Status.ASSERTED, Status.ASSERTED, Status.PLANNED]),
            )
        for _ in range(rng.randrange(3)):
            names = rng.sample([*firms, "Ann", "Bob"], rng.randrange(1, 4))
            paper.tells(f"It was {rng.random()}.", day(year, rng.randrange(1, 12)), *names)
        made.append(paper.done())
    for revision in range(4):
        table = writing(
            "table",
            str(revision),
            at(2001 + 3 * revision),
            at(2024, 3) + revision,
            kind=DocumentKind.REGISTER,
        )
        for name in rng.sample(["Ann", "Bob", "Cy", "Di"], 2):
            table.says("Team", "lists", name, since(at(2001 + 3 * revision)), verb=Verb.STATE)
        made.append(table.done())
    made += [retraction(f"d{number}", at(2024, 6) + number) for number in rng.sample(range(24), 3)]
    return made


async def run(
    store: GraphStore, registry: Registry, records: Sequence[ExtractedDocument], rng: random.Random
) -> None:
    """Hand the records in, in batches of random size, with a fresh writer now and then."""
    writer, offset = make_writer(store, registry), 0
    while offset < len(records):
        size = rng.randrange(1, 9)
        await writer.write(GRAPH, PARTITION, items(records[offset : offset + size], offset))
        offset += size
        if rng.random() < 0.2:
            writer = make_writer(store, registry)


async def event_lists(store: GraphStore) -> dict[str, list[tuple[str, float]]]:
    found: dict[str, list[tuple[str, float]]] = {}
    for entry in await store.lists_of(GRAPH, await all_event_ids(store)):
        found.setdefault(entry.event_id, []).append((entry.neighbour_id, entry.weight))
    return found


async def all_event_ids(store: GraphStore) -> list[str]:
    entities = [entity.entity_id for entity in await store.all_entities(GRAPH)]
    events = await store.events_of(GRAPH, entities, None, Visibility(OPEN_END - 1, None), 5_000)
    return [event.event.event_id for event in events]


async def rebuilt_lists(store: GraphStore) -> dict[str, list[tuple[str, float]]]:
    """The event graph made anew from the events that count."""
    graph = EventGraph(PARAMETERS)
    events = await store.events(GRAPH, await all_event_ids(store), EVERYTHING)
    for event in events:
        if event.event.interval is not None:
            graph.add(EventNode(event.event.event_id, event.event.interval, frozenset(event.entity_ids)))
    return {
        event_id: [(link.event_id, link.weight) for link in links]
        for event_id, links in graph.lists.items()
        if links
    }


async def test_any_order_gives_one_graph(
    falkor: FalkorStore,
    fresh_memory: Callable[[], MemoryStore],
    registry: Registry,
    rng: random.Random,
) -> None:
    """Twenty random orders with every record twice, on both stores: equal on both axes."""
    papers = world(rng)
    hashes, dumps, lists = set(), set(), []
    for order in range(20):
        records = [*papers, *papers]
        rng.shuffle(records)
        store: GraphStore = fresh_memory()
        if order % 4 == 0:
            store = falkor
            if GRAPH in await falkor.graphs():
                await falkor.connection.command("GRAPH.DELETE", falkor.connection.key(GRAPH))
        await run(store, registry, records, rng)
        hashes.add(await dump.content_hash(store, GRAPH))
        dumps.add(await dump.valid_time_dump(store, GRAPH))
        found = await event_lists(store)
        assert found == await rebuilt_lists(store)
        lists.append(found)
    assert len(dumps) == 1
    assert len(hashes) == 1
    assert all(found == lists[0] for found in lists)
