"""Records in the shapes that real producers send; ``messages.jsonl`` says what must come of each."""

from __future__ import annotations

import base64
import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest
import yaml

from tidegraph.domain.errors import Rejected
from tidegraph.inputs.document import Defaults, RawDocument, iso_text
from tidegraph.inputs.envelope import EnvelopeDefaults, decode, encode
from tidegraph.inputs.mapping import parse_mapping
from tidegraph.inputs.registry import RegisteredSchema
from tidegraph.ports import LogRecord

MESSAGES = [json.loads(line) for line in Path(__file__).with_name("messages.jsonl").read_text().splitlines()]


class Schemas:
    def __init__(self, schemas: list[dict[str, Any]]) -> None:
        self._by_id = {s["id"]: RegisteredSchema(s["id"], s["schema_type"], s["schema"]) for s in schemas}

    def find(self, schema_id: int) -> RegisteredSchema | None:
        return self._by_id.get(schema_id)


def record_of(message: dict[str, Any]) -> LogRecord:
    def data(text: str | None) -> bytes | None:
        return None if text is None else base64.b64decode(text)

    key = data(message["key_base64"]) if "key_base64" in message else message["key"]
    return LogRecord(
        topic="documents",
        partition=0,
        offset=0,
        timestamp=0,
        key=key.encode() if isinstance(key, str) else key,
        value=data(message["value_base64"]),
        headers=tuple((name, value.encode()) for name, value in message["headers"]),
    )


def read(message: dict[str, Any]) -> RawDocument:
    fields = {k: v for k, v in message.get("mapping", {}).items() if k != "note"}
    mapping = parse_mapping(yaml.safe_dump({"document": fields}), "m.yaml") if fields else None
    registry = Schemas(message["registry"]) if "registry" in message else None
    return decode(
        record_of(message),
        EnvelopeDefaults(document=Defaults(graph="test"), mapping=mapping, registry=registry),
    )


def folded(text: str) -> str:
    return " ".join(unicodedata.normalize("NFKC", text).casefold().split())


def outcome_of(message: dict[str, Any]) -> tuple[RawDocument | None, str]:
    """(document, "") or (None, cause of the rejection)"""
    try:
        return read(message), ""
    except Rejected as error:
        return None, str(error)


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: message["id"])
def test_outcome(message):
    expect = message["expect"]
    document, cause = outcome_of(message)
    if document is None:
        assert expect["outcome"] in ("rejected", "either")
        assert any(word.casefold() in cause.casefold() for word in expect["cause_any"])
        return
    assert expect["outcome"] in ("ok", "either")
    if "document_id" in expect:
        ids = expect["document_id"]
        assert any(one in document.document_id for one in ([ids] if isinstance(ids, str) else ids))
    if "document_time" in expect:
        found = iso_text(document.document_time).split(".")[0].rstrip("Z") if document.document_time else None
        assert found == (expect["document_time"] or "").rstrip("Z")
    assert folded(expect.get("title_contains", "")) in folded(document.title)
    assert all(folded(part) in folded(document.text) for part in expect.get("text_contains", ()))
    assert not any(part in document.text for part in expect.get("text_not", ()))
    assert document.kind.name == ("RETRACTION" if "retract" in expect.get("effect", "") else "NARRATIVE")


@pytest.mark.parametrize("message", MESSAGES, ids=lambda message: message["id"])
def test_what_is_sent_on_reads_the_same(message):
    try:
        document = read(message)
    except Rejected:
        return
    key, value, headers = encode(document)
    record = LogRecord("documents", 0, 0, 0, key, value, headers)
    assert decode(record, EnvelopeDefaults(document=Defaults(graph="other"))) == document
