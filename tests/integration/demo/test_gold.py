"""What is believed after the demo feed, against what a reader of the feed would say."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from tests.integration.demo.pipeline import pipeline

from tidegraph.cli import demo_feed
from tidegraph.domain.facts import FactVersion
from tidegraph.domain.interval import OPEN_END, OPEN_START, instant

GOLD: dict[str, Any] = json.loads((Path(__file__).parent / "gold.json").read_text())


def day(text: str | None, missing: int) -> int:
    """'2016', '2016-03', '2016-03-01' or '2016-03-01T09:30' as its first instant."""
    return missing if text is None else instant(*(int(part) for part in re.split("[-T:]", text)))


@pytest.fixture(scope="module")
def versions(tmp_path_factory: pytest.TempPathFactory) -> list[FactVersion]:
    """Every version after the whole feed."""
    return asyncio.run(_versions(tmp_path_factory.mktemp("demo")))


async def _versions(folder: Path) -> list[FactVersion]:
    async with pipeline(folder) as running:
        statuses = await running.send(demo_feed.load("demo"))
        assert sorted({status.outcome for status in statuses}) == ["committed", "dead_letter", "retracted"]
        return await running.versions("demo")


def content(row: Sequence[Any]) -> tuple[Any, ...]:
    """A gold row in the form of :func:`told`."""
    subject, predicate, object_, qualifiers, start, end = row
    return (
        subject.casefold(), predicate, object_.casefold(), tuple(sorted(qualifiers.items())),
        day(start, OPEN_START), day(end, OPEN_END),
    )  # fmt: skip


def told(version: FactVersion) -> tuple[Any, ...]:
    qualifiers = tuple(pair for pair in version.qualifiers if pair[0] != "attribute")
    return (
        version.subject.casefold(), version.predicate, version.object.casefold(), qualifiers,
        version.valid.start, version.valid.end,
    )  # fmt: skip


def believed(versions: Sequence[FactVersion], known_at: int = OPEN_END - 1) -> list[FactVersion]:
    return [version for version in versions if version.recorded.contains(known_at)]


def test_what_the_feed_says_is_believed(versions: list[FactVersion]) -> None:
    found = {told(version) for version in believed(versions)}
    missing = [row for row in GOLD["facts"] if content(row) not in found]
    assert missing == []


def test_nothing_else_is_believed(versions: list[FactVersion]) -> None:
    """But for the mistakes that are known and listed."""
    right = {content(row) for name in ("facts", "also", "hard") for row in GOLD[name]}
    wrong = {tuple(name.casefold() for name in row) for row in GOLD["wrong"]}
    found = [told(version) for version in believed(versions)]
    assert [fact for fact in found if fact not in right and fact[:3] not in wrong] == []


def test_what_was_denied_or_withdrawn_is_not_believed(versions: list[FactVersion]) -> None:
    never = {tuple(name.casefold() for name in row) for row in GOLD["never"]}
    assert [told(v) for v in believed(versions) if told(v)[:3] in never] == []


def test_both_axes(versions: list[FactVersion]) -> None:
    for valid_at, known_at, role, holder in GOLD["as_known"]:
        holders = [
            version.subject
            for version in believed(versions, day(known_at, OPEN_END - 1))
            if ("role", role) in version.qualifiers and version.valid.contains(day(valid_at, OPEN_END))
        ]
        assert holders == ([] if holder is None else [holder]), (valid_at, known_at, role)
