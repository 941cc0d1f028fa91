"""A language model that reads what the rules leave open: it completes their reading and never replaces it."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass, field

import pytest
from tests.unit.llm.fake_server import FakeServer, error, said
from tests.unit.services.orlan import COMPANY, orlan
from tests.unit.services.world import GRAPH, World

from tidegraph.language.llm.question import ModelQuestionReader
from tidegraph.models.prompts import load_prompt
from tidegraph.ports import QuestionParts
from tidegraph.services.caller import Caller
from tidegraph.services.usecases.ask import Asking, Finished
from tidegraph.services.usecases.moment import AskedTime
from tidegraph.services.usecases.overriding import Choice, Override


@dataclass
class Scripted:
    """Gives one reading, and remembers the questions."""

    parts: QuestionParts | None
    asked: list[str] = field(default_factory=list)

    def read(self, question: str, today: str) -> QuestionParts | None:
        self.asked.append(question)
        return self.parts


@pytest.fixture(scope="module")
def world() -> World:
    return asyncio.run(orlan().build())


async def ask(world: World, question: str, reader: object, override: Override | None = None) -> Finished:
    ports = world.ports()
    object.__setattr__(ports, "question_reader", reader)
    asking = Asking(ports, Caller(GRAPH, None, "r"), 2_000)
    parts = [part async for part in asking.run(question, AskedTime(), override or Override())]
    assert isinstance(parts[-1], Finished)
    return parts[-1]


def parts(*names: str, asked: str = "what", relation: str = "", date: str = "") -> QuestionParts:
    return QuestionParts(names, asked, relation, date)


LEFT_OPEN = "The chief executive of Orlan Freight"


async def test_what_is_open_is_completed(world: World) -> None:
    reader = Scripted(parts(COMPANY, asked="who", relation="in", date="2016-12-31/2017-01-01"))
    finished = await ask(world, LEFT_OPEN, reader)
    assert finished.answer.values == ("Tessa Brandt",)
    assert reader.asked == [LEFT_OPEN]


async def test_what_the_rules_read_stands(world: World) -> None:
    """The model says another time and another thing asked for; the question says them itself."""
    reader = Scripted(parts("Kestrel Bank", asked="count", relation="after", date="2022"))
    finished = await ask(world, "Who was CEO of Orlan Freight in 2016?", reader)
    assert finished.answer.values == ("Tessa Brandt",)
    assert reader.asked == [], "nothing is open"


async def test_names_that_the_graph_does_not_know_and_dates_that_are_none_are_left_out(world: World) -> None:
    question = "Who was the CEO?"
    plain = await ask(world, question, None)
    for given in (parts("the CEO"), parts(date="soon", relation="in"), parts(date="2016", relation=""), None):
        finished = await ask(world, question, Scripted(given))
        assert finished.answer == plain.answer


async def test_a_caller_comes_before_the_model(world: World) -> None:
    reader = Scripted(parts("Kestrel Bank"))
    finished = await ask(world, "Who is the CEO?", reader, Override(entities=(Choice(COMPANY),)))
    assert finished.answer.values == ("Nia Coates",)
    assert reader.asked == []


async def test_over_the_wire_and_when_the_server_is_away(world: World) -> None:
    content = {"names": [COMPANY], "asked_for": "who", "relation": "in", "date": "2016"}
    prompt = load_prompt("question.v1")
    reader = ModelQuestionReader(FakeServer(said(json.dumps(content))).model(stage="question"), prompt)
    assert (await ask(world, LEFT_OPEN, reader)).answer.values == ("Tessa Brandt",)
    broken = ModelQuestionReader(FakeServer(error(503, "away")).model(stage="question"), prompt)
    assert (await ask(world, LEFT_OPEN, broken)).answer == (await ask(world, LEFT_OPEN, None)).answer
