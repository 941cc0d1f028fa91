"""What other systems get wrong when facts end, case by case, with the right outcome.

The first six are the conditions under which a well-known graph memory bounds, loses or leaves facts; the
others are what users of such systems reported. Each is named after what goes wrong elsewhere.
"""

from __future__ import annotations

import itertools
from dataclasses import replace

from tests.unit.domain.claims import MANY, ONE, World, spans

from tidegraph.domain.asof import AsOf, Certainty
from tidegraph.domain.belief import history
from tidegraph.domain.canonical import valid_time_dump
from tidegraph.domain.documents import Status, Verb
from tidegraph.domain.explain import explain
from tidegraph.domain.interval import OPEN_END, OPEN_START, instant
from tidegraph.domain.predicates import Registry
from tidegraph.language.registry import default_registry_text

# --- when an old fact meets a new one ----------------------------------------------------------------


def test_a_later_start_bounds_the_earlier_open_fact() -> None:
    world = World()
    world.tell("a", "2010")
    world.tell("b", "2020")
    assert world.belief() == [("a", "2010", "2020"), ("b", "2020", "")]


def test_a_fact_told_late_is_bounded_by_what_is_known_already() -> None:
    world = World()
    world.tell("b", "2020")
    world.tell("a", "2010")
    assert world.belief() == [("a", "2010", "2020"), ("b", "2020", "")]


def test_equal_starts_are_a_visible_conflict_with_a_rule_for_the_winner() -> None:
    for priorities, winner in (((0, 0), "a"), ((0, 1), "b"), ((1, 0), "a")):
        world = World()
        world.tell("a", "2020-05-01", priority=priorities[0])
        world.tell("b", "2020-05-01", priority=priorities[1])
        (fact,) = world.now()
        assert (fact.object, fact.conflicted) == (winner, True)
        loser = {"a": "b", "b": "a"}[winner]
        against = explain(world.assertions, fact, ONE, OPEN_END - 1).against
        assert [claim.object for claim in against] == [loser], "the loser stays visible"
        swapped = replace(world, assertions=world.assertions[::-1])
        assert spans(swapped.now()) == spans(world.now())


def test_an_unknown_start_is_a_visible_conflict() -> None:
    world = World()
    world.tell("a", None)
    world.tell("b", None)
    (fact,) = world.now()
    assert fact.conflicted
    assert fact.valid.start == OPEN_START
    assert not fact.start_known
    world.tell("c", "2020")
    first, second = world.now()
    assert (first.object, first.valid.end, first.conflicted) == (fact.object, instant(2020), True)
    assert (second.object, second.valid.end) == ("c", OPEN_END)


def test_a_bounded_fact_inside_a_longer_one_splits_it_and_loses_nothing() -> None:
    world = World()
    world.tell("a", "2010", "2020")
    world.tell("b", "2014", "2015")
    assert world.belief() == [("a", "2010", "2014"), ("b", "2014", "2015"), ("a", "2015", "2020")]


def test_a_stated_end_beyond_a_later_start_is_resolved_and_flagged() -> None:
    world = World()
    world.tell("b", "2020")
    world.tell("a", "2010", "2022")
    first, second = world.now()
    assert spans([first, second]) == [("a", "2010", "2020"), ("b", "2020", "")]
    assert second.conflicted, "both sources cannot be right about 2020 to 2022"
    assert first.end_inferred


# --- what a repeat says ------------------------------------------------------------------------------


def test_a_repeat_with_an_earlier_start_moves_the_start() -> None:
    world = World()
    world.tell("a", "2012")
    world.tell("a", "2010")
    assert world.belief() == [("a", "2010", "")]


def test_a_repeat_confirms_without_a_second_fact() -> None:
    world = World()
    world.tell("a", "2010", told="2010")
    first = world.now()
    world.tell("a", "2015", verb=Verb.STATE, seen=True, told="2015")
    assert spans(world.now()) == spans(first)
    before = explain(world.assertions, world.now()[0], ONE, 1)
    after = explain(world.assertions, world.now()[0], ONE, OPEN_END - 1)
    assert (before.corroboration, after.corroboration) == (1, 2)
    assert after.last_confirmed_at > before.last_confirmed_at
    assert after.last_seen > before.last_seen


# --- what users reported -----------------------------------------------------------------------------


def test_facts_that_may_hold_side_by_side_do_not_end_each_other() -> None:
    """41 to 49 % of facts carried an end that no source had told."""
    registry = Registry.parse(default_registry_text())
    for predicate in ("works_for", "member_of", "invested_in", "a_predicate_nobody_declared"):
        claims = [registry.canonical("ann", predicate, other) for other in ("acme", "birch")]
        keys = {registry.conflict_key("g", claim) for claim in claims}
        assert len(keys) == 2, predicate
    world = World(MANY)
    world.tell("a", "2010")
    world.tell("a", "2015")
    assert all(version.valid.end == OPEN_END for version in world.now())


def test_who_wins_does_not_depend_on_a_judge_or_on_the_order() -> None:
    world = World()
    world.tell("a", "2010", "2016")
    world.tell("b", "2012")
    world.tell("c", "2012", confidence=0.6)
    world.tell("a", "2018", verb=Verb.STATE, seen=True)
    dumps = {
        valid_time_dump(history(list(order), world.revisions, ONE))
        for order in itertools.permutations(world.assertions)
    }
    assert len(dumps) == 1


def test_a_historical_fact_added_later_arrives_closed() -> None:
    world = World()
    world.tell("b", "2020")
    world.tell("a", "2015", "2017")
    world.tell("c", "2016")
    assert world.belief() == [("a", "2015", "2016"), ("c", "2016", "2020"), ("b", "2020", "")]


