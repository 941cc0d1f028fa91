"""Belief by example: every case that is known to go wrong elsewhere, with its right outcome."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from tests.unit.domain.claims import MANY, SETTING, World, believed, day, spans

from tidegraph.domain.documents import Status, Verb
from tidegraph.domain.interval import Granularity

# --- one holder at a time ---------------------------------------------------------------------------


def test_a_later_start_bounds_the_earlier_open_fact() -> None:
    world = World()
    world.tell("a", "2010")
    world.tell("b", "2020")
    assert world.belief() == [("a", "2010", "2020"), ("b", "2020", "")]
    first, second = world.now()
    assert first.end_inferred
    assert first.end_granularity is Granularity.YEAR
    assert not second.end_inferred
    assert not second.conflicted


def test_an_older_start_told_later_arrives_bounded() -> None:
    world = World()
    world.tell("b", "2020")
    world.tell("a", "2010")
    assert world.belief() == [("a", "2010", "2020"), ("b", "2020", "")]
    assert spans(believed(world.versions(), 1)) == [("b", "2020", "")]


def test_equal_starts_are_a_visible_conflict_with_the_better_source_on_top() -> None:
    world = World()
    world.tell("a", "2010", priority=1)
    world.tell("b", "2010", priority=2)
    assert world.belief() == [("b", "2010", "")]
    assert world.now()[0].conflicted


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        ({"priority": 1}, {"priority": 0}),
        ({"start": "2010-01-01"}, {"start": "2010"}),
        ({"confidence": 0.9}, {"confidence": 0.4}),
        ({"told": "2012"}, {"told": "2011"}),
        ({"verb": Verb.CORRECTION}, {"priority": 5}),
        ({}, {"status": Status.REPORTED}),
        ({}, {"status": Status.PLANNED}),
        ({}, {"seen": True}),
    ],
)
def test_the_winner_of_a_conflict_does_not_depend_on_arrival(better: dict, worse: dict) -> None:
    for first, second in (("good", "bad"), ("bad", "good")):
        world = World()
        for name in (first, second):
            world.tell(name, **{"start": "2010", **(better if name == "good" else worse)})
        assert world.belief() == [("good", "2010", "")]
        assert world.now()[0].conflicted


def test_an_unknown_start_stays_visible_beside_a_dated_fact() -> None:
    world = World()
    world.tell("a", verb=Verb.STATE)
    world.tell("b", "2020")
    assert world.belief() == [("a", "..", "2020"), ("b", "2020", "")]
    undated = world.now()[0]
    assert undated.conflicted
    assert not undated.start_known


def test_two_unknown_starts_are_a_conflict_with_one_winner() -> None:
    world = World()
    world.tell("a", verb=Verb.STATE, confidence=0.5)
    world.tell("b", verb=Verb.STATE, confidence=0.9)
    assert world.belief() == [("b", "..", "")]
    assert world.now()[0].conflicted


def test_a_bounded_fact_splits_a_longer_bounded_one_and_nothing_is_lost() -> None:
    world = World()
    world.tell("a", "2010", "2020")
    world.tell("b", "2014", "2015")
    assert world.belief() == [("a", "2010", "2014"), ("b", "2014", "2015"), ("a", "2015", "2020")]


def test_a_bounded_fact_splits_an_open_one_and_the_remainder_stays_open() -> None:
    world = World()
    world.tell("a", "2010")
    world.tell("b", "2014", "2015")
    assert world.belief() == [("a", "2010", "2014"), ("b", "2014", "2015"), ("a", "2015", "")]


def test_a_successor_who_left_again_does_not_bring_the_predecessor_back() -> None:
    world = World()
    world.tell("a", "2010")
    world.tell("b", "2014")
    world.tell("b", None, "2016", verb=Verb.STOP)
    assert world.belief() == [("a", "2010", "2014"), ("b", "2014", "2016")]


def test_a_late_bounded_fact_overlapping_a_later_start_is_cut_and_the_clash_shown() -> None:
    world = World()
    world.tell("b", "2020")
    world.tell("a", "2010", "2022")
    assert world.belief() == [("a", "2010", "2020"), ("b", "2020", "")]
    assert world.now()[1].conflicted


def test_a_stated_end_wins_over_an_inferred_one_and_leaves_a_vacancy() -> None:
    world = World()
    world.tell("a", "2016-08-15")
    world.tell("b", "2023-09-01")
    world.tell("a", None, "2023-03-31", verb=Verb.STOP)
    assert world.belief() == [("a", "2016-08-15", "2023-03-31"), ("b", "2023-09-01", "")]
    assert not world.now()[0].end_inferred


def test_joint_holders_do_not_retire_each_other() -> None:
    world = World()
    world.tell("lena", "2021-04-06", shared=True)
    world.tell("yusuf", "2021-04-06", shared=True)
    world.tell("yusuf", None, "2023-01-31", verb=Verb.STOP, shared=True)
    world.tell("lena", "2023-02-01", verb=Verb.STATE, seen=True)
    assert world.belief() == [("lena", "2021-04-06", ""), ("yusuf", "2021-04-06", "2023-01-31")]


def test_several_changes_in_one_day_keep_their_order() -> None:
    for order in itertools.permutations((8, 13, 17)):
        world = World()
        for hour in order:
            made = world.tell(f"team{hour}", "2025-05-06")
            start = made.valid.start + hour * 3_600_000_000
            world.assertions[-1] = replace(
                made, valid=replace(made.valid, start=start, start_granularity=Granularity.SECOND)
            )
        assert [(v.object, (v.valid.end - v.valid.start) // 3_600_000_000) for v in world.now()[:2]] == [
            ("team8", 5),
            ("team13", 4),
        ]


# --- many values ------------------------------------------------------------------------------------


def test_what_is_not_exclusive_never_retires_anything() -> None:
    world = World(MANY)
    world.tell("a", "2010")
    world.tell("a", "2015", verb=Verb.STATE, seen=True)
    assert world.belief() == [("a", "2010", "")]


def test_left_and_came_back_are_two_intervals() -> None:
    for policy in (MANY, World().policy):
        world = World(policy)
        world.tell("a", "2018")
        world.tell("a", None, "2019", verb=Verb.STOP)
        world.tell("a", "2021")
        assert world.belief() == [("a", "2018", "2019"), ("a", "2021", "")]


def test_left_and_came_back_on_one_day_are_not_merged() -> None:
    world = World(MANY)
    world.tell("a", "2018-03-01")
    world.tell("a", None, "2019-03-01", verb=Verb.STOP)
    world.tell("a", "2019-03-01")
    assert world.belief() == [("a", "2018-03-01", "2019-03-01"), ("a", "2019-03-01", "")]


# --- granularity ------------------------------------------------------------------------------------


def test_joined_and_left_in_one_year_survives_in_every_form() -> None:
    for end in ("1924", "1925"):
        world = World(MANY)
        world.tell("a", "1924", end)
        assert world.belief() == [("a", "1924", "1925")]
        world = World(MANY)
        world.tell("a", "1924")
        world.tell("a", None, end, verb=Verb.STOP)
        assert world.belief() == [("a", "1924", "1925")]


def test_an_end_and_a_successor_in_the_same_year_are_one_change() -> None:
    world = World()
    world.tell("a", "1914", "1937")  # "from 1914 to 1936": the named year belongs to it
    world.tell("b", "1936")
    assert world.belief() == [("a", "1914", "1936"), ("b", "1936", "")]
    assert not any(version.conflicted for version in world.now())
    assert not world.now()[0].end_inferred


def test_two_holders_in_one_year_both_survive() -> None:
    world = World()
    world.tell("a", "1936", "1937")
    world.tell("b", "1936")
    assert world.belief() == [("a", "1936", "1937"), ("b", "1936", "")]


def test_a_finer_start_refines_a_coarser_one() -> None:
    world = World()
    world.tell("a", "2017")
    world.tell("a", "2017-03-04")
    assert world.belief() == [("a", "2017-03-04", "")]
    assert world.now()[0].start_granularity is Granularity.DAY


# --- states that are seen ---------------------------------------------------------------------------


def test_an_earlier_start_learned_later_extends_the_fact_and_not_what_was_known() -> None:
    world = World()
    world.tell("imogen", "2023-06-05", verb=Verb.STATE, seen=True)
    world.tell("imogen", "2017", verb=Verb.STATE)
    assert world.belief() == [("imogen", "2017", "")]
    assert world.now()[0].start_known
    assert world.now()[0].start_granularity is Granularity.YEAR
    before = believed(world.versions(), 1)
    assert spans(before) == [("imogen", "2023-06-05", "")]
    assert not before[0].start_known


def test_a_new_value_seen_bounds_the_one_before() -> None:
    world = World()
    world.tell("a", "2010")
    world.tell("b", "2013-05-01", verb=Verb.STATE, seen=True)
    assert world.belief() == [("a", "2010", "2013-05-01"), ("b", "2013-05-01", "")]
    assert not world.now()[1].start_known


def test_a_stale_repeat_does_not_bring_a_replaced_holder_back() -> None:
    world = World()
    world.tell("a", "2010")
    world.tell("b", "2012")
    world.tell("a", "2013", verb=Verb.STATE, seen=True)
    assert world.belief() == [("a", "2010", "2012"), ("b", "2012", "")]
    assert world.now()[1].conflicted


def test_a_setting_may_go_back_to_an_old_value() -> None:
    world = World(SETTING)
    world.tell("30 days", "2020", verb=Verb.STATE, seen=True)
    world.tell("60 days", "2021", verb=Verb.CHANGE)
    world.tell("30 days", "2022", verb=Verb.STATE, seen=True)
    assert [(v, a) for v, a, _ in world.belief()] == [
        ("30 days", "2020"),
        ("60 days", "2021"),
        ("30 days", "2022"),
    ]


def test_a_state_of_a_past_period_is_not_carried_on() -> None:
    world = World(MANY)
    world.tell("a", "2019", verb=Verb.STATE, seen=True, seen_until="2020")
    assert world.belief() == [("a", "2019", "2020")]
    assert world.now()[0].end_inferred


def test_restating_a_fact_is_corroboration_not_a_second_fact() -> None:
    world = World()
    for told in ("2011", "2012", "2013"):
        world.tell("a", "2010", told=told)
    assert len(world.versions()) == 1


# --- ends -------------------------------------------------------------------------------------------


def test_an_ending_without_a_name_ends_whoever_holds() -> None:
    world = World()
    world.tell("milo", "2022-10-03", verb=Verb.STATE)
    world.tell("", None, "2024-02-09", verb=Verb.STOP)
    assert world.belief() == [("milo", "2022-10-03", "2024-02-09")]
    assert spans(believed(world.versions(), 1)) == [("milo", "2022-10-03", "")]


def test_an_ending_without_a_name_ends_nobody_of_several_or_none() -> None:
    world = World()
    world.tell("a", "2020", shared=True)
    world.tell("b", "2020", shared=True)
    world.tell("", None, "2021", verb=Verb.STOP)
    assert world.belief() == [("a", "2020", ""), ("b", "2020", "")]
    vacant = World()
    vacant.tell("", None, "2021", verb=Verb.STOP)
    vacant.tell("a", "2025")
    assert vacant.belief() == [("a", "2025", "")]


def test_the_unnamed_one_who_left_in_the_month_of_the_successor_is_the_predecessor() -> None:
    world = World()
    world.tell("a", "2020")
    world.tell("b", "2024-02-15")
    world.tell("", None, "2024-03", verb=Verb.STOP)  # "left in February"
    assert world.belief() == [("a", "2020", "2024-02-15"), ("b", "2024-02-15", "")]


def test_a_stop_alone_tells_of_a_fact_with_unknown_start() -> None:
    world = World()
    world.tell("a", None, "2024-05", verb=Verb.STOP)
    assert world.belief() == [("a", "..", "2024-05-01")]
    assert not world.now()[0].start_known


def test_a_former_holder_is_over_by_then_and_by_the_successor() -> None:
    world = World()
    world.tell("a", "2010")
    world.tell("a", None, "2020", verb=Verb.STATE, status=Status.CEASED, seen=True)
    assert world.belief() == [("a", "2010", "2020")]
    assert world.now()[0].end_inferred
    world.tell("b", "2015")
    assert world.belief() == [("a", "2010", "2015"), ("b", "2015", "")]


def test_the_wrong_order_of_dates_in_one_claim_says_nothing() -> None:
    world = World()
    world.tell("a", "2020", "2015")
    assert world.belief() == []


def test_leaving_long_after_a_successor_took_over_does_not_bring_anybody_back() -> None:
    world = World()
    world.tell("z", "2001")
    world.tell("y", "2005")
    world.tell("y", None, "2008", verb=Verb.STOP)
    world.tell("x", "2010")
    world.tell("z", None, "2020", verb=Verb.STOP)
    assert world.belief() == [("z", "2001", "2005"), ("y", "2005", "2008"), ("x", "2010", "")]
    assert not any(version.conflicted for version in world.now())


def test_of_several_who_are_only_known_to_have_left_on_one_day_none_holds_after_it() -> None:
    world = World()
    for value in "abc":
        world.tell(value, None, "2002-01-01", verb=Verb.STOP)
    world.tell("d", "2003-05")
    left = world.now()[:-1]
    assert {version.object for version in left} == {"a", "b", "c"}
    assert day(max(version.valid.end for version in left)) == "2002"
    assert world.belief()[-1] == ("d", "2003-05-01", "")
