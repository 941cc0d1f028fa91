"""The word lists of the extractor, read once from the data files beside this module."""

from __future__ import annotations

import tomllib
from functools import cache
from importlib import resources
from typing import Any


@cache
def table(name: str) -> dict[str, Any]:
    """A data file (``names``, ``roles``, ...) as it is written."""
    text = resources.files("tidegraph.language").joinpath("data", f"{name}.toml").read_text("utf-8")
    return tomllib.loads(text)


@cache
def words(name: str, key: str) -> frozenset[str]:
    """One list of a data file as a set."""
    return frozenset(table(name)[key])


@cache
def mapping(name: str, key: str) -> dict[str, str]:
    """One table of a data file from word to word."""
    return dict(table(name)[key])
