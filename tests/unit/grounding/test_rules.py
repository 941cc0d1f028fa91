"""Every rule of every grammar on cases of its own: what it reads, and what comes of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tidegraph.domain.documents import DocumentTime
from tidegraph.domain.interval import Granularity, format_instant, instant
from tidegraph.language.grounding import ground
from tidegraph.language.grounding.lexer import lex
from tidegraph.language.grounding.lexicon import LANGUAGES, load_grammar
from tidegraph.language.grounding.nodes import Token
from tidegraph.language.grounding.reduce import Reducer
from tidegraph.settings import load

CASES = Path(__file__).parent / "cases"
DOCUMENT = DocumentTime(instant(2023, 8, 16, 10, 30), Granularity.MINUTE, "test")
"""A Wednesday; the cases were written as of it."""


@cache
def cases(language: str) -> list[tuple[str, str, str, str]]:
    """(rule id, text with «span», start or kind, end)"""
    lines = (CASES / f"{language}.tsv").read_text(encoding="utf-8").splitlines()
    return [tuple(line.split("\t")) for line in lines]  # type: ignore[misc]


@cache
def reducer(language: str) -> Reducer:
    return Reducer(load_grammar(language))


def derivation(token: Token) -> Iterator[Token]:
    yield token
    for part in token.parts:
        yield from derivation(part)


ALL = [(language, *case) for language in LANGUAGES for case in cases(language)]


@pytest.mark.parametrize(
    ("language", "rule", "marked", "start", "end"), ALL, ids=[f"{c[0]}-{c[1]}-{i}" for i, c in enumerate(ALL)]
)
def test_rule_reads_its_case(language: str, rule: str, marked: str, start: str, end: str) -> None:
    text = marked.replace("«", "").replace("»", "")
    first = marked.index("«")
    last = marked.index("»") - 1
    grammar = load_grammar(language)
    tokens = [t for run in reducer(language).runs(lex(text, grammar)) for top in run for t in derivation(top)]
    assert (first, last, rule) in {(t.start, t.end, t.rule) for t in tokens}

    settings = load({"TIDEGRAPH_LANGUAGE": language}).grounding
    over = [e for e in ground(text, DOCUMENT, settings) if e.start_char <= first and last <= e.end_char]
    assert len(over) == 1
    interval = over[0].interval
    if interval is None:
        assert (start, end) == (over[0].kind.name.lower(), "")
    else:
        assert (format_instant(interval.start), format_instant(interval.end)) == (start, end)


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_rule_has_three_cases(language: str) -> None:
    own = Counter(rule for rule, *_ in cases(language))
    shared = Counter(rule for rule, *_ in cases("en"))
    common = load_grammar("en").shared & load_grammar(language).shared
    few = [
        rule.id
        for rule in load_grammar(language).rules()
        if (own[rule.id] + (shared[rule.id] if rule.id in common else 0)) < 3
    ]
    assert few == []


def test_german_has_a_hundred_cases() -> None:
    assert len(cases("de")) >= 100
