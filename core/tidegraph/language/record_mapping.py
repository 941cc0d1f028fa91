"""The ``assertions:`` part of a mapping file: how fields of a JSON record become claims.

Each entry is one kind of claim. A plain text is a JMESPath expression over the record; ``{text: ...}``
is a fixed text::

    assertions:
      - when: status != 'draft'         # optional: only records for which this is true
        each: people                    # optional: one claim an element; expressions see the element,
                                        # and the whole record as ``record``
        subject: name
        subject_type: person            # optional: person, organisation, place, other
        predicate: {text: member_of}
        object: record.team
        object_type: organisation       # optional; literal for a value
        qualifiers:
          region: record.region
        change: record.action           # optional: what happened; without it the record tells a state
        changes:                        # optional: words of the feed for start, stop, state, correction
          start: [hired, joined]
          stop: [left]
        effective: record.effective_at  # when it takes effect; else the document's time
        until: record.end_date          # optional: the first moment at which it no longer holds
        time_unit: ms                   # optional: when times are numbers: s, ms, us, ns, days
        confidence: record.score        # optional: how sure the feed is, above 0 and at most 1
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

import jmespath  # type: ignore[import-untyped]
import jmespath.exceptions  # type: ignore[import-untyped]
import yaml

from tidegraph.domain.documents import EntityType, Verb
from tidegraph.domain.errors import LimitExceeded, Rejected

MAX_CHARS: Final = 256 * 1024
MAX_ENTRIES: Final = 200
_REQUIRED: Final = ("subject", "predicate", "object")
_EXPRESSIONS: Final = (*_REQUIRED, "when", "each", "change", "effective", "until", "confidence")
_TYPES: Final = {
    "person": EntityType.PERSON,
    "organisation": EntityType.ORGANISATION,
    "place": EntityType.PLACE,
    "other": EntityType.OTHER,
}
_VERBS: Final = {
    "start": Verb.START,
    "stop": Verb.STOP,
    "state": Verb.STATE,
    "change": Verb.CHANGE,
    "correction": Verb.CORRECTION,
}
UNITS: Final = {
    "s": Fraction(1_000_000),
    "ms": Fraction(1_000),
    "us": Fraction(1),
    "ns": Fraction(1, 1_000),
    "days": Fraction(86_400_000_000),
}
"""Microseconds of each unit."""
_FIELDS: Final = (*_EXPRESSIONS, "subject_type", "object_type", "qualifiers", "changes", "time_unit")


@dataclass(frozen=True, slots=True)
class Field:
    """Where a value comes from: a compiled JMESPath expression, or a fixed text."""

    source: str
    fixed: bool
    compiled: Any = None

    def read(self, record: Any) -> Any:
        """The value in a record; None when there is none."""
        return self.source if self.fixed else self.compiled.search(record)


@dataclass(frozen=True, slots=True)
class Entry:
    """One kind of claim of a mapping. ``line`` is where it stands in the file, from 1."""

    line: int
    fields: dict[str, Field]
    qualifiers: dict[str, Field]
    subject_type: EntityType
    object_type: EntityType
    literal: bool
    verbs: dict[str, Verb] = field(default_factory=dict)
    unit: Fraction = Fraction(0)


@lru_cache(maxsize=64)
def parse_entries(text: str, name: str = "mapping") -> tuple[Entry, ...]:
    """The entries of a mapping file's ``assertions:`` part.

    Raises:
        Rejected: INVALID_MAPPING; the message names file, line and field, and what is wrong.
        LimitExceeded: MAPPING_TOO_LARGE.
    """
    if len(text) > MAX_CHARS:
        raise LimitExceeded(
            "MAPPING_TOO_LARGE", f"{name}: a mapping file has at most {MAX_CHARS:,} characters"
        )
    root = _compose(text, name)
    part = _child(root, "assertions")
    if part is None:
        return ()
    if not isinstance(part, yaml.SequenceNode):
        raise _wrong(name, part, "assertions must be a list of entries")
    if len(part.value) > MAX_ENTRIES:
        raise LimitExceeded("MAPPING_TOO_LARGE", f"{name}: at most {MAX_ENTRIES} entries under assertions")
    return tuple(_entry(node, name) for node in part.value)


def _compose(text: str, name: str) -> yaml.Node | None:
    try:
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, Loader=yaml.SafeLoader)):
            raise Rejected("INVALID_MAPPING", f"{name}: aliases (*name) are not allowed in a mapping file")
        return yaml.compose(text, Loader=yaml.SafeLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f", line {mark.line + 1}" if mark is not None else ""
        problem = getattr(error, "problem", None) or "it cannot be read"
        raise Rejected("INVALID_MAPPING", f"{name}{where}: not valid YAML: {problem}") from None


def _child(node: yaml.Node | None, key: str) -> yaml.Node | None:
    if isinstance(node, yaml.MappingNode):
        for name, value in node.value:
            if name.value == key:
                return value if isinstance(value, yaml.Node) else None
    return None


def _entry(node: yaml.Node, name: str) -> Entry:
    if not isinstance(node, yaml.MappingNode):
        raise _wrong(name, node, "an entry of assertions must have fields such as subject, predicate, object")
    parts = {key.value: value for key, value in node.value}
    seen: set[str] = set()
    for key, _ in node.value:
        if key.value in seen:
            raise _wrong(name, key, f"{key.value} is given twice")
        seen.add(key.value)
        if key.value not in _FIELDS:
            raise _wrong(name, key, f"unknown field {key.value!r}; the fields are {', '.join(_FIELDS)}")
    for required in _REQUIRED:
        if required not in parts:
            raise _wrong(name, node, f"the entry lacks {required}")
    literal = _word(parts.get("object_type")) == "literal"
    return Entry(
        line=node.start_mark.line + 1,
        fields={key: _field(parts[key], name, key) for key in _EXPRESSIONS if key in parts},
        qualifiers=dict(_qualifiers(parts.get("qualifiers"), name)),
        subject_type=_type(parts.get("subject_type"), name, "subject_type", literal_allowed=False),
        object_type=_type(parts.get("object_type"), name, "object_type", literal_allowed=True),
        literal=literal,
        verbs=_verbs(parts.get("changes"), name),
        unit=_unit(parts.get("time_unit"), name),
    )


def _field(node: yaml.Node, name: str, key: str) -> Field:
    if isinstance(node, yaml.MappingNode):
        fixed = _child(node, "text")
        if len(node.value) != 1 or not isinstance(fixed, yaml.ScalarNode):
            raise _wrong(name, node, f"{key}: a fixed value is written {{text: ...}}")
        return Field(fixed.value, True)
    if not isinstance(node, yaml.ScalarNode) or not node.value.strip():
        raise _wrong(name, node, f"{key} must be a JMESPath expression or {{text: ...}}")
    try:
        return Field(node.value, False, jmespath.compile(node.value))
    except jmespath.exceptions.JMESPathError as error:
        reason = " ".join(str(error).split())[:160]
        raise _wrong(name, node, f"{key}: {node.value!r} is not a JMESPath expression: {reason}") from None


def _qualifiers(node: yaml.Node | None, name: str) -> Iterator[tuple[str, Field]]:
    if node is None:
        return
    if not isinstance(node, yaml.MappingNode):
        raise _wrong(name, node, "qualifiers must hold names and expressions")
    for key, value in node.value:
        yield str(key.value), _field(value, name, f"qualifiers.{key.value}")


def _verbs(node: yaml.Node | None, name: str) -> dict[str, Verb]:
    """Words of the feed, in lower case, with the verb of each; verbs stand for themselves."""
    found = dict(_VERBS)
    if node is None:
        return found
    if not isinstance(node, yaml.MappingNode):
        raise _wrong(
            name, node, "changes must hold start, stop, state, change or correction with lists of words"
        )
    for key, value in node.value:
        if key.value not in _VERBS:
            raise _wrong(name, key, f"changes: {key.value!r} is not one of {', '.join(_VERBS)}")
        listed = value.value if isinstance(value, yaml.SequenceNode) else [value]
        for word in listed:
            if not isinstance(word, yaml.ScalarNode):
                raise _wrong(name, word, f"changes.{key.value} must be a list of words")
            found[word.value.strip().lower()] = _VERBS[key.value]
    return found


def _type(node: yaml.Node | None, name: str, key: str, *, literal_allowed: bool) -> EntityType:
    word = _word(node)
    if not word or (literal_allowed and word == "literal"):
        return EntityType.UNSPECIFIED
    if node is None or word not in _TYPES:
        choices = [*_TYPES, *(["literal"] if literal_allowed else [])]
        raise _wrong(name, node, f"{key}: {word!r} is not one of {', '.join(choices)}")
    return _TYPES[word]


def _unit(node: yaml.Node | None, name: str) -> Fraction:
    word = _word(node)
    if word and word not in UNITS:
        raise _wrong(name, node, f"time_unit: {word!r} is not one of {', '.join(UNITS)}")
    return UNITS.get(word, Fraction(0))


def _word(node: yaml.Node | None) -> str:
    return str(node.value).strip().lower() if isinstance(node, yaml.ScalarNode) else ""


def _wrong(name: str, node: yaml.Node | None, message: str) -> Rejected:
    line = node.start_mark.line + 1 if node is not None else 1
    return Rejected("INVALID_MAPPING", f"{name}, line {line}: {message}", line=str(line))
