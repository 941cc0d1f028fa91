"""Questions that compare two things, follow one over time, or ask what came before or led to it."""

from __future__ import annotations

import asyncio

import pytest
from tests.unit.services.sluice import FEAST, FLOOD, REPAIR, WEIR, sluice
from tests.unit.services.world import Doc, World

from tidegraph.domain.documents import Status
from tidegraph.services.usecases.answers import Outcome


@pytest.fixture(scope="module")
def world() -> World:
    return asyncio.run(sluice().build())


@pytest.fixture(scope="module")
def club() -> World:
    """A club with a president who came back, and members of several years."""
    world = World()
    for name, start, end in (
        ("Fay Lund", "2010-01-01", "2012-01-01"),
        ("Gil Hart", "2014-01-01", "2016-01-01"),
        ("Fay Lund", "2018-01-01", "2020-01-01"),
        ("Ivo Sand", "2021-01-01", ""),
    ):
        world.person(name)
        doc = Doc(f"{name}-{start}", start)
        world.claim(name, "holds_role", "Otter Club", start, end, role="president", doc=doc)
    for name, start in (("Gil Hart", "2026-01-01"), ("Una Vale", "2027-01-01")):
        world.person(name)
        doc = Doc(f"soon-{name}", "2025-05-01")
        world.claim(name, "holds_role", "Otter Club", start, role="president", status=Status.PLANNED, doc=doc)
    world.event("Otter Club held a regatta.", "2020-07-10", "Otter Club")
    world.event("A storm sank a boat of Otter Club.", "2020-07-10", "Otter Club")
    for name, start, end in (
        ("Gil Hart", "2009-01-01", "2016-01-01"),
        ("Gil Hart", "2018-01-01", ""),
        ("Ivo Sand", "2019-01-01", ""),
    ):
        world.claim(name, "member_of", "Rowing League", start, end, doc=Doc(f"league-{name}-{start}", start))
    for name, start, end in (("Fay Lund", "2008-01-01", ""), ("Gil Hart", "2016-01-01", "2019-01-01")):
        world.claim(name, "member_of", "Lock Trust", start, end, doc=Doc(f"trust-{name}", start))
    return asyncio.run(world.build())


