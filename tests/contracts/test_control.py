"""Decisions of `control` on both stores: what they change, from when on, in any order, told once or twice."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest
from tests.contracts.feed import GRAPH, retraction, since, writing
from tests.contracts.samples import at
from tests.contracts.test_writer import PARTITION, believed, make_writer

from tidegraph.domain.documents import EntityType, ExtractedDocument, Position
from tidegraph.domain.errors import Rejected
from tidegraph.domain.interval import OPEN_END
from tidegraph.domain.predicates import Registry
from tidegraph.events.v1 import records_pb2
from tidegraph.ports import FactFilter, GraphStore, Visibility
from tidegraph.storage import dump
from tidegraph.storage.memory import MemoryStore
from tidegraph.storage.visibility import EVERYTHING
from tidegraph.streams.writing.planning import Item
from tidegraph.streams.writing.writer import GraphWriter, Written

Record = ExtractedDocument | records_pb2.ControlRecord
LEADS = """
[[predicate]]
name = "leads"
label = "leads"
aliases = ["heads"]
cardinality = "one_per_object"
object = "entity"
"""


def decision(id_: str, recorded_at: int, **choice: object) -> records_pb2.ControlRecord:
    """A control record: ``conflict=records_pb2.ConflictDecision(...)`` and the like."""
    return records_pb2.ControlRecord(
        control_id=id_, graph=GRAPH, actor="ann", reason="told so", recorded_at=recorded_at, **choice
    )


async def hand_in(writer: GraphWriter, records: Sequence[Record], first: int = 0) -> Written:
    """The records as one batch, at offsets from ``first`` on."""
    items = []
    for offset, record in enumerate(records, start=first):
        if isinstance(record, records_pb2.ControlRecord):
            items.append(Item(offset, writer.control.read(record, Position("control", 0, offset, "life"))))
        else:
            items.append(Item(offset, record))
    return await writer.write(GRAPH, PARTITION, items)


def value(document: str, value: str, recorded_at: int, start: int = at(2020)) -> ExtractedDocument:
    paper = writing(document, time=start, recorded_at=recorded_at)
    return paper.says("Acme", "has_value", value, since(start)).done()


def heads(document: str, name: str, start: int, recorded_at: int) -> ExtractedDocument:
    paper = writing(document, time=start, recorded_at=recorded_at)
    paper.mention(name, EntityType.PERSON)
    return paper.says(name, "heads", "Platform", since(start), entity=True).done()


@pytest.fixture
def writer(store: GraphStore, registry: Registry) -> GraphWriter:
    return make_writer(store, registry)


# --- conflicts --------------------------------------------------------------------------------------


async def test_a_conflict_is_decided_from_then_on_and_taken_back(
    writer: GraphWriter, store: GraphStore
) -> None:
    papers = [value("a", "30 days", at(2024, 1)), value("b", "60 days", at(2024, 2))]
    await hand_in(writer, papers)
    winner = (await store.facts(GRAPH, FactFilter(), EVERYTHING))[0]
    assert winner.conflicted
    evidence = await store.assertions(GRAPH, [winner.key], EVERYTHING)
    other = next(claim for claim in evidence if claim.object != winner.object)
    choice = records_pb2.ConflictDecision(key=winner.key, assertion_id=other.assertion_id)
    told = await hand_in(writer, [decision("d1", at(2024, 3), conflict=choice)], 2)
    assert told.endings[0].ended == "committed"
    assert {change.action for change in told.changes} == {"asserted", "superseded"}
    assert await believed(store) == [(other.object, at(2020), OPEN_END)]
    assert await believed(store, known_at=at(2024, 3) - 1) == [(winner.object, at(2020), OPEN_END)]
    undo = records_pb2.ConflictDecision(key=winner.key, assertion_id=other.assertion_id, undo=True)
    await hand_in(writer, [decision("d2", at(2024, 4), conflict=undo)], 3)
    assert await believed(store) == [(winner.object, at(2020), OPEN_END)]
    assert await believed(store, known_at=at(2024, 3)) == [(other.object, at(2020), OPEN_END)]
    stored = await store.decisions(GRAPH, ["conflict"], EVERYTHING, [winner.key])
    assert [(one.decision_id, one.actor, one.reason, one.recorded_at) for one in stored] == [
        ("d1", "ann", "told so", at(2024, 3)),
        ("d2", "ann", "told so", at(2024, 4)),
    ]
    assert await store.decisions(GRAPH, ["conflict"], EVERYTHING, ["another"]) == []
    early = Visibility(at(2024, 3), None)
    assert [one.decision_id for one in await store.decisions(GRAPH, ["conflict"], early)] == ["d1"]


@pytest.mark.parametrize("again", ["read again", "revised"])
async def test_a_choice_outlives_the_reading_that_it_was_made_on(
    store: GraphStore, fresh_memory: Callable[[], MemoryStore], registry: Registry, again: str
) -> None:
    def paper(name: str, said: str, recorded_at: int, **fields: str) -> ExtractedDocument:
        made = writing(name, fields.pop("revision", "1"), at(2020), recorded_at, **fields)
        return made.says("Acme", "has_value", said, since(at(2020))).done()

    told = [paper("a", "30 days", at(2024, 1)), paper("b", "60 days", at(2024, 2))]
    hand = make_writer(store, registry)
    await hand_in(hand, told)
    (winner,) = await store.facts(GRAPH, FactFilter(), EVERYTHING)
    claims = await store.assertions(GRAPH, [winner.key], EVERYTHING)
    loser = next(claim for claim in claims if claim.object != winner.object)
    choice = records_pb2.ConflictDecision(key=winner.key, assertion_id=loser.assertion_id)
    if again == "read again":
        name, at_first = loser.document_id, loser.recorded_at
        news = replace(paper(name, loser.object, at_first, epoch="e2"), reextracted_at=at(2024, 5))
    else:
        news = paper(loser.document_id, loser.object, at(2024, 5), revision="2")
    later: list[Record] = [decision("c", at(2024, 3), conflict=choice), news]
    await hand_in(hand, later, 2)
    (fact,) = await store.facts(GRAPH, FactFilter(), EVERYTHING)
    assert (fact.object, fact.conflicted) == (loser.object, False)
    gone = await store.assertions(GRAPH, [winner.key], EVERYTHING)
    assert any(claim.withdrawn_at == at(2024, 5) for claim in gone)
    other = fresh_memory()
    rest = make_writer(other, registry)
    for offset, record in enumerate([later[0], news, *told]):
        await hand_in(rest, [record], offset)
    assert await dump.content_hash(other, GRAPH) == await dump.content_hash(store, GRAPH)


async def test_a_decision_told_twice_is_one(writer: GraphWriter, store: GraphStore) -> None:
    await hand_in(writer, [value("a", "30 days", at(2024, 1)), value("b", "60 days", at(2024, 2))])
    key = (await store.facts(GRAPH, FactFilter(), EVERYTHING))[0].key
    claims = await store.assertions(GRAPH, [key], EVERYTHING)
    loser = next(claim for claim in claims if claim.object == "60 days")
    choice = records_pb2.ConflictDecision(key=key, assertion_id=loser.assertion_id)
    await hand_in(writer, [decision("d", at(2024, 3), conflict=choice)], 2)
    before = await dump.content_hash(store, GRAPH)
    again = await hand_in(writer, [decision("d", at(2024, 5), conflict=choice)], 3)
    assert again.endings[0].ended == "committed"
    assert await dump.content_hash(store, GRAPH) == before
    assert [one.recorded_at for one in await store.decisions(GRAPH, ["conflict"], EVERYTHING)] == [
        at(2024, 3)
    ]


async def test_what_is_no_decision_is_refused(writer: GraphWriter) -> None:
    wrong = [
        decision("", at(2024), seal=records_pb2.Seal()),
        decision("d", at(2024), conflict=records_pb2.ConflictDecision()),
        decision("d", at(2024), policies=records_pb2.PolicyChange(registry_toml="[[predicate]]")),
        decision("d" * 600, at(2024), seal=records_pb2.Seal()),
    ]
    for record in wrong:
        with pytest.raises(Rejected):
            writer.control.read(record, Position("control", 0, 0, "life"))


# --- policies ---------------------------------------------------------------------------------------


async def test_a_change_of_policies_holds_from_its_recorded_time_on(
    writer: GraphWriter, store: GraphStore
) -> None:
    await hand_in(
        writer, [heads("a", "Ann", at(2020), at(2024, 1)), heads("b", "Bob", at(2022), at(2024, 2))]
    )
    both = [(at(2020), OPEN_END), (at(2022), OPEN_END)]
    assert sorted(span[1:] for span in await believed(store)) == both
    change = decision("p", at(2024, 3), policies=records_pb2.PolicyChange(registry_toml=LEADS))
    assert not (await store.made(GRAPH)).has_policies
    await hand_in(writer, [change], 2)
    assert (await store.made(GRAPH)).has_policies
    assert sorted(span[1:] for span in await believed(store)) == [(at(2020), at(2022)), (at(2022), OPEN_END)]
    assert {fact.predicate for fact in await store.facts(GRAPH, FactFilter(), EVERYTHING)} == {"leads"}
    early = await believed(store, known_at=at(2024, 3) - 1)
    assert sorted(span[1:] for span in early) == both
    await hand_in(writer, [heads("c", "Cy", at(2023), at(2024, 4))], 3)
    spans = sorted(span[1:] for span in await believed(store))
    assert spans == [(at(2020), at(2022)), (at(2022), at(2023)), (at(2023), OPEN_END)]
    await hand_in(writer, [decision("q", at(2024, 5), policies=records_pb2.PolicyChange())], 4)
    assert sorted(span[1:] for span in await believed(store)) == [*both, (at(2023), OPEN_END)]
    assert sorted(span[1:] for span in await believed(store, known_at=at(2024, 4))) == spans


async def test_decisions_and_documents_in_any_order_give_one_graph(
    store: GraphStore,
    fresh_memory: Callable[[], MemoryStore],
    registry: Registry,
    rng: random.Random,
) -> None:
    """Decisions keep their order, as the log does; documents come before, between and after them."""
    papers = [
        heads(f"d{number}", name, at(2015 + number), at(2024, 1 + number))
        for number, name in enumerate(["Ann", "Bob", "Cy", "Di", "Eve", "Fay"])
    ]
    papers += [value("v1", "30 days", at(2024, 2)), value("v2", "60 days", at(2024, 4))]
    first = fresh_memory()
    await hand_in(make_writer(first, registry), papers)
    conflict = next(fact for fact in await first.facts(GRAPH, FactFilter(), EVERYTHING) if fact.conflicted)
    loser = next(
        claim
        for claim in await first.assertions(GRAPH, [conflict.key], EVERYTHING)
        if claim.object != conflict.object
    )
    control = [
        decision("p", at(2024, 3), policies=records_pb2.PolicyChange(registry_toml=LEADS)),
        decision(
            "c",
            at(2024, 4, 2),
            conflict=records_pb2.ConflictDecision(key=conflict.key, assertion_id=loser.assertion_id),
        ),
        decision("q", at(2024, 5, 2), policies=records_pb2.PolicyChange()),
    ]
    dumps = set()
    for order in range(12):
        one: GraphStore = fresh_memory() if order else store
        records: list[Record] = list(papers)
        rng.shuffle(records)
        places = sorted(rng.randrange(len(papers) + 1) for _ in control)
        for shift, (place, record) in enumerate(zip(places, control, strict=True)):
            records.insert(place + shift, record)
        hand, offset = make_writer(one, registry), 0
        while offset < len(records):
            size = rng.randrange(1, 5)
            await hand_in(hand, records[offset : offset + size], offset)
            offset += size
        dumps.add("".join([line async for line in dump.full_dump(one, GRAPH)]))
    assert len(dumps) == 1


# --- seals ------------------------------------------------------------------------------------------


async def test_a_sealed_graph_takes_no_backfill(writer: GraphWriter, store: GraphStore) -> None:
    early = writing("a", time=at(2020), recorded_at=at(2021), appended_at=at(2024, 1))
    late = writing("b", time=at(2022), recorded_at=at(2022), appended_at=at(2024, 3))
    live = writing("c", time=at(2022), recorded_at=at(2024, 3))
    papers = [one.says("Acme", "has_value", "30 days", since(at(2020))).done() for one in (early, late, live)]
    await hand_in(writer, [decision("s", at(2024, 2), seal=records_pb2.Seal())])
    told = await hand_in(writer, papers, 1)
    assert [ending.ended for ending in told.endings] == ["committed", "", "committed"]
    error = told.endings[1].error
    assert isinstance(error, Rejected)
    assert error.reason == "SEALED"
    assert (await store.counts(GRAPH))["documents"] == 2


async def test_what_was_withdrawn_when_it_was_recorded_is_no_evidence(
    writer: GraphWriter, store: GraphStore
) -> None:
    """Neither before a change of policies nor after one: as of a known date both are the same."""
    paper = heads("a", "Ann", at(2020), at(2024))
    await hand_in(writer, [paper, retraction("a", at(2024)), heads("b", "Ann", at(2021), at(2024))])
    (key,) = {fact.key for fact in await store.all_versions(GRAPH)}
    before = await store.assertions(GRAPH, [key], Visibility(at(2024, 2), None))
    assert [claim.document_id for claim in before] == ["b"]
    change = records_pb2.PolicyChange(registry_toml=LEADS)
    await hand_in(writer, [decision("p", at(2024, 3), policies=change)], 3)
    assert await store.assertions(GRAPH, [key], Visibility(at(2024, 2), None)) == before