def test_a_source_that_is_withdrawn_takes_back_what_it_closed() -> None:
    world = World()
    world.tell("a", "2010")
    usurper = world.tell("b", "2020")
    world.assertions[1] = replace(usurper, withdrawn_at=10)
    assert world.belief() == [("a", "2010", "")]
    at_nine = [version for version in world.versions() if version.recorded.contains(9)]
    assert spans(sorted(at_nine, key=lambda v: v.valid.start)) == [("a", "2010", "2020"), ("b", "2020", "")]


def test_no_belief_knows_what_was_told_later() -> None:
    """A point-in-time read included later documents."""
    world = World()
    for number, value in enumerate("abcd"):
        world.tell(value, str(2010 + number))
    versions = world.versions()
    for known_at in range(1, 5):
        known = [version for version in versions if version.recorded.contains(known_at)]
        told = [claim for claim in world.assertions if claim.recorded_at <= known_at]
        assert valid_time_dump(replace(v, invalidated_at=OPEN_END) for v in known) == valid_time_dump(
            history(told, [], ONE)
        )


def test_no_start_or_end_is_made_up() -> None:
    """Models filled an unknown date with today's."""
    world = World()
    world.tell("a", None)
    world.tell("a", None, verb=Verb.STOP)
    (fact,) = world.now()
    assert (fact.valid.start, fact.valid.end) == (OPEN_START, OPEN_END)


def test_a_year_is_not_its_first_of_january() -> None:
    world = World()
    world.tell("a", "2020")
    (fact,) = world.now()
    assert fact.start_granularity.name == "YEAR"
    assert AsOf.at(instant(2020, 6)).certainty(fact) is Certainty.POSSIBLE
    assert AsOf.at(instant(2021, 1)).certainty(fact) is Certainty.DEFINITE
    assert AsOf.at(instant(2019, 12)).certainty(fact) is Certainty.NO


def test_at_the_instant_of_a_change_one_of_the_two_holds() -> None:
    world = World()
    world.tell("a", "2010-01-01")
    world.tell("b", "2020-01-01")
    turn = instant(2020)
    for at, holder in ((turn - 1, "a"), (turn, "b"), (turn + 1, "b")):
        assert [fact.object for fact, _ in AsOf.at(at).select(world.now())] == [holder]


def test_a_plan_ends_nothing_before_its_time_and_a_denial_ends_nothing_at_all() -> None:
    world = World()
    world.tell("a", "2010-01-01", told="2010")
    world.tell("b", "2031-01-01", status=Status.PLANNED, told="2030")
    world.tell("c", "2020-01-01", status=Status.DENIED, told="2030")
    assert world.belief() == [("a", "2010", "2031"), ("b", "2031", "")]
    assert [fact.announced for fact in world.now()] == [False, True]
    world.tell("b", "2031-01-01", status=Status.DENIED, told="2030-06")
    assert world.belief() == [("a", "2010", "")]


def test_that_the_holder_left_ends_whoever_held() -> None:
    world = World()
    world.tell("a", "2010-01-01")
    world.tell("", None, "2015-05-01", verb=Verb.STOP)
    assert world.belief() == [("a", "2010", "2015-05-01")]
    world.tell("b", "2016-01-01")
    assert world.belief() == [("a", "2010", "2015-05-01"), ("b", "2016", "")]


def test_two_directions_of_a_relation_are_one_family() -> None:
    registry = Registry.parse(default_registry_text())
    forward = registry.canonical("ann", "chief_executive_officer_of", "acme")
    back = registry.canonical("acme", "chief_executive_officer", "ann")
    later = registry.canonical("acme", "chief_executive_officer", "bob")
    assert forward == back
    assert registry.conflict_key("g", back) == registry.conflict_key("g", later)


def test_after_a_correction_the_predecessor_ends_where_the_corrected_start_is() -> None:
    """The end that was inferred from the wrong start must not stay, nor leave a hole or an overlap."""
    world = World()
    world.tell("a", "2010-01-01")
    world.tell("b", "2020-06-01", told="2020")
    world.tell("b", "2020-03-01", verb=Verb.CORRECTION, told="2021")
    assert world.belief() == [("a", "2010", "2020-03-01"), ("b", "2020-03-01", "")]
    world.tell("b", "2020-09-01", verb=Verb.CORRECTION, told="2022")
    assert world.belief() == [("a", "2010", "2020-09-01"), ("b", "2020-09-01", "")]


def test_after_a_correction_the_end_that_was_told_with_the_wrong_date_moves_along() -> None:
    """ "Ann left on 1 June, Ben followed": corrected to 1 July for Ben, nobody held in June."""
    for right in ("2020-07-01", "2020-05-15"):
        world = World()
        world.tell("ann", "2010-01-01")
        world.tell("ann", None, "2020-06-01", verb=Verb.STOP, document="note", told="2020")
        world.tell("ben", "2020-06-01", document="note", told="2020")
        assert world.belief() == [("ann", "2010", "2020-06-01"), ("ben", "2020-06-01", "")]
        world.tell("ben", right, verb=Verb.CORRECTION, told="2021")
        assert world.belief() == [("ann", "2010", right), ("ben", right, "")]
        assert not any(fact.conflicted for fact in world.now())


def test_an_end_that_another_document_tells_stays_where_it_is() -> None:
    world = World()
    world.tell("ann", "2010-01-01")
    world.tell("ann", None, "2020-06-01", verb=Verb.STOP, document="letter", told="2020")
    world.tell("ben", "2020-06-01", document="note", told="2020")
    world.tell("ben", "2020-07-01", verb=Verb.CORRECTION, told="2021")
    assert world.belief() == [("ann", "2010", "2020-06-01"), ("ben", "2020-07-01", "")]