CONTINUITY = [
    ("Was Ada Quill chair of Fenwick Mill throughout 2021?", ["yes"]),
    ("Was Ada Quill chair of Fenwick Mill throughout 2022?", ["no"]),
    ("Was Ada Quill chair of Fenwick Mill for the whole of 2022?", ["no"]),
    ("Was Ada Quill chair of Fenwick Mill for the whole of 2020?", ["yes"]),
    ("Was Ada Quill chair of Fenwick Mill for all of 2022?", ["no"]),
    ("Was Ada Quill chair of Fenwick Mill during the entire year 2022?", ["no"]),
    ("Was Ada Quill chair of Fenwick Mill during the entire year 2021?", ["yes"]),
    ("Was Ada Quill the chair of Fenwick Mill all through 2022?", ["no"]),
    ("Was Ada Quill chair of Fenwick Mill on every day of 2022?", ["no"]),
    ("Throughout 2022, was Ada Quill chair of Fenwick Mill?", ["no"]),
    ("Was Ada Quill continuously chair of Fenwick Mill in 2022?", ["no"]),
    ("Was Ada Quill continuously chair of Fenwick Mill in 2021?", ["yes"]),
    ("Was Ben Marsh a member of the Water Guild from 2018 to 2022 without interruption?", ["no"]),
    ("Was Ben Marsh a member of the Water Guild between 2018 and 2022 without a break?", ["no"]),
    ("Was Ben Marsh a member of the Water Guild from 2018 to 2019 without interruption?", ["yes"]),
    ("Has Ben Marsh been a member of the Water Guild without interruption?", ["no"]),
    ("Has Ben Marsh been a member of the Water Guild uninterruptedly since 2021?", ["yes"]),
    ("Has Ben Marsh been a member of the Water Guild uninterruptedly since 2019?", ["no"]),
    ("Has Cleo Frost been chair of Fenwick Mill without a break since March 2024?", ["yes"]),
    ("Who was chair of Fenwick Mill throughout 2021?", ["Ada Quill"]),
    ("Who was treasurer of Fenwick Mill for the whole of 2022?", ["Dan Holm"]),
    ("Who was chair of Fenwick Mill for the whole of 2023?", ["Ben Marsh"]),
    ("Was Ada Quill chair of Fenwick Mill throughout Dan Holm's term as treasurer?", ["no"]),
    ("Was Ben Marsh a member of the Water Guild throughout Dan Holm's time as treasurer?", ["yes"]),
    ("Was Ada Quill chair of Fenwick Mill for the whole of Dan Holm's term as treasurer?", ["no"]),
    ("Was Ada Quill chair of Fenwick Mill all year in 2022?", ["no"]),
    ("Was Ada Quill chair of Fenwick Mill all of 2022?", ["no"]),
    ("Was Ada Quill chair of Fenwick Mill for all of the year 2022?", ["no"]),
    # in each of some units of time, if only for a while
    ("Was Ada Quill chair of Fenwick Mill in every year from 2019 to 2021?", ["yes"]),
    ("Was Ada Quill chair of Fenwick Mill in every year from 2019 to 2023?", ["no"]),
    ("Was Ada Quill chair of Fenwick Mill each month of 2022?", ["no"]),
    ("Was Ben Marsh a member of the Water Guild in every year since 2018?", ["yes"]),
    ("Was Ben Marsh a member of the Water Guild in every month of 2020?", ["no"]),
    ("Was Ben Marsh a member of the Water Guild in every year from 2018 to 2022?", ["yes"]),
    ("Who was chair of Fenwick Mill in every year from 2019 to 2022?", ["Ada Quill"]),
    # words that count what held, and not the time
    ("Who were all 2022 chairs of Fenwick Mill?", ["Ada Quill", "Ben Marsh"]),
    ("Who were all of the 2022 chairs of Fenwick Mill?", ["Ada Quill", "Ben Marsh"]),
    ("Who were all of 2022's chairs of Fenwick Mill?", ["Ada Quill", "Ben Marsh"]),
    # the same without the words that ask for the whole
    ("Was Ada Quill chair of Fenwick Mill in 2022?", ["yes"]),
    ("Was Ada Quill chair of Fenwick Mill during 2022?", ["yes"]),
    ("Was Ben Marsh a member of the Water Guild between 2018 and 2022?", ["yes"]),
    ("Who was chair of Fenwick Mill in 2022?", ["Ada Quill", "Ben Marsh"]),
]
ORDER = [
    ("Which happened first: the opening of the weir or the repair of the weir?", ["the opening of the weir"]),
    ("Which happened first: the repair of the weir or the opening of the weir?", ["the opening of the weir"]),
    ("Which came first, the flood or the repair of the weir?", ["the flood"]),
    ("What came first, the repair of the weir or the flood?", ["the flood"]),
    ("Which came earlier: the repair of the weir or the flood?", ["the flood"]),
    ("Which of the two was earlier, the repair of the weir or the flood?", ["the flood"]),
    ("What happened later, the flood or the harvest feast?", ["the harvest feast"]),
    ("Which was last: the flood or the harvest feast?", ["the harvest feast"]),
    ("Which event occurred first at Fenwick Mill, the harvest feast or the flood?", ["the flood"]),
    ("At Fenwick Mill, which came first: the harvest feast or the flood?", ["the flood"]),
    ("Did the flood or the repair of the weir happen first?", ["the flood"]),
    ("Did the flood or the repair of the weir come later?", ["the repair of the weir"]),
    ("Was the flood before the repair of the weir?", ["yes"]),
    ("Was the harvest feast before the flood?", ["no"]),
    ("Did the flood happen before the repair of the weir?", ["yes"]),
    ("Did the harvest feast take place prior to the flood?", ["no"]),
    ("Did the harvest feast come after the flood?", ["yes"]),
    ("Was the flood later than the harvest feast?", ["no"]),
    ("Was the flood earlier than the harvest feast?", ["yes"]),
    ("Who was chair of Fenwick Mill first, Ben Marsh or Ada Quill?", ["Ada Quill"]),
    ("Who became chair of Fenwick Mill earlier: Ben Marsh or Ada Quill?", ["Ada Quill"]),
    ("Who became chair of Fenwick Mill later, Ben Marsh or Ada Quill?", ["Ben Marsh"]),
    ("Did Ada Quill become chair of Fenwick Mill before Ben Marsh?", ["yes"]),
    ("Did Ada Quill become chair of Fenwick Mill before Ben Marsh did?", ["yes"]),
    ("Was Ben Marsh chair of Fenwick Mill before Ada Quill?", ["no"]),
    ("Was Ben Marsh chair of Fenwick Mill after Ada Quill?", ["yes"]),
    ("Did Ada Quill become chair of Fenwick Mill before the flood?", ["yes"]),
    ("Did Dan Holm become treasurer of Fenwick Mill before Ben Marsh became chair?", ["yes"]),
    ("Of the flood and the repair of the weir, which came first?", ["the flood"]),
    ("Which of these came first: the flood or the weir's repair?", ["the flood"]),
    ("Was it the repair of the weir or the flood that came first?", ["the flood"]),
    ("Which of Ben Marsh and Ada Quill was chair of Fenwick Mill first?", ["Ada Quill"]),
    ("Who was the earlier chair of Fenwick Mill, Ben Marsh or Ada Quill?", ["Ada Quill"]),
    ("Did the repair of the weir follow the flood?", ["yes"]),
    ("Did the repair of the weir precede the flood?", ["no"]),
    ("Was the weir repaired after the flood?", ["yes"]),
    ("Was Ada Quill chair of Fenwick Mill before or after Ben Marsh?", ["before"]),
    ("Did the harvest feast come before or after the flood?", ["after"]),
    ("Did Ben Marsh join the Water Guild before becoming chair of Fenwick Mill?", ["yes"]),
    ("Was Ben Marsh in the Water Guild after becoming chair of Fenwick Mill?", ["yes"]),
    ("Was Ada Quill chair of Fenwick Mill after the flood?", ["yes"]),
    ("Was Ada Quill chair of Fenwick Mill before the flood?", ["yes"]),
    ("Was Ada Quill chair of Fenwick Mill before or after the flood?", ["before and after"]),
    ("Did Ada Quill become chair of Fenwick Mill after the flood?", ["no"]),
    ("Was Ada Quill chair of Fenwick Mill after Cleo Frost?", ["no"]),
    ("Was Ben Marsh in the Water Guild before he became chair of Fenwick Mill?", ["yes"]),
]
CHAIN = [
    ("What preceded the repair of the weir?", [FLOOD]),
    ("What came before the repair of the weir?", [FLOOD]),
    ("What came just before the repair of the weir?", [FLOOD]),
    ("What immediately preceded the repair of the weir?", [FLOOD]),
    ("Which event preceded the repair of the weir?", [FLOOD]),
    ("What was the repair of the weir preceded by?", [FLOOD]),
    ("What led to the repair of the weir?", [FLOOD]),
    ("What led up to the repair of the weir?", [FLOOD]),
    ("What events led to the repair of the weir at Fenwick Mill?", [FLOOD]),
    ("What followed the repair of the weir?", [FEAST]),
    ("What came after the repair of the weir?", [FEAST]),
    ("What came right after the flood at Fenwick Mill?", [REPAIR]),
    ("Which event followed the flood?", [REPAIR]),
    ("What was the flood followed by?", [REPAIR]),
    ("What did the flood lead to?", [REPAIR]),
    ("What preceded the flood?", [WEIR]),
    ("What preceded Fenwick Mill's repair of the weir?", [FLOOD]),
    ("What followed Fenwick Mill opening a weir?", [FLOOD]),
    ("What did the repair of the weir follow?", [FLOOD]),
    ("What did the flood precede?", [REPAIR]),
    ("What was the last event before the repair of the weir?", [FLOOD]),
    ("What happened just after the flood?", [REPAIR]),
    ("What occurred prior to the repair of the weir?", [FLOOD]),
    ("What happened between the flood and the harvest feast?", [REPAIR]),
]
OVERLAP = [
    ("Did the terms of Ada Quill and Dan Holm at Fenwick Mill overlap?", ["yes"]),
    ("Did Ada Quill's and Dan Holm's terms at Fenwick Mill overlap?", ["yes"]),
    ("Did the terms of Ada Quill and Cleo Frost as chair of Fenwick Mill overlap?", ["no"]),
    ("Do the terms of Ada Quill and Cleo Frost as chairs of Fenwick Mill overlap?", ["no"]),
    ("Did Ada Quill's term as chair of Fenwick Mill overlap with Dan Holm's term as treasurer?", ["yes"]),
    ("Did Cleo Frost's term as chair of Fenwick Mill overlap with Dan Holm's as treasurer?", ["no"]),
    ("Were Ada Quill and Ben Marsh chair of Fenwick Mill at the same time?", ["no"]),
    ("Were Ada Quill and Ben Marsh both chairs of Fenwick Mill simultaneously?", ["no"]),
    ("Was Ada Quill chair of Fenwick Mill at the same time as Dan Holm was treasurer?", ["yes"]),
    ("Was Cleo Frost chair of Fenwick Mill at the same time as Dan Holm was treasurer?", ["no"]),
    ("Was Ada Quill chair of Fenwick Mill while Dan Holm was treasurer?", ["yes"]),
    ("Was Cleo Frost chair of Fenwick Mill while Dan Holm was treasurer?", ["no"]),
    ("Did the flood and the harvest feast happen at the same time?", ["no"]),
    ("Did the flood happen at the same time as the harvest feast?", ["no"]),
    ("Was there an overlap between Ada Quill's and Dan Holm's terms at Fenwick Mill?", ["yes"]),
    ("Did Ada Quill and Dan Holm overlap at Fenwick Mill?", ["yes"]),
    (
        "How long did the terms of Ada Quill and Dan Holm overlap?",
        ["1 year, 4 months and 22 days"],
    ),
    (
        "When did the terms of Ada Quill and Dan Holm overlap?",
        ["10 January 2021 to 31 May 2022"],
    ),
    ("Who was chair of Fenwick Mill at the same time as Dan Holm was treasurer?", ["Ada Quill", "Ben Marsh"]),
]
CHAIRS = ["Ada Quill", "Ben Marsh", "Cleo Frost"]
EVOLUTION = [
    ("How has the chair of Fenwick Mill changed?", CHAIRS),
    ("How has the chair of Fenwick Mill changed over the years?", CHAIRS),
    ("How did the chair of Fenwick Mill change over time?", CHAIRS),
    ("Who were all the chairs of Fenwick Mill?", CHAIRS),
    ("Who have all the chairs of Fenwick Mill been?", CHAIRS),
    ("Who have been the chairs of Fenwick Mill over the years?", CHAIRS),
    ("Who has been chair of Fenwick Mill over the years?", CHAIRS),
    ("Who has chaired Fenwick Mill throughout its history?", CHAIRS),
    ("What is the history of the chair of Fenwick Mill?", CHAIRS),
    ("How did the chair of Fenwick Mill change from 2019 to 2023?", CHAIRS[:2]),
    ("How has the chair of Fenwick Mill changed since 2023?", CHAIRS[1:]),
    ("How did the chair of Fenwick Mill change between Ada Quill and Cleo Frost?", CHAIRS),
    ("How did the chair of Fenwick Mill change from Ada Quill to Ben Marsh?", CHAIRS[:2]),
    ("How has the price of Mill flour changed?", ["10 crowns", "12 crowns", "15 crowns"]),
    ("How has the price of Mill flour evolved since 2021?", ["12 crowns", "15 crowns"]),
    ("How has the price of Mill flour developed over the years?", ["10 crowns", "12 crowns", "15 crowns"]),
    ("How has the position of chair of Fenwick Mill changed hands?", CHAIRS),
    ("Describe how the chair of Fenwick Mill has changed.", CHAIRS),
    ("Show the evolution of the price of Mill flour.", ["10 crowns", "12 crowns", "15 crowns"]),
    # the same about one time
    ("Who is the chair of Fenwick Mill?", CHAIRS[2:]),
    ("What was the price of Mill flour in 2021?", ["12 crowns"]),
    ("Who has been chair of Fenwick Mill since 2025?", CHAIRS[2:]),
]
TABLE = [*CONTINUITY, *ORDER, *CHAIN, *OVERLAP, *EVOLUTION]


