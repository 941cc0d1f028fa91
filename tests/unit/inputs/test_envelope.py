"""What a record of the documents topic is, told by its headers, its key and its value."""

from __future__ import annotations

import base64
import json
import struct

import pytest

from tidegraph.domain.documents import DocumentKind
from tidegraph.domain.errors import Rejected, Retryable
from tidegraph.inputs.document import Content, Defaults, finish, iso_text
from tidegraph.inputs.envelope import EnvelopeDefaults, configured, decode, encode
from tidegraph.inputs.mapping import parse_mapping
from tidegraph.inputs.registry import RegisteredSchema
from tidegraph.inputs.times import TimeRules
from tidegraph.ports import LogRecord
from tidegraph.settings import load

TEXT = "The depot in Lund opens."


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


# --- keys and retractions ----------------------------------------


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("policy-1", "policy-1"),
        ("docs/policy.md", "docs/policy.md"),
        ("main/policy%2F1", "policy/1"),
        ('{"id": 7}', "7"),
        ('{"a": 7, "b": "x"}', "7:x"),
        ('"policy-1"', "policy-1"),
        (
            '{"schema": {"type": "struct", "name": "hr.public.people.Key"}, "payload": {"id": 7}}',
            "hr.public.people/7",
        ),
        (b"\x00\x00\x00\x07", "0x00000007"),
        (b"\xff\xfe", "0xfffe"),
        ("ключ", "ключ"),
    ],
)
def test_null_value_retracts_the_key(key, expected):
    document = read(None, key)
    assert (document.kind, document.document_id, document.text) == (DocumentKind.RETRACTION, expected, "")
    assert document.document_time is None


@pytest.mark.parametrize("key", [None, b"", b"  ", "{}", '{"id": null}'])
def test_null_value_without_key(key):
    with pytest.raises(Rejected, match="key"):
        read(None, key)


def test_tombstone_inside_a_schema_wrapper():
    assert read({"schema": None, "payload": None}, '{"id": 7}').kind is DocumentKind.RETRACTION


def test_key_that_is_not_text_does_not_matter_to_a_value_with_an_id():
    assert read({"id": "a", "text": TEXT}, b"\xff\x00").document_id == "a"


# --- headers ----------------------------------------


def test_repeated_headers_last_wins_and_case_does_not_matter():
    source = LogRecord(
        "documents",
        0,
        0,
        0,
        b"k",
        TEXT.encode(),
        (
            ("content-type", b"application/json"),
            ("Content-Type", b"TEXT/Plain; charset=UTF-8"),
            ("trace", b"\xff"),
            ("trace", b"1"),
        ),
    )
    assert decode(source, EnvelopeDefaults(document=Defaults(graph="main"))).text == TEXT


def test_tenants_that_differ_are_refused():
    twice = LogRecord(
        "documents",
        0,
        0,
        0,
        b"k",
        TEXT.encode(),
        (("x-tenant", b"a"), ("x-tenant", b"b"), ("content-type", b"text/plain")),
    )
    with pytest.raises(Rejected, match="twice"):
        decode(twice, EnvelopeDefaults(document=Defaults(graph="main")))
    with pytest.raises(Rejected, match="x-tenant"):
        read({"id": "a", "text": TEXT, "tenant": "a"}, x_tenant="b")
    assert read({"id": "a", "text": TEXT}, x_tenant="acme").graph == "acme"


@pytest.mark.parametrize("tenant", ["../x", "a b", "a'b", "", ".", "x" * 200, "ä"])
def test_tenant_names(tenant):
    value = {"id": "a", "text": TEXT, "tenant": tenant}
    if tenant:
        with pytest.raises(Rejected):
            read(value)
    else:
        assert read(value).graph == "main"


def test_header_limits():
    with pytest.raises(Rejected, match="header"):
        read(TEXT, content_type="text/plain; x=" + "y" * 70_000)


# --- text, markdown, HTML, mail ----------------------------------------


@pytest.mark.parametrize(
    ("content_type", "value", "title"),
    [
        ("text/plain", TEXT.encode(), ""),
        ("text/plain; charset=utf-16", TEXT.encode("utf-16"), ""),
        ('Text/Plain;charset="iso-8859-1"', TEXT.encode(), ""),
        ("text/plain; charset=nonsense", TEXT.encode(), ""),
        ("text/markdown", f"---\ntitle: Depot\n---\n{TEXT}".encode(), "Depot"),
        ("text/html; charset=utf-8", f"<title>Depot</title><p>{TEXT}".encode(), "Depot"),
        ("message/rfc822", f"Subject: Depot\n\n{TEXT}".encode(), "Depot"),
    ],
)
def test_by_content_type(content_type, value, title):
    document = read(value, content_type=content_type)
    assert (document.text, document.title) == (TEXT, title)


