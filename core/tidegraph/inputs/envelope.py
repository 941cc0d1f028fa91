"""Records of the ``documents`` topic to documents and back.

What a record is, is told by its headers first: a null value is a retraction; ``ce_specversion`` or a
CloudEvents content type; a text content type; a schema registry frame, only when a registry is
configured; then JSON, which is a Debezium change event, a Kafka Connect row or the plain form.
"""

from __future__ import annotations

import contextlib
import hashlib
from collections.abc import Mapping as MappingOf
from dataclasses import dataclass, replace
from typing import Any, Final
from urllib.parse import quote, unquote

from tidegraph.domain.documents import DocumentKind, DocumentTime
from tidegraph.domain.errors import LimitExceeded, Rejected
from tidegraph.inputs import charsets, cloudevents, debezium, jsontext, payload, plain, registry, times
from tidegraph.inputs.document import Content, Defaults, RawDocument, finish
from tidegraph.inputs.mapping import Mapping, load_mapping
from tidegraph.ports import LogRecord
from tidegraph.settings import Settings

HEADER_TENANT: Final = "x-tenant"
HEADER_DOCUMENT_ID: Final = "x-doc-id"
HEADER_SOURCE: Final = "x-source"
CONTENT_TYPE: Final = "content-type"
JSON_TYPE: Final = b"application/json"
MAX_HEADER_BYTES: Final = 64 * 1024
_OVERHEAD: Final = 4
"""JSON escapes and base64 make a record longer than its text; four times is room enough."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EnvelopeDefaults:
    """What a record that does not say otherwise is read with, per topic or source."""

    document: Defaults
    rules: times.TimeRules = times.UTC_RULES
    mapping: Mapping | None = None
    registry: registry.Registry | None = None


def configured(settings: Settings) -> EnvelopeDefaults:
    """What the settings say: default graph, zone, limit, mapping file and schema registry.

    Raises:
        Rejected: the mapping file is missing or wrong, or the time zone is none.
    """
    grounding, inputs = settings.grounding, settings.inputs
    times.zone_of(grounding.timezone)
    schemas: registry.Registry | None = None
    if inputs.schema_registry_url:
        from tidegraph.inputs.registry_http import HttpRegistry  # noqa: PLC0415  (loads an HTTP client)

        schemas = HttpRegistry(inputs.schema_registry_url)
    return EnvelopeDefaults(
        document=Defaults(graph=settings.default_graph, max_bytes=settings.max_document_bytes),
        rules=times.TimeRules(grounding.timezone, grounding.day_first),
        mapping=load_mapping(inputs.mapping_file) if inputs.mapping_file else None,
        registry=schemas,
    )


def decode(record: LogRecord, defaults: EnvelopeDefaults) -> RawDocument:
    """The document that a log record carries.

    Raises:
        Rejected: the record is no document; the message names the cause. Nothing else is raised for bad
            input.
        Retryable: the schema registry does not answer.
    """
    _check_size(record, defaults.document.max_bytes)
    headers = _Headers(record.headers)
    tenant = headers.tenant()
    key = _Key(record.key, tenant or defaults.document.graph, defaults.registry)
    content = _content(record, headers, key, defaults)
    if tenant and content.graph and content.graph != tenant:
        raise Rejected(
            "TENANT_CONFLICT",
            f"the header {HEADER_TENANT} says {tenant[:80]!r}, the value {content.graph[:80]!r}",
        )
    content = replace(
        content,
        graph=content.graph or tenant,
        document_id=content.document_id or headers.get(HEADER_DOCUMENT_ID) or key.document_id,
        source=content.source or headers.get(HEADER_SOURCE),
    )
    return finish(content, defaults.document)


def encode(document: RawDocument) -> tuple[bytes, bytes | None, tuple[tuple[str, bytes], ...]]:
    """(key, value, headers) of the record that carries a document in the plain JSON form.

    A retraction that says nothing but what is retracted has no value. The
    key keeps all revisions of a document in one partition.
    """
    headers = (
        (CONTENT_TYPE, JSON_TYPE),
        (HEADER_TENANT, document.graph.encode()),
        (HEADER_DOCUMENT_ID, document.document_id.encode()),
    )
    key = f"{quote(document.graph, safe='')}/{quote(document.document_id, safe='')}".encode()
    if document == _bare_retraction(document):
        return key, None, headers
    return key, jsontext.dump(plain.write(document)).encode(), headers


def _bare_retraction(document: RawDocument) -> RawDocument:
    """What a null value under the document's key is read as."""
    content = Content(document_id=document.document_id, kind=DocumentKind.RETRACTION)
    return finish(content, Defaults(graph=document.graph))


