"""The searches: hits are those of the words or vectors, filtered on both axes, by labels."""

from __future__ import annotations

import random

import numpy as np
import pytest
from tests.contracts import samples as s

from tidegraph.domain.documents import DocumentTime, TimeState
from tidegraph.domain.interval import Granularity, Interval
from tidegraph.ports import GraphStore, NewVector, Visibility
from tidegraph.storage.falkor import FalkorStore
from tidegraph.storage.visibility import EVERYTHING


async def policy(store: GraphStore, graph: str) -> dict[str, str]:
    """A policy in three revisions, 2020, 2022 and (without a time) one before; chunk ids by revision."""
    found: dict[str, str] = {}
    writes = []
    for revision, year in (("a", 2020), ("b", 2022), ("none", None)):
        time = DocumentTime(s.at(year), Granularity.DAY, "metadata") if year else None
        head = s.header(
            graph, "policy", revision, document_time=time, recorded_at=s.at(2024, 1, 1 + len(found))
        )
        chunk = s.chunk(head, f"Records are kept, says revision {revision}.")
        found[revision] = chunk.chunk.chunk_id
        writes.append(s.write(head, (chunk,)))
    vectors = tuple(s.vector(id_, 1.0, 0.1 * i, what="chunk") for i, id_ in enumerate(found.values()))
    await store.commit(s.commit(graph, documents=tuple(writes), vectors=vectors))
    return found


@pytest.mark.parametrize(
    ("valid", "known_at", "revisions"),
    [
        (None, s.at(2030), {"a", "b", "none"}),
        (Interval(s.at(2019), s.at(2019) + 1), s.at(2030), {"none"}),
        (Interval(s.at(2020), s.at(2020) + 1), s.at(2030), {"a"}),
        (Interval(s.at(2022) - 1, s.at(2022)), s.at(2030), {"a"}),
        (Interval(s.at(2022) - 1, s.at(2022) + 1), s.at(2030), {"a", "b"}),
        (Interval(s.at(2025), s.at(2026)), s.at(2030), {"b"}),
        (Interval(s.at(2025), s.at(2026)), s.at(2024, 1, 1), {"a"}),
        (Interval(s.at(2025), s.at(2026)), s.at(2023), set()),
    ],
)
async def test_chunks_of_the_revision_in_force(
    store: GraphStore, graph: str, valid: Interval | None, known_at: int, revisions: set[str]
) -> None:
    ids = await policy(store, graph)
    seen = Visibility(known_at, None)
    wanted = {ids[revision] for revision in revisions}
    by_text = await store.search_text(graph, "chunk", ["records"], seen, valid, 10)
    by_vector = await store.search_vector(graph, "chunk", s.unit(1.0), seen, valid, 10)
    assert {hit.id for hit in by_text} == wanted
    assert {hit.id for hit in by_vector} == wanted


async def test_words_find_events(store: GraphStore, graph: str) -> None:
    head = s.header(graph, title="Staff news")
    sentences = [
        "Ann O'Brien became CTO of Acme on 3 May 2021.",
        "The retention-period is 30 days.",
        "日本銀行は政策を変更した。",
        "The tea is hot.",
        "Node.js replaced C++ in v3.1 (see _notes_).",
    ]
    events = tuple(s.event(head, sentence, i) for i, sentence in enumerate(sentences))
    await store.commit(s.commit(graph, documents=(s.write(head, events=events),)))

    async def found(*words: str) -> list[int]:
        hits = await store.search_text(graph, "event", words, EVERYTHING, None, 10)
        return sorted(next(i for i, e in enumerate(events) if e.event.event_id == hit.id) for hit in hits)

    assert await found("CTO") == [0]
    assert await found("o’brien") == [0], "a curly apostrophe is no letter"
    assert await found("retention-period") == [1]
    assert await found("政策") == [2]
    assert await found("銀行") == [2]
    assert await found("the", "tea") == [3], "common words are left out"
    assert await found("the") == [1, 3], "unless there are no others"
    assert await found("node.js") == [4]
    assert await found("_notes_") == [4]
    assert await found("staff") == [0, 1, 2, 3, 4], "the title of the document counts"
    assert await found("") == await found() == await found("-- | ()", '"', "\\") == []
    assert await found("absent") == []


async def test_text_scores_fall_and_ties_are_ordered(store: GraphStore, graph: str) -> None:
    head = s.header(graph)
    events = tuple(s.event(head, "alpha beta" if i % 3 else "alpha", i) for i in range(9))
    await store.commit(s.commit(graph, documents=(s.write(head, events=events),)))
    hits = await store.search_text(graph, "event", ["alpha", "beta"], EVERYTHING, None, 20)
    assert len(hits) == 9
    assert hits == sorted(hits, key=lambda hit: (-hit.score, hit.id))
    assert hits[:4] == await store.search_text(graph, "event", ["alpha", "beta"], EVERYTHING, None, 4)
    assert {hit.id for hit in hits[:6]} == {e.event.event_id for i, e in enumerate(events) if i % 3}


