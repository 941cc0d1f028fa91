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
    minor_words: frozenset[str]
    place_words: frozenset[str]
    epithets: frozenset[str]
    genders: Mapping[str, str]
    given_genders: Mapping[str, str]
    surnames: Mapping[str, frozenset[int]]
    slots: Mapping[str, str]
    nicknames: Mapping[str, frozenset[int]]
    countries: Mapping[str, str]
    states: Mapping[str, str]
    state_codes: frozenset[str]
    common_words: frozenset[str]
    value_rarity: Mapping[tuple[str, str], float]


_GENERATIONS: Final = {"junior": "jr", "senior": "sr", "2nd": "ii", "3rd": "iii"}


@cache
def tables() -> Tables:
    """The tables of the package; parsed at the first call."""
    names = _read("names.toml")
    places = _read("places.toml")
    slots = _read("slots.toml")
    persons = _read("persons.toml")
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
        minor_words=frozenset(names["minor_words"]),
        place_words=frozenset(names["place_words"]),
        epithets=frozenset(persons["epithets"]),
        genders=persons["genders"],
        given_genders={name: gender for gender, given in persons["given"].items() for name in given},
        surnames=_groups(persons["surnames"]["groups"]),
        slots={field: slot for part in slots.values() for slot, fields in part.items() for field in fields},
        nicknames=_groups(_read("nicknames.toml")["groups"]),
        countries=_by_name({code: list(all_names) for code, all_names in places["countries"].items()}),
        states=states,
        state_codes=frozenset(places["states"]),
        common_words=frozenset(_read("common.toml")["words"]),
        value_rarity=_rarities(_read("common.toml")),
    )


@cache
def concept_lists() -> Mapping[str, list[str]]:
    """Entries of each concept, as they stand in the data file."""
    lists: Mapping[str, list[str]] = _read("concepts.toml")["concepts"]
    return lists


@cache
def statement_lists() -> Mapping[str, list[str]]:
    """Regular expressions of each wording of a statement about names."""
    return {name: found for name, found in _read("statements.toml").items() if name != "certain"}


@cache
def certain_lists() -> Mapping[str, list[str]]:
    """Those of the wordings between two names that leave no doubt that both name one thing."""
    lists: Mapping[str, list[str]] = _read("statements.toml")["certain"]
    return lists


def _rarities(common: Mapping[str, Any]) -> dict[tuple[str, str], float]:
    """Weights of values by slot and compared form."""
    found = {(slot, value): weight for slot, by in common["values"].items() for value, weight in by.items()}
    for weight, cities in common["cities"].items():
        found |= {("city", fold(city)): float(weight) for city in cities}
    return found


def _groups(groups: list[list[str]]) -> dict[str, frozenset[int]]:
    """The numbers of the groups that a word stands in."""
    found: dict[str, set[int]] = {}
    for number, group in enumerate(groups):
        for name in group:
            found.setdefault(name, set()).add(number)
    return {name: frozenset(numbers) for name, numbers in found.items()}


def _by_name(codes: Mapping[str, list[str]]) -> dict[str, str]:
    table = {fold(name): code for code, all_names in codes.items() for name in all_names}
    return table | {code.casefold(): code for code in codes}


def _read(name: str) -> dict[str, Any]:
    return tomllib.loads(files("tidegraph.resolution").joinpath("data", name).read_text("utf-8"))
