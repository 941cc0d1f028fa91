"""The writer on both stores: a function of the set of records, whatever their order, repeats and batches."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.contracts.feed import GRAPH, retraction, since, writing
from tests.contracts.samples import DAY, DIMENSIONS, at

from tidegraph.domain.documents import DocumentKind, EntityType, ExtractedDocument, Verb
from tidegraph.domain.errors import Bug, Conflicted, Rejected, Retryable
from tidegraph.domain.eventgraph import EventGraphParameters
from tidegraph.domain.interval import OPEN_END, Granularity, Interval
from tidegraph.domain.predicates import Registry
from tidegraph.models.hashing import HashingEncoder
from tidegraph.ports import FactFilter, GraphStore, Visibility
from tidegraph.storage.visibility import EVERYTHING
from tidegraph.streams.writing.planning import Item
from tidegraph.streams.writing.writer import GraphWriter, Written

PARAMETERS = EventGraphParameters(delta_days=400.0, alpha_per_day=0.01, top_k=3, frequency_cap=8)
PARTITION = "life/0"


@pytest.fixture
def writer(store: GraphStore, registry: Registry) -> GraphWriter:
    return make_writer(store, registry)


def make_writer(store: GraphStore, registry: Registry) -> GraphWriter:
    return GraphWriter(store, registry, HashingEncoder(DIMENSIONS), PARAMETERS)


def items(documents: Sequence[ExtractedDocument], first: int = 0) -> list[Item]:
    return [Item(first + place, document) for place, document in enumerate(documents)]


async def believed(
    store: GraphStore, subject: str = "", known_at: int = OPEN_END - 1
) -> list[tuple[str, int, int]]:
    """(object, valid from, valid to) of what is believed."""
    found = await store.facts(GRAPH, FactFilter(), Visibility(known_at, None))
    return [(fact.object, fact.valid.start, fact.valid.end) for fact in found]


def day(year: int, month: int = 1, number: int = 1) -> Interval:
    start = at(year, month, number)
    return Interval(start, start + DAY, Granularity.DAY)


# --- one document after another ---------------------------------------------------------------------


async def test_a_later_value_bounds_the_earlier_one(writer: GraphWriter, store: GraphStore) -> None:
    first = writing("a", time=at(2020), recorded_at=at(2024, 1)).says(
        "Acme", "has_value", "30 days", since(at(2020))
    )
    second = writing("b", time=at(2022), recorded_at=at(2024, 2)).says(
        "Acme", "has_value", "60 days", since(at(2022))
    )
    one = await writer.write(GRAPH, PARTITION, items([first.done()]))
    two = await writer.write(GRAPH, PARTITION, items([second.done()], 1))
    assert await believed(store) == [("30 days", at(2020), at(2022)), ("60 days", at(2022), OPEN_END)]
    assert await believed(store, known_at=at(2024, 2) - 1) == [("30 days", at(2020), OPEN_END)]
    assert [(c.action, c.sequence) for c in one.changes] == [("asserted", 1)]
    assert sorted((c.action, c.sequence) for c in two.changes) == [("asserted", 2), ("bounded", 2)]
    assert [c.text for c in two.changes if c.action == "bounded"] == [
        "Acme is 30 days [2020-01-01, 2022-01-01)"
    ]
    assert await store.changes(GRAPH, 0, 10) == [
        *one.changes,
        *sorted(two.changes, key=lambda c: c.change_id),
    ]
    assert (one.endings[0].ended, two.sequence) == ("committed", 2)


async def test_one_batch_says_the_same_as_two(writer: GraphWriter, store: GraphStore) -> None:
    first = writing("a", time=at(2020), recorded_at=at(2024, 1)).says(
        "Acme", "has_value", "30 days", since(at(2020))
    )
    second = writing("b", time=at(2022), recorded_at=at(2024, 2)).says(
        "Acme", "has_value", "60 days", since(at(2022))
    )
    await writer.write(GRAPH, PARTITION, items([second.done(), first.done()]))
    assert await believed(store) == [("30 days", at(2020), at(2022)), ("60 days", at(2022), OPEN_END)]
    assert await believed(store, known_at=at(2024, 2) - 1) == [("30 days", at(2020), OPEN_END)]


async def test_a_replay_changes_nothing(writer: GraphWriter, store: GraphStore, registry: Registry) -> None:
    batch = items([writing("a", time=at(2020)).says("Acme", "has_value", "30 days", since(at(2020))).done()])
    await writer.write(GRAPH, PARTITION, batch)
    before, counts = await store.all_versions(GRAPH), await store.counts(GRAPH)
    for again in (writer, make_writer(store, registry)):
        result = await again.write(GRAPH, PARTITION, batch)
        assert (result.sequence, result.changes, result.endings[0].ended) == (1, (), "committed")
    assert await store.all_versions(GRAPH) == before
    assert await store.counts(GRAPH) == counts


async def test_the_same_document_sent_again_is_no_second_fact(writer: GraphWriter, store: GraphStore) -> None:
    document = writing("a", time=at(2020)).says("Acme", "has_value", "30 days", since(at(2020))).done()
    later = replace(document, header=replace(document.header, recorded_at=at(2031)))
    earlier = replace(document, header=replace(document.header, recorded_at=at(2029)))
    await writer.write(GRAPH, PARTITION, items([document]))
    await writer.write(GRAPH, PARTITION, items([later], 1))
    assert await believed(store, known_at=at(2029, 6)) == []
    await writer.write(GRAPH, PARTITION, items([earlier], 2))
    assert (await store.counts(GRAPH))["assertions"] == 1
    assert await believed(store) == [("30 days", at(2020), OPEN_END)]
    assert await believed(store, known_at=at(2029, 6)) == [("30 days", at(2020), OPEN_END)]
    assert await believed(store, known_at=at(2028)) == []


async def test_a_retraction_reopens_what_the_document_had_closed(
    writer: GraphWriter, store: GraphStore
) -> None:
    first = writing("a", time=at(2020), recorded_at=at(2024, 1)).says(
        "Acme", "has_value", "30 days", since(at(2020))
    )
    second = writing("b", time=at(2022), recorded_at=at(2024, 2)).says(
        "Acme", "has_value", "60 days", since(at(2022))
    )
    second.tells("Acme chose 60 days.", day(2022), "Acme")
    await writer.write(GRAPH, PARTITION, items([first.done(), second.done()]))
    result = await writer.write(GRAPH, PARTITION, items([retraction("b", at(2024, 3))], 2))
    assert result.endings[0].ended == "retracted"
    assert await believed(store) == [("30 days", at(2020), OPEN_END)]
    assert len(await believed(store, known_at=at(2024, 3) - 1)) == 2
    assert sorted(change.action for change in result.changes) == ["reopened", "retracted"]
    assert await store.search_text(GRAPH, "event", ["chose"], EVERYTHING, None, 5) == []
    assert (
        len(await store.search_text(GRAPH, "event", ["chose"], Visibility(at(2024, 3) - 1, None), None, 5))
        == 1
    )


async def test_a_document_that_came_before_its_retraction_but_is_met_after_it(
    writer: GraphWriter, store: GraphStore
) -> None:
    document = writing("a", time=at(2020), recorded_at=at(2024, 1)).says(
        "Acme", "has_value", "x", since(at(2020))
    )
    await writer.write(GRAPH, PARTITION, items([retraction("a", at(2024, 3))]))
    await writer.write(GRAPH, PARTITION, items([document.done()], 1))
    assert await believed(store) == []
    assert await believed(store, known_at=at(2024, 2)) == [("x", at(2020), OPEN_END)]


async def test_a_document_sent_again_after_its_retraction_counts_again(
    writer: GraphWriter, store: GraphStore
) -> None:
    def sent(recorded_at: int) -> ExtractedDocument:
        made = writing("a", time=at(2020), recorded_at=recorded_at)
        return (
            made.says("Acme", "has_value", "x", since(at(2020))).tells("Acme rose.", day(2020), "Acme").done()
        )

    records = [sent(at(2024, 1)), retraction("a", at(2024, 3)), sent(at(2024, 5))]
    await writer.write(GRAPH, PARTITION, items(records))
    await writer.write(GRAPH, PARTITION, items(records, 3))
    for month, count in ((1, 1), (2, 1), (3, 0), (4, 0), (5, 1), (6, 1)):
        seen = Visibility(at(2024, month, 2), None)
        assert len(await store.facts(GRAPH, FactFilter(), seen)) == count
        assert len(await store.search_text(GRAPH, "event", ["rose"], seen, None, 5)) == count
        assert len(await store.search_text(GRAPH, "chunk", ["rose"], seen, None, 5)) == count


async def test_a_revision_with_the_same_time_replaces(writer: GraphWriter, store: GraphStore) -> None:
    old = writing("a", "1", at(2020), at(2024, 1)).says("Acme", "has_value", "x", since(at(2020)))
    new = writing("a", "2", at(2020), at(2024, 2)).says("Acme", "has_value", "y", since(at(2020)))
    await writer.write(GRAPH, PARTITION, items([new.done(), old.done()]))
    assert await believed(store) == [("y", at(2020), OPEN_END)]
    assert await believed(store, known_at=at(2024, 1)) == [("x", at(2020), OPEN_END)]
    assert len(await store.search_text(GRAPH, "chunk", ["nothing"], EVERYTHING, None, 5)) == 1


async def test_a_revision_with_a_later_time_adds(writer: GraphWriter, store: GraphStore) -> None:
    old = writing("a", "1", at(2020), at(2024, 1)).says("Acme", "lists", "x", since(at(2020)))
    new = writing("a", "2", at(2021), at(2024, 2)).says("Acme", "lists", "y", since(at(2021)))
    await writer.write(GRAPH, PARTITION, items([old.done(), new.done()]))
    assert sorted(await believed(store)) == [("x", at(2020), OPEN_END), ("y", at(2021), OPEN_END)]


async def test_a_later_epoch_supersedes_as_of_its_time(writer: GraphWriter, store: GraphStore) -> None:
    old = writing("a", "1", at(2020), at(2024, 1)).says("Acme", "has_value", "x", since(at(2020))).done()
    new = (
        writing("a", "1", at(2020), at(2024, 6), epoch="e2")
        .says("Acme", "has_value", "y", since(at(2020)))
        .done()
    )
    for order in ([old, new], [new, old]):
        await writer.write(GRAPH, PARTITION, items(order))
    assert await believed(store) == [("y", at(2020), OPEN_END)]
    assert await believed(store, known_at=at(2024, 6) - 1) == [("x", at(2020), OPEN_END)]
    assert (await store.counts(GRAPH))["chunks"] == 1


async def test_a_register_falls_silent(writer: GraphWriter, store: GraphStore) -> None:
    def table(revision: str, year: int, *values: str, part: int = 1, parts: int = 1) -> ExtractedDocument:
        made = writing(
            "table",
            revision,
            at(year),
            at(2024, 1, year - 2010),
            kind=DocumentKind.REGISTER,
            part=part,
            parts=parts,
        )
        for value in values:
            made.says("Team", "lists", value, since(at(year)), verb=Verb.STATE)
        return made.done()

    await writer.write(GRAPH, PARTITION, items([table("1", 2020, "ann", "bob"), table("2", 2022, "bob")]))
    ends = {name: end for name, _, end in await believed(store)}
    assert ends == {"ann": at(2022), "bob": OPEN_END}
    await writer.write(GRAPH, PARTITION, items([table("3", 2023, "cy", part=2, parts=2)], 2))
    ends = {name: end for name, _, end in await believed(store)}
    assert ends["bob"] == OPEN_END, "half a register is not silent"
    await writer.write(GRAPH, PARTITION, items([table("3", 2023, part=1, parts=2)], 3))
    ends = {name: end for name, _, end in await believed(store)}
    assert ends == {"ann": at(2022), "bob": at(2023), "cy": OPEN_END}


@pytest.mark.parametrize("first", [1, 2])
async def test_a_register_speaks_from_its_first_part_on_whichever_part_comes_last(
    writer: GraphWriter, store: GraphStore, first: int
) -> None:
    """Parts that others wrote to the record of belief may differ in their recorded time."""

    def table(revision: str, year: int, recorded_at: int, part: int, *values: str) -> ExtractedDocument:
        parts = 1 if revision == "1" else 2
        made = writing(
            "roster", revision, at(year), recorded_at, kind=DocumentKind.REGISTER, part=part, parts=parts
        )
        for value in values:
            made.says("Team", "lists", value, since(at(year)), verb=Verb.STATE)
        return made.done()

    early = table("2", 2022, at(2024, 2), 1)
    late = table("2", 2022, at(2024, 3), 2, "bob")
    order = [early, late] if first == 1 else [late, early]
    await writer.write(GRAPH, PARTITION, items([table("1", 2020, at(2024, 1), 1, "ann", "bob")]))
    for place, part in enumerate(order, start=1):
        await writer.write(GRAPH, PARTITION, items([part], place))
    between = {name: end for name, _, end in await believed(store, known_at=at(2024, 2, 15))}
    assert between["ann"] == at(2022)
    assert {name: end for name, _, end in await believed(store)} == {"ann": at(2022), "bob": OPEN_END}


async def test_names_are_gathered_under_one_entity(writer: GraphWriter, store: GraphStore) -> None:
    for place, name in enumerate(("Acme Inc.", "ACME", "The Acme Corporation")):
        made = writing(f"d{place}", time=at(2020)).says(name, "lists", f"v{place}", since(at(2020)))
        await writer.write(GRAPH, PARTITION, items([made.done()], place))
    (entity,) = await store.all_entities(GRAPH)
    assert entity.aliases == ("ACME", "Acme Inc.", "The Acme Corporation")
    assert {fact.subject for fact in await store.facts(GRAPH, FactFilter(), EVERYTHING)} == {entity.entity_id}


# --- what cannot be written ---------------------------------------------------------------------------


async def test_a_bad_record_is_refused_alone(writer: GraphWriter, store: GraphStore) -> None:
    good = writing("good", time=at(2020)).says("Acme", "has_value", "x", since(at(2020))).done()
    bad = replace(
        writing("bad", time=at(2020)).says("Acme", "has_value", "y", since(at(2020))).done(), mentions=()
    )
    result = await writer.write(GRAPH, PARTITION, items([bad, good, bad]))
    assert [ending.ended for ending in result.endings] == ["", "committed", ""]
    assert isinstance(result.endings[0].error, Rejected)
    assert result.endings[0].error.reason == "UNKNOWN_MENTION"
    assert await believed(store) == [("x", at(2020), OPEN_END)]
    assert (await store.writer_state(GRAPH, PARTITION)).offset == 2


async def test_a_record_that_breaks_the_plan_is_found_and_buried_alone(
    writer: GraphWriter, store: GraphStore
) -> None:
    documents = [
        writing(f"d{i}", time=at(2020)).says("Acme", "lists", f"v{i}", since(at(2020))).done()
        for i in range(9)
    ]
    huge = 1 << 70
    broken = replace(documents[4], chunks=(replace(documents[4].chunks[0], start_char=huge),))
    result = await writer.write(GRAPH, PARTITION, items([*documents[:4], broken, *documents[5:]]))
    assert [ending.ended for ending in result.endings] == ["committed"] * 4 + [""] + ["committed"] * 4
    assert isinstance(result.endings[4].error, Bug)
    assert (await store.counts(GRAPH))["facts"] == 8
    assert (await store.writer_state(GRAPH, PARTITION)).offset == 8


async def test_a_rival_is_noticed(writer: GraphWriter, store: GraphStore, registry: Registry) -> None:
    def one(name: str) -> ExtractedDocument:
        return writing(name, time=at(2020)).says("Acme", "lists", name, since(at(2020))).done()

    await writer.write(GRAPH, PARTITION, items([one("a")]))
    await make_writer(store, registry).write(GRAPH, PARTITION, items([one("b")], 1))
    with pytest.raises(Conflicted):
        await writer.write(GRAPH, PARTITION, items([one("c")], 2))
    assert len(await believed(store)) == 2
    await writer.write(GRAPH, PARTITION, items([one("c")], 2))
    assert len(await believed(store)) == 3


class Faulty:
    """A store that loses the answer to its next commit."""

    def __init__(self, store: GraphStore, applies: bool) -> None:
        self._store, self._applies, self.armed = store, applies, True

    def __getattr__(self, name: str) -> object:
        return getattr(self._store, name)

    async def commit(self, commit: object) -> object:
        if not self.armed:
            return await self._store.commit(commit)  # type: ignore[arg-type]
        self.armed = False
        if self._applies:
            await self._store.commit(commit)  # type: ignore[arg-type]
        raise Retryable("STORE_UNAVAILABLE", "the answer was lost")


@pytest.mark.parametrize("applies", [True, False])
async def test_a_lost_answer_does_no_harm(store: GraphStore, registry: Registry, applies: bool) -> None:
    writer = make_writer(Faulty(store, applies), registry)  # type: ignore[arg-type]
    batch = items([writing("a", time=at(2020)).says("Acme", "lists", "x", since(at(2020))).done()])
    with pytest.raises(Retryable):
        await writer.write(GRAPH, PARTITION, batch)
    result = await writer.write(GRAPH, PARTITION, batch)
    assert (result.endings[0].ended, result.sequence) == ("committed", 1)
    assert await believed(store) == [("x", at(2020), OPEN_END)]


def written(result: Written) -> list[str]:
    return [ending.ended for ending in result.endings]


async def test_types_do_not_tear_entities_apart(writer: GraphWriter, store: GraphStore) -> None:
    made = writing("a", time=at(2020))
    made.mention("Acme", EntityType.PERSON)
    first = made.says("Acme", "lists", "x", since(at(2020))).done()
    second = writing("b", time=at(2020)).says("Acme", "lists", "y", since(at(2020))).done()
    assert written(await writer.write(GRAPH, PARTITION, items([first, second]))) == ["committed"] * 2
    assert len(await store.all_entities(GRAPH)) == 1
