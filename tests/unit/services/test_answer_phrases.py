"""Phrases that may be an answer, their places in time, and the choice between them."""

from __future__ import annotations

import pytest

from tidegraph.domain.documents import EntityType
from tidegraph.domain.interval import OPEN_END, OPEN_START, Interval, instant
from tidegraph.language.grounding import ground
from tidegraph.services.usecases.question import NO_TIME
from tidegraph.services.usecases.question import read as read_asked
from tidegraph.services.usecases.spans.decision import decide, decide_beside, likeliest
from tidegraph.services.usecases.spans.features import SAID, Candidate
from tidegraph.services.usecases.spans.intent import intent_of
from tidegraph.services.usecases.spans.kinds import AWARD, CLUB, ORGANISATION, PERSON, PLACE, SCHOOL, kinds_of
from tidegraph.services.usecases.spans.model import load_model, parse
from tidegraph.services.usecases.spans.phrases import Phrase, Shape, phrases
from tidegraph.services.usecases.spans.placing import Placed, Source, placed
from tidegraph.services.usecases.spans.segments import segmented
from tidegraph.services.usecases.spans.times import CHAINED, SURE, TIMED, VACANT
from tidegraph.services.usecases.spans.whole import as_value, whole_names
from tidegraph.settings import load as load_settings

GROUNDING = load_settings({}).grounding
OFFICES = frozenset(("minister", "member", "coach"))


def read(text: str) -> dict[str, Placed]:
    """Each phrase of a text with its place in time; the first one of equal phrases."""
    passage = segmented(text)
    found = phrases(passage, OFFICES)
    places = placed(passage, found, ground(text, None, GROUNDING))
    return {p.text: place for p, place in reversed(list(zip(found, places, strict=True)))}


def year(value: int) -> int:
    return instant(value, 1)


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        ("He joined F.C . Norvale in 2001 . He left in 2003 .", 2),
        ("Dr. Ada Brook spoke. She left.", 2),
        ("He played for Norvale United F.C. He left.", 2),
        ("Heading\nA first line. A second.", 3),
        ("It cost 3.5 million.", 1),
    ],
)
def test_sentences_end_where_they_end(text: str, sentences: int) -> None:
    assert len(segmented(text).sentences) == sentences


def test_names_offices_and_descriptions_are_phrases() -> None:
    found = read("In 1964 Ada Brook became Minister for Health and later head coach of the Norvale Harriers.")
    assert {"Ada Brook", "Minister for Health", "Norvale Harriers"} <= found.keys()
    assert "In" not in found
    assert "1964" not in found


def test_a_club_is_found_without_its_league() -> None:
    assert "Norvale Knights" in read("He signed with the Norvale Knights of the Eastern League.")


def test_a_time_in_brackets_belongs_to_the_name_before_it() -> None:
    found = read("Holders: - Ada Brook ( 1919–1939 ) - Ben Carr ( 1939–1942 ) - Cy Dale ( 1942–1945 )")
    assert (found["Ben Carr"].start, found["Ben Carr"].end) == (year(1939), year(1943))
    assert found["Ben Carr"].bounded
    assert found["Ben Carr"].source is Source.BESIDE


def test_each_clause_keeps_its_own_time() -> None:
    found = read("In 1979 she started at Norvale College, and in 1993 she returned to Easton University.")
    assert found["Norvale College"].start == year(1979)
    assert found["Easton University"].start == year(1993)


def test_what_is_told_without_a_date_takes_the_time_of_the_telling() -> None:
    found = read("In 1996 he joined Norvale Town. He then moved to Easton Rovers.")
    place = found["Easton Rovers"]
    assert (place.start, place.source) == (year(1996), Source.TOLD)


def test_a_birth_dates_nothing_else() -> None:
    found = read("Ada Brook ( born 3 May 1941 ) is a painter of the Norvale School.")
    assert found["Norvale School"].start == OPEN_START


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("He left Norvale Town in 2003.", "Norvale Town"),
        ("In 2003 she resigned from the Easton Society.", "Easton Society"),
        ("In 2003 he moved from Norvale Town to Easton Rovers.", "Norvale Town"),
    ],
)
def test_what_is_left_ends_at_that_time(text: str, left: str) -> None:
    place = read(text)[left]
    assert (place.start, place.end) == (OPEN_START, year(2004))


