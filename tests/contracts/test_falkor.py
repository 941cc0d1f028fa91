"""What only the real store can show: the engine's own rules, at its edges."""

from __future__ import annotations

import random
import unicodedata
from typing import Any

import numpy as np
import pytest
from tests.contracts import samples as s

from tidegraph.domain.errors import Bug, Rejected, Retryable
from tidegraph.domain.interval import OPEN_END, Interval
from tidegraph.domain.predicates import Registry
from tidegraph.ports import ChangeRow, FactFilter, NewVector, Visibility
from tidegraph.settings import StoreSettings
from tidegraph.storage import schema, terms
from tidegraph.storage.falkor import FalkorStore, open_store
from tidegraph.storage.visibility import EVERYTHING

SIGNS = "()|-\"'\\@{}[]:;<>~*%$!&^+=,./_#`?\t\n \u2019\u201c\u2028\u00a0\u200b\ufeff\U0001f30a\x01\x7f"


def hostile(rng: random.Random) -> str:
    """A text of words, signs, operators and characters of anywhere."""
    pieces = []
    for _ in range(rng.randrange(1, 12)):
        kind = rng.randrange(5)
        if kind == 0:
            pieces.append("".join(rng.choice(SIGNS) for _ in range(rng.randrange(1, 5))))
        elif kind == 1:
            pieces.append(
                rng.choice(["AND", "OR", "NOT", "the", "it", "*", "%%fuzzy%%", "@words:x", "=>{$weight:2}"])
            )
        elif kind == 2:
            pieces.append(chr(rng.choice([rng.randrange(1, 0xD800), rng.randrange(0xE000, 0x110000)])))
        else:
            pieces.append("".join(rng.choice("abcxyz0189éßд本") for _ in range(rng.randrange(1, 7))))
    return "".join(piece + rng.choice(["", " "]) for piece in pieces)


@pytest.fixture
async def graph(falkor: FalkorStore) -> str:
    await falkor.prepare("tenant")
    return "tenant"


async def test_any_text_comes_back_and_finds_itself(
    falkor: FalkorStore, graph: str, rng: random.Random
) -> None:
    texts = [hostile(rng) for _ in range(250)]
    head = s.header(graph)
    events = tuple(s.event(head, text, place) for place, text in enumerate(texts))
    await falkor.commit(s.commit(graph, documents=(s.write(head, events=events),)))
    stored = await falkor.events(graph, [event.event.event_id for event in events], EVERYTHING)
    assert [event.event.sentence for event in stored] == texts
    for event, text in zip(events, texts, strict=True):
        hits = {hit.id for hit in await falkor.search_text(graph, "event", [text], EVERYTHING, None, 1000)}
        assert (event.event.event_id in hits) == bool(terms.tokens(text)), repr(text)


async def test_every_word_character_is_indexed_as_it_is_asked_for(falkor: FalkorStore, graph: str) -> None:
    """A sample of every script: what the builder keeps, the index must not cut differently."""
    chars = [chr(code) for code in range(0x21, 0x3000, 7) if unicodedata.category(chr(code))[0] in "LN"]
    head = s.header(graph)
    events = tuple(s.event(head, f"w{char}w", place) for place, char in enumerate(chars))
    await falkor.commit(s.commit(graph, documents=(s.write(head, events=events),)))
    for event, char in zip(events, chars, strict=True):
        hits = {
            hit.id for hit in await falkor.search_text(graph, "event", [f"w{char}w"], EVERYTHING, None, 1000)
        }
        assert event.event.event_id in hits, hex(ord(char))


async def test_many_terms_still_find_something(falkor: FalkorStore, graph: str) -> None:
    head = s.header(graph)
    await falkor.commit(s.commit(graph, documents=(s.write(head, events=(s.event(head, "needle"),)),)))
    words = (
        [f"straw{number}" for number in range(20)] + ["needle"] + [f"hay{number}" for number in range(500)]
    )
    assert len(await falkor.search_text(graph, "event", words, EVERYTHING, None, 5)) == 1


