"""What was erased stays out: documents, and every mention of an entity.

An erasure concerns all that was recorded up to it. It takes a document out whole. Of documents that name
an entity it takes out the mentions, and with them the assertions and events that rest on them; in what
remains the names are covered, letter by letter, so that the offsets of everything else still hold.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import orjson

from tidegraph.domain import ids, naming
from tidegraph.domain.documents import (
    DocumentHeader,
    EntityType,
    ExtractedAssertion,
    ExtractedDocument,
    Mention,
    Term,
)
from tidegraph.domain.errors import Rejected
from tidegraph.events.v1 import records_pb2
from tidegraph.ports import DecisionRecord, GraphReader
from tidegraph.streams.writing.claims import Names
from tidegraph.streams.writing.control import MAX_ID, Effects, invalid

COVER: Final = "█"
KIND: Final = "erasure"
MAX_ENTITIES: Final = 100


@dataclass(frozen=True, slots=True)
class Erased:
    """Documents and entities by id, each with the time up to which it is erased (microseconds)."""

    documents: Mapping[str, int] = field(default_factory=dict)
    entities: Mapping[str, int] = field(default_factory=dict)

    @classmethod
    def of(cls, decisions: Iterable[DecisionRecord]) -> Erased:
        """What the decisions of a graph erase."""
        documents: dict[str, int] = {}
        entities: dict[str, int] = {}
        for decision in decisions:
            content = orjson.loads(decision.content)
            for found, names in (
                (documents, [content.get("document_id", "")]),
                (entities, [content.get("entity_id", ""), *content.get("entity_ids", [])]),
            ):
                for name in filter(None, names):
                    found[name] = max(found.get(name, decision.recorded_at), decision.recorded_at)
        return cls(documents, entities)

    def covers(self, header: DocumentHeader) -> bool:
        """Whether what the header stands for is erased whole."""
        until = self.documents.get(header.document_id)
        return until is not None and header.recorded_at <= until

    def apply(self, document: ExtractedDocument) -> ExtractedDocument | None:
        """What is left of a document; ``None`` where nothing is."""
        recorded_at = document.header.recorded_at
        if self.covers(document.header):
            return None
        concerned = {name for name, until in self.entities.items() if recorded_at <= until}
        return redact(document, concerned) if concerned else document


class Erasures:
    """A document, or every mention of an entity, is taken out of all places (``streams.erasure``)."""

    name = KIND

    def subject(self, control: records_pb2.ControlRecord) -> str:
        """The document, or "" for entities: a row keeps no name."""
        erasure = control.erasure
        entity_ids = [*erasure.entity_ids, *filter(None, [erasure.entity_id])]
        if bool(erasure.document_id) == bool(entity_ids) or len(entity_ids) > MAX_ENTITIES:
            raise invalid(f"an erasure names a document, or 1 to {MAX_ENTITIES} ids of an entity")
        if max(map(len, [erasure.document_id, *entity_ids])) > MAX_ID:
            raise invalid(f"an id has at most {MAX_ID} characters")
        return erasure.document_id

    async def carry_out(
        self, graph: str, reader: GraphReader, news: Sequence[DecisionRecord], effects: Effects
    ) -> None:
        """The row keeps out what comes late; what was there is gone before the row is written."""


def redact(document: ExtractedDocument, entity_ids: Collection[str]) -> ExtractedDocument:
    """The document without what it says of the entities; itself where it says nothing of them."""
    gone = _mentions(document, entity_ids)
    names = names_in(document, entity_ids)
    if not names:
        return document
    cover = _Cover(names)
    lost = {mention.mention_id for mention in gone}
    events = tuple(event for event in document.events if not lost & set(event.mention_ids))
    lost_events = {event.event_id for event in document.events} - {event.event_id for event in events}
    return replace(
        document,
        header=replace(document.header, title=cover(document.header.title)),
        chunks=tuple(replace(c, title=cover(c.title), text=cover(c.text)) for c in document.chunks),
        mentions=tuple(mention for mention in document.mentions if mention.mention_id not in lost),
        events=tuple(replace(event, sentence=cover(event.sentence)) for event in events),
        assertions=tuple(
            _covered(claim, cover)
            for claim in document.assertions
            if claim.event_id not in lost_events
            and not any(_concerned(term, lost, names) for term in (claim.subject, claim.object))
        ),
    )


def names_in(document: ExtractedDocument, entity_ids: Collection[str]) -> set[str]:
    """The names by which a document speaks of the entities, as written and in full."""
    gone = _mentions(document, entity_ids)
    names = {name for mention in gone for name in (mention.name, mention.canonical_name) if name.strip()}
    return names | _literals(document, entity_ids)


def _mentions(document: ExtractedDocument, entity_ids: Collection[str]) -> list[Mention]:
    try:
        found = Names.of(document)
    except Rejected:  # a name without a visible character: the writer refuses the document
        return []
    return [mention for mention in document.mentions if found.entity_of(mention.mention_id) in entity_ids]


def _literals(document: ExtractedDocument, entity_ids: Collection[str]) -> set[str]:
    """Sides of assertions that are given as text and name one of the entities."""
    graph = document.header.graph
    texts = {term.literal for c in document.assertions for term in (c.subject, c.object) if term.literal}
    return {
        text
        for text in texts
        if any(ids.entity_id(graph, naming.normalise(text, type_), "") in entity_ids for type_ in EntityType)
    }


def _concerned(term: Term, lost: Collection[str], names: Collection[str]) -> bool:
    return term.mention_id in lost or term.literal in names


def _covered(claim: ExtractedAssertion, cover: _Cover) -> ExtractedAssertion:
    return replace(
        claim,
        subject=replace(claim.subject, literal=cover(claim.subject.literal)),
        object=replace(claim.object, literal=cover(claim.object.literal)),
        qualifiers=tuple((name, cover(value)) for name, value in claim.qualifiers),
    )


class _Cover:
    """Covers names in texts: whole words, in any case, the longest name first."""

    def __init__(self, names: Collection[str]) -> None:
        ordered = sorted(names, key=lambda name: (-len(name), name))
        self._pattern = re.compile(
            "|".join(rf"(?<!\w){re.escape(name)}(?!\w)" for name in ordered), re.IGNORECASE
        )

    def __call__(self, text: str) -> str:
        return self._pattern.sub(lambda match: COVER * len(match[0]), text)
