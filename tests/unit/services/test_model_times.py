"""The asked time of a language model's answer: set by an event, and checked against passages alone too."""

from __future__ import annotations

import pytest
from tests.unit.services.sluice import sluice
from tests.unit.services.test_timecot import Scripted
from tests.unit.services.world import Doc, World

from tidegraph.services.usecases.answers import Outcome

AFTER = "Who was chair of Fenwick Mill after Ben Marsh became chair?"
WHEN = "Who was chair of Fenwick Mill when the flood damaged the weir?"
KEEPER = "Who kept the lock of Orlan Canal in 2015?"


async def asked(question: str, said: str, world: World) -> tuple[Scripted, Outcome, str]:
    chat = world.chat = Scripted(said)
    answer = (await world.ask(question)).answer
    return chat, answer.outcome, answer.text


def row(user: str, text: str) -> str:
    return next(line for line in user.splitlines() if text in line).split("]")[0].strip("[")


async def test_the_model_is_asked_about_the_time_of_the_anchor() -> None:
    world = await sluice().build()
    chat, _, _ = await asked(WHEN, "Answer: NOT KNOWN", world)
    assert "Asked time: in 10 July 2020" in chat.user
    assert "Cleo Frost has been chair" not in chat.user
    number = row(chat.user, "Ada Quill")
    _, outcome, text = await asked(WHEN, f"Answer: Ada Quill [{number}].", world)
    assert (outcome, text) == (Outcome.ANSWERED, f"Ada Quill [{number}].")


async def test_the_anchor_itself_may_be_cited() -> None:
    world = await sluice().build()
    question = "What was done at Fenwick Mill after the flood damaged the weir?"
    chat, _, _ = await asked(question, "Answer: NOT KNOWN", world)
    repair, flood = row(chat.user, "repaired the weir"), row(chat.user, "A flood damaged")
    _, outcome, text = await asked(question, f"Answer: It was repaired [{repair}] [{flood}].", world)
    assert outcome is Outcome.ANSWERED, text


def canal(*texts: str, day: str = "2014-01-01") -> World:
    world = World()
    world.entity("Orlan Canal")
    for number, text in enumerate(texts):
        world.chunk(text, Doc(f"page-{number}", day, title="Orlan Canal"))
    return world


@pytest.mark.parametrize(
    ("text", "outcome"),
    [
        ("Jo Vane kept the lock of Orlan Canal from 2012 to 2016.", Outcome.ANSWERED),
        ("Jo Vane has kept the lock of Orlan Canal since 2012.", Outcome.ANSWERED),
        ("Jo Vane kept the lock of Orlan Canal until 2018.", Outcome.ANSWERED),
        ("Jo Vane kept the lock of Orlan Canal in 2015.", Outcome.ANSWERED),
        ("Jo Vane keeps the lock of Orlan Canal.", Outcome.ANSWERED),
        ("Jo Vane left the lock of Orlan Canal in 2017.", Outcome.ANSWERED),
        ("Jo Vane left the lock of Orlan Canal in 2013.", Outcome.WITHHELD),
        ("Jo Vane kept the lock of Orlan Canal from 2001 to 2003.", Outcome.WITHHELD),
        ("Jo Vane kept the lock of Orlan Canal until 2011.", Outcome.WITHHELD),
        ("Jo Vane has kept the lock of Orlan Canal since 2019.", Outcome.WITHHELD),
        ("The canal froze in 2015. Jo Vane kept the lock from 2018 to 2019.", Outcome.WITHHELD),
    ],
)
async def test_a_passage_of_another_time_carries_no_answer(text: str, outcome: Outcome) -> None:
    world = await canal(text).build()
    chat, _, _ = await asked(KEEPER, "Answer: NOT KNOWN", world)
    number = row(chat.user, text)
    _, found, said = await asked(KEEPER, f"Answer: Jo Vane kept the lock [{number}].", world)
    assert found is outcome, said


async def test_one_passage_of_the_asked_time_is_enough() -> None:
    early, late = (
        "Jo Vane kept the lock of Orlan Canal from 2001 to 2003.",
        "Jo Vane keeps the lock of Orlan Canal.",
    )
    world = await canal(early, late).build()
    chat, _, _ = await asked(KEEPER, "Answer: NOT KNOWN", world)
    numbers = row(chat.user, "2001"), row(chat.user, "Jo Vane keeps")
    _, found, said = await asked(KEEPER, f"Answer: Jo Vane [{numbers[0]}] [{numbers[1]}].", world)
    assert found is Outcome.ANSWERED, said
