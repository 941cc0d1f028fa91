"""Assertions and fact versions as property maps of the store, and back."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import orjson

from tidegraph.domain.documents import EndpointBasis, Status, ValidTime, Verb
from tidegraph.domain.facts import Assertion, FactVersion
from tidegraph.domain.interval import OPEN_END, OPEN_START, Granularity, Interval
from tidegraph.storage.codec import check_time
from tidegraph.storage.rows import Row, compact, texts


def _pairs(pairs: Iterable[tuple[str, str]]) -> str:
    listed = [list(pair) for pair in pairs]
    return orjson.dumps(listed).decode() if listed else ""


def _unpairs(text: str) -> tuple[tuple[str, str], ...]:
    return tuple((name, value) for name, value in orjson.loads(text)) if text else ()


def assertion_row(assertion: Assertion, origin: str) -> Row:
    """Properties of an Assertion node."""
    valid = assertion.valid
    return compact(
        {
            "id": assertion.assertion_id,
            "origin": origin,
            "key": assertion.key,
            "subject": assertion.subject,
            "predicate": assertion.predicate,
            "object": assertion.object,
            "object_is_entity": assertion.object_is_entity,
            "qualifiers": _pairs(assertion.qualifiers),
            "start": check_time(valid.start),
            "end": check_time(valid.end),
            "start_granularity": int(valid.start_granularity),
            "end_granularity": int(valid.end_granularity),
            "start_basis": int(valid.start_basis),
            "end_basis": int(valid.end_basis),
            "verb": int(assertion.verb),
            "status": int(assertion.status),
            "confidence": float(assertion.confidence),
            "source": assertion.source,
            "source_priority": assertion.source_priority,
            "document_id": assertion.document_id,
            "revision": assertion.revision,
            "document_time": check_time(assertion.document_time),
            "register": assertion.register,
            "labels": assertion.labels,
            "restricted": 1 if assertion.labels else None,
            "event_id": assertion.event_id,
            "start_char": assertion.start_char,
            "end_char": assertion.end_char,
            "rule_id": assertion.rule_id,
            "recorded_at": check_time(assertion.recorded_at),
            "withdrawn_at": check_time(assertion.withdrawn_at),
            "told": assertion.told,
            "filed_from": None if assertion.filed_from == OPEN_START else check_time(assertion.filed_from),
            "filed_until": None if assertion.filed_until == OPEN_END else check_time(assertion.filed_until),
        }
    )


def assertion_of(row: Mapping[str, Any]) -> Assertion:
    """The inverse of :func:`assertion_row`."""
    text = texts(row)
    valid = ValidTime(
        start=row["start"],
        end=row["end"],
        start_granularity=Granularity(row["start_granularity"]),
        end_granularity=Granularity(row["end_granularity"]),
        start_basis=EndpointBasis(row["start_basis"]),
        end_basis=EndpointBasis(row["end_basis"]),
    )
    return Assertion(
        assertion_id=text("id"),
        key=text("key"),
        subject=text("subject"),
        predicate=text("predicate"),
        object=text("object"),
        object_is_entity=row["object_is_entity"],
        qualifiers=_unpairs(text("qualifiers")),
        valid=valid,
        verb=Verb(row["verb"]),
        status=Status(row["status"]),
        confidence=float(row["confidence"]),
        source=text("source"),
        source_priority=row["source_priority"],
        document_id=text("document_id"),
        revision=text("revision"),
        document_time=row["document_time"],
        register=row["register"],
        labels=tuple(row.get("labels", ())),
        event_id=text("event_id"),
        start_char=row["start_char"],
        end_char=row["end_char"],
        rule_id=text("rule_id"),
        recorded_at=row["recorded_at"],
        withdrawn_at=row["withdrawn_at"],
        told=text("told"),
        filed_from=row.get("filed_from", OPEN_START),
        filed_until=row.get("filed_until", OPEN_END),
    )


def version_row(version: FactVersion) -> Row:
    """Properties of a FACT edge."""
    return compact(
        {
            "id": version.version_id,
            "key": version.key,
            "subject": version.subject,
            "predicate": version.predicate,
            "object": version.object,
            "object_is_entity": version.object_is_entity,
            "qualifiers": _pairs(version.qualifiers),
            "start": check_time(version.valid.start),
            "end": check_time(version.valid.end),
            "granularity": int(version.valid.granularity),
            "start_granularity": int(version.start_granularity),
            "end_granularity": int(version.end_granularity),
            "start_known": version.start_known,
            "end_inferred": version.end_inferred,
            "announced": version.announced,
            "conflicted": version.conflicted,
            "recorded_at": check_time(version.recorded_at),
            "invalidated_at": check_time(version.invalidated_at),
        }
    )


FIELDS: Final = (
    "id", "key", "subject", "predicate", "object", "object_is_entity", "qualifiers", "start", "end",
    "granularity", "start_granularity", "end_granularity", "start_known", "end_inferred", "announced",
    "conflicted", "recorded_at", "invalidated_at",
)  # fmt: skip
"""The properties of a FACT edge in the order in which :func:`version_at` takes them."""


def version_of(row: Mapping[str, Any]) -> FactVersion:
    """The inverse of :func:`version_row`."""
    return version_at([row.get(name) for name in FIELDS])


_FLAGS: Final = ("object_is_entity", "start_known", "end_inferred", "announced", "conflicted")
_FLAG_PLACES: Final = tuple(FIELDS.index(name) for name in _FLAGS)


def version_at_plain(cells: list[Any]) -> FactVersion:
    """The same from a plain row that begins with ``FIELDS``, in which a boolean is a text."""
    for place in _FLAG_PLACES:
        if cells[place] is not None:
            cells[place] = cells[place] == "true"
    return version_at(cells[: len(FIELDS)])


def version_at(cells: Sequence[Any]) -> FactVersion:
    """The same from the values of ``FIELDS``; None stands for a property that is absent."""
    (
        id_, key, subject, predicate, object_, object_is_entity, qualifiers, start, end, granularity,
        start_granularity, end_granularity, start_known, end_inferred, announced, conflicted, recorded_at,
        invalidated_at,
    ) = cells  # fmt: skip
    return FactVersion(
        version_id=id_ or "",
        key=key or "",
        subject=subject or "",
        predicate=predicate or "",
        object=object_ or "",
        object_is_entity=object_is_entity,
        qualifiers=_unpairs(qualifiers or ""),
        valid=Interval(start, end, Granularity(granularity)),
        start_granularity=Granularity(start_granularity),
        end_granularity=Granularity(end_granularity),
        start_known=start_known,
        end_inferred=end_inferred,
        announced=announced,
        conflicted=conflicted,
        recorded_at=recorded_at,
        invalidated_at=invalidated_at,
    )


def version_order(version: FactVersion) -> tuple[str, int, int, str]:
    """(key, valid start, recorded_at, version id): the order in which facts are returned."""
    return version.key, version.valid.start, version.recorded_at, version.version_id
