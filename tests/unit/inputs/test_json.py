"""JSON and JSON Lines files, whole and broken."""

from __future__ import annotations

import io
import json

import pytest

from tidegraph.inputs.document import Defaults
from tidegraph.inputs.files import jsonfiles, walk
from tidegraph.inputs.files.model import FileDocument, ReadOptions, Rejection
from tidegraph.inputs.mapping import parse_mapping

GOOD = '{"id": "a", "text": "Words.", "updated_at": "2024-02-05T10:00:00Z"}'


def outcomes(results):
    return [r.document.document_id if isinstance(r, FileDocument) else r.reason for r in results]


def test_plain_form(one, when):
    document = one(
        "a.json",
        json.dumps(
            {
                "id": 7,
                "title": "T",
                "text": "Words.",
                "created_at": "2020-01-01",
                "updated_at": "2024-02-05",
                "acl": ["hr"],
                "source": "wiki",
                "language": "en",
                "tenant": "acme",
                "kind": "register",
            }
        ),
    )
    assert (document.document_id, document.title, document.text, document.labels) == (
        "7",
        "T",
        "Words.",
        ("hr",),
    )
    assert (document.source, document.language, document.graph, document.kind.name) == (
        "wiki",
        "en",
        "acme",
        "REGISTER",
    )
    assert when(document) == "2024-02-05"
    assert "updated_at" in document.document_time.provenance


def test_array_of_documents(read):
    results = read("a.json", f'[{GOOD}, {{"text": "No id."}}, 5]')
    assert outcomes(results) == ["a", "a.json#1", "INVALID_ENVELOPE"]
    assert [r.position for r in results] == ["/0", "/1", "/2"]


@pytest.mark.parametrize("name", ["a.jsonl", "a.ndjson", "a.json"])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines(read, name, end):
    lines = [
        GOOD,
        '{"id": "b", "text": "cut off',
        '{"id": "c", "text": "Words."}',
        "",
        '{"id": "d", "text": null}',
        '{"id": ["e"], "text": "x"}',
        '{"id": "f", "text": "Words."}',
    ]
    results = read(name, end.join(lines) + end)
    assert outcomes(results) == ["a", "INVALID_JSON", "c", "EMPTY_DOCUMENT", "INVALID_FIELD", "f"]
    assert [r.position for r in results] == ["line 1", "line 2", "line 3", "line 5", "line 6", "line 7"]


def test_one_line_in_another_encoding_is_refused_alone(read):
    data = GOOD.encode() + b'\n{"id": "b", "text": "Z\xfcrich"}\n' + GOOD.encode()
    results = read("a.jsonl", data)
    assert outcomes(results) == ["a", "INVALID_ENCODING", "a"]


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-16-le", "utf-32"])
def test_encodings(read, encoding):
    assert outcomes(read("a.jsonl", (GOOD + "\n" + GOOD).encode(encoding))) == ["a", "a"]
    assert outcomes(read("a.json", GOOD.encode(encoding))) == ["a"]


def test_an_object_over_several_lines_under_jsonl(read):
    assert outcomes(read("a.jsonl", json.dumps(json.loads(GOOD), indent=2))) == ["a"]


@pytest.mark.parametrize(
    ("data", "word"),
    [
        ("[" * 100_000, "deep"),
        ('{"a":' * 100_000 + "1" + "}" * 100_000, "deep"),
        ('{"id": "a", "text": "x",}', "trailing comma"),
        ('{"id": "a", /* no */ "text": "x"}', "comment"),
        ('{"id": "a", "text": "x"} {"id"', "extra"),
        ('{"id": "a", "text": "x", "text": "y"}', "duplicate"),
        ('{"id": "a", "text": "x", "n": NaN}', "NaN"),
        ('{"id": "a", "text": "x", "n": -Infinity}', "Infinity"),
        ('{"id": "a", "text": "x", "n": 1e999}', "Infinity"),
        ('{"id": "a", "text": "x", "n": ' + "9" * 5_000 + "}", "digits"),
        ('{"id": "a", "text": "x', "cut off"),
        ('{"id": "a", "text": null}', "null"),
        ('{"id": "a", "text": "  "}', "empty"),
        ('{"id": [1], "text": "x"}', "array"),
        ('{"id": {"a": 1}, "text": "x"}', "object"),
        ('{"id": "a", "text": ["x"]}', "array"),
        ('{"id": "a"}', "text"),
        ('{"id": "a", "text": "x", "date": "soon"}', "time"),
        ('{"id": "a", "text": "x", "date": 12}', "unit"),
        ('{"id": "a", "text": "x", "kind": "novel"}', "kind"),
        ('{"id": "a", "text": "x", "labels": [{"a": 1}]}', "labels"),
        ("'text'", "JSON"),
        ("[]", "empty"),
        ("", "empty"),
        ("7", "object"),
    ],
)
def test_causes(refused, data, word):
    assert word.lower() in refused("a.json", data).cause.lower()


