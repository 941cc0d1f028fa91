"""What flows through the stages: documents, chunks, time expressions, mentions, events, assertions.

Every class is a frozen record without defaults for what a producer must decide. Character offsets
are Unicode code points in the text of the whole document (not of a chunk or a part).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

from tidegraph.domain.interval import Granularity, Interval


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """Where a document entered: the identity of its log record.

    ``incarnation`` names one life of the log (Kafka's topic id), so that a broker that forgot its
    topics is never mistaken for a replay.
    """

    topic: str
    partition: int
    offset: int
    incarnation: str


@dataclass(frozen=True, slots=True)
class DocumentTime:
    """When a document says that it was written, with where that was found.

    ``instant`` is UTC microseconds; a date alone is the start of that day with granularity DAY.
    """

    instant: int
    granularity: Granularity
    provenance: str


class DocumentKind(IntEnum):
    """What a revision is: narrative adds evidence, a register speaks for all of its content."""

    UNSPECIFIED = 0
    NARRATIVE = 1
    REGISTER = 2
    RETRACTION = 3


@dataclass(frozen=True, slots=True)
class DocumentHeader:
    """Everything about a document but its content; travels unchanged through every stage."""

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
    position: Position
    recorded_at: int
    part: int
    parts: int
    content_hash: str
    appended_at: int = 0
    """When the log had a document that was recorded at an earlier time of its own (a backfill); else 0."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """A window of the document's text (1,200 tokens, 64 overlap), the unit handed to an extractor."""

    chunk_id: str
    ordinal: int
    start_char: int
    end_char: int
    title: str
    text: str


class ExpressionKind(IntEnum):
    """What a time expression needs to be resolved."""

    UNSPECIFIED = 0
    ABSOLUTE = 1
    UNDERSPECIFIED = 2
    DEICTIC = 3
    ANAPHORIC = 4
    RANGE = 5
    OPEN_RANGE = 6
    DURATION = 7
    RECURRING = 8
    EVENT_ANCHORED = 9
    VAGUE = 10


@dataclass(frozen=True, slots=True)
class Reading:
    """One other possible value of a time expression, with why it was not taken."""

    interval: Interval
    reason: str


@dataclass(frozen=True, slots=True)
class TimeExpression:
    """A span of text resolved to a half-open interval (design section 5).

    ``interval`` is ``None`` when the span means a time that has no value on the calendar (recurring,
    event-anchored, vague) or none that is known (a deictic word without a document time); the kind and
    ``rule_id`` say which. ``start_latest`` and ``end_earliest`` close the uncertain endpoints
    [earliest, latest]; the outer bounds are those of ``interval``. ``anchor`` is ``document_time``,
    ``text:<start_char>`` or empty.
    """

    text: str
    start_char: int
    end_char: int
    kind: ExpressionKind
    interval: Interval | None
    start_latest: int
    end_earliest: int
    anchor: str
    rule_id: str
    confidence: float
    fuzzy: bool
    alternatives: tuple[Reading, ...]


class EntityType(IntEnum):
    """The kind of thing that a mention names."""

    UNSPECIFIED = 0
    PERSON = 1
    ORGANISATION = 2
    PLACE = 3
    OTHER = 4


@dataclass(frozen=True, slots=True)
class Mention:
    """A name as written. ``canonical_name`` is its fullest form in the same document."""

    mention_id: str
    name: str
    canonical_name: str
    type: EntityType
    start_char: int
    end_char: int


class TimeState(IntEnum):
    """The three states of an event's time: dated, a time is meant but not known, timeless."""

    UNSPECIFIED = 0
    DATED = 1
    UNRESOLVED = 2
    STATIC = 3


class Status(IntEnum):
    """How a document puts a claim. Only ASSERTED and REPORTED speak of what is so."""

    UNSPECIFIED = 0
    ASSERTED = 1
    PLANNED = 2
    DENIED = 3
    REPORTED = 4
    CEASED = 5


class Verb(IntEnum):
    """What a claim does to a fact: four different verbs of change, and plain state."""

    UNSPECIFIED = 0
    START = 1
    STOP = 2
    STATE = 3
    CHANGE = 4
    CORRECTION = 5


@dataclass(frozen=True, slots=True)
class Event:
    """A dynamic event unit (DEU): one self-contained statement at one time (DyG-RAG eq. 1).

    ``sentence`` stands alone (referents put in); ``start_char`` and ``end_char`` bound the original.
    ``interval`` is the event's own time and ``None`` unless ``time_state`` is DATED.
    ``mention_ids`` are the entities of eq. 3 and 4. ``score`` counts the information points, named
    in ``reasons``.
    """

    event_id: str
    chunk_ids: tuple[str, ...]
    ordinal: int
    sentence: str
    start_char: int
    end_char: int
    time_state: TimeState
    interval: Interval | None
    time_rule_id: str
    mention_ids: tuple[str, ...]
    score: int
    reasons: tuple[str, ...]
    status: Status
    extractor: str


class EndpointBasis(IntEnum):
    """How an endpoint of a claim is known.

    STATED: the text gives it. OBSERVED: the claim was seen to hold there (a state told at the
    document time), so the true endpoint lies at or outside it. NONE: nothing is known of that side.
    """

    UNSPECIFIED = 0
    STATED = 1
    OBSERVED = 2
    NONE = 3


@dataclass(frozen=True, slots=True)
class ValidTime:
    """When a claim holds: ``[start, end)`` with how each end is known and how finely.

    An unknown start is ``OPEN_START`` with basis NONE; an open end is ``OPEN_END`` with basis NONE.
    A STOP claim carries the moment of the stop in ``end`` (``start`` = OPEN_START).
    """

    start: int
    end: int
    start_granularity: Granularity
    end_granularity: Granularity
    start_basis: EndpointBasis
    end_basis: EndpointBasis

    @property
    def interval(self) -> Interval:
        return Interval(self.start, max(self.start, self.end))


@dataclass(frozen=True, slots=True)
class Term:
    """A subject or object: a mention of this document, or a literal value (exactly one is set)."""

    mention_id: str
    literal: str


@dataclass(frozen=True, slots=True)
class ExtractedAssertion:
    """One document's claim before its names are resolved (design section 6).

    An empty ``object`` term (both fields "") in a STOP claim means that the object was not named
    ("the CTO left"). ``qualifiers`` are sorted (name, value) pairs. ``event_id`` is the DEU that the
    claim stands in, or "" for structured records. ``recorded_at`` is that of the document.
    """

    assertion_id: str
    subject: Term
    predicate: str
    object: Term
    qualifiers: tuple[tuple[str, str], ...]
    valid: ValidTime
    verb: Verb
    status: Status
    confidence: float
    start_char: int
    end_char: int
    event_id: str
    rule_id: str


@dataclass(frozen=True, slots=True)
class StructuredRecord:
    """One JSON object that a mapping turns into assertions, without language processing."""

    ordinal: int
    pointer: str
    json: str


@dataclass(frozen=True, slots=True)
class GroundedDocument:
    """What the ground stage hands on: text in chunks with its time expressions, or records."""

    header: DocumentHeader
    text: str
    chunks: tuple[Chunk, ...]
    expressions: tuple[TimeExpression, ...]
    records: tuple[StructuredRecord, ...]
    mapping: str


@dataclass(frozen=True, slots=True)
class ExtractedDocument:
    """The record of belief for one part of one revision: what a document was read to say.

    ``extractor_epoch`` names the extractor and grammar version; a later epoch of the same revision
    supersedes an earlier one as of its own recorded time.
    """

    header: DocumentHeader
    extractor_epoch: str
    chunks: tuple[Chunk, ...]
    expressions: tuple[TimeExpression, ...]
    mentions: tuple[Mention, ...]
    events: tuple[Event, ...]
    assertions: tuple[ExtractedAssertion, ...]
    reextracted_at: int = 0
    """When the decision was recorded by which the document was read again: the reading counts from then on.
    0: the document's own reading, which counts from the document's recorded time."""


@dataclass(frozen=True, slots=True)
class EntityCandidate:
    """An existing entity that a mention may name, with its score in [0, 1] and why."""

    entity_id: str
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class EntityProposal:
    """What the resolve stage proposes for one mention; the graph's writer decides."""

    mention_id: str
    normalised_name: str
    candidates: tuple[EntityCandidate, ...]


@dataclass(frozen=True, slots=True)
class ResolvedDocument:
    """An extracted document with entity proposals, on its way to the writer of its graph."""

    document: ExtractedDocument
    proposals: tuple[EntityProposal, ...]
