"""Change events of databases, with and without schemas, as records of the documents topic."""

from __future__ import annotations

import json

import pytest
from tests.unit.inputs.envelopes import (
    TEXT,
    avro_text,
    framed,
    read,
    time_of,
    zigzag,
)

from tidegraph.domain.documents import DocumentKind
from tidegraph.domain.errors import Rejected
from tidegraph.inputs.registry import RegisteredSchema

SOURCE = {"name": "hr", "db": "people", "schema": "public", "table": "contracts", "ts_ms": 1714543200000}
COLUMNS = [
    {"field": "id", "type": "int32"},
    {"field": "supplier", "type": "string"},
    {
        "field": "price",
        "type": "bytes",
        "name": "org.apache.kafka.connect.data.Decimal",
        "parameters": {"scale": "2"},
    },
    {"field": "rate", "type": "struct", "name": "io.debezium.data.VariableScaleDecimal"},
    {"field": "since", "type": "int32", "name": "io.debezium.time.Date"},
    {"field": "signed_at", "type": "int64", "name": "io.debezium.time.MicroTimestamp"},
    {"field": "measured_at", "type": "int64", "name": "io.debezium.time.NanoTimestamp"},
    {"field": "ends_at", "type": "string", "name": "io.debezium.time.ZonedTimestamp"},
    {"field": "opens", "type": "int64", "name": "io.debezium.time.MicroTime"},
    {"field": "photo", "type": "bytes"},
]
ROW = {
    "id": 7, "supplier": "Northwind", "price": "EtaH", "rate": {"scale": 3, "value": "/w=="}, "since": 19844,
    "signed_at": 1714515300250001,
    "measured_at": 1714515300999999999, "ends_at": "2026-12-31T23:00:00Z",
    "opens": 30600000000, "photo": "AAAA",
}  # fmt: skip
SCHEMA = {
    "type": "struct",
    "fields": [{"field": side, "type": "struct", "fields": COLUMNS} for side in ("before", "after")],
}
READABLE = (
    "price: 12345.67",
    "rate: -0.001",
    "since: 2024-05-01",
    "signed_at: 2024-04-30T22:15:00.250001",
    "measured_at: 2024-04-30T22:15:00.999999",
    "opens: 08:30:00",
)


def change(op: str, *, wrapped: bool = True, **images):
    payload = {"before": None, "after": None, "source": SOURCE, "op": op, "ts_ms": 1} | images
    return {"schema": SCHEMA, "payload": payload} if wrapped else payload


@pytest.mark.parametrize("op", ["c", "r", "u"])
def test_change_with_schema(op):
    document = read(change(op, after=ROW), '{"id": 7}')
    assert (document.document_id, document.source) == ("hr.public.contracts/7", "hr.public.contracts")
    assert all(line in document.text for line in READABLE)
    assert "AAAA" not in document.text
    assert time_of(document) == "2024-05-01T06:00:00Z"
    assert document.document_time.provenance.startswith("debezium:source.ts_ms")
    assert ("snapshot" in document.document_time.provenance) == (op == "r")


def test_change_without_schema_needs_types():
    with pytest.raises(Rejected, match="schema"):
        read(change("c", wrapped=False, after=ROW), '{"id": 7}')
    types = (
        "document:\n  types:\n    /price: decimal(2)\n    /since: "
        "days\n    /signed_at: us\n    /measured_at: ns\n    /opens: us\n"
    )
    text = read(
        change(
            "c", wrapped=False, after={k: v for k, v in ROW.items() if k not in ("rate", "opens", "photo")}
        ),
        '{"id": 7}',
        mapping=types,
    ).text
    assert all(line in text for line in READABLE if not line.startswith(("rate", "opens")))


def test_change_with_a_mapping():
    mapping = "document:\n  text: /body\n  title: /name\n  time: /changed\n  time_unit: days\n"
    document = read(
        change("u", wrapped=False, after={"id": 7, "name": "N", "body": TEXT, "changed": 19844}),
        '{"id": 7}',
        mapping=mapping,
    )
    assert (document.text, document.title, time_of(document)) == (TEXT, "N", "2024-05-01")


def test_delete_with_and_without_images():
    for event in (
        change("d", before=ROW),
        change("d", wrapped=False),
        change("d", wrapped=False, before={"id": 7}),
    ):
        document = read(event, '{"id": 7}')
        assert (document.kind, document.document_id) == (DocumentKind.RETRACTION, "hr.public.contracts/7")
        assert time_of(document) == "2024-05-01T06:00:00Z"


def test_a_table_that_is_named_by_the_schema_of_the_key_only():
    key = '{"schema": {"type": "struct", "name": "hr.public.contracts.Key"}, "payload": {"id": 7}}'
    assert read(None, key).document_id == read(change("d"), key).document_id


@pytest.mark.parametrize(
    ("event", "key", "word"),
    [
        (change("t"), None, "truncate"),
        (change("m"), "k", "op="),
        (change("c"), '{"id": 7}', "after"),
        (change("d"), None, "key"),
        (change("c", after={"supplier": "x"}), None, "key"),
        (change("u", after={"id": 7, "price": "!!"}), '{"id": 7}', "price"),
        (change("u", after={"id": 7, "since": "soon"}), '{"id": 7}', "since"),
        (change("u", after={"id": 7, "since": 10**30}), '{"id": 7}', "since"),
    ],
)
def test_changes_refused(event, key, word):
    with pytest.raises(Rejected, match=word):
        read(event, key)


