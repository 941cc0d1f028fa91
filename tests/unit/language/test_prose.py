# ruff: noqa: E501 (sentences stay on one line)
"""Encyclopedia prose: lists in one line, rolls, stories without dates, relations that no pattern names."""

from __future__ import annotations

import pytest
from tests.unit.language.documents import claims, extract

from tidegraph.domain.interval import OPEN_END, instant

ROLL = "Managers\n- Ada Poll ( 1998–2003 ) - Bren Holvik ( 2003–2009 ) - Cato Imri ( 2010 - )\n"


def test_a_list_in_one_line_is_as_many_events():
    events = extract(f"{ROLL}\nSomething else.", "Derwent Rovers", None).events
    assert [e.sentence for e in events if "Managers" in e.sentence] == [
        "Derwent Rovers: Managers: Ada Poll ( 1998–2003 )",
        "Derwent Rovers: Managers: Bren Holvik ( 2003–2009 )",
        "Derwent Rovers: Managers: Cato Imri ( 2010 - )",
    ]


def test_a_roll_gives_each_holder_the_term():
    found = extract(ROLL, "Derwent Rovers", None)
    terms = {
        name[0]: (a.valid.start, a.valid.end) for name, a in zip(claims(found), found.assertions, strict=True)
    }
    assert terms == {
        "Ada Poll": (instant(1998), instant(2004)),
        "Bren Holvik": (instant(2003), instant(2010)),
        "Cato Imri": (instant(2010), OPEN_END),
    }


@pytest.mark.parametrize("then", ["On 20 May 1987", "In 1988", ""])
def test_the_dates_around_a_sentence_do_not_date_its_event(then: str):
    sold = f"{then} Poll sold Wexham Works ." if then else ""
    text = f"On 3 May 1987 Ada Poll moved to Leeds . Poll opened a large workshop in Wexham . {sold}"
    event = next(e for e in extract(text, "", None).events if "opened" in e.sentence.split(" [")[0])
    assert event.interval is None


def test_what_is_told_in_the_present_or_of_before_is_not_carried_on():
    for then in ("Leeds has a large harbour.", "Ada Poll had studied chemistry."):
        events = extract(f"In 1987 Ada Poll moved to Leeds. {then}", "", None).events
        assert [e.interval is not None for e in events] == [True, False]


def test_news_without_a_date_is_not_dated_by_other_news():
    text = "On 3 May 2020 Ada Poll joined the docs team. Bren Holvik opened a shop."
    event = next(e for e in extract(text).events if "shop" in e.sentence)
    assert not event.time_rule_id.startswith("narrative")


def test_a_relation_without_a_pattern_is_claimed_as_written_and_lasts_when_its_verb_does():
    found = extract("Ada Poll defected to Freedonia in 1954.", "", None)
    (assertion,) = [a for a in found.assertions if a.predicate == "defected_to"]
    assert (assertion.valid.start, assertion.valid.end) == (instant(1954), OPEN_END)
    found = extract("Ada Poll praised Freedonia in 1954.", "", None)
    (assertion,) = [a for a in found.assertions if a.predicate == "praised"]
    assert (assertion.valid.start, assertion.valid.end) == (instant(1954), instant(1955))


def test_a_full_stop_that_stands_apart_ends_no_sentence():
    events = extract(
        "Ada Poll served in the U.S . Navy under Capt . Bren T . Holvik in 1943 .", "", None
    ).events
    assert [e.sentence.count("Navy") for e in events] == [1]
    assert "Holvik" in events[0].sentence


def test_a_paragraph_torn_in_the_middle_of_a_sentence_is_whole():
    first = "Ada Poll, who had worked for the harbour board of Leeds for many years, was\n\nmade its director in 1987."
    (event,) = extract(first, "", None).events
    assert event.sentence.endswith("director in 1987.")


@pytest.mark.parametrize("when", ["", " in 1954"])
def test_a_sentence_without_a_time_that_leans_on_the_one_before_makes_no_event(when: str):
    events = extract(f"Ada Poll wrote an overture{when}. This overture was banned.", "Ada Poll", None).events
    assert [e.sentence for e in events] == [f"Ada Poll wrote an overture{when}."]


def test_a_sentence_of_the_same_time_that_leans_on_the_one_before_is_joined_with_it():
    text = "In 1954 Ada Poll wrote an overture. This overture was banned in 1954."
    assert [e.sentence for e in extract(text, "Ada Poll", None).events] == [text]


def test_the_time_of_one_sentence_is_not_put_on_the_other():
    first, second = extract(
        "Ada Poll wrote an overture. This overture was banned in 1957.", "Ada Poll", None
    ).events
    assert (first.sentence, first.interval) == ("Ada Poll wrote an overture.", None)
    assert second.sentence.endswith(f"[said before: {first.sentence}]")
    assert second.interval is not None


def test_a_degree_ends_a_time_at_school():
    found = extract("Ada Poll received a degree from Wexham University in 1994.", "", None)
    (assertion,) = [a for a in found.assertions if a.predicate == "educated_at"]
    assert (assertion.verb.name, assertion.valid.end) == ("STOP", instant(1994))
