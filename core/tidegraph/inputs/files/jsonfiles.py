"""JSON and JSON Lines files: one document, an array of them, or one a line."""

from __future__ import annotations

import re
from typing import Any, BinaryIO, Final

from tidegraph.domain.errors import LimitExceeded, Rejected
from tidegraph.inputs import charsets, jsontext, payload
from tidegraph.inputs.document import Content
from tidegraph.inputs.files.model import Part, Parts, ReadOptions

_LINE_END: Final = re.compile("\r\n|\n|\r")
_BYTE_LINE_END: Final = re.compile(b"\r\n|\n|\r")
_CHUNK: Final = 1024 * 1024


def read_json(data: bytes, options: ReadOptions) -> Parts:
    """The documents of a ``.json`` file: an object, an array of objects, or objects line by line."""
    text = _text(data)
    try:
        value = jsontext.load(_bytes(text))
    except Rejected as error:
        if _is_lines(text):
            yield from _lines(text, options)
        else:
            yield "", error
        return
    if isinstance(value, list):
        if not value:
            yield "", Rejected("EMPTY_DOCUMENT", "the file is empty: the JSON array holds no document")
        for index, item in enumerate(value):
            yield f"/{index}", _content(item, options)
    else:
        yield "", _content(value, options)


def read_jsonl(data: bytes, options: ReadOptions) -> Parts:
    """The documents of a JSON Lines file; a broken line is rejected, its neighbours are not."""
    text = _text(data)
    if not text.strip():
        raise Rejected("EMPTY_DOCUMENT", "the file is empty: there is no line in it")
    if not _is_lines(text):
        # One value written over several lines under this name.
        yield from read_json(_bytes(text), options)
    else:
        yield from _lines(text, options)


def stream_jsonl(stream: BinaryIO, options: ReadOptions) -> Parts:
    """The documents of a JSON Lines file of any size, in UTF-8, held in memory line by line."""
    limit = options.defaults.max_bytes * 2
    number, rest, skipping = 0, b"", False
    while chunk := stream.read(_CHUNK):
        *lines, rest = _BYTE_LINE_END.split(rest + chunk)
        if chunk.endswith(b"\r") and (following := stream.read(1)) != b"\n":
            rest = following
        for line in lines:
            number += 1
            if line.strip() and not skipping:
                yield _line(f"line {number}", _text_of_line(line), options)
            skipping = False
        if len(rest) > limit and not skipping:
            yield f"line {number + 1}", _too_long(limit)
            skipping = True
        rest = b"" if skipping else rest
    if rest.strip():
        yield _line(f"line {number + 1}", _text_of_line(rest), options)


def _text_of_line(line: bytes) -> str:
    return line.decode("utf-8", "surrogateescape").removeprefix("\ufeff")


def _too_long(limit: int) -> LimitExceeded:
    return LimitExceeded("DOCUMENT_TOO_LARGE", f"the line is longer than the limit of {limit:,} characters")


def _text(data: bytes) -> str:
    """JSON is UTF-8 by its standard; another encoding shows in its mark or in the places of zeros.

    Bytes that are not UTF-8 become lone surrogates here, so that only their line is rejected.
    """
    if data.startswith((b"\xff\xfe", b"\xfe\xff")) or b"\x00" in data[:4]:
        return charsets.decode(data)[0]
    return data.decode("utf-8", "surrogateescape").removeprefix("\ufeff")


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogateescape")


def _is_lines(text: str) -> bool:
    """True when the first line that is not blank is a whole JSON value or the text has no other form."""
    lines = [line for line in _LINE_END.split(text.strip()[: 4 * 1024 * 1024]) if line.strip()]
    starts = sum(1 for line in lines if line.lstrip().startswith("{") and line.rstrip().endswith("}"))
    return len(lines) >= 1 and starts * 2 >= len(lines)


def _lines(text: str, options: ReadOptions) -> Parts:
    start = 0
    number = 0
    while start < len(text):
        match = _LINE_END.search(text, start)
        end, following = (match.start(), match.end()) if match else (len(text), len(text))
        number += 1
        line = text[start:end]
        start = following
        if line.strip():
            yield _line(f"line {number}", line, options)


def _line(position: str, line: str, options: ReadOptions) -> Part:
    limit = options.defaults.max_bytes * 2
    if len(line) > limit:
        return position, _too_long(limit)
    try:
        return position, _content(jsontext.load(_bytes(line)), options)
    except Rejected as error:
        return position, error


def _content(value: Any, options: ReadOptions) -> Content | Rejected:
    try:
        return payload.read_json(payload.require_object(value), options.rules, options.mapping)
    except Rejected as error:
        return error
