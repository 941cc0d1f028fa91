"""Whether what a certificate says is erased is really nowhere; also later, after rebuilds.

What was told of a document or an entity after the erasure is new, and no finding.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import orjson

from tidegraph.domain.documents import ExtractedDocument
from tidegraph.domain.errors import NotFound, Rejected
from tidegraph.log.codecs import decode
from tidegraph.log.deadletter import list_letters
from tidegraph.log.topics import Topic
from tidegraph.ports import GraphStore, Log, StatusStore
from tidegraph.storage.dump import full_dump
from tidegraph.storage.visibility import EVERYTHING
from tidegraph.streams.erasure import living
from tidegraph.streams.writing.erased import Erased

FORMAT: Final = "tidegraph-erasure-1"
_LETTERS: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class _Claim:
    """What a certificate says."""

    graph: str
    document_id: str
    entity_ids: frozenset[str]
    decided_at: int

    @property
    def erased(self) -> Erased:
        documents = {self.document_id: self.decided_at} if self.document_id else {}
        return Erased(documents, dict.fromkeys(self.entity_ids, self.decided_at))


async def remains(text: str, store: GraphStore, log: Log, status: StatusStore) -> list[str]:
    """What is still there of what a certificate says is erased, each in words; empty when it holds.

    Raises:
        Rejected: INVALID_CERTIFICATE, the text is no certificate. Retryable: a part does not answer.
    """
    claim = _claim(text)
    found = [line async for line in _in_graph(claim, store)]
    found += [line async for line in _in_log(claim, log)]
    if claim.document_id:
        lines = await status.by_document(claim.graph, claim.document_id)
        found += ["a status line" for line in lines if line.recorded_at <= claim.decided_at]
    return found


def _claim(text: str) -> _Claim:
    try:
        fields: Mapping[str, Any] = orjson.loads(text)
        if fields["certificate"] != FORMAT:
            raise ValueError("another format")
        return _Claim(
            str(fields["graph"]),
            str(fields["document_id"]),
            frozenset(str(name) for name in fields["entity_ids"]),
            int(fields["decided_at_micros"]),
        )
    except (ValueError, KeyError, TypeError) as error:
        message = f"this is no certificate of an erasure: {error}"
        raise Rejected("INVALID_CERTIFICATE", message) from None


async def _in_graph(claim: _Claim, store: GraphStore) -> AsyncIterator[str]:
    try:
        documents = [claim.document_id] if claim.document_id else []
        for record in await store.documents(claim.graph, documents, EVERYTHING):
            if record.header.recorded_at <= claim.decided_at:
                yield f"a document row, part {record.header.part} of revision {record.header.revision}"
        for entity in await store.entities(claim.graph, sorted(claim.entity_ids)):
            if entity.recorded_at <= claim.decided_at:
                yield f"the entity {entity.entity_id}"
        async for line in full_dump(store, claim.graph):
            kind, _, row = line.partition(" ")
            if kind not in ("chunk", "event", "assertion"):
                continue
            fields = orjson.loads(row)
            is_old = fields["recorded_at"] <= claim.decided_at
            named = {fields.get("subject"), fields.get("object"), *fields.get("entity_ids", [])}
            if is_old and (fields["document_id"] == claim.document_id or named & claim.entity_ids):
                yield f"a row of {kind}: {fields['id']}"
    except NotFound:
        return


async def _in_log(claim: _Claim, log: Log) -> AsyncIterator[str]:
    """Living records of the compacted topics."""
    async for record in living(log, Topic.EXTRACTED):
        try:
            document = decode(ExtractedDocument, record.value) if record.value is not None else None
        except Rejected:
            continue
        if document is None or document.header.graph != claim.graph:
            continue
        if claim.erased.apply(document) is not document:
            yield f"a record of extracted: {record.partition}/{record.offset}"
    for letter in await list_letters(log, limit=_LETTERS) if claim.document_id else ():
        is_its = letter.graph == claim.graph and letter.document_id == claim.document_id
        if is_its and letter.failed_at <= claim.decided_at:
            yield f"a dead letter of {letter.position.topic}"
