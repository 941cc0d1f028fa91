"""Which reader a file gets: by what it plainly is, then by its name."""

from __future__ import annotations

import re
from typing import Final

from tidegraph.domain.errors import Rejected
from tidegraph.inputs import payload
from tidegraph.inputs.files import docx, jsonfiles, mbox
from tidegraph.inputs.files.model import CONTAINER_FACTOR, Parts, ReadOptions, check_size
from tidegraph.inputs.files.pdf import read_pdf

FORMATS: Final = ("text", "markdown", "html", "email", "mbox", "pdf", "docx", "json", "jsonl")
CONTAINERS: Final = frozenset({"mbox", "json", "jsonl"})
_SUFFIXES: Final = {
    "txt": "text", "text": "text", "log": "text", "rst": "text", "asc": "text", "adoc": "text", "org": "text",
    "md": "markdown", "markdown": "markdown", "mdown": "markdown", "mkd": "markdown", "mdx": "markdown",
    "html": "html", "htm": "html", "xhtml": "html", "xht": "html",
    "eml": "email", "mht": "email", "mhtml": "email", "mbox": "mbox", "mbx": "mbox", "mboxrd": "mbox",
    "pdf": "pdf", "docx": "docx", "docm": "docx", "dotx": "docx", "doc": "docx",
    "json": "json", "jsonl": "jsonl", "ndjson": "jsonl", "jsonlines": "jsonl",
}  # fmt: skip
_MEDIA: Final = {
    "markdown": "text/markdown",
    "html": "text/html",
    "email": "message/rfc822",
    "text": "text/plain",
}
_HEADERS: Final = re.compile(
    rb"\A(?:\xef\xbb\xbf)?(?:(?:from|to|date|subject|received|message-id|return-path|mime-version|delivered-to|x-[\w-]+)"
    rb"[ \t]*:[^\r\n]*\r?\n(?:[ \t][^\r\n]*\r?\n)*){2}",
    re.IGNORECASE,
)
_IMAGES: Final = {
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"GIF8": "a GIF image",
    b"\x1f\x8b": "gzip data",
    b"\x7fELF": "a program",
}


def detect(name: str, head: bytes) -> str:
    """The format of a file by its first bytes and its name.

    Raises:
        Rejected: none that can be read; the message lists those that can.
    """
    suffix = name.rpartition(".")[2].lower() if "." in name.strip(".") else ""
    if b"%PDF-" in head[:1024] and suffix not in ("eml", "mbox", "html", "htm", "md", "json", "jsonl"):
        return "pdf"
    if head.startswith(docx.OLE_MAGIC) or (
        head.startswith(b"PK\x03\x04") and suffix not in ("zip", "xlsx", "pptx", "odt")
    ):
        return "docx"
    if suffix in _SUFFIXES:
        return _SUFFIXES[suffix]
    for magic, what in _IMAGES.items():
        if head.startswith(magic):
            raise _unsupported(what)
    if suffix in ("", "stdin") or suffix.isdigit():
        return _by_content(head)
    raise _unsupported(f".{suffix[:20]}")


def read(data: bytes, name: str, options: ReadOptions) -> Parts:
    """The documents of one file in bytes. Errors of single documents are yielded, not raised.

    Raises:
        Rejected: the file as a whole cannot be read.
        LimitExceeded: it is larger than the limit.
    """
    kind = options.format or detect(name, data[:4096])
    limit = options.defaults.max_bytes
    check_size(len(data), limit * CONTAINER_FACTOR if kind in CONTAINERS else limit)
    if not data:
        raise Rejected("EMPTY_DOCUMENT", "the file is empty: it has no bytes")
    match kind:
        case "json":
            yield from jsonfiles.read_json(data, options)
        case "jsonl":
            yield from jsonfiles.read_jsonl(data, options)
        case "mbox":
            yield from mbox.read_mbox(data, options)
        case "pdf":
            yield "", read_pdf(data, options.rules, limit)
        case "docx":
            yield "", docx.read_docx(data, options.rules)
        case _:
            media = payload.MediaType(_MEDIA[kind], "")
            yield "", payload.read(data, media, options.rules, options.mapping)


def _by_content(head: bytes) -> str:
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.startswith(b"From ") and b":" in start:
        return "mbox"
    if _HEADERS.match(head):
        return "email"
    if start[:1] == b"{" and re.match(rb"\{\s*(?:\"|\})", start):
        return "jsonl"
    if re.match(rb"<!doctype html|<html|<\?xml[^>]*>\s*<!doctype html", start, re.IGNORECASE):
        return "html"
    return "markdown" if re.match(rb"(?:---|\+\+\+)[ \t]*\r?\n|#{1,6} \S", start) else "text"


def _unsupported(what: str) -> Rejected:
    return Rejected(
        "UNSUPPORTED_FORMAT",
        f"{what} cannot be read; the formats are {', '.join(FORMATS)} (choose one with --format)",
    )