@pytest.mark.parametrize(("question", "values"), TABLE, ids=[question for question, _ in TABLE])
async def test_answers(world: World, question: str, values: list[str]) -> None:
    answer = (await world.ask(question)).answer
    assert (answer.outcome, list(answer.values)) == (Outcome.ANSWERED, values), answer.text
    assert answer.citations
    assert all(check.passed for check in answer.checks)


AGAIN = [
    # who held it again came last, by the last start
    ("Who was president of Otter Club last, Fay Lund or Gil Hart?", ["Fay Lund"]),
    ("Who became president of Otter Club later, Gil Hart or Fay Lund?", ["Fay Lund"]),
    ("Who was president of Otter Club first, Fay Lund or Gil Hart?", ["Fay Lund"]),
    ("Did Fay Lund become president of Otter Club after Gil Hart?", ["yes"]),
    ("Did Gil Hart become president of Otter Club after Fay Lund?", ["yes"]),
    ("Did Fay Lund become president of Otter Club before Gil Hart?", ["yes"]),
    # the entire time of several is from the first of them on
    ("Who has been a member of Lock Trust the entire time?", ["Fay Lund"]),
    ("Who has been a member of Lock Trust at all times?", ["Fay Lund"]),
    # what is only announced is no change yet, but one of the time to come
    ("How has the president of Otter Club changed?", ["Fay Lund", "Gil Hart", "Ivo Sand"]),
    ("How has the president of Otter Club changed since 2020?", ["Ivo Sand"]),
    ("Who were all the presidents of Otter Club?", ["Fay Lund", "Gil Hart", "Ivo Sand"]),
    ("How did the president of Otter Club change in 2026?", ["Gil Hart"]),
    # the role of somebody changes, and not all that they are part of
    ("How has the role of Ivo Sand changed?", ["president"]),
    # and what has no break has none since it began
    ("Who has been a member of Rowing League without interruption?", ["Ivo Sand"]),
    ("Who has been president of Otter Club without a break?", ["Gil Hart", "Ivo Sand"]),
]


