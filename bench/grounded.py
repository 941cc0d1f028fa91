"""Documents as the extractor takes them, of texts that no pipeline ran over: cut into chunks and grounded."""

from __future__ import annotations

from tidegraph.domain.documents import (
    DocumentHeader,
    DocumentKind,
    DocumentTime,
    GroundedDocument,
    Position,
)
from tidegraph.language import chunking
from tidegraph.language.grounding import ground
from tidegraph.settings import load

GRAPH = "bench"
_GROUNDING = load({}).grounding


def grounded(document_id: str, title: str, text: str, written: DocumentTime | None) -> GroundedDocument:
    """A narrative document of one part in English, ready to be extracted."""
    header = DocumentHeader(
        graph=GRAPH,
        document_id=document_id,
        revision="1",
        source=GRAPH,
        title=title,
        kind=DocumentKind.NARRATIVE,
        document_time=written,
        labels=(),
        source_priority=0,
        language="en",
        position=Position("documents", 0, 0, GRAPH),
        recorded_at=0,
        part=0,
        parts=1,
        content_hash=document_id,
    )
    chunks = chunking.chunk_text(GRAPH, document_id, "1", title, text)
    return GroundedDocument(header, text, chunks, ground(text, written, _GROUNDING), (), "")
