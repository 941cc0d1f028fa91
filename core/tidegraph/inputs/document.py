"""The one form in which every input leaves this package."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Final

from tidegraph.domain.documents import DocumentKind, DocumentTime
from tidegraph.domain.errors import LimitExceeded, Rejected
from tidegraph.domain.graphs import check_graph_name
from tidegraph.domain.interval import Granularity, format_by_granularity

MAX_ID_CHARS: Final = 1_024
MAX_TITLE_CHARS: Final = 2_000
MAX_LABELS: Final = 256
MAX_LABEL_CHARS: Final = 256
_CONTROL: Final = dict.fromkeys((*range(32), 127), " ")


@dataclass(frozen=True, slots=True)
class RawDocument:
    """A document as it came, before any language processing.

    ``graph`` is the tenant. ``text`` holds Unicode without NUL and lone surrogates, line ends as
    ``\\n``; it is empty for a retraction and for a document of records. ``records`` are JSON objects as
    text, to be read with ``mapping``, the text of a mapping file (``mapping_name`` is for people).
    ``document_time`` comes from metadata only and says where from; ``None`` when none is given.
    ``content_hash`` is over all that is read and all that is said about it: title, text, records, mapping,
    kind, source, priority, language, time and labels. The same revision with other labels is no copy.
    """

    graph: str
    document_id: str
    revision: str
    source: str
    title: str
    kind: DocumentKind
    document_time: DocumentTime | None
    labels: tuple[str, ...]
    source_priority: int
    language: str
    text: str
    records: tuple[str, ...]
    mapping_name: str
    mapping: str
    content_hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """What a reader found in one document; an empty field falls back to the defaults of the input.

    ``labels`` is ``None`` when the document says nothing about access.
    """

    document_id: str = ""
    revision: str = ""
    graph: str = ""
    source: str = ""
    title: str = ""
    kind: DocumentKind = DocumentKind.UNSPECIFIED
    document_time: DocumentTime | None = None
    labels: tuple[str, ...] | None = None
    source_priority: int | None = None
    language: str = ""
    text: str = ""
    records: tuple[str, ...] = ()
    mapping_name: str = ""
    mapping: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Defaults:
    """What holds for a document that does not say otherwise."""

    graph: str
    source: str = ""
    kind: DocumentKind = DocumentKind.NARRATIVE
    labels: tuple[str, ...] = ()
    source_priority: int = 0
    language: str = ""
    max_bytes: int = 16 * 1024 * 1024


def finish(content: Content, defaults: Defaults) -> RawDocument:
    """Put the defaults in, check every limit, compute hash and revision.

    Raises:
        Rejected: no id, nothing to read, a graph name that cannot be one.
        LimitExceeded: a field over its limit, which the message names.
    """
    kind = content.kind or defaults.kind
    graph = content.graph or defaults.graph
    title = " ".join(content.title.translate(_CONTROL).split())[:MAX_TITLE_CHARS]
    _check(content, graph, kind, defaults.max_bytes)
    labels = defaults.labels if content.labels is None else content.labels
    _check_labels(labels)
    source = content.source or defaults.source
    priority = defaults.source_priority if content.source_priority is None else content.source_priority
    language = content.language or defaults.language
    labels = tuple(sorted(set(labels)))
    envelope = (kind.name, source, language, str(priority), _time_text(content.document_time), *labels)
    content_hash = _digest(_digest(title, content.text, content.mapping, *content.records), *envelope)
    return RawDocument(
        graph=graph,
        document_id=content.document_id,
        revision=content.revision or content_hash[:32],
        source=source,
        title=title,
        kind=kind,
        document_time=content.document_time,
        labels=labels,
        source_priority=priority,
        language=language,
        text=content.text if content.text.strip() else "",
        records=content.records,
        mapping_name=content.mapping_name,
        mapping=content.mapping,
        content_hash=content_hash,
    )


def _check(content: Content, graph: str, kind: DocumentKind, max_bytes: int) -> None:
    check_graph_name(graph)
    if not content.document_id.strip():
        raise Rejected("MISSING_ID", "the document has no id and the record no key: give one of them")
    for name, value in (("id", content.document_id), ("revision", content.revision)):
        if len(value) > MAX_ID_CHARS:
            raise LimitExceeded("ID_TOO_LONG", f"the {name} is longer than {MAX_ID_CHARS} characters")
        if any(ord(char) < 32 for char in value):
            raise Rejected("INVALID_ID", f"the {name} holds control characters: {value[:80]!r}")
    if kind is DocumentKind.RETRACTION:
        return
    # A register that says nothing states that nothing holds: what it said before ends.
    is_empty = not content.records and not content.text.strip()
    if is_empty and kind is not DocumentKind.REGISTER:
        raise Rejected("EMPTY_DOCUMENT", "the document is empty: there is no text in it")
    size = len(content.text.encode()) + sum(len(record.encode()) for record in content.records)
    if size > max_bytes:
        raise LimitExceeded(
            "DOCUMENT_TOO_LARGE",
            f"the text has {size:,} bytes, the limit is {max_bytes:,}: split the document",
        )


def _check_labels(labels: tuple[str, ...]) -> None:
    if len(labels) > MAX_LABELS or any(len(label) > MAX_LABEL_CHARS for label in labels):
        raise LimitExceeded(
            "TOO_MANY_LABELS", f"at most {MAX_LABELS} labels of {MAX_LABEL_CHARS} characters are allowed"
        )
    if any(not label.strip() for label in labels):
        raise Rejected("INVALID_LABEL", "a label is empty: who may read the document is not clear")


def iso_text(time: DocumentTime) -> str:
    """ISO 8601, no finer and no coarser than the time was given: midnight stays a time of day."""
    text = format_by_granularity(time.instant, time.granularity)
    return f"{text}T00:00:00Z" if time.granularity < Granularity.DAY and "T" not in text else text


def _time_text(time: DocumentTime | None) -> str:
    return "" if time is None else f"{iso_text(time)}/{time.granularity}"


def _digest(*parts: str) -> str:
    """SHA-256 over length-prefixed parts, as hex."""
    hasher = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        hasher.update(b"%d:" % len(data))
        hasher.update(data)
    return hasher.hexdigest()
