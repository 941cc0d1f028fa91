"""The Cypher of facts: versions by one selective driver, and what is hidden under their keys."""

from __future__ import annotations

from typing import Final

from tidegraph.storage.fact_rows import FIELDS
from tidegraph.storage.queries_identity import ties

DRIVERS: Final = {
    "keys": "UNWIND $keys AS k MATCH ()-[f:FACT]->() WHERE f.key = k",
    "version_ids": "UNWIND $version_ids AS k MATCH ()-[f:FACT]->() WHERE f.id = k",
    "subject_ids": "UNWIND $subject_ids AS k MATCH (:Entity {id: k})-[f:FACT]->() WHERE true",
    "object_ids": "UNWIND $object_ids AS k MATCH (:Entity {id: k})<-[f:FACT]-() WHERE true",
    "as_subject": "UNWIND $entity_ids AS k MATCH (:Entity {id: k})-[f:FACT]->() WHERE true",
    "as_object": "UNWIND $entity_ids AS k MATCH (:Entity {id: k})<-[f:FACT]-() WHERE true",
    # By the index on both ends, so that the many other facts of either do not count.
    "pairs": (
        "UNWIND $subject_ids AS k UNWIND $object_ids AS o MATCH ()-[f:FACT]->() "
        "WHERE f.subject = k AND f.object = o"
    ),
    "predicates": "UNWIND $predicates AS k MATCH ()-[f:FACT]->() WHERE f.predicate = k",
    "all": "MATCH ()-[f:FACT]->() WHERE true",
}
CONDITIONS: Final = {
    "keys": "f.key IN $keys",
    "version_ids": "f.id IN $version_ids",
    "subject_ids": "f.subject IN $subject_ids",
    "object_ids": "f.object IN $object_ids",
    "entity_ids": "(f.subject IN $entity_ids OR f.object IN $entity_ids)",
    "predicates": "f.predicate IN $predicates",
    "valid": "f.start < $valid_to AND f.end > $valid_from",
    "conflicted": "f.conflicted = true",
}

_ROW: Final = ", ".join([*(f"f.{name}" for name in FIELDS), ties("startNode(f)"), ties("endNode(f)")])
"""A version, and how many rows say what else its two sides are."""
_ORDER: Final = "ORDER BY f.key, f.start, f.recorded_at, f.id"


def facts(drivers: tuple[str, ...], conditions: tuple[str, ...], history: bool, ordered: bool) -> str:
    """Versions found by selective drivers and filtered by all conditions; a row may come from each driver.

    ``ordered``: by key, start and the time of recording, which costs as much as the rows themselves.
    """
    parts = []
    for driver in drivers:
        found = [DRIVERS[driver], *_conditions(conditions, history)]
        parts.append(f"{' '.join(found)} RETURN {_ROW} {_ORDER if ordered else ''} LIMIT $limit")
    return " UNION ALL ".join(parts)


def latest(conditions: tuple[str, ...], history: bool) -> str:
    """Versions about the entities that began in [$after, $before), those that began last.

    From the index on the edges' ends and times: what it costs does not grow with the facts of an entity.
    """
    parts = []
    for side in ("subject", "object"):
        found = f"UNWIND $entity_ids AS k MATCH ()-[f:FACT]->() WHERE f.{side} = k"
        times = "AND f.start < $before AND f.start >= $after"
        listed = " ".join(_conditions(conditions, history))
        parts.append(f"{found} {times} {listed} RETURN {_ROW} ORDER BY f.start DESC, f.id LIMIT $limit")
    return " UNION ALL ".join(parts)


def _conditions(names: tuple[str, ...], history: bool) -> list[str]:
    found = [f"AND {CONDITIONS[name]}" for name in names]
    found.append("AND f.recorded_at <= $known AND f.recorded_at < f.invalidated_at")
    return found if history else [*found, "AND $known < f.invalidated_at"]


KEYS: Final = """
UNWIND $version_ids AS k MATCH ()-[f:FACT]->() WHERE f.id = k
AND f.recorded_at <= $known AND f.recorded_at < f.invalidated_at RETURN DISTINCT f.key ORDER BY f.key
"""
COUNTS: Final = """
UNWIND $ids AS k MATCH (e:Entity {id: k})
CALL { WITH e MATCH (e)-[f:FACT]-() WHERE f.recorded_at <= $known AND f.recorded_at < f.invalidated_at
RETURN f LIMIT $most }
RETURN k, count(DISTINCT f)
"""

_HIDDEN_DRIVERS: Final = {
    "keys": "UNWIND $keys AS k MATCH (a:Assertion) WHERE a.key = k",
    "subject_ids": "UNWIND $subject_ids AS k MATCH (a:Assertion) WHERE a.subject = k",
    "object_ids": "UNWIND $object_ids AS k MATCH (a:Assertion) WHERE a.object = k",
    "as_subject": "UNWIND $entity_ids AS k MATCH (a:Assertion) WHERE a.subject = k",
    "as_object": "UNWIND $entity_ids AS k MATCH (a:Assertion) WHERE a.object = k",
    "predicates": "MATCH (a:Assertion) WHERE a.restricted = 1 AND a.predicate IN $predicates",
    "all": "MATCH (a:Assertion) WHERE a.restricted = 1",
}


def hidden_keys(driver: str) -> str:
    """Conflict keys with evidence that the caller may not see.

    A key has evidence about several things (all who ever held one office), and what is hidden about one of
    them bounds the others: every key that the driver reaches is looked at whole.
    """
    return (
        f"{_HIDDEN_DRIVERS[driver]} WITH DISTINCT a.key AS key MATCH (h:Assertion) WHERE h.key = key "
        "AND h.restricted = 1 AND none(l IN h.labels WHERE l IN $labels) "
        "RETURN DISTINCT key ORDER BY key"
    )
