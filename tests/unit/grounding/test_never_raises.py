"""Whatever the text, grounding answers: no exception, no hang, offsets inside the text."""

from __future__ import annotations

import random
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegraph.domain.documents import DocumentTime
from tidegraph.domain.interval import Granularity, instant
from tidegraph.language.grounding import find_document_time, ground_with_operands, read_question
from tidegraph.settings import GroundingSettings, load

WORDS = [
    *[
        "the",
        "first",
        "last",
        "next",
        "of",
        "in",
        "on",
        "at",
        "by",
        "from",
        "to",
        "between",
        "and",
        "since",
        "until",
        "May",
        "March",
        "Monday",
        "Sun",
        "3rd",
        "31",
        "2020",
    ],
    *[
        "'98",
        "Q3",
        "1990s",
        "year",
        "years",
        "day",
        "quarter",
        "ago",
        "later",
        "week",
        "10:30",
        "pm",
        "a.m.",
        ",",
        ".",
        "-",
        "/",
        "12/11/10",
        "2024-02-30",
        "FY24",
    ],
    *[
        "century",
        "BC",
        "early",
        "mid",
        "half",
        "noon",
        "Christmas",
        "٠١",
        "99999999999",
        "-1",
        "0",
        "24:60",
        "99/99/9999",
        "29",
        "end",
    ],
    *["February", "2023-W54", "–"],
    "\n\n",
]
PIECES = [
    *[
        "1",
        "1-",
        "1/",
        "a",
        " ",
        "\n",
        "\n ",
        ".",
        "(",
        "'",
        "the ",
        "of the ",
        "1 ",
        "May ",
        "two years ",
        "Q1",
    ],
    *["--", "\u0661", "from 2001 to ", "A.", "$1", "date: ", "3 May 2020, ", "Date: \n", "| - "],
]
SETTINGS = [
    load({}).grounding,
    load({"TIDEGRAPH_LANGUAGE": "de", "TIDEGRAPH_TIMEZONE": "Europe/Berlin"}).grounding,
]
DOCUMENTS = [
    None,
    *(DocumentTime(instant(y, 2, 28), Granularity.DAY, "test") for y in (-9_990, 1, 1970, 2024, 9_990)),
]


def check(text: str, document: DocumentTime | None, settings: GroundingSettings) -> None:
    last = 0
    for found in ground_with_operands(text, document, settings):
        expression = found.expression
        assert last <= expression.start_char < expression.end_char <= len(text)
        assert text[expression.start_char : expression.end_char] == expression.text
        last = expression.end_char
        for operand in found.operands:
            assert expression.start_char <= operand.start_char < operand.end_char <= expression.end_char
        if expression.interval is not None:
            assert expression.interval.start < expression.interval.end


@given(st.text(max_size=200), st.sampled_from(DOCUMENTS), st.sampled_from(SETTINGS))
def test_any_text(text: str, document: DocumentTime | None, settings: GroundingSettings) -> None:
    check(text, document, settings)


@given(st.lists(st.sampled_from(WORDS), max_size=24), st.sampled_from(DOCUMENTS), st.sampled_from(SETTINGS))
def test_any_order_of_time_words(
    words: list[str], document: DocumentTime | None, settings: GroundingSettings
) -> None:
    check(" ".join(words), document, settings)
    check("".join(words), document, settings)


@given(st.text(alphabet="0123456789-/.:, TZ+QH'", max_size=60), st.sampled_from(DOCUMENTS))
def test_any_digits(text: str, document: DocumentTime | None) -> None:
    check(text, document, SETTINGS[0])


@given(st.text(max_size=300), st.sampled_from(SETTINGS))
def test_document_time_and_questions(text: str, settings: GroundingSettings) -> None:
    find_document_time(text, settings)
    question = read_question(text, settings, instant(2024, 5, 15))
    assert all(0 <= start < end <= len(text) for start, end in question.spans)


@pytest.mark.parametrize("piece", PIECES)
def test_time_grows_with_length(piece: str) -> None:
    def seconds(repeats: int) -> float:
        text = piece * repeats
        began = time.process_time()
        ground_with_operands(text, DOCUMENTS[-2], SETTINGS[0])
        find_document_time(text, SETTINGS[0])
        return time.process_time() - began

    seconds(100)
    small, large = (min(seconds(repeats) for _ in range(3)) for repeats in (2_000, 16_000))
    noise = 0.3  # of a busy machine; a quadratic rule takes many times as long
    assert large < noise + 8 * small * 4, f"{piece!r}: {small:.4f}s for 2,000, {large:.4f}s for 16,000"


def test_order_of_a_shuffled_text_does_not_matter_for_absolute_dates() -> None:
    sentences = [f"It happened on {day} May 20{day:02d}." for day in range(1, 29)]
    rng = random.Random(7)
    for _ in range(5):
        rng.shuffle(sentences)
        found = ground_with_operands(" ".join(sentences), DOCUMENTS[-2], SETTINGS[0])
        assert sorted(f.expression.interval.start for f in found if f.expression.interval) == [
            instant(2000 + day, 5, day) for day in range(1, 29)
        ]
