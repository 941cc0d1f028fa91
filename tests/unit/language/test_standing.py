# ruff: noqa: E501 (sentences stay on one line)
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
        "In 2014 Poll founded Leeds School .\n\nPoll sold Leeds School to Bren Holvik ."
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
    text = "In 2015 Ada Poll entered the Harrow Rally . In May 2015 she won the race in Leeds ."
    race = _one(text, "won", "Ada Poll")
    assert race.sentence.endswith("[said before: In 2015 Ada Poll entered the Harrow Rally .]")


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


def test_a_time_counted_from_one_told_long_before_makes_no_event():
    filler = (
        "The town of Leeds had many mills , and the mills of Leeds were known in the whole country . " * 3
    )
    text = f"Ada Poll moved to Leeds in 1865 . {filler}Two years later Bren Holvik opened a school in Leeds ."
    assert all("school" not in e.sentence for e in _events(text, "Leeds"))


def test_a_word_for_a_time_within_a_name_dates_nothing():
    event = _one("In 2018 Ada Poll won the Wexham Christmas Open in Leeds .", "Open")
    assert event.interval is not None
    assert (event.interval.start, event.interval.end) == (instant(2018), instant(2019))


def test_he_is_not_said_to_be_the_topic_where_the_sentence_is_about_another_man():
    text = (
        "Edward Roe wrote books . He lived in Leeds . He taught Latin . He was a teacher . "
        "William Pike was a clerk in Leeds in 1878 , where he learned the trade ."
    )
    assert "where he learned the trade" in _one(text, "clerk", "Edward Roe").sentence


def test_a_sentence_with_a_hole_is_not_told_as_what_was_said_before():
    text = (
        "Ada Poll won a point at the , after a crash . This was followed by a second point in Leeds in 2010 ."
    )
    assert _events(text, "Ada Poll") == []


def test_a_joined_passive_keeps_its_auxiliary():
    text = "Ada Poll was arrested by officers on 26 May 1945 and interviewed on 12 July 1946 ."
    assert [e.sentence for e in _events(text)][1] == "Ada Poll was interviewed on 12 July 1946 ."


def test_the_time_of_a_clause_about_somebody_else_does_not_date_the_sentence():
    event = _one(
        "Ada Poll was the first driver since Bren Holvik , who bought Harrow in 1991 .", "first driver"
    )
    assert event.time_state is TimeState.UNRESOLVED
    assert event.interval is None


def test_what_is_so_every_year_is_not_dated_by_another_sentence():
    told = _events("The Leeds Group met in 2015 . The convention of Leeds is held in autumn .")
    assert [e.sentence for e in told if e.interval] == ["The Leeds Group met in 2015 ."]


def test_a_heading_of_a_year_within_prose_ends_where_the_next_paragraph_tells_no_such_time():
    text = (
        "Ada Poll raced in Leeds .\n\nHarrow Racing ( 2015 ) . Poll drove for Harrow Racing and finished ninth .\n\n"
        "Poll bought a house in Wexham ."
    )
    assert _one(text, "ninth", "Ada Poll").interval is not None
    bought = _one(text, "bought", "Ada Poll")
    assert bought.interval is None
    assert "2015" not in bought.sentence


def test_the_heading_of_the_next_list_is_no_part_of_the_last_item():
    text = (
        "# Drivers\n\n- Ada Poll, since 2001\n\n# Managers\n\n"
        "- Ada Poll\n- Bren Holvik\n- Cora Lind\n- Dag Moore Driver of the Year .\n- 1984 – Bren Holvik\n"
    )
    told = [e.sentence for e in _events(text, "Harrow Racing")]
    assert "Harrow Racing: Driver of the Year: 1984 – Bren Holvik" in told
    assert all("Moore Driver" not in t for t in told)


@pytest.mark.parametrize(
    "result",
    [
        "Poll was 14th in Spain.",
        "Poll finished eighth in Wexham.",
        "Poll picked up points in Leeds and Rome.",
        "Harrow beat Wexham 4–1 in the play-off round.",
    ],
)
def test_a_result_without_its_year_makes_no_event(result: str):
    told = "Ada Poll raced for Harrow in 2010."
    assert [e.sentence for e in _events(f"{told} {result}", "Ada Poll")] == [told]
    dated = _events(f"{told} In 2011 {result}", "Ada Poll")
    assert dated[-1].interval is not None


def test_an_event_names_what_its_document_is_about_in_full():
    text = "Poll Harrow-Lind was a player . Poll was hired by Wexham in 1985 ."
    for event in _events(text, "Poll Harrow-Lind"):
        assert "Poll Harrow-Lind" in event.sentence
    (event,) = _events(
        "Among the other schools only Wexham had a team in 2001 .", "Harrow Rangers women's lacrosse"
    )
    assert event.sentence.startswith("Harrow Rangers women's lacrosse: ")


