"""The kinds of expressions that readers of dates get wrong, in words of our own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

KINDS = [
    line.split("\t")
    for line in (Path(__file__).parent / "cases" / "kinds.tsv").read_text(encoding="utf-8").splitlines()
]


@pytest.mark.parametrize(("text", "expected"), KINDS, ids=[k[0][:60] for k in KINDS])
def test_kind(text: str, expected: str, read: Callable[..., list[str]]) -> None:
    wanted = expected.split(" ; ") if expected else []
    assert read(text) == wanted


@pytest.mark.parametrize(
    "text",
    [
        "See clause 4.2 on page 7/8 of release 3.14; hall 1900 seats 1500 guests.",
        "You may leave. The march went on, leaves fall, and June Carter sang third.",
        "They won 3-1 at odds of 16:9:4 and the code is 2024-99.",
        "Call +44 20 7946 0958 or write to 10.0.0.1, port 8080.",
        "The invoice is for $1,999 and weighs 2005 kg.",
        "Version 2.10.3 of 1.2.3-rc1, build 20230x, hash 2ab19f00.",
        "Flight 2012 took 1800 passengers over 1990 miles.",
        "Mark said that Will may well sit in the sun.",
        "ISO 8601 and RFC 1999 are cited in chapter 2001.",
        "Act 3, scene 4: enter two gentlemen, one by one, second to none.",
        "The ratio is 1/2 of 3/4, i.e. 3/8 of it.",
        "She spoke second and ran third; the fourth estate fell.",
    ],
)
def test_what_is_no_date_is_left_alone(text: str, read: Callable[..., list[str]]) -> None:
    assert read(text) == []


def test_every_expression_explains_itself(wednesday, settings) -> None:  # type: ignore[no-untyped-def]
    from tidegraph.language.grounding import ground

    text = "The plant opened in March 2016. Two days later, on Friday, it shut; it will reopen by early June."
    for e in ground(text, wednesday, settings):
        assert text[e.start_char : e.end_char] == e.text
        assert e.rule_id
        assert 0 < e.confidence <= 1
        if e.interval is not None:
            assert e.interval.start <= e.start_latest
            assert e.end_earliest <= e.interval.end
