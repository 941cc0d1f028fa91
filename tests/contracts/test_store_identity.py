"""What both stores know of identity: rows with a recorded interval, traits, decisions about pairs."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from tests.contracts import samples as s

from tidegraph.domain import identity
from tidegraph.domain.documents import EntityType
from tidegraph.domain.errors import LimitExceeded
from tidegraph.domain.identity import IdentityWrites, Rule, Sighting, Tie, Tied
from tidegraph.domain.interval import OPEN_END, Interval
from tidegraph.ports import EntityWrite, GraphStore, Visibility
from tidegraph.storage.falkor import FalkorStore
from tidegraph.storage.visibility import EVERYTHING

EARLY, MIDDLE, LATE = s.at(2024, 1), s.at(2024, 2), s.at(2024, 3)


def entities(*names: str) -> tuple[EntityWrite, ...]:
    return tuple(EntityWrite(n, n, EntityType.PERSON, ((n, n.title()),), EARLY) for n in names)


def tied(left: str, right: str, tie: Tie = Tie.SAME, labels: tuple[str, ...] = ()) -> Tied:
    return Tied(left, right, tie, Rule.PROFILE, "", "same name", labels)


def row(one: Tied, start: int, end: int = OPEN_END) -> identity.SameAs:
    return identity.row(one, Interval(start, end))


async def write(store: GraphStore, graph: str, offset: int, names: str, writes: IdentityWrites) -> None:
    made = s.commit(graph, offset - 1, offset, entities=entities(*names))
    assert await store.commit(replace(made, identity=writes)) is not None


async def test_a_set_is_followed_as_of_known_at(store: GraphStore, graph: str) -> None:
    ab, bc, cd = row(tied("a", "b"), EARLY), row(tied("b", "c"), MIDDLE), row(tied("c", "d"), LATE)
    await write(store, graph, 0, "abcdex", IdentityWrites(insert=(ab, bc, cd)))
    for known, rows in ((EARLY - 1, []), (EARLY, [ab]), (MIDDLE, [ab, bc]), (LATE, [ab, bc, cd])):
        found = await store.same_as(graph, ["a", "x"], Visibility(known, None))
        assert sorted(r.row_id for r in found) == sorted(r.row_id for r in rows)
        assert [r.row_id for r in found] == sorted(r.row_id for r in found)


async def test_a_closed_row_is_still_there_for_then_and_moves_earlier_only(
    store: GraphStore, graph: str
) -> None:
    ab = row(tied("a", "b"), EARLY)
    await write(store, graph, 0, "ab", IdentityWrites(insert=(ab,)))
    await write(store, graph, 1, "", IdentityWrites(close=((ab.row_id, MIDDLE),)))
    await write(store, graph, 2, "", IdentityWrites(close=((ab.row_id, LATE),)))
    assert await store.same_as(graph, ["b"], Visibility(MIDDLE - 1, None))
    assert not await store.same_as(graph, ["b"], Visibility(MIDDLE, None))
    assert [r.invalidated_at for r in await store.ties(graph, ["a"])] == [MIDDLE]


async def test_reviews_join_nothing_and_are_paged(store: GraphStore, graph: str) -> None:
    rows = [row(tied(x, y, Tie.REVIEW), EARLY) for x, y in (("a", "b"), ("a", "c"), ("b", "c"))]
    gone = row(tied("c", "d", Tie.REVIEW), EARLY, MIDDLE)
    await write(store, graph, 0, "abcd", IdentityWrites(insert=(*rows, gone)))
    assert not await store.same_as(graph, ["a"], EVERYTHING)
    first = await store.reviews(graph, "", 2, EVERYTHING)
    rest = await store.reviews(graph, first[-1].row_id, 2, EVERYTHING)
    assert [*first, *rest] == sorted(rows, key=lambda r: r.row_id)
    assert gone in await store.all_ties(graph)


async def test_a_row_with_labels_is_seen_by_their_holders(store: GraphStore, graph: str) -> None:
    ab = row(tied("a", "b", labels=("hr",)), EARLY)
    await write(store, graph, 0, "ab", IdentityWrites(insert=(ab,)))
    assert await store.same_as(graph, ["a"], Visibility(LATE, frozenset({"hr"}))) == [ab]
    assert await store.same_as(graph, ["a"], Visibility(LATE, frozenset({"it"}))) == []


async def test_a_row_between_unknown_ids_is_not_written(store: GraphStore, graph: str) -> None:
    await write(store, graph, 0, "a", IdentityWrites(insert=(row(tied("a", "z"), EARLY),)))
    assert await store.all_ties(graph) == []


async def test_a_set_without_end_is_refused(
    store: GraphStore, graph: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tidegraph.storage.identity.MAX_SET", 3)
    rows = tuple(row(tied(a, b), EARLY) for a, b in ("ab", "bc", "cd", "de", "ef"))
    await write(store, graph, 0, "abcdef", IdentityWrites(insert=rows))
    with pytest.raises(LimitExceeded):
        await store.same_as(graph, ["a"], EVERYTHING)


def seen(entity_id: str, document: str, recorded_at: int, **fields: Any) -> Sighting:
    base = Sighting(
        entity_id, document, ((1, entity_id.title()),), (), ("n:k", "t:a b"), (), s.at(2020), recorded_at
    )
    return replace(base, **fields)


async def test_sightings_keep_the_earliest_time_and_are_found_by_key(store: GraphStore, graph: str) -> None:
    late = tuple(seen(n, "d", LATE) for n in "abc")
    full = seen(
        "a", "e", MIDDLE, slots=(("born", "1822"),), words=("of", "x"), names=((1, 'A "B"'), (2, "C"))
    )
    await write(store, graph, 0, "", IdentityWrites(sightings=(*late, full)))
    await write(store, graph, 1, "", IdentityWrites(sightings=(seen("c", "d", EARLY),)))
    await write(store, graph, 2, "", IdentityWrites(sightings=(seen("c", "d", MIDDLE),)))
    assert await store.holders(graph, ["n:k", "none"], 2) == {"n:k": [("c", EARLY), ("a", MIDDLE)]}
    bare = [replace(one, keys=()) for one in (full, seen("a", "d", LATE), seen("c", "d", EARLY))]
    assert await store.sightings(graph, ["c", "a", "none"]) == bare


async def test_evidence_brings_what_is_known_of_the_holders_of_rare_keys(
    store: GraphStore, graph: str
) -> None:
    told = (
        seen("a", "d", EARLY, keys=("rare", "busy")),
        seen("b", "d", EARLY, keys=("rare", "busy")),
        seen("c", "d", MIDDLE, keys=("busy",)),
        seen("e", "d", MIDDLE, keys=()),
    )
    pairs = tuple(identity.merge_pairs("ac", "m1", Rule.OPERATOR, "ann", "one", LATE))
    rows = (row(tied("a", "b"), EARLY),)
    await write(store, graph, 0, "abce", IdentityWrites(insert=rows, sightings=told, decisions=pairs))
    found = await store.identity_evidence(graph, ["e"], ["rare", "busy", "none"], 3, MIDDLE - 1)
    assert found.holders == {
        "rare": [("a", EARLY), ("b", EARLY)],
        "busy": [("a", EARLY), ("b", EARLY), ("c", MIDDLE)],
    }
    assert [one.entity_id for one in found.sightings] == ["a", "b", "e"], "not c: too many have its key"
    assert not found.crowded
    assert found.decisions == pairs
    assert found.ties == rows
    later = await store.identity_evidence(graph, ["e"], ["rare", "busy", "none"], 3, MIDDLE)
    assert later.holders == {"rare": [("a", EARLY), ("b", EARLY)]}, "who had it first finds nobody by then"
    assert later.crowded == {"busy": MIDDLE}
    assert later.sightings == found.sightings
    assert await store.identity_evidence(graph, [], [], 3, LATE) == identity.IdentityEvidence((), (), (), {})
    alone = await store.identity_evidence(graph, ["c"], [], 3, LATE)
    assert [one.entity_id for one in alone.sightings] == ["c"]


async def test_sightings_of_a_withdrawn_document_are_found_by_it_and_say_when(
    store: GraphStore, graph: str
) -> None:
    told = (seen("a", "d", EARLY), seen("b", "d", MIDDLE), seen("b", "other", MIDDLE))
    await write(store, graph, 0, "", IdentityWrites(sightings=told))
    bare = [replace(one, keys=()) for one in told]
    assert await store.sightings_of(graph, ["d", "none"]) == bare[:2]
    for offset, gaps in enumerate([(Interval(MIDDLE, LATE), Interval(LATE + 5, OPEN_END)), (), ()], start=1):
        await write(store, graph, offset, "", IdentityWrites(gaps=((told[0].row_id, gaps),)))
        moved = replace(bare[0], gaps=gaps)
        assert await store.sightings_of(graph, ["d"]) == [moved, bare[1]]
        assert await store.sightings(graph, ["a"]) == [moved]
    new = seen("e", "d", LATE, gaps=(Interval(LATE, OPEN_END),))
    await write(store, graph, 4, "", IdentityWrites(sightings=(new,)))
    assert (await store.identity_evidence(graph, ["e"], [], 3, LATE)).sightings == (replace(new, keys=()),)


async def test_sightings_that_do_not_count_any_more_lose_their_keys(store: GraphStore, graph: str) -> None:
    told = (seen("a", "d", EARLY, keys=("k", "m")), seen("a", "e", MIDDLE, keys=("k",)))
    await write(store, graph, 0, "", IdentityWrites(sightings=told))
    for offset in (1, 2):
        await write(store, graph, offset, "", IdentityWrites(dropped=(told[0].row_id, "none")))
        assert await store.holders(graph, ["k", "m"], 5) == {"k": [("a", MIDDLE)]}
    assert [one.document_id for one in await store.sightings(graph, ["a"])] == ["d", "e"]
    again = replace(told[0], recorded_at=EARLY - 5)
    await write(store, graph, 3, "", IdentityWrites(sightings=(again,)))
    assert await store.holders(graph, ["k", "m"], 5) == {"k": [("a", EARLY - 5)], "m": [("a", EARLY - 5)]}


async def test_the_first_sightings_of_an_id_count(store: GraphStore, graph: str) -> None:
    many = [seen("a", f"d{n}", LATE + n) for n in range(identity.MAX_SIGHTINGS + 3)]
    await write(store, graph, 0, "", IdentityWrites(sightings=tuple(reversed(many))))
    found = await store.sightings(graph, ["a"])
    assert [one.document_id for one in found] == [one.document_id for one in many[: identity.MAX_SIGHTINGS]]


async def test_decisions_about_pairs_are_found_from_either_side(store: GraphStore, graph: str) -> None:
    merge = identity.merge_pairs("bac", "m1", Rule.OPERATOR, "ann", "one person", LATE)
    again = identity.merge_pairs("bac", "m1", Rule.OPERATOR, "ann", "one person", EARLY)
    await write(store, graph, 0, "", IdentityWrites(decisions=tuple(merge)))
    await write(store, graph, 1, "", IdentityWrites(decisions=tuple(again)))
    found = await store.pair_decisions(graph, ["b"])
    assert [(d.left, d.right, d.same, d.recorded_at) for d in found] == [
        ("a", "b", True, EARLY),
        ("b", "c", True, EARLY),
    ]
    assert found[0] == again[0]


async def test_a_set_is_counted_by_its_events_once(store: GraphStore, graph: str) -> None:
    head = s.header(graph)
    when = Interval(s.at(2024), s.at(2024, 2))
    events = (
        s.event(head, "one", 0, when, ("a",)),
        s.event(head, "two", 1, when, ("a", "b")),
        s.event(head, "three", 2, when, ("b",)),
        s.event(head, "undated", 3, None, ("b",)),
    )
    made = s.commit(graph, -1, 0, entities=entities(*"abc"), documents=(s.write(head, events=events),))
    assert await store.commit(made) is not None
    sets = {"ab": ["a", "b"], "b": ["b"], "c": ["c", "zz"]}
    assert await store.set_counts(graph, sets, 10) == {"ab": 3, "b": 2, "c": 0}
    assert await store.set_counts(graph, sets, 1) == {"ab": 1, "b": 1, "c": 0}
    assert await store.set_counts(graph, sets, 10, head.recorded_at) == {"ab": 3, "b": 2, "c": 0}
    assert await store.set_counts(graph, sets, 10, head.recorded_at - 1) == {"ab": 0, "b": 0, "c": 0}


async def test_ids_seen_to_be_tied_to_none_are_not_looked_for_again(falkor: FalkorStore) -> None:
    await falkor.prepare("own")
    rows = (
        row(tied("a", "b"), EARLY),
        row(tied("c", "d"), EARLY, MIDDLE),
        row(tied("e", "f", labels=("hr",)), EARLY),
    )
    await write(falkor, "own", 0, "abcdefx", IdentityWrites(insert=rows))
    reader = falkor.for_request()
    await reader.entities("own", list("acex"))
    sent = falkor.connection.round_trips
    assert await reader.same_as("own", ["x"], EVERYTHING) == []
    assert falkor.connection.round_trips == sent
    for seen in (EVERYTHING, Visibility(EARLY, frozenset()), Visibility(EARLY, frozenset({"hr"}))):
        asked = [*"abcdefx"]
        assert await reader.same_as("own", asked, seen) == await falkor.same_as("own", asked, seen) != []
