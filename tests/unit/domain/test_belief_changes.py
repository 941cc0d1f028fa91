"""Plans, denials, corrections, withdrawals and registers by example."""

from __future__ import annotations

import itertools
from dataclasses import replace

import pytest
from tests.unit.domain.claims import MANY, SETTING, World, believed, day, spans

from tidegraph.domain.canonical import valid_time_hash
from tidegraph.domain.documents import Status, Verb
from tidegraph.domain.interval import OPEN_END

# --- plans and denials ------------------------------------------------------------------------------


def test_a_plan_holds_from_its_date_and_leaves_the_present_alone() -> None:
    world = World()
    world.tell("a", "2010")
    world.tell("b", "2024-06-01", status=Status.PLANNED, told="2024-04-01")
    assert world.belief() == [("a", "2010", "2024-06-01"), ("b", "2024-06-01", "")]
    assert world.now()[1].announced


def test_a_confirmed_plan_is_announced_no_longer_and_takes_the_true_date() -> None:
    world = World()
    world.tell("b", "2024-06-01", status=Status.PLANNED, told="2024-04-01")
    world.tell("b", "2024-06-03", told="2024-06-03")
    assert world.belief() == [("b", "2024-06-03", "")]
    assert not world.now()[0].announced


def test_a_plan_is_called_off_by_a_later_denial() -> None:
    world = World()
    world.tell("a", "2010")
    world.tell("b", "2024-06-01", status=Status.PLANNED, told="2024-04-01")
    world.tell("b", status=Status.DENIED, told="2024-05-01")
    assert world.belief() == [("a", "2010", "")]
    assert spans(believed(world.versions(), 2))[1][0] == "b"


def test_a_plan_is_called_off_by_a_later_stop_before_its_date() -> None:
    world = World()
    world.tell("a", "2010")
    world.tell("b", "2024-06-01", status=Status.PLANNED, told="2024-04-01")
    world.tell("b", None, "2024-05-01", verb=Verb.STOP, told="2024-05-01")
    assert world.belief() == [("a", "2010", "")]


def test_a_plan_lapses_when_the_former_holder_is_seen_after_its_date() -> None:
    world = World()
    world.tell("a", "2010")
    world.tell("b", "2024-06-01", status=Status.PLANNED, told="2024-04-01")
    world.tell("a", "2024-08-01", verb=Verb.STATE, seen=True, told="2024-08-01")
    assert world.belief() == [("a", "2010", "")]


def test_a_denial_never_bounds_a_fact() -> None:
    world = World()
    world.tell("a", "2010")
    world.tell("a", status=Status.DENIED)
    world.tell("b", "2015", status=Status.DENIED)
    assert world.belief() == [("a", "2010", "")]


def test_a_planned_end_lapses_when_the_value_is_seen_after_it() -> None:
    world = World(MANY)
    world.tell("a", "2010")
    world.tell("a", None, "2024", verb=Verb.STOP, status=Status.PLANNED, told="2023")
    assert world.belief() == [("a", "2010", "2024")]
    world.tell("a", "2025", verb=Verb.STATE, seen=True, told="2025")
    assert world.belief() == [("a", "2010", "")]


# --- correction, retraction, revisions ------------------------------------------------------------


def test_a_correction_of_a_date_replaces_it_and_the_old_belief_stays_known() -> None:
    world = World()
    world.tell("elodie", "2023-03-01", told="2023-03-20")
    world.tell("elodie", "2023-04-01", verb=Verb.CORRECTION, told="2023-04-05")
    assert world.belief() == [("elodie", "2023-04-01", "")]
    assert spans(believed(world.versions(), 1)) == [("elodie", "2023-03-01", "")]


def test_a_correction_of_an_end_replaces_it() -> None:
    world = World()
    world.tell("a", "2020")
    world.tell("a", None, "2023-05-01", verb=Verb.STOP, told="2023-05-02")
    world.tell("a", None, "2023-04-01", verb=Verb.CORRECTION, told="2023-05-09")
    assert world.belief() == [("a", "2020", "2023-04-01")]


def test_a_correction_of_the_name_takes_the_slot() -> None:
    world = World()
    world.tell("a", "2020-03-01", told="2020-03-02", priority=9)
    world.tell("b", "2020-03-01", verb=Verb.CORRECTION, told="2020-03-05", document="fix")
    assert world.belief() == [("b", "2020-03-01", "")]


