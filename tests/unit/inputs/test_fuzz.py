"""Broken input of every format gives documents or rejections, and nothing else."""

from __future__ import annotations

import io
import json
import zipfile
from email.message import EmailMessage

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tidegraph.domain.errors import Rejected
from tidegraph.inputs.document import Defaults, RawDocument
from tidegraph.inputs.envelope import EnvelopeDefaults, decode, encode
from tidegraph.inputs.files.model import FileDocument, ReadOptions, Rejection
from tidegraph.inputs.files.walk import read_bytes
from tidegraph.inputs.mapping import parse_mapping
from tidegraph.inputs.registry import RegisteredSchema
from tidegraph.ports import LogRecord


def mail() -> bytes:
    message = EmailMessage()
    message["Subject"], message["Date"] = "Übergabe", "Mon, 05 Feb 2024 10:00:00 +0100"
    message.set_content("Zoë übernimmt.")
    message.add_alternative("<p>Zoë</p>", subtype="html")
    message.add_attachment(b"x,y", maintype="text", subtype="csv", filename="a.csv")
    return message.as_bytes()


SEEDS = {
    "a.txt": "Zoë übernimmt.\n".encode("utf-16"),
    "b.txt": "한국어 문서입니다.".encode("cp949"),
    "a.md": b"---\ntitle: [x\ndate: 2024-02-05\n---\n# A\n\nWords.\n",
    "b.md": b'+++\ndate = 2024-02-05\n+++\nWords.\n',
    "a.html": (
        b'<html><head><meta charset=utf-8><script type="application/ld+json">{"@type":"Article",'
        b'"datePublished":"2024"}</script></head><table><tr><th>a<td>b</table><p>Words'
    ),
    "a.eml": mail(),
    "a.mbox": b"From x Mon Feb  5 10:00:00 2024\n" + mail()
    + b"\n\nFrom y Mon Feb  5 10:00:00 2024\n" + mail(),
    "a.json": (
        b'[{"id": "a", "text": "\\ud83d", "date": 1714543200, '
        b'"labels": ["x"]}, {"records": [{}], "mapping": "x"}]'
    ),
    "a.jsonl": b'{"id": "a", "text": "x"}\r{"id": 5, "text": "y", "kind": "register"}\n',
}  # fmt: skip

edits = st.lists(
    st.tuples(
        st.sampled_from(["cut", "set", "insert", "delete", "repeat"]), st.floats(0, 1), st.binary(max_size=6)
    ),
    max_size=6,
)


def mutated(data: bytes, changes: list[tuple[str, float, bytes]]) -> bytes:
    for kind, where, new in changes:
        at = int(where * len(data))
        match kind:
            case "cut":
                data = data[:at] if at > 3 else data[at:]
            case "set":
                data = data[:at] + new + data[at + len(new) :]
            case "insert":
                data = data[:at] + new + data[at:]
            case "delete":
                data = data[:at] + data[at + len(new) :]
            case _:
                data = data[:at] + data[at : at + 40] * 3 + data[at:]
    return data


@pytest.mark.parametrize("name", SEEDS)
@given(changes=edits)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_files(name, changes):
    options = ReadOptions(defaults=Defaults(graph="g", max_bytes=100_000))
    for result in read_bytes(mutated(SEEDS[name], changes), name, options):
        assert isinstance(result, FileDocument | Rejection)
        if isinstance(result, FileDocument):
            check(result.document)


WORD = (
    b'<w:document xmlns:w="urn:w" xmlns:r="urn:r"><w:body><w:p>'
    b"<w:pPr><w:numPr/></w:pPr><w:ins><w:r><w:t>A</w:t></w:r>"
    b"</w:ins></w:p><w:tbl><w:tr><w:tc><w:tcPr><w:gridSpan "
    b'w:val="2"/><w:vMerge/></w:tcPr><w:p/></w:tc></w:tr></w:tbl>'
    b'<w:altChunk r:id="rId1"/><w:sdt><w:sdtContent><w:p/></w:sdtContent></w:sdt></w:body></w:document>'
)
RELATIONS = (
    b'<Relationships><Relationship Id="rId1" Type="x/aFChunk" Target="a.html"/>'
    b'<Relationship Id="rId2" Type="x/footnotes" Target="document.xml"/></Relationships>'
)


