"""The writer's side: the fence, what may change afterwards, what is refused."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import numpy as np
import pytest
from tests.contracts import samples as s

from tidegraph.domain.errors import Bug, NotFound, Rejected
from tidegraph.domain.interval import OPEN_END, Interval
from tidegraph.ports import ChangeRow, FactFilter, GraphStore, NewVector, WriterState
from tidegraph.storage.visibility import EVERYTHING


async def test_an_unknown_graph_is_not_found(store: GraphStore) -> None:
    with pytest.raises(NotFound):
        await store.facts("nowhere", FactFilter(), EVERYTHING)
    with pytest.raises(NotFound):
        await store.writer_state("nowhere", "life/0")


@pytest.mark.parametrize("name", ["", "a b", "../x", "x" * 129, "-x", "a:b", "a\nb", "é"])
async def test_graph_names_are_allow_listed(store: GraphStore, name: str) -> None:
    with pytest.raises(Rejected) as caught:
        await store.prepare(name)
    assert caught.value.reason == "INVALID_GRAPH"


async def test_prepare_is_repeatable_and_lists_the_graph(store: GraphStore) -> None:
    await store.prepare("tenant")
    await store.prepare("tenant")
    assert await store.graphs() == ["tenant"]
    assert await store.writer_state("tenant", "life/0") == WriterState(-1, 0)


async def test_a_commit_applies_once(store: GraphStore, graph: str) -> None:
    head = s.header(graph)
    first = s.commit(graph, -1, 4, documents=(s.write(head, (s.chunk(head, "some text"),)),))
    assert await store.commit(first) == WriterState(4, 1)
    assert await store.commit(first) is None, "a replay changes nothing"
    assert await store.writer_state(graph, "life/0") == WriterState(4, 1)
    assert (await store.counts(graph))["chunks"] == 1


async def test_a_zombie_and_a_hole_change_nothing(store: GraphStore, graph: str) -> None:
    await store.commit(s.commit(graph, -1, 4))
    head = s.header(graph)
    late = s.commit(graph, 2, 3, documents=(s.write(head),))
    ahead = s.commit(graph, 9, 12, documents=(s.write(head),))
    assert await store.commit(late) is None
    assert await store.commit(ahead) is None
    assert (await store.counts(graph))["documents"] == 0
    assert await store.writer_state(graph, "life/0") == WriterState(4, 1)


async def test_a_new_life_of_the_log_has_a_fence_of_its_own(store: GraphStore, graph: str) -> None:
    await store.commit(s.commit(graph, -1, 4))
    other = s.commit(graph, -1, 0)
    other = replace(other, fence=replace(other.fence, partition="other life/0"))
    assert await store.commit(other) == WriterState(0, 2)


async def test_of_two_writers_one_wins(store: GraphStore, graph: str) -> None:
    def by(name: str) -> GraphStore | object:
        head = s.header(graph, name)
        return store.commit(s.commit(graph, -1, 0, documents=(s.write(head, (s.chunk(head, name),)),)))

    results = await asyncio.gather(*(by(f"w{i}") for i in range(8)))  # type: ignore[arg-type]
    assert sum(result is not None for result in results) == 1
    assert (await store.counts(graph))["chunks"] == 1


async def test_a_commit_to_a_graph_that_was_lost_changes_nothing(store: GraphStore) -> None:
    head = s.header("lost")
    assert await store.commit(s.commit("lost", 7, 8, documents=(s.write(head),))) is None


async def test_a_lost_graph_can_be_prepared_again(store: GraphStore) -> None:
    await store.commit(s.commit("lost", 7, 8))
    await store.prepare("lost")
    assert await store.writer_state("lost", "life/0") == WriterState(-1, 0)
    assert await store.commit(s.commit("lost", -1, 8)) == WriterState(8, 1)


async def test_an_empty_commit_moves_the_offset(store: GraphStore, graph: str) -> None:
    assert await store.commit(s.commit(graph, -1, 9)) == WriterState(9, 1)


async def test_versions_are_closed_earlier_never_later(store: GraphStore, graph: str) -> None:
    subject = s.entity_id(graph, "Acme")
    fact = s.version(subject, "has_value", "30 days", Interval(s.at(2024), OPEN_END), s.at(2024, 2))
    await store.commit(s.commit(graph, -1, 0, entities=(s.entity(graph, "Acme"),), insert_versions=(fact,)))
    for step, moment in enumerate([s.at(2025), s.at(2026), s.at(2024, 6)]):
        await store.commit(s.commit(graph, step, step + 1, close_versions=((fact.version_id, moment),)))
    history = await store.facts(graph, FactFilter(history=True), EVERYTHING)
    assert history == [replace(fact, invalidated_at=s.at(2024, 6))]
    assert await store.facts(graph, FactFilter(), EVERYTHING) == []


async def test_a_version_that_was_never_believed_is_seen_by_no_read(store: GraphStore, graph: str) -> None:
    subject = s.entity_id(graph, "Acme")
    fact = s.version(subject, "has_value", "x", Interval(s.at(2024), OPEN_END), s.at(2024, 2))
    await store.commit(s.commit(graph, -1, 0, entities=(s.entity(graph, "Acme"),), insert_versions=(fact,)))
    await store.commit(s.commit(graph, 0, 1, close_versions=((fact.version_id, fact.recorded_at),)))
    for history in (False, True):
        assert await store.facts(graph, FactFilter(history=history), EVERYTHING) == []
    stored = await store.stored_versions(graph, [fact.key])
    assert [version.invalidated_at for version in stored] == [fact.recorded_at]


async def test_inserting_a_version_again_changes_nothing(store: GraphStore, graph: str) -> None:
    subject = s.entity_id(graph, "Acme")
    fact = s.version(subject, "has_value", "x", Interval(s.at(2024), OPEN_END), s.at(2024, 2))
    entities = (s.entity(graph, "Acme"),)
    await store.commit(s.commit(graph, -1, 0, entities=entities, insert_versions=(fact,)))
    await store.commit(s.commit(graph, 0, 1, close_versions=((fact.version_id, s.at(2025)),)))
    await store.commit(s.commit(graph, 1, 2, entities=entities, insert_versions=(fact,)))
    assert (await store.counts(graph))["facts"] == 1
    assert (await store.stored_versions(graph, [fact.key]))[0].invalidated_at == s.at(2025)


async def test_recorded_times_move_earlier_and_content_stays(store: GraphStore, graph: str) -> None:
    head = s.header(graph, recorded_at=s.at(2024, 5))
    one = s.write(
        head, (s.chunk(head, "text"),), (s.event(head, "It was."),), (s.assertion(head, "x", "p", "v"),)
    )
    await store.commit(s.commit(graph, -1, 0, documents=(one,)))
    origins = (one.record.origin, one.record.revision_origin)
    moves = tuple((origin, s.at(2024, 2)) for origin in origins)
    await store.commit(s.commit(graph, 0, 1, recorded_earlier=moves))
    moves = tuple((origin, s.at(2024, 9)) for origin in origins)
    await store.commit(s.commit(graph, 1, 2, recorded_earlier=moves))
    documents = await store.documents(graph, ["d1"], EVERYTHING)
    assert [document.header.recorded_at for document in documents] == [s.at(2024, 2)]
    chunks = await store.chunks(graph, [one.chunks[0].chunk.chunk_id], EVERYTHING)
    events = await store.events(graph, [one.events[0].event.event_id], EVERYTHING)
    claims = await store.assertions(graph, [one.assertions[0].key], EVERYTHING)
    assert [row.recorded_at for row in (*chunks, *events, *claims)] == [s.at(2024, 2)] * 3


async def test_the_feed_carries_the_sequence_of_its_commit(store: GraphStore, graph: str) -> None:
    def change(name: str) -> ChangeRow:
        return ChangeRow(name, 0, "asserted", "entity", "version", s.at(2024), "Acme is here")

    await store.commit(s.commit(graph, -1, 0, changes=(change("b"), change("a"))))
    await store.commit(s.commit(graph, 0, 1, changes=(change("a"), change("c"))))
    found = await store.changes(graph, 0, 10)
    assert [(row.sequence, row.change_id) for row in found] == [(1, "a"), (1, "b"), (2, "c")]
    assert found[0] == replace(change("a"), sequence=1)
    assert [row.change_id for row in await store.changes(graph, 1, 10)] == ["c"]
    assert [row.change_id for row in await store.changes(graph, 0, 2)] == ["a", "b"]


async def test_applied_is_kept_by_partition(store: GraphStore) -> None:
    assert await store.applied("life/3") == -1
    await store.set_applied("life/3", 17)
    assert await store.applied("life/3") == 17
    assert await store.applied("life/4") == -1
    assert await store.graphs() == []


@pytest.mark.parametrize("bad", [np.ones(3, np.float32), np.full(s.DIMENSIONS, np.nan, np.float32)])
async def test_a_wrong_vector_is_refused_before_anything_changes(
    store: GraphStore, graph: str, bad: np.ndarray
) -> None:
    head = s.header(graph)
    vectors = (NewVector("e", "event", bad),)
    with pytest.raises(Bug):
        await store.commit(s.commit(graph, -1, 0, documents=(s.write(head),), vectors=vectors))
    assert await store.writer_state(graph, "life/0") == WriterState(-1, 0)


async def test_an_inexact_time_is_refused(store: GraphStore, graph: str) -> None:
    head = s.header(graph)
    early = Interval(s.at(1500) + 1, s.at(1501))
    with pytest.raises(Bug) as caught:
        await store.commit(
            s.commit(graph, -1, 0, documents=(s.write(head, events=(s.event(head, "It was.", when=early),)),))
        )
    assert caught.value.reason == "INEXACT_TIME"
    assert (await store.writer_state(graph, "life/0")).offset == -1