@pytest.mark.parametrize(
    ("text", "school"),
    [
        ("She received a B.A. in 1998 from Norvale College.", "Norvale College"),
        ("He graduated from the Easton School of Law in 1998.", "Easton School"),
        ("He was educated at Norvale College (B.A. 1998).", "Norvale College"),
        ("He joined the Selmar Institute, where he stayed until his 1998 retirement.", "Selmar Institute"),
    ],
)
def test_a_degree_and_until_are_the_end_of_what_they_tell_of(text: str, school: str) -> None:
    place = next(place for name, place in read(text).items() if name.startswith(school))
    assert (place.start, place.end) == (OPEN_START, year(1999))


@pytest.mark.parametrize(
    "text", ["In 1998 she taught at Norvale College.", "He got a prize at Norvale College in 1998."]
)
def test_without_a_degree_a_school_begins_at_its_time(text: str) -> None:
    assert read(text)["Norvale College"].start == year(1998)


def test_the_press_of_a_school_is_no_school() -> None:
    found = kinds_of("Norvale University Press", EntityType.UNSPECIFIED)
    assert (found[SCHOOL], found[ORGANISATION]) == (0.0, 1.0)


def test_what_follows_a_period_begins_at_its_end() -> None:
    found = read("She was at Norvale College from 1914 to 1923 when she went to Easton University.")
    assert (found["Norvale College"].start, found["Norvale College"].end) == (year(1914), year(1924))
    assert year(1923) < found["Easton University"].start < year(1924)


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        (
            "He played for the Norvalia national under-21 football team.",
            "Norvalia national under-21 football team",
        ),
        ("He was Deputy Director of the Norvale Science Foundation.", "Norvale Science Foundation"),
        ("She studied at the \u00c9cole polytechnique in Paris.", "\u00c9cole polytechnique"),
    ],
)
def test_names_go_as_far_as_they_go(text: str, phrase: str) -> None:
    assert phrase in read(text)


def wholes(text: str, **kinds: EntityType) -> dict[str, str]:
    found = phrases(segmented(text), OFFICES)
    named = whole_names([(p, as_value(p.text)) for p in found], kinds)
    return {short: said for short, (said, _) in named.items()}


def test_a_short_name_stands_for_the_one_whole_name() -> None:
    found = wholes(
        "He joined the Norvale Steamers and the Marine Science Institute. The Steamers won. "
        "The MSI closed. Ada Brook and Ben Brook left. Brook is back."
    )
    assert found == {"steamers": "Norvale Steamers", "msi": "Marine Science Institute"}


def test_a_place_is_no_short_name() -> None:
    assert wholes("He left Real Easton. He lives in Easton.", easton=EntityType.PLACE) == {}


@pytest.mark.parametrize(
    ("text", "known", "kind"),
    [
        ("Sir Alan Brook", EntityType.UNSPECIFIED, PERSON),
        ("Norvale United", EntityType.UNSPECIFIED, CLUB),
        ("Norvale College", EntityType.UNSPECIFIED, SCHOOL),
        ("Zzyx", EntityType.PERSON, PERSON),
    ],
)
def test_kinds(text: str, known: EntityType, kind: str) -> None:
    found = kinds_of(text, known)
    assert found[kind] == max(found.values())


MODEL = parse(
    {
        "said": {"type": 3.0},
        "timed": {"likely": 1.0, "meets": 2.0, "turns": -2.0, "gap_after": -3.0},
        "chained": {"likely": 1.0, "next": 3.0, "side": 1.0},
        "sure": {"share": 4.0},
        "bias": -1.0,
        "vacant": {"meets": -4.0, "told_off": 2.0},
        "vacant_bias": 2.0,
        "silence": 1.0,
    }
)


def candidate(value: str, start: int, place: int, end: int = OPEN_END) -> Candidate:
    phrase = Phrase(value, place, place + 1, 0, Shape.NAME)
    bounded = end != OPEN_END
    span = Placed(start, end if bounded else start + 1, bounded, Source.CLAUSE, place)
    return Candidate(phrase, span, value, 0, "d", (0, place))


def rows(*kinds: float) -> list[list[float]]:
    return [[kind if name == "type" else 0.0 for name in SAID] for kind in kinds]


CLUBS = (candidate("a", year(1990), 0), candidate("b", year(1995), 1), candidate("c", year(2001), 2))


@pytest.mark.parametrize(("asked", "value"), [(1993, "a"), (1995, "b"), (1999, "b"), (2005, "c")])
def test_a_value_holds_until_the_next_one(asked: int, value: str) -> None:
    decision = decide(MODEL, CLUBS, rows(1, 1, 1), Interval(year(asked), year(asked + 1)))
    assert decision is not None
    assert decision.choices[0].candidate.value == value


