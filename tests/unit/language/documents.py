"""Grounded documents for the tests of extraction."""

from __future__ import annotations

from functools import cache

from tidegraph.domain.documents import (
    DocumentHeader,
    DocumentKind,
    DocumentTime,
    ExtractedDocument,
    GroundedDocument,
    Position,
    StructuredRecord,
)
from tidegraph.domain.interval import Granularity, instant
from tidegraph.language import chunking
from tidegraph.language.extractor import LanguageExtractor
from tidegraph.language.grounding import ground
from tidegraph.settings import load

WRITTEN = DocumentTime(instant(2020, 5, 5, 10), Granularity.SECOND, "test")


@cache
def extractor() -> LanguageExtractor:
    return LanguageExtractor()


def document(
    text: str,
    title: str = "",
    written: DocumentTime | None = WRITTEN,
    records: tuple[str, ...] = (),
    mapping: str = "",
) -> GroundedDocument:
    header = DocumentHeader(
        graph="g",
        document_id="d",
        revision="1",
        source="test",
        title=title,
        kind=DocumentKind.NARRATIVE,
        document_time=written,
        labels=(),
        source_priority=0,
        language="en",
        position=Position("documents", 0, 0, "i"),
        recorded_at=0,
        part=0,
        parts=1,
        content_hash="h",
    )
    return GroundedDocument(
        header=header,
        text=text,
        chunks=chunking.chunk_text("g", "d", "1", title, text),
        expressions=ground(text, written, load({}).grounding),
        records=tuple(StructuredRecord(n, "", record) for n, record in enumerate(records)),
        mapping=mapping,
    )


def extract(text: str, title: str = "", written: DocumentTime | None = WRITTEN) -> ExtractedDocument:
    return extractor().extract(document(text, title, written))


def claims(found: ExtractedDocument) -> list[tuple[str, str, str, str]]:
    """(subject, predicate, object, verb) of the assertions, by name."""
    names = {mention.mention_id: mention.canonical_name for mention in found.mentions}
    return [
        (
            names.get(a.subject.mention_id, a.subject.literal),
            a.predicate,
            names.get(a.object.mention_id, a.object.literal),
            a.verb.name.lower(),
        )
        for a in found.assertions
    ]
