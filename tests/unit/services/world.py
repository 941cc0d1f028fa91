"""A small world on the in-memory twins: claims in, believed facts and events out, questions answered.

Belief is made by the domain's own history function and written through the store's own commit, so that
what the reasoner sees is what the product stores.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tidegraph.domain import belief, ids
from tidegraph.domain.documents import (
    Chunk,
    DocumentHeader,
    DocumentKind,
    DocumentTime,
    EndpointBasis,
    EntityType,
    Event,
    Position,
    Status,
    TimeState,
    ValidTime,
    Verb,
)
from tidegraph.domain.facts import Assertion
from tidegraph.domain.identity import IdentityWrites, Rule, SameAs, Tie, Tied, row
from tidegraph.domain.interval import OPEN_END, OPEN_START, Granularity, Interval, instant
from tidegraph.domain.naming import normalise
from tidegraph.language.registry import load_registry
from tidegraph.log.memory import MemoryLog
from tidegraph.models.clock import FixedClock
from tidegraph.models.hashing import HashingEncoder
from tidegraph.ports import (
    ChatModel,
    ChunkRecord,
    Commit,
    DocumentRecord,
    DocumentStatus,
    DocumentWrite,
    EntityWrite,
    EventRecord,
    Fence,
    Neighbour,
    NewVector,
)
from tidegraph.services.caller import Caller
from tidegraph.services.times import read_date
from tidegraph.services.usecases.ask import Asking, Finished, Started
from tidegraph.services.usecases.context import ChatLimits, Ports
from tidegraph.services.usecases.moment import AskedTime
from tidegraph.settings import load
from tidegraph.storage.memory import MemoryStore

GRAPH = "test"
NOW = instant(2025, 6, 1)


@dataclass(frozen=True)
class Doc:
    """A document: its id, its day, the day on which the log had it, its title and labels."""

    id: str
    day: str = "2020-01-01"
    known: str = ""
    title: str = ""
    labels: tuple[str, ...] = ()
    revision: str = "1"


class World:
    """Collects documents, claims and events, and writes them in one commit."""

    def __init__(self) -> None:
        self.registry = load_registry()
        self.encoder = HashingEncoder(64)
        self.store = MemoryStore(self.registry, 64, self.encoder.model_id)
        self.status = Statuses()
        self.clock = FixedClock(NOW)
        self.log = MemoryLog(self.clock)
        self.chat: ChatModel | None = None
        self._entities: dict[str, tuple[str, EntityType]] = {}
        self._documents: dict[tuple[str, str], Doc] = {}
        self._events: list[tuple[Doc, EventRecord]] = []
        self._assertions: list[tuple[Doc, Assertion]] = []
        self._chunks: list[tuple[Doc, ChunkRecord]] = []
        self._links: list[tuple[str, str, float]] = []

    def entity(self, name: str, kind: EntityType = EntityType.ORGANISATION) -> str:
        key = normalise(name)
        self._entities.setdefault(key, (name, kind))
        return ids.entity_id(GRAPH, key, "")

    def person(self, name: str) -> str:
        return self.entity(name, EntityType.PERSON)

    def claim(
        self,
        subject: str,
        predicate: str,
        object_: str,
        start: str = "",
        end: str = "",
        *,
        doc: Doc | None = None,
        sentence: str = "",
        literal: bool = False,
        seen: bool = False,
        verb: Verb = Verb.STATE,
        status: Status = Status.ASSERTED,
        **qualifiers: str,
    ) -> str:
        """One document's claim. ``seen``: the start is only the day on which it was seen to hold."""
        doc = doc or Doc(f"doc-{len(self._assertions) + 1}")
        self._documents[doc.id, doc.revision] = doc
        sides = self.entity(subject), object_ if literal else self.entity(object_)
        canonical = self.registry.canonical(
            sides[0], predicate, sides[1], tuple(qualifiers.items()), object_is_entity=not literal
        )
        number = len(self._assertions)
        names = (subject,) if literal else (subject, object_)
        event_id = self.event(sentence, start, *names, doc=doc) if sentence else ""
        assertion = Assertion(
            assertion_id=ids.assertion_id(GRAPH, doc.id, doc.revision, number, number + 1, "e", 0),
            key=self.registry.conflict_key(GRAPH, canonical),
            subject=canonical.subject,
            predicate=canonical.predicate,
            object=canonical.object,
            object_is_entity=canonical.object_is_entity,
            qualifiers=canonical.qualifiers,
            valid=_valid(start, end, seen=seen),
            verb=verb,
            status=status,
            confidence=0.9,
            source="wiki",
            source_priority=0,
            document_id=doc.id,
            revision=doc.revision,
            document_time=read_date(doc.day, "day").start,
            register=False,
            labels=doc.labels,
            event_id=event_id,
            start_char=0,
            end_char=len(sentence),
            rule_id="test",
            recorded_at=_known(doc),
            withdrawn_at=OPEN_END,
        )
        self._assertions.append((doc, assertion))
        return assertion.assertion_id

    def event(
        self,
        sentence: str,
        day: str,
        *names: str,
        doc: Doc | None = None,
        status: Status = Status.ASSERTED,
        at: int = 0,
    ) -> str:
        """An event; ``day`` "" is timeless. ``at``: where in its document the sentence begins."""
        doc = doc or Doc(f"doc-e{len(self._events) + 1}")
        self._documents[doc.id, doc.revision] = doc
        number = len(self._events)
        event_id = ids.event_id(GRAPH, doc.id, doc.revision, number, number + 1, "e", number)
        event = Event(
            event_id=event_id,
            chunk_ids=(),
            ordinal=number,
            sentence=sentence,
            start_char=at,
            end_char=at + len(sentence),
            time_state=TimeState.DATED if day else TimeState.STATIC,
            interval=read_date(day, "day") if day else None,
            time_rule_id="",
            mention_ids=(),
            score=2,
            reasons=(),
            status=status,
            extractor="test",
        )
        record = EventRecord(
            event=event,
            entity_ids=tuple(self.entity(name) for name in names),
            document_id=doc.id,
            revision=doc.revision,
            document_time=read_date(doc.day, "day").start,
            title=doc.title,
            labels=doc.labels,
            recorded_at=_known(doc),
            withdrawn_at=OPEN_END,
        )
        self._events.append((doc, record))
        return event_id

    def chunk(self, text: str, doc: Doc) -> str:
        self._documents[doc.id, doc.revision] = doc
        chunk_id = ids.chunk_id(GRAPH, doc.id, doc.revision, 0)
        record = ChunkRecord(
            chunk=Chunk(chunk_id, 0, 0, len(text), doc.title, text),
            document_id=doc.id,
            revision=doc.revision,
            document_time=read_date(doc.day, "day").start,
            labels=doc.labels,
            recorded_at=_known(doc),
            withdrawn_at=OPEN_END,
        )
        self._chunks.append((doc, record))
        return chunk_id

    def related(self, one: str, other: str, weight: float) -> None:
        self._links.append((one, other, weight))

    async def build(self) -> World:
        """Write everything."""
        await self.store.prepare(GRAPH)
        versions = []
        keys = {a.key: a for _, a in self._assertions}
        for key, sample in keys.items():
            policy = self.registry.key_policy(sample.predicate, sample.qualifiers)
            under = [a for _, a in self._assertions if a.key == key]
            versions += belief.history(under, [], policy)
        commit = Commit(
            graph=GRAPH,
            fence=Fence("resolved-0", -1, 0),
            documents=tuple(self._write(doc) for doc in self._documents.values()),
            withdrawn=(),
            recorded_earlier=(),
            vectors=self._vectors(),
            entities=tuple(
                EntityWrite(ids.entity_id(GRAPH, key, ""), key, kind, ((key, name),), instant(2000))
                for key, (name, kind) in self._entities.items()
            ),
            insert_versions=tuple(versions),
            close_versions=(),
            unlinked=(),
            linked=tuple(Neighbour(one, other, weight) for one, other, weight in self._links),
            changes=(),
            identity=IdentityWrites(insert=tuple(self._renamed())),
        )
        assert await self.store.commit(commit) is not None
        return self

    def _renamed(self) -> Iterator[SameAs]:
        """What a writer makes of a stated name that another entity has: one set, since it was told."""
        for _, claim in self._assertions:
            key = normalise(claim.object)
            if claim.predicate == "name" and not claim.object_is_entity and key in self._entities:
                left, right = sorted((claim.subject, ids.entity_id(GRAPH, key, "")))
                tied = Tied(left, right, Tie.SAME, Rule.RENAME, "", "told", claim.labels)
                yield row(tied, Interval(claim.recorded_at, OPEN_END))

    def _write(self, doc: Doc) -> DocumentWrite:
        head = DocumentHeader(
            graph=GRAPH,
            document_id=doc.id,
            revision=doc.revision,
            source="wiki",
            title=doc.title,
            kind=DocumentKind.NARRATIVE,
            document_time=DocumentTime(read_date(doc.day, "day").start, Granularity.DAY, "test"),
            labels=doc.labels,
            source_priority=0,
            language="en",
            position=Position("documents", 0, sorted(self._documents).index((doc.id, doc.revision)), "life"),
            recorded_at=_known(doc),
            part=0,
            parts=1,
            content_hash=f"{doc.id}/{doc.revision}",
        )
        record = DocumentRecord(
            header=head,
            extractor_epoch="e",
            generation=0,
            origin=ids.make_id("reading", doc.id, doc.revision),
            revision_origin=ids.make_id("submission", doc.id, doc.revision),
            withdrawn_at=OPEN_END,
        )
        return DocumentWrite(
            record=record,
            chunks=tuple(c for d, c in self._chunks if d == doc),
            events=tuple(e for d, e in self._events if d == doc),
            assertions=tuple(a for d, a in self._assertions if d == doc),
        )

    def _vectors(self) -> tuple[NewVector, ...]:
        found = [(e.event.event_id, "event", e.event.sentence) for _, e in self._events]
        found += [(c.chunk.chunk_id, "chunk", c.chunk.text) for _, c in self._chunks]
        rows = self.encoder.encode([text for _, _, text in found])
        return tuple(NewVector(owner, what, row) for (owner, what, _), row in zip(found, rows, strict=True))

    def ports(self) -> Ports:
        return Ports(
            store=self.store,
            status=self.status,
            log=self.log,
            encoder=self.encoder,
            clock=self.clock,
            registry=self.registry,
            chat=self.chat,
            chat_limits=ChatLimits(256, 5.0),
            grounding=load({}).grounding,
            max_document_bytes=1_000_000,
        )

    async def ask(
        self, question: str, valid: str = "", known: str = "", labels: frozenset[str] | None = None
    ) -> Finished:
        """The finished answer to a question."""
        asked = AskedTime(
            valid=read_date(valid, "valid") if valid else None,
            known_at=read_date(known, "known").end - 1 if known else None,
        )
        caller = Caller(GRAPH, labels, "request")
        parts = [part async for part in Asking(self.ports(), caller, 2_000).run(question, asked)]
        assert isinstance(parts[0], Started)
        assert isinstance(parts[-1], Finished)
        return parts[-1]