@pytest.mark.parametrize(("question", "values"), AGAIN, ids=[question for question, _ in AGAIN])
async def test_answers_on_what_was_held_again(club: World, question: str, values: list[str]) -> None:
    answer = (await club.ask(question)).answer
    assert (answer.outcome, list(answer.values)) == (Outcome.ANSWERED, values), answer.text


async def test_one_day_that_two_things_share_is_told_once(club: World) -> None:
    text = (await club.ask("Did the regatta and the storm happen at the same time?")).answer.text
    assert text.startswith("Yes, 10 July 2020: ")
    assert "10 July 2020 to" not in text


async def test_a_comparison_says_what_of_it_is_only_announced(club: World) -> None:
    announced = (await club.ask("Did Ivo Sand become president of Otter Club before Una Vale?")).answer
    assert announced.values == ("yes",)
    assert announced.text.endswith(" It was announced and is not confirmed.")
    held = (await club.ask("Did Fay Lund become president of Otter Club before Ivo Sand?")).answer
    assert "announced" not in held.text


NOBODYS = [
    "Who has led Otter Club the entire time?",
    "Who has been president of Otter Club the whole time?",
    "Who has been a member of Rowing League at all times?",
]


@pytest.mark.parametrize("question", NOBODYS)
async def test_what_nobody_held_the_entire_time_is_not_known(club: World, question: str) -> None:
    answer = (await club.ask(question)).answer
    assert answer.outcome is Outcome.NOT_KNOWN, answer.text