def test_lone_surrogates_are_replaced_and_pairs_kept(one):
    document = one(
        "a.json",
        r'{"id": "a", "title": "Party \ud83d", "text": "The \ud83c\udf89 party. \udc00 Bring a friend."}',
    )
    assert document.title == "Party \ufffd"
    assert document.text == "The \U0001f389 party. \ufffd Bring a friend."


def test_one_long_line_among_others(read):
    long = json.dumps({"id": "long", "text": "word " * 100_000})
    results = read("a.jsonl", "\n".join([GOOD, long, GOOD]), max_bytes=100_000)
    assert outcomes(results) == ["a", "DOCUMENT_TOO_LARGE", "a"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("size", [1, 2, 3, 7, 64])
def test_streaming_gives_the_same(monkeypatch, end, size):
    monkeypatch.setattr(jsonfiles, "_CHUNK", size)
    lines = [
        GOOD,
        "broken",
        "",
        '{"id": "b", "text": "' + "x" * 500 + '"}',
        '{"id": "c", "text": "Zoë"}',
        GOOD,
    ]
    data = end.join(lines).encode("utf-8-sig")
    for tail in ("", end):
        whole = data + tail.encode()
        options = ReadOptions(defaults=Defaults(graph="g", max_bytes=200))
        streamed = [(at, str(found)) for at, found in jsonfiles.stream_jsonl(io.BytesIO(whole), options)]
        assert streamed == [(at, str(found)) for at, found in jsonfiles.read_jsonl(whole, options)]
        assert len(streamed) == 5


def test_long_files_are_streamed(tmp_path, monkeypatch):
    monkeypatch.setattr(walk, "STREAM_FROM_BYTES", 100)
    (tmp_path / "a.jsonl").write_text("\n".join([GOOD] * 5 + ["broken"]))
    options = ReadOptions(defaults=Defaults(graph="g"))
    assert outcomes(walk.read_file(tmp_path / "a.jsonl", "a.jsonl", options)) == ["a"] * 5 + ["INVALID_JSON"]


MAPPING = """
document:
  id: [/region, /no]
  revision: /version
  time: /meta/changed
  time_unit: ms
  title: /name
  text: [/summary, /body~1html]
  source: register of policies
  labels: /readers
  kind: register
"""


def test_mapping(one, when):
    record = {
        "region": "EU",
        "no": 9007199254740993,
        "version": 3,
        "meta": {"changed": 1707127200000},
        "name": "Rules",
        "summary": "Short.",
        "body/html": "Long.",
        "readers": ["hr"],
    }
    document = one("a.json", json.dumps(record), mapping=parse_mapping(MAPPING, "m.yaml"))
    assert (document.document_id, document.revision, document.title) == ("EU:9007199254740993", "3", "Rules")
    assert (document.text, document.source, document.labels) == (
        "Short.\n\nLong.",
        "register of policies",
        ("hr",),
    )
    assert (when(document), document.document_time.provenance) == (
        "2024-02-05T10:00:00Z",
        "mapping: /meta/changed",
    )
    assert document.kind.name == "REGISTER"
    assert document.records == ()


def test_mapping_that_does_not_fit(refused):
    mapping = parse_mapping(MAPPING, "m.yaml")
    assert "/region" in refused("a.json", '{"no": 1, "summary": "x"}', mapping=mapping).cause
    assert "/summary" in refused("a.json", '{"no": 1, "region": "EU"}', mapping=mapping).cause
    assert "null" in refused("a.json", '{"no": 1, "region": "EU", "summary": null}', mapping=mapping).cause


def test_records_pass_through_with_their_mapping(read):
    text = "document:\n  id: /record_id\n  time: /observed_at\nassertions:\n  - subject: /subject\n"
    results = read(
        "a.jsonl",
        '{"record_id": "r1", "observed_at": "2024-02-05", "subject": "Ann"}',
        mapping=parse_mapping(text, "m.yaml"),
    )
    document = results[0].document
    assert json.loads(document.records[0])["subject"] == "Ann"
    assert (document.mapping, document.mapping_name, document.text) == (text, "m.yaml", "")
    assert not isinstance(results[0], Rejection)
