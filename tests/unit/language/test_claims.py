# ruff: noqa: E501 (sentences stay on one line)
"""What sentences of many wordings are read to claim; written for these tests."""

from __future__ import annotations

import json
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest
from tests.unit.language.documents import claims, document, extract, extractor

from tidegraph.domain.documents import ExtractedDocument
from tidegraph.domain.interval import OPEN_END, OPEN_START, instant

CASES = [json.loads(line) for line in (Path(__file__).parent / "claims_cases.jsonl").open(encoding="utf-8")]


@cache
def _read() -> dict[str, ExtractedDocument]:
    found = extractor().extract_many([document(case["text"]) for case in CASES])
    return {case["text"]: one for case, one in zip(CASES, found, strict=True)}


def _kinds(found: ExtractedDocument, predicate: str) -> set[str]:
    wanted = {predicate, "holds_role"} if predicate == "position_held" else {predicate}
    kinds = set()
    for assertion in found.assertions:
        if assertion.predicate not in wanted:
            continue
        begins, ends = assertion.valid.start != OPEN_START, assertion.valid.end != OPEN_END
        if assertion.verb.name == "STOP":
            kinds.add("stop" if ends and not begins else "undated")
        else:
            kinds.add("span" if begins and ends else "start" if begins else "undated")
    return kinds


def test_every_family_has_at_least_four_wordings():
    families = defaultdict(int)
    for case in CASES:
        families[case["family"]] += 1
    assert min(families.values()) >= 3
    assert len(families) >= 20


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["text"])
def test_wording(case: dict[str, str]):
    predicate, kind = case["family"].split(".")
    expected = {"start", "stop"} if kind == "handover" else {kind}
    assert _kinds(_read()[case["text"]], predicate) == expected


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        (
            "The retention period for EU customers is 30 days.",
            ("retention period", "has_value", "30 days", "state"),
        ),
        (
            "The retention period for EU customers was raised from 30 days to 90 days on 1 March 2020.",
            ("retention period", "has_value", "90 days", "start"),
        ),
        (
            "The notice period was shortened to two weeks in March 2020.",
            ("notice period", "has_value", "two weeks", "start"),
        ),
        (
            "Harrow Instruments changed its name to Aurelle Ltd in 2019.",
            ("Harrow Instruments", "name", "Aurelle Ltd", "change"),
        ),
        (
            "Aurelle Ltd closed its Swindale plant on 14 April 2020.",
            ("Aurelle Ltd", "operates_in", "Swindale", "stop"),
        ),
        (
            "Harrow Instruments acquired Tyne Lens Ltd in 2018.",
            ("Harrow Instruments", "acquired", "Tyne Lens Ltd", "start"),
        ),
        ("The Skelmer tunnel was closed on 3 March 2020.", ("Skelmer tunnel", "status", "closed", "change")),
        (
            "Acme Ltd switched its payment provider from Quill Pay Ltd to Borwick Bank in March 2020.",
            ("Acme Ltd", "primary_supplier", "Borwick Bank", "start"),
        ),
        (
            "Bren Holvik founded Harrow Instruments in 1998.",
            ("Bren Holvik", "founded", "Harrow Instruments", "start"),
        ),
    ],
)
def test_claims_about_things(text: str, claim: tuple[str, str, str, str]):
    assert claim in claims(extract(text))


def test_qualifiers_tell_region_and_class_apart():
    (assertion,) = extract("The retention period for EU customers is 30 days.").assertions
    assert dict(assertion.qualifiers)["region"] == "EU"
    assert dict(assertion.qualifiers)["attribute"] == "retention period"


def test_a_post_that_ends_without_a_name_leaves_the_object_out():
    (assertion,) = extract(
        "The chief technology officer of Quarrel Games left the company on 9 February 2020."
    ).assertions
    assert (assertion.predicate, assertion.object.mention_id, assertion.object.literal) == (
        "has_role_holder",
        "",
        "",
    )


def test_claims_point_at_their_sentence_and_event():
    text = "Nothing was said. Ada Poll joined the docs team on 3 March 2020."
    found = extract(text)
    (assertion,) = found.assertions
    assert text[assertion.start_char : assertion.end_char] == "Ada Poll joined the docs team on 3 March 2020."
    assert assertion.event_id in {event.event_id for event in found.events}


def test_the_same_document_gives_the_same_ids():
    text = "Ada Poll joined the docs team on 3 March 2020. She left the docs team on 4 April 2020."
    assert extract(text) == extract(text)


def test_a_correction_restates_the_start_and_denies_the_wrong_one():
    right, wrong = extract(
        "Correction: Elodie Fenn started as finance director of Carrow Mills on 1 April 2020, not on 1 March."
    ).assertions
    assert (right.verb.name, right.status.name, right.valid.start) == (
        "CORRECTION",
        "ASSERTED",
        instant(2020, 4, 1),
    )
    assert (wrong.verb.name, wrong.status.name, wrong.valid.start) == (
        "START",
        "DENIED",
        instant(2020, 3, 1),
    )


