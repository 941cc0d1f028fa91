"""The value of a record by its media type: text, markdown, HTML, e-mail or JSON."""

from __future__ import annotations

from dataclasses import dataclass, replace
from email.message import Message
from typing import Any, Final

from tidegraph.domain.errors import Rejected
from tidegraph.inputs import charsets, jsontext, plain
from tidegraph.inputs import mapping as mappings
from tidegraph.inputs.document import Content
from tidegraph.inputs.files.html import read_html
from tidegraph.inputs.files.mail import read_mail
from tidegraph.inputs.files.markdown import read_markdown, read_text
from tidegraph.inputs.mapping import Mapping
from tidegraph.inputs.times import TimeRules

TEXT_TYPES: Final = frozenset({"text/plain", "text/x-rst", "text/rtf", "text/csv", "text/asciidoc"})
MARKDOWN_TYPES: Final = frozenset({"text/markdown", "text/x-markdown"})
HTML_TYPES: Final = frozenset({"text/html", "application/xhtml+xml"})
MAIL_TYPES: Final = frozenset({"message/rfc822", "message/global"})


@dataclass(frozen=True, slots=True)
class MediaType:
    """A media type without its parameters, in lower case, and the charset parameter."""

    name: str
    charset: str

    @property
    def is_json(self) -> bool:
        return self.name.endswith("+json") or self.name in ("application/json", "text/json")

    @property
    def is_text(self) -> bool:
        return self.name in TEXT_TYPES | MARKDOWN_TYPES | HTML_TYPES | MAIL_TYPES


def media_type(text: str) -> MediaType:
    """Read a Content-Type value (RFC 9110, 8.3.1): quoted and repeated parameters, any case."""
    message = Message()
    message["content-type"] = " ".join(text.split())[:1_000]
    if not text.strip():
        return MediaType("", "")
    charset = message.get_param("charset", "")
    name = text.split(";", maxsplit=1)[0].strip().lower()
    return MediaType(name, charset if isinstance(charset, str) else "")


def read(data: bytes, media: MediaType, rules: TimeRules, mapping: Mapping | None) -> Content:
    """The content of a value of a known media type.

    Raises:
        Rejected: the value is not what its media type says, or a type that cannot be read.
    """
    if media.is_json:
        return read_json(require_object(jsontext.load(_utf8(data, media))), rules, mapping)
    if media.name in HTML_TYPES:
        return read_html(data, rules, media.charset)
    if media.name in MARKDOWN_TYPES:
        return read_markdown(data, rules, media.charset)
    if media.name in MAIL_TYPES:
        return read_mail(data, rules)
    if media.name in TEXT_TYPES:
        return read_text(data, media.charset)
    raise Rejected(
        "UNSUPPORTED_CONTENT_TYPE",
        f"the content-type {media.name[:80]!r} cannot be read; send text, markdown, HTML, e-mail or JSON",
    )


def read_json(value: dict[str, Any], rules: TimeRules, mapping: Mapping | None) -> Content:
    """A JSON object by its mapping, or in the plain form when it has no mapping."""
    if mapping is not None and (mapping.document or mapping.has_assertions):
        return _fill(mappings.apply(mapping, value, rules), value)
    return plain.read(value, rules)


def _fill(content: Content, value: dict[str, Any]) -> Content:
    """A mapping that names no id leaves the plain field ``id``."""
    if content.document_id or not isinstance(value.get("id"), str | int):
        return content
    return replace(content, document_id=str(value["id"]))


def _utf8(data: bytes, media: MediaType) -> bytes:
    name = charsets.lookup(media.charset)
    if name in ("", "utf-8") or name.startswith(("utf-16", "utf-32")):
        return data
    return charsets.decode(data, media.charset)[0].encode()


def require_object(value: jsontext.Json) -> dict[str, Any]:
    """The value as an object.

    Raises:
        Rejected: it is another JSON value.
    """
    if isinstance(value, dict):
        return value
    if isinstance(value, list):
        raise Rejected("NOT_ONE_DOCUMENT", "the JSON is an array: send one document a record")
    raise Rejected("INVALID_ENVELOPE", "the JSON is not an object: a document has at least id and text")
