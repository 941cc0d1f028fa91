"""Which sentences make no event, since nobody can understand them alone; and what they are told with else."""

from __future__ import annotations

import pytest
from tests.unit.language.documents import extract

from tidegraph.domain.documents import Event, Status
from tidegraph.domain.interval import OPEN_END, OPEN_START, instant

_FIRST = "Ada Poll moved to Leeds ."


def _events(text: str, title: str = "Ada Poll") -> list[Event]:
    return list(extract(text, title, None).events)


def _told(text: str, title: str = "Ada Poll") -> list[str]:
    return [e.sentence for e in _events(text, title)]


@pytest.mark.parametrize(
    "text",
    [
        "The facility had a park for Bren Holvik .",
        "Thus , Poll sold Harrow Works .",
        "As a result , Poll sold Harrow Works .",
        "Poll liked this decision of Harrow Works .",
        "Both were sold to Harrow Works .",
        "Poll sold a boat at the next race in Wexham .",
        "A less impressive speech followed in Wexham .",
        "Poll was a clerk of Harrow Works at the time .",
        "On 2 August Poll left Harrow Works .",
        "Poll scored eighth place in Spain .",
        "A podium escaped Poll in Monaco .",
        "Harrow faced Wexham in the group stage .",
        "Players of Harrow United are listed in bold .",
        "The following languages were spoken in Leeds .",
        "Poll lived here with Bren Holvik .",
    ],
)
def test_a_sentence_without_a_time_that_points_outside_makes_no_event(text: str):
    assert _told(f"{_FIRST} {text}") == [_FIRST]


@pytest.mark.parametrize(
    "text",
    [
        "Poll sold Harrow Works to Bren Holvik .",
        "The museum of Leeds has a painting by Bren Holvik .",
        "Poll studied law in Leeds and was a member of the public council of Harrow .",
        "William Pike was a clerk in Leeds , where he learned Latin .",
        "There are three bridges in Harrow .",
        "Leeds was the start of the war between Harrow and Wexham .",
    ],
)
def test_a_sentence_that_names_what_it_tells_of_is_an_event(text: str):
    assert len(_events(f"{_FIRST} {text}")) == 2


@pytest.mark.parametrize(
    "text",
    [
        "In he raced for Harrow Works .",
        "Poll used the boat in scenes of Harrow in ( 2002 ) .",
        "Six boats joined Poll in Leeds : , , , , and .",
        "Bren Holvik and were sent to Harrow in 1919 .",
        "Poll was elected as 2 .",
        "Poll led four teams of Harrow , namely .",
        "Poll sold the boat ( to Harrow Works in 1990 .",
        "Plants in Leeds include : - The fern is found in Harrow .",
    ],
)
def test_a_sentence_that_has_lost_words_makes_no_event(text: str):
    assert _told(f"{_FIRST} {text}") == [_FIRST]


@pytest.mark.parametrize("rest", ["He won a medal in Wexham .", "His sister won a medal in Wexham ."])
def test_two_sentences_without_a_full_stop_make_no_event(rest: str):
    glued = f"Poll was a guest of Bren Holvik with 5 boats {rest}"
    assert _told(f"{_FIRST}\n\n{glued}") == [_FIRST]


def test_a_sentence_with_a_time_is_told_with_the_one_before_only_where_that_names_what_is_meant():
    before = "Harrow decided to join the Union of Leeds ."
    (_, union) = _events(f"{before} The union was abolished in 1919 .", "Wexham")
    assert union.sentence.endswith(f"[said before: {before}]")
    assert "facility" not in " ".join(_told(f"{_FIRST} The facility was closed in 1919 ."))


def test_a_heading_within_prose_is_no_context():
    told = _told("Ada Poll was born in 1970 .\n\nPlaying career\nIn 1990 she was sold to Harrow by Wexham .")
    assert all("Playing career]" not in t for t in told)


def test_what_is_counted_from_a_year_has_no_day():
    text = "Ada Poll left Harrow in 1951 . Four days later Ada Poll married Bren Holvik ."
    assert [e.interval.start for e in _events(text) if e.interval] == [instant(1951)]


