"""What a predicate's policy says, and the normal forms of qualifier values.

A policy decides which facts exclude each other. What is not declared exclusive never retires
anything: a fact retired wrongly costs more than one left standing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Final

Qualifiers = tuple[tuple[str, str], ...]
"""Sorted (name, value) pairs."""


SHARED: Final = "shared"
"""Qualifier of joint holders ("yes"): facts that both carry it do not exclude each other."""


class Cardinality(StrEnum):
    """How many facts of a family may hold at one instant."""

    MANY = "many"
    ONE = "one"
    ONE_PER_OBJECT = "one_per_object"
    ONE_PER_QUALIFIER = "one_per_qualifier"


class ObjectKind(StrEnum):
    """Whether the object names a thing or is a value."""

    ENTITY = "entity"
    LITERAL = "literal"


class OnStart(StrEnum):
    """What a start verb does: the fact holds from then on, or only during the time given."""

    OPENS = "opens"
    HAPPENS = "happens"


class OnState(StrEnum):
    """What an observed state does against a stated start of another value that came in between.

    ASSERTS: it takes the slot back (a value that may come and go: a status, a setting). CONFIRMS: it is
    taken for a stale repeat, and the conflict is shown (a person named with an office that another has
    taken up since).
    """

    ASSERTS = "asserts"
    CONFIRMS = "confirms"


class OnStop(StrEnum):
    """What a stop verb does: the fact is over, or nothing (what happened cannot be undone)."""

    ENDS = "ends"
    IGNORED = "ignored"


@dataclass(frozen=True, slots=True)
class NarrowName:
    """A name that stands for a predicate with fixed qualifiers (``chairs``: holds_role, role chair)."""

    name: str
    inverse: str
    qualifiers: Qualifiers


@dataclass(frozen=True, slots=True)
class Policy:
    """One predicate of the registry. Facts read "subject name object" in the canonical direction.

    ``pattern`` reads unlisted names: with ``*_of`` for the qualifier role, "curator_of" is this predicate
    when "curator" is a known form of a role.
    ``per`` are the qualifiers that tell exclusive slots apart. ``exclusive`` restricts exclusiveness
    to slots whose qualifier values match one of the patterns (``*`` stands for any text); a slot
    outside the patterns holds many.
    """

    name: str
    label: str
    inverse: str
    aliases: tuple[str, ...]
    inverse_aliases: tuple[str, ...]
    narrower: tuple[NarrowName, ...]
    pattern_qualifier: str
    pattern: str
    cardinality: Cardinality
    per: tuple[str, ...]
    exclusive: tuple[tuple[str, tuple[str, ...]], ...]
    object_kind: ObjectKind
    symmetric: bool
    on_start: OnStart
    on_state: OnState
    on_stop: OnStop

    def is_exclusive(self, qualifiers: Qualifiers) -> bool:
        """Whether the slot that these qualifiers name holds one fact at a time."""
        if self.cardinality is Cardinality.MANY:
            return False
        values = dict(qualifiers)
        return all(
            any(fnmatchcase(values.get(name, ""), pattern) for pattern in patterns)
            for name, patterns in self.exclusive
        )


@dataclass(frozen=True, slots=True)
class KeyPolicy:
    """What the belief history of one conflict key depends on.

    ``exclusive``: one value at a time. ``value_is_subject``: the key is held by the object, values are
    the subjects (one holder per organisation); otherwise the values are the objects.
    """

    exclusive: bool
    value_is_subject: bool
    on_start: OnStart
    on_state: OnState
    on_stop: OnStop


@dataclass(frozen=True)
class ValueForms:
    """Normal forms of one qualifier's values.

    ``forms``: other wording to normal form. ``marks``: words that are dropped from the value and kept
    as a qualifier of their own: {"interim": ("capacity", "interim")}.
    """

    qualifier: str
    forms: Mapping[str, str]
    marks: Mapping[str, tuple[str, str]]

    def normalise(self, value: str) -> tuple[str, Qualifiers]:
        """(normal form, qualifiers made from the words that were dropped)."""
        text, found = normal_value(value), {}
        changed = True
        while changed and self.marks:
            changed = False
            for pattern in self._mark_patterns:
                match = pattern.fullmatch(text)
                if match and text not in self.forms:
                    name, mark = self.marks[match["mark"]]
                    found[name] = mark
                    text, changed = match["rest"], True
        return self.forms.get(text, text), tuple(sorted(found.items()))

    @cached_property
    def _mark_patterns(self) -> tuple[re.Pattern[str], ...]:
        words = "|".join(re.escape(word) for word in sorted(self.marks, key=lambda w: (-len(w), w)))
        return (
            re.compile(rf"(?P<mark>{words})[\s\-]+(?P<rest>.+)"),
            re.compile(rf"(?P<rest>.+?)[\s,\-]+\(?(?P<mark>{words})\)?"),
        )


def normal_value(value: str) -> str:
    """A value for comparison: NFKC, case folded, blanks joined, no article or full stop at the rim."""
    text = " ".join(unicodedata.normalize("NFKC", value).casefold().split()).strip(" .,;:\"'")
    return text.removeprefix("the ")


def normal_name(name: str) -> str:
    """A predicate or qualifier name in snake_case: "memberOf", "Member of" and "member-of" are one."""
    text = unicodedata.normalize("NFKC", name).strip()
    text = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", text)
    return re.sub(r"[^\w]+|_+", "_", text.casefold()).strip("_")
