# ruff: noqa: E501 (sentences stay on one line)
"""Words that only who has read the document can place, and dates of something else than what is told."""

from __future__ import annotations

import pytest
from tests.unit.language.documents import extract

from tidegraph.domain.documents import Event, Status, TimeState
from tidegraph.domain.interval import OPEN_END, instant

_FIRST = "Ada Poll is a painter ."


def _events(text: str, title: str = "Ada Poll") -> list[Event]:
    return list(extract(text, title, None).events)


def _told(text: str, title: str = "Ada Poll") -> list[str]:
    return [e.sentence for e in _events(text, title)]


def _with(part: str, text: str, title: str = "Ada Poll") -> list[Event]:
    return [e for e in _events(text, title) if part in e.sentence.split(" [said before")[0]]


def test_a_person_known_by_one_name_is_told_with_the_sentence_that_tells_who_it_is():
    text = f"{_FIRST} Ada Poll married Fred Nicky Holvik in January 1944 . Nicky died in Leeds in 1997 ."
    (died,) = _with("died", text)
    assert "married Fred Nicky Holvik" in died.sentence
    assert _with("died", f"{_FIRST} She lived in Leeds . Nicky died in Leeds in 1997 .") == []


@pytest.mark.parametrize(
    "told",
    [
        "The painter Holvik moved to Leeds in 1997 .",
        "Poll moved to Leeds in 1997 .",
        "Bren Holvik moved to Leeds in 1997 .",
    ],
)
def test_who_is_told_by_a_word_the_title_or_a_full_name_is_no_stranger(told: str):
    assert len(_with("moved", f"{_FIRST} {told}")) == 1


def test_the_words_of_somebody_make_no_event_of_a_text_about_somebody():
    assert _with("retirement", f"{_FIRST} A pension of Leeds College hastened my retirement .") == []
    assert _with("retirement", f"{_FIRST} A pension of Leeds College hastened her retirement .") != []


def test_what_came_of_something_is_told_with_it():
    text = f"{_FIRST} Ada Poll quarrelled with the Harrow Club . As a result , in 1908 Ada Poll left the Harrow Club ."
    assert any("As a result" in t and "quarrelled" in t for t in _told(text))
    plain = f"{_FIRST} Ada Poll quarrelled with the Harrow Club . In 1908 Ada Poll left the Harrow Club ."
    assert not any("1908" in t and "quarrelled" in t for t in _told(plain))


def test_an_hour_without_its_day_makes_no_event():
    assert _with("reached", f"{_FIRST} At 1515 hrs Ada Poll reached Leeds in Kent .") == []
    assert _with("reached", f"{_FIRST} By boat Ada Poll reached Leeds in Kent .") != []


def test_an_unnamed_subject_of_the_past_needs_a_date():
    assert _with("captured", f"{_FIRST} Several clerks were captured in Leeds .") == []
    assert _with("captured", f"{_FIRST} Several clerks were captured in Leeds in 1951 .") != []


def test_a_given_name_alone_is_made_whole():
    text = (
        "Bren Poll is a painter . Her mother Olga Lind moved to Leeds . In 1882 Olga sold the Harrow Farm ."
    )
    assert any("Olga Lind sold" in t for t in _told(text, "Bren Poll"))


def test_a_place_is_not_taken_for_the_short_form_of_a_name():
    text = "Ada Wexley is a painter . Wexley won a medal . In 1911 Harrow United was founded by a group of students in Wexley ."
    assert any("students in Wexley" in t for t in _told(text, "Ada Wexley"))


@pytest.mark.parametrize(
    "told",
    [
        "Ada Poll trained with the Harrow Club in Leeds , being sent with it to Rome in March 1943 .",
        "Harrow College of Ada Poll stands on the plot , where in 1855 a garden was planted by Bren Holvik .",
        "When Bren Holvik saw the 16 July 1945 issue of Wexham Life , he brought Ada Poll to Leeds .",
        "After 1945 Ada Poll took a leading role in the Harrow Club .",
        "Ada Poll reached the first Wexham final since 2007 .",
    ],
)
def test_the_date_of_something_beside_what_is_told_does_not_date_it(told: str):
    events = _events(f"{_FIRST} {told}")
    assert all(e.time_state is not TimeState.DATED for e in events)


