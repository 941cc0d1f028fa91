"""Records of the documents topic for tests: made, framed, and read with given defaults."""

from __future__ import annotations

import json
import struct

from tidegraph.domain.errors import Retryable
from tidegraph.inputs.document import Defaults, iso_text
from tidegraph.inputs.envelope import EnvelopeDefaults, decode
from tidegraph.inputs.mapping import parse_mapping
from tidegraph.inputs.registry import RegisteredSchema
from tidegraph.inputs.times import TimeRules
from tidegraph.ports import LogRecord

TEXT = "The depot in Lund opens."
EVENT = {"ce_specversion": "1.0", "ce_id": "e1", "ce_type": "t", "ce_source": "/notes"}


def record(value, key: bytes | str | None = b"k", **headers: str) -> LogRecord:
    data = (
        value
        if isinstance(value, bytes | None)
        else (value if isinstance(value, str) else json.dumps(value)).encode()
    )
    pairs = tuple(
        (name.replace("_", "-") if not name.startswith("ce_") else name, text.encode())
        for name, text in headers.items()
    )
    return LogRecord("documents", 0, 0, 0, key.encode() if isinstance(key, str) else key, data, pairs)


def read(
    value, key: bytes | str | None = b"k", mapping: str = "", registry=None, zone: str = "UTC", **headers: str
):
    defaults = EnvelopeDefaults(
        document=Defaults(graph="main", max_bytes=100_000),
        rules=TimeRules(zone),
        mapping=parse_mapping(mapping, "m.yaml") if mapping else None,
        registry=registry,
    )
    return decode(record(value, key, **headers), defaults)


def time_of(document) -> str | None:
    return iso_text(document.document_time) if document.document_time else None


AVRO = {
    "type": "record", "name": "Policy", "namespace": "org.x",
    "fields": [
        {"name": "id", "type": "string"},
        {"name": "text", "type": "string"},
        {"name": "changed", "type": ["null", {"type": "long", "logicalType": "timestamp-millis"}]},
        {"name": "price", "type": {"type": "bytes", "logicalType": "decimal", "precision": 9, "scale": 2}},
        {"name": "tags", "type": {"type": "array", "items": "string"}},
        {"name": "kind", "type": {"type": "enum", "name": "Kind", "symbols": ["narrative", "register"]}},
        {"name": "next", "type": ["null", "Policy"]},
        {"name": "ratio", "type": "double"},
        {"name": "open", "type": "boolean"},
        {"name": "extra", "type": {"type": {"type": "map", "values": "int"}}},
    ],
}  # fmt: skip


def zigzag(number: int) -> bytes:
    number = (number << 1) ^ (number >> 63)
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*out, number])


def avro_text(text: str) -> bytes:
    return zigzag(len(text.encode())) + text.encode()


AVRO_DATA = (
    avro_text("p-1") + avro_text(TEXT) + zigzag(1) + zigzag(1707127200000) + zigzag(3)
    + (1234567).to_bytes(3, "big")
    + zigzag(2) + avro_text("a") + avro_text("b") + zigzag(0) + zigzag(1) + zigzag(0)
    + struct.pack("<d", float("nan")) + b"\x01"
    + zigzag(-1) + zigzag(2) + avro_text("k") + zigzag(5) + zigzag(0)
)  # fmt: skip


class Registry:
    """Two schemas; id 9 stands for a registry that is away."""

    def find(self, schema_id):
        if schema_id == 9:
            raise Retryable("REGISTRY_UNAVAILABLE", "away")
        kinds = {
            1: ("AVRO", json.dumps(AVRO)),
            2: ("JSON", "{}"),
            3: ("THRIFT", "x"),
            4: ("AVRO", '"string"'),
            5: ("AVRO", '{"type": "x"}'),
        }
        return RegisteredSchema(schema_id, *kinds[schema_id]) if schema_id in kinds else None


def framed(schema_id: int, data: bytes) -> bytes:
    return b"\0" + schema_id.to_bytes(4, "big") + data


MAPPING = (
    "document:\n  id: /id\n  text: /text\n  time: /changed\n  title: /price\n  labels: /tags\n  kind: /kind\n"
)
