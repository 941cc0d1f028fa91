"""Which ids are one: the same for every order, on both stores; a merge that is split leaves no trace."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import pytest
from tests.contracts.feed import GRAPH, retraction, since, writing
from tests.contracts.samples import DAY, at
from tests.contracts.test_writer import PARAMETERS, PARTITION, day, make_writer
from tests.contracts.test_writer_orders import event_lists

from tidegraph.domain import identity
from tidegraph.domain.documents import ExtractedDocument, Position
from tidegraph.domain.eventgraph import EventGraph, EventNode
from tidegraph.domain.identity import Rule, Tie, components, is_open
from tidegraph.domain.ids import entity_id
from tidegraph.domain.interval import OPEN_END, Interval
from tidegraph.domain.predicates import Registry
from tidegraph.events.v1 import records_pb2
from tidegraph.ports import FactFilter, GraphStore, Visibility
from tidegraph.storage import dump
from tidegraph.storage.falkor import FalkorStore
from tidegraph.storage.memory import MemoryStore
from tidegraph.storage.merged import merged
from tidegraph.storage.visibility import EVERYTHING
from tidegraph.streams.writing.control import Decide
from tidegraph.streams.writing.kinds import all_kinds
from tidegraph.streams.writing.planning import Item

Content = ExtractedDocument | Decide
NAMES_OF = identity.NAMES
NAMES = ("Acme", "Acme Group", "Birch Works", "Birch", "Cedar", "Cedar Limited Partners")


def id_of(name: str, signature: str = "") -> str:
    return entity_id(GRAPH, name.lower(), signature)


def decision(registry: Registry, number: int, recorded_at: int, kind: str, *names: str) -> Decide:
    ids = [id_of(name) for name in names]
    choice = records_pb2.Merge(entity_ids=ids) if kind == "merge" else records_pb2.Split(entity_ids=ids)
    control = records_pb2.ControlRecord(
        control_id=f"c{number}", graph=GRAPH, actor="ann", reason="because", recorded_at=recorded_at,
        **{kind: choice},
    )  # fmt: skip
    return all_kinds(registry).read(control, Position("control", 0, number, "life"))


def world(rng: random.Random, registry: Registry) -> list[Content]:
    """Papers about a few firms under several names, renamings among them, some of them retracted, one of
    those sent again, and an operator's decisions."""
    made: list[Content] = []
    for number in range(20):
        year, recorded = rng.randrange(2000, 2020), at(2024) + number * DAY
        paper = writing(f"d{number}", "1", at(year), recorded)
        for _ in range(rng.randrange(3)):
            paper.says(rng.choice(NAMES), "has_value", f"{rng.randrange(9)} days", since(at(year)))
        if rng.random() < 0.2:
            one, other = rng.sample(NAMES, 2)
            paper.says(one, rng.choice(NAMES_OF), other, since(at(year)))
        if rng.random() < 0.2:
            paper.says(*rng.sample(NAMES, 1), "owned_by", *rng.sample(NAMES, 1), since(at(year)), entity=True)
        for _ in range(rng.randrange(1, 3)):
            paper.tells(f"It was {rng.random()}.", day(year, rng.randrange(1, 12)), *rng.sample(NAMES, 2))
        made.append(paper.done())
    for number, paper in enumerate(rng.sample(made, 4)):
        document_id = paper.header.document_id
        gone = max(paper.header.recorded_at, at(2024) + rng.randrange(20) * DAY) + 1
        made.append(retraction(document_id, gone))
        if number == 0:
            again = writing(document_id, "2", at(2021), gone + 5 * DAY)
            made.append(again.tells("It was again.", day(2021, 5), *rng.sample(NAMES, 2)).done())
    for number in range(6):
        kind = rng.choice(["merge", "merge", "split"])
        at_ = at(2024) + rng.randrange(20) * DAY + number
        made.append(decision(registry, number, at_, kind, *rng.sample(NAMES, rng.randrange(2, 4))))
    return made


async def run(
    store: GraphStore, registry: Registry, records: Sequence[Content], rng: random.Random, first: int = 0
) -> int:
    writer, offset = make_writer(store, registry), 0
    while offset < len(records):
        size = rng.randrange(1, 6)
        batch = [Item(first + offset + n, c) for n, c in enumerate(records[offset : offset + size])]
        written = await writer.write(GRAPH, PARTITION, batch)
        assert not [ending.error for ending in written.endings if ending.error]
        offset += size
    return first + len(records)


async def sets(store: GraphStore) -> dict[str, tuple[str, ...]]:
    rows = [r for r in await store.all_ties(GRAPH) if is_open(r) and r.tied.tie is Tie.SAME]
    return components((), ((r.tied.left, r.tied.right) for r in rows))


