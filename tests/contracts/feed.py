"""Extracted documents as a stage hands them to the writer, built from short descriptions."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from tests.contracts.samples import at, header

from tidegraph.domain import ids
from tidegraph.domain.documents import (
    Chunk,
    DocumentHeader,
    DocumentKind,
    DocumentTime,
    EndpointBasis,
    EntityType,
    Event,
    ExtractedAssertion,
    ExtractedDocument,
    Mention,
    Status,
    Term,
    TimeState,
    ValidTime,
    Verb,
)
from tidegraph.domain.interval import OPEN_END, OPEN_START, Granularity, Interval

GRAPH = "tenant"


def since(start: int, end: int = OPEN_END) -> ValidTime:
    return ValidTime(
        start,
        end,
        Granularity.DAY,
        Granularity.DAY if end != OPEN_END else Granularity.UNKNOWN,
        EndpointBasis.STATED if start != OPEN_START else EndpointBasis.NONE,
        EndpointBasis.STATED if end != OPEN_END else EndpointBasis.NONE,
    )


@dataclass
class Writing:
    """A document under way: say things, then ``done``."""

    header: DocumentHeader
    epoch: str = "e1"
    mentions: dict[str, Mention] = field(default_factory=dict)
    assertions: list[ExtractedAssertion] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)

    def mention(self, name: str, type_: EntityType = EntityType.ORGANISATION) -> str:
        place = len(self.mentions)
        id_ = ids.mention_id(
            self.header.graph, self.header.document_id, self.header.revision, place, 0, self.epoch
        )
        known = self.mentions.setdefault(name, Mention(id_, name, name, type_, place, place + len(name)))
        return known.mention_id

    def says(
        self,
        subject: str,
        predicate: str,
        value: str,
        valid: ValidTime,
        *,
        entity: bool = False,
        **fields: Any,
    ) -> Writing:
        ordinal = len(self.assertions)
        head = self.header
        claim = ExtractedAssertion(
            assertion_id=ids.assertion_id(
                head.graph, head.document_id, head.revision, head.part, ordinal, self.epoch, ordinal
            ),
            subject=Term(self.mention(subject), ""),
            predicate=predicate,
            object=Term(self.mention(value), "") if entity else Term("", value),
            qualifiers=(),
            valid=valid,
            verb=Verb.START,
            status=Status.ASSERTED,
            confidence=0.9,
            start_char=0,
            end_char=10,
            event_id="",
            rule_id="test",
        )
        self.assertions.append(replace(claim, **fields))
        return self

    def tells(self, sentence: str, when: Interval | None, *names: str) -> Writing:
        ordinal, head = len(self.events), self.header
        self.events.append(
            Event(
                event_id=ids.event_id(
                    head.graph, head.document_id, head.revision, head.part, ordinal, self.epoch, ordinal
                ),
                chunk_ids=(ids.chunk_id(head.graph, head.document_id, head.revision, head.part),),
                ordinal=ordinal,
                sentence=sentence,
                start_char=0,
                end_char=len(sentence),
                time_state=TimeState.DATED if when else TimeState.STATIC,
                interval=when,
                time_rule_id="",
                mention_ids=tuple(self.mention(name) for name in names),
                score=2,
                reasons=("entity",),
                status=Status.ASSERTED,
                extractor="language",
            )
        )
        return self

    def done(self) -> ExtractedDocument:
        head = self.header
        text = " ".join(event.sentence for event in self.events) or "nothing"
        chunk_id = ids.chunk_id(head.graph, head.document_id, head.revision, head.part)
        return ExtractedDocument(
            header=head,
            extractor_epoch=self.epoch,
            chunks=(Chunk(chunk_id, head.part, 0, len(text), head.title, text),),
            expressions=(),
            mentions=tuple(self.mentions.values()),
            events=tuple(self.events),
            assertions=tuple(self.assertions),
        )


def writing(
    document_id: str, revision: str = "1", time: int | None = None, recorded_at: int = at(2030), **fields: Any
) -> Writing:
    """A document that was written at ``time``; extra fields go into its header."""
    epoch = fields.pop("epoch", "e1")
    document_time = DocumentTime(time, Granularity.DAY, "metadata") if time is not None else None
    values = {"part": 1, "content_hash": f"{document_id}/{revision}"} | fields
    head = header(
        GRAPH, document_id, revision, document_time=document_time, recorded_at=recorded_at, **values
    )
    return Writing(head, epoch)


def retraction(document_id: str, recorded_at: int) -> ExtractedDocument:
    """A null record: the document is withdrawn."""
    made = writing(document_id, "", None, recorded_at, kind=DocumentKind.RETRACTION, content_hash="").done()
    return replace(made, chunks=(), events=(), assertions=(), mentions=())