PLAIN = [
    "Who was the first chair of Fenwick Mill?",
    "Which chair of Fenwick Mill came last?",
    "Who was chair of Fenwick Mill before Ben Marsh?",
    "Was Ada Quill chair of Fenwick Mill before 2020?",
    "Was Ada Quill chair of Fenwick Mill or treasurer in 2020?",
    "What did Ada Quill do before she joined Fenwick Mill?",
    "Who has been chair of Fenwick Mill since 2023?",
    "Who succeeded Ada Quill as chair of Fenwick Mill?",
    "Who led Fenwick Mill to the repair of the weir?",
    "Which role did Ben Marsh hold at Fenwick Mill?",
    "Who sells Mill flour throughout Selby?",
    "How long has Ada Quill been chair of Fenwick Mill?",
    "How many chairs has Fenwick Mill had in all of its mills?",
    "What is the whole price of Mill flour?",
    "What was the price of Mill flour over 12 crowns?",
    "Who were the chairs of Fenwick Mill in 2022?",
    "How did Fenwick Mill change?",
    "How did Fenwick Mill change over time?",
    "What is the history of Fenwick Mill?",
    "What was the history of the firm Fenwick Mill?",
]


@pytest.mark.parametrize("question", PLAIN)
async def test_other_questions_are_read_as_before(world: World, question: str) -> None:
    read = (await world.ask(question)).work.question
    assert (read.pair, read.chain, read.whole, read.evolves, read.bounds) == (None, None, False, False, ())


async def test_what_led_to_something_is_linked_nearly_as_strongly_as_anything(world: World) -> None:
    finished = await world.ask("What led to the repair of the weir?", known="2024-01-01")
    assert FLOOD in finished.answer.values
    assert "Ada Quill became chair of Fenwick Mill on 2019-03-01." not in finished.answer.values
    assert "evidence: none in scope" not in finished.answer.steps


UNKNOWN = [
    "Which happened first: the sale of the barn or the repair of the weir?",
    "What came first, the eclipse or the wedding?",
    "What preceded the dredging of the harbour of Selby?",
    "What led to the dredging of the harbour of Selby?",
    "What preceded the wedding?",
    "What followed Cleo Frost leaving Fenwick Mill as chair?",
    "What happened between Cleo Frost leaving Fenwick Mill as chair and the flood?",
    "What happened between the harvest feast and the flood?",
    "Who was chair of Fenwick Mill for the whole of 2022?",
    "Did the terms of Ada Quill and Eve Stone at Fenwick Mill overlap?",
]


@pytest.mark.parametrize("question", UNKNOWN)
async def test_what_is_not_told_is_not_known(world: World, question: str) -> None:
    answer = (await world.ask(question)).answer
    assert answer.outcome is Outcome.NOT_KNOWN, answer.text
