"""The graph store: its readers' side and its one writer's side."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Protocol, Self

from tidegraph.domain.facts import Assertion, FactVersion, Revision
from tidegraph.domain.identity import IdentityEvidence, PairDecision, SameAs, Sighting
from tidegraph.domain.interval import OPEN_END, Interval
from tidegraph.ports.records import (
    ChangeRow,
    ChunkRecord,
    Commit,
    DecisionRecord,
    DocumentRecord,
    EntityRecord,
    EventMention,
    EventRecord,
    EventSketch,
    FactFilter,
    GraphMade,
    Neighbour,
    Ranked,
    Scored,
    Vector,
    Visibility,
    WriterState,
)


class GraphReader(Protocol):
    """Reads of one tenant's graph. Results are ordered; every list is bounded by its ``limit``.

    An unknown graph raises NotFound; an unknown id is simply absent from the result.
    """

    def for_request(self) -> GraphReader:
        """The same reader for the reads of one request, which may keep what it has read of one moment."""
        ...

    async def graphs(self) -> list[str]: ...

    async def facts(self, graph: str, which: FactFilter, seen: Visibility) -> list[FactVersion]:
        """Stored versions, in the order (key, valid start, recorded_at, version id).

        A version under whose key some evidence is hidden from ``seen.labels`` is derived again from
        what the caller may see.
        """
        ...

    async def fact_counts(
        self, graph: str, entity_ids: Sequence[str], seen: Visibility, most: int
    ) -> dict[str, int]:
        """By id how many versions about an entity were believed at some time up to known_at, but at most
        ``most``: what reading them costs, whoever may see them.
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

    async def in_force(
        self, graph: str, document_ids: Iterable[str], seen: Visibility
    ) -> dict[tuple[str, str], Interval]:
        """When each visible revision of the documents is in force, by (document id, revision)."""
        ...

    async def assertions_of(self, graph: str, origins: Sequence[str]) -> dict[str, list[Assertion]]:
        """All assertions of the readings by origin, withdrawn or not, whoever may see them."""
        ...

    async def keys_of(self, graph: str, document_ids: Sequence[str]) -> dict[str, list[str]]:
        """Conflict keys under which any revision of each document has evidence."""
        ...

    async def entities(
        self, graph: str, entity_ids: Sequence[str], seen: Visibility | None = None
    ) -> list[EntityRecord]:
        """Entities in the order of their ids. ``seen``: as of when sets are joined (None: now)."""
        ...

    async def all_entities(self, graph: str) -> list[EntityRecord]:
        """Every entity of the graph, for dumps and checks."""
        ...

    async def entities_by_name(
        self, graph: str, normalised: Sequence[str], seen: Visibility | None = None
    ) -> dict[str, list[EntityRecord]]:
        """Entities that carry exactly this normalised name or alias, by name."""
        ...

    async def search_entities(
        self, graph: str, text: str, limit: int, seen: Visibility | None = None
    ) -> list[tuple[EntityRecord, float]]:
        """Full-text search over names and aliases."""
        ...

    async def events(self, graph: str, event_ids: Sequence[str], seen: Visibility) -> list[EventRecord]: ...

    async def events_of(
        self,
        graph: str,
        entity_ids: Sequence[str],
        valid: Interval | None,
        seen: Visibility,
        limit: int,
        last: bool = False,
    ) -> list[EventRecord]:
        """Events that mention any of the entities; dated ones inside ``valid`` first in time order.

        ``last``: from the latest start back, so that a bound leaves out the earliest.
        """
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
        force: Interval | None = None,
    ) -> list[Scored]:
        """Full-text leg over ``event`` or ``chunk``. Terms are plain words; escaping is done inside.

        ``force``: a valid time at which the revision of what has no time of its own has to be in force,
        where it is another than ``valid``.
        """
        ...

    async def search_vector(
        self,
        graph: str,
        what: str,
        vector: Vector,
        seen: Visibility,
        valid: Interval | None,
        limit: int,
        force: Interval | None = None,
    ) -> Ranked:
        """Vector leg over ``event`` or ``chunk``; score is cosine similarity in [-1, 1]."""
        ...

    async def sketches(self, graph: str, event_ids: Sequence[str], seen: Visibility) -> list[EventSketch]:
        """Visible events as far as ranking needs them, in the order of the ids asked for."""
        ...

    async def rank_events(
        self,
        graph: str,
        by: str,
        ids: Sequence[str],
        vector: Vector,
        seen: Visibility,
        valid: Interval | None,
        limit: int,
        force: Interval | None = None,
    ) -> list[Scored]:
        """Events by exact cosine similarity, best first, among those that ``by`` reaches.

        ``by`` is ``entity`` (events that mention any of the ids; entities with more mentions than a bound
        reach none), ``document`` (events of these documents) or ``event`` (these events).
        """
        ...

    async def neighbours(self, graph: str, event_ids: Sequence[str]) -> list[Neighbour]:
        """Today's lists of K of the given events, and the entries of other lists that name them."""
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
        """What changed in the graph, ascending by commit sequence; a page may end inside a commit."""
        ...

    async def decisions(
        self,
        graph: str,
        kinds: Sequence[str],
        seen: Visibility,
        subjects: Sequence[str] | None = None,
    ) -> list[DecisionRecord]:
        """Decisions of the kinds recorded by known_at, about the subjects (None: about anything).

        In the order (recorded_at, decision id). A graph that does not exist has none.
        """
        ...

    async def same_as(self, graph: str, entity_ids: Sequence[str], seen: Visibility) -> list[SameAs]:
        """Every SAME_AS row of the sets of the ids, as believed at known_at. Raises LimitExceeded."""
        ...

    async def ties(self, graph: str, entity_ids: Sequence[str]) -> list[SameAs]:
        """Every row that names one of the ids, whenever it was believed, reviews too."""
        ...

    async def all_ties(self, graph: str) -> list[SameAs]:
        """Every row about identity of the graph, for dumps and checks."""
        ...

    async def reviews(self, graph: str, after: str, limit: int, seen: Visibility) -> list[SameAs]:
        """A page of the pairs that wait for an operator, after the row id ``after``."""
        ...

    async def pair_decisions(self, graph: str, entity_ids: Sequence[str]) -> list[PairDecision]:
        """Decisions about pairs that name one of the ids."""
        ...

    async def sightings(self, graph: str, entity_ids: Sequence[str]) -> list[Sighting]:
        """What documents told of each id, the first of them; ``keys`` are left out."""
        ...

    async def sightings_of(self, graph: str, document_ids: Sequence[str]) -> list[Sighting]:
        """Every sighting that the documents told, of ids that count them or not; ``keys`` are left out."""
        ...

    async def holders(self, graph: str, keys: Sequence[str], limit: int) -> dict[str, list[tuple[str, int]]]:
        """By blocking key the (entity id, recorded_at) that have it, the ``limit`` that had it first."""
        ...

    async def identity_evidence(
        self, graph: str, entity_ids: Sequence[str], keys: Sequence[str], limit: int, since: int
    ) -> IdentityEvidence:
        """The ``limit`` first holders of the keys that fewer had at ``since``; sightings, decisions and rows
        of the ids, and of the holders of each key that fewer than ``limit`` hold. One round trip."""
        ...

    async def fact_keys(self, graph: str, entity_ids: Sequence[str], limit: int) -> dict[str, list[str]]:
        """By id the conflict keys of its facts, as subject and as object, at most ``limit`` either way."""
        ...

    async def set_counts(
        self, graph: str, sets: Mapping[str, Sequence[str]], limit: int, known_at: int = OPEN_END - 1
    ) -> dict[str, int]:
        """By the name of a set of ids: how many dated events that counted at the known date (today, unless
        it is given) mention any of them, up to limit.
        """
        ...

    async def restrictions(
        self, graph: str, version_ids: Sequence[str]
    ) -> Mapping[str, frozenset[frozenset[str]]]:
        """The label sets of the evidence under the key of each version, of those that have any.

        Who holds a label of every set may see all that the version follows from.
        """
        ...

    async def sequence(self, graph: str) -> int:
        """Number of the last commit: the version of the graph that a basis quotes. Cheap."""
        ...

    async def made(self, graph: str) -> GraphMade:
        """By what the graph was made, and where it stands. Cheap."""
        ...

    async def scan(self, graph: str, what: str, after: str, limit: int) -> list[tuple[str, str]]:
        """(id, canonical JSON) of stored ``document``, ``chunk``, ``event`` or ``assertion`` rows by id.

        The page of those after the id ``after``; for dumps and checks.
        """
        ...

    async def counts(self, graph: str) -> Mapping[str, int]:
        """Number of documents, chunks, events, entities, assertions, facts, for status and check."""
        ...


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


class GraphKeeper(Protocol):
    """Whole graphs: built beside the one that is served, and put in its place."""

    def beside(self) -> Self:
        """A store of the same kind for graphs of the same names that nobody reads yet."""
        ...

    async def drop(self, graph: str) -> None:
        """Remove a graph, if there is one."""
        ...

    async def writers(self, graph: str) -> Mapping[str, int]:
        """The offset of every partition of ``resolved`` that was written to the graph; none: no graph."""
        ...

    async def inherit(
        self, graph: str, sequence: int, offsets: Mapping[str, int], changes: Sequence[ChangeRow]
    ) -> None:
        """Give a graph that was built anew the sequence, offsets and changes of the one it replaces."""
        ...

    async def take_place(self, graph: str, built: Self) -> None:
        """Serve the graph that ``built`` holds instead of the present one, in one step."""
        ...


class GraphStore(GraphReader, GraphWriter, GraphKeeper, Protocol):
    """Both sides: FalkorDB, and the in-memory twin."""

    async def close(self) -> None: ...
