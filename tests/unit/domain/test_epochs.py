"""The order of extractor epochs: figures count as numbers, and any two texts can be compared."""

from __future__ import annotations

import itertools

from hypothesis import given
from hypothesis import strategies as st

from tidegraph.domain.epochs import order_of


def test_figures_count_as_numbers() -> None:
    ordered = ["language-9-m", "language-9.5-m", "language-10-m", "llm-1-extract.v2-m", "llm-1-extract.v10-m"]
    assert sorted(set(ordered), key=order_of) == ordered
    assert sorted(["e", "e1", "", "e01"], key=order_of) == ["", "e", "e01", "e1"]


@given(st.lists(st.text(alphabet="e-.09\u0663", max_size=24), min_size=2, max_size=4, unique=True))
def test_any_two_are_told_apart(epochs: list[str]) -> None:
    for one, other in itertools.combinations(epochs, 2):
        assert (order_of(one) < order_of(other)) != (order_of(other) < order_of(one))
