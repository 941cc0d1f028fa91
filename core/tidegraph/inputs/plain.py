"""The plain JSON form of a document: what ``ingest`` sends and what a simple producer writes.

    {"id": "memo-1", "text": "...", "title": "...", "updated_at": "2024-01-05T10:00:00Z", ...}

Read: ``id``, ``text`` (``body``, ``content``), ``title``, ``source``, ``revision``, ``tenant``, ``kind``,
``labels`` (``acl``), ``source_priority``, ``language``, ``records`` with ``mapping``, and a time: the
first of ``document_time``, ``updated_at``, ``modified_at``, ``published_at``, ``created_at``, ``date``.
"""

from __future__ import annotations

from typing import Any, Final

from tidegraph.domain.documents import DocumentKind, DocumentTime
from tidegraph.domain.errors import LimitExceeded, Rejected
from tidegraph.domain.interval import Granularity
from tidegraph.inputs import times
from tidegraph.inputs.document import Content, RawDocument, iso_text
from tidegraph.inputs.jsontext import dump
from tidegraph.inputs.mapping import kind_of, scalar

TEXT_FIELDS: Final = ("text", "body", "content")
TIME_FIELDS: Final = (
    "document_time", "updated_at", "updatedAt", "updated", "modified_at", "modified", "published_at",
    "published", "created_at", "createdAt", "created", "date",
)  # fmt: skip
MAX_RECORDS: Final = 100_000


def read(value: dict[str, Any], rules: times.TimeRules, *, needs_text: bool = True) -> Content:
    """The content of a plain JSON document.

    Raises:
        Rejected: a field of the wrong kind, a time that cannot be read, no text.
    """
    kind = kind_of(_text(value, "kind"), "kind")
    text, found = _body(value)
    records = _records(value)
    if needs_text and not found and not records and kind is not DocumentKind.RETRACTION:
        raise Rejected(
            "MISSING_TEXT",
            "there is no field text (nor body, content or records): name the fields in a mapping file",
        )
    return Content(
        document_id=_text(value, "id"),
        revision=_text(value, "revision"),
        graph=_text(value, "tenant"),
        source=_text(value, "source"),
        title=_text(value, "title"),
        kind=kind,
        document_time=_time(value, rules),
        labels=_labels(value),
        source_priority=_priority(value.get("source_priority")),
        language=_text(value, "language"),
        text=text,
        records=records,
        mapping_name=_text(value, "mapping_name"),
        mapping=_text(value, "mapping"),
    )


def write(document: RawDocument) -> dict[str, Any]:
    """The plain JSON form of a document, which :func:`read` turns back into the same content."""
    value: dict[str, Any] = {
        "id": document.document_id,
        "revision": document.revision,
        "tenant": document.graph,
        "source": document.source,
        "title": document.title,
        "kind": document.kind.name.lower(),
        "labels": list(document.labels),
        "source_priority": document.source_priority,
        "language": document.language,
        "text": document.text,
    }
    if document.document_time is not None:
        time = document.document_time
        value["document_time"] = iso_text(time)
        value["document_time_granularity"] = time.granularity.name.lower()
        value["document_time_provenance"] = time.provenance
    if document.records:
        value["records"] = list(document.records)
        value["mapping_name"] = document.mapping_name
        value["mapping"] = document.mapping
    return value


def _body(value: dict[str, Any]) -> tuple[str, bool]:
    """(text, whether there is such a field)"""
    for name in TEXT_FIELDS:
        body = value.get(name)
        if isinstance(body, str):
            return body, True
        if body is not None:
            raise Rejected("INVALID_FIELD", f"{name} must be a text, not {_what(body)}")
    if any(name in value for name in TEXT_FIELDS):
        if _records(value) or kind_of(_text(value, "kind"), "kind") is DocumentKind.RETRACTION:
            return "", True
        raise Rejected("EMPTY_DOCUMENT", "the text is null: the document is empty")
    return "", False


def _records(value: dict[str, Any]) -> tuple[str, ...]:
    records = value.get("records")
    if records is None:
        return ()
    if not isinstance(records, list):
        raise Rejected("INVALID_FIELD", f"records must be an array, not {_what(records)}")
    if len(records) > MAX_RECORDS:
        raise LimitExceeded("TOO_MANY_RECORDS", f"{len(records):,} records, the limit is {MAX_RECORDS:,}")
    if any(not isinstance(record, str | dict) for record in records):
        raise Rejected("INVALID_FIELD", "records must hold JSON objects")
    return tuple(record if isinstance(record, str) else dump(record) for record in records)


def _time(value: dict[str, Any], rules: times.TimeRules) -> DocumentTime | None:
    for name in TIME_FIELDS:
        given = value.get(name)
        if given is None or given == "":
            continue
        where = f"json: {name}"
        if isinstance(given, bool | list | dict):
            raise Rejected("INVALID_TIME", f"{where}: a time must be a text or a number")
        if isinstance(given, int | float):
            return times.from_number(given, _text(value, "time_unit"), where)
        return _with_origin(times.require(given, where, rules), value)
    return None


def _with_origin(time: DocumentTime, value: dict[str, Any]) -> DocumentTime:
    """Granularity and provenance as the sender of ``ingest`` knew them."""
    provenance = _text(value, "document_time_provenance") or time.provenance
    name = _text(value, "document_time_granularity").upper()
    grain = Granularity[name] if name in Granularity.__members__ else time.granularity
    return DocumentTime(time.instant, grain, provenance)


def _labels(value: dict[str, Any]) -> tuple[str, ...] | None:
    labels = value.get("labels", value.get("acl"))
    if labels is None:
        return None
    items = labels if isinstance(labels, list) else [labels]
    return tuple(scalar(item, "labels") for item in items)


def _priority(value: Any) -> int | None:
    if value is None:
        return None
    if not isinstance(value, int) or isinstance(value, bool) or abs(value) > 1_000_000:
        raise Rejected("INVALID_FIELD", f"source_priority must be a whole number, not {str(value)[:40]!r}")
    return value


def _text(value: dict[str, Any], name: str) -> str:
    item = value.get(name)
    return "" if item is None else scalar(item, name)


def _what(value: Any) -> str:
    return {dict: "an object", list: "an array", bool: "true or false"}.get(type(value), "a number")
