"""The term builder: the same words for index and query, and nothing that means something to the index."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegraph.storage import terms


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Ann O'Brien, CTO (acting)!", ["ann", "o", "brien", "cto", "acting"]),
        ("retention-period=30days", ["retention", "period", "30days"]),
        ("e3b0c442-98fc-1c14", ["e3b0c442", "98fc", "1c14"]),
        ("_lone_ __ _", ["lone"]),
        ("Straße ＦＵＬＬ", ["strasse", "full"]),
        ("日本銀行は", ["日本", "本銀", "銀行", "行は"]),
        ("東 GDP3東京", ["東", "gdp3", "東京"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("“quoted” – dash…", ["quoted", "dash"]),
        ("", []),
        ('@#$%^&*()|-"\\~{}[]:;<>', []),
    ],
)
def test_words(text: str, words: list[str]) -> None:
    assert terms.tokens(text) == words


def test_common_words_are_left_out_unless_there_are_no_others() -> None:
    assert terms.select(["Who was the CTO of Acme"]) == ["cto", "acme"]
    assert terms.select(["the who"]) == ["the", "who"]
    assert terms.select(["CTO", "cto", "Cto"]) == ["cto"]
    assert len(terms.select([" ".join(f"w{i}" for i in range(500))])) == terms.MAX_TERMS


def test_the_rarest_words_within_the_budget() -> None:
    hits = {"a": 10_000, "b": 3, "c": 4_000, "d": 2_000, "e": 0}
    assert terms.rarest(["a", "b", "c", "d", "e"], hits) == ["b", "d"]
    assert terms.rarest(["a"], hits) == ["a"], "one word is always asked for"
    assert terms.rarest(["e", "f"], hits) == []


@given(st.text(max_size=300))
def test_a_query_holds_words_and_bars_alone(text: str) -> None:
    query = terms.any_of(terms.select([text]))
    assert query == "" or re.fullmatch(
        r"\([^\s()|\"'\\@{}\[\]:;<>~*%$!&^+=,./_-]+(?:\|[^\s()|\"'\\@{}\[\]:;<>~*%$!&^+=,./_-]+)*\)", query
    )


@given(st.text(max_size=300))
def test_cutting_again_changes_nothing(text: str) -> None:
    once = terms.tokens(text)
    assert all(terms.tokens(word) == [word] for word in once if word)
