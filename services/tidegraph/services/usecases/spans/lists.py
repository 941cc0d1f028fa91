"""Lists of words for the search for an answer (data/answer_words.toml)."""

from __future__ import annotations

from functools import cache
from typing import Any

from tidegraph.services.usecases.words import load


@cache
def _tables() -> dict[str, Any]:
    return load("answer_words.toml")


def listed(name: str) -> frozenset[str]:
    """The words of a list."""
    return frozenset(_tables()[name])
