"""What a rule's match hands to its builder, and the register of builders."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from tidegraph.language.grounding.nodes import Date, Node, Relative, Same, Token
from tidegraph.language.grounding.numerals import two_digit_year


@dataclass(frozen=True, slots=True)
class Match:
    """A rule's match: its tokens, the named ones, the rule's own arguments."""

    tokens: Sequence[Token]
    named: Mapping[str, Sequence[Token]]
    arguments: Mapping[str, object]
    names: Mapping[str, str]
    """symbol character to symbol name"""

    def has(self, name: str) -> bool:
        return bool(self.named.get(name))

    def value(self, name: str) -> object:
        found = self.named.get(name)
        return found[-1].value if found else None

    def number(self, name: str) -> int | None:
        found = self.value(name)
        return int(found) if isinstance(found, int | float) else None

    def text(self, name: str) -> str:
        found = self.value(name)
        return found if isinstance(found, str) else ""

    def node(self, name: str) -> Node:
        return self.value(name)  # type: ignore[return-value]

    def symbol(self, name: str) -> str:
        found = self.named.get(name)
        return self.names[found[-1].symbol] if found else ""

    def argument(self, name: str) -> str:
        return str(self.arguments[name])

    def sign(self, name: str = "sign") -> int:
        value = self.arguments[name]
        return value if isinstance(value, int) else 0


Builder: TypeAlias = Callable[[Match], "Node | None"]
BUILDERS: Final[dict[str, Builder]] = {}
"""Builders by the name that a rule's ``make`` gives."""


def builder(function: Builder) -> Builder:
    """Register a builder under its name (a trailing underscore dropped)."""
    BUILDERS[function.__name__.rstrip("_")] = function
    return function


def year_of(match: Match) -> int | None:
    year = match.number("year")
    if year is not None and 0 <= year < 100 and match.symbol("year") not in ("YA", "YB"):
        return two_digit_year(year)
    return year


def unit_of(m: Match, name: str = "unit") -> str:
    return (
        "second" if m.symbol(name) == "SECOND" else m.text(name) or {"UNIT": "year"}.get(m.symbol(name), "")
    )


def of_node(m: Match) -> Node | None:
    if m.symbol("of") in ("UNIT", "QUARTERU"):
        return Same(m.text("of"), "either")
    found = m.node("of")
    return (
        Same(found.unit, "either") if isinstance(found, Relative) and m.symbol("of") == "UNITREF" else found
    )


def grain_of(found: Node) -> str:
    if isinstance(found, Relative | Same):
        return found.unit.removeprefix("fiscal_")
    return "year" if isinstance(found, Date) and found.month is None else ""
