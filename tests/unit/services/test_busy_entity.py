"""An entity with more events than are read at once: the right end is read, and what is left out is said."""

from __future__ import annotations

import asyncio
from datetime import date, timedelta

import pytest
from tests.unit.services.world import Doc, World

from tidegraph.services.usecases.answers import Outcome

COUNT = 900
FIRST = date(2021, 1, 1)


def said(number: int) -> str:
    return f"Fenwick Mill ground load {number}."


@pytest.fixture(scope="module")
def world() -> World:
    made = World()
    for number in range(COUNT):
        day = (FIRST + timedelta(days=number)).isoformat()
        made.event(said(number), day, "Fenwick Mill", doc=Doc(f"log-{number}", day))
    return asyncio.run(made.build())


@pytest.mark.parametrize(
    ("question", "number"),
    [
        ("What happened last at Fenwick Mill?", COUNT - 1),
        ("What was the last thing that happened at Fenwick Mill?", COUNT - 1),
        ("What happened first at Fenwick Mill?", 0),
        ("What happened first at Fenwick Mill after 27 November 2022?", 696),
        ("What happened last at Fenwick Mill before 27 November 2022?", 694),
        ("What happened last at Fenwick Mill in May 2022?", 515),
        ("What happened first at Fenwick Mill in May 2023?", 850),
        ("What happened at Fenwick Mill on 27 November 2022?", 695),
    ],
)
async def test_the_right_end_is_read(world: World, question: str, number: int) -> None:
    answer = (await world.ask(question)).answer
    assert (answer.outcome, list(answer.values)) == (Outcome.ANSWERED, [said(number)]), answer.text


async def test_what_is_left_out_is_said(world: World) -> None:
    left = "limit: of events of the entities, only the"
    steps = (await world.ask("What happened last at Fenwick Mill?")).answer.steps
    assert any(step.startswith(left) and "last 400" in step for step in steps)
    steps = (await world.ask("What happened at Fenwick Mill?")).answer.steps
    assert any(step.startswith(left) and "first 400" in step for step in steps)
    steps = (await world.ask("What happened first at Fenwick Mill in May 2023?")).answer.steps
    assert not any(step.startswith(left) for step in steps)