def test_it_is_b_not_a() -> None:
    world = World()
    world.tell("a", "2020-03-01", told="2020-03-02")
    world.tell("b", "2020-02-27", verb=Verb.CORRECTION, told="2020-03-05", document="fix")
    world.tell("a", status=Status.DENIED, told="2020-03-05", document="fix")
    assert world.belief() == [("b", "2020-02-27", "")]


def test_withdrawing_a_source_reopens_what_it_had_closed() -> None:
    world = World()
    world.tell("a", "2010", recorded=1)
    told = world.tell("b", "2020", recorded=2)
    world.assertions[-1] = replace(told, withdrawn_at=5)
    assert world.belief() == [("a", "2010", "")]
    assert spans(believed(world.versions(), 3)) == [("a", "2010", "2020"), ("b", "2020", "")]
    assert [v.recorded_at for v in believed(world.versions(), 9)] == [5]


def test_a_change_of_belief_closes_and_opens_at_the_same_instant() -> None:
    world = World()
    world.tell("a", "2010", recorded=10)
    world.tell("b", "2020", recorded=20)
    old, new = (v for v in sorted(world.versions(), key=lambda v: v.recorded_at) if v.object == "a")
    assert (old.recorded_at, old.invalidated_at) == (10, 20)
    assert (new.recorded_at, new.invalidated_at) == (20, OPEN_END)
    assert day(new.valid.end) == "2020"


def test_what_a_register_no_longer_says_ends_at_that_revision() -> None:
    world = World(MANY)
    for told in ("2020-01-05", "2020-02-01", "2020-03-01"):
        world.revision("team", told)
    for told in ("2020-01-05", "2020-02-01"):
        world.tell("a", told, verb=Verb.STATE, seen=True, told=told, document="team", register=True)
    assert world.belief() == [("a", "2020-01-05", "2020-03-01")]


def test_what_a_register_says_again_begins_again() -> None:
    world = World(MANY)
    for told in ("2020-01-05", "2020-02-01", "2020-03-01"):
        world.revision("team", told)
    for told in ("2020-01-05", "2020-03-01"):
        world.tell("a", told, verb=Verb.STATE, seen=True, told=told, document="team", register=True)
    assert world.belief() == [("a", "2020-01-05", "2020-02-01"), ("a", "2020-03-01", "")]


def test_silence_of_a_narrative_ends_nothing() -> None:
    world = World(MANY)
    world.tell("a", "2020-01-05", verb=Verb.STATE, seen=True, told="2020-01-05", document="news")
    world.revisions = [
        replace(world.revision("news", told), register=False) for told in ("2020-01-05", "2020-03-01")
    ]
    assert world.belief() == [("a", "2020-01-05", "")]


def test_every_order_of_arrival_gives_one_valid_time_state() -> None:
    hashes = set()
    for order in itertools.permutations(range(5)):
        world = World()
        made = [
            world.tell("a", "2010"),
            world.tell("b", "2014", "2015"),
            world.tell("c", "2018"),
            world.tell("c", None, "2020", verb=Verb.STOP),
            world.tell("d", "2019-06", verb=Verb.STATE, seen=True),
        ]
        world.assertions = [replace(made[place], recorded_at=at) for at, place in enumerate(order)]
        hashes.add(valid_time_hash(world.versions()))
    assert len(hashes) == 1


# --- what a register announces ------------------------------------------------------------------------


def retention(*pages: tuple[str, list[dict]]) -> World:
    """A register of one setting: (document time, what that revision says) of each revision."""
    world = World(SETTING)
    for told, claims in pages:
        world.revision("policy", told)
        for claim in claims:
            world.tell(**{"verb": Verb.CHANGE, **claim}, told=told, document="policy", register=True)
    return world


def says(value: str, told: str) -> dict:
    return {"value": value, "start": told, "verb": Verb.STATE, "seen": True}


PLAN = {"value": "90 days", "start": "2023-02-01", "status": Status.PLANNED}
OLD = ("2022-06-01", [says("30 days", "2022-06-01")])
ANNOUNCED = ("2023-01-16", [PLAN])


def test_what_a_register_replaces_later_holds_until_then() -> None:
    world = retention(OLD, ANNOUNCED)
    assert world.belief() == [("30 days", "2022-06-01", "2023-02-01"), ("90 days", "2023-02-01", "")]
    old, new = world.now()
    assert old.end_inferred
    assert new.announced
    assert not old.announced


def test_an_announced_value_that_is_called_off_leaves_the_old_one_standing() -> None:
    world = retention(OLD, ANNOUNCED)
    world.tell("90 days", status=Status.DENIED, told="2023-01-20")
    assert world.belief() == [("30 days", "2022-06-01", "")]