async def test_event_time_filters_both_legs(store: GraphStore, graph: str) -> None:
    head = s.header(graph)
    dated = [
        s.event(head, "tea", year, Interval(s.at(year), s.at(year + 1), Granularity.YEAR))
        for year in range(2000, 2020)
    ]
    static = s.event(head, "tea", 1, None, (), TimeState.STATIC)
    unresolved = s.event(head, "tea", 2)
    events = (*dated, static, unresolved)
    vectors = tuple(s.vector(event.event.event_id, 1.0, i / 10) for i, event in enumerate(events))
    await store.commit(s.commit(graph, documents=(s.write(head, events=events),), vectors=vectors))
    valid = Interval(s.at(2005, 6), s.at(2007))
    wanted = [event.event.event_id for event in dated[5:7]]
    for leg in ("text", "vector"):
        search = store.search_text if leg == "text" else store.search_vector
        asked = ["tea"] if leg == "text" else s.unit(1.0)
        hits = await search(graph, "event", asked, EVERYTHING, valid, 10)  # type: ignore[arg-type]
        assert {hit.id for hit in hits} == set(wanted), "its revision is not in force in 2006"
        later = Interval(s.at(2024, 5), s.at(2025))
        hits = await search(graph, "event", asked, EVERYTHING, later, 10)  # type: ignore[arg-type]
        assert {hit.id for hit in hits} == {static.event.event_id}
        hits = await search(graph, "event", asked, EVERYTHING, None, 30)  # type: ignore[arg-type]
        assert len(hits) == 22


async def test_vector_scores_are_cosines(store: GraphStore, graph: str) -> None:
    head = s.header(graph)
    events = tuple(s.event(head, f"e{i}", i) for i in range(3))
    components = ((1.0,), (1.0, 1.0), (-1.0,))
    vectors = tuple(s.vector(e.event.event_id, *c) for e, c in zip(events, components, strict=True))
    await store.commit(s.commit(graph, documents=(s.write(head, events=events),), vectors=vectors))
    hits = await store.search_vector(graph, "event", s.unit(1.0), EVERYTHING, None, 3)
    assert [hit.id for hit in hits] == [event.event.event_id for event in events]
    assert [hit.score for hit in hits] == pytest.approx([1.0, 0.5**0.5, -1.0], abs=1e-3)


