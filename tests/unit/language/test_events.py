# ruff: noqa: E501 (sentences and records stay on one line)
"""Dynamic event units: alone understandable, scored, dated, merged."""

from __future__ import annotations

import pytest
from tests.unit.language.documents import extract

from tidegraph.domain.documents import TimeState
from tidegraph.domain.interval import Granularity, instant


def test_pronouns_are_replaced_by_their_referent():
    found = extract("Ada Poll joined Harrow Instruments in 2019. She moved to Leeds in March 2020.")
    assert found.events[1].sentence == "Ada Poll moved to Leeds in March 2020."


def test_surnames_become_full_names_and_possessives_stay_grammatical():
    found = extract("Bren Holvik founded a shipyard in 1998. Holvik sold his share in 2019.")
    assert found.events[1].sentence.startswith("Bren Holvik sold")
    names = {m.canonical_name for m in found.mentions}
    assert "Bren Holvik" in names


def test_the_company_is_the_one_before():
    found = extract("Harrow Instruments Ltd opened a plant in Leeds in 2018. The company closed it in 2019.")
    assert "Harrow Instruments Ltd" in found.events[1].sentence


def test_an_unclear_pronoun_stays_and_is_told():
    (event,) = extract("She opened a plant in Leeds in 2018.").events
    assert event.sentence.startswith("She")
    assert "unclear_reference" in event.reasons


def test_three_states_of_time():
    dated, unresolved, static = extract(
        "Ada Poll moved to Leeds in March 2019. Bren Holvik left two weeks after the Wexham merger. Leeds has a large harbour."
    ).events
    assert dated.time_state is TimeState.DATED
    assert dated.interval is not None
    assert (dated.interval.start, dated.interval.granularity) == (instant(2019, 3), Granularity.MONTH)
    assert (unresolved.time_state, unresolved.interval) == (TimeState.UNRESOLVED, None)
    assert static.time_state is TimeState.STATIC


def test_points_of_information():
    events = extract("Ada Poll sold 40 boats on 3 March 2020.").events
    assert events[0].score == 4
    assert set(events[0].reasons) == {"entity", "eventive", "quantity", "month_or_finer"}


def test_a_sentence_without_any_point_is_no_event():
    assert extract("It is nice.").events == ()


def test_the_same_statement_twice_is_one_event():
    sentence = "Ada Poll joined the docs team on 3 March 2020."
    found = extract(f"{sentence}\n\nSomething else was said by Bren Holvik.\n\n{sentence}")
    assert [event.sentence for event in found.events].count(sentence) == 1


def test_both_chunks_of_an_overlap_are_the_provenance():
    filler = "The harbour has a crane. " * 190
    text = f"{filler}Ada Poll joined the docs team on 3 March 2020. {filler}"
    found = extract(text)
    (event,) = [e for e in found.events if "Ada Poll" in e.sentence]
    assert len(found.chunks) > 1
    assert 1 <= len(event.chunk_ids) <= 2
    assert set(event.chunk_ids) <= {chunk.chunk_id for chunk in found.chunks}


@pytest.mark.parametrize(
    "text",
    [
        "3 March 2019\n------------\n\n- Ada Poll joined the docs team.\n",
        "- 3 March 2019: Ada Poll joined the docs team.\n",
    ],
)
def test_a_date_above_or_before_an_item_dates_it(text: str):
    found = extract(text)
    (assertion,) = found.assertions
    assert assertion.valid.start == instant(2019, 3, 3)


def test_a_document_without_time_gets_no_time_from_today():
    found = extract("Ada Poll joined the docs team. Bren Holvik left it yesterday.", written=None)
    assert all(event.interval is None for event in found.events)
    assert all(a.valid.start < 0 for a in found.assertions)