async def rebuilt_lists(store: GraphStore) -> dict[str, list[tuple[str, float]]]:
    """The event graph made anew from the events that count, each set of ids as one entity."""
    graph, one = EventGraph(PARAMETERS), await sets(store)
    ids = [entity.entity_id for entity in await store.all_entities(GRAPH)]
    for event in await store.events_of(GRAPH, ids, None, EVERYTHING, 5_000):
        if event.event.interval is not None:
            mentioned = frozenset(one.get(id_, (id_,))[0] for id_ in event.entity_ids)
            graph.add(EventNode(event.event.event_id, event.event.interval, mentioned))
    return {
        event_id: [(link.event_id, link.weight) for link in links]
        for event_id, links in graph.lists.items()
        if links
    }


async def cleared(store: FalkorStore) -> FalkorStore:
    if GRAPH in await store.graphs():
        await store.connection.command("GRAPH.DELETE", store.connection.key(GRAPH))
    return store


async def test_any_order_gives_the_same_sets_and_lists(
    falkor: FalkorStore, fresh_memory: Callable[[], MemoryStore], registry: Registry, rng: random.Random
) -> None:
    """Several worlds, each in six orders with repeats: equal rows on both axes, and equal event graphs."""
    for turn in range(2):
        papers = world(rng, registry)
        found = set()
        for order in range(6):
            records = [*papers, *rng.sample(papers, 6)]
            rng.shuffle(records)
            store: GraphStore = await cleared(falkor) if turn == 0 and order < 2 else fresh_memory()
            await run(store, registry, records, rng)
            assert await event_lists(store) == await rebuilt_lists(store)
            found.add((await dump.identity_dump(store, GRAPH), await dump.content_hash(store, GRAPH)))
        assert len(found) == 1


async def test_merge_then_split_restores_the_content_hash(
    store: GraphStore, registry: Registry, rng: random.Random
) -> None:
    papers = [record for record in world(rng, registry) if isinstance(record, ExtractedDocument)]
    alone = [writing(f"x{name}").tells("It was.", day(2020), name).done() for name in ("Delta", "Echo Bay")]
    offset = await run(store, registry, [*papers, *alone], rng)
    before, lists = await dump.content_hash(store, GRAPH), await event_lists(store)
    joined = await sets(store)
    one, other = "Echo Bay", rng.choice(["Delta", *NAMES])
    offset = await run(store, registry, [decision(registry, 90, at(2025), "merge", one, other)], rng, offset)
    assert id_of(other) in (await sets(store))[id_of(one)]
    assert await event_lists(store) == await rebuilt_lists(store)
    assert await dump.content_hash(store, GRAPH) != before
    await run(store, registry, [decision(registry, 91, at(2026), "split", one, other)], rng, offset)
    assert await sets(store) == joined
    assert await event_lists(store) == lists
    assert await dump.content_hash(store, GRAPH) == before


async def test_two_documents_that_meet_a_name_at_once_give_one_entity(
    store: GraphStore, registry: Registry, rng: random.Random
) -> None:
    first = writing("a", recorded_at=at(2024)).tells("One.", day(2020), "Acme").done()
    second = writing("b", recorded_at=at(2024, 2)).tells("Two.", day(2021), "Acme").done()
    await run(store, registry, [first, second], rng)
    assert [entity.key for entity in await store.all_entities(GRAPH)] == ["acme"]


async def test_a_renaming_joins_ids_while_it_is_told(
    store: GraphStore, registry: Registry, rng: random.Random
) -> None:
    old = writing("a", recorded_at=at(2024)).says("Lumen", "has_value", "9", since(at(2020))).done()
    new = writing("b", recorded_at=at(2024, 2)).says("Aurelle", "has_value", "8", since(at(2023))).done()
    told = writing("c", recorded_at=at(2024, 3)).says("Lumen", "name", "Aurelle", since(at(2022))).done()
    await run(store, registry, [old, new, told], rng)
    both = tuple(sorted((id_of("Lumen"), id_of("Aurelle"))))
    assert (await sets(store))[id_of("Lumen")] == both
    row = (await store.all_ties(GRAPH))[0]
    assert row.tied.rule is Rule.RENAME
    assert row.recorded_at == at(2024, 3)
    assert "aurelle" in row.tied.reason


@pytest.mark.parametrize("predicate", ["also_called", "formerly_called"])
async def test_another_name_joins_ids_until_its_document_is_withdrawn(
    store: GraphStore, registry: Registry, rng: random.Random, predicate: str
) -> None:
    other = writing("a", recorded_at=at(2024)).says("Lumen", "has_value", "9", since(at(2020))).done()
    told = writing("b", recorded_at=at(2024, 2)).says("Aurelle", predicate, "Lumen", since(at(2020))).done()
    await run(store, registry, [other, told], rng)
    both = tuple(sorted((id_of("Lumen"), id_of("Aurelle"))))
    assert (await sets(store))[id_of("Lumen")] == both
    await run(store, registry, [retraction("b", at(2024, 3))], rng, 2)
    assert id_of("Lumen") not in await sets(store)