def test_text_without_key_is_known_by_its_hash():
    first, second = read(TEXT, None, content_type="text/plain"), read(TEXT, None, content_type="text/plain")
    assert first.document_id.startswith("sha256:")
    assert first == second


def test_text_without_content_type():
    assert read(TEXT).text == TEXT
    assert read(b"\0" + TEXT.encode()).text == TEXT
    with pytest.raises(Rejected, match="binary"):
        read(b"\x01\x02\x03\x04")
    with pytest.raises(Rejected, match="magic byte"):
        read(b"\0\0\0\0\x07\x12abc")
    with pytest.raises(Rejected, match="empty"):
        read(b"")


def test_unknown_content_type():
    with pytest.raises(Rejected, match="image/png"):
        read(b"\x89PNG", content_type="image/png")


def test_limits():
    with pytest.raises(Rejected, match="100,000"):
        read({"id": "a", "text": "x" * 200_000})
    with pytest.raises(Rejected, match="400,000"):
        read(b"x" * 500_000, content_type="text/plain")
    with pytest.raises(Rejected, match="longer"):
        read({"id": "a" * 2_000, "text": TEXT})
    with pytest.raises(Rejected, match="control"):
        read({"id": "a\nb", "text": TEXT})


# --- CloudEvents ----------------------------------------

EVENT = {"ce_specversion": "1.0", "ce_id": "e1", "ce_type": "t", "ce_source": "/notes"}


def test_binary_event():
    document = read(
        TEXT, content_type="text/plain", ce_subject="n-1", ce_time="2024-02-05T10:00:00.123456789Z", **EVENT
    )
    assert (document.document_id, document.source, document.text) == ("n-1", "/notes", TEXT)
    assert (time_of(document), document.document_time.provenance) == (
        "2024-02-05T10:00:00.123456Z",
        "cloudevents:time",
    )


def test_missing_time_stays_missing():
    document = read(TEXT, content_type="text/plain", **EVENT)
    assert document.document_time is None
    assert document.document_id == "/notes#e1"


def test_naive_event_time_in_an_hour_that_does_not_exist():
    document = read(
        TEXT, content_type="text/plain", zone="Europe/Berlin", ce_time="2024-03-31T02:30:00", **EVENT
    )
    assert time_of(document) == "2024-03-31T01:30:00Z"
    assert "skips" in document.document_time.provenance


@pytest.mark.parametrize("missing", ["ce_id", "ce_type", "ce_source"])
def test_required_attributes(missing):
    with pytest.raises(Rejected, match=missing[3:]):
        read(TEXT, content_type="text/plain", **{k: v for k, v in EVENT.items() if k != missing})


@pytest.mark.parametrize("time", ["yesterday", "2024-13-01T00:00:00Z"])
def test_event_time_that_is_none(time):
    with pytest.raises(Rejected, match="cloudevents:time"):
        read(TEXT, content_type="text/plain", ce_time=time, **EVENT)


STRUCTURED = {
    "specversion": "1.0",
    "id": "e1",
    "type": "t",
    "source": "/notes",
    "time": "2024-02-05T10:00:00Z",
}


@pytest.mark.parametrize(
    "data",
    [
        {"data": TEXT, "datacontenttype": "text/plain"},
        {"data_base64": base64.b64encode(TEXT.encode()).decode(), "datacontenttype": "text/plain"},
        {
            "data_base64": base64.b64encode(TEXT.encode("utf-16")).decode(),
            "datacontenttype": "text/plain; charset=utf-16",
        },
        {"data": {"id": "inner", "text": TEXT}},
        {"data": {"text": TEXT}, "datacontenttype": "application/vnd.x+json; charset=utf-8"},
        {"data": json.dumps({"text": TEXT}), "datacontenttype": "application/json"},
        {"data": TEXT},
    ],
)
@pytest.mark.parametrize(
    "content_type",
    ["application/cloudevents+json; charset=UTF-8", "application/cloudevents", "application/json"],
)
def test_structured_event(data, content_type):
    document = read({**STRUCTURED, "subject": "n-1", **data}, content_type=content_type)
    assert (document.document_id, document.text, time_of(document)) == ("n-1", TEXT, "2024-02-05T10:00:00Z")


@pytest.mark.parametrize(
    ("data", "word"),
    [
        ({}, "no data"),
        ({"data": None}, "no data"),
        ({"data": "x", "data_base64": "eA=="}, "both"),
        ({"data_base64": "!!"}, "base64"),
        ({"data_base64": 5}, "base64"),
        ({"data": "x", "specversion": "9"}, "specversion"),
        ({"data": "x", "source": ""}, "source"),
        ({"data": 5, "datacontenttype": "text/plain"}, "text"),
    ],
)
def test_structured_event_refused(data, word):
    with pytest.raises(Rejected, match=word):
        read({**STRUCTURED, **data}, content_type="application/cloudevents+json")


