"""A fact whose key has evidence that the caller may not see is derived again from what they may see."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.contracts import samples as s

from tidegraph.domain.belief import history
from tidegraph.domain.facts import Assertion
from tidegraph.domain.interval import OPEN_END, Interval
from tidegraph.domain.predicates import Registry
from tidegraph.ports import FactFilter, GraphStore, Visibility
from tidegraph.storage.rulebook import Rulebook


async def succession(store: GraphStore, graph: str, registry: Registry) -> tuple[str, list[Assertion]]:
    """30 days since 2020, told to all; 60 days since 2024, told to the board alone, recorded later."""
    acme = s.entity_id(graph, "Acme")
    public = s.header(graph, "public", recorded_at=s.at(2024, 4))
    secret = s.header(graph, "secret", labels=("board",), recorded_at=s.at(2024, 5))
    first = s.assertion(public, acme, "has_value", "30 days")
    first = replace(first, valid=replace(first.valid, start=s.at(2020)))
    second = s.assertion(secret, acme, "has_value", "60 days")
    claims = [first, second]
    writes = (s.write(public, assertions=(first,)), s.write(secret, assertions=(second,)))
    versions = history(claims, [], Rulebook.of(registry, ()).rules_of(claims))
    await store.commit(
        s.commit(graph, documents=writes, entities=(s.entity(graph, "Acme"),), insert_versions=versions)
    )
    return acme, claims


@pytest.mark.parametrize("by", ["entity", "subject", "key", "predicate", "all"])
async def test_a_hidden_successor_bounds_nothing_for_those_who_may_not_see_it(
    store: GraphStore, graph: str, registry: Registry, by: str
) -> None:
    acme, claims = await succession(store, graph, registry)
    base = {
        "entity": FactFilter(entity_ids=(acme,)),
        "subject": FactFilter(subject_ids=(acme,)),
        "key": FactFilter(keys=(claims[0].key,)),
        "predicate": FactFilter(predicates=("has_value",)),
        "all": FactFilter(),
    }[by]
    in_2025 = replace(base, valid=Interval(s.at(2025), s.at(2025) + 1))

    async def values(labels: frozenset[str] | None, which: FactFilter) -> list[tuple[str, int]]:
        found = await store.facts(graph, which, Visibility(s.at(2030), labels))
        return [(fact.object, fact.valid.end) for fact in found]

    everyone: frozenset[str] = frozenset()
    assert await values(None, in_2025) == [("60 days", OPEN_END)]
    assert await values(frozenset({"board"}), in_2025) == [("60 days", OPEN_END)]
    assert await values(everyone, in_2025) == [("30 days", OPEN_END)]
    assert await values(everyone, replace(base, history=True)) == [("30 days", OPEN_END)]
    assert await values(None, base) == [("30 days", s.at(2024)), ("60 days", OPEN_END)]


async def test_a_derived_version_is_found_again_by_its_id(
    store: GraphStore, graph: str, registry: Registry
) -> None:
    await succession(store, graph, registry)
    everyone = Visibility(s.at(2030), frozenset())
    (shown,) = await store.facts(graph, FactFilter(), everyone)
    assert await store.facts(graph, FactFilter(version_ids=(shown.version_id,)), everyone) == [shown]


async def test_a_key_with_hidden_evidence_alone_shows_nothing(
    store: GraphStore, graph: str, registry: Registry
) -> None:
    acme = s.entity_id(graph, "Acme")
    secret = s.header(graph, "secret", labels=("board",))
    claim = s.assertion(secret, acme, "has_value", "60 days")
    await store.commit(
        s.commit(
            graph,
            documents=(s.write(secret, assertions=(claim,)),),
            entities=(s.entity(graph, "Acme"),),
            insert_versions=history([claim], [], Rulebook.of(registry, ()).rules_of([claim])),
        )
    )
    assert await store.facts(graph, FactFilter(), Visibility(s.at(2030), frozenset())) == []
    assert len(await store.facts(graph, FactFilter(), Visibility(s.at(2030), frozenset({"board"})))) == 1


@pytest.mark.parametrize("by", ["entity", "subject"])
async def test_what_is_hidden_about_another_holder_does_not_end_the_one_asked_for(
    store: GraphStore, graph: str, registry: Registry, by: str
) -> None:
    ann, bob, acme = (s.entity_id(graph, name) for name in ("Ann", "Bob", "Acme"))
    shared = {"key": "office", "object_is_entity": True, "qualifiers": (("role", "cto"),)}
    public = s.header(graph, "public", recorded_at=s.at(2024, 4))
    secret = s.header(graph, "secret", labels=("board",), recorded_at=s.at(2024, 5))
    first = s.assertion(public, ann, "holds_role", acme, **shared)
    first = replace(first, valid=replace(first.valid, start=s.at(2020)))
    second = s.assertion(secret, bob, "holds_role", acme, **shared)
    claims = [first, second]
    await store.commit(
        s.commit(
            graph,
            documents=(s.write(public, assertions=(first,)), s.write(secret, assertions=(second,))),
            entities=tuple(s.entity(graph, name) for name in ("Ann", "Bob", "Acme")),
            insert_versions=history(claims, [], Rulebook.of(registry, ()).rules_of(claims)),
        )
    )
    which = FactFilter(entity_ids=(ann,)) if by == "entity" else FactFilter(subject_ids=(ann,))

    async def ends(labels: frozenset[str]) -> list[tuple[str, int]]:
        found = await store.facts(graph, which, Visibility(s.at(2030), labels))
        return [(fact.subject, fact.valid.end) for fact in found]

    assert await ends(frozenset({"board"})) == [(ann, s.at(2024))]
    assert await ends(frozenset()) == [(ann, OPEN_END)]


async def test_whose_labels_a_version_asks_for(store: GraphStore, graph: str, registry: Registry) -> None:
    """Of all evidence under its key; a version without any is not told."""
    await succession(store, graph, registry)
    birch = s.entity_id(graph, "Birch")
    free = s.version("birch", "has_value", "1 day", Interval(s.at(2020), OPEN_END), s.at(2024), key="other")
    free = replace(free, subject=birch)
    await store.commit(s.commit(graph, 0, 1, entities=(s.entity(graph, "Birch"),), insert_versions=(free,)))
    ids = [version.version_id for version in await store.all_versions(graph)]
    found = await store.restrictions(graph, [*ids, "nothing"])
    assert set(found) == set(ids) - {free.version_id}
    assert set(found.values()) == {frozenset({frozenset({"board"})})}
    assert await store.restrictions(graph, []) == {}
