"""Times of the XMP packet that describes a whole PDF."""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from typing import Final

_MAX_PACKET: Final = 256 * 1024
_MAX_CATALOGS: Final = 8
_CATALOG: Final = re.compile(rb"/Type\s*/Catalog\b")
_METADATA: Final = re.compile(rb"/Metadata\s+(\d{1,10})\s+(\d{1,5})\s+R")
_BRACKETS: Final = ((b"<x:xmpmeta", b"</x:xmpmeta>"), (b"<rdf:RDF", b"</rdf:RDF>"))
_STREAM: Final = re.compile(rb"stream\r?\n")


@dataclass(frozen=True, slots=True)
class XmpTimes:
    """Times as written, "" when missing."""

    created: str = ""
    modified: str = ""
    metadata: str = ""


def find_xmp(data: bytes) -> XmpTimes:
    """The times of the document's packet: the one that the last catalog names, else the last packet."""
    packet = _by_catalog(data) or _last_packet(data)
    if not packet:
        return XmpTimes()
    text = packet.decode("utf-8", "replace")
    return XmpTimes(_value(text, "CreateDate"), _value(text, "ModifyDate"), _value(text, "MetadataDate"))


def _by_catalog(data: bytes) -> bytes:
    found = b""
    for catalog in list(_CATALOG.finditer(data))[-_MAX_CATALOGS:]:
        start = data.rfind(b" obj", 0, catalog.start())
        end = data.find(b"endobj", catalog.end())
        reference = _METADATA.search(data, max(start, 0), end if end >= 0 else len(data))
        if reference:
            found = _object(data, reference[1], reference[2]) or found
    return found


def _object(data: bytes, number: bytes, generation: bytes) -> bytes:
    """The packet in the last object of that number, uncompressed or deflated."""
    starts = list(re.finditer(rb"(?<!\d)" + number + rb"\s+" + generation + rb"\s+obj\b", data))
    if not starts:
        return b""
    begin = starts[-1].end()
    stream = _STREAM.search(data, begin, begin + 4096)
    end = data.find(b"endstream", begin)
    if stream is None or end < 0:
        return b""
    body = data[stream.end() : min(end, stream.end() + _MAX_PACKET)]
    if b"FlateDecode" in data[begin : stream.start()]:
        try:
            body = zlib.decompressobj().decompress(body, _MAX_PACKET)
        except zlib.error:
            return b""
    return _packet(body)


def _last_packet(data: bytes) -> bytes:
    start = data.rfind(b"<x:xmpmeta")
    return _packet(data[start : start + _MAX_PACKET]) if start >= 0 else b""


def _packet(data: bytes) -> bytes:
    for opening, closing in _BRACKETS:
        start = data.find(opening)
        end = data.find(closing, start) if start >= 0 else -1
        if end >= 0:
            return data[start:end]
    return b""


def _value(text: str, name: str) -> str:
    match = re.search(rf"\bxmp:{name}\s*(?:=\s*[\"']([^\"']*)[\"']|>\s*([^<]*)<)", text)
    return ((match[1] or match[2] or "").strip()) if match else ""
