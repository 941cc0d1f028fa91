"""What a record of the documents topic is, told by its headers, its key and its value."""

from __future__ import annotations

import base64
import json

import pytest
from tests.unit.inputs.envelopes import (
    EVENT,
    MAPPING,
    TEXT,
    framed,
    read,
    record,
    time_of,
)

from tidegraph.domain.documents import DocumentKind
from tidegraph.domain.errors import Rejected, Retryable
from tidegraph.inputs.document import Content, Defaults, finish
from tidegraph.inputs.envelope import EnvelopeDefaults, configured, decode, encode
from tidegraph.ports import LogRecord
from tidegraph.settings import load

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
