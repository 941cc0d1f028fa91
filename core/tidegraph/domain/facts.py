"""Resolved claims and believed facts: the two sides of the belief history (design section 7)."""

from __future__ import annotations

from dataclasses import dataclass

from tidegraph.domain.documents import Status, ValidTime, Verb
from tidegraph.domain.interval import OPEN_END, OPEN_START, Granularity, Interval


@dataclass(frozen=True, slots=True)
class Assertion:
    """One document's claim with its names resolved, in the predicate's canonical direction.

    ``subject`` is an entity id. ``object`` is an entity id when ``object_is_entity``, else a literal;
    "" when the document did not name it. ``key`` is the conflict key (see ``predicates``).
    Evidence counts on the recorded axis over ``[recorded_at, withdrawn_at)``; ``withdrawn_at`` is set
    by a retraction, a replacing revision or a newer extractor epoch.
    ``document_time`` is microseconds, or OPEN_START when the document has none.
    Where policies changed, a claim has a row for each form that it took: each counts only inside
    ``[filed_from, filed_until)``, and ``told`` keeps the words (see ``filing``); "" where the row says them.
    """

    assertion_id: str
    key: str
    subject: str
    predicate: str
    object: str
    object_is_entity: bool
    qualifiers: tuple[tuple[str, str], ...]
    valid: ValidTime
    verb: Verb
    status: Status
    confidence: float
    source: str
    source_priority: int
    document_id: str
    revision: str
    document_time: int
    register: bool
    labels: tuple[str, ...]
    event_id: str
    start_char: int
    end_char: int
    rule_id: str
    recorded_at: int
    withdrawn_at: int
    told: str = ""
    filed_from: int = OPEN_START
    filed_until: int = OPEN_END


@dataclass(frozen=True, slots=True)
class Revision:
    """One revision of one document as the graph has it: what a register's silence is measured against."""

    document_id: str
    revision: str
    document_time: int
    register: bool
    recorded_at: int
    withdrawn_at: int


@dataclass(frozen=True, slots=True)
class FactVersion:
    """One believed version of a fact, bitemporal: a row of the graph.

    ``valid`` is when it holds in the world, ``[recorded_at, invalidated_at)`` when that was believed.
    ``end_inferred`` tells an end that only follows from a successor; ``announced`` one that rests on
    plans alone; ``conflicted`` that evidence of equal rank names another object for the same time (the
    losers are in the assertions under the key). ``version_id`` is a function of all other fields but
    ``invalidated_at``.
    """

    version_id: str
    key: str
    subject: str
    predicate: str
    object: str
    object_is_entity: bool
    qualifiers: tuple[tuple[str, str], ...]
    valid: Interval
    start_granularity: Granularity
    end_granularity: Granularity
    start_known: bool
    end_inferred: bool
    announced: bool
    conflicted: bool
    recorded_at: int
    invalidated_at: int

    @property
    def recorded(self) -> Interval:
        """When this version was believed: microseconds on the recorded axis."""
        return Interval(self.recorded_at, self.invalidated_at)