async def test_a_common_word_costs_no_more_than_the_budget(falkor: FalkorStore, graph: str) -> None:
    head = s.header(graph)
    events = tuple(s.event(head, "tea " + ("rare" if place == 7 else "pot"), place) for place in range(60))
    await falkor.commit(s.commit(graph, documents=(s.write(head, events=events),)))
    hits = await falkor.search_text(graph, "event", ["tea", "rare"], EVERYTHING, None, 60)
    assert len(hits) == 60
    assert hits[0].id == events[7].event.event_id
    assert terms.rarest(["tea", "rare"], {"tea": 60, "rare": 1}, budget=10) == ["rare"]


# --- schema -----------------------------------------------------------------------------------------


async def test_every_index_is_there_before_the_first_row(falkor: FalkorStore, graph: str) -> None:
    assert await schema.missing(falkor.connection, graph) == set()
    rows = await falkor.connection.read(graph, "MATCH (n) RETURN labels(n), count(n)")
    assert rows == [[["Graph"], 1]]


async def test_a_graph_without_its_indexes_is_completed(falkor: FalkorStore) -> None:
    await falkor.connection.write("torn", "CREATE INDEX FOR (n:Event) ON (n.id)")
    assert "Event" in await schema.missing(falkor.connection, "torn")
    await falkor.prepare("torn")
    assert await schema.missing(falkor.connection, "torn") == set()


async def test_ids_are_unique_whoever_writes(falkor: FalkorStore, graph: str) -> None:
    await falkor.connection.write(graph, "CREATE (:Entity {id: 'x'})")
    with pytest.raises(Bug):
        await falkor.connection.write(graph, "CREATE (:Entity {id: 'x'})")


async def test_vectors_of_another_encoder_are_refused(
    falkor: FalkorStore, falkordb_url: str, graph: str, registry: Registry
) -> None:
    settings = StoreSettings("", falkor.connection.prefix, 10_000)
    for dimensions, model in ((s.DIMENSIONS, "other-encoder"), (s.DIMENSIONS + 1, "test-encoder")):
        other = open_store(falkordb_url, settings, registry, dimensions, model)
        with pytest.raises(Rejected) as caught:
            await other.prepare(graph)
        assert caught.value.reason == "ENCODER_CHANGED"
        await other.close()


async def test_a_graph_of_another_schema_version_is_refused(falkor: FalkorStore, graph: str) -> None:
    await falkor.connection.write(graph, "MATCH (g:Graph) SET g.schema_version = 999")
    with pytest.raises(Rejected) as caught:
        await falkor.prepare(graph)
    assert caught.value.reason == "SCHEMA_CHANGED"


async def test_reads_cannot_write(falkor: FalkorStore, graph: str) -> None:
    with pytest.raises(Bug):
        await falkor.connection.read(graph, "CREATE (:Entity {id: 'x'})")


async def test_graphs_of_others_are_not_touched(falkor: FalkorStore, graph: str) -> None:
    await falkor.connection.command("GRAPH.QUERY", "foreign", "CREATE (:Thing)")
    assert await falkor.graphs() == [graph]
    await falkor.connection.command("GRAPH.DELETE", "foreign")


async def test_a_server_with_a_lower_bound_on_time_is_obeyed(falkor: FalkorStore, graph: str) -> None:
    command = falkor.connection.command
    before = {
        name: (await command("GRAPH.CONFIG", "GET", name))[1] for name in ("TIMEOUT_DEFAULT", "TIMEOUT_MAX")
    }
    try:
        await command("GRAPH.CONFIG", "SET", "TIMEOUT_DEFAULT", 900)
        await command("GRAPH.CONFIG", "SET", "TIMEOUT_MAX", 1_000)
        assert await falkor.connection.read(graph, "RETURN 1") == [[1]]
        assert await falkor.commit(s.commit(graph)) is not None
    finally:
        for name in ("TIMEOUT_MAX", "TIMEOUT_DEFAULT"):
            await command("GRAPH.CONFIG", "SET", name, before[name])


# --- times and vectors ------------------------------------------------------------------------------------