def _check_size(record: LogRecord, max_bytes: int) -> None:
    size = len(record.value or b"")
    if size > max_bytes * _OVERHEAD:
        raise LimitExceeded(
            "DOCUMENT_TOO_LARGE", f"the record has {size:,} bytes, the limit is {max_bytes * _OVERHEAD:,}"
        )
    if len(record.key or b"") > MAX_HEADER_BYTES:
        raise LimitExceeded("KEY_TOO_LARGE", f"the key has {len(record.key or b''):,} bytes")


def _content(record: LogRecord, headers: _Headers, key: _Key, defaults: EnvelopeDefaults) -> Content:
    rules, mapping = defaults.rules, defaults.mapping
    attributes = headers.cloud_event()
    if record.value is None:
        return _tombstone(
            attributes, headers, debezium.mapped_id(key.fields, mapping) or key.document_id, rules
        )
    media = payload.media_type(headers.get(CONTENT_TYPE))
    framed = registry.is_framed(record.value) and not media.is_text
    decoded = registry.decode(record.value, defaults.registry) if framed and defaults.registry else None
    if "specversion" in attributes:
        if decoded is not None:
            data, content_type = jsontext.dump(decoded).encode(), "application/json"
        else:
            data, content_type = record.value, headers.get(CONTENT_TYPE)
        return cloudevents.read_binary(attributes, content_type, data, rules, mapping)
    if media.name.startswith("application/cloudevents"):
        return _structured(media, record.value, rules, mapping)
    if media.is_text:
        content = payload.read(record.value, media, rules, mapping)
        named = content.document_id or key.document_id or headers.get(HEADER_DOCUMENT_ID)
        return content if named else replace(content, document_id=_hash_id(record.value))
    if decoded is not None:
        return _json(decoded, key, rules, mapping, readable=True)
    if media.is_json or (not media.name and _starts_like_json(record.value)):
        return _json(jsontext.load(record.value), key, rules, mapping)
    if media.name and not (framed and "avro" in media.name):
        return payload.read(record.value, media, rules, mapping)
    return _unlabelled(record.value, key, framed)


def _tombstone(
    attributes: MappingOf[str, str], headers: _Headers, key: str, rules: times.TimeRules
) -> Content:
    named = headers.get(HEADER_DOCUMENT_ID) or attributes.get("subject", "") or key
    if not named:
        raise Rejected("MISSING_KEY", "the value is null and the key is missing: there is nothing to retract")
    time: DocumentTime | None = None
    if attributes.get("time", "").strip():
        time = times.require(attributes["time"], "cloudevents:time", rules)
    return Content(
        document_id=named,
        graph=attributes.get("tenant", ""),
        source=attributes.get("source", ""),
        kind=DocumentKind.RETRACTION,
        document_time=time,
    )


def _structured(
    media: payload.MediaType, value: bytes, rules: times.TimeRules, mapping: Mapping | None
) -> Content:
    if "batch" in media.name:
        raise Rejected("UNSUPPORTED_BATCH", "a batch of CloudEvents in one record: send one event a record")
    if media.name not in ("application/cloudevents", "application/cloudevents+json"):
        raise Rejected(
            "UNSUPPORTED_CONTENT_TYPE", f"CloudEvents as {media.name[:80]!r}: only the JSON format is read"
        )
    return cloudevents.read_structured(value, rules, mapping)


def _json(
    value: Any, key: _Key, rules: times.TimeRules, mapping: Mapping | None, *, readable: bool = False
) -> Content:
    """A JSON value by its shape; ``readable`` says that a registry has told the types of its columns."""
    if not isinstance(value, dict):
        return payload.read_json(payload.require_object(value), rules, mapping)
    if "specversion" in value and ("data" in value or "data_base64" in value):
        return cloudevents.read_structured(jsontext.dump(value).encode(), rules, mapping)
    wrapped = debezium.Wrapped(value, {}) if readable else debezium.unwrap(value)
    if debezium.is_change(wrapped.payload):
        return debezium.read_change(wrapped, key.fields, rules, mapping)
    if wrapped.payload is value:
        return payload.read_json(value, rules, mapping)
    if wrapped.payload is None:
        if not key.document_id:
            raise Rejected(
                "MISSING_KEY", "the payload is null and the key is missing: there is nothing to retract"
            )
        return Content(document_id=key.document_id, kind=DocumentKind.RETRACTION)
    row = payload.require_object(wrapped.payload)
    if row.get("__deleted") in (True, "true"):
        return Content(document_id=key.document_id, kind=DocumentKind.RETRACTION)
    return debezium.read_row(row, wrapped.schema, key.fields, rules, mapping)


