"""What reading files yields, and how they are read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from tidegraph.domain.documents import DocumentTime
from tidegraph.domain.errors import LimitExceeded, Rejected
from tidegraph.inputs import times
from tidegraph.inputs.document import Content, Defaults, RawDocument
from tidegraph.inputs.mapping import Mapping

CONTAINER_FACTOR: Final = 64
"""A file of many documents (mbox, JSONL) may be this many times as large as one document."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadOptions:
    """``date`` and ``graph`` replace those of every document, unless empty; ``format`` is a name of
    ``formats.FORMATS`` or ""."""

    defaults: Defaults
    rules: times.TimeRules = times.UTC_RULES
    mapping: Mapping | None = None
    format: str = ""
    date: DocumentTime | None = None
    graph: str = ""


@dataclass(frozen=True, slots=True)
class FileDocument:
    """A document read from ``path``; ``position`` tells where in the file ("" for the whole of it)."""

    path: str
    position: str
    document: RawDocument


@dataclass(frozen=True, slots=True)
class Rejection:
    """A file, or the part of it at ``position``, that is no document, and why."""

    path: str
    position: str
    reason: str
    cause: str


FileResult = FileDocument | Rejection
Part = tuple[str, Content | Rejected]
"""(position in the file, content or error)"""
Parts = Iterator[Part]


def check_size(size: int, limit: int) -> None:
    """Refuse a file over the limit.

    Raises:
        LimitExceeded: with both sizes and the setting to change.
    """
    if size > limit:
        raise LimitExceeded(
            "FILE_TOO_LARGE",
            f"the file is too large: it has {size:,} bytes, the limit is {limit:,} "
            "(TIDEGRAPH_MAX_DOCUMENT_BYTES)",
        )