async def test_what_a_retracted_document_told_joins_nothing_until_it_comes_again(
    store: GraphStore, registry: Registry, rng: random.Random
) -> None:
    """Two names of one bank are one by the town that both documents tell of; by name alone they are not."""
    names = ("Horizon Bank", "Horizon Banking Group")

    def paper(number: int, recorded_at: int) -> ExtractedDocument:
        said = writing(f"d{number}", str(recorded_at), at(2020), recorded_at)
        return said.says(names[number], "headquarters", "Calder", since(at(2020))).done()

    offset = await run(store, registry, [paper(0, at(2024)), paper(1, at(2024, 2))], rng)
    both = (await sets(store))[id_of(names[0])]
    assert len(both) == 2
    before = await dump.content_hash(store, GRAPH)
    offset = await run(store, registry, [retraction("d1", at(2024, 3))], rng, offset)
    assert await sets(store) == {}
    offset = await run(store, registry, [paper(1, at(2024, 4))], rng, offset)
    assert (await sets(store))[id_of(names[0])] == both
    rows = [row for row in await store.all_ties(GRAPH) if row.tied.tie is Tie.SAME]
    spans = sorted((row.recorded_at, row.invalidated_at) for row in rows)
    assert spans == [(at(2024, 2), at(2024, 3)), (at(2024, 4), OPEN_END)]
    assert await dump.content_hash(store, GRAPH) != before


@pytest.mark.parametrize("related", [False, True])
async def test_what_a_document_relates_to_each_other_is_not_joined_by_its_names(
    store: GraphStore, registry: Registry, rng: random.Random, related: bool
) -> None:
    """Two spellings of one town's bank are one, unless the one bought the other."""
    names = ("Horizon Bank of Calder", "Horizon Banks of Calder")
    papers = [
        writing(f"d{n}", recorded_at=at(2024) + n * DAY).tells(f"{name} lends in Calder.", day(2020), name)
        for n, name in enumerate(names)
    ]
    if related:
        papers[1].says(names[1], "owned_by", names[0], since(at(2021)), entity=True)
    await run(store, registry, [paper.done() for paper in papers], rng)
    assert (id_of(names[0]) in await sets(store)) is not related


async def test_a_conflict_that_only_a_merge_makes_is_listed_until_the_split(
    store: GraphStore, registry: Registry, rng: random.Random
) -> None:
    papers = [
        writing(name, recorded_at=at(2024)).says(name, "has_value", value, since(at(2020))).done()
        for name, value in (("Cedar", "9 days"), ("Birch Works", "30 days"))
    ]
    offset = await run(store, registry, papers, rng)
    reader, asked = merged(store, registry), FactFilter(conflicted=True)
    assert await reader.facts(GRAPH, asked, EVERYTHING) == []
    merge = decision(registry, 1, at(2025), "merge", "Cedar", "Birch Works")
    offset = await run(store, registry, [merge], rng, offset)
    (found,) = await reader.facts(GRAPH, asked, EVERYTHING)
    assert found.conflicted
    assert found.subject == min(id_of("Cedar"), id_of("Birch Works"))
    claims = await reader.assertions(GRAPH, [found.key], EVERYTHING)
    assert {claim.object for claim in claims} == {"9 days", "30 days"}
    assert await reader.facts(GRAPH, asked, Visibility(at(2025) - 1, None)) == []
    split = decision(registry, 2, at(2026), "split", "Cedar", "Birch Works")
    await run(store, registry, [split], rng, offset)
    assert await reader.facts(GRAPH, asked, EVERYTHING) == []


async def test_two_holders_of_a_role_that_are_merged_are_one_holder(
    store: GraphStore, registry: Registry, rng: random.Random
) -> None:
    """What the one id bounded of the other is one fact again; so it is as of then, and found by its id."""
    role = {"entity": True, "qualifiers": (("role", "ceo"),)}
    papers = [
        writing("a", recorded_at=at(2024)).says("Ann Roe", "holds_role", "Nova", since(at(2019)), **role),
        writing("b", recorded_at=at(2024, 2)).says("Roe A", "holds_role", "Nova", since(at(2021)), **role),
    ]
    merge = decision(registry, 1, at(2025), "merge", "Ann Roe", "Roe A")
    await run(store, registry, [*(paper.done() for paper in papers), merge], rng)
    reader = merged(store, registry)
    now = await reader.facts(GRAPH, FactFilter(), EVERYTHING)
    assert [(fact.valid.start, fact.valid.end) for fact in now] == [(at(2019), OPEN_END)]
    late = Interval(at(2023), at(2023) + 1)
    assert await reader.facts(GRAPH, FactFilter(valid=late), EVERYTHING) == now
    assert await reader.facts(GRAPH, FactFilter(version_ids=(now[0].version_id,)), EVERYTHING) == now
    before = await reader.facts(GRAPH, FactFilter(), Visibility(at(2025) - 1, None))
    assert [(fact.valid.start, fact.valid.end) for fact in before] == [
        (at(2019), at(2021)),
        (at(2021), OPEN_END),
    ]