@pytest.mark.parametrize(
    "told",
    [
        "Ada Poll trained with the Harrow Club in Leeds in March 1943 .",
        "Ada Poll won the 1955 Wexham Cup in Leeds .",
        "In 1945 Ada Poll took a leading role in the Harrow Club .",
        "Ada Poll has led the Harrow Club since 2007 .",
    ],
)
def test_its_own_date_dates_it(told: str):
    assert any(e.time_state is TimeState.DATED for e in _events(f"{_FIRST} {told}"))


def test_a_bracket_that_ends_with_a_dash_is_open():
    text = f"# Clerks of Ada Poll\n\n{_FIRST}\n\n- Bren Holvik ( 18 Feb 2006 - 22 Feb 2006 )\n- Cora Lind ( 22 Feb 2006 - )\n"
    (lind,) = _with("Lind", text)
    assert lind.interval is not None
    assert (lind.interval.start, lind.interval.end) == (instant(2006, 2, 22), OPEN_END)


def test_the_death_of_a_husband_in_brackets_dates_nothing():
    text = f"{_FIRST}\n\n- Cora Poll ( b . 1858 ) , who married Bren Holvik ( d . 1915 ) .\n"
    assert all(e.time_state is not TimeState.DATED for e in _events(text))


def test_a_day_of_another_year_than_the_days_that_the_sentence_tells_is_not_known():
    text = f"{_FIRST} In 1946 Ada Poll left Leeds . On 16 February Ada Poll was honoured in Leeds for the service from 22 January 1944 to 18 February 1945 ."
    assert all("honoured" not in e.sentence for e in _events(text) if e.time_state is TimeState.DATED)


def test_what_came_later_has_not_the_time_of_what_came_first():
    text = f"{_FIRST} Ada Poll bought the Harrow Farm in 1926 and later sold the Wexham Mill in Leeds ."
    assert all("Mill" not in e.sentence for e in _events(text) if e.time_state is TimeState.DATED)


def test_a_clause_before_a_semicolon_is_not_the_source_of_the_one_behind_it():
    text = f"{_FIRST} Clerks have not always maintained good order ; in 1909 Ada Poll was involved in a quarrel of the Harrow Club ."
    assert {e.status for e in _events(text) if "quarrel" in e.sentence} == {Status.ASSERTED}


def test_a_clause_behind_a_semicolon_has_its_own_time_where_a_helper_has_the_subject():
    text = f"{_FIRST} Cora Lind returned to Leeds to continue old propaganda ; in 1882 she and her father were , at last , arrested for treason and brought to a trial that Ada Poll saw ."
    assert all(e.time_state is not TimeState.DATED for e in _with("returned", text))
    assert any(e.time_state is TimeState.DATED for e in _with("arrested", text))


def test_a_bracket_or_initials_do_not_end_a_sentence():
    named = f"{_FIRST} On 3 December 1943 , Ada Poll married Arnold ( known as Joe ) Holvik , thus becoming Ada Holvik ."
    assert any("Joe ) Holvik" in t for t in _told(named))
    initials = (
        f"{_FIRST} Leeds College named after S . I . Holvik , also located in Leeds , trained Ada Poll ."
    )
    assert not any(t.split(": ")[-1].startswith("Holvik") for t in _told(initials))


def test_an_item_that_tells_only_when_is_no_event():
    listed = f"{_FIRST}\n\n# Honours\n\n- 1958 ( Leeds )\n- Harrow Medal 1960\n"
    assert not any("1958" in t for t in _told(listed))
    assert any("Harrow Medal" in t for t in _told(listed))


def test_items_of_a_list_of_groups_tell_not_which_they_are():
    each = "These are the towns in each district of Leeds :\n\n- Harrow District\n- Wexham\n"
    assert not any("Wexham" in t for t in _told(each, "Leeds"))
    plain = "These are the towns of Leeds :\n\n- Harrow\n- Wexham\n"
    assert any("Wexham" in t for t in _told(plain, "Leeds"))


def test_the_words_of_somebody_are_not_told_as_what_was_said_before():
    text = f"{_FIRST} I have never changed my story of Leeds . This was printed by the Harrow Club in 2008 ."
    assert not any("I have never" in t for t in _told(text))


def test_a_noun_whose_name_follows_keeps_it():
    text = "Leeds Hotel is a hotel . Leeds Hotel is old . The hotel , the Harrow Inn , was designed by Ada Poll in 1950 ."
    assert any("The hotel , the Harrow Inn" in t for t in _told(text, "Leeds Hotel"))