class Statuses:
    """The status twin: what the tests put in."""

    def __init__(self) -> None:
        self.rows: dict[Position, DocumentStatus] = {}
        self.mark = NOW

    async def put(self, statuses: Sequence[DocumentStatus]) -> None:
        self.rows.update({status.position: status for status in statuses})

    async def get(self, positions: Sequence[Position]) -> list[DocumentStatus]:
        return [self.rows[position] for position in positions if position in self.rows]

    async def by_document(self, graph: str, document_id: str) -> list[DocumentStatus]:
        return [s for s in self.rows.values() if (s.graph, s.document_id) == (graph, document_id)]

    async def dead_letters(self, graph: str, limit: int) -> list[DocumentStatus]:
        found = [s for s in self.rows.values() if s.graph == graph and s.outcome == "dead_letter"]
        return found[:limit]

    async def summary(self, graph: str) -> dict[str, int]:
        counts: dict[str, int] = {}
        for status in self.rows.values():
            if status.graph == graph:
                name = status.outcome or "in_progress"
                counts[name] = counts.get(name, 0) + 1
        return counts

    async def advance(self, graph: str, ground_read_to: int) -> None:
        self.mark = ground_read_to

    async def watermark(self, graph: str) -> int:
        return self.mark


def _known(doc: Doc) -> int:
    return read_date(doc.known or doc.day, "known").start


def _valid(start: str, end: str, *, seen: bool) -> ValidTime:
    first = read_date(start, "start") if start else None
    last = read_date(end, "end") if end else None
    return ValidTime(
        start=first.start if first else OPEN_START,
        end=last.start if last else OPEN_END,
        start_granularity=first.granularity if first else Granularity.UNKNOWN,
        end_granularity=last.granularity if last else Granularity.UNKNOWN,
        start_basis=EndpointBasis.NONE
        if first is None
        else EndpointBasis.OBSERVED
        if seen
        else EndpointBasis.STATED,
        end_basis=EndpointBasis.STATED if last else EndpointBasis.NONE,
    )
