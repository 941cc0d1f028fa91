"""From what was extracted to rows of the graph: names to entities, claims under their conflict keys."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from tidegraph.domain import ids, naming
from tidegraph.domain.documents import (
    Chunk,
    DocumentHeader,
    DocumentKind,
    EntityType,
    Event,
    ExtractedAssertion,
    ExtractedDocument,
    Mention,
    Term,
    ValidTime,
)
from tidegraph.domain.errors import Rejected
from tidegraph.domain.facts import Assertion
from tidegraph.domain.filing import Told, filings
from tidegraph.domain.identity import Sighting
from tidegraph.domain.interval import OPEN_END, OPEN_START
from tidegraph.domain.policies import ObjectKind
from tidegraph.domain.predicates import Registry
from tidegraph.domain.rules import Timeline
from tidegraph.ports import ChunkRecord, DocumentRecord, DocumentWrite, EntityWrite, EventRecord
from tidegraph.storage.codec import ceil_time, floor_time, storable
from tidegraph.streams.writing.othernames import other_names
from tidegraph.streams.writing.renamings import former_names
from tidegraph.streams.writing.sightings import sightings_of, signatures


@dataclass(slots=True)
class Names:
    """The entities that one document names.

    Which id a mention is resolved to is a function of its document alone: the normal form of its name
    (``naming.entity_key``) and its signature (``sightings.signatures``), so no order of arrival plays a
    part. Which ids are one entity is another question (``identities``).
    """

    header: DocumentHeader
    mentions: Mapping[str, Mention]
    found: dict[str, EntityWrite] = field(default_factory=dict)
    by_mention: dict[str, str] = field(default_factory=dict)
    signed: dict[str, str] = field(default_factory=dict)
    """By entity id the signature that is a part of it."""

    @classmethod
    def of(cls, document: ExtractedDocument) -> Names:
        """The names of a document, all of its mentions taken in."""
        names = cls(document.header, {mention.mention_id: mention for mention in document.mentions})
        signed = signatures(document)
        for mention in document.mentions:
            names.by_mention[mention.mention_id] = names._take(mention, signed[mention.mention_id])
        return names

    def entity_of(self, mention_id: str) -> str:
        """The entity that a mention names.

        Raises:
            Rejected: the document has no such mention.
        """
        entity_id = self.by_mention.get(mention_id)
        if entity_id is None:
            raise Rejected(
                "UNKNOWN_MENTION",
                "the record refers to a mention that it does not hold",
                mention_id=mention_id,
            )
        return entity_id

    def named(self, text: str, type_: EntityType) -> str:
        """The entity with this name, for a side that was given as text."""
        return self._take(Mention("", text, text, type_, 0, 0), "")

    def text_of(self, mention_id: str) -> str:
        """The full name of a mention, where a value is wanted."""
        self.entity_of(mention_id)
        mention = self.mentions[mention_id]
        return mention.canonical_name or mention.name

    def _take(self, mention: Mention, signature: str) -> str:
        key = naming.entity_key(mention)
        if not key:
            raise Rejected("EMPTY_NAME", "a mention has no visible character", mention_id=mention.mention_id)
        entity_id = ids.entity_id(self.header.graph, key, signature)
        self.signed[entity_id] = signature
        aliases = set(naming.aliases(mention))
        known = self.found.get(entity_id)
        if known is not None:
            if aliases <= set(known.aliases):
                return entity_id
            aliases |= set(known.aliases)
        type_ = known.type if known and known.type else mention.type
        self.found[entity_id] = EntityWrite(
            entity_id, key, type_, tuple(sorted(aliases)), self.header.recorded_at
        )
        return entity_id


@dataclass(frozen=True, slots=True)
class Draft:
    """What one document becomes, before it is known which submission it is.

    Made first, so that a document that cannot be used is refused before it has any effect.
    """

    document: ExtractedDocument
    timeline: Timeline
    entities: tuple[EntityWrite, ...]
    chunks: tuple[ChunkRecord, ...]
    events: tuple[EventRecord, ...]
    assertions: tuple[Assertion, ...]
    sightings: tuple[Sighting, ...] = ()

    @classmethod
    def of(cls, document: ExtractedDocument, timeline: Timeline, salt: str = "") -> Draft:
        """The rows of a document.

        Args:
            timeline: the registries that the graph goes by; a claim has a row for each form it takes.
            salt: derives other ids than those of the record.

        Raises:
            Rejected: a claim or event refers to a mention that the document does not hold.
        """
        read = _as_read(document)
        names = Names.of(read)
        maker = _Maker(read.header, timeline, names, salt)
        events = tuple(maker.event(event) for event in document.events)
        told = (
            *document.assertions,
            *former_names(document, timeline.base, names.text_of),
            *other_names(document),
        )
        filed = [maker.assertion(claim) for claim in told]
        # What identity follows from must not depend on which policies were known when it was written.
        first = [rows[0] for rows in filed]
        recorded_at = document.header.recorded_at
        return cls(
            document=document,
            timeline=timeline,
            entities=tuple(names.found.values()),
            chunks=tuple(maker.chunk(chunk, recorded_at) for chunk in document.chunks),
            events=events,
            assertions=tuple(row for rows in filed for row in rows),
            sightings=sightings_of(read, names.found.values(), names.by_mention, names.signed, first),
        )

    @classmethod
    def empty(cls, header: DocumentHeader) -> Draft:
        """A document that says nothing: a retraction."""
        document = ExtractedDocument(header, "", (), (), (), (), ())
        return cls(document, Timeline.of(Registry((), ())), (), (), (), ())

    def rows(
        self,
        record: DocumentRecord,
        recorded_at: tuple[int, int],
        withdrawn_at: tuple[int, int],
        *,
        ids_again: bool,
    ) -> DocumentWrite:
        """The rows to write.

        Args:
            recorded_at: of the submission (its chunks) and of the reading (its events and assertions).
            withdrawn_at: of both, too.
            ids_again: the ids are in use by an earlier submission of the revision; derive others.
        """
        draft = Draft.of(self.document, self.timeline, record.revision_origin) if ids_again else self
        whole, reading = zip(recorded_at, withdrawn_at, strict=True)
        header = replace(record.header, recorded_at=min(record.header.recorded_at, reading[0]))
        return DocumentWrite(
            record=replace(record, header=header, withdrawn_at=reading[1]),
            chunks=tuple(_timed(row, *whole) for row in draft.chunks),
            events=tuple(_timed(row, *reading) for row in draft.events),
            assertions=tuple(_timed(row, *reading) for row in draft.assertions),
        )


def _as_read(document: ExtractedDocument) -> ExtractedDocument:
    """The document with the time from which its reading counts: its own, or that of a re-extraction.

    Its chunks, which are the same in every reading, count from the document's own time.
    """
    at = document.reextracted_at or document.header.recorded_at
    return replace(document, header=replace(document.header, recorded_at=at))


_Row = TypeVar("_Row", ChunkRecord, EventRecord, Assertion)


def _timed(row: _Row, recorded_at: int, withdrawn_at: int) -> _Row:
    """A row with its times; a copy that was recorded earlier moves the first one."""
    if row.recorded_at <= recorded_at and row.withdrawn_at == withdrawn_at:
        return row
    return replace(row, recorded_at=min(row.recorded_at, recorded_at), withdrawn_at=withdrawn_at)


class _Maker:
    def __init__(self, header: DocumentHeader, timeline: Timeline, names: Names, salt: str) -> None:
        self._header = header
        self._timeline = timeline
        self._names = names
        self._salt = salt
        time = header.document_time
        self._document_time = floor_time(time.instant) if time else OPEN_START

    def _id(self, id_: str) -> str:
        return ids.make_id("again", id_, self._salt) if self._salt and id_ else id_

    def chunk(self, chunk: Chunk, recorded_at: int) -> ChunkRecord:
        return ChunkRecord(
            chunk=replace(chunk, chunk_id=self._id(chunk.chunk_id)),
            document_id=self._header.document_id,
            revision=self._header.revision,
            document_time=self._document_time,
            labels=self._header.labels,
            recorded_at=recorded_at,
            withdrawn_at=OPEN_END,
        )

    def event(self, event: Event) -> EventRecord:
        entities = {self._names.entity_of(mention_id) for mention_id in event.mention_ids}
        return EventRecord(
            event=replace(
                event,
                event_id=self._id(event.event_id),
                chunk_ids=tuple(self._id(id_) for id_ in event.chunk_ids),
                interval=storable(event.interval) if event.interval else None,
            ),
            entity_ids=tuple(sorted(entities)),
            document_id=self._header.document_id,
            revision=self._header.revision,
            document_time=self._document_time,
            title=self._header.title,
            labels=self._header.labels,
            recorded_at=self._header.recorded_at,
            withdrawn_at=OPEN_END,
        )

    def assertion(self, claim: ExtractedAssertion) -> tuple[Assertion, ...]:
        """The rows of a claim: one for each form that it takes as policies change."""
        header = self._header
        object_, is_entity = self._object(claim)
        told = Told(
            claim_id=self._id(claim.assertion_id),
            subject=self._entity(claim.subject),
            predicate=claim.predicate,
            object=object_,
            object_is_entity=is_entity,
            qualifiers=claim.qualifiers,
        )
        return filings(header.graph, self._model(claim, told), told, self._timeline)

    def _model(self, claim: ExtractedAssertion, told: Told) -> Assertion:
        header = self._header
        return Assertion(
            assertion_id=told.claim_id,
            key="",
            subject=told.subject,
            predicate=told.predicate,
            object=told.object,
            object_is_entity=told.object_is_entity,
            qualifiers=told.qualifiers,
            valid=_storable(claim.valid),
            verb=claim.verb,
            status=claim.status,
            # Replies of the store carry 15 digits of a float; ties must not hang on the others.
            confidence=round(claim.confidence, 6),
            source=header.source,
            source_priority=header.source_priority,
            document_id=header.document_id,
            revision=header.revision,
            document_time=self._document_time,
            register=header.kind is DocumentKind.REGISTER,
            labels=header.labels,
            event_id=self._id(claim.event_id),
            start_char=claim.start_char,
            end_char=claim.end_char,
            rule_id=claim.rule_id,
            recorded_at=header.recorded_at,
            withdrawn_at=OPEN_END,
        )

    def _entity(self, term: Term) -> str:
        if term.mention_id:
            return self._names.entity_of(term.mention_id)
        return self._names.named(term.literal, EntityType.UNSPECIFIED) if term.literal else ""

    def _object(self, claim: ExtractedAssertion) -> tuple[str, bool]:
        """The object as the predicate's policy wants it: a thing or a value.

        The first registry of the timeline tells which: no later one makes a thing of what was a value.
        """
        term, registry = claim.object, self._timeline.base
        kind = registry.policy(claim.predicate).object_kind if claim.predicate in registry else None
        if not term.mention_id and not term.literal:
            return "", kind is not ObjectKind.LITERAL
        if kind is ObjectKind.LITERAL:
            return (self._names.text_of(term.mention_id) if term.mention_id else term.literal), False
        if term.mention_id or kind is ObjectKind.ENTITY:
            return self._entity(term), True
        return term.literal, False


def _storable(valid: ValidTime) -> ValidTime:
    return replace(valid, start=floor_time(valid.start), end=ceil_time(valid.end))


def texts_to_encode(writes: Sequence[DocumentWrite]) -> list[tuple[str, str, str]]:
    """(what, id, text) of everything that gets a vector: a chunk with its title, an event's sentence."""
    found = []
    for write in writes:
        for chunk in write.chunks:
            text = f"{chunk.chunk.title}\n{chunk.chunk.text}" if chunk.chunk.title else chunk.chunk.text
            if text.strip():
                found.append(("chunk", chunk.chunk.chunk_id, text))
        found += [
            ("event", event.event.event_id, event.event.sentence)
            for event in write.events
            if event.event.sentence.strip()
        ]
    return found
