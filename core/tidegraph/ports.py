"""The Protocols that the shell implements: store, models, log, clock.

The domain and the stages know the outside only by these. Each has an in-memory twin that passes the
same contract tests. Every call that does I/O is a coroutine and raises the typed errors of
``tidegraph.domain.errors`` only.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from tidegraph.domain.documents import (
    Chunk,
    DocumentHeader,
    EntityType,
    Event,
    Position,
)
from tidegraph.domain.facts import Assertion, FactVersion, Revision
from tidegraph.domain.interval import Interval

Vector = NDArray[np.float32]


# --- what a read may see ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Visibility:
    """The as-of of a read and who reads.

    ``known_at``: microseconds on the recorded axis; OPEN_END - 1 stands for "all that is known".
    ``labels``: the caller's access labels; a row without labels is seen by all, a row with labels by
    callers who hold at least one of them. ``None`` sees everything (the writer, an administrator).
    """

    known_at: int
    labels: frozenset[str] | None


@dataclass(frozen=True, slots=True)
class FactFilter:
    """Which believed facts to read. Empty tuples do not restrict.

    ``valid``: facts whose valid interval overlaps it (an instant t is ``[t, t + 1)``); None: any.
    ``entity_ids`` match subject or object. ``history``: all versions, also invalidated ones, whose
    recorded_at <= known_at; otherwise only versions believed at known_at.
    """

    entity_ids: tuple[str, ...] = ()
    subject_ids: tuple[str, ...] = ()
    object_ids: tuple[str, ...] = ()
    predicates: tuple[str, ...] = ()
    keys: tuple[str, ...] = ()
    version_ids: tuple[str, ...] = ()
    valid: Interval | None = None
    history: bool = False
    limit: int = 200


@dataclass(frozen=True, slots=True)
class EntityRecord:
    """A stored entity with the names it was seen under.

    ``key`` is the normalised name that its id is made of; ``name`` is chosen from the names seen, by a
    function of their set.
    """

    entity_id: str
    key: str
    name: str
    type: EntityType
    aliases: tuple[str, ...]
    recorded_at: int


@dataclass(frozen=True, slots=True)
class EventRecord:
    """A stored event with the entities it mentions and where it came from."""

    event: Event
    entity_ids: tuple[str, ...]
    document_id: str
    revision: str
    document_time: int
    title: str
    labels: tuple[str, ...]
    recorded_at: int
    withdrawn_at: int


@dataclass(frozen=True, slots=True)
class ChunkRecord:
    """A stored chunk with where it came from."""

    chunk: Chunk
    document_id: str
    revision: str
    document_time: int
    labels: tuple[str, ...]
    recorded_at: int
    withdrawn_at: int


@dataclass(frozen=True, slots=True)
class DocumentRecord:
    """One part of one submission of a revision as the graph has it, withdrawn or not.

    ``origin`` names the reading (revision, submission, extractor epoch) that events and assertions came
    from, ``revision_origin`` the submission that its chunks came from. ``generation`` counts the
    submissions of a revision that came back after it was withdrawn.
    """

    header: DocumentHeader
    extractor_epoch: str
    generation: int
    origin: str
    revision_origin: str
    withdrawn_at: int


@dataclass(frozen=True, slots=True)
class Neighbour:
    """One entry of an event's list of K: ``weight`` by DyG-RAG eq. 5."""

    event_id: str
    neighbour_id: str
    weight: float


@dataclass(frozen=True, slots=True)
class Scored:
    """A hit of one leg: higher is better."""

    id: str
    score: float


@dataclass(frozen=True, slots=True)
class EventMention:
    """What the event graph needs to know of a stored event: its time and its entities."""

    event_id: str
    interval: Interval
    entity_ids: frozenset[str]
    recorded_at: int
    withdrawn_at: int