def _unlabelled(value: bytes, key: _Key, framed: bool) -> Content:
    """A value that no header describes: text, if it is plainly text."""
    if not value.strip():
        raise Rejected("EMPTY_DOCUMENT", "the value is empty: a retraction has a null value")
    body = value[1:] if framed else value
    try:
        text = body.decode("utf-8")
    except UnicodeDecodeError:
        text = "\x01"
    if any(ord(char) < 32 and char not in "\t\n\r\f" for char in text):
        cause = (
            "the value is framed for a schema registry (magic byte 0) but no registry is configured"
            if framed
            else "the value is binary and no content-type header says what it is"
        )
        raise Rejected("UNKNOWN_FORMAT", cause)
    return Content(text=charsets.clean(text), document_id=key.document_id or _hash_id(value))


def _starts_like_json(value: bytes) -> bool:
    start = value[:64].lstrip(b"\xef\xbb\xbf\xff\xfe\x00 \t\r\n")
    return start[:1] in (b"{", b"[")


def _hash_id(value: bytes) -> str:
    return f"sha256:{hashlib.sha256(value).hexdigest()}"


class _Headers:
    """Header look-up: names without regard to case, the last of several wins."""

    def __init__(self, headers: tuple[tuple[str, bytes], ...]) -> None:
        self._values: dict[str, list[bytes]] = {}
        for name, value in headers:
            self._values.setdefault(name.lower(), []).append(value or b"")

    def get(self, name: str) -> str:
        values = self._values.get(name)
        return _header_text(name, values[-1]) if values else ""

    def cloud_event(self) -> dict[str, str]:
        return {name[3:]: self.get(name) for name in self._values if name.startswith("ce_")}

    def tenant(self) -> str:
        """The tenant header; two that differ are refused rather than one of them believed."""
        values = set(self._values.get(HEADER_TENANT, ()))
        if len(values) > 1:
            raise Rejected(
                "TENANT_CONFLICT", f"the header {HEADER_TENANT} is given twice with different values"
            )
        return self.get(HEADER_TENANT)


class _Key:
    """A record's key: text, a JSON object of key columns, or bytes that are not text.

    A key that :func:`encode` made (graph and document id, percent-encoded) names the document id.
    """

    def __init__(self, key: bytes | None, graph: str, schemas: registry.Registry | None) -> None:
        self._graph = graph
        self._schemas = schemas
        self.fields: dict[str, Any] = {}
        self.document_id = ""
        if key:
            self._read(key)

    def _read(self, key: bytes) -> None:
        try:
            text = key.decode("utf-8")
        except UnicodeDecodeError:
            text = "\0"
        if self._schemas is not None and registry.is_framed(key):
            with contextlib.suppress(Rejected):
                self._take(registry.decode_value(key, self._schemas))
                return
        if any(ord(char) < 32 for char in text):
            self.document_id = f"0x{key.hex()}" if len(key) <= 256 else _hash_id(key)
            return
        self.document_id = text.strip()
        head, slash, rest = text.partition("/")
        if slash and rest and "/" not in rest and unquote(head) == self._graph:
            self.document_id = unquote(rest)
            return
        if text[:1] not in ("{", '"'):
            return
        try:
            value = jsontext.load(text)
        except Rejected:
            return
        self._take(value)

    def _take(self, value: Any) -> None:
        if isinstance(value, str | int) and str(value).strip():
            self.document_id = str(value)
        elif isinstance(value, dict):
            self.fields = debezium.key_fields(value)
            joined = ":".join(str(item) for item in self.fields.values() if item is not None)
            table = debezium.key_table(value)
            self.document_id = f"{table}/{joined}" if table and joined else joined


def _header_text(name: str, value: bytes) -> str:
    if len(value) > MAX_HEADER_BYTES:
        raise LimitExceeded("HEADER_TOO_LARGE", f"the header {name[:80]!r} has {len(value):,} bytes")
    try:
        return value.decode("utf-8").strip()
    except UnicodeDecodeError:
        raise Rejected("INVALID_HEADER", f"the header {name[:80]!r} is not UTF-8") from None