def test_structured_event_in_another_format():
    with pytest.raises(Rejected, match="avro"):
        read(b"x", content_type="application/cloudevents+avro")


# --- Debezium ----------------------------------------

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


# --- schema registry ----------------------------------------

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


def test_avro():
    document = read(framed(1, AVRO_DATA), registry=Registry(), mapping=MAPPING)
    assert (document.document_id, document.text, document.title) == ("p-1", TEXT, "12345.67")
    assert (document.labels, document.kind, time_of(document)) == (
        ("a", "b"),
        DocumentKind.REGISTER,
        "2024-02-05T10:00:00Z",
    )


def test_json_schema():
    assert read(framed(2, json.dumps({"id": "a", "text": TEXT}).encode()), registry=Registry()).text == TEXT


@pytest.mark.parametrize(
    ("value", "word"),
    [
        (framed(77, b"x"), "77"),
        (framed(3, b"x"), "THRIFT"),
        (framed(1, AVRO_DATA[:-3]), "Avro"),
        (framed(1, AVRO_DATA + b"x"), "left over"),
        (framed(1, b"\xff" * 40), "Avro"),
        (framed(4, avro_text("x")), "record"),
        (framed(5, b"x"), "Avro"),
    ],
)
def test_framed_values_refused(value, word):
    with pytest.raises(Rejected, match=word):
        read(value, registry=Registry())


def test_registry_that_is_away_is_tried_again():
    with pytest.raises(Retryable):
        read(framed(9, b"x"), registry=Registry())


def test_text_that_starts_with_the_magic_byte_is_not_looked_up():
    assert read(framed(9, TEXT.encode()), registry=Registry(), content_type="text/plain").text.endswith(TEXT)


def test_unframed_values_pass_with_a_registry():
    assert read({"id": "a", "text": TEXT}, registry=Registry()).text == TEXT


# --- settings, encoding ----------------------------------------


def test_configured(tmp_path):
    (tmp_path / "m.yaml").write_text(MAPPING)
    defaults = configured(
        load(
            {
                "TIDEGRAPH_GRAPH": "acme",
                "TIDEGRAPH_TIMEZONE": "Europe/Berlin",
                "TIDEGRAPH_MAPPING_FILE": str(tmp_path / "m.yaml"),
                "TIDEGRAPH_SCHEMA_REGISTRY_URL": "http://127.0.0.1:1",
            }
        )
    )
    assert (defaults.document.graph, defaults.rules.zone, defaults.mapping.name) == (
        "acme",
        "Europe/Berlin",
        "m.yaml",
    )
    with pytest.raises(Retryable):
        decode(record(framed(1, b"x")), defaults)
    with pytest.raises(Rejected, match="Mars"):
        configured(load({"TIDEGRAPH_TIMEZONE": "Mars/Olympus"}))


def test_encode_keeps_everything():
    document = finish(
        Content(
            document_id="a/b",
            revision="r",
            graph="acme",
            source="s",
            title="T",
            labels=("x", "y"),
            language="de",
            source_priority=3,
            records=('{"a":1}',),
            mapping_name="m",
            mapping="assertions: []",
        ),
        Defaults(graph="main"),
    )
    key, value, headers = encode(document)
    assert key == b"acme/a%2Fb"
    assert (
        decode(
            LogRecord("documents", 0, 0, 0, key, value, headers),
            EnvelopeDefaults(document=Defaults(graph="z")),
        )
        == document
    )


@pytest.mark.parametrize("change", [{"labels": ("hr",)}, {"kind": DocumentKind.REGISTER}, {"source": "wiki"}])
def test_a_revision_sent_again_with_another_envelope_is_no_copy(change):
    def of(**fields):
        content = Content(document_id="a", revision="7", text=TEXT, **fields)
        return finish(content, Defaults(graph="main"))

    assert of().content_hash == of().content_hash
    assert of(**change).content_hash != of().content_hash
    assert of(labels=("a", "b")).content_hash == of(labels=("b", "a", "a")).content_hash


def test_encode_retraction():
    document = read(None, "main/a%2Fb")
    key, value, headers = encode(document)
    assert value is None
    again = decode(
        LogRecord("documents", 0, 0, 0, key, value, headers), EnvelopeDefaults(document=Defaults(graph="z"))
    )
    assert (again.graph, again.document_id, again.kind) == ("main", "a/b", DocumentKind.RETRACTION)


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


def test_binary_event_with_framed_data():
    document = read(
        framed(1, AVRO_DATA),
        registry=Registry(),
        mapping=MAPPING,
        content_type="application/avro",
        ce_time="2020-01-01T00:00:00Z",
        **EVENT,
    )
    assert (document.document_id, time_of(document)) == ("p-1", "2024-02-05T10:00:00Z")


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