class GraphReader(Protocol):
    """Reads of one tenant's graph. Results are ordered; every list is bounded by its ``limit``.

    An unknown graph raises NotFound; an unknown id is simply absent from the result.
    """

    async def graphs(self) -> list[str]: ...

    async def facts(self, graph: str, which: FactFilter, seen: Visibility) -> list[FactVersion]:
        """Stored versions, in the order (key, valid start, recorded_at, version id).

        A version under whose key some evidence is hidden from ``seen.labels`` is derived again from
        what the caller may see.
        """
        ...

    async def assertions(self, graph: str, keys: Sequence[str], seen: Visibility) -> list[Assertion]:
        """All evidence under the keys with recorded_at <= known_at, withdrawn or not."""
        ...

    async def stored_versions(self, graph: str, keys: Sequence[str]) -> list[FactVersion]:
        """Every stored row under the keys, also those that no read shows: what ``plan`` works on."""
        ...

    async def all_versions(self, graph: str) -> list[FactVersion]:
        """Every stored row of the graph, for dumps and checks."""
        ...

    async def revisions(self, graph: str, document_ids: Sequence[str], seen: Visibility) -> list[Revision]:
        """Revisions of which every part has arrived, in the order (document, recorded_at, revision)."""
        ...

    async def documents(
        self, graph: str, document_ids: Sequence[str], seen: Visibility
    ) -> list[DocumentRecord]:
        """Every part of every submission of the documents with recorded_at <= known_at, retractions too."""
        ...

    async def assertions_of(self, graph: str, origins: Sequence[str]) -> dict[str, list[Assertion]]:
        """All assertions of the readings by origin, withdrawn or not, whoever may see them."""
        ...

    async def keys_of(self, graph: str, document_ids: Sequence[str]) -> dict[str, list[str]]:
        """Conflict keys under which any revision of each document has evidence."""
        ...

    async def entities(self, graph: str, entity_ids: Sequence[str]) -> list[EntityRecord]: ...

    async def all_entities(self, graph: str) -> list[EntityRecord]:
        """Every entity of the graph, for dumps and checks."""
        ...

    async def entities_by_name(self, graph: str, normalised: Sequence[str]) -> dict[str, list[EntityRecord]]:
        """Entities that carry exactly this normalised name or alias, by name."""
        ...

    async def search_entities(self, graph: str, text: str, limit: int) -> list[tuple[EntityRecord, float]]:
        """Full-text search over names and aliases."""
        ...

    async def events(self, graph: str, event_ids: Sequence[str], seen: Visibility) -> list[EventRecord]: ...

    async def events_of(
        self, graph: str, entity_ids: Sequence[str], valid: Interval | None, seen: Visibility, limit: int
    ) -> list[EventRecord]:
        """Events that mention any of the entities; dated ones inside ``valid`` first in time order."""
        ...

    async def chunks(self, graph: str, chunk_ids: Sequence[str], seen: Visibility) -> list[ChunkRecord]: ...

    async def search_text(
        self,
        graph: str,
        what: str,
        terms: Sequence[str],
        seen: Visibility,
        valid: Interval | None,
        limit: int,
    ) -> list[Scored]:
        """Full-text leg over ``event`` or ``chunk``. Terms are plain words; escaping is done inside."""
        ...

    async def search_vector(
        self, graph: str, what: str, vector: Vector, seen: Visibility, valid: Interval | None, limit: int
    ) -> list[Scored]:
        """Vector leg over ``event`` or ``chunk``; score is cosine similarity in [-1, 1]."""
        ...

    async def neighbours(self, graph: str, event_ids: Sequence[str]) -> list[Neighbour]:
        """Today's lists of K of the given events, and the entries of other lists that name them."""
        ...

    async def event_mentions(
        self, graph: str, entity_ids: Sequence[str], window: Interval, limit_per_entity: int
    ) -> list[EventMention]:
        """Dated events sharing an entity inside the window: candidates of eq. 3."""
        ...

    async def probe_mentions(
        self, graph: str, probes: Sequence[tuple[str, Interval, Interval]], limit: int
    ) -> list[EventMention]:
        """For each (entity, own time, window) the ``limit`` dated events nearest to the own time."""
        ...

    async def lists_of(self, graph: str, event_ids: Sequence[str]) -> list[Neighbour]:
        """Today's lists of K of the given events alone."""
        ...

    async def event_nodes(self, graph: str, event_ids: Sequence[str]) -> list[EventMention]:
        """Dated events by id, withdrawn or not."""
        ...

    async def event_nodes_of(self, graph: str, origins: Sequence[str]) -> list[EventMention]:
        """Dated events of the readings, withdrawn or not."""
        ...

    async def mention_counts(self, graph: str, entity_ids: Sequence[str], limit: int) -> Mapping[str, int]:
        """How many dated events that count mention each known entity, counted no further than ``limit``."""
        ...

    async def changes(self, graph: str, after_sequence: int, limit: int) -> list[ChangeRow]:
        """What changed in the graph, ascending by commit sequence."""
        ...

    async def sequence(self, graph: str) -> int:
        """Number of the last commit: the version of the graph that a basis quotes. Cheap."""
        ...

    async def scan(self, graph: str, what: str, after: str, limit: int) -> list[tuple[str, str]]:
        """(id, canonical JSON) of stored ``document``, ``chunk``, ``event`` or ``assertion`` rows by id.

        The page of those after the id ``after``; for dumps and checks.
        """
        ...

    async def counts(self, graph: str) -> Mapping[str, int]:
        """Number of documents, chunks, events, entities, assertions, facts, for status and check."""
        ...


