"""Files of every format that ``ingest`` reads, whole and broken."""

from __future__ import annotations

import io
import json
import zipfile
from dataclasses import dataclass
from email.message import EmailMessage
from pathlib import Path
from typing import Final

LARGE: Final = 20 * 1024 * 1024
GARBAGE: Final = bytes(range(0x80, 0x100)) * 3
"""No text in any encoding that is known."""
_WORD: Final = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_OFFICE: Final = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
_PACKAGE: Final = "http://schemas.openxmlformats.org/package/2006/relationships"


def sentence(name: str) -> str:
    """What the whole file of a format says; nothing else says it."""
    return f"Orla Penn was appointed director of {name.capitalize()} Works on 3 May 2021."


def whole(suffix: str, text: str) -> bytes:
    """A well-formed file."""
    match suffix:
        case "html":
            return f"<html><head><meta charset=utf-8></head><body><p>{text}</p></body></html>".encode()
        case "eml":
            return _mail(text)
        case "mbox":
            return b"From a@b.example Mon Feb  5 10:00:00 2024\n" + _mail(text) + b"\n"
        case "json":
            return json.dumps({"id": "a.json", "text": text}).encode()
        case "jsonl":
            return b"".join(json.dumps({"id": f"a.jsonl-{n}", "text": text}).encode() + b"\n" for n in (1, 2))
        case "pdf":
            return _pdf(text)
        case "docx":
            return _docx(text)
        case _:
            return text.encode()


SUFFIXES: Final = ("txt", "md", "html", "eml", "mbox", "json", "jsonl", "pdf", "docx")
PARSED: Final = frozenset({"json", "jsonl", "pdf", "docx"})
"""Formats with a grammar that half a file does not meet; half a text is a text."""


CAUSES: Final = {
    "empty": {"EMPTY_DOCUMENT"},
    "garbage": {"UNKNOWN_ENCODING", "INVALID_ENCODING", "INVALID_PDF", "INVALID_DOCX"},
    "large": {"FILE_TOO_LARGE", "DOCUMENT_TOO_LARGE"},
    "cut": {"INVALID_JSON", "INVALID_PDF", "INVALID_DOCX"},
}


def write_files(folder: Path) -> dict[str, set[str]]:
    """Whole files named ``good`` and broken ones beside them; the reasons to refuse each broken one."""
    broken: dict[str, set[str]] = {}
    for suffix in SUFFIXES:
        data = whole(suffix, sentence(suffix))
        large = whole(suffix, "The depot is open. " * (LARGE // 19))
        files = {"empty": b"", "garbage": GARBAGE, "large": large}
        if suffix in PARSED:
            files["cut"] = data[: len(data) // 3]
        for kind, content in files.items():
            (folder / f"{kind}.{suffix}").write_bytes(content)
            broken[f"{kind}.{suffix}"] = CAUSES[kind]
        (folder / f"good.{suffix}").write_bytes(data)
    return broken


def _mail(text: str) -> bytes:
    message = EmailMessage()
    message["Subject"], message["Date"] = "Notice", "Mon, 05 Feb 2024 10:00:00 +0100"
    message.set_content(text)
    return message.as_bytes()


def _docx(text: str) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
        link = f'<Relationship Id="r1" Type="{_OFFICE}" Target="/word/document.xml"/>'
        archive.writestr("_rels/.rels", f'<Relationships xmlns="{_PACKAGE}">{link}</Relationships>')
        pieces = (text[at : at + 10_000] for at in range(0, len(text), 10_000))
        body = "".join(f"<w:p><w:r><w:t>{piece}</w:t></w:r></w:p>" for piece in pieces)
        document = f'<w:document xmlns:w="{_WORD}"><w:body>{body}</w:body></w:document>'
        archive.writestr("word/document.xml", document)
    return out.getvalue()


def _pdf(text: str) -> bytes:
    stream = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode()
    objects = (
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R "
        b"/Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream),
    )
    out = bytearray(b"%PDF-1.4\n")
    offsets = []
    for number, body in enumerate(objects, start=1):
        offsets.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 5\n0000000000 65535 f \n" + b"".join(b"%010d 00000 n \n" % at for at in offsets)
    return bytes(out + b"trailer\n<< /Size 5 /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % start)


@dataclass(frozen=True, slots=True)
class BadRecord:
    """A record of ``documents`` that is none, and the reason to bury it."""

    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes], ...]
    reason: str


def bad_records() -> list[BadRecord]:
    """Of each kind of envelope some that are cut, empty, in another encoding, or mapped wrongly."""
    plain = json.dumps({"id": "p", "text": "Zoë Penn left."}, ensure_ascii=False)
    event = json.dumps({"specversion": "1.0", "id": "1", "source": "/s", "type": "t", "data": "Words."})
    row = json.dumps({"payload": {"op": "c", "after": {"id": 1}, "source": {"table": "t", "ts_ms": 1}}})
    text, structured = _typed(b"text/plain; charset=utf-8"), _typed(b"application/cloudevents+json")
    binary = (("ce_specversion", b"1.0"), ("ce_id", b"1"), ("ce_source", b"/s"), ("ce_type", b"t"))
    mapped = {"id": "mapping", "records": [{"a": 1}], "mapping_name": "m", "mapping": "assertions: ["}
    return [
        BadRecord(b"cut", plain.encode()[:-4], (), "INVALID_JSON"),
        BadRecord(b"latin", plain.encode("latin-1"), (), "INVALID_ENCODING"),
        BadRecord(b"empty", b"", (), "EMPTY_DOCUMENT"),
        BadRecord(b"null-text", b'{"id": "n", "text": null}', (), "EMPTY_DOCUMENT"),
        BadRecord(b"no-text", b'{"id": "n", "title": "A"}', (), "MISSING_TEXT"),
        BadRecord(None, None, (), "MISSING_KEY"),
        BadRecord(b"text", GARBAGE, text, "UNKNOWN_ENCODING"),
        BadRecord(b"blank", b"  \n", text, "EMPTY_DOCUMENT"),
        BadRecord(b"event-cut", event.encode()[:-9], structured, "INVALID_JSON"),
        BadRecord(b"event-binary", b'{"text": ', (*binary, *_typed(b"application/json")), "INVALID_JSON"),
        BadRecord(b"row-cut", row.encode()[:-9], (), "INVALID_JSON"),
        BadRecord(b"row", row.encode(), (), "MISSING_TEXT"),
        BadRecord(b"mapping", json.dumps(mapped).encode(), (), "INVALID_MAPPING"),
        BadRecord(
            b"large",
            json.dumps({"id": "l", "text": "ice " * (LARGE // 4)}).encode(),
            (),
            "DOCUMENT_TOO_LARGE",
        ),
    ]


def _typed(kind: bytes) -> tuple[tuple[str, bytes], ...]:
    return (("content-type", kind),)
