"""Reading a registry file (TOML, docs/predicates.md): every error names the entry and what is wrong."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, Final, TypeVar

from tidegraph.domain.errors import LimitExceeded, Rejected
from tidegraph.domain.policies import (
    Cardinality,
    NarrowName,
    ObjectKind,
    OnStart,
    OnState,
    OnStop,
    Policy,
    Qualifiers,
    ValueForms,
    normal_name,
    normal_value,
)

MAX_FILE_CHARS: Final = 1 << 20
MAX_PREDICATES: Final = 5_000

_PREDICATE_FIELDS: Final = frozenset(
    {"name", "label", "inverse", "aliases", "inverse_aliases", "narrower", "pattern", "cardinality", "per"}
    | {"exclusive", "object", "symmetric", "on_start", "on_state", "on_stop"}
)
_Choice = TypeVar("_Choice", bound=StrEnum)
_Table = Mapping[str, Any]


def parse_registry(text: str) -> tuple[tuple[Policy, ...], tuple[ValueForms, ...]]:
    """Policies and value forms of a registry file.

    Raises:
        LimitExceeded: more than 2**20 characters or 5,000 predicates.
        Rejected: reason INVALID_REGISTRY; not TOML, an unknown field, a value out of its range.
    """
    if len(text) > MAX_FILE_CHARS:
        raise LimitExceeded("REGISTRY_TOO_LARGE", f"a registry file has at most {MAX_FILE_CHARS} characters")
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise _invalid("the registry", f"is not TOML: {error}") from None
    _known(document, "the registry", {"predicate", "values"})
    predicates = _tables(document, "predicate", "the registry")
    if len(predicates) > MAX_PREDICATES:
        raise LimitExceeded("REGISTRY_TOO_LARGE", f"a registry file has at most {MAX_PREDICATES} predicates")
    policies = tuple(_policy(entry, number) for number, entry in enumerate(predicates, start=1))
    values = tuple(
        _values(entry, number)
        for number, entry in enumerate(_tables(document, "values", "the registry"), start=1)
    )
    return policies, values


def _policy(entry: _Table, number: int) -> Policy:
    name = _text(entry, "name", f"predicate {number}", required=True)
    where = f"predicate {name!r}"
    if normal_name(name) != name:
        raise _invalid(where, f"must be in snake_case: {normal_name(name)!r}")
    _known(entry, where, _PREDICATE_FIELDS)
    pattern = _pattern(entry, where)
    policy = Policy(
        name=name,
        label=_text(entry, "label", where) or name.replace("_", " "),
        inverse=normal_name(_text(entry, "inverse", where)),
        aliases=_names(entry, "aliases", where),
        inverse_aliases=_names(entry, "inverse_aliases", where),
        narrower=tuple(_narrow(item, where) for item in _tables(entry, "narrower", where)),
        pattern_qualifier=pattern[0],
        pattern=pattern[1],
        cardinality=_choice(entry, "cardinality", where, Cardinality, Cardinality.MANY),
        per=_names(entry, "per", where),
        exclusive=_exclusive(entry, where),
        object_kind=_choice(entry, "object", where, ObjectKind, ObjectKind.ENTITY),
        symmetric=_flag(entry, "symmetric", where),
        on_start=_choice(entry, "on_start", where, OnStart, OnStart.OPENS),
        on_state=_choice(entry, "on_state", where, OnState, _default_on_state(entry)),
        on_stop=_choice(entry, "on_stop", where, OnStop, OnStop.ENDS),
    )
    _consistent(policy, where)
    return policy


def _default_on_state(entry: _Table) -> OnState:
    return OnState.ASSERTS if entry.get("object") == ObjectKind.LITERAL else OnState.CONFIRMS


def _pattern(entry: _Table, where: str) -> tuple[str, str]:
    table = _table(entry, "pattern", where)
    if len(table) > 1 or not all(isinstance(value, str) for value in table.values()):
        raise _invalid(where, '`pattern` must name one qualifier: { role = "*_of" }')
    return next(((normal_name(name), value) for name, value in table.items()), ("", ""))


def _consistent(policy: Policy, where: str) -> None:
    many = policy.cardinality is Cardinality.MANY
    literal = policy.object_kind is ObjectKind.LITERAL
    turned = policy.inverse or policy.inverse_aliases or any(narrow.inverse for narrow in policy.narrower)
    rules = (
        (policy.cardinality is Cardinality.ONE_PER_QUALIFIER and not policy.per,
         "one_per_qualifier needs the names of the qualifiers in `per`"),
        (policy.cardinality is Cardinality.ONE and bool(policy.per),
         "cardinality one takes no `per`; use one_per_qualifier"),
        (many and bool(policy.per or policy.exclusive),
         "cardinality many takes neither `per` nor `exclusive`"),
        (any(name not in policy.per for name, _ in policy.exclusive),
         "`exclusive` may only name qualifiers that stand in `per`"),
        (policy.cardinality is Cardinality.ONE_PER_OBJECT and literal,
         "one_per_object needs entities as objects"),
        (literal and bool(turned), "a literal object cannot become a subject: remove the inverse names"),
        (policy.symmetric and literal, "a symmetric predicate needs entities as objects"),
        (policy.symmetric and not many, "a symmetric predicate must have cardinality many"),
        (policy.symmetric and bool(turned),
         "a symmetric predicate is its own inverse: remove the inverse names"),
        (bool(policy.pattern) and policy.pattern.count("*") != 1,
         "`pattern` needs a qualifier and a name with one *: { role = \"*_of\" }"),
    )  # fmt: skip
    for broken, message in rules:
        if broken:
            raise _invalid(where, message)


def _narrow(entry: _Table, where: str) -> NarrowName:
    _known(entry, f"{where}, narrower", {"name", "inverse", "qualifiers"})
    name = normal_name(_text(entry, "name", f"{where}, narrower", required=True))
    qualifiers = entry.get("qualifiers")
    if not isinstance(qualifiers, Mapping) or not qualifiers:
        raise _invalid(where, f"narrower name {name!r} needs qualifiers = {{ name = value }}")
    return NarrowName(
        name=name,
        inverse=normal_name(_text(entry, "inverse", where)),
        qualifiers=_pairs(qualifiers, where),
    )


def _pairs(table: _Table, where: str) -> Qualifiers:
    if not all(isinstance(value, str) and value for value in table.values()):
        raise _invalid(where, "qualifier values must be non-empty text")
    return tuple(sorted((normal_name(name), normal_value(value)) for name, value in table.items()))


def _exclusive(entry: _Table, where: str) -> tuple[tuple[str, tuple[str, ...]], ...]:
    table = entry.get("exclusive", {})
    if not isinstance(table, Mapping):
        raise _invalid(where, "`exclusive` must be a table of qualifier = [patterns]")
    return tuple(
        (normal_name(name), tuple(normal_value(pattern) for pattern in _texts(table, name, where)))
        for name in sorted(table)
    )


def _values(entry: _Table, number: int) -> ValueForms:
    qualifier = normal_name(_text(entry, "qualifier", f"values {number}", required=True))
    where = f"values of {qualifier!r}"
    _known(entry, where, {"qualifier", "forms", "marks"})
    forms: dict[str, str] = {}
    for normal, others in _table(entry, "forms", where).items():
        for other in (normal, *_texts({normal: others}, normal, where)):
            form = forms.setdefault(normal_value(other), normal_value(normal))
            if form != normal_value(normal):
                raise _invalid(where, f"{other!r} stands for both {form!r} and {normal!r}")
    marks: dict[str, tuple[str, str]] = {}
    for name, table in _table(entry, "marks", where).items():
        if not isinstance(table, Mapping):
            raise _invalid(where, f"marks of {name!r} must be a table of value = [words]")
        for value in table:
            for word in _texts(table, value, where):
                marks[normal_value(word)] = (normal_name(name), value)
    return ValueForms(qualifier, forms, marks)


def _known(table: _Table, where: str, fields: frozenset[str] | set[str]) -> None:
    unknown = sorted(set(table) - fields)
    if unknown:
        raise _invalid(where, f"has an unknown field {unknown[0]!r}; known are {', '.join(sorted(fields))}")


def _tables(table: _Table, field: str, where: str) -> Sequence[_Table]:
    value = table.get(field, [])
    if not isinstance(value, list) or not all(isinstance(item, Mapping) for item in value):
        raise _invalid(where, f"`{field}` must be an array of tables, [[{field}]]")
    return value


def _table(table: _Table, field: str, where: str) -> _Table:
    value = table.get(field, {})
    if not isinstance(value, Mapping):
        raise _invalid(where, f"`{field}` must be a table")
    return value


def _text(table: _Table, field: str, where: str, *, required: bool = False) -> str:
    value = table.get(field, "")
    if not isinstance(value, str) or (required and not value.strip()):
        raise _invalid(where, f"`{field}` must be text" + (" and may not be missing" if required else ""))
    return value.strip()


def _texts(table: _Table, field: str, where: str) -> tuple[str, ...]:
    value = table.get(field, [])
    if not isinstance(value, list) or not all(isinstance(item, str) and item.strip() for item in value):
        raise _invalid(where, f"`{field}` must be an array of non-empty texts")
    return tuple(value)


def _names(table: _Table, field: str, where: str) -> tuple[str, ...]:
    return tuple(normal_name(name) for name in _texts(table, field, where))


def _flag(table: _Table, field: str, where: str) -> bool:
    value = table.get(field, False)
    if not isinstance(value, bool):
        raise _invalid(where, f"`{field}` must be true or false")
    return value


def _choice(table: _Table, field: str, where: str, kind: type[_Choice], default: _Choice) -> _Choice:
    value = table.get(field, default)
    try:
        return kind(value)
    except ValueError:
        raise _invalid(where, f"`{field}` must be one of {', '.join(kind)}, not {value!r}") from None


def _invalid(where: str, message: str) -> Rejected:
    return Rejected("INVALID_REGISTRY", f"{where}: {message}", entry=where)
