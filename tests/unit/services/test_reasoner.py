"""The built-in reasoner on a small invented world: the right value, the right time, the right silence."""

from __future__ import annotations

import asyncio

import pytest
from tests.unit.services.orlan import orlan
from tests.unit.services.world import World

from tidegraph.services.usecases.answers import Outcome


@pytest.fixture(scope="module")
def world() -> World:
    return asyncio.run(orlan().build())


ANSWERS = [
    # what holds now, then, and around a change
    ("Who is the CEO of Orlan Freight?", ["Nia Coates"]),
    ("Who is currently chief executive officer at Orlan Freight?", ["Nia Coates"]),
    ("Who was CEO of Orlan Freight in 2016?", ["Tessa Brandt"]),
    ("Who was Orlan Freight's chief executive on 10 September 2018?", ["Olaf Renner"]),
    ("Who was Orlan Freight's chief executive on 9 September 2018?", ["Tessa Brandt"]),
    ("In 2018, who was the CEO of Orlan Freight?", ["Tessa Brandt", "Olaf Renner"]),
    ("Who was CEO of Orlan Freight between May 2019 and March 2020?", ["Olaf Renner"]),
    ("Who was CEO of Orlan Freight before September 2018?", ["Tessa Brandt"]),
    ("Who was CEO of Orlan Freight after 2019?", ["Olaf Renner"]),
    ("Who has been CEO of Orlan Freight since 2023?", ["Nia Coates"]),
    ("Who was finance director of Orlan Freight in March 2020?", ["Piet Vos"]),
    ("Who was the head of procurement at Orlan Freight in 2017?", ["Marek Dunn"]),
    # other slots
    ("Where was Orlan Freight based in 2015?", ["Tilbury"]),
    ("Where is the headquarters of Orlan Freight?", ["Rotterdam"]),
    ("Which company did Olaf Renner work for in 2012?", ["Kestrel Bank"]),
    ("Who employed Olaf Renner in 2016?", ["Lund Partners"]),
    ("What position did Olaf Renner hold in 2020?", ["chief executive officer"]),
    ("What was Piet Vos's role at Orlan Freight in 2020?", ["finance director"]),
    ("Which university did Olaf Renner attend?", ["Marl University"]),
    ("Where did Olaf Renner study?", ["Marl University"]),
    ("What is the retention period in the Orlan data policy?", ["45 days"]),
    ("What was the retention period under the Orlan data policy in March 2020?", ["30 days"]),
    # order
    ("Who was the first CEO of Orlan Freight?", ["Tessa Brandt"]),
    ("Who succeeded Tessa Brandt as CEO of Orlan Freight?", ["Olaf Renner"]),
    ("Whom did Nia Coates succeed as CEO of Orlan Freight?", ["Olaf Renner"]),
    ("Who preceded Olaf Renner as CEO of Orlan Freight?", ["Tessa Brandt"]),
    ("Who was CEO of Orlan Freight immediately before Nia Coates?", ["Olaf Renner"]),
    ("By whom was Olaf Renner replaced as chief executive?", ["Nia Coates"]),
    ("Who was Tessa Brandt's successor at Orlan Freight?", ["Olaf Renner"]),
    ("Which company did Olaf Renner work for after Kestrel Bank?", ["Lund Partners"]),
    ("Which company did Olaf Renner work for before Lund Partners?", ["Kestrel Bank"]),
    ("Which company did Olaf Renner join after leaving Kestrel Bank?", ["Lund Partners"]),
    # lists
    ("Which releases did Orlan Freight publish in the second quarter of 2023?", ["Beech", "Cypress"]),
    ("Which releases did Orlan Freight publish after 1 June 2023?", ["Cypress", "Damson"]),
    ("Which was the last release of Orlan Freight before 1 September 2023?", ["Cypress"]),
    ("Which was the first release of Orlan Freight after May 2023?", ["Cypress"]),
    ("How many CEOs has Orlan Freight had?", ["3"]),
    ("How many releases did Orlan Freight publish in 2023?", ["4"]),
    # times and lengths
    ("When did Olaf Renner become CEO of Orlan Freight?", ["10 September 2018"]),
    ("When did Nia Coates become chief executive officer of Orlan Freight?", ["January 2022"]),
    ("When did Piet Vos leave Orlan Freight?", ["30 June 2021"]),
    ("When was Piet Vos finance director of Orlan Freight?", ["from March 2019 until 30 June 2021"]),
    ("Until when was Tessa Brandt CEO of Orlan Freight?", ["10 September 2018"]),
    ("Since when has Orlan Freight been based in Rotterdam?", ["1 October 2020"]),
    ("How long was Tessa Brandt CEO of Orlan Freight?", ["3 years, 5 months and 9 days"]),
    ("How long did Olaf Renner study at Marl University?", ["4 years"]),
    ("For how many days was gate-7 closed in March 2024?", ["5 days"]),
    ("For how many days was gate-7 closed in 2024?", ["7 days"]),
    ("How many months was Tessa Brandt CEO of Orlan Freight?", ["41 months"]),
    # yes and no
    ("Was Olaf Renner CEO of Orlan Freight in 2020?", ["yes"]),
    ("Was Olaf Renner CEO of Orlan Freight in 2023?", ["no"]),
    ("Was Olaf Renner ever CEO of Orlan Freight?", ["yes"]),
    ("Is Nia Coates the CEO of Orlan Freight?", ["yes"]),
    ("Did Olaf Renner work for Kestrel Bank in 2010?", ["yes"]),
    # events
    ("When was the Delta terminal finished?", ["1 August 2021"]),
    (
        "What happened after the Delta terminal of Orlan Freight was finished?",
        ["Orlan Freight sold two cranes on 5 October 2021."],
    ),
    (
        "What happened first after Orlan Freight signed the charter of the Delta terminal?",
        ["Inspectors visited the Delta terminal of Orlan Freight on 9 June 2021."],
    ),
    ("Who was CEO of Orlan Freight when the Delta terminal was finished?", ["Olaf Renner"]),
    # a name that is only close
    ("Did Olaf Renner work for Kestrel in 2010?", ["yes"]),
    ("When did Renner become CEO of Orlan Freight?", ["10 September 2018"]),
]  # fmt: skip


