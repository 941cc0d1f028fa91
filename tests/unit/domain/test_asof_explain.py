"""As-of questions and explanations by example."""

from __future__ import annotations

from dataclasses import replace

from tests.unit.domain.claims import MANY, ONE, World, when

from tidegraph.domain.asof import Allen, AsOf, Certainty
from tidegraph.domain.documents import Status, Verb
from tidegraph.domain.explain import explain
from tidegraph.domain.facts import FactVersion
from tidegraph.domain.interval import OPEN_END, OPEN_START, Interval


def at(text: str) -> int:
    return when(text)[0]


def only(world: World) -> FactVersion:
    (version,) = world.now()
    return version


def test_the_instant_of_a_change_belongs_to_the_new_fact() -> None:
    world = World()
    world.tell("a", "2010-01-01")
    world.tell("b", "2020-01-01")
    for moment, holder in ((at("2020-01-01") - 1, "a"), (at("2020-01-01"), "b")):
        found = AsOf.at(moment).select(world.versions())
        assert [(version.object, certainty) for version, certainty in found] == [(holder, Certainty.DEFINITE)]


def test_a_year_is_not_its_first_of_january() -> None:
    world = World(MANY)
    world.tell("a", "2017")
    version = only(world)
    assert AsOf.at(at("2017-06-01")).certainty(version) is Certainty.POSSIBLE
    assert AsOf.at(at("2018-01-01")).certainty(version) is Certainty.DEFINITE
    assert AsOf.at(at("2016-12-31")).certainty(version) is Certainty.NO


def test_an_end_named_by_its_year_is_uncertain_within_it() -> None:
    world = World(MANY)
    world.tell("a", "2010-01-01", "2014")  # to 2013: the end lies within that year
    version = only(world)
    assert AsOf.at(at("2012-06-01")).certainty(version) is Certainty.DEFINITE
    assert AsOf.at(at("2013-06-01")).certainty(version) is Certainty.POSSIBLE
    assert AsOf.at(at("2014-01-01")).certainty(version) is Certainty.NO


def test_an_unknown_start_is_only_possible_long_before() -> None:
    world = World(MANY)
    world.tell("a", None, "2024-05", verb=Verb.STOP)
    version = only(world)
    assert AsOf.at(at("1990")).certainty(version) is Certainty.POSSIBLE
    assert AsOf.at(at("2024-06-01")).certainty(version) is Certainty.NO


def test_relations_other_than_sharing_an_instant_can_be_asked() -> None:
    world = World(MANY)
    world.tell("a", "2010-01-01", "2012-01-01")
    version = only(world)
    asked = Interval(at("2013"), at("2014"))
    assert AsOf(valid=asked).certainty(version) is Certainty.NO
    before = AsOf(valid=asked, relations=frozenset({Allen.BEFORE}))
    assert before.certainty(version) is Certainty.DEFINITE


def test_what_was_not_yet_known_is_not_seen() -> None:
    world = World()
    world.tell("a", "2010", recorded=10)
    world.tell("b", "2020", recorded=20)
    early = AsOf(known_at=19, valid=Interval(at("2021"), at("2021") + 1))
    assert [version.object for version, _ in early.select(world.versions())] == ["a"]
    assert AsOf(known_at=9).select(world.versions()) == []


def test_an_explanation_counts_documents_and_knows_the_last_confirmation() -> None:
    world = World()
    world.tell("a", "2010", told="2010-02-01", recorded=1, document="d1")
    world.tell("a", "2012-05-01", verb=Verb.STATE, seen=True, told="2012-05-01", recorded=2, document="d2")
    world.tell("a", "2013-05-01", verb=Verb.STATE, seen=True, told="2013-05-01", recorded=3, document="d2")
    world.tell("b", "2020", told="2020-02-01", recorded=4, document="d3")
    world.tell("a", status=Status.DENIED, recorded=5, document="d4")
    version = next(v for v in world.now() if v.object == "a")
    found = explain(world.assertions, version, ONE, 9)
    assert [claim.assertion_id for claim in found.evidence] == ["a001", "a002", "a003"]
    assert {claim.assertion_id for claim in found.against} == {"a004", "a005"}
    assert (found.corroboration, found.last_confirmed_at) == (2, 3)
    assert found.last_seen == at("2013-05-01")
    earlier = explain(world.assertions, version, ONE, 2)
    assert (earlier.corroboration, earlier.last_confirmed_at) == (2, 2)


def test_withdrawn_evidence_explains_nothing() -> None:
    world = World()
    told = world.tell("a", "2010", recorded=1)
    version = only(world)
    gone = replace(told, withdrawn_at=5)
    assert explain([gone], version, ONE, 4).corroboration == 1
    found = explain([gone], version, ONE, 5)
    assert (found.evidence, found.last_confirmed_at, found.last_seen) == ((), OPEN_START, OPEN_START)
    assert version.invalidated_at == OPEN_END
