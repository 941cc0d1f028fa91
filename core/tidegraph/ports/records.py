"""What goes into the store and comes out of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from tidegraph.domain.documents import Chunk, DocumentHeader, EntityType, Event, Status
from tidegraph.domain.facts import Assertion, FactVersion
from tidegraph.domain.identity import IdentityWrites
from tidegraph.domain.interval import Interval

Vector = NDArray[np.float32]


# --- what a read may see ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Visibility:
    """The as-of of a read and who reads.

    ``known_at``: microseconds on the recorded axis; OPEN_END - 1 stands for "all that is known".
    ``labels``: the caller's access labels; a row without labels is seen by all, a row with labels by
    callers who hold at least one of them. ``None`` sees everything (the writer, an administrator).
    ``statuses``: events that their documents put in one of these ways; None: in any. Other rows
    have no status.
    """

    known_at: int
    labels: frozenset[str] | None
    statuses: frozenset[Status] | None = None


@dataclass(frozen=True, slots=True)
class FactFilter:
    """Which believed facts to read. Empty tuples do not restrict.

    ``valid``: facts whose valid interval overlaps it (an instant t is ``[t, t + 1)``); None: any.
    ``entity_ids`` match subject or object. ``history``: all versions, also invalidated ones, whose
    recorded_at <= known_at; otherwise only versions believed at known_at. ``conflicted``: only versions that
    hold against evidence of equal rank. ``begun_before``: of the versions about ``entity_ids`` that began
    before it those that began last, as many as ``limit``.
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
    conflicted: bool = False
    begun_before: int | None = None


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
    members: tuple[str, ...] = ()
    """All ids of the set that this record stands for, sorted; () for an id that is in no set."""


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
class EventSketch:
    """As much of a stored event as ranking needs; the granularity of its interval is left out."""

    event_id: str
    sentence: str
    title: str
    document_id: str
    document_time: int
    interval: Interval | None
    start_char: int
    end_char: int
    status: Status
    entity_ids: tuple[str, ...]


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


class Scored(NamedTuple):
    """A hit of one leg: higher is better. ``document_id`` is that of the event or chunk."""

    id: str
    score: float
    document_id: str = ""


class Ranked(list[Scored]):
    """Hits of a leg, best first, with how they were found.

    ``path``: ``index`` (nearest first, then filtered), ``exact`` (every row) or ``time first`` (exact
    distances to what lies in the asked time). ``pruned``: rows looked at that the filter kept out.
    """

    def __init__(self, hits: Iterable[Scored] = (), path: str = "exact", pruned: int = 0) -> None:
        super().__init__(hits)
        self.path = path
        self.pruned = pruned


@dataclass(frozen=True, slots=True)
class GraphMade:
    """Model and dimension of a graph's vectors ("" and 0 before its first commit), its last commit, and
    whether it may hold decisions that set policies.
    """

    model_id: str
    dimensions: int
    sequence: int
    has_policies: bool = True


@dataclass(frozen=True, slots=True)
class EventMention:
    """What the event graph needs to know of a stored event: its time and its entities."""

    event_id: str
    interval: Interval
    entity_ids: frozenset[str]
    recorded_at: int
    withdrawn_at: int


@dataclass(frozen=True, slots=True)
class DecisionRecord:
    """A decision of ``control`` that the graph's writer has carried out: who, why, when, and what.

    ``decision_id`` is the control record's id: told twice, it is one, with the earlier ``recorded_at``
    (microseconds). ``kind`` is the name of the choice in ControlRecord, ``subject`` what it is about (a
    conflict key, a document id; "" for the whole graph), ``content`` the choice as canonical JSON.
    """

    decision_id: str
    kind: str
    subject: str
    actor: str
    reason: str
    recorded_at: int
    content: str


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
    decisions: tuple[DecisionRecord, ...] = ()
    """Decisions that the batch carries out; one that is there stays, only its time may move earlier."""
    identity: IdentityWrites = IdentityWrites()  # noqa: RUF009 (frozen)
    filed: tuple[tuple[str, Assertion], ...] = ()
    """(origin, row): other forms that stored claims take after a change of policies."""
    filed_until: tuple[tuple[str, int], ...] = ()
    """(assertion id, instant): where a form ends; only ever moves earlier."""


@dataclass(frozen=True, slots=True)
class ChangeRow:
    """One line of the public feed. ``sequence`` is set by the store when committed."""

    change_id: str
    sequence: int
    action: str
    """asserted, bounded, split, superseded, retracted, reopened, announced, merged or unmerged"""
    entity_id: str
    version_id: str
    recorded_at: int
    text: str


@dataclass(frozen=True, slots=True)
class WriterState:
    """What the graph itself says of its writer: the truth about what was applied."""

    offset: int
    sequence: int
