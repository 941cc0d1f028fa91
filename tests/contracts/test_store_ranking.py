"""BM25 and exact ranking: both stores score alike, from counts that the writer keeps."""

from __future__ import annotations

import math
import random

import pytest
from tests.contracts import samples as s

from tidegraph.domain.documents import TimeState
from tidegraph.domain.interval import Granularity, Interval
from tidegraph.ports import GraphStore, Visibility
from tidegraph.storage import bm25, search, terms
from tidegraph.storage.falkor import FalkorStore
from tidegraph.storage.visibility import EVERYTHING


def by_hand(texts: list[str], asked: list[str], text: str) -> float:
    """BM25 straight from its definition."""
    rows = [one.split() for one in texts]
    average = sum(map(len, rows)) / len(rows)
    words = text.split()
    total = 0.0
    for word in asked:
        held = sum(word in row for row in rows)
        often = words.count(word)
        idf = math.log(1 + (len(rows) - held + 0.5) / (held + 0.5))
        total += idf * often * 2.2 / (often + 1.2 * (0.25 + 0.75 * len(words) / average))
    return total


async def test_scores_are_bm25_whatever_the_caller_sees(store: GraphStore, graph: str) -> None:
    open_, closed = s.header(graph, "a"), s.header(graph, "b", labels=("secret",))
    sentences = ["alpha beta beta", "alpha", "gamma alpha alpha alpha delta epsilon zeta", "beta eta"]
    events = [s.event(open_, text, i) for i, text in enumerate(sentences[:3])]
    hidden = s.event(closed, sentences[3], 3)
    writes = (s.write(open_, events=tuple(events)), s.write(closed, events=(hidden,)))
    await store.commit(s.commit(graph, documents=writes))
    texts = [terms.words(event.title, event.event.sentence) for event in (*events, hidden)]
    wanted = {
        event.event.event_id: by_hand(texts, ["alpha", "beta"], text)
        for event, text in zip((*events, hidden), texts, strict=True)
    }
    hits = await store.search_text(graph, "event", ["alpha", "beta"], EVERYTHING, None, 10)
    assert {hit.id: hit.score for hit in hits} == pytest.approx(wanted)
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
    assert {hit.document_id for hit in hits} == {"a", "b"}
    seen = Visibility(EVERYTHING.known_at, frozenset())
    visible = await store.search_text(graph, "event", ["alpha", "beta"], seen, None, 10)
    del wanted[hidden.event.event_id]
    assert {hit.id: hit.score for hit in visible} == pytest.approx(wanted), "labels change no score"


@pytest.mark.parametrize("limit", [1, 7, 20, 500])
async def test_asking_by_classes_of_words_finds_what_asking_word_by_word_does(
    store: GraphStore, graph: str, limit: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    rng, header = random.Random(limit), s.header(graph, "a")
    words = ["alpha", "beta", "gamma", "delta", "clubs", "\u6771\u4eac"]
    sentences = [" ".join([*rng.sample(words, rng.randint(1, 4)), "filler"]) for _ in range(150)]
    events = tuple(s.event(header, text, i) for i, text in enumerate(sentences))
    await store.commit(s.commit(graph, documents=(s.write(header, events=events),)))
    for asked in (["alpha"], ["alpha", "gamma"], ["club", "beta", "delta"], words):
        by_class = await store.search_text(graph, "event", asked, EVERYTHING, None, limit)
        with monkeypatch.context() as patch:
            patch.setattr(search, "MAX_CLASS_WORDS", 0)
            assert by_class == await store.search_text(graph, "event", asked, EVERYTHING, None, limit)
        assert by_class


def test_a_word_found_in_another_form_counts_once() -> None:
    counts = bm25.Statistics.of("event", ["club"], {"event#rows": 10, "event#words": 40, "event:club": 2})
    assert counts.score("clubs of the town", ["club"]) == counts.score("club of the town", ["club"])
    assert counts.score("club club club town", ["club"]) > counts.score("club of the town", ["club"])


async def test_events_are_ranked_by_entity_document_and_id(store: GraphStore, graph: str) -> None:
    one, two = s.header(graph, "one"), s.header(graph, "two")
    acme, orlan = s.entity_id(graph, "acme"), s.entity_id(graph, "orlan")
    when = Interval(s.at(2020), s.at(2021), Granularity.YEAR)
    events = [
        s.event(one, "first", 0, when, (acme,)),
        s.event(one, "second", 1, Interval(s.at(2023), s.at(2024), Granularity.YEAR), (acme, orlan)),
        s.event(two, "third", 2, when, (orlan,)),
        s.event(two, "static", 3, None, (orlan,), TimeState.STATIC),
    ]
    vectors = tuple(s.vector(event.event.event_id, 1.0, 0.3 * i) for i, event in enumerate(events))
    writes = (s.write(one, events=tuple(events[:2])), s.write(two, events=tuple(events[2:])))
    entities = tuple(s.entity(graph, name) for name in ("acme", "orlan"))
    await store.commit(s.commit(graph, documents=writes, entities=entities, vectors=vectors))
    ids = [event.event.event_id for event in events]

    async def ranked(by: str, asked: list[str], valid: Interval | None = None) -> list[int]:
        hits = await store.rank_events(graph, by, asked, s.unit(1.0), EVERYTHING, valid, 10)
        assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)
        return [ids.index(hit.id) for hit in hits]

    assert await ranked("entity", [acme]) == [0, 1]
    assert await ranked("entity", [orlan]) == [1, 2, 3]
    assert await ranked("entity", [acme, orlan]) == [0, 1, 2, 3], "each once"
    assert await ranked("document", ["two"]) == [2, 3]
    assert await ranked("event", [ids[3], ids[0], "none"]) == [0, 3]
    assert await ranked("document", ["one"], Interval(s.at(2019), s.at(2022))) == [0]
    assert await ranked("event", []) == []
    sketches = await store.sketches(graph, [ids[2], "none", ids[0]], EVERYTHING)
    assert [sketch.event_id for sketch in sketches] == [ids[2], ids[0]]
    assert sketches[0].sentence == "third"
    assert sketches[0].entity_ids == events[2].entity_ids


async def test_one_request_counts_its_words_once(falkor: FalkorStore) -> None:
    await falkor.prepare("own")
    head = s.header("own")
    events = tuple(s.event(head, text, i) for i, text in enumerate(("red tea", "green tea", "tea")))
    chunks = (s.chunk(head, "red tea and green tea"),)
    await falkor.commit(s.commit("own", documents=(s.write(head, chunks, events),)))
    reader = falkor.for_request()
    for words in (["red", "tea"], ["green"], ["red", "tea"]):
        for what in ("event", "chunk"):
            found = await reader.search_text("own", what, words, EVERYTHING, None, 5)
            assert found == await falkor.search_text("own", what, words, EVERYTHING, None, 5) != []
    sent = falkor.connection.round_trips
    await reader.search_text("own", "chunk", ["green"], EVERYTHING, None, 5)
    assert falkor.connection.round_trips == sent + 1
