"""Facts of the product in the words of a data set: what a map file beside the script says."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from quality_lib._world import iso
from tidegraph.domain.facts import FactVersion
from tidegraph.ports import EntityRecord

_MAPS = Path(__file__).resolve().parent.parent / "predicates"


def load_rules(name: str) -> list[dict[str, Any]]:
    """The rules of a map file, in order; the first that fits a fact is taken."""
    return list(json.loads((_MAPS / f"{name}.json").read_text("utf-8"))["rules"])


def rows(
    facts: list[FactVersion], names: Mapping[str, EntityRecord], rules: list[dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    """One row a fact: subject, predicate, object and dates no finer than they were told."""
    for fact in facts:
        role = dict(fact.qualifiers).get("role", "")
        subject, object_ = _name(fact.subject, names), _name(fact.object, names)
        predicate = fact.predicate
        for rule in rules:
            if rule["predicate"] != fact.predicate or rule.get("role", role) != role:
                continue
            predicate = rule["name"]
            if rule.get("position"):
                object_ = f"{role} of {object_}"
            if rule.get("inverse"):
                subject, object_ = object_, subject
            break
        yield {
            "subject": subject,
            "predicate": predicate,
            "object": object_,
            "valid_from": iso(fact.valid.start, fact.start_granularity) if fact.start_known else None,
            "valid_to": iso(fact.valid.end, fact.end_granularity),
        }


def _name(value: str, names: Mapping[str, EntityRecord]) -> str:
    return names[value].name if value in names else value
