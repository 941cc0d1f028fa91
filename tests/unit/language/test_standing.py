"""What a reader of one event is given: title and section, what was said before, only words that are certain;
and which words of a text make no event at all."""

from __future__ import annotations

import pytest
from tests.unit.language.documents import extract

from tidegraph.domain.documents import Event, TimeState
from tidegraph.domain.interval import instant


def _events(text: str, title: str = "") -> list[Event]:
    return list(extract(text, title, None).events)


def _one(text: str, part: str, title: str = "") -> Event:
    return next(e for e in _events(text, title) if part in e.sentence.split(" [said before")[0])


def test_a_heading_within_prose_names_and_dates_what_follows_and_is_no_event():
    text = (
        "Ada Poll raced in Leeds .\n\n"
        "Harrow Racing ( 2010 ) . Poll drove for Harrow Racing and finished ninth . "
        "Wexham Racing ( 2011–2012 ) . Poll was hired by Wexham Racing ."
    )
    ninth = _one(text, "ninth", "Ada Poll")
    assert ninth.interval is not None
    assert (ninth.interval.start, ninth.interval.end) == (instant(2010), instant(2011))
    assert ninth.sentence.startswith("Harrow Racing ( 2010 ): ")
    assert all(
        e.sentence.rstrip(" .") != "Ada Poll: Wexham Racing ( 2011–2012 )" for e in _events(text, "Ada Poll")
    )


def test_a_heading_over_several_years_does_not_date_a_step_but_a_line_of_a_list():
    told = "# Wexham Racing (2011-2014)\n\nAda Poll passed Bren Holvik in Leeds.\n\n- Driver: Cora Lind\n"
    assert _one(told, "passed").interval is None
    line = _one(told, "Cora Lind").interval
    assert line is not None
    assert (line.start, line.end) == (instant(2011), instant(2015))


def test_a_heading_within_prose_ends_where_another_time_is_told():
    text = (
        "Harrow Racing ( 2010 ) . Ada Poll drove for Harrow Racing .\n\n"
        "In 2014 Poll founded a school in Leeds .\n\nPoll sold the school to Bren Holvik ."
    )
    sold = _one(text, "sold", "Ada Poll")
    assert "2010" not in sold.sentence
    assert sold.interval is None or sold.interval.start >= instant(2014)


@pytest.mark.parametrize(
    "text",
    [
        "The boat of Ada Poll had a speed of and a length of .",
        "At the , Ada Poll finished sixth in Leeds.",
        "The area of the farms of Ada Poll in Leeds is .",
        "W = Games won by Ada Poll",
    ],
)
def test_a_sentence_with_a_hole_and_the_key_of_a_table_are_no_events(text: str):
    assert _events(text) == []


def test_a_bare_name_of_a_list_is_an_event_only_under_a_sentence():
    listed = "# Players\n\n- Ada Poll\n- Bren Holvik\n- Cora Lind\n"
    assert not any("Lind" in e.sentence for e in _events(listed, "Leeds United"))
    told = "The club sold these players in 2004 :\n\n- Ada Poll\n- Bren Holvik\n- Cora Lind\n"
    assert any("Lind" in e.sentence for e in _events(told, "Leeds United"))


def test_what_was_said_before_keeps_the_words_of_the_text():
    text = "In 2015 Ada Poll entered the Harrow Rally . She finished the race in ninth place ."
    race = _one(text, "ninth", "Ada Poll")
    assert "In 2015 Ada Poll entered the Harrow Rally ." in race.sentence
    assert race.sentence.index("In 2015") != race.sentence.index("ninth")


def test_a_short_name_is_made_whole_only_where_it_is_a_person_by_itself():
    text = "Ada Poll founded Harrow One in 1990 . In 1995 the Poll Prize went to Harrow 3 in Leeds ."
    prize = _one(text, "Prize", "Leeds")
    assert "the Poll Prize went to Harrow 3" in prize.sentence


def test_who_is_meant_is_not_said_where_another_may_be():
    text = (
        "Ada Poll was born in 1950 . She studied in Leeds . She married a painter . She moved to Rome . "
        "Dora Lind lived there in 1970 . The town was small . In 1980 she was given the Harrow Medal ."
    )
    medal = _one(text, "Medal", "Ada Poll")
    assert "Dora" not in medal.sentence.split(" [said before")[0]


def test_a_time_counted_from_one_told_long_before_is_not_known():
    filler = (
        "The town of Leeds had many mills , and the mills of Leeds were known in the whole country . " * 3
    )
    text = f"Ada Poll moved to Leeds in 1865 . {filler}Two years later Bren Holvik opened a school in Leeds ."
    opened = _one(text, "school", "Leeds")
    assert opened.time_state is not TimeState.DATED


def test_a_word_for_a_time_within_a_name_dates_nothing():
    event = _one("In 2018 Ada Poll won the Wexham Christmas Open in Leeds .", "Open")
    assert event.interval is not None
    assert (event.interval.start, event.interval.end) == (instant(2018), instant(2019))


def test_he_is_not_said_to_be_the_topic_where_the_sentence_is_about_another_man():
    text = (
        "Edward Roe wrote books . He lived in Leeds . He taught Latin . He was a teacher . "
        "William Pike was a clerk in Leeds , where he learned the trade in 1878 ."
    )
    assert "where he learned the trade" in _one(text, "clerk", "Edward Roe").sentence


def test_what_was_said_before_is_told_where_it_made_no_event():
    text = "Ada Poll won a point at the , after a crash . This was followed by a second point in Leeds ."
    (event,) = _events(text, "Ada Poll")
    assert "[said before: Ada Poll won a point at the , after a crash .]" in event.sentence


def test_a_joined_passive_keeps_its_auxiliary():
    text = "Ada Poll was arrested by officers on 26 May 1945 and interviewed on 12 July 1946 ."
    assert [e.sentence for e in _events(text)][1] == "Ada Poll was interviewed on 12 July 1946 ."


def test_the_time_of_a_clause_about_somebody_else_does_not_date_the_sentence():
    event = _one(
        "Ada Poll was the first driver since Bren Holvik , who won the race in 1991 .", "first driver"
    )
    assert event.time_state is TimeState.UNRESOLVED
    assert event.interval is None


def test_what_is_so_every_year_is_not_dated_by_another_sentence():
    event = _one("The Leeds Group met in 2015 . The convention of the group is held in autumn .", "autumn")
    assert event.interval is None
