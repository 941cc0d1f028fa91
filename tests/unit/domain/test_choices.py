"""Conflicts that a decision settles: for one claim, from the decision on, and back again."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.unit.domain.claims import ONE, World

from tidegraph.domain.belief import history
from tidegraph.domain.choosing import stand_ins
from tidegraph.domain.facts import FactVersion
from tidegraph.domain.interval import OPEN_END, OPEN_START, format_instant
from tidegraph.domain.rules import Choice, KeyRules, choices_over_time


def told(world: World, *choices: Choice, known_at: int = OPEN_END - 1) -> list[tuple[str, str, str, bool]]:
    """(value, from, to, conflicted) as believed at an instant."""
    rules = KeyRules(((OPEN_START, ONE),), choices_over_time(choices))
    found = history(world.assertions, world.revisions, rules)
    now = [version for version in found if version.recorded_at <= known_at < version.invalidated_at]
    return [_short(version) for version in sorted(now, key=lambda version: version.valid.start)]


def _short(version: FactVersion) -> tuple[str, str, str, bool]:
    start, end = version.valid.start, version.valid.end
    return (
        version.object,
        format_instant(start)[:10] if start != OPEN_START else "",
        format_instant(end)[:10] if end != OPEN_END else "",
        version.conflicted,
    )


def test_equal_starts_are_settled_for_the_chosen_claim_and_only_from_then_on() -> None:
    world = World()
    world.tell("a", "2020-01-01")
    loser = world.tell("b", "2020-01-01")
    assert told(world) == [("a", "2020-01-01", "", True)]
    choice = Choice(10, "d1", loser.assertion_id)
    assert told(world, choice) == [("b", "2020-01-01", "", False)]
    assert told(world, choice, known_at=9) == [("a", "2020-01-01", "", True)]


def test_a_choice_is_undone_by_another_decision() -> None:
    world = World()
    first, second = world.tell("a", "2020-01-01"), world.tell("b", "2020-01-01")
    choices = [
        Choice(10, "d1", second.assertion_id),
        Choice(12, "d2", second.assertion_id, undone=True),
        Choice(14, "d3", first.assertion_id),
        Choice(16, "d4", ""),
    ]
    assert told(world, *choices, known_at=11) == [("b", "2020-01-01", "", False)]
    assert told(world, *choices, known_at=13) == [("a", "2020-01-01", "", True)]
    assert told(world, *choices, known_at=15) == [("a", "2020-01-01", "", False)]
    assert told(world, *choices) == [("a", "2020-01-01", "", True)]


def test_the_later_of_two_choices_holds() -> None:
    world = World()
    first, second = world.tell("a", "2020-01-01"), world.tell("b", "2020-01-01")
    choices = [Choice(10, "d2", second.assertion_id), Choice(11, "d1", first.assertion_id)]
    assert told(world, *choices) == [("a", "2020-01-01", "", False)]
    assert told(world, *reversed(choices)) == told(world, *choices)


def test_a_stated_end_that_another_start_cut_short_stands_once_it_is_chosen() -> None:
    world = World()
    whole = world.tell("a", "2010-01-01", "2022-01-01")
    later = world.tell("b", "2020-01-01")
    assert told(world) == [("a", "2010-01-01", "2020-01-01", False), ("b", "2020-01-01", "", True)]
    assert told(world, Choice(10, "d", whole.assertion_id)) == [
        ("a", "2010-01-01", "2022-01-01", False),
        ("b", "2022-01-01", "", False),
    ]
    assert told(world, Choice(10, "d", later.assertion_id)) == [
        ("a", "2010-01-01", "2020-01-01", False),
        ("b", "2020-01-01", "", False),
    ]


def test_a_choice_does_not_stop_what_comes_later() -> None:
    world = World()
    world.tell("a", "2020-01-01")
    chosen = world.tell("b", "2020-01-01")
    world.tell("c", "2023-01-01")
    assert told(world, Choice(10, "d", chosen.assertion_id)) == [
        ("b", "2020-01-01", "2023-01-01", False),
        ("c", "2023-01-01", "", False),
    ]


def test_a_choice_of_a_claim_that_is_not_there_changes_nothing() -> None:
    world = World()
    world.tell("a", "2020-01-01")
    world.tell("b", "2020-01-01")
    assert told(world, Choice(10, "d", "another")) == told(world)


def test_a_choice_follows_the_statement_where_its_document_says_it_anew() -> None:
    world = World()
    world.tell("a", "2020-01-01")
    chosen = world.tell("b", "2020-01-01", document="paper")
    world.tell("b", "2020-01-01", document="paper", recorded=20)
    world.assertions[1] = replace(chosen, withdrawn_at=20)
    choice = Choice(10, "d", chosen.assertion_id)
    for known_at in (11, 20, 30):
        assert told(world, choice, known_at=known_at) == [("b", "2020-01-01", "", False)]
    assert told(world, choice, Choice(25, "e", chosen.assertion_id, undone=True)) == told(world)
    world.assertions.reverse()
    assert told(world, choice) == [("b", "2020-01-01", "", False)]


@pytest.mark.parametrize(
    ("value", "start", "document"),
    [("c", "2020-01-01", "paper"), ("b", "2020-02-01", "paper"), ("b", "2020-01-01", "other")],
)
def test_a_choice_follows_no_other_statement(value: str, start: str, document: str) -> None:
    world = World()
    world.tell("a", "2020-01-01")
    chosen = world.tell("b", "2020-01-01", document="paper")
    world.tell(value, start, document=document, recorded=20)
    choice = Choice(10, "d", chosen.assertion_id)
    assert told(world, choice, known_at=19) == [("b", "2020-01-01", "", False)]
    world.assertions[1] = replace(chosen, withdrawn_at=20)
    assert told(world, choice) == told(world)


def test_another_statement_of_the_document_is_not_chosen_while_the_chosen_one_counts() -> None:
    world = World()
    world.tell("a", "2020-01-01")
    chosen = world.tell("b", "2020-01-01", document="paper")
    again = world.tell("b", "2020-01-01", document="paper")
    rival = world.tell("c", "2020-01-01")
    assert list(stand_ins(world.assertions, [chosen.assertion_id], ONE, 30)) == [chosen.assertion_id]
    ids = [chosen.assertion_id, rival.assertion_id, again.assertion_id]
    world.assertions[1] = replace(chosen, withdrawn_at=20)
    assert stand_ins(world.assertions, ids, ONE, 30) == {
        rival.assertion_id: rival.assertion_id,
        again.assertion_id: again.assertion_id,
    }