@pytest.mark.parametrize(
    "text",
    [
        "Correction to our letter of 7 March: Ada Poll became treasurer of Carrow Mills on 9 March 2020, not on 2 March 2020.",
        "In our notice dated 7 March the date was wrong: Ada Poll became treasurer of Carrow Mills on 9 March 2020 and not on 2 March 2020.",
        "Ada Poll became treasurer of Carrow Mills on 9 March 2020 rather than on 2 March 2020.",
        "Ada Poll became treasurer of Carrow Mills not on 2 March 2020 but on 9 March 2020.",
    ],
)
def test_the_date_of_a_note_and_a_denied_date_do_not_date_what_is_told(text: str):
    found = extract(text)
    starts = {(a.status.name, a.verb.name): a.valid.start for a in found.assertions}
    assert starts == {
        ("ASSERTED", "CORRECTION"): instant(2020, 3, 9),
        ("DENIED", "START"): instant(2020, 3, 2),
    }
    assert [e.interval.start for e in found.events if e.interval] == [instant(2020, 3, 9)]


@pytest.mark.parametrize(
    "text",
    [
        "Bren Holvik moved to Leeds, where he had led the harbour team.",
        "Ada Poll wrote to Bren Holvik, who founded Harrow Instruments.",
        "Ada Poll knew that Bren Holvik had joined the docs team.",
    ],
)
def test_what_was_so_before_is_not_dated_by_the_document(text: str):
    told = [a for a in extract(text).assertions if a.predicate in {"leads", "founded", "member_of"}]
    assert [a for a in told if a.valid.start != OPEN_START or a.valid.end != OPEN_END] == []


@pytest.mark.parametrize(
    ("text", "claim", "qualifiers"),
    [
        (
            "Ada Poll became Chair of Carrow Logistics on 9 March 2020.",
            ("Ada Poll", "holds_role", "Carrow Logistics", "start"),
            {"role": "chair"},
        ),
        (
            "Ada Poll was named Director of Lending at Carrow Mills on 9 March 2020.",
            ("Ada Poll", "holds_role", "Carrow Mills", "start"),
            {"role": "director of lending"},
        ),
        (
            "Ada Poll resigned as Head of Insurance at Carrow Mills on 9 March 2020.",
            ("Ada Poll", "holds_role", "Carrow Mills", "stop"),
            {"role": "head of insurance"},
        ),
        (
            "Carrow Mills chose Borwick Bank as its main card provider on 9 March 2020.",
            ("Carrow Mills", "primary_supplier", "Borwick Bank", "start"),
            {"service": "card"},
        ),
        (
            "Borwick Bank replaced Quill Pay as the sole card provider of Carrow Mills on 9 March 2020.",
            ("Carrow Mills", "primary_supplier", "Borwick Bank", "start"),
            {"service": "card"},
        ),
        (
            "Borwick Bank replaced Quill Pay as the sole card provider of Carrow Mills on 9 March 2020.",
            ("Carrow Mills", "primary_supplier", "Quill Pay", "stop"),
            {"service": "card"},
        ),
        ("Ada Poll reports to Bren Holvik.", ("Ada Poll", "reports_to", "Bren Holvik", "state"), {}),
        (
            "The head office of Carrow Mills is in Leeds.",
            ("Carrow Mills", "headquarters", "Leeds", "state"),
            {},
        ),
        (
            "The ledger service has been running on Quill Cloud since 9 March 2020.",
            ("ledger service", "uses", "Quill Cloud", "state"),
            {},
        ),
        (
            "The storage team moved the ledger service to Quill Cloud in March 2020.",
            ("ledger service", "uses", "Quill Cloud", "start"),
            {},
        ),
        (
            "The ledger service was upgraded to version 3.1 on 9 March 2020.",
            ("ledger service", "version", "3.1", "start"),
            {},
        ),
        (
            "Ada Poll and Bren Holvik were appointed joint treasurers of Carrow Mills on 9 March 2020.",
            ("Bren Holvik", "holds_role", "Carrow Mills", "start"),
            {"role": "joint treasurer"},
        ),
    ],
)
def test_claims_with_qualifiers(text: str, claim: tuple[str, str, str, str], qualifiers: dict[str, str]):
    found = extract(text)
    told = zip(claims(found), [dict(a.qualifiers) for a in found.assertions], strict=True)
    assert (claim, qualifiers) in list(told)


@pytest.mark.parametrize(
    "text",
    [
        "The treasurers of the Wexham Society were Ada Poll (2004 to 2008), Bren Holvik (1999 to 2004) and Cato Imri (2008 to 2015).",
        "The treasurers of the Wexham Society, by name: Ada Poll (2004 to 2008), Bren Holvik (1999 to 2004) and Cato Imri (2008 to 2015).",
    ],
)
def test_each_holder_of_a_list_has_the_term_in_brackets(text: str):
    found = extract(text)
    starts = {name[0]: a.valid.start for name, a in zip(claims(found), found.assertions, strict=True)}
    assert starts == {
        "Ada Poll": instant(2004),
        "Bren Holvik": instant(1999),
        "Cato Imri": instant(2008),
    }


def test_lives_in_brackets_are_no_terms():
    found = extract(
        "The founders of the Wexham Society were Ada Poll (1801 to 1870) and Bren Holvik (1811 to 1890)."
    )
    assert [a for a in found.assertions if a.rule_id == "list.term"] == []


def test_a_title_that_is_a_post_is_read_as_a_post_in_the_text():
    text = "Ada Poll was named Head of Lending at Carrow Mills on 9 March 2020."
    assert claims(extract(text, "Head of Lending")) == [("Ada Poll", "holds_role", "Carrow Mills", "start")]
