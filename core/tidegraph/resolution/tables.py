"""The word lists behind names and places, read once from package data."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

from tidegraph.resolution.folding import fold


@dataclass(frozen=True, slots=True)
class Tables:
    """Folded word lists; the comments in the data files say what each holds."""

    titles: frozenset[str]
    generations: Mapping[str, str]
    particles: frozenset[str]
    legal_forms: frozenset[str]
    soft_forms: frozenset[str]
    legal_infixes: tuple[str, ...]
    generic_words: frozenset[str]
    product_noise: frozenset[str]
    rename_words: tuple[str, ...]
    slots: Mapping[str, str]
    nicknames: Mapping[str, frozenset[int]]
    countries: Mapping[str, str]
    states: Mapping[str, str]
    state_codes: frozenset[str]
    common_words: frozenset[str]
    value_rarity: Mapping[str, float]


_GENERATIONS: Final = {"junior": "jr", "senior": "sr", "2nd": "ii", "3rd": "iii"}


@cache
def tables() -> Tables:
    """The tables of the package; parsed at the first call."""
    names = _read("names.toml")
    places = _read("places.toml")
    slots = _read("slots.toml")
    nicknames: dict[str, set[int]] = {}
    for number, group in enumerate(_read("nicknames.toml")["groups"]):
        for name in group:
            nicknames.setdefault(name, set()).add(number)
    states = _by_name({code: [name] for code, name in places["states"].items()})
    return Tables(
        titles=frozenset(names["titles"]),
        generations={word: _GENERATIONS.get(word, word) for word in names["generations"]},
        particles=frozenset(names["particles"]),
        legal_forms=frozenset(names["legal_forms"]),
        soft_forms=frozenset(names["soft_forms"]),
        legal_infixes=tuple(names["legal_infixes"]),
        generic_words=frozenset(names["generic_words"]),
        product_noise=frozenset(names["product_noise"]),
        rename_words=tuple(names["rename_words"]),
        slots={field: slot for part in slots.values() for slot, fields in part.items() for field in fields},
        nicknames={name: frozenset(groups) for name, groups in nicknames.items()},
        countries=_by_name({code: list(all_names) for code, all_names in places["countries"].items()}),
        states=states,
        state_codes=frozenset(places["states"]),
        common_words=frozenset(_read("common.toml")["words"]),
        value_rarity=_read("common.toml")["values"],
    )


def _by_name(codes: Mapping[str, list[str]]) -> dict[str, str]:
    table = {fold(name): code for code, all_names in codes.items() for name in all_names}
    return table | {code.casefold(): code for code in codes}


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads(files("tidegraph.resolution").joinpath("data", name).read_text("utf-8"))