@given(body=edits, relations=edits, whole=edits)
def test_word_files(body, relations, whole):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("word/document.xml", mutated(WORD, body))
        archive.writestr("word/_rels/document.xml.rels", mutated(RELATIONS, relations))
        archive.writestr("word/a.html", b"<html><p>B")
    options = ReadOptions(defaults=Defaults(graph="g", max_bytes=100_000))
    for data in (out.getvalue(), mutated(out.getvalue(), whole)):
        for result in read_bytes(data, "a.docx", options):
            assert isinstance(result, FileDocument | Rejection)
            if isinstance(result, FileDocument):
                check(result.document)


def check(document: RawDocument) -> None:
    """A document can travel: it is valid UTF-8, without NUL, and reads the same at the other end."""
    document.text.encode("utf-8")
    assert "\0" not in document.text + document.title
    key, value, headers = encode(document)
    record = LogRecord("documents", 0, 0, 0, key, value, headers)
    assert decode(record, EnvelopeDefaults(document=Defaults(graph="other", max_bytes=10**7))) == document


VALUES = [
    json.dumps(
        {
            "schema": {
                "fields": [{"field": "after", "fields": [{"field": "d", "name": "io.debezium.time.Date"}]}]
            },
            "payload": {
                "op": "c",
                "after": {"id": 1, "d": 5},
                "source": {"ts_ms": 1714543200000, "name": "a"},
            },
        }
    ).encode(),
    json.dumps(
        {
            "specversion": "1.0",
            "id": "e",
            "type": "t",
            "source": "/n",
            "time": "2024-02-05T10:00:00Z",
            "data_base64": "eA==",
            "datacontenttype": "text/plain",
        }
    ).encode(),
    b"\0\0\0\0\1\x06abc\x06abc",
    *SEEDS.values(),
]


class Registry:
    def find(self, schema_id: int) -> RegisteredSchema | None:
        schema = (
            '{"type": "record", "name": "r", "fields": [{"name": "id", "type": '
            '"string"}, {"name": "text", "type": ["null", "string", "r"]}]}'
        )
        return RegisteredSchema(schema_id, "AVRO", schema) if schema_id == 1 else None


@given(
    value=st.none()
    | st.binary(max_size=60)
    | st.tuples(st.sampled_from(VALUES), edits).map(lambda pair: mutated(*pair)),
    key=st.none()
    | st.binary(max_size=20)
    | st.sampled_from([b'{"id": 1}', b'{"schema": null, "payload": {"id": [1]}}', b"g/a"]),
    headers=st.lists(
        st.tuples(
            st.sampled_from(
                [
                    "content-type",
                    "ce_specversion",
                    "ce_id",
                    "ce_source",
                    "ce_type",
                    "ce_time",
                    "ce_subject",
                    "x-tenant",
                    "x-doc-id",
                ]
            ),
            st.binary(max_size=12)
            | st.sampled_from(
                [
                    b"text/plain; charset=utf-16",
                    b"application/cloudevents+json",
                    b"text/html",
                    b"message/rfc822",
                    b"application/json",
                    b"1.0",
                    b"2024-02-05",
                ]
            ),
        ),
        max_size=6,
    ),
    mapped=st.booleans(),
)
@settings(max_examples=400)
def test_records(value, key, headers, mapped):
    mapping = (
        parse_mapping(
            "document:\n  id: /id\n  text: /text\n  time: /date\n  types:\n    /d: decimal(2)\n", "m.yaml"
        )
        if mapped
        else None
    )
    defaults = EnvelopeDefaults(
        document=Defaults(graph="g", max_bytes=100_000), mapping=mapping, registry=Registry()
    )
    try:
        document = decode(LogRecord("documents", 0, 0, 0, key, value, tuple(headers)), defaults)
    except Rejected as error:
        str(error).encode("utf-8")
        return
    check(document)
