# ruff: noqa: E501 (sentences stay on one line)
"""Which time of a sentence is that of what it tells, and which belongs to something that is named in it."""

from __future__ import annotations

import pytest
from tests.unit.language.documents import extract

from tidegraph.domain.documents import Event, TimeState
from tidegraph.domain.interval import OPEN_END, OPEN_START, instant


def _events(text: str, title: str = "") -> list[Event]:
    return list(extract(text, title, None).events)


def _span(event: Event) -> tuple[int, int]:
    assert event.interval is not None
    return event.interval.start, event.interval.end


def test_what_opens_a_sentence_as_a_participle_is_a_statement_with_its_own_time():
    text = "Born in Leeds , England , on 24 December 1910 , Ada Poll attended Wexham College ."
    born, attended = _events(text)
    assert born.sentence == "Ada Poll was born in Leeds , England , on 24 December 1910"
    assert _span(born) == (instant(1910, 12, 24), instant(1910, 12, 25))
    assert attended.sentence == "Ada Poll attended Wexham College ."
    assert attended.time_state is TimeState.STATIC


def test_a_statement_behind_an_opening_participle_keeps_its_time():
    founded, bought = _events("Founded in Leeds in 1901, the Harrow Works bought Wexham Optics in 1950.")
    assert founded.sentence == "The Harrow Works was founded in Leeds in 1901"
    assert _span(founded) == (instant(1901), instant(1902))
    assert bought.sentence == "The Harrow Works bought Wexham Optics in 1950."
    assert _span(bought) == (instant(1950), instant(1951))


def test_several_are_told_of_in_the_plural():
    elected, _ = _events("Elected in 1990, Ada Poll and Bren Holvik joined the council of Leeds.")
    assert elected.sentence == "Ada Poll and Bren Holvik were elected in 1990"


@pytest.mark.parametrize(
    "text",
    [
        "Ada Poll asked Bren Holvik for help with a jubilee celebrated in 1947.",
        "After winning the Wexham Cup in 1946, 1947 and 1953, Harrow United would not win another title.",
        "Ada Poll was awarded a medal for her service from 22 January 1944 to 18 February 1945.",
        "Leeds saw the first victory of Ada Poll since the 2005 Harrow Cup.",
        "Ada Poll led a project in Leeds that was scheduled to go online by 2011.",
    ],
)
def test_the_time_of_a_thing_or_of_what_is_over_is_not_that_of_the_sentence(text: str):
    (event,) = _events(text)
    assert event.interval is None
    assert event.time_state is TimeState.UNRESOLVED


def test_the_age_of_a_thing_is_no_time():
    text = "Ada Poll restored paintings of the 12th and 13th centuries in Leeds."
    assert all(e.interval is None for e in _events(text))
    (dated,) = _events("In 1919 Ada Poll restored works of the 12th century.")
    assert _span(dated) == (instant(1919), instant(1920))


def test_a_date_deep_in_a_sentence_does_not_narrow_the_time_that_opens_it():
    text = (
        "In November 2013, Harrow United was forced to play Wexham behind closed doors due to the behaviour of "
        "fans in a win on 2 November."
    )
    (event,) = _events(text)
    assert _span(event) == (instant(2013, 11), instant(2013, 12))


def test_joined_years_of_occasions_count_together():
    (event,) = _events("Ada Poll played in 1960 and 1968 AFC Harrow Cup , as well as 1958 Harrow Games .")
    assert _span(event) == (instant(1958), instant(1969))


def test_each_of_two_main_clauses_has_a_say():
    text = "Ada Poll first saw action in the 1943 invasion of Sicily; then in 1944 she took part in the battle of Leeds."
    starts = [_span(e) for e in _events(text)]
    assert (min(s for s, _ in starts), max(e for _, e in starts)) == (instant(1943), instant(1945))


def test_the_rest_of_a_heading_before_the_first_word_is_no_time():
    (event,) = _events("2012 On 16 December 2011 , Harrow Racing presented Ada Poll .")
    assert _span(event) == (instant(2011, 12, 16), instant(2011, 12, 17))


