"""Lists whose later members leave the verb out: each member is an event of its own, with its own time."""

from __future__ import annotations

import pytest
from tests.unit.language.documents import extract

from tidegraph.domain.interval import format_instant


def _told(text: str) -> list[tuple[str, str]]:
    """(sentence, first day) of each event."""
    return [
        (e.sentence, format_instant(e.interval.start)[:10] if e.interval is not None else "")
        for e in extract(text, "", None).events
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "Altoscan 4.1 was released on 3 March 2020, Altoscan 4.2 on 9 May 2021 "
            "and Altoscan 4.3 on 2 June 2022.",
            [
                ("Altoscan 4.1 was released on 3 March 2020", "2020-03-03"),
                ("Altoscan 4.2 was released on 9 May 2021", "2021-05-09"),
                ("Altoscan 4.3 was released on 2 June 2022.", "2022-06-02"),
            ],
        ),
        (
            "The library was opened in 2001, the museum in 2003 and the swimming pool in 2009.",
            [
                ("The library was opened in 2001", "2001-01-01"),
                ("the museum was opened in 2003", "2003-01-01"),
                ("the swimming pool was opened in 2009.", "2009-01-01"),
            ],
        ),
        (
            "Harrow opened a plant in Leeds in 1990, Oslo in 1995 and Rome in 2001.",
            [
                ("Harrow opened a plant in Leeds in 1990", "1990-01-01"),
                ("Harrow opened a plant in Oslo in 1995", "1995-01-01"),
                ("Harrow opened a plant in Rome in 2001.", "2001-01-01"),
            ],
        ),
    ],
    ids=["subject", "common-nouns", "after-the-verb"],
)
def test_a_member_without_a_verb_tells_what_the_first_does_of_its_own_thing(
    text: str, told: list[tuple[str, str]]
):
    assert _told(text) == told


@pytest.mark.parametrize(
    "text",
    [
        "Ada Poll lived in Leeds in 1950, in Oslo in 1975 and in Rome in 2001.",
        "Ada Poll worked for Harrow Instruments in 1990, 1995 and 2001.",
        "Ada Poll won the cup in 1990 with Leeds United, in 1995 with Harrow and in 2001 with Wexham.",
    ],
    ids=["phrases", "years-alone", "phrases-behind-the-time"],
)
def test_members_that_are_no_noun_phrase_stay_one_event(text: str):
    ((sentence, day),) = _told(text)
    assert sentence == text
    assert day in {"1950-01-01", "1990-01-01"}
