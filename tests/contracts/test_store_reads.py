"""The reader's side: what comes back is what went in, as of both axes, by labels."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.contracts import samples as s

from tidegraph.domain.documents import DocumentKind, EntityType, TimeState
from tidegraph.domain.errors import NotFound
from tidegraph.domain.interval import OPEN_END, OPEN_START, Granularity, Interval
from tidegraph.ports import FactFilter, GraphMade, GraphStore, Neighbour, Visibility
from tidegraph.storage.visibility import EVERYTHING

HOSTILE = "He said \"no\" \\ 'yes' `x` $y {z} [w] \n\t/* c */ // d -- e; RETURN 1 \u2028 日本 🌊 \x01"


async def test_rows_come_back_as_they_went_in(store: GraphStore, graph: str) -> None:
    head = s.header(
        graph,
        "d/1",
        HOSTILE,
        title=HOSTILE,
        labels=("a", "b"),
        source=HOSTILE,
        source_priority=-3,
        parts=2,
        part=1,
    )
    chunk, event = s.chunk(head, HOSTILE), s.event(head, HOSTILE, when=Interval(s.at(1066), s.at(1067)))
    claim = s.assertion(head, "s", "p", HOSTILE, qualifiers=(("role", HOSTILE),), confidence=0.1)
    one = s.write(head, (chunk,), (event,), (claim,))
    await store.commit(s.commit(graph, documents=(one,)))
    assert await store.documents(graph, ["d/1"], EVERYTHING) == [one.record]
    assert await store.chunks(graph, [chunk.chunk.chunk_id], EVERYTHING) == [chunk]
    assert await store.events(graph, [event.event.event_id], EVERYTHING) == [event]
    assert await store.assertions(graph, [claim.key], EVERYTHING) == [claim]
    assert await store.assertions_of(graph, [one.record.origin, "none"]) == {one.record.origin: [claim]}
    assert await store.keys_of(graph, ["d/1", "other"]) == {"d/1": [claim.key]}


async def test_empty_fields_come_back_empty(store: GraphStore, graph: str) -> None:
    head = s.header(graph, source="", title="", language="", document_time=None, content_hash="")
    claim = s.assertion(head, "", "p", "", document_time=OPEN_START, rule_id="")
    one = s.write(
        head, (s.chunk(head, ""),), (s.event(head, "", reasons=()) if False else s.event(head, ""),), (claim,)
    )
    await store.commit(s.commit(graph, documents=(one,)))
    assert await store.documents(graph, ["d1"], EVERYTHING) == [one.record]
    assert await store.chunks(graph, [one.chunks[0].chunk.chunk_id], EVERYTHING) == list(one.chunks)
    assert await store.events(graph, [one.events[0].event.event_id], EVERYTHING) == list(one.events)
    assert await store.assertions(graph, [claim.key], EVERYTHING) == [claim]


async def test_a_revision_counts_once_all_its_parts_are_there(store: GraphStore, graph: str) -> None:
    first = s.header(graph, part=0, parts=2, kind=DocumentKind.REGISTER)
    await store.commit(s.commit(graph, -1, 0, documents=(s.write(first),)))
    assert await store.revisions(graph, ["d1"], EVERYTHING) == []
    await store.commit(s.commit(graph, 0, 1, documents=(s.write(replace(first, part=1)),)))
    (revision,) = await store.revisions(graph, ["d1"], EVERYTHING)
    assert (revision.revision, revision.register, revision.document_time) == ("1", True, s.at(2024, 3))


async def test_withdrawal_is_of_a_moment(store: GraphStore, graph: str) -> None:
    head = s.header(graph)
    one = s.write(
        head,
        (s.chunk(head, "text"),),
        (s.event(head, "It was.", when=Interval(s.at(2024), s.at(2025))),),
        (s.assertion(head, "x", "p", "v"),),
    )
    await store.commit(s.commit(graph, -1, 0, documents=(one,)))
    moment = s.at(2024, 8)
    gone = tuple((origin, moment) for origin in (one.record.origin, one.record.revision_origin))
    await store.commit(s.commit(graph, 0, 1, withdrawn=gone))
    chunk_id, event_id = one.chunks[0].chunk.chunk_id, one.events[0].event.event_id
    before = Visibility(moment - 1, None)
    assert await store.chunks(graph, [chunk_id], before) == list(one.chunks), (
        "nor is the withdrawal known yet"
    )
    assert await store.events(graph, [event_id], before) == list(one.events)
    for seen in (Visibility(moment, None), EVERYTHING):
        assert await store.chunks(graph, [chunk_id], seen) == []
        assert await store.events(graph, [event_id], seen) == []
        (claim,) = await store.assertions(graph, [one.assertions[0].key], seen)
        assert claim.withdrawn_at == moment


async def test_nothing_is_seen_before_it_was_recorded(store: GraphStore, graph: str) -> None:
    head = s.header(graph)
    one = s.write(
        head, (s.chunk(head, "text"),), (s.event(head, "It was."),), (s.assertion(head, "x", "p", "v"),)
    )
    await store.commit(s.commit(graph, documents=(one,)))
    early = Visibility(head.recorded_at - 1, None)
    assert await store.documents(graph, ["d1"], early) == []
    assert await store.chunks(graph, [one.chunks[0].chunk.chunk_id], early) == []
    assert await store.events(graph, [one.events[0].event.event_id], early) == []
    assert await store.assertions(graph, [one.assertions[0].key], early) == []
    assert await store.search_text(graph, "chunk", ["text"], early, None, 5) == []


@pytest.mark.parametrize(
    ("caller", "sees"),
    [(None, True), (frozenset(), False), (frozenset({"hr"}), True), (frozenset({"it"}), False)],
)
async def test_labels_decide_who_sees_a_row(
    store: GraphStore, graph: str, caller: frozenset[str] | None, sees: bool
) -> None:
    secret, public = s.header(graph, "secret", labels=("hr", "board")), s.header(graph, "public")
    writes = tuple(
        s.write(head, (s.chunk(head, "salary table"),), (s.event(head, "Salaries rose."),))
        for head in (secret, public)
    )
    await store.commit(s.commit(graph, documents=writes))
    seen = Visibility(s.at(2030), caller)
    wanted = {"secret", "public"} if sees else {"public"}
    chunk_ids = [write.chunks[0].chunk.chunk_id for write in writes]
    event_ids = [write.events[0].event.event_id for write in writes]
    assert {row.document_id for row in await store.chunks(graph, chunk_ids, seen)} == wanted
    assert {row.document_id for row in await store.events(graph, event_ids, seen)} == wanted
    documents = await store.documents(graph, ["secret", "public"], seen)
    assert {row.header.document_id for row in documents} == wanted
    assert len(await store.search_text(graph, "chunk", ["salary"], seen, None, 5)) == len(wanted)


# --- facts ----------------------------------------------------------------------------------------


async def two_facts(store: GraphStore, graph: str) -> tuple[str, str]:
    """30 days from 2020, believed open until mid 2024, then bounded by 60 days from 2024."""
    acme = s.entity_id(graph, "Acme")
    learnt, later = s.at(2020, 2), s.at(2024, 6)
    versions = (
        s.version(acme, "has_value", "30 days", Interval(s.at(2020), OPEN_END), learnt, invalidated_at=later),
        s.version(acme, "has_value", "30 days", Interval(s.at(2020), s.at(2024)), later),
        s.version(acme, "has_value", "60 days", Interval(s.at(2024), OPEN_END), later),
    )
    await store.commit(s.commit(graph, entities=(s.entity(graph, "Acme"),), insert_versions=versions))
    return acme, versions[0].key


@pytest.mark.parametrize(
    ("valid_at", "known_at", "value"),
    [
        (s.at(2023), OPEN_END - 1, ["30 days"]),
        (s.at(2024) - 1, OPEN_END - 1, ["30 days"]),
        (s.at(2024), OPEN_END - 1, ["60 days"]),
        (s.at(2025), s.at(2024, 6) - 1, ["30 days"]),
        (s.at(2025), s.at(2024, 6), ["60 days"]),
        (s.at(2019), OPEN_END - 1, []),
        (s.at(2025), s.at(2020), []),
        (s.at(9999), OPEN_END - 1, ["60 days"]),
        (OPEN_END - 1, OPEN_END - 1, ["60 days"]),
    ],
)
async def test_facts_as_of_both_axes(
    store: GraphStore, graph: str, valid_at: int, known_at: int, value: list[str]
) -> None:
    acme, key = await two_facts(store, graph)
    valid, seen = Interval(valid_at, valid_at + 1), Visibility(known_at, None)
    for filter_ in (
        FactFilter(valid=valid),
        FactFilter(entity_ids=(acme,), valid=valid),
        FactFilter(subject_ids=(acme,), valid=valid),
        FactFilter(keys=(key,), valid=valid),
        FactFilter(predicates=("has_value",), valid=valid),
        FactFilter(predicates=("has_value", "other"), keys=(key, "other"), valid=valid),
    ):
        assert [fact.object for fact in await store.facts(graph, filter_, seen)] == value


async def test_history_shows_nothing_of_what_came_later(store: GraphStore, graph: str) -> None:
    _, key = await two_facts(store, graph)
    early = await store.facts(graph, FactFilter(keys=(key,), history=True), Visibility(s.at(2023), None))
    assert [(fact.object, fact.valid.end, fact.invalidated_at) for fact in early] == [
        ("30 days", OPEN_END, OPEN_END)
    ]
    now = await store.facts(graph, FactFilter(keys=(key,), history=True), EVERYTHING)
    assert [(fact.object, fact.invalidated_at == OPEN_END) for fact in now] == [
        ("30 days", False),
        ("30 days", True),
        ("60 days", True),
    ]


async def test_facts_between_entities_are_found_from_both_ends(store: GraphStore, graph: str) -> None:
    ann, acme = s.entity_id(graph, "Ann"), s.entity_id(graph, "Acme")
    fact = s.version(
        ann, "holds_role", acme, Interval(s.at(-400), OPEN_END), s.at(2024), object_is_entity=True
    )
    entities = (s.entity(graph, "Ann"), s.entity(graph, "Acme"))
    await store.commit(s.commit(graph, entities=entities, insert_versions=(fact,)))
    for filter_ in (
        FactFilter(entity_ids=(ann,)),
        FactFilter(entity_ids=(acme,)),
        FactFilter(entity_ids=(ann, acme)),
        FactFilter(object_ids=(acme,)),
        FactFilter(version_ids=(fact.version_id,)),
        FactFilter(subject_ids=(ann,), object_ids=(acme,)),
    ):
        assert await store.facts(graph, filter_, EVERYTHING) == [fact]
    assert await store.facts(graph, FactFilter(subject_ids=(acme,)), EVERYTHING) == []
    assert await store.facts(graph, FactFilter(entity_ids=(ann,), limit=0), EVERYTHING) == []


async def test_those_that_began_last_before_an_instant(store: GraphStore, graph: str) -> None:
    acme, ann = s.entity_id(graph, "Acme"), s.entity_id(graph, "Ann")
    versions = [
        s.version(acme, "lists", f"v{year}", Interval(s.at(year), OPEN_END), s.at(2024))
        for year in (1650, 1990, 2001, 2004, 2010)
    ]
    versions.append(s.version(acme, "lists", "always", Interval(OPEN_START, OPEN_END), s.at(2024)))
    versions.append(
        s.version(ann, "owns", acme, Interval(s.at(2003), OPEN_END), s.at(2024), object_is_entity=True)
    )
    never = s.version(acme, "lists", "never", Interval(s.at(2002), OPEN_END), s.at(2024))
    never = replace(never, invalidated_at=never.recorded_at)
    entities = (s.entity(graph, "Acme"), s.entity(graph, "Ann"))
    await store.commit(s.commit(graph, entities=entities, insert_versions=(*versions, never)))
    by_start = sorted(versions, key=lambda v: (-v.valid.start, v.version_id))
    for year in (1600, 2001, 2004, 2050):
        for limit in (0, 1, 3, 50):
            which = FactFilter(entity_ids=(acme,), begun_before=s.at(year), limit=limit)
            wanted = [v for v in by_start if v.valid.start < s.at(year)][:limit]
            found = await store.facts(graph, which, EVERYTHING)
            assert {v.version_id for v in found} == {v.version_id for v in wanted}, (year, limit)
    named = FactFilter(entity_ids=(acme,), begun_before=s.at(2050), predicates=("owns",))
    assert await store.facts(graph, named, EVERYTHING) == [versions[-1]]
    assert await store.fact_counts(graph, [acme, ann, "x"], EVERYTHING, 99) == {acme: 7, ann: 1, "x": 0}
    assert await store.fact_counts(graph, [acme, ann], EVERYTHING, 3) == {acme: 3, ann: 1}


async def test_facts_are_ordered_and_cut(store: GraphStore, graph: str) -> None:
    acme = s.entity_id(graph, "Acme")
    versions = tuple(
        s.version(acme, "lists", f"v{i}", Interval(s.at(2000 + i % 5), OPEN_END), s.at(2024), key=f"k{i % 3}")
        for i in range(12)
    )
    await store.commit(s.commit(graph, entities=(s.entity(graph, "Acme"),), insert_versions=versions))
    ordered = sorted(versions, key=lambda v: (v.key, v.valid.start, v.recorded_at, v.version_id))
    assert await store.facts(graph, FactFilter(limit=7), EVERYTHING) == ordered[:7]
    assert await store.facts(graph, FactFilter(entity_ids=(acme,), limit=7), EVERYTHING) == ordered[:7]


# --- entities -----------------------------------------------------------------------------------------


async def test_entities_by_id_name_and_words(store: GraphStore, graph: str) -> None:
    acme = s.entity(
        graph, "Acme", s.at(2024), aliases=(("acme", "ACME Inc."), ("acme", "Acme"), ("ac", "AC"))
    )
    other = s.entity(graph, "O'Brien & Søn-Ltd", s.at(2024), type=EntityType.PERSON)
    await store.commit(s.commit(graph, entities=(acme, other)))
    (found,) = await store.entities(graph, [acme.entity_id, "unknown"])
    assert (found.key, found.name, found.type) == ("acme", "Acme", EntityType.ORGANISATION)
    assert found.aliases == ("AC", "ACME Inc.", "Acme")
    by_name = await store.entities_by_name(graph, ["ac", "nothing", "acme"])
    assert {name: [entity.entity_id for entity in group] for name, group in by_name.items()} == {
        "ac": [acme.entity_id],
        "acme": [acme.entity_id],
    }
    for text in ("where is acme?", "ACME", "inc"):
        assert [entity.entity_id for entity, _ in await store.search_entities(graph, text, 5)] == [
            acme.entity_id
        ]
    assert [e.name for e, _ in await store.search_entities(graph, "søn", 5)] == ["O'Brien & Søn-Ltd"]
    assert await store.search_entities(graph, '() | - "', 5) == []


async def test_an_entity_told_again_keeps_the_earliest_time_and_gains_names(
    store: GraphStore, graph: str
) -> None:
    await store.commit(s.commit(graph, -1, 0, entities=(s.entity(graph, "Acme", s.at(2024)),)))
    again = s.entity(graph, "Acme", s.at(2022), aliases=(("acme", "acme"),))
    await store.commit(s.commit(graph, 0, 1, entities=(again,)))
    (found,) = await store.entities(graph, [again.entity_id])
    assert (found.recorded_at, found.aliases, found.name) == (s.at(2022), ("Acme", "acme"), "Acme")


@pytest.mark.parametrize("batches", [((0, 1, 2),), ((2, 1, 0),), ((1,), (2,), (0,)), ((2, 0), (1,))])
async def test_what_an_entity_is_follows_from_what_was_told_first_not_from_what_arrived_first(
    store: GraphStore, graph: str, batches: tuple[tuple[int, ...], ...]
) -> None:
    told = (
        s.entity(graph, "Acme", s.at(2021), type=EntityType.UNSPECIFIED),
        s.entity(graph, "Acme", s.at(2022), type=EntityType.ORGANISATION),
        s.entity(graph, "Acme", s.at(2024), type=EntityType.PERSON, aliases=(("ac", "AC"),)),
    )
    for place, batch in enumerate(batches):
        entities = tuple(told[index] for index in batch)
        await store.commit(s.commit(graph, place - 1, place, entities=entities))
    (found,) = await store.entities(graph, [told[0].entity_id])
    assert (found.type, found.recorded_at) == (EntityType.ORGANISATION, s.at(2021))
    assert found.aliases == ("AC", "Acme")


# --- events -------------------------------------------------------------------------------------------


async def some_events(store: GraphStore, graph: str) -> dict[str, str]:
    """Event ids by a short name, all of them about Acme."""
    acme = s.entity_id(graph, "Acme")
    old = s.header(graph, "policy", "1", document_time=s.header(graph).document_time)
    new_time = replace(old.document_time, instant=s.at(2025))  # type: ignore[type-var]
    new = replace(old, revision="2", document_time=new_time)
    events = {
        "2020": s.event(
            old, "Acme opened.", 0, Interval(s.at(2020), s.at(2020) + s.DAY, Granularity.DAY), (acme,)
        ),
        "2023": s.event(old, "Acme grew.", 1, Interval(s.at(2023), s.at(2024), Granularity.YEAR), (acme,)),
        "static old": s.event(old, "Acme sells tea.", 2, None, (acme,), TimeState.STATIC),
        "unresolved": s.event(old, "Acme once moved.", 3, None, (acme,)),
        "static new": s.event(new, "Acme sells coffee.", 4, None, (acme,), TimeState.STATIC),
    }
    writes = tuple(
        s.write(head, events=tuple(event for event in events.values() if event.revision == head.revision))
        for head in (old, new)
    )
    await store.commit(s.commit(graph, documents=writes, entities=(s.entity(graph, "Acme"),)))
    return {name: event.event.event_id for name, event in events.items()}


@pytest.mark.parametrize(
    ("valid", "names"),
    [
        (None, ["2020", "2023", "static new", "static old", "unresolved"]),
        (Interval(s.at(2023, 6), s.at(2023, 7)), ["2023"]),
        (Interval(s.at(2019), s.at(2024)), ["2020", "2023"]),
        (Interval(s.at(2024, 6), s.at(2024, 7)), ["static old"]),
        (Interval(s.at(2024, 6), s.at(2026)), ["static new", "static old"]),
        (Interval(s.at(2025), s.at(2026)), ["static new"]),
        (Interval(s.at(2020) + s.DAY, s.at(2021)), []),
    ],
)
async def test_events_by_entity_and_time(
    store: GraphStore, graph: str, valid: Interval | None, names: list[str]
) -> None:
    ids = await some_events(store, graph)
    acme = s.entity_id(graph, "Acme")
    found = [row.event.event_id for row in await store.events_of(graph, [acme], valid, EVERYTHING, 10)]
    dated = [name for name in names if name[0] == "2"]
    assert found[: len(dated)] == [ids[name] for name in dated]
    assert sorted(found) == sorted(ids[name] for name in names)


async def test_entries_enter_and_leave_lists_of_neighbours(store: GraphStore, graph: str) -> None:
    ids = await some_events(store, graph)
    a, b, c = ids["2020"], ids["2023"], ids["static old"]
    third = 1 / 3  # no reply of the store carries all of its digits
    first = (Neighbour(a, b, third), Neighbour(a, c, 0.25), Neighbour(b, a, third))
    await store.commit(s.commit(graph, 0, 1, linked=first))
    assert await store.lists_of(graph, [a]) == [Neighbour(a, b, third), Neighbour(a, c, 0.25)]
    assert await store.neighbours(graph, [c]) == [Neighbour(a, c, 0.25)]
    changed = s.commit(graph, 1, 2, unlinked=((a, c), (a, b)), linked=(Neighbour(a, b, 0.75),))
    await store.commit(changed)
    assert await store.lists_of(graph, [a]) == [Neighbour(a, b, 0.75)]
    both = await store.neighbours(graph, [a])
    assert sorted(both, key=lambda n: n.weight) == [Neighbour(b, a, third), Neighbour(a, b, 0.75)]
    await store.commit(s.commit(graph, 2, 3, unlinked=((a, b),)))
    assert await store.neighbours(graph, [a]) == [Neighbour(b, a, third)]


async def test_candidates_of_the_event_graph(store: GraphStore, graph: str) -> None:
    ids = await some_events(store, graph)
    acme = s.entity_id(graph, "Acme")
    always = Interval(s.at(2000), s.at(2030))
    everything = await store.probe_mentions(graph, [(id_, always, always) for id_ in (acme, "other")], 10)
    assert [mention.event_id for mention in everything] == sorted([ids["2020"], ids["2023"]])
    assert everything[0].entity_ids == {acme}
    own = Interval(s.at(2022, 12), s.at(2022, 12) + s.DAY)
    window = Interval(s.at(2015), s.at(2030))
    nearest = await store.probe_mentions(graph, [(acme, own, window)], 1)
    assert [mention.event_id for mention in nearest] == [ids["2023"]]
    inside = await store.probe_mentions(graph, [(acme, own, Interval(s.at(2019), s.at(2021)))], 5)
    assert [mention.event_id for mention in inside] == [ids["2020"]]
    assert await store.mention_counts(graph, [acme, "other"], 10) == {acme: 2}
    assert await store.mention_counts(graph, [acme], 1) == {acme: 1}
    nodes = await store.event_nodes(graph, [*ids.values(), "none"])
    assert [node.event_id for node in nodes] == sorted([ids["2020"], ids["2023"]])
    assert await store.event_nodes_of(graph, []) == []


async def test_the_sequence_counts_the_commits(store: GraphStore, graph: str) -> None:
    assert await store.sequence(graph) == 0
    await store.commit(s.commit(graph, -1, 0))
    await store.commit(s.commit(graph, 0, 1))
    assert await store.sequence(graph) == 2
    assert await store.made(graph) == GraphMade(store.model_id, s.DIMENSIONS, 2, has_policies=False)
    with pytest.raises(NotFound):
        await store.sequence("no-such-graph")
    with pytest.raises(NotFound):
        await store.made("no-such-graph")