@pytest.mark.parametrize(("question", "values"), ANSWERS, ids=[question for question, _ in ANSWERS])
async def test_answers(world: World, question: str, values: list[str]) -> None:
    answer = (await world.ask(question)).answer
    assert (answer.outcome, list(answer.values)) == (Outcome.ANSWERED, values), answer.text
    assert answer.citations
    assert all(check.passed for check in answer.checks)
    said = answer.text.casefold()
    assert all(value.rstrip(".").casefold() in said for value in values)


UNKNOWN = [
    "Who is the CFO of Orlan Freight?",
    "Who inspected the Epsilon terminal of Orlan Freight?",
    "Who was CEO of Orlan Freight in 2009?",
    "Who was finance director of Orlan Freight in 2023?",
    "Who is the CEO of Kestrel Bank?",
    "Who is Piet Vos's wife?",
    "Which party is Nia Coates a member of?",
    "What is the notice period in the Orlan data policy?",
    "Who was curator of the Quill Museum in 2019?",
    "Where did Nia Coates study?",
    "When did Marek Dunn leave Orlan Freight?",
    "When did Tessa Brandt join Kestrel Bank?",
    "How long did Nia Coates study at Marl University?",
    "Does Orlan Freight sell bread?",
    "Was Marek Dunn CEO of Orlan Freight in 2017?",
    "Who is chair of the Harbour Trust?",
    "Who succeeded Nia Coates as CEO of Orlan Freight?",
    "Who was CEO of Orlan Freight after the war?",
    "Who is the CEO of Nowhere Industries?",
]


@pytest.mark.parametrize("question", UNKNOWN)
async def test_what_no_evidence_says_is_not_known(world: World, question: str) -> None:
    answer = (await world.ask(question)).answer
    assert answer.outcome is Outcome.NOT_KNOWN, answer.text
    assert answer.text.startswith("Not known as of 1 June 2025")
    assert not answer.values
    assert not answer.citations


async def test_an_answer_tells_the_transition_it_rests_on(world: World) -> None:
    answer = (await world.ask("Who was CEO of Orlan Freight in 2018?")).answer
    assert (
        answer.transition
        == "until 10 September 2018: Tessa Brandt; from 10 September 2018 until January 2022: Olaf Renner"
    )
    now = (await world.ask("Who is CEO of Orlan Freight?")).answer
    assert now.transition == "until January 2022: Olaf Renner; since January 2022: Nia Coates"
    assert "Before that: Olaf Renner was chief executive officer" in now.text


async def test_the_same_question_at_two_dates_and_two_states_of_knowledge(world: World) -> None:
    question = "Who is CEO of Orlan Freight?"
    assert (await world.ask(question, valid="2017")).answer.values == ("Tessa Brandt",)
    assert (await world.ask(question, valid="2023-01-01")).answer.values == ("Nia Coates",)
    assert (await world.ask(question, valid="2023-01-01", known="2021")).answer.values == ("Olaf Renner",)
    assert (await world.ask(question, known="2014")).answer.outcome is Outcome.NOT_KNOWN


async def test_a_plan_holds_from_its_date_on_and_says_that_it_is_one(world: World) -> None:
    answer = (await world.ask("Who is chair of the Harbour Trust?", valid="2027-06")).answer
    assert answer.values == ("Nia Coates",)
    assert "announced" in answer.text


async def test_a_start_that_was_only_seen_is_no_exact_start(world: World) -> None:
    answer = (await world.ask("When did Ines Lowell become curator of the Quill Museum?")).answer
    assert answer.text.startswith("By 5 June 2023 at the latest")


@pytest.mark.parametrize(
    ("day", "said"), [("2020-05-01", "within one day"), ("2023-05-01", "within two hours")]
)
async def test_a_policy_is_quoted_from_the_revision_in_force(world: World, day: str, said: str) -> None:
    answer = (await world.ask("What do the site rules say about lost badges?", valid=day)).answer
    assert said in answer.text
    assert len(answer.citations) == 1
    assert answer.citations[0].sentence.startswith("Lost badges")


async def test_denied_events_are_never_evidence_and_every_answer_is_reproducible(world: World) -> None:
    one = (await world.ask("Who was CEO of Orlan Freight in 2018?")).answer
    two = (await world.ask("Who was CEO of Orlan Freight in 2018?")).answer
    assert one == two