def test_a_result_of_a_contest_without_its_name_makes_no_event():
    assert _told("In 2009 , Ada Poll finished third behind Bren Holvik .") == []
    (named,) = _events("In 2009 , Ada Poll finished third in the Harrow Rally .")
    assert named.interval is not None


def test_statements_that_a_semicolon_parts_have_each_their_own_time():
    crossed, wrote = _events("In 1944 Ada Poll crossed the Rhine ; Bren Holvik wrote a book on Harrow .", "")
    assert crossed.sentence == "In 1944 Ada Poll crossed the Rhine"
    assert crossed.interval is not None
    assert (wrote.sentence, wrote.interval) == ("Bren Holvik wrote a book on Harrow .", None)


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("Harrow Castle is mentioned in 1389 , although Bren Holvik died in Leeds in 1363 .", (1389, 1390)),
        ("After being reformed in 1940 , the Harrow Guards moved to Leeds in 1945 .", (1945, 1946)),
        ("Ada Poll fled from Leeds with Bren Holvik just before the Harrow fire in 1944 .", (1944, 1945)),
    ],
)
def test_the_time_of_a_clause_beside_does_not_widen_that_of_the_sentence(text: str, span: tuple[int, int]):
    interval = _events(text, "Harrow")[-1].interval
    assert interval is not None
    assert (interval.start, interval.end) == (instant(span[0]), instant(span[1]))


@pytest.mark.parametrize(
    "text",
    [
        "An asteroid , discovered in 1970 by Bren Holvik , is named after Leeds .",
        "Ada Poll later described a crucial meeting between Bren Holvik and Dan Roe on 5 June 1944 .",
        "Ada Poll knew the Harrow Act of 1968 .",
        "Ada Poll met Bren Holvik , who would go on to win the Harrow Cup of 2011 .",
        "The stone of Ada Poll contains the birth year 1924 .",
        "# People\n\n- Ada Poll ( born 1995 ) , actress from Leeds\n",
        "# People\n\n- Ada Poll ( 1884–1943 ) , painter from Leeds\n",
        "# Cups\n\n- Winners of the Harrow Cup : 2013 , 2016 , 2018\n",
    ],
)
def test_the_time_of_a_thing_beside_dates_no_event(text: str):
    (event,) = _events(text, "Leeds")
    assert event.interval is None


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("# Coaches\n\n- Bren Holvik ( - 10 Nov 2007 )\n", OPEN_START, instant(2007, 11, 11)),
        ("Farming began in Leeds in 1850 and continues in Harrow .", instant(1850), OPEN_END),
        ("Ada Poll has been a member of Harrow Works since the 1932 .", instant(1932), OPEN_END),
    ],
)
def test_ends_that_are_not_told_are_open(text: str, start: int, end: int):
    (event,) = [e for e in _events(text, "Leeds") if e.interval]
    assert event.interval is not None
    assert (event.interval.start, event.interval.end) == (start, end)


@pytest.mark.parametrize(
    "text",
    [
        "No other pilot held more records than Ada Poll .",
        "The irony of Harrow was not lost on Ada Poll .",
        "Ada Poll did not sell Harrow Works and joined Wexham Works again .",
    ],
)
def test_words_of_denial_that_deny_not_all_deny_nothing(text: str):
    (event,) = _events(text, "")
    assert event.status is Status.ASSERTED


@pytest.mark.parametrize(
    ("text", "title", "kept"),
    [
        (
            "Harrow Group founded two firms . Their shares were sold in Leeds in 1994 .",
            "Harrow Group",
            "Their",
        ),
        (
            "Dan Roe wrote a book with William Pike and his team in Leeds in 1990 .",
            "Ada Poll",
            "and his team",
        ),
        (
            "The Roe family owned Leeds Mill . Dan Roe left the Roe family in 1990 .",
            "Leeds Mill",
            "the Roe family",
        ),
    ],
)
def test_a_name_is_not_put_in_where_another_is_meant(text: str, title: str, kept: str):
    assert kept in _told(text, title)[-1]