def test_a_register_that_falls_silent_ends_what_an_announcement_had_left_standing() -> None:
    assert retention(OLD, ANNOUNCED, ("2023-01-20", [])).belief()[0] == (
        "30 days",
        "2022-06-01",
        "2023-01-20",
    )
    repeated = retention(OLD, ANNOUNCED, ("2023-01-20", [PLAN]))
    assert repeated.belief() == retention(OLD, ANNOUNCED).belief()
    assert repeated.now()[1].announced


def test_a_revision_that_says_only_what_already_began_ends_the_old_value_by_its_time() -> None:
    world = retention(OLD, ("2023-02-16", [{"value": "90 days", "start": "2023-02-01"}]))
    assert world.belief() == [("30 days", "2022-06-01", "2023-02-01"), ("90 days", "2023-02-01", "")]
    world = retention(OLD, ("2023-02-16", [{"value": "90 days", "start": "2022-01-01", "end": "2022-02-01"}]))
    assert world.belief()[-1] == ("30 days", "2022-06-01", "2023-02-16")


def test_the_same_value_announced_elsewhere_does_not_speak_for_the_register() -> None:
    world = retention(OLD, ("2023-01-16", []))
    world.tell(**PLAN, told="2023-01-16", document="news")
    assert world.belief() == [("30 days", "2022-06-01", "2023-01-16"), ("90 days", "2023-02-01", "")]


def test_a_joint_holder_whom_a_register_drops_does_not_wait_for_another_joint_one() -> None:
    world = World()
    for told in ("2023-01-01", "2023-01-16"):
        world.revision("board", told)
    page = {"document": "board", "register": True, "shared": True}
    world.tell("lena", "2023-01-01", verb=Verb.STATE, seen=True, told="2023-01-01", **page)
    world.tell("omar", "2023-02-01", status=Status.PLANNED, told="2023-01-16", **page)
    assert world.belief() == [("lena", "2023", "2023-01-16"), ("omar", "2023-02-01", "")]


@pytest.mark.parametrize(
    "later",
    [
        ("2023-03-01", [PLAN]),  # "will be": its wording is older than the page
        ("2023-02-01", [PLAN]),
        ("2023-03-01", [says("90 days", "2023-03-01")]),
        ("2023-03-01", [{"value": "90 days", "start": "2023-02-01"}]),
    ],
)
def test_what_a_register_says_after_the_announced_date_is_announced_no_longer(later: tuple) -> None:
    world = retention(OLD, ANNOUNCED, later)
    assert world.belief() == [("30 days", "2022-06-01", "2023-02-01"), ("90 days", "2023-02-01", "")]
    assert not world.now()[1].announced


def test_an_announcement_that_a_narrative_repeats_stays_one() -> None:
    world = World(SETTING)
    world.tell(**PLAN, told="2023-03-01")
    assert world.now()[0].announced


@pytest.mark.parametrize(
    ("end", "announced"),
    [
        ({"verb": Verb.STOP}, False),
        ({"verb": Verb.STATE, "status": Status.CEASED, "seen": True}, False),
        ({"verb": Verb.STOP, "status": Status.PLANNED}, True),
        ({"verb": Verb.STOP, "confidence": 0.4}, True),
    ],
)
def test_that_it_ended_shows_that_what_was_announced_had_begun(end: dict, announced: bool) -> None:
    world = World()
    world.tell("a", "2023-02-01", status=Status.PLANNED, told="2023-01-16")
    world.tell("a", None, "2023-06-01", **end, told="2023-06-02")
    assert world.belief() == [("a", "2023-02-01", "2023-06-01")]
    assert world.now()[0].announced is announced


def test_an_end_that_a_register_announces_comes_on_its_day_and_not_before() -> None:
    leaving = {"value": "30 days", "end": "2023-02-01", "verb": Verb.STOP, "status": Status.PLANNED}
    world = retention(OLD, ("2023-01-16", [leaving]))
    assert world.belief() == [("30 days", "2022-06-01", "2023-02-01")]
    world = retention(OLD, ("2023-01-16", [leaving]), ("2023-03-01", []))
    assert world.belief() == [("30 days", "2022-06-01", "2023-02-01")]
    world = retention(OLD, ("2023-01-16", [leaving]), ("2023-01-20", []))
    assert world.belief() == [("30 days", "2022-06-01", "2023-01-20")]