def test_without_the_chain_what_has_started_may_go_on() -> None:
    asked = Interval(year(2005), year(2006))
    decision = decide(MODEL, CLUBS, rows(1, 1, 1), asked, chain=False)
    assert decision is not None
    shares = [choice.share for choice in decision.choices]
    assert shares[0] == pytest.approx(shares[1])


def test_a_told_end_ends_it() -> None:
    asked = Interval(year(1997), year(1998))
    later = candidate("b", year(1999), 1)
    ended = decide(MODEL, (candidate("a", year(1990), 0, year(1994)), later), rows(1, 1), asked)
    going_on = decide(MODEL, (candidate("a", year(1990), 0), later), rows(1, 1), asked)
    assert ended is not None
    assert going_on is not None
    assert ended.choices[0].share < going_on.choices[0].share


def test_what_is_told_to_have_ended_is_no_answer_where_another_may_hold() -> None:
    """Also where more speaks for it: an answer has to hold when it is asked for."""
    asked = Interval(year(1997), year(1998))
    ended, going_on = candidate("a", year(1990), 0, year(1994)), candidate("b", year(1995), 1)
    decision = decide(MODEL, (ended, going_on), rows(9, 1), asked)
    assert decision is not None
    assert [choice.candidate.value for choice in decision.choices] == ["b"]


def test_silence_is_right_where_nothing_is_told_of_then() -> None:
    told = decide(MODEL, (candidate("a", year(1990), 0),), rows(1), Interval(year(1993), year(1994)))
    off = decide(
        MODEL, (candidate("a", year(1990), 0, year(1991)),), rows(1), Interval(year(1993), year(1994))
    )
    assert told is not None
    assert off is not None
    assert not told.is_silent
    assert off.is_silent
    assert off.vacancy > told.vacancy


def test_beside_a_named_value() -> None:
    after = decide_beside(MODEL, CLUBS, rows(1, 1, 1), [0], after=True)
    before = decide_beside(MODEL, CLUBS, rows(1, 1, 1), [2], after=False)
    assert after is not None
    assert before is not None
    assert after.choices[0].candidate.value == "b"
    assert before.choices[0].candidate.value == "b"


def test_nothing_to_choose_from() -> None:
    asked = Interval(year(1990), year(1991))
    assert decide(MODEL, (), (), asked) is None
    assert likeliest(MODEL, (), ()) is None
    assert decide_beside(MODEL, CLUBS, rows(1, 1, 1), [], after=True) is None


def test_the_model_that_comes_with_the_service_knows_all_features() -> None:
    model = load_model()
    assert (len(model.said), len(model.timed)) == (len(SAID), len(TIMED))
    assert (len(model.chained), len(model.sure)) == (len(CHAINED), len(SURE))
    assert len(model.vacant) == len(VACANT)
    assert model.silence >= 1.0


def test_a_term_of_office_in_brackets_is_no_life() -> None:
    term = "In 1926 it grew. Under Ada Withers ( editor from 1940 to 1965 ) it moved."
    place = read(f"{term} Bo Lund ( 3 May 1877 - 3 May 1960 ) left.")
    assert (place["Ada Withers"].start, place["Ada Withers"].bounded) == (year(1940), True)
    assert place["Bo Lund"].source is Source.TOLD


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Which company operated the ferry?", ORGANISATION),
        ("What country owned the ship?", PLACE),
        ("Which football club did she join?", CLUB),
        ("Who was the office holder of the See?", PERSON),
        ("The paper employed who as its editor?", PERSON),
        ("Which prize got she?", AWARD),
    ],
)
def test_the_kind_that_is_asked_for(question: str, kind: str) -> None:
    kinds = intent_of(read_asked(question, NO_TIME, ())).kinds
    assert kinds[kind] == max(kinds.values()) == 1.0
    assert sum(weight == 1.0 for weight in kinds.values()) == 1


@pytest.mark.parametrize(
    ("name", "person"),
    [("Second World War", 0.0), ("Army Group Dorn", 0.0), ("Grand Selmar Hotel", 0.0), ("Olva Trent", 0.5)],
)
def test_what_names_a_thing_is_no_person(name: str, person: float) -> None:
    assert kinds_of(name, EntityType.UNSPECIFIED)[PERSON] == person


def test_a_racing_class_is_a_competition() -> None:
    assert kinds_of("Formula Norvale Europe", EntityType.UNSPECIFIED)["competition"] == 1.0


def test_an_officer_of_a_club_is_no_club() -> None:
    assert kinds_of("club director of football Ada Voss", EntityType.UNSPECIFIED)[CLUB] == 0.0
    assert kinds_of("Norvale United Football Club", EntityType.UNSPECIFIED)[CLUB] == 1.0
