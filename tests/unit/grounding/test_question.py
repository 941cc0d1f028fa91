"""What a question says about time."""

# ruff: noqa: E501  (tables of cases)

from __future__ import annotations

import pytest

from tidegraph.domain.interval import format_instant, instant
from tidegraph.language.grounding import QuestionTime, Relation, read_question
from tidegraph.settings import GroundingSettings

ASKED = instant(2024, 5, 15, 9)


def shown(question: QuestionTime) -> str:
    interval = question.interval
    if interval is None:
        return ""
    return f"{format_instant(interval.start)} {format_instant(interval.end)}"


DATED = [
    ("Who was head of finance in March 2021?", Relation.IN, "2021-03-01 2021-04-01"),
    ("Who chaired the board on 3 May 1998?", Relation.AT, "1998-05-03 1998-05-04"),
    ("Who ran the plant before 2016?", Relation.BEFORE, ".. 2016-01-01"),
    ("What was the limit after June 2019?", Relation.AFTER, "2019-07-01 .."),
    ("Which vendors were used between 2019 and 2021?", Relation.BETWEEN, "2019-01-01 2022-01-01"),
    ("Who has owned the site since October 2010?", Relation.SINCE, "2010-10-01 .."),
    ("What was the fee until 30 June 2022?", Relation.UNTIL, ".. 2022-07-01"),
    ("Where did she work during 2015?", Relation.DURING, "2015-01-01 2016-01-01"),
    ("Where did he live last year?", Relation.IN, "2023-01-01 2024-01-01"),
    ("What was the policy two years after 2010?", Relation.IN, "2012-01-01 2013-01-01"),
    ("Which rule held as of 1 January 2020?", Relation.AT, "2020-01-01 .."),
    ("Who was the mayor in the early 1990s?", Relation.IN, "1990-01-01 1994-01-01"),
    ("Who led the lab from 2001 to 2004?", Relation.BETWEEN, "2001-01-01 2005-01-01"),
    ("Who is the owner today?", Relation.AT, "2024-05-15 2024-05-16"),
]


@pytest.mark.parametrize(("text", "relation", "interval"), DATED, ids=[d[0] for d in DATED])
def test_dated(text: str, relation: Relation, interval: str, settings: GroundingSettings) -> None:
    question = read_question(text, settings, ASKED)
    assert (question.relation, shown(question)) == (relation, interval)
    assert question.event is None
    assert question.spans


EVENTS = [
    ("Who led the unit 3 years and 11 months after the merger with Hale?", Relation.AFTER, "the merger with Hale", (("year", 3), ("month", 11)), 1),
    ("Who was chair two years before the sale of the mill?", Relation.BEFORE, "the sale of the mill", (("year", 2),), -1),
    ("What was the policy during the outage?", Relation.DURING, "the outage", None, 0),
    ("Who was head of sales after Ada Brook?", Relation.AFTER, "Ada Brook", None, 0),
    ("Which bank was used before the audit, and why?", Relation.BEFORE, "the audit", None, 0),
    ("What changed since the move to Leeds?", Relation.SINCE, "the move to Leeds", None, 0),
]  # fmt: skip


@pytest.mark.parametrize(("text", "relation", "event", "parts", "sign"), EVENTS, ids=[e[0] for e in EVENTS])
def test_event(
    text: str,
    relation: Relation,
    event: str,
    parts: tuple[tuple[str, float], ...] | None,
    sign: int,
    settings: GroundingSettings,
) -> None:
    question = read_question(text, settings, ASKED)
    assert question.event is not None
    assert (question.relation, question.event.text) == (relation, event)
    assert text[question.event.start_char : question.event.end_char] == event
    if parts is None:
        assert question.offset is None
    else:
        assert question.offset is not None
        assert (question.offset.parts, question.offset.sign) == (parts, sign)
    assert question.interval is None


@pytest.mark.parametrize(
    ("text", "order"),
    [
        ("Who was the first director since 2015?", Relation.FIRST),
        ("What was the latest limit in 2020?", Relation.LAST),
        ("Who was the last owner?", Relation.LAST),
        ("Who joined last year?", Relation.NONE),
        ("Who owns the site?", Relation.NONE),
    ],
)
def test_order(text: str, order: Relation, settings: GroundingSettings) -> None:
    assert read_question(text, settings, ASKED).order is order


def test_without_a_moment_of_asking_today_stays_open(settings: GroundingSettings) -> None:
    question = read_question("Who owns the site today?", settings, None)
    assert (question.relation, question.interval) == (Relation.NONE, None)
    assert [e.text for e in question.expressions] == ["today"]


def test_german(german: GroundingSettings) -> None:
    question = read_question("Wer leitete das Werk vor 2016?", german, ASKED)
    assert (question.relation, shown(question)) == (Relation.BEFORE, ".. 2016-01-01")
    question = read_question("Wer leitete das Werk während der Sanierung?", german, ASKED)
    assert question.event is not None
    assert question.event.text == "der Sanierung"
