"""The feed says what changed in what is believed now, in the right words."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.contracts.samples import at, version

from tidegraph.domain.facts import FactVersion
from tidegraph.domain.interval import OPEN_END, OPEN_START, Granularity, Interval
from tidegraph.domain.predicates import Registry
from tidegraph.streams.writing import feed


def fact(
    value: str, start: int, end: int = OPEN_END, recorded_at: int = at(2024), **fields: object
) -> FactVersion:
    return version("acme", "has_value", value, Interval(start, end), recorded_at, qualifiers=(), **fields)


def closed(row: FactVersion, at_: int) -> FactVersion:
    return replace(row, invalidated_at=at_)


OLD = fact("a", at(2020))
NOW = at(2025)
CASES = {
    "first": ([], [OLD], ["asserted"]),
    "nothing": ([OLD], [OLD], []),
    "a plan": ([], [fact("a", at(2030), announced=True)], ["announced"]),
    "a plan that came true": (
        [p := fact("a", at(2030), announced=True)],
        [closed(p, NOW), fact("a", at(2030), recorded_at=NOW)],
        ["asserted"],
    ),
    "bounded by a successor": (
        [OLD],
        [closed(OLD, NOW), fact("a", at(2020), at(2024), NOW), fact("b", at(2024), OPEN_END, NOW)],
        ["asserted", "bounded"],
    ),
    "reopened": (
        [b := fact("a", at(2020), at(2024)), c := fact("b", at(2024))],
        [closed(b, NOW), closed(c, NOW), fact("a", at(2020), OPEN_END, NOW)],
        ["reopened", "retracted"],
    ),
    "split by what came inside": (
        [OLD],
        [
            closed(OLD, NOW),
            fact("a", at(2020), at(2022), NOW),
            fact("b", at(2022), at(2023), NOW),
            fact("a", at(2023), OPEN_END, NOW),
        ],
        ["asserted", "bounded", "split"],
    ),
    "begun later than it was thought": (
        [OLD],
        [closed(OLD, NOW), fact("a", at(2021), OPEN_END, NOW)],
        ["asserted"],
    ),
    "superseded": ([OLD], [closed(OLD, NOW), fact("b", at(2020), OPEN_END, NOW)], ["asserted", "superseded"]),
    "retracted": ([OLD], [closed(OLD, NOW)], ["retracted"]),
    "only the past changed": ([OLD], [OLD, closed(fact("b", at(2010), at(2011)), at(2024, 6))], []),
}


@pytest.mark.parametrize("name", CASES)
def test_actions(name: str) -> None:
    before, after, actions = CASES[name]
    assert sorted(action for action, _, _ in feed.changed(before, after)) == actions


def test_a_change_is_told_at_its_instant() -> None:
    (change,) = feed.changed([OLD], [closed(OLD, NOW)])
    assert change == ("retracted", OLD, NOW)


def test_sentences() -> None:
    registry = Registry.parse('[[predicate]]\nname = "has_value"\nlabel = "is set to"\nobject = "literal"\n')
    names = {"acme": "Acme"}
    assert feed.sentence(OLD, registry, names) == "Acme is set to a [2020-01-01, ..)"
    month = replace(OLD, start_granularity=Granularity.MONTH, valid=Interval(OPEN_START, at(2024, 5)))
    month = replace(month, end_granularity=Granularity.MONTH)
    assert feed.sentence(month, registry, names) == "Acme is set to a [.., 2024-05)"
    long = feed.sentence(replace(OLD, object="x" * 5_000), registry, names)
    assert len(long) == feed.MAX_TEXT_CHARS


def test_the_id_of_a_line_is_a_function_of_the_change() -> None:
    registry = Registry((), ())
    lines = {feed.change_row("g", "asserted", OLD, NOW, registry, {}).change_id for _ in range(3)}
    lines.add(feed.change_row("g", "bounded", OLD, NOW, registry, {}).change_id)
    assert len(lines) == 2
