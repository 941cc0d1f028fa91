"""Token patterns compiled to regular expressions over symbol strings.

A text becomes a string with one character a token, so a rule is a small regular expression over that
string. Pattern syntax: symbols or classes by name, blank separated; ``( | )`` groups; ``? * +`` behind
a symbol or group; ``name:`` in front of one names what the builder gets. ``+`` and ``*`` are bounded.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

_REPEATS: Final = {"?": "?", "*": "{0,8}", "+": "{1,8}"}
_WORD: Final = re.compile(
    r"(?:(?P<name>[a-z_]\w*):)?(?P<symbol>[A-Z]\w*)|(?P<group>(?:[a-z_]\w*:)?\()|[)|?*+]|\S"
)


class Symbols:
    """The alphabet: one private-use character a primitive symbol, and classes of them."""

    def __init__(self) -> None:
        self._chars: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._classes: dict[str, frozenset[str]] = {}

    def char(self, name: str) -> str:
        """The character of a primitive symbol, created when first asked for."""
        if name not in self._chars:
            self._chars[name] = chr(0xE000 + len(self._chars))
            self._names[self._chars[name]] = name
        return self._chars[name]

    def define(self, name: str, members: str) -> None:
        """A class of blank separated symbols or classes."""
        self._classes[name] = frozenset().union(*(self.members(m) for m in members.split()))

    def members(self, name: str) -> frozenset[str]:
        """The characters of a class or of a single symbol."""
        return self._classes.get(name) or frozenset(self.char(name))

    @property
    def names(self) -> Mapping[str, str]:
        """Names of primitive symbols by character, kept up to date."""
        return self._names


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule: what it matches (``source`` as written), the builder of its node, the symbol it becomes."""

    id: str
    stage: int
    source: str
    regex: re.Pattern[str]
    first: frozenset[str]
    make: str
    symbol: str
    arguments: Mapping[str, object]


class _Parser:
    def __init__(self, pattern: str, symbols: Symbols) -> None:
        self._tokens = list(_WORD.finditer(pattern))
        self._symbols = symbols
        self._pattern = pattern
        self._at = 0
        self._used: dict[str, int] = {}

    def _unique(self, name: str) -> str:
        """A name may stand in several alternatives; regular expressions want it once."""
        self._used[name] = self._used.get(name, 0) + 1
        return name if self._used[name] == 1 else f"{name}__{self._used[name]}"

    def parse(self) -> tuple[str, frozenset[str], bool]:
        result = self._alternatives()
        if self._at != len(self._tokens):
            raise ValueError(f"unbalanced pattern: {self._pattern}")
        return result

    def _peek(self) -> str:
        return self._tokens[self._at].group() if self._at < len(self._tokens) else ""

    def _alternatives(self) -> tuple[str, frozenset[str], bool]:
        parts = [self._sequence()]
        while self._peek() == "|":
            self._at += 1
            parts.append(self._sequence())
        first = frozenset[str]().union(*(p[1] for p in parts))
        return "|".join(p[0] for p in parts), first, any(p[2] for p in parts)

    def _sequence(self) -> tuple[str, frozenset[str], bool]:
        text, first, nullable = "", frozenset[str](), True
        while self._peek() not in ("", "|", ")"):
            item, item_first, item_nullable = self._item()
            text += item
            if nullable:
                first |= item_first
            nullable = nullable and item_nullable
        return text, first, nullable

    def _item(self) -> tuple[str, frozenset[str], bool]:
        match = self._tokens[self._at]
        self._at += 1
        if match.group("symbol"):
            first = self._symbols.members(match.group("symbol"))
            body, nullable, name = "[" + "".join(sorted(first)) + "]", False, match.group("name")
        elif match.group("group"):
            inner, first, nullable = self._alternatives()
            if self._peek() != ")":
                raise ValueError(f"missing ) in pattern: {self._pattern}")
            self._at += 1
            body, name = f"(?:{inner})", match.group("group")[:-2] or None
        else:
            raise ValueError(f"unexpected {match.group()!r} in pattern: {self._pattern}")
        if self._peek() in _REPEATS and self._peek():
            nullable = nullable or self._peek() in "?*"
            body += _REPEATS[self._peek()]
            self._at += 1
        return (f"(?P<{self._unique(name)}>{body})" if name else body), first, nullable


_GUARDS: Final = {"before": "(?<={})", "not_before": "(?<!{})", "next": "(?={})", "not_next": "(?!{})"}


def _guarded(text: str, raw: Mapping[str, object], symbols: Symbols) -> str:
    """The pattern with its conditions on the tokens right before and behind it."""
    for key, template in _GUARDS.items():
        if key in raw:
            chars = frozenset[str]().union(*(symbols.members(n) for n in str(raw[key]).split()))
            guard = template.format("[" + "".join(sorted(chars)) + "]")
            text = guard + text if "before" in key else text + guard
    return text


def compile_rule(raw: Mapping[str, object], symbols: Symbols) -> Rule:
    """A rule from its table in a grammar file.

    Raises:
        ValueError: a malformed or empty-matching pattern, naming it.
    """
    text, first, nullable = _Parser(str(raw["pattern"]), symbols).parse()
    if nullable:
        raise ValueError(f"pattern matches nothing: {raw['pattern']}")
    stage = raw["stage"]
    if not isinstance(stage, int):
        raise ValueError(f"stage must be a number: {raw['id']}")
    text = _guarded(f"(?:{text})", raw, symbols)
    known = {"id", "stage", "pattern", "make", "yields", "repeat", *_GUARDS}
    return Rule(
        id=str(raw["id"]),
        stage=stage,
        source=str(raw["pattern"]),
        regex=re.compile(text),
        first=first,
        make=str(raw["make"]),
        symbol=symbols.char(str(raw["yields"])),
        arguments={k: v for k, v in raw.items() if k not in known},
    )
