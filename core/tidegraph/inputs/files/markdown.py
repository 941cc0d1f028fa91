"""Markdown and plain text files."""

from __future__ import annotations

import re
from typing import Final

from tidegraph.domain.documents import DocumentKind, DocumentTime
from tidegraph.domain.errors import Rejected
from tidegraph.inputs import charsets, times
from tidegraph.inputs.document import MAX_TITLE_CHARS, Content
from tidegraph.inputs.files import frontmatter

TIME_FIELDS: Final = (
    "document_time", "date", "datetime", "date_published", "published", "publish_date", "published_at",
    "pubdate",
    "issued", "updated", "updated_at", "last_updated", "lastupdated", "lastmod", "last_modified", "modified",
    "created", "created_at", "date_created",
)  # fmt: skip
_KINDS: Final = {"narrative": DocumentKind.NARRATIVE, "register": DocumentKind.REGISTER}
_HEADING: Final = re.compile(
    r"^ {0,3}#{1,6}[ \t]+(?P<atx>\S[^\n]*)$|^(?P<setext>\S[^\n]*)\n(?:=+|-{3,})[ \t]*$", re.MULTILINE
)
_FENCED_CODE: Final = re.compile(r"^(```|~~~).*?(?:^\1|\Z)", re.MULTILINE | re.DOTALL)
_COMMENT: Final = re.compile(r"<!--.*?-->", re.DOTALL)
_INLINE: Final = re.compile(r"!?\[([^\]]*)\]\([^)]*\)|[*_`]{1,3}(?=\S)|(?<=\S)[*_`]{1,3}")


def read_text(data: bytes, declared: str = "") -> Content:
    """A plain text: it says nothing about itself.

    Raises:
        Rejected: empty, binary, or an encoding that cannot be told.
    """
    text, _ = charsets.decode(data, declared)
    _require(text)
    return Content(text=text)


def read_markdown(data: bytes, rules: times.TimeRules, declared: str = "") -> Content:
    """A markdown text with what its front matter says; the title is that of the first heading otherwise.

    Tenant, access labels and revision are not the author's to choose: those of the front matter, where
    such words mean other things, are left alone.

    Raises:
        Rejected: empty, binary, or an encoding that cannot be told.
    """
    text, _ = charsets.decode(data, declared)
    _require(text)
    parts = frontmatter.split(text)
    _require(parts.body)
    fields = parts.fields
    first = frontmatter.text_of
    return Content(
        document_id=first(fields.get("id")),
        source=first(fields.get("source")),
        title=first(fields.get("title")) or heading(parts.body),
        kind=_KINDS.get(first(fields.get("kind")).lower(), DocumentKind.UNSPECIFIED),
        document_time=_time(fields, rules),
        language=first(fields.get("language", fields.get("lang")))[:35],
        text=parts.body,
    )


def heading(text: str) -> str:
    """The first heading of a markdown text, without its markup; "" when there is none."""
    match = _HEADING.search(_COMMENT.sub("", _FENCED_CODE.sub("", text[:65_536])))
    if match is None:
        return ""
    line = (match["atx"] or match["setext"]).rstrip(" \t#")
    return _INLINE.sub(lambda m: m[1] or "", line[:MAX_TITLE_CHARS])


def _time(fields: dict[str, object], rules: times.TimeRules) -> DocumentTime | None:
    for name in TIME_FIELDS:
        text = frontmatter.text_of(fields.get(name))
        time = times.parse(text, f"front matter: {name}", rules) if text else None
        if time is not None and not times.is_placeholder(time):
            return time
    return None


def _require(text: str) -> None:
    if not text.strip():
        raise Rejected("EMPTY_DOCUMENT", "the file is empty: there is no text in it")
