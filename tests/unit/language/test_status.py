"""Plans, denials and hearsay are status, not plain facts: 60 cases written for this test."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path

import pytest
from tests.unit.language.documents import document, extract, extractor

from tidegraph.domain.documents import DocumentTime, Status
from tidegraph.domain.interval import Granularity, instant

CASES = [json.loads(line) for line in (Path(__file__).parent / "status_cases.jsonl").open(encoding="utf-8")]
WRITTEN = DocumentTime(instant(2024, 5, 5), Granularity.DAY, "test")


@cache
def _right() -> dict[str, bool]:
    found = extractor().extract_many([document(case["text"], written=WRITTEN) for case in CASES])
    result = {}
    for case, one in zip(CASES, found, strict=True):
        told = {a.status.name.lower() for a in one.assertions} or {e.status.name.lower() for e in one.events}
        result[case["text"]] = told == {case["expect"]}
    return result


def test_there_are_sixty_cases():
    assert len(CASES) == 60


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["text"])
def test_status(case: dict[str, str]):
    assert _right()[case["text"]]


@pytest.mark.parametrize(
    "text",
    [
        "If Ada Poll joins the docs team, Bren Holvik will leave it.",
        "Ada Poll may join the docs team in June 2020.",
        "Did Ada Poll join the docs team?",
        "Ada Poll refused to join the docs team.",
        "Appoint Ada Poll as chief executive of Harrow Instruments.",
    ],
)
def test_what_is_not_claimed_makes_no_assertion(text: str):
    assert extract(text).assertions == ()


def test_no_longer_is_a_stop():
    (assertion,) = extract("Ada Poll is no longer chief executive of Harrow Instruments.").assertions
    assert (assertion.verb.name, assertion.status) == ("STOP", Status.CEASED)


SECOND = [
    json.loads(line) for line in (Path(__file__).parent / "status_second_set.jsonl").open(encoding="utf-8")
]
FLOOR = 0.9


def test_a_second_set_written_after_the_rules_is_recognised_too(capsys: pytest.CaptureFixture[str]):
    """Sentences that no rule was made for: planned, denied, reported, conditional (claims nothing)."""
    found = extractor().extract_many([document(case["text"], written=WRITTEN) for case in SECOND])
    missed = []
    for case, one in zip(SECOND, found, strict=True):
        claimed = {a.status.name.lower() for a in one.assertions}
        told = claimed if case["expect"] == "none" else claimed or {e.status.name.lower() for e in one.events}
        if told != ({case["expect"]} - {"none"}):
            missed.append((case["expect"], sorted(told), case["text"]))
    share = 1 - len(missed) / len(SECOND)
    with capsys.disabled():
        for expected, told, text in missed:
            print(f"\n  status: expected {expected}, told {told}: {text}", end="")
    assert len(SECOND) == 30
    assert share >= FLOOR
