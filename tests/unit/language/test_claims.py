"""What sentences of many wordings are read to claim; written for these tests."""

from __future__ import annotations

import json
from collections import defaultdict
from functools import cache
from pathlib import Path

import pytest
from tests.unit.language.documents import claims, document, extract, extractor

from tidegraph.domain.documents import ExtractedDocument
from tidegraph.domain.interval import OPEN_END, OPEN_START

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


def test_a_correction_restates_the_start():
    (assertion,) = extract(
        "Correction: Elodie Fenn started as finance director of Carrow Mills on 1 April 2020, not on 1 March."
    ).assertions
    assert assertion.verb.name == "CORRECTION"
