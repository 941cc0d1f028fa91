"""What a graph goes by: its policies over time, and the conflicts that decisions settled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import orjson

from tidegraph.domain.documents import DocumentHeader
from tidegraph.domain.errors import Rejected
from tidegraph.domain.facts import Assertion
from tidegraph.domain.interval import OPEN_END
from tidegraph.domain.predicates import Registry
from tidegraph.domain.rules import Choice, KeyRules, Timeline
from tidegraph.ports import DecisionRecord, GraphReader, Visibility
from tidegraph.storage.decisions import earliest

POLICIES: Final = "policies"
CONFLICT: Final = "conflict"
SEAL: Final = "seal"
REEXTRACTION: Final = "reextraction"
"""Kinds of decisions, by their names in ControlRecord."""


@dataclass(frozen=True, slots=True)
class Rulebook:
    """The rules of every key, as far as decisions about it were read."""

    base: Registry
    decisions: tuple[DecisionRecord, ...]
    timeline: Timeline
    choices: Mapping[str, tuple[Choice, ...]]

    @classmethod
    def of(cls, base: Registry, decisions: Iterable[DecisionRecord]) -> Rulebook:
        """The rulebook that follows from policy changes and decisions of conflicts; others are ignored."""
        listed = tuple(earliest(decisions))
        choices: dict[str, list[Choice]] = {}
        for decision in listed:
            if decision.kind == CONFLICT:
                choices.setdefault(decision.subject, []).append(choice_of(decision))
        by_key = {key: tuple(found) for key, found in choices.items()}
        return cls(base, listed, timeline_of(base, listed), by_key)

    def joined(self, decisions: Iterable[DecisionRecord]) -> Rulebook:
        """The rulebook with more decisions."""
        return Rulebook.of(self.base, (*self.decisions, *decisions))

    def check_seal(self, header: DocumentHeader) -> None:
        """Refuse a backfill that was appended once the graph was sealed.

        Raises:
            Rejected: SEALED.
        """
        if header.appended_at <= header.recorded_at:
            return  # not a backfill
        seal = min((d.recorded_at for d in self.decisions if d.kind == SEAL), default=OPEN_END)
        if seal <= header.appended_at:
            message = "the graph is sealed: it takes no document recorded before its append"
            raise Rejected("SEALED", message)

    def rules_of(self, evidence: Sequence[Assertion]) -> KeyRules:
        """The rules of the conflict key that all of the evidence is under; none: any will do."""
        if not evidence:
            return self.timeline.rules("", ())
        first = min(evidence, key=lambda item: item.assertion_id)
        return self.timeline.rules(first.predicate, first.qualifiers, self.choices.get(first.key, ()))


async def read_rulebook(
    reader: GraphReader, base: Registry, graph: str, keys: Iterable[str], seen: Visibility
) -> Rulebook:
    """The rulebook of a graph as of known_at, with the decisions about these keys."""
    policies = await reader.decisions(graph, (POLICIES,), seen)
    choices = await reader.decisions(graph, (CONFLICT,), seen, sorted(set(keys)))
    return Rulebook.of(base, (*policies, *choices))


def timeline_of(base: Registry, decisions: Iterable[DecisionRecord]) -> Timeline:
    """The registries over time: the base, and what each policy change put on top of it."""
    overlays = {
        decision.decision_id: (
            decision.recorded_at,
            decision.decision_id,
            str(fields_of(decision).get("registry_toml", "")),
        )
        for decision in decisions
        if decision.kind == POLICIES
    }
    return _timeline(base, tuple(sorted(overlays.values())))


@lru_cache(maxsize=64)
def _timeline(base: Registry, overlays: tuple[tuple[int, str, str], ...]) -> Timeline:
    return Timeline.of(base, overlays)


def choice_of(decision: DecisionRecord) -> Choice:
    """The choice that a decision of a conflict made."""
    fields = fields_of(decision)
    return Choice(
        recorded_at=decision.recorded_at,
        decision_id=decision.decision_id,
        assertion_id=str(fields.get("assertion_id", "")),
        undone=bool(fields.get("undo", False)),
    )


def fields_of(decision: DecisionRecord) -> dict[str, Any]:
    """What a decision says, by field of its message; what is empty is absent."""
    fields = orjson.loads(decision.content or "{}")
    return fields if isinstance(fields, dict) else {}
