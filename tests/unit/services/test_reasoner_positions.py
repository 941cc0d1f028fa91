"""Positions that somebody held one after the other: the neighbour of a named one is a position too."""

from __future__ import annotations

import asyncio

import pytest
from tests.unit.services.world import World


@pytest.fixture(scope="module")
def world() -> World:
    made = World()
    made.person("Ada Voss")
    for role, place, start, end in (
        ("mayor", "Tarn", "2001-03-01", "2005-05-01"),
        ("treasurer", "Ruval Council", "2005-05-01", "2009-01-01"),
        ("chair", "Ruval Council", "2009-01-01", "2014-07-01"),
        ("ambassador", "Selmia", "2014-07-01", "2019-02-01"),
    ):
        made.claim("Ada Voss", "holds_role", place, start, end, role=role)
    return asyncio.run(made.build())


@pytest.mark.parametrize(
    ("question", "values"),
    [
        ("Which position did Ada Voss hold before Selmia?", ["chair"]),
        ("Which position did Ada Voss hold after Tarn?", ["treasurer"]),
        ("What office did Ada Voss hold after leaving Tarn?", ["treasurer"]),
        ("What position did Ada Voss hold before Ruval Council?", ["mayor"]),
        ("Which organisation did Ada Voss work for before Selmia?", ["Ruval Council"]),
    ],
)
async def test_the_neighbour_of_a_position_is_a_position(
    world: World, question: str, values: list[str]
) -> None:
    finished = await world.ask(question)
    assert list(finished.answer.values) == values, finished.answer.text
