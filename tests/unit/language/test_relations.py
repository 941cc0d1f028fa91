"""What sentences of every relation are read to claim: the whole of it, so that a wrong claim fails too."""

from __future__ import annotations

import tomllib
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.unit.language.documents import document, extractor

from tidegraph.domain.documents import ExtractedAssertion, ExtractedDocument, Status
from tidegraph.domain.interval import OPEN_END, OPEN_START, Granularity
from tidegraph.language.registry import load_registry

FAMILIES: dict[str, dict[str, Any]] = tomllib.loads(
    (Path(__file__).parent / "relations.toml").read_text(encoding="utf-8")
)
CASES = [
    (family, entry.get("title", ""), case, read)
    for family, entry in FAMILIES.items()
    for read in ("cases", "unread")
    for case in entry.get(read, ())
]
_SHOWN = {Granularity.YEAR: "%Y", Granularity.MONTH: "%Y-%m", Granularity.DAY: "%Y-%m-%d"}
_WRITTEN_DAY = "2020-05-05"


@cache
def _read() -> dict[tuple[str, str], ExtractedDocument]:
    keys = list(dict.fromkeys((title, case[0]) for _, title, case, _ in CASES))
    found = extractor().extract_many([document(text, title) for title, text in keys])
    return dict(zip(keys, found, strict=True))


def _moment(micros: int, grain: Granularity) -> str:
    if micros in {OPEN_START, OPEN_END}:
        return ""
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=micros)
    shown = moment.strftime(_SHOWN.get(grain, "%Y-%m-%d"))
    return "doc" if shown == "2020-05-05" else shown


def _shown(found: ExtractedDocument, one: ExtractedAssertion) -> str:
    names = {m.mention_id: m.canonical_name for m in found.mentions}
    sides = [names.get(t.mention_id, t.literal) for t in (one.subject, one.object)]
    registry = load_registry()
    claim = registry.canonical(sides[0], one.predicate, sides[1], object_is_entity=True)
    sides = [claim.subject, claim.object]
    if registry.policy(claim.predicate).symmetric:
        sides.sort()
    valid = one.valid
    times = f"{_moment(valid.start, valid.start_granularity)}..{_moment(valid.end, valid.end_granularity)}"
    status = {Status.PLANNED: "*", Status.DENIED: "!", Status.REPORTED: "?"}.get(one.status, "")
    told = [sides[0], claim.predicate, sides[1], status + times]
    told += ["; ".join(f"{k}={v}" for k, v in one.qualifiers)] if one.qualifiers else []
    return " | ".join(told)


def claimed(family: str, title: str, text: str) -> set[str]:
    """Every claim of a predicate that the registry names."""
    found = _read()[title, text]
    return {_shown(found, a) for a in found.assertions if not a.rule_id.startswith("open.")}


@pytest.mark.parametrize(("family", "title", "case", "read"), CASES, ids=lambda v: v[0] if v else "-")
def test_a_relation_is_read_as_told(family: str, title: str, case: list[str], read: str):
    told = claimed(family, title, case[0])
    if read == "cases":
        assert told == set(case[1:])
    else:
        # Not read yet: what is read of it must at least be right.
        assert told < set(case[1:])


def test_every_relation_is_told_in_several_ways():
    told = {family: sum(f == family for f, *_ in CASES) for family in FAMILIES}
    assert {family: count for family, count in told.items() if count < 5} == {}
    assert len(told) >= 20


@pytest.mark.parametrize("title", ["Board minutes", ""])
def test_what_only_points_is_no_thing_of_its_own(title: str):
    found = extractor().extract(document("Ada Poll is responsible for this policy.", title))
    assert [a for a in found.assertions if a.predicate == "owner"] == []


def test_an_unnamed_relation_does_not_take_the_name_of_an_exclusive_one():
    found = extractor().extract(document("Carrow Mills moved its annual fair to Leeds in March 2020."))
    assert {load_registry().policy(a.predicate).name for a in found.assertions} == {"moved"}