async def test_every_vector_finds_itself_whatever_happened_since(
    store: GraphStore, graph: str, rng: random.Random
) -> None:
    """Closing, replaying and withdrawing must not take result slots from the living."""
    source = np.random.default_rng(rng.randrange(1 << 30))
    head = s.header(graph)
    events = tuple(s.event(head, f"word{i}", i, Interval(s.at(2000), s.at(2001))) for i in range(300))
    rows = source.normal(size=(300, s.DIMENSIONS)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    vectors = tuple(NewVector(e.event.event_id, "event", row) for e, row in zip(events, rows, strict=True))
    one = s.write(head, events=events)
    await store.commit(s.commit(graph, -1, 0, documents=(one,), vectors=vectors))
    for step in range(5):
        moved = ((one.record.origin, head.recorded_at - step),)
        again = s.commit(graph, step, step + 1, documents=(one,), vectors=vectors, recorded_earlier=moved)
        assert await store.commit(again) is not None
    for event, row in zip(events, rows, strict=True):
        hits = await store.search_vector(graph, "event", row, EVERYTHING, None, 10)
        assert hits[0].id == event.event.event_id
        assert len(hits) == 10


async def test_a_narrow_constraint_finds_the_few_among_many(
    store: GraphStore, graph: str, rng: random.Random
) -> None:
    source = np.random.default_rng(rng.randrange(1 << 30))
    head = s.header(graph)
    rows = source.normal(size=(600, s.DIMENSIONS)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    order = np.argsort(rows @ s.unit(1.0))
    rare = {int(i) for i in order[:5]}
    events = tuple(
        s.event(
            head, "x", i, Interval(s.at(1990), s.at(1991)) if i in rare else Interval(s.at(2010), s.at(2011))
        )
        for i in range(600)
    )
    vectors = tuple(NewVector(e.event.event_id, "event", row) for e, row in zip(events, rows, strict=True))
    await store.commit(s.commit(graph, documents=(s.write(head, events=events),), vectors=vectors))
    hits = await store.search_vector(
        graph, "event", s.unit(1.0), EVERYTHING, Interval(s.at(1990), s.at(1992)), 10
    )
    assert {hit.id for hit in hits} == {events[i].event.event_id for i in rare}, (
        "the farthest of all, yet found"
    )


async def test_what_is_hidden_does_not_starve_the_vector_leg(store: GraphStore, graph: str) -> None:
    secret, public = s.header(graph, "secret", labels=("hr",)), s.header(graph, "public")
    hidden = tuple(s.event(secret, "x", i) for i in range(400))
    shown = tuple(s.event(public, "x", i) for i in range(3))
    vectors = [s.vector(e.event.event_id, 1.0, 0.0001 * i) for i, e in enumerate(hidden)]
    vectors += [s.vector(e.event.event_id, 0.1, 1.0) for e in shown]
    writes = (s.write(secret, events=hidden), s.write(public, events=shown))
    await store.commit(s.commit(graph, documents=writes, vectors=tuple(vectors)))
    seen = Visibility(s.at(2030), frozenset())
    hits = await store.search_vector(graph, "event", s.unit(1.0), seen, None, 3)
    assert {hit.id for hit in hits} == {e.event.event_id for e in shown}


@pytest.mark.parametrize(
    "seen",
    [Visibility(s.at(2010), None), Visibility(s.at(2030), frozenset({"audit"}))],
    ids=["known", "labels"],
)
async def test_the_few_that_may_be_seen_are_found_among_thousands_that_may_not(
    store: GraphStore, graph: str, seen: Visibility
) -> None:
    """More is nearer than the index is ever asked for, and nothing of that may be seen."""
    secret = s.header(graph, "secret", labels=("hr",), recorded_at=s.at(2020))
    public = s.header(graph, "public", recorded_at=s.at(2009))
    when = Interval(s.at(1990), s.at(1991))
    hidden = tuple(s.event(secret, "x", i, when) for i in range(4_500))
    shown = tuple(s.event(public, "x", i, when) for i in range(3))
    vectors = [s.vector(e.event.event_id, 1.0, 0.0001 * i) for i, e in enumerate(hidden)]
    vectors += [s.vector(e.event.event_id, 0.1, 1.0) for e in shown]
    writes = (s.write(secret, events=hidden), s.write(public, events=shown))
    await store.commit(s.commit(graph, documents=writes, vectors=tuple(vectors)))
    for valid in (None, Interval(s.at(1900), s.at(2100))):
        found = await store.search_vector(graph, "event", s.unit(1.0), seen, valid, 3)
        assert {hit.id for hit in found} == {e.event.event_id for e in shown}


async def test_withdrawn_rows_are_found_only_at_the_time(store: GraphStore, graph: str) -> None:
    head = s.header(graph)
    one = s.write(head, (s.chunk(head, "tea"),), (s.event(head, "tea"),))
    vectors = (s.vector(one.events[0].event.event_id, 1.0),)
    await store.commit(s.commit(graph, -1, 0, documents=(one,), vectors=vectors))
    gone = tuple((origin, s.at(2024, 8)) for origin in (one.record.origin, one.record.revision_origin))
    await store.commit(s.commit(graph, 0, 1, withdrawn=gone))
    for known_at, count in ((s.at(2024, 7), 1), (s.at(2024, 8), 0)):
        seen = Visibility(known_at, None)
        assert len(await store.search_text(graph, "event", ["tea"], seen, None, 5)) == count
        assert len(await store.search_text(graph, "chunk", ["tea"], seen, None, 5)) == count
        assert len(await store.search_vector(graph, "event", s.unit(1.0), seen, None, 5)) == count


async def test_of_equally_near_rows_those_with_the_first_ids_are_found(
    store: GraphStore, graph: str, rng: random.Random
) -> None:
    head = s.header(graph)
    events = [s.event(head, f"word{i}", i) for i in range(40)]
    near = set(rng.sample([e.event.event_id for e in events], 3))
    vectors = [
        s.vector(e.event.event_id, 1.0, 0.1 if e.event.event_id in near else 0.5)
        for e in rng.sample(events, 40)
    ]
    documents = (s.write(head, events=tuple(events)),)
    await store.commit(s.commit(graph, documents=documents, vectors=tuple(vectors)))
    others = sorted(e.event.event_id for e in events if e.event.event_id not in near)
    for limit in (2, 6, 30):
        hits = await store.search_vector(graph, "event", s.unit(1.0), EVERYTHING, None, limit)
        assert [hit.id for hit in hits] == [*sorted(near), *others][:limit]


async def test_the_reader_of_one_request_finds_what_the_store_finds(store: GraphStore, graph: str) -> None:
    await policy(store, graph)
    reader, valid = store.for_request(), Interval(s.at(2025), s.at(2026))
    for _ in range(2):
        found = await reader.search_vector(graph, "chunk", s.unit(1.0), EVERYTHING, valid, 5)
        assert found == await store.search_vector(graph, "chunk", s.unit(1.0), EVERYTHING, valid, 5) != []
        said = await reader.search_text(graph, "chunk", ["records"], EVERYTHING, valid, 5)
        assert said == await store.search_text(graph, "chunk", ["records"], EVERYTHING, valid, 5) != []


async def test_one_request_asks_once_when_revisions_are_in_force(falkor: FalkorStore) -> None:
    graph = "own"
    await falkor.prepare(graph)
    await policy(falkor, graph)
    reader = falkor.for_request()
    first = await reader.in_force(graph, ["policy"], EVERYTHING)
    assert first == await falkor.in_force(graph, ["policy"], EVERYTHING) != {}
    sent = falkor.connection.round_trips
    assert await reader.in_force(graph, ["policy"], EVERYTHING) == first
    assert falkor.connection.round_trips == sent
    assert await reader.in_force(graph, ["policy", "none"], EVERYTHING) == first
    earlier = Visibility(s.at(2024, 1, 1), None)
    assert await reader.in_force(graph, ["policy"], earlier) == await falkor.in_force(
        graph, ["policy"], earlier
    )
