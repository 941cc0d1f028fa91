"""Facts in the words of a data set: the rules of a map file in predicates/, first match wins."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from tidegraph.domain.facts import FactVersion
from tidegraph.domain.interval import MICROS_PER_DAY, OPEN_END, OPEN_START, format_instant

MAPS = Path(__file__).resolve().parent.parent / "predicates"


def rows(
    facts: Iterable[FactVersion], name_of: Callable[[str], str], map_name: str
) -> Iterator[dict[str, Any]]:
    """One output line a fact. ``name_of`` gives an entity's name; literals stand for themselves."""
    rules = json.loads((MAPS / f"{map_name}.json").read_text("utf-8"))["rules"]
    for fact in facts:
        subject, predicate = name_of(fact.subject), fact.predicate
        obj = name_of(fact.object) if fact.object_is_entity else fact.object
        role = dict(fact.qualifiers).get("role", "")
        for rule in rules:
            if rule["predicate"] != predicate or rule.get("role", role) != role:
                continue
            predicate = rule["name"]
            obj = f"{role} of {obj}" if rule.get("position") else obj
            subject, obj = (obj, subject) if rule.get("inverse") else (subject, obj)
            break
        yield {
            "subject": subject,
            "predicate": predicate,
            "object": obj,
            "valid_from": day(fact.valid.start),
            "valid_to": day(fact.valid.end),
        }


def day(value: int) -> str | None:
    """The day of an instant, None for an open side."""
    if value in {OPEN_START, OPEN_END}:
        return None
    return format_instant(value - value % MICROS_PER_DAY)