# --- what the writer does ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Fence:
    """Where the writer of a graph stands on one partition of ``resolved`` in one life of the log.

    A commit applies only if the stored offset equals ``expected`` (-1: none yet) and moves it to
    ``offset``.
    """

    partition: str
    expected: int
    offset: int


@dataclass(frozen=True, slots=True)
class NewVector:
    """A vector on an immutable node of its own; ``what`` is ``event`` or ``chunk``."""

    owner_id: str
    what: str
    vector: Vector


@dataclass(frozen=True, slots=True)
class EntityWrite:
    """An entity to create if absent, and the names to add to it."""

    entity_id: str
    key: str
    type: EntityType
    aliases: tuple[tuple[str, str], ...]
    """(normalised, as written)"""
    recorded_at: int


@dataclass(frozen=True, slots=True)
class DocumentWrite:
    """One part of one reading of a document with all that came out of it.

    What is already there stays as it is; only a ``recorded_at`` may move earlier.
    """

    record: DocumentRecord
    chunks: tuple[ChunkRecord, ...]
    events: tuple[EventRecord, ...]
    assertions: tuple[Assertion, ...]


@dataclass(frozen=True, slots=True)
class Commit:
    """Everything that one batch changes in one graph: one statement, applied whole or not at all."""

    graph: str
    fence: Fence
    documents: tuple[DocumentWrite, ...]
    withdrawn: tuple[tuple[str, int], ...]
    """(origin, withdrawn_at): documents, chunks, events and assertions of it; only ever moves earlier."""
    recorded_earlier: tuple[tuple[str, int], ...]
    """(origin, recorded_at): the same content was recorded before the copy that came first."""
    vectors: tuple[NewVector, ...]
    entities: tuple[EntityWrite, ...]
    insert_versions: tuple[FactVersion, ...]
    close_versions: tuple[tuple[str, int], ...]
    """(version id, invalidated_at): only ever moves earlier."""
    unlinked: tuple[tuple[str, str], ...]
    """(event id, neighbour id): entries that leave the event's list of K."""
    linked: tuple[Neighbour, ...]
    """Entries that enter a list of K."""
    changes: tuple[ChangeRow, ...]


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """One line of the public feed. ``sequence`` is set by the store when committed."""

    change_id: str
    sequence: int
    action: str
    """asserted, bounded, superseded, retracted, reopened, announced or merged"""
    entity_id: str
    version_id: str
    recorded_at: int
    text: str


