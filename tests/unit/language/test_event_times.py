"""Which time an event has, and what a sentence keeps of words whose referent is not certain."""

from __future__ import annotations

import pytest
from tests.unit.language.documents import extract

from tidegraph.domain.documents import Event, TimeState
from tidegraph.domain.interval import OPEN_START, instant


def _years(event: Event) -> tuple[int, int]:
    assert event.interval is not None
    return event.interval.start, event.interval.end


def test_joined_clauses_are_events_with_their_own_words_and_times():
    events = extract(
        "Ada Poll joined Harrow Instruments in 2001 and founded Wexham Optics in 2009.", "", None
    ).events
    assert [e.sentence for e in events] == [
        "Ada Poll joined Harrow Instruments in 2001",
        "Ada Poll founded Wexham Optics in 2009.",
    ]
    assert [_years(e) for e in events] == [
        (instant(2001), instant(2002)),
        (instant(2009), instant(2010)),
    ]


def test_a_claim_points_at_the_event_in_whose_words_it_stands():
    found = extract("Ada Poll joined Harrow Instruments in 2001 and founded Wexham Optics in 2009.", "", None)
    told = {e.event_id: e.sentence for e in found.events}
    for assertion in found.assertions:
        year = "2001" if assertion.valid.start == instant(2001) else "2009"
        assert year in told[assertion.event_id]


def test_times_that_cannot_be_parted_make_one_event_over_all_of_them():
    text = "Ada Poll wrote the same book again after her illness in 1951 with friends in Leeds in 1957."
    (event,) = extract(text, "", None).events
    assert _years(event) == (instant(1951), instant(1958))
    assert event.time_rule_id.startswith("span:")


def test_the_dates_of_a_life_do_not_date_what_is_told():
    (event,) = extract("Ada Poll married the painter Bren Holvik (born 1954).", "", None).events
    assert event.time_state is not TimeState.DATED


@pytest.mark.parametrize(
    "text",
    [
        "On 14 September 2014 elections were held in Leeds, the first since the referendum of 16 March 2014.",
        "On 14 September 2014 Bren Holvik won the 2009 prize in Leeds.",
    ],
)
def test_the_date_of_a_thing_that_is_named_does_not_date_the_sentence(text: str):
    (event,) = extract(text, "", None).events
    assert event.interval is not None
    assert event.interval.start == instant(2014, 9, 14)


def test_a_word_that_may_mean_another_thing_stays_and_the_sentence_before_is_told():
    text = (
        "Wexham Reserve lies in Leeds. The soils formed over granite in 1950. They were washed away in 1960."
    )
    event = extract(text, "Wexham Reserve", None).events[-1]
    assert "They were washed away in 1960." in event.sentence
    assert "[said before: " in event.sentence
    assert "soils" in event.sentence
    assert {"unclear_reference", "context_before"} <= set(event.reasons)
    assert _years(event) == (instant(1960), instant(1961))


def test_a_line_that_only_announces_a_list_is_no_event():
    assert extract("Twenty cities are located in Wexham Prefecture:", "Wexham Prefecture", None).events == ()


def test_a_story_that_looks_back_is_not_dated_by_where_it_stands():
    text = "Ada Poll moved to Leeds in 1957. Ada Poll first met Bren Holvik at a concert."
    assert extract(text, "Ada Poll", None).events[-1].time_state is not TimeState.DATED


def test_a_birth_in_a_bracket_that_opens_with_a_mark_is_no_time_of_the_sentence():
    (event,) = extract("Ada Poll (; born 14 September 1941) is a physicist in Leeds.", "", None).events
    assert event.time_state is not TimeState.DATED


def test_a_sentence_off_the_topic_stands_under_the_title():
    text = "Wexham Optics is a company in Leeds. Bren Holvik opened a plant in Harrow in 1994."
    event = extract(text, "Wexham Optics", None).events[-1]
    assert event.sentence == "Wexham Optics: Bren Holvik opened a plant in Harrow in 1994."


@pytest.mark.parametrize(
    "text",
    [
        "Ada Poll ran the workshop in Leeds until the peace in May 1945.",
        "Ada Poll ran the workshop in Leeds until it was closed in May 1945.",
    ],
)
def test_a_time_under_until_is_the_end(text: str):
    (event,) = extract(text, "", None).events
    assert _years(event) == (OPEN_START, instant(1945, 6))


def test_what_was_not_so_until_a_time_is_of_that_time():
    (event,) = extract("Ada Poll did not leave Leeds until the peace in May 1945.", "", None).events
    assert _years(event) == (instant(1945, 5), instant(1945, 6))


def test_a_time_of_which_only_the_earliest_is_told_makes_no_event():
    text = "On 3 May 1940 Ada Poll reached Leeds. More than two weeks later, Ada Poll sank the barge Wexham."
    assert all("sank" not in e.sentence for e in extract(text, "", None).events)


def test_a_month_at_the_end_of_a_sentence_does_not_take_the_year_of_the_next():
    text = "Ada Poll came to Leeds in January 1918 and moved to Harrow in November. In 1919 Poll left Harrow."
    moved = next(e for e in extract(text, "", None).events if "moved" in e.sentence.split(" [")[0])
    assert _years(moved) == (instant(1918, 11), instant(1918, 12))
