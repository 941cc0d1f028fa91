"""What the tests of temporal grounding share: settings, document times, readers of case files."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tidegraph.domain.documents import DocumentTime, TimeExpression
from tidegraph.domain.interval import Granularity, format_instant, instant
from tidegraph.language.grounding import ground
from tidegraph.settings import GroundingSettings, load

CASES = Path(__file__).parent / "cases"


@pytest.fixture
def settings() -> GroundingSettings:
    return load({}).grounding


@pytest.fixture
def german(settings: GroundingSettings) -> GroundingSettings:
    return replace(settings, language="de")


@pytest.fixture
def wednesday() -> DocumentTime:
    """15 May 2024, a Wednesday, 09:00 UTC."""
    return DocumentTime(instant(2024, 5, 15, 9), Granularity.SECOND, "test")


@pytest.fixture
def shown() -> Callable[[TimeExpression], str]:
    """An expression as "text = start end", or "text = kind" without interval."""

    def show(expression: TimeExpression) -> str:
        if expression.interval is None:
            return f"{expression.text} = {expression.kind.name.lower()}"
        start, end = format_instant(expression.interval.start), format_instant(expression.interval.end)
        return f"{expression.text} = {start} {end}"

    return show


@pytest.fixture
def read(
    settings: GroundingSettings, wednesday: DocumentTime, shown: Callable[[TimeExpression], str]
) -> Callable[..., list[str]]:
    """Ground a text of 15 May 2024 (or without a document time) and show what was found."""

    def run(text: str, *, undated: bool = False, changed: GroundingSettings | None = None) -> list[str]:
        found = ground(text, None if undated else wednesday, changed or settings)
        return [shown(e) for e in found]

    return run