@dataclass(frozen=True, slots=True)
class WriterState:
    """What the graph itself says of its writer: the truth about what was applied."""

    offset: int
    sequence: int


class GraphWriter(Protocol):
    """The one writer's side of a graph."""

    async def prepare(self, graph: str) -> None:
        """Create the graph with all its indexes and constraints before the first row, once."""
        ...

    async def writer_state(self, graph: str, partition: str) -> WriterState:
        """Offset and commit sequence stored in the graph; (-1, current sequence) for a new partition."""
        ...

    async def commit(self, commit: Commit) -> WriterState | None:
        """Apply one commit. ``None``: the fence did not match and nothing changed."""
        ...

    async def applied(self, partition: str) -> int:
        """The highest offset up to which all graphs of the partition are known to be written, or -1.

        Kept in the same store as the graphs and written after them, so that a store that lost its
        last second names a position at or before what it still has.
        """
        ...

    async def set_applied(self, partition: str, offset: int) -> None: ...


class GraphStore(GraphReader, GraphWriter, Protocol):
    """Both sides: FalkorDB, and the in-memory twin."""

    async def close(self) -> None: ...


# --- status -------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DocumentStatus:
    """Where a document is. ``outcome`` is "" while it is under way."""

    position: Position
    graph: str
    document_id: str
    revision: str
    stage: str
    outcome: str
    """committed, dead_letter or retracted"""
    cause: str
    recorded_at: int
    updated_at: int


class StatusStore(Protocol):
    """What the track stage folds ``status`` into (redis), and what status commands read."""

    async def put(self, statuses: Sequence[DocumentStatus]) -> None: ...

    async def get(self, positions: Sequence[Position]) -> list[DocumentStatus]: ...

    async def by_document(self, graph: str, document_id: str) -> list[DocumentStatus]: ...

    async def dead_letters(self, graph: str, limit: int) -> list[DocumentStatus]: ...

    async def summary(self, graph: str) -> Mapping[str, int]:
        """Number of documents by outcome, and ``in_progress``."""
        ...

    async def advance(self, graph: str, ground_read_to: int) -> None:
        """How far (recorded stamp) the ground stage has read for this graph."""
        ...

    async def watermark(self, graph: str) -> int:
        """The applied watermark: microseconds on the recorded axis, OPEN_START when nothing was read."""
        ...


# --- log, models, clock -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LogRecord:
    """A record of a topic as raw bytes. ``timestamp`` is microseconds; headers may repeat."""

    topic: str
    partition: int
    offset: int
    timestamp: int
    key: bytes | None
    value: bytes | None
    headers: tuple[tuple[str, bytes], ...]


class Log(Protocol):
    """What a producer of documents or control records needs of the log."""

    async def append(
        self,
        topic: str,
        key: bytes | None,
        value: bytes | None,
        headers: Sequence[tuple[str, bytes]],
        timestamp: int | None,
    ) -> Position:
        """Write one record and wait until the broker has it."""
        ...

    def read(self, topic: str) -> AsyncIterator[LogRecord]:
        """All records of a topic from its beginning to its present end."""
        ...


class Encoder(Protocol):
    """Text to unit vectors. ``model_id`` and ``dimensions`` are stored with the index."""

    model_id: str
    dimensions: int

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Shape (len(texts), dimensions), rows of L2 norm 1. Blocking: call it in a thread."""
        ...


class Reranker(Protocol):
    """Scores of (query, text) pairs, higher is better."""

    def score(self, query: str, texts: Sequence[str]) -> Sequence[float]: ...


class ChatModel(Protocol):
    """A chat completion, streamed; an LLM behind an OpenAI-compatible API."""

    model_id: str

    def stream(
        self, system: str, user: str, max_tokens: int, timeout_seconds: float
    ) -> AsyncIterator[str]: ...


class Clock(Protocol):
    """The only way to today: microseconds since 1970, UTC."""

    def now(self) -> int: ...
