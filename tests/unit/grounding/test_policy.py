"""How an expression is resolved: anchors, tense, settings, the absence of a document time."""

# ruff: noqa: E501  (tables of cases)

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from tidegraph.domain.documents import DocumentTime, ExpressionKind
from tidegraph.domain.errors import Rejected
from tidegraph.domain.interval import format_instant
from tidegraph.language.grounding import Tense, TenseCues, ground, ground_with_operands
from tidegraph.settings import GroundingSettings

Read = Callable[..., list[str]]


def test_without_document_time_deictic_words_stay_unresolved(read: Read) -> None:
    assert read("It failed yesterday, last week and on Friday; in March too.", undated=True) == [
        "yesterday = deictic",
        "last week = deictic",
        "Friday = underspecified",
        "March = underspecified",
    ]


def test_without_document_time_the_text_still_anchors(read: Read) -> None:
    assert read("It opened on 3 May 2011. Two days later it shut; in June it was sold.", undated=True) == [
        "3 May 2011 = 2011-05-03 2011-05-04",
        "Two days later = 2011-05-05 2011-05-06",
        "June = 2011-06-01 2011-07-01",
    ]


def test_anchors_do_not_leak_into_the_next_paragraph_of_a_report(read: Read) -> None:
    text = "The firm was sold on 3 May 2011. In June it moved.\n\nIn June profits fell again."
    assert read(text) == [
        "3 May 2011 = 2011-05-03 2011-05-04",
        "June = 2011-06-01 2011-07-01",
        "June = 2023-06-01 2023-07-01",
    ]


def test_a_story_goes_on_over_paragraphs(read: Read) -> None:
    text = (
        "On 4 October 1911 the fort fell. In November the king fled; in January a republic was declared.\n\n"
        "In February 1912 the army mutinied. The war of 1894 was recalled. In April it ended. By 1913 all was quiet."
    )
    assert read(text)[1:] == [
        "November = 1911-11-01 1911-12-01",
        "January = 1912-01-01 1912-02-01",
        "February 1912 = 1912-02-01 1912-03-01",
        "1894 = 1894-01-01 1895-01-01",
        "April = 1912-04-01 1912-05-01",
        "By 1913 = .. 1914-01-01",
    ]


def test_tense_of_a_parse_beats_cue_words(settings: GroundingSettings, wednesday: DocumentTime) -> None:
    text = "Planned closure Friday"
    past = TenseCues(((0, 7, Tense.PAST),))
    future = TenseCues(((0, 7, Tense.FUTURE),))
    starts = [
        format_instant(e.interval.start)
        for cues in (past, future)
        for e in ground(text, wednesday, settings, cues)
        if e.interval
    ]
    assert starts == ["2024-05-10", "2024-05-17"]


def test_the_other_side_is_kept_as_an_alternative(
    settings: GroundingSettings, wednesday: DocumentTime
) -> None:
    (weekday,) = ground("They met on Monday.", wednesday, settings)
    assert [format_instant(a.interval.start) for a in weekday.alternatives] == ["2024-05-20"]
    (month,) = ground("They met in December.", wednesday, settings)
    assert [format_instant(a.interval.start) for a in month.alternatives] == ["2024-12-01"]


def test_operands_have_offsets_of_their_own(settings: GroundingSettings, wednesday: DocumentTime) -> None:
    (found,) = ground_with_operands("It ran from 3 to 9 June 2021.", wednesday, settings)
    assert found.expression.kind is ExpressionKind.RANGE
    assert [o.text for o in found.operands] == ["3", "9 June 2021"]
    (found,) = ground_with_operands("the plan for 1998-2001", wednesday, settings)
    assert [o.text for o in found.operands] == ["1998", "2001"]


@pytest.mark.parametrize(
    ("change", "text", "expected"),
    [
        ({"fiscal_start_month": 7}, "Spending in FY2024 fell.", "FY2024 = 2023-07-01 2024-07-01"),
        ({"fiscal_start_month": 4}, "It rose last fiscal year.", "last fiscal year = 2023-04-01 2024-04-01"),
        ({"day_first": True}, "Sent 03/05/2024 by post.", "03/05/2024 = 2024-05-03 2024-05-04"),
        ({"day_first": False}, "Sent 03/05/2024 by post.", "03/05/2024 = 2024-03-05 2024-03-06"),
        ({"week_start": 7}, "It rained this week.", "this week = 2024-05-12 2024-05-19"),
        ({"southern_hemisphere": True}, "In summer 2010 it rained.", "summer 2010 = 2010-12-01 2011-03-01"),
        ({"timezone": "Europe/Berlin"}, "At 10:00 on 3 July 2023", "At 10:00 on 3 July 2023 = 2023-07-03T08:00:00Z 2023-07-03T08:01:00Z"),
        ({"timezone": "Asia/Tokyo"}, "2 pm GMT on 3 July 2023", "2 pm GMT on 3 July 2023 = 2023-07-03T14:00:00Z 2023-07-03T15:00:00Z"),
    ],
)  # fmt: skip
def test_settings(
    change: dict[str, object], text: str, expected: str, read: Read, settings: GroundingSettings
) -> None:
    assert read(text, changed=replace(settings, **change)) == [expected]  # type: ignore[arg-type]


def test_an_unknown_language_is_refused(settings: GroundingSettings) -> None:
    with pytest.raises(Rejected, match="UNKNOWN_LANGUAGE"):
        ground("x", None, replace(settings, language="tlh"))


@pytest.mark.parametrize(
    "change",
    [
        {"timezone": "Mars/Olympus"},
        {"timezone": "../etc"},
        {"fiscal_start_month": 0},
        {"fiscal_start_month": 13},
        {"week_start": 8},
    ],
)
def test_settings_that_no_calendar_knows_are_refused(
    change: dict[str, object], settings: GroundingSettings
) -> None:
    with pytest.raises(Rejected, match="INVALID_SETTING"):
        ground("on 3 May 2020", None, replace(settings, **change))  # type: ignore[arg-type]


def test_offsets_are_code_points(settings: GroundingSettings, wednesday: DocumentTime) -> None:
    text = "\U0001f44d\u00e9\u0301 3 May 2020 \U0001f9ea until 9 June 2020"
    assert [text[e.start_char : e.end_char] for e in ground(text, wednesday, settings)] == [
        "3 May 2020",
        "until 9 June 2020",
    ]
