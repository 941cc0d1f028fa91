"""Word files (Office Open XML, transitional and strict): the text as it stands with all changes accepted.

The package is opened with bounds, its relations are followed (the main part may lie anywhere), and each
text is taken once. The time is that of the last change; a template's creation date is not the document's.
"""

from __future__ import annotations

import io
import posixpath
import struct
import zipfile
import zlib
from dataclasses import dataclass
from typing import Any, Final

from lxml import etree  # type: ignore[import-untyped]

from tidegraph.domain.documents import DocumentTime
from tidegraph.domain.errors import LimitExceeded, Rejected
from tidegraph.inputs import times
from tidegraph.inputs.document import Content
from tidegraph.inputs.files.docx_body import BodyReader
from tidegraph.inputs.files.markdown import heading

MAX_MEMBERS: Final = 10_000
MAX_MEMBER_BYTES: Final = 64 * 1024 * 1024
MAX_TOTAL_BYTES: Final = 256 * 1024 * 1024
OLE_MAGIC: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_DAMAGED: Final = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, NotImplementedError, OSError, KeyError,
    ValueError, OverflowError,
)  # fmt: skip
"""What zipfile raises for archives whose directory does not fit their bytes."""
_TEMPLATE_TIMES: Final = frozenset({"2013-12-23T23:15:00Z"})
"""Creation times that belong to the template of a well-known writer, not to what is written with it."""


def read_docx(data: bytes, rules: times.TimeRules) -> Content:
    """Text, title and time of a Word file.

    Raises:
        Rejected: a password, the old binary format, damage, no text; the message says which.
        LimitExceeded: it unpacks to more than the limit (a zip bomb).
    """
    if data.startswith(OLE_MAGIC):
        if "EncryptedPackage".encode("utf-16-le") in data:
            raise Rejected("ENCRYPTED", "the Word file is protected by a password: remove it first")
        raise Rejected("UNSUPPORTED_FORMAT", "this is the old binary Word format: save it as .docx")
    try:
        package = Package(data)
        main = package.main_part()
        text = BodyReader(package, main, rules).text()
        title, time = _properties(package, rules)
    except _DAMAGED as error:
        raise Rejected(
            "INVALID_DOCX", f"the Word file is damaged or truncated ({type(error).__name__})"
        ) from None
    except RuntimeError as error:  # zipfile's word for an encrypted member; RecursionError is one too
        cause = "is nested too deeply" if isinstance(error, RecursionError) else "is protected by a password"
        raise Rejected("INVALID_DOCX", f"the Word file {cause}") from None
    except etree.LxmlError as error:
        raise Rejected("INVALID_DOCX", f"the Word file holds broken XML: {str(error)[:120]}") from None
    if not text.strip():
        raise Rejected("EMPTY_DOCUMENT", "the Word file is empty: there is no text in it")
    return Content(title=title or heading(text), text=text, document_time=time)


@dataclass(frozen=True, slots=True)
class Relation:
    """A relation of a part: the last word of its type, and the part that it names."""

    kind: str
    target: str


class Package:
    """The parts of an Office Open XML package, by name without the leading slash."""

    def __init__(self, data: bytes) -> None:
        self._zip = zipfile.ZipFile(io.BytesIO(data))
        members = self._zip.infolist()
        if len(members) > MAX_MEMBERS:
            raise LimitExceeded("DOCX_TOO_LARGE", f"the Word file has over {MAX_MEMBERS:,} parts")
        self._names = {member.filename.replace("\\", "/").lstrip("/").lower(): member for member in members}
        self._left = MAX_TOTAL_BYTES

    def read(self, name: str) -> bytes:
        """The bytes of a part.

        Raises:
            KeyError: there is no such part.
            LimitExceeded: it unpacks to more than the limit, whatever the package says of its size.
        """
        member = self._names[name.lower()]
        with self._zip.open(member) as part:
            data = part.read(min(MAX_MEMBER_BYTES, self._left) + 1)
        self._left -= len(data)
        if len(data) > MAX_MEMBER_BYTES or self._left < 0:
            raise LimitExceeded("DOCX_TOO_LARGE", f"the Word file unpacks to over {MAX_MEMBER_BYTES:,} bytes")
        return data

    def xml(self, name: str) -> Any:
        """The root element of a part; entities are never resolved, nothing is fetched."""
        parser = etree.XMLParser(
            resolve_entities=False, no_network=True, load_dtd=False, remove_comments=True, remove_pis=True
        )
        return etree.fromstring(self.read(name), parser)

    def has(self, name: str) -> bool:
        return name.lower() in self._names

    def relations(self, part: str) -> dict[str, Relation]:
        """Relations of a part by id; ``part`` "" is the package."""
        folder, name = posixpath.split(part)
        path = posixpath.join(folder, "_rels", f"{name}.rels")
        if not self.has(path):
            return {}
        found: dict[str, Relation] = {}
        for element in self.xml(path):
            target = element.get("Target") or ""
            if element.get("TargetMode") == "External" or not isinstance(element.tag, str):
                continue
            base = "" if target.startswith("/") else folder
            name = posixpath.normpath(posixpath.join(base, target.lstrip("/")))
            found[element.get("Id") or ""] = Relation((element.get("Type") or "").rpartition("/")[2], name)
        return found

    def main_part(self) -> str:
        """The part that holds the document.

        Raises:
            Rejected: this is another kind of package.
        """
        for relation in self.relations("").values():
            if relation.kind == "officeDocument":
                if not self.has(relation.target):
                    break
                return relation.target
        if self.has("word/document.xml"):
            return "word/document.xml"
        if self.has("[Content_Types].xml"):
            for element in self.xml("[Content_Types].xml"):
                if "document.main+xml" in (element.get("ContentType") or ""):
                    return (element.get("PartName") or "").lstrip("/")
        raise Rejected("INVALID_DOCX", "this is no Word file: the package names no document part")


def _properties(package: Package, rules: times.TimeRules) -> tuple[str, DocumentTime | None]:
    """(title, time) of the core properties."""
    names = [
        r.target
        for r in package.relations("").values()
        if r.kind == "core-properties" and package.has(r.target)
    ]
    if not names:
        return "", None
    try:
        root = package.xml(names[0])
    except etree.LxmlError:
        return "", None
    values = {
        etree.QName(element).localname: element.text or "" for element in root if isinstance(element.tag, str)
    }
    for name in ("modified", "created"):
        text = values.get(name, "").strip()
        time = times.parse(text, f"docx: {name}", rules) if text not in _TEMPLATE_TIMES else None
        if time is not None and not times.is_placeholder(time):
            return values.get("title", ""), time
    return values.get("title", ""), None