@pytest.mark.parametrize(
    ("text", "title", "kept"),
    [
        # She is the one who speaks.
        (
            "Ada Poll had a daughter . She raised her in Leeds . She loved her . She left her . "
            "Cheryl Lynn told a neighbour that she was afraid .",
            "Ada Poll",
            "that she was afraid",
        ),
        # The one who is persuaded is not the one who persuades.
        (
            "Joseph Starr was a clerk . Bren Holvik met Joseph Starr . In 1950 he persuaded Starr to leave Leeds .",
            "Joseph Starr",
            "he persuaded",
        ),
        # A text that says "Ada" means somebody else by the surname.
        (
            "Ada Poll was born in Leeds . Ada was a clerk . She wrote of it to Poll . Ada lived alone . She sang . "
            "Ada never married . Poll had a low opinion of her , and she knew it .",
            "Ada Poll",
            "opinion of Ada Poll",
        ),
        # The one who is praised is a name that the text has not told of in full.
        (
            "Leeds Post is a paper . Celebrities such as Kate Dorn were on its cover . "
            "In 1950 the editor Shulman was praised for her use of photographs .",
            "Leeds Post",
            "praised for her use",
        ),
        # The parties are several.
        (
            "Harrow Insurance was sold . In 1950 an agreement was signed between the parties .",
            "Harrow Insurance",
            "between the parties",
        ),
        # Its place is that of the park.
        (
            "Harrow Castle is northwest of Harrow village in the Wexham Peninsula . "
            "John Harrington was given a licence to create a park in Aldingham manor and , while "
            "its location is uncertain , it may have been east of the castle .",
            "Harrow Castle",
            "its location is uncertain",
        ),
    ],
)
def test_a_word_that_may_mean_another_stays(text: str, title: str, kept: str):
    assert kept in _events(text, title)[-1].sentence


@pytest.mark.parametrize(
    "text",
    [
        "Harrow Castle is about northwest of Leeds .",
        "Harrow Castle stretches about along the sea .",
        "Ada Poll raced in Leeds in with the Wexham team .",
    ],
)
def test_a_sentence_that_has_lost_a_number_makes_no_event(text: str):
    assert _events(text) == []


def test_the_full_stop_of_an_abbreviation_does_not_part_a_sentence():
    (event,) = _events("Ada Poll bought a flat in Leeds in 2005 and a house in Washington , D.C . in 2007 .")
    assert event.sentence.endswith("in 2007 .")
    assert event.interval is not None
    assert (event.interval.start, event.interval.end) == (instant(2005), instant(2008))


def test_a_year_of_its_own_is_a_heading():
    text = "# Harrow Prize\n\nAda Poll won in Leeds in 2017 . 2018 . In January , Poll played in Wexham . Poll lost to Bren Holvik .\n"
    told = _events(text, "Ada Poll")
    assert all(e.sentence.split(" [said before")[0].rstrip(" .") != "2018" for e in told)
    played = next(e for e in told if "played" in e.sentence)
    assert played.interval is not None
    assert played.interval.start == instant(2018, 1)
    assert told[-1].sentence.startswith("2018: ")


def test_a_form_of_address_does_not_end_a_sentence():
    text = (
        "Ada Poll was a clerk .\n\n# Honours\n\n- Dr . Poll is one of the few to have appeared on stamps .\n"
    )
    assert (
        _events(text, "Ada Poll")[-1].sentence
        == "Dr . Ada Poll is one of the few to have appeared on stamps ."
    )
    (event,) = _events(
        "Ada Poll contributed to the 1911 Encyclopædia ( designated by the initials E . A . So. ) ."
    )
    assert event.sentence.endswith("So. ) .")


def test_who_left_without_what_is_told_with_what_was_said_before():
    text = "Ada Poll was hired by Harrow United in 1983 . She resigned in April 1985 ."
    resigned = _one(text, "resigned", "Ada Poll")
    assert resigned.sentence.endswith("[said before: Ada Poll was hired by Harrow United in 1983 .]")


def test_what_a_text_about_a_building_calls_he_is_not_the_building():
    text = (
        "Villa del Lario is a villa in Leeds . Bren Holvik bought it . He sold it . He missed it . He died . "
        "After the death of the owner the villa passed to his nephew ."
    )
    assert "Lario’s nephew" not in " ".join(e.sentence for e in _events(text, "Villa del Lario"))


def test_his_stays_where_he_does():
    text = (
        "James Franklin Poll was a banker . Poll sold a house . He met a man . He was rich . "
        "At the request of Gov . Oliver Morton , Poll loaned him money . He helped him . "
        "The state , grateful for his help , has preserved the house . "
        "In 1819 , he married his first wife , Cora Lind ."
    )
    assert all("Poll’s first wife" not in e.sentence for e in _events(text, "James Poll"))


def test_the_side_is_told_with_what_was_said_before():
    text = "Ada Poll was hired by Wexham in 2015 . In 2016 , Poll led the side to a victory over Harrow ."
    assert _one(text, "victory", "Ada Poll").sentence.endswith(
        "[said before: Ada Poll was hired by Wexham in 2015 .]"
    )


def test_junior_and_senior_do_not_end_a_sentence():
    (event,) = _events(
        "Ada Poll was born in 1800 in Leeds to Alexander Poll Sr . ( 1778-1820 ) and Cora Lind ."
    )
    assert event.sentence.endswith("Cora Lind .")


def test_the_end_of_a_sentence_that_was_cut_makes_no_event():
    told = _events(
        "Leeds Post was a paper . travelogues.. . and editorials , making it a mixed cocktail .", "Leeds Post"
    )
    assert all("editorials" not in e.sentence for e in told)
