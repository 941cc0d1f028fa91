"""Settings of single sources: which entry counts, what it changes, what is refused."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.ops.repository import ROOT

from tidegraph import settings
from tidegraph.domain.errors import Rejected
from tidegraph.domain.interval import instant
from tidegraph.language.grounding import ground
from tidegraph.language.sources import load_sources

GENERAL = settings.load({}).grounding


def _file(tmp_path: Path, text: str) -> str:
    path = tmp_path / "sources.toml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_without_a_file_the_general_settings_hold() -> None:
    assert load_sources("", GENERAL).of("anything") == GENERAL


def test_the_first_fitting_entry_decides(tmp_path: Path) -> None:
    path = _file(
        tmp_path,
        '[[source]]\nmatch = "emea/hr"\nfiscal_start_month = 10\n'
        '[[source]]\nmatch = "emea/*"\nday_first = true\nfiscal_start_month = 4\n',
    )
    sources = load_sources(path, GENERAL)
    assert sources.of("emea/hr").fiscal_start_month == 10
    assert not sources.of("emea/hr").day_first
    assert sources.of("emea/finance").day_first
    assert sources.of("apac/finance") == GENERAL


def test_a_date_is_read_as_its_source_writes_it(tmp_path: Path) -> None:
    sources = load_sources(_file(tmp_path, '[[source]]\nmatch = "uk*"\nday_first = true\n'), GENERAL)
    starts = [
        expression.interval.start
        for source in ("uk-wiki", "us-wiki")
        for expression in ground("The lease ends on 04/05/2021.", None, sources.of(source))
        if expression.interval
    ]
    assert starts == [instant(2021, 5, 4), instant(2021, 4, 5)]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[[source]]\nday_first = true\n", "source 1: match"),
        ('[[source]]\nmatch = "a"\nday_first = "yes"\n', "day_first"),
        ('[[source]]\nmatch = "a"\nfiscal_start_month = true\n', "fiscal_start_month"),
        ('[[source]]\nmatch = "a"\n[[source]]\nmatch = "b"\nfiscal_start_month = 13\n', r"source 2 \(b\)"),
        ('[[source]]\nmatch = "a"\nlanguage = "tlh"\n', "source 1"),
        ('[[source]]\nmatch = "a"\ntimezone = "Mars/Olympus"\n', "timezone"),
        ('[[source]]\nmatch = "a"\ncolour = "red"\n', "colour"),
        ("[general]\nday_first = true\n", "source"),
        ("match = ", "not TOML"),
    ],
)
def test_what_cannot_be_used_is_named(tmp_path: Path, text: str, said: str) -> None:
    with pytest.raises(Rejected, match=said) as rejected:
        load_sources(_file(tmp_path, text), GENERAL)
    assert rejected.value.reason == "INVALID_SOURCES"


def test_a_missing_file_is_said(tmp_path: Path) -> None:
    with pytest.raises(Rejected) as rejected:
        load_sources(str(tmp_path / "none.toml"), GENERAL)
    assert rejected.value.reason == "UNREADABLE_SOURCES"


def test_the_documented_example_loads(tmp_path: Path) -> None:
    page = (ROOT / "docs" / "grounding.md").read_text(encoding="utf-8")
    example = re.search(r"```toml\n(\[\[source\]\].*?)```", page, re.DOTALL)
    assert example
    sources = load_sources(_file(tmp_path, example[1]), GENERAL)
    assert sources.of("emea/sales").day_first
    assert sources.of("anz-crm").week_start == 7
