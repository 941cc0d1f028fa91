"""Grammar files: words, number words, holidays and rules of a language.

``common.toml`` holds what every language shares; ``<language>.toml`` the rest. Both are compiled once
and cached. A second language is one more file.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib import resources
from typing import Any

from tidegraph.domain.errors import Rejected
from tidegraph.language.grounding.patterns import Rule, Symbols, compile_rule

_WORDS = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)*|\S")


@dataclass(frozen=True, slots=True)
class Entry:
    """A phrase of the lexicon: its words after the first, its symbol and value."""

    rest: tuple[str, ...]
    symbol: str
    value: object


@dataclass(frozen=True, slots=True)
class Grammar:
    """One language, compiled.

    ``entries`` maps a first word to its phrases, the longest first. ``stages`` are rules by stage and
    by the symbol character that they may start with. ``cues`` are word sets for tense and guards,
    ``shared`` the ids of rules that every language has.
    """

    language: str
    symbols: Symbols
    entries: Mapping[str, tuple[Entry, ...]]
    stages: tuple[Mapping[str, tuple[Rule, ...]], ...]
    core: frozenset[str]
    cues: Mapping[str, frozenset[str]]
    holidays: Mapping[str, str]
    shared: frozenset[str]
    options: Mapping[str, Any]

    def rules(self) -> Iterator[Rule]:
        """Every rule once, in order of stage and id."""
        seen = {rule.id: rule for stage in self.stages for rules in stage.values() for rule in rules}
        return iter(sorted(seen.values(), key=lambda r: (r.stage, r.id)))


LANGUAGES = ("en", "de")


@lru_cache(maxsize=8)
def load_grammar(language: str) -> Grammar:
    """The compiled grammar of a language tag (``en``, ``en-GB``, ``de``).

    Raises:
        Rejected: UNKNOWN_LANGUAGE, when there is no grammar file for it.
    """
    code = language.lower().replace("_", "-").split("-")[0]
    if code not in LANGUAGES:
        raise Rejected("UNKNOWN_LANGUAGE", f"no grammar for {language!r}; use one of {', '.join(LANGUAGES)}")
    common = {**_read("common"), **_read("common.rules")}
    own = {**_read(code), **_read(f"{code}.rules")}
    symbols = Symbols()
    for name, members in {**common["classes"], **own.get("classes", {})}.items():
        symbols.define(name, members)
    return Grammar(
        language=code,
        symbols=symbols,
        entries=_entries(own, symbols),
        stages=_stages([*own["rule"], *common.get("rule", [])], symbols),
        core=frozenset().union(*(symbols.members(n) for n in own["options"]["core"].split())),
        cues={name: frozenset(_words(words)) for name, words in own["cues"].items()},
        holidays={**common.get("holidays", {}), **own.get("holidays", {})},
        shared=frozenset(str(r["id"]) for r in common["rule"]),
        options=own["options"],
    )


def document_time_words() -> Mapping[str, list[str]]:
    """Keys, labels and titles by which a text gives its own date, of all languages."""
    words: Mapping[str, list[str]] = _read("common")["document_time"]
    return words


def _read(name: str) -> dict[str, Any]:
    path = resources.files("tidegraph.language.grounding").joinpath("data", f"{name}.toml")
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _words(text: str) -> list[str]:
    return [word.strip() for word in text.split(",") if word.strip()]


def _value(text: str) -> object:
    return int(text) if text.lstrip("-").isdecimal() else text


def _phrases(own: Mapping[str, Any]) -> Iterator[tuple[str, str, object]]:
    for symbol, table in own["lexicon"].items():
        for value, words in table.items():
            for phrase in _words(words):
                yield phrase, symbol, _value(value)
    numbers = own["numbers"]
    for tens, tens_word in numbers["tens"].items():
        for ones, ones_word in numbers["ones"].items():
            for form in numbers["compound"]:
                text = form.format(tens=tens_word, ones=ones_word)
                yield text, "CARD", int(tens) + int(ones)
        for ones, ordinal in numbers.get("ordinal_ones", {}).items():
            for form in numbers["compound_ordinal"]:
                yield form.format(tens=tens_word, ones=ordinal), "ORD", int(tens) + int(ones)


def _entries(own: Mapping[str, Any], symbols: Symbols) -> dict[str, tuple[Entry, ...]]:
    table: dict[str, list[Entry]] = {}
    seen: set[str] = set()
    for phrase, symbol, value in _phrases(own):
        if phrase in seen:
            raise ValueError(f"{phrase!r} stands twice in the lexicon")
        seen.add(phrase)
        words = _WORDS.findall(phrase)
        table.setdefault(words[0], []).append(Entry(tuple(words[1:]), symbol, value))
    return {word: tuple(sorted(found, key=lambda e: -len(e.rest))) for word, found in table.items()}


def _stages(raw: list[Mapping[str, Any]], symbols: Symbols) -> tuple[Mapping[str, tuple[Rule, ...]], ...]:
    rules = [compile_rule(r, symbols) for r in raw]
    ids = [r.id for r in rules]
    doubled = {i for i in ids if ids.count(i) > 1}
    if doubled:
        raise ValueError(f"rule ids used twice: {sorted(doubled)}")
    stages: list[dict[str, list[Rule]]] = [{} for _ in range(max(r.stage for r in rules) + 1)]
    for rule in rules:
        for char in rule.first:
            stages[rule.stage].setdefault(char, []).append(rule)
    return tuple({char: tuple(found) for char, found in stage.items()} for stage in stages)
