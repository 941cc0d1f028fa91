"""Which documents and words of a question the reader of passages goes by."""

from __future__ import annotations

import pytest
from tests.unit.services.world import NOW, Doc, World

from tidegraph.ports import EventRecord
from tidegraph.services.usecases.reading import read_text
from tidegraph.services.usecases.retrieve import Hit, Retrieved
from tidegraph.services.usecases.spans.features import SAID, About, Candidate, Leads, Statement, said
from tidegraph.services.usecases.spans.intent import intent_of
from tidegraph.services.usecases.spans.phrases import phrases
from tidegraph.services.usecases.spans.placing import Placed, Source
from tidegraph.services.usecases.spans.pool import DOCUMENT_MIN, document_shares
from tidegraph.services.usecases.spans.segments import segmented

GRAPH = "test"


def _found(documents: list[str]) -> Retrieved:
    """Hits of these documents, best first."""
    world = World()
    for number, name in enumerate(documents):
        world.event(f"Sentence {number}.", "1990", doc=Doc(name))
    records: list[EventRecord] = [record for _, record in world._events]
    hits = tuple(Hit(f"event:{n}", 1.0, (), event=record) for n, record in enumerate(records))
    return Retrieved(hits, 0, ())


def test_a_short_document_that_is_found_first_outweighs_a_long_one_that_is_found_often() -> None:
    shares = document_shares(_found(["short"] * 4 + ["long"] * 40))
    assert shares["short"] == 1.0
    assert shares["long"] < DOCUMENT_MIN


@pytest.mark.parametrize(
    ("question", "names", "time"),
    [
        (
            "In the period of time between May 1990 and June 1991, who led Brell Mills?",
            ["Brell Mills"],
            "In the period of time between May 1990 and June 1991",
        ),
        ("Who led Brell Mills in the year 1990?", ["Brell Mills"], "in the year 1990"),
        ("Who led Brell Mills during the span in May 1990?", ["Brell Mills"], "during the span in May 1990"),
    ],
)
async def test_words_that_only_lead_to_a_time_are_part_of_it(
    question: str, names: list[str], time: str
) -> None:
    """Texts tell of "the time" and "the year", and extraction makes entities of both."""
    made = World()
    made.event("At that time Brell Mills grew in the year.", "1990", "Brell Mills", "time", "year", "span")
    world = await made.build()
    reading = await read_text(world.ports(), GRAPH, question, NOW)
    assert [link.text for link in reading.question.entities] == names
    assert reading.question.time.text == time


async def test_a_kind_of_answer_is_known_by_its_possessive() -> None:
    made = World()
    made.event("Brell Mills grew.", "1990", "Brell Mills")
    world = await made.build()
    question = "Brell Mills had which person's directorship in May 1990?"
    reading = await read_text(world.ports(), GRAPH, question, NOW)
    assert intent_of(reading.question).kinds["person"] == 1.0


async def test_a_cue_is_known_in_a_word_with_hyphens() -> None:
    """ "Editor-in-Chief" tells of an editor as "editor" does."""
    made = World()
    made.event("Norvale Post grew.", "1990", "Norvale Post")
    world = await made.build()
    question = "Who was the editor of Norvale Post in May 2010?"
    intent = intent_of((await read_text(world.ports(), GRAPH, question, NOW)).question)
    about = About(
        Statement(0.0, 0.0, False, 0.0),
        {},
        0.0,
        0.0,
        frozenset(),
        False,
        1,
        frozenset(),
        0.0,
        False,
        Leads(0.0, 0.0),
    )

    def cues(text: str) -> dict[str, float]:
        passage = segmented(text)
        phrase = phrases(passage, frozenset())[0]
        place = Placed(0, 1, False, Source.CLAUSE, 0)
        row = said(intent, passage, Candidate(phrase, place, "alva shaw", 0, "d", (0, 0)), about)
        return {name: value for name, value in zip(SAID, row, strict=True) if name.startswith("cue")}

    assert cues("Alva Shaw was Editor-in-Chief of it.") == cues("Alva Shaw was editor of it.")
    assert cues("Alva Shaw was Editor-in-Chief of it.") != cues("Alva Shaw was printer of it.")
