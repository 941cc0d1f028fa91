"""CloudEvents 1.0 on Kafka: binary mode (``ce_`` headers) and structured mode."""

from __future__ import annotations

import base64
import binascii
from dataclasses import replace
from typing import Any, Final

from tidegraph.domain.errors import Rejected
from tidegraph.inputs import payload, times
from tidegraph.inputs.document import Content
from tidegraph.inputs.jsontext import dump, load
from tidegraph.inputs.mapping import Mapping
from tidegraph.inputs.times import TimeRules

REQUIRED: Final = ("id", "source", "type", "specversion")


def read_binary(
    attributes: dict[str, str], content_type: str, value: bytes, rules: TimeRules, mapping: Mapping | None
) -> Content:
    """The event whose attributes came in headers and whose data is the record's value."""
    require_attributes(attributes)
    media = payload.media_type(content_type or attributes.get("datacontenttype", ""))
    if not media.name:
        media = payload.MediaType(_sniff(value), "")
    return with_attributes(payload.read(value, media, rules, mapping), attributes, rules, mapping)


def read_structured(value: bytes, rules: TimeRules, mapping: Mapping | None) -> Content:
    """The event that is one JSON object with its data inside."""
    event = load(value)
    if not isinstance(event, dict):
        raise Rejected("INVALID_ENVELOPE", "a structured CloudEvent is one JSON object")
    attributes = {
        name: item if isinstance(item, str) else dump(item)
        for name, item in event.items()
        if name not in ("data", "data_base64") and item is not None
    }
    require_attributes(attributes)
    content = _data(event, attributes.get("datacontenttype", ""), rules, mapping)
    return with_attributes(content, attributes, rules, mapping)


def require_attributes(attributes: dict[str, str]) -> None:
    """Check the required attributes.

    Raises:
        Rejected: one is missing or empty, or a specversion other than 1.
    """
    for name in REQUIRED:
        if not attributes.get(name, "").strip():
            raise Rejected("INVALID_ENVELOPE", f"the CloudEvent has no {name}, which is required")
    if attributes["specversion"] not in ("1.0", "0.3") and not attributes["specversion"].startswith("1."):
        raise Rejected(
            "INVALID_ENVELOPE", f"CloudEvents specversion {attributes['specversion'][:20]!r} is not 1.0"
        )


def with_attributes(
    content: Content, attributes: dict[str, str], rules: TimeRules, mapping: Mapping | None
) -> Content:
    """The content with what the attributes say.

    The attributes win over what the data says of itself, because a later event without data knows the
    document by them only; a mapping wins over both. A missing ``time`` stays missing.
    """
    mapped = mapping.document if mapping is not None else {}
    document_id, time = content.document_id, content.document_time
    if not document_id or "id" not in mapped:
        document_id = (
            attributes.get("subject", "") or document_id or f"{attributes['source']}#{attributes['id']}"
        )
    if attributes.get("time", "").strip() and (time is None or "time" not in mapped):
        time = times.require(attributes["time"], "cloudevents:time", rules)
    return replace(
        content,
        document_id=document_id,
        graph=content.graph or attributes.get("tenant", ""),
        source=content.source or attributes["source"],
        document_time=time,
    )


def _data(event: dict[str, Any], content_type: str, rules: TimeRules, mapping: Mapping | None) -> Content:
    media = payload.media_type(content_type or "application/json")
    if event.get("data_base64") is not None:
        if event.get("data") is not None:
            raise Rejected("INVALID_ENVELOPE", "the CloudEvent has both data and data_base64")
        return payload.read(_base64(event["data_base64"]), media, rules, mapping)
    data = event.get("data")
    if data is None:
        raise Rejected("EMPTY_DOCUMENT", "the CloudEvent has no data: the document is empty")
    if media.is_json and not isinstance(data, str):
        return payload.read(dump(data).encode(), payload.MediaType(media.name, ""), rules, mapping)
    if not isinstance(data, str):
        raise Rejected("INVALID_ENVELOPE", f"the data of a {media.name} event must be a text")
    name = media.name if content_type and not media.is_json else _sniff(data.encode())
    return payload.read(data.encode(), payload.MediaType(name, "utf-8"), rules, mapping)


def _base64(value: Any) -> bytes:
    try:
        return base64.b64decode("".join(value.split()), validate=True)
    except (AttributeError, ValueError, binascii.Error):
        raise Rejected("INVALID_ENVELOPE", "data_base64 is not base64") from None


def _sniff(value: bytes) -> str:
    return "application/json" if value.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{" else "text/plain"
