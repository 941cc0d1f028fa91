"""docs/time-model.md tells what the belief history really gives for its four documents."""

from __future__ import annotations

import re
from datetime import datetime

from tests.ops.repository import ROOT

from tidegraph.domain.belief import history
from tidegraph.domain.documents import EndpointBasis, Status, ValidTime, Verb
from tidegraph.domain.facts import Assertion, FactVersion
from tidegraph.domain.interval import OPEN_END, OPEN_START, Granularity, instant
from tidegraph.domain.predicates import Registry
from tidegraph.language.registry import default_registry_text

PAGE = (ROOT / "docs" / "time-model.md").read_text()
YEAR = 2024
ROLE = (("role", "chief technology officer"),)


def day(text: str) -> int:
    """'1 Mar' of the year of the example; 'open' is no end."""
    if text == "open":
        return OPEN_END
    number, month = text.split()
    date = datetime.strptime(f"{number} {month[:3]} {YEAR}", "%d %b %Y")  # noqa: DTZ007 (a calendar day)
    return instant(date.year, date.month, date.day)


def claim(number: int, who: str, at: str, verb: Verb, written: str, arrived: str) -> Assertion:
    stop = verb is Verb.STOP
    none, stated = EndpointBasis.NONE, EndpointBasis.STATED
    return Assertion(
        assertion_id=f"a{number}", key="k", subject=who, predicate="holds_role", object="company",
        object_is_entity=True, qualifiers=ROLE,
        valid=ValidTime(
            start=OPEN_START if stop else day(at), end=day(at) if stop else OPEN_END,
            start_granularity=Granularity.DAY, end_granularity=Granularity.DAY,
            start_basis=none if stop else stated, end_basis=stated if stop else none,
        ),
        verb=verb, status=Status.ASSERTED, confidence=0.9, source="letters", source_priority=0,
        document_id=f"d{number}", revision="1", document_time=day(written), register=False, labels=(),
        event_id="", start_char=0, end_char=1, rule_id="test", recorded_at=day(arrived),
        withdrawn_at=OPEN_END,
    )  # fmt: skip


def claims() -> list[Assertion]:
    """The documents of the page's first table, read by hand."""
    rows = re.findall(r"^\| (\d+ \w+) \| (\d+ \w+) \| (.+?) \|$", PAGE, re.M)
    assert len(rows) == 4
    read = (
        ("Ada", "1 Mar", Verb.START),
        ("Ben", "1 Jun", Verb.START),
        ("Ada", "10 May", Verb.STOP),
        ("Ben", "15 May", Verb.CORRECTION),
    )
    for (_, _, says), (who, _, _) in zip(rows, read, strict=True):
        assert who in says
    return [
        claim(number, who, at, verb, written, arrived)
        for number, ((arrived, written, _), (who, at, verb)) in enumerate(zip(rows, read, strict=True))
    ]


def believed() -> tuple[FactVersion, ...]:
    policy = Registry.parse(default_registry_text()).key_policy("holds_role", ROLE)
    return history(claims(), (), policy)


def test_the_table_of_beliefs() -> None:
    rows = re.findall(r"^\| (\w+) is CTO \| (.+?) \| (.+?) \| (.+?) \| (.+?) \|$", PAGE, re.M)
    told = {
        (who, day(start), day(end.removesuffix(" (inferred)")), "inferred" in end, day(known), day(until))
        for who, start, end, known, until in rows
    }
    assert told == {
        (v.subject, v.valid.start, v.valid.end, v.end_inferred, v.recorded_at, v.invalidated_at)
        for v in believed()
    }


def test_the_table_of_answers() -> None:
    rows = re.findall(r"^\| on (\d+ \w+) \| (.+?) \| (.+?) \|$", PAGE, re.M)
    assert len(rows) == 4
    for asked, *answers in rows:
        for answer, known_at in zip(answers, (day("2 Jun"), OPEN_END - 1), strict=True):
            holders = [
                version.subject
                for version in believed()
                if version.recorded.contains(known_at) and version.valid.contains(day(asked))
            ]
            assert holders == ([] if answer.startswith("nobody") else [answer]), (asked, known_at)