async def test_half_open_bounds_are_exact_in_every_age(
    falkor: FalkorStore, graph: str, rng: random.Random
) -> None:
    """Facts of days of antiquity, of microseconds of today and of far days, asked for at their borders."""
    acme = s.entity_id(graph, "Acme")
    starts = [s.at(rng.randrange(-400, 1600)) + rng.randrange(300) * s.DAY for _ in range(20)]
    starts += [s.at(rng.randrange(1700, 2200)) + rng.randrange(10**12) for _ in range(20)]
    starts += [s.at(rng.randrange(2300, 9000)) + rng.randrange(300) * s.DAY for _ in range(20)]
    versions = []
    for number, start in enumerate(starts):
        is_fine = s.at(1690) < start < s.at(2250)
        length = rng.randrange(1, 10**6) if is_fine else rng.randrange(1, 400) * s.DAY
        versions.append(s.version(acme, "lists", f"v{number}", Interval(start, start + length), s.at(2024)))
    await falkor.commit(s.commit(graph, entities=(s.entity(graph, "Acme"),), insert_versions=tuple(versions)))
    for version in versions:
        for instant in (
            version.valid.start - 1,
            version.valid.start,
            version.valid.end - 1,
            version.valid.end,
        ):
            asked = Interval(instant, instant + 1)
            found = await falkor.facts(
                graph, FactFilter(subject_ids=(acme,), valid=asked, limit=100), EVERYTHING
            )
            expected = {v.object for v in versions if v.valid.contains(instant)}
            assert {fact.object for fact in found} == expected, (version, instant)


async def test_stamps_differ_by_a_microsecond(falkor: FalkorStore, graph: str) -> None:
    acme, stamp = s.entity_id(graph, "Acme"), s.at(2026, 11) + 123_457
    fact = s.version(acme, "lists", "x", Interval(s.at(2024), OPEN_END), stamp)
    await falkor.commit(s.commit(graph, entities=(s.entity(graph, "Acme"),), insert_versions=(fact,)))
    for known_at, count in ((stamp - 1, 0), (stamp, 1), (OPEN_END - 1, 1), (OPEN_END, 1)):
        assert len(await falkor.facts(graph, FactFilter(), Visibility(known_at, None))) == count


async def test_the_vector_index_finds_what_an_exact_search_finds(
    falkor: FalkorStore, graph: str, rng: random.Random
) -> None:
    source = np.random.default_rng(rng.randrange(1 << 30))
    head = s.header(graph)
    centres = source.normal(size=(20, s.DIMENSIONS))
    rows = (centres[source.integers(20, size=1500)] + 0.2 * source.normal(size=(1500, s.DIMENSIONS))).astype(
        np.float32
    )
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    events = tuple(s.event(head, "x", place) for place in range(1500))
    vectors = tuple(NewVector(e.event.event_id, "event", row) for e, row in zip(events, rows, strict=True))
    await falkor.commit(s.commit(graph, documents=(s.write(head, events=events),), vectors=vectors))
    found = 0
    for query in rows[:100]:
        best = {events[int(i)].event.event_id for i in np.argsort(-(rows @ query), kind="stable")[:10]}
        hits = await falkor.search_vector(graph, "event", query, EVERYTHING, None, 10)
        found += len(best & {hit.id for hit in hits})
    assert found >= 990, f"recall@10 is {found / 1000}"


@pytest.mark.parametrize("statement", range(4))
async def test_a_graph_whose_changes_were_cut_has_no_mark_of_its_build(
    falkor: FalkorStore, graph: str, monkeypatch: pytest.MonkeyPatch, statement: int
) -> None:
    """Whoever goes on with a build that was interrupted, at whatever statement, reads all its changes."""
    told = tuple(ChangeRow(f"c{n}", 1, "asserted", "e", "v", s.at(2024), "Acme is here") for n in range(3))
    await falkor.commit(s.commit(graph, changes=told))
    write, count = falkor.connection.write, 0

    async def stop(*arguments: Any) -> list[list[Any]]:
        nonlocal count
        count += 1
        if count > statement:
            raise Retryable("STORE_UNAVAILABLE", "away")
        return await write(*arguments)

    monkeypatch.setattr(falkor.connection, "write", stop)
    with pytest.raises(Retryable):
        await falkor.inherit(graph, 7, {"elsewhere/0": 3}, told)
    left = await falkor.changes(graph, 0, 10)
    assert "life/0" not in await falkor.writers(graph) or left == list(told)