def test_text_that_the_database_left_out():
    with pytest.raises(Rejected, match="unchanged"):
        read(
            change("u", after={"id": 7, "body": "__debezium_unavailable_value"}),
            '{"id": 7}',
            mapping="document:\n  text: /body\n",
        )


def test_flattened_row():
    schema = {"type": "struct", "fields": COLUMNS}
    assert (
        "since: 2024-05-01"
        in read({"schema": schema, "payload": {"id": 7, "since": 19844}}, '{"id": 7}').text
    )
    assert (
        read({"schema": schema, "payload": {"id": 7, "__deleted": "true"}}, '{"id": 7}').kind
        is DocumentKind.RETRACTION
    )


# --- MongoDB, mapped ids, framed events ----------------------------------------


def test_mongo_documents():
    after = json.dumps(
        {
            "_id": {"$oid": "5f1"},
            "body": TEXT,
            "at": {"$date": 1714543200000},
            "n": {"$numberLong": "5"},
            "blob": {"$binary": {"base64": "AA=="}},
        }
    )
    key = json.dumps({"id": json.dumps({"$oid": "5f1"})})
    source = {"name": "m", "db": "d", "collection": "notes", "ts_ms": 1714543200000}
    document = read(
        {"op": "c", "after": after, "source": source},
        key,
        mapping="document:\n  text: /body\n  time: /at\n  title: /n\n",
    )
    assert (document.document_id, document.text, document.title) == ("m.d.notes/5f1", TEXT, "5")
    assert time_of(document) == "2024-05-01T06:00:00Z"
    assert read({"op": "d", "after": None, "source": source}, key).document_id == "m.d.notes/5f1"


def test_mapped_ids_are_the_same_for_every_operation():
    mapping = "document:\n  id: /no\n  text: /body\n"
    ids = {
        read(
            change("c", wrapped=False, after={"id": 7, "no": "N7", "body": TEXT}),
            '{"no": "N7"}',
            mapping=mapping,
        ).document_id,
        read(
            change("d", wrapped=False, before={"id": 7, "no": "N7"}), '{"id": 7}', mapping=mapping
        ).document_id,
        read(change("d", wrapped=False), '{"no": "N7"}', mapping=mapping).document_id,
        read(None, '{"no": "N7"}', mapping=mapping).document_id,
    }
    assert ids == {"N7"}
    with pytest.raises(Rejected, match="replica identity"):
        read(change("d", wrapped=False), '{"id": 7}', mapping=mapping)


@pytest.mark.parametrize("prefix", ["", "/after", "/payload/after"])
def test_pointers_into_the_event(prefix):
    mapping = f"document:\n  id: {prefix}/no\n  text: {prefix}/body\n  source: /source/table\n"
    document = read(change("u", wrapped=False, after={"no": 5, "body": TEXT}), '{"no": 5}', mapping=mapping)
    assert (document.document_id, document.text, document.source) == ("5", TEXT, "contracts")
    assert read(change("d", wrapped=False, before={"no": 5}), '{"no": 5}', mapping=mapping).document_id == "5"


def column(kind: str, connect: str) -> object:
    return ["null", {"type": kind, "connect.version": 1, "connect.name": connect}]


ENVELOPE_SCHEMA = {
    "type": "record",
    "name": "Envelope",
    "namespace": "hr.public.contracts",
    "fields": [
        {
            "name": "before",
            "type": [
                "null",
                {
                    "type": "record",
                    "name": "Value",
                    "fields": [
                        {"name": "id", "type": "int"},
                        {"name": "since", "type": column("int", "io.debezium.time.Date")},
                        {"name": "signed", "type": column("long", "io.debezium.time.MicroTimestamp")},
                    ],
                },
            ],
        },
        {"name": "after", "type": ["null", "Value"]},
        {
            "name": "source",
            "type": {
                "type": "record",
                "name": "Source",
                "fields": [{"name": name, "type": "string"} for name in ("name", "schema", "table")]
                + [{"name": "ts_ms", "type": "long"}],
            },
        },
        {"name": "op", "type": "string"},
    ],
}


def test_change_events_in_avro_with_keys_in_avro():
    class Schemas:
        def find(self, schema_id):
            key = {"type": "record", "name": "Key", "fields": [{"name": "id", "type": "int"}]}
            texts = {1: json.dumps(ENVELOPE_SCHEMA), 2: json.dumps(key), 3: '"string"'}
            return RegisteredSchema(schema_id, "AVRO", texts[schema_id])

    row = zigzag(1) + zigzag(7) + zigzag(1) + zigzag(19844) + zigzag(1) + zigzag(1714515300250001)
    source = avro_text("hr") + avro_text("public") + avro_text("contracts") + zigzag(1714543200000)
    created = framed(1, zigzag(0) + row + source + avro_text("c"))
    deleted = framed(1, row + zigzag(0) + source + avro_text("d"))
    document = read(created, framed(2, zigzag(7)), registry=Schemas())
    assert document.document_id == "hr.public.contracts/7"
    assert "since: 2024-05-01\nsigned: 2024-04-30T22:15:00.250001" in document.text
    assert time_of(document) == "2024-05-01T06:00:00Z"
    assert read(deleted, framed(2, zigzag(7)), registry=Schemas()).kind is DocumentKind.RETRACTION
    assert read(None, framed(2, zigzag(7)), registry=Schemas()).document_id == "7"
    assert read(None, framed(3, avro_text("memo")), registry=Schemas()).document_id == "memo"
