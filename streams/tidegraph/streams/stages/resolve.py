"""The resolve stage: which known entities the mentions of a document may name.

It proposes only. What an entity is gets decided by the graph's writer, so that stages that run side by
side and see the graph at different moments cannot make the result depend on their order.
"""

from __future__ import annotations

from typing import Final

from tidegraph.domain import ids, naming
from tidegraph.domain.documents import (
    EntityCandidate,
    EntityProposal,
    EntityType,
    ExtractedDocument,
    ResolvedDocument,
)
from tidegraph.domain.errors import NotFound, Rejected
from tidegraph.events.v1 import records_pb2
from tidegraph.log.codecs import decode, decode_control, encode_resolved
from tidegraph.log.headers import DECISION, held, stamped
from tidegraph.log.keys import graph_key
from tidegraph.log.status import Stage
from tidegraph.log.topics import Topic
from tidegraph.ports import Clock, EntityRecord, GraphReader
from tidegraph.streams.flow import Input, Output, Result, Subject, header_subject, status_line
from tidegraph.streams.holds import let_go

MAX_CANDIDATES: Final = 8
_OTHER_TYPE: Final = 0.5


async def propose(document: ExtractedDocument, reader: GraphReader) -> ResolvedDocument:
    """A document with the candidates for each of its mentions; one read for the whole document."""
    keys = {mention.mention_id: naming.entity_key(mention) for mention in document.mentions}
    try:
        found = await reader.entities_by_name(document.header.graph, sorted({*keys.values()} - {""}))
    except NotFound:
        found = {}  # the graph's first document
    proposals = tuple(
        EntityProposal(
            mention_id=mention.mention_id,
            normalised_name=keys[mention.mention_id],
            candidates=_candidates(
                document.header.graph,
                keys[mention.mention_id],
                mention.type,
                found.get(keys[mention.mention_id], []),
            ),
        )
        for mention in document.mentions
    )
    return ResolvedDocument(document, proposals)


def _candidates(
    graph: str, key: str, type_: EntityType, known: list[EntityRecord]
) -> tuple[EntityCandidate, ...]:
    """Known entities of the name, best first: that of the very name, then those that have it as an alias."""
    own = ids.entity_id(graph, key, "")
    found = []
    for entity in known:
        agrees = EntityType.UNSPECIFIED in (type_, entity.type) or type_ == entity.type
        score = (1.0 if entity.entity_id == own else 0.8) * (1.0 if agrees else _OTHER_TYPE)
        reason = "name" if entity.entity_id == own else "alias"
        found.append(EntityCandidate(entity.entity_id, score, reason if agrees else f"{reason}, other type"))
    return tuple(sorted(found, key=lambda c: (-c.score, c.entity_id))[:MAX_CANDIDATES])


class ResolveHandler:
    """``extracted`` and ``control`` to ``resolved``, keyed by graph."""

    stage = Stage.RESOLVE

    def __init__(self, reader: GraphReader, clock: Clock) -> None:
        self._reader = reader
        self._clock = clock

    async def handle(self, item: Input) -> Result:
        """One output for one part of a document or one decision."""
        if item.record.value is None:
            if item.record.topic == Topic.EXTRACTED:
                return Result((), let_go(item))  # what an erasure left in the place of a record
            raise Rejected("NULL_RECORD", f"a record of `{item.record.topic}` has no value")
        if item.record.topic == Topic.CONTROL:
            decision = self._decision(item)
            line = status_line(self.subject(item), self.stage, self._clock.now())
            return Result((self._output(item, decision),), (line,))
        document = decode(ExtractedDocument, item.record.value)
        resolved = await propose(document, self._reader)
        if document.reextracted_at:
            return Result((self._output(item, resolved),), ())  # the document has its outcome
        line = status_line(Subject.of(document.header), self.stage, self._clock.now())
        return Result((self._output(item, resolved),), (line,))

    def subject(self, item: Input) -> Subject:
        """The document that the record's header names; for a decision, its record."""
        if item.record.topic != Topic.CONTROL:
            return header_subject(item, ExtractedDocument)
        try:
            graph = decode_control(item.record.value or b"").graph
        except Rejected:
            graph = ""
        return Subject(item.position, graph, "", "", item.recorded_at, 1, 1)

    def _decision(self, item: Input) -> records_pb2.ControlRecord:
        """A decision with its recorded time: the stamp of its position, where there is one."""
        decision = decode_control(item.record.value or b"")
        if item.recorded_at:
            decision.recorded_at = item.recorded_at
        at = item.position
        decision.position.CopyFrom(
            records_pb2.Position(
                topic=at.topic, partition=at.partition, offset=at.offset, incarnation=at.incarnation
            )
        )
        return decision

    def _output(self, item: Input, content: ResolvedDocument | records_pb2.ControlRecord) -> Output:
        graph = content.document.header.graph if isinstance(content, ResolvedDocument) else content.graph
        key = graph_key(graph)
        headers = [*stamped(item.record.headers, self.stage), *held(item.record.headers)]
        if not isinstance(content, ResolvedDocument):
            headers.append((DECISION, str(content.WhichOneof("decision")).encode()))
        return Output(Topic.RESOLVED, key, encode_resolved(content), tuple(headers), key)
