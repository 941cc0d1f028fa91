"""The form of an answer: a JSON schema with every string and array bounded, and the answer as records."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from tidegraph.domain.documents import EntityType, Status, Verb

VERSION: Final = "1"
"""Raised with every change of the form or of what is made of an answer; a part of the epoch."""
_TYPES: Final = {
    "person": EntityType.PERSON,
    "organisation": EntityType.ORGANISATION,
    "place": EntityType.PLACE,
    "other": EntityType.OTHER,
}
_STATUSES: Final = {
    "asserted": Status.ASSERTED,
    "planned": Status.PLANNED,
    "denied": Status.DENIED,
    "reported": Status.REPORTED,
    "ceased": Status.CEASED,
}
_VERBS: Final = {
    "start": Verb.START,
    "stop": Verb.STOP,
    "state": Verb.STATE,
    "change": Verb.CHANGE,
    "correction": Verb.CORRECTION,
}


@dataclass(frozen=True, slots=True)
class Limits:
    """How much one answer may hold. Text lengths are in characters."""

    events: int = 40
    quote: int = 600
    names: int = 12
    name: int = 120
    times: int = 4
    facts: int = 8
    qualifiers: int = 4


@dataclass(frozen=True, slots=True)
class FactSaid:
    """A claim in the model's words. ``start`` and ``end`` are quoted times, or empty."""

    subject: str
    predicate: str
    object: str
    qualifiers: tuple[tuple[str, str], ...]
    verb: Verb
    start: str
    end: str


@dataclass(frozen=True, slots=True)
class EventSaid:
    """One event in the model's words. ``value`` is its own reading of the time, ISO 8601 or empty."""

    quote: str
    statement: str
    change: bool
    status: Status
    times: tuple[str, ...]
    value: str
    names: tuple[tuple[str, EntityType], ...]
    facts: tuple[FactSaid, ...]


def schema(limits: Limits) -> dict[str, Any]:
    """The JSON schema of an answer."""
    quoted = {"type": "string", "maxLength": limits.quote}
    name = {"type": "string", "maxLength": limits.name}
    named = _object(name=name, type={"type": "string", "enum": list(_TYPES)})
    qualifier = _object(name=_pattern("[a-z][a-z_]{0,31}"), value=name)
    fact = _object(
        subject=name,
        predicate=_pattern("[a-z][a-z0-9_]{1,47}"),
        object=name,
        qualifiers=_list(qualifier, limits.qualifiers),
        verb={"type": "string", "enum": list(_VERBS)},
        start=name,
        end=name,
    )
    event = _object(
        quote=quoted,
        statement=quoted,
        kind={"type": "string", "enum": ["event", "state"]},
        status={"type": "string", "enum": list(_STATUSES)},
        times=_list(name, limits.times),
        time_value={"type": "string", "maxLength": 40},
        names=_list(named, limits.names),
        facts=_list(fact, limits.facts),
    )
    return _object(events=_list(event, limits.events))


def read(text: str, form: Mapping[str, Any]) -> tuple[EventSaid, ...]:
    """An answer as records.

    Raises:
        ValueError: it is not JSON of that form; the message says where.
    """
    # Grammars let raw control characters into strings.
    try:
        value = json.loads(text, strict=False)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"not JSON: {error}") from None
    wrong = misfit(value, form)
    if wrong:
        raise ValueError(wrong)
    return tuple(_event(each) for each in value["events"])


def misfit(value: Any, form: Mapping[str, Any], where: str = "answer") -> str:
    """Where and how a value does not have a form, or ``""``; for what :func:`schema` uses of JSON Schema."""
    match form["type"]:
        case "object":
            return _misfit_object(value, form, where)
        case "array":
            if not isinstance(value, list) or len(value) > form["maxItems"]:
                return f"{where} is no list of at most {form['maxItems']}"
            found = (misfit(each, form["items"], f"{where}[{n}]") for n, each in enumerate(value))
            return next((wrong for wrong in found if wrong), "")
        case _:
            return _misfit_text(value, form, where)


def _misfit_object(value: Any, form: Mapping[str, Any], where: str) -> str:
    fields = form["properties"]
    if not isinstance(value, dict) or set(value) != set(fields):
        return f"{where} is no object of {', '.join(fields)}"
    found = (misfit(value[name], each, f"{where}.{name}") for name, each in fields.items())
    return next((wrong for wrong in found if wrong), "")


def _misfit_text(value: Any, form: Mapping[str, Any], where: str) -> str:
    if not isinstance(value, str):
        return f"{where} is no text"
    if "enum" in form and value not in form["enum"]:
        return f"{where} is none of {', '.join(form['enum'])}"
    if len(value) > form.get("maxLength", len(value)):
        return f"{where} has more than {form['maxLength']} characters"
    if "pattern" in form and not re.fullmatch(form["pattern"].strip("^$"), value):
        return f"{where} does not fit {form['pattern']}"
    return ""


def _object(**fields: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": fields,
        "required": list(fields),
        "additionalProperties": False,
    }


def _list(items: Mapping[str, Any], most: int) -> dict[str, Any]:
    return {"type": "array", "items": items, "maxItems": most}


def _pattern(pattern: str) -> dict[str, Any]:
    return {"type": "string", "pattern": f"^{pattern}$"}


def _event(value: Mapping[str, Any]) -> EventSaid:
    return EventSaid(
        quote=value["quote"],
        statement=_one_line(value["statement"]),
        change=value["kind"] == "event",
        status=_STATUSES[value["status"]],
        times=tuple(filter(None, map(str.strip, value["times"]))),
        value=value["time_value"].strip(),
        names=tuple((_one_line(each["name"]), _TYPES[each["type"]]) for each in value["names"]),
        facts=tuple(_fact(each) for each in value["facts"]),
    )


def _fact(value: Mapping[str, Any]) -> FactSaid:
    pairs = {each["name"]: _one_line(each["value"]) for each in value["qualifiers"]}
    return FactSaid(
        subject=_one_line(value["subject"]),
        predicate=value["predicate"],
        object=_one_line(value["object"]),
        qualifiers=tuple(sorted((name, each) for name, each in pairs.items() if each)),
        verb=_VERBS[value["verb"]],
        start=value["start"].strip(),
        end=value["end"].strip(),
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())