@pytest.mark.parametrize("still", ["2009–present", "2009 to date"])
def test_what_goes_on_has_no_end(still: str):
    (event,) = _events(f"# Managers\n\n- Ada Poll ({still})\n", "Harrow United")
    assert _span(event) == (instant(2009), OPEN_END)


def test_a_heading_over_all_years_since_dates_no_step():
    text = "Harrow United won the cup .\n\nHarrow Racing ( 2009–present ) . Ada Poll passed Bren Holvik in Leeds ."
    passed = next(e for e in _events(text, "Ada Poll") if "passed" in e.sentence)
    assert passed.interval is None


def test_a_title_of_the_year_is_no_time():
    text = "In 2010 Ada Poll left Leeds. Ada Poll was named female athlete of the year in Harrow."
    _, named = _events(text)
    assert named.interval is None


def test_what_stands_in_brackets_counts_where_only_things_are_dated_besides():
    text = "Ada Poll helped Harrow to a cup (in the 1999–2000 season) and the 1999 Wexham Prize."
    (event,) = _events(text)
    assert _span(event) == (instant(1999), instant(2001))


@pytest.mark.parametrize(
    "text",
    [
        "From 1919 , Ada Poll led the museum of Leeds .",
        "After the merger with Wexham in 1919 , the crest of Harrow United has been a blue shield .",
    ],
)
def test_what_began_then_is_not_over_with_the_year(text: str):
    (event,) = _events(text)
    assert _span(event) == (instant(1919), OPEN_END)


def test_what_was_before_something_ends_with_it():
    (event,) = _events(
        "Ada Poll drew maps in Leeds before being taken to Wexham on 13 March 1944 with a fever ."
    )
    assert _span(event) == (OPEN_START, instant(1944, 3, 14))


def test_what_had_been_before_does_not_date_what_is_told():
    (event,) = _events(
        "In the Leeds Cup final Harrow United lost to Wexham , having lost in 1958 , 1965 and 1976 ."
    )
    assert event.interval is None


def test_a_time_counted_from_something_in_its_sentence_is_not_counted_from_another():
    text = (
        "The season of Harrow House ended on 15 December 2000 . "
        "After Ada Poll entered Harrow House , Bren Holvik left three days later ."
    )
    assert [e.sentence for e in _events(text) if e.interval] == [
        "The season of Harrow House ended on 15 December 2000 ."
    ]


def test_an_age_beside_a_year_is_none():
    text = "# Works\n\n- Mysticism and Protest in the Sixteenth Century . Leeds : Wexham Press , 1973 .\n"
    assert [_span(e) for e in _events(text, "Ada Poll")] == [(instant(1973), instant(1974))]


def test_a_clause_without_a_time_does_not_take_that_of_another_behind_it():
    text = "The classes of Wexham College were dull , but Ada Poll graduated from Leeds University in 1960 ."
    dull, graduated = _events(text)
    assert (dull.sentence, dull.interval) == ("The classes of Wexham College were dull", None)
    assert graduated.sentence == "Ada Poll graduated from Leeds University in 1960 ."
    assert _span(graduated) == (instant(1960), instant(1961))


def test_a_post_held_from_a_time_on_has_no_end():
    text = "Ada Poll founded a branch in 1940 and acted as chairman from November 1945 after Bren Holvik had left ."
    _, chaired = _events(text)
    assert _span(chaired) == (instant(1945, 11), OPEN_END)


@pytest.mark.parametrize("fate", [", lost 1944", ", revised 1944", ""])
def test_a_work_is_of_the_time_when_it_was_made(fate: str):
    (event,) = _events(f"# Works\n\n- Symphonic Variations ( 1935–36 {fate} )\n", "Ada Poll")
    assert _span(event) == (instant(1935), instant(1937))
    assert _events("# Works\n\n- Symphonic Variations ( lost 1944 )\n", "Ada Poll")[0].interval is None


def test_a_name_torn_by_the_parser_is_no_clause():
    text = "The Harington family owned Harrow Castle until William Harington , 5th Baron Harington died in 1458 ."
    (event,) = _events(text)
    assert event.sentence == text
