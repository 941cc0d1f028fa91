"""One batch of resolved records, and the graph as it is, to one commit.

Everything decided here is a function of the set of records in the graph and in the batch. The graph is
read in a bounded number of round trips for the whole batch.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from tidegraph.domain.documents import DocumentHeader, DocumentKind, ExtractedDocument
from tidegraph.domain.errors import Rejected
from tidegraph.domain.identity import Sighting
from tidegraph.domain.interval import OPEN_END
from tidegraph.domain.naming import display_name
from tidegraph.domain.predicates import Registry
from tidegraph.ports import (
    ChangeRow,
    Commit,
    DocumentWrite,
    Encoder,
    EntityWrite,
    Fence,
    GraphReader,
    NewVector,
)
from tidegraph.storage.rulebook import POLICIES, SEAL, Rulebook
from tidegraph.storage.visibility import EVERYTHING
from tidegraph.streams.writing import claims, feed
from tidegraph.streams.writing.beliefs import Belief, Believer
from tidegraph.streams.writing.busykeys import Kept
from tidegraph.streams.writing.control import Control, Decide
from tidegraph.streams.writing.identities import Identified, Identifier
from tidegraph.streams.writing.links import Linker, Relinked
from tidegraph.streams.writing.submissions import Placed, Submissions

ENCODE_BATCH: Final = 64


@dataclass(frozen=True, slots=True)
class Retract:
    """A decision to retract a document, or one revision of it."""

    header: DocumentHeader
    one_revision: bool
    decision_id: str


@dataclass(frozen=True, slots=True)
class Item:
    """One record of the batch with its offset in ``resolved``."""

    offset: int
    content: ExtractedDocument | Retract | Decide

    @property
    def header(self) -> DocumentHeader:
        return self.content.header


@dataclass(frozen=True, slots=True)
class Outcome:
    """What becomes of one item: ``ended`` is "committed", "retracted", or "" with the reason of refusal."""

    item: Item
    ended: str
    rejected: Rejected | None


@dataclass(frozen=True, slots=True)
class Planned:
    """A commit, ready to be fenced, and the outcome of each item once it is applied."""

    commit: Commit
    outcomes: tuple[Outcome, ...]
    kept: Mapping[str, Kept]
    """Busy conflict keys as the commit leaves them."""
    links: Relinked
    surplus: tuple[ExtractedDocument, ...]
    """What another extractor read of records whose reading counts."""


@dataclass(slots=True)
class _Batch:
    """What is known of a batch while it is planned."""

    graph: str
    placed: list[tuple[Item, Placed]] = field(default_factory=list)
    decided: list[Outcome] = field(default_factory=list)
    rejected: list[Outcome] = field(default_factory=list)
    writes: list[DocumentWrite] = field(default_factory=list)
    entities: list[EntityWrite] = field(default_factory=list)
    sightings: list[Sighting] = field(default_factory=list)
    surplus: list[ExtractedDocument] = field(default_factory=list)


class Planner:
    """Plans batches for any graph of one store."""

    def __init__(
        self,
        reader: GraphReader,
        registry: Registry,
        encoder: Encoder,
        linker: Linker,
        control: Control,
        *,
        automatic: bool = True,
    ) -> None:
        self._control = control
        self._reader = reader
        self._registry = registry
        self._encoder = encoder
        self._linker = linker
        self._believer = Believer(reader)
        self._identifier = Identifier(reader, registry, automatic=automatic)

    async def plan(self, graph: str, fence: Fence, items: Sequence[Item]) -> Planned:
        """The commit that takes the items in.

        An item that cannot be used is among the outcomes with its Rejected and changes nothing.
        """
        documents = sorted(
            {item.header.document_id for item in items if not isinstance(item.content, Decide)}
        )
        decided = [item.content.record for item in items if isinstance(item.content, Decide)]
        stored, known, (decisions, effects) = await asyncio.gather(
            self._reader.documents(graph, documents, EVERYTHING),
            self._reader.decisions(graph, (POLICIES, SEAL), EVERYTHING),
            self._control.carry_out(graph, self._reader, decided),
        )
        rulebook = Rulebook.of(self._registry, (*known, *decisions))
        submissions = Submissions(graph, documents, stored)
        batch = self._place(graph, items, submissions, rulebook)
        moves = submissions.moves()
        news = await self._identifier.news(
            graph, batch.writes, batch.sightings, moves, effects.pairs, submissions.gaps()
        )
        belief, gone, vectors, identified = await asyncio.gather(
            self._believer.believe(graph, batch.writes, submissions, moves, effects, rulebook),
            self._reader.event_nodes_of(graph, [origin for origin, _ in moves.withdrawn]),
            asyncio.to_thread(self._vectors, batch.writes),
            self._identifier.identify(graph, news),
        )
        leaving = [event for event in gone if event.withdrawn_at == OPEN_END]
        new = [event for write in batch.writes for event in write.events]
        links, changes = await asyncio.gather(
            self._linker.lists(graph, new, leaving, identified), self._changes(batch, belief, identified)
        )
        commit = Commit(
            graph=graph,
            fence=fence,
            documents=tuple(batch.writes),
            withdrawn=moves.withdrawn,
            recorded_earlier=moves.recorded_earlier,
            vectors=vectors,
            entities=tuple(batch.entities),
            insert_versions=belief.insert,
            close_versions=belief.close,
            unlinked=links.unlinked,
            linked=links.linked,
            changes=changes,
            decisions=decisions,
            identity=identified.writes,
            filed=tuple(effects.filed),
            filed_until=tuple(effects.filed_until),
        )
        return Planned(commit, _outcomes(batch), belief.kept, links, tuple(batch.surplus))

    def settle(self, planned: Planned) -> None:
        """The commit has gone through: what was planned is what the graph holds."""
        self._believer.busy.keep(planned.commit.graph, planned.kept)
        self._linker.settle(planned.commit.graph, planned.links)

    def forget(self) -> None:
        """Forget what was known of the graphs."""
        self._believer.busy.forget()
        self._linker.forget()

    # --- documents ------------------------------------------------------------------------------

    def _place(
        self, graph: str, items: Sequence[Item], submissions: Submissions, rulebook: Rulebook
    ) -> _Batch:
        """Take the items in, in the order of the log, and make the rows of those that are new."""
        batch = _Batch(graph)
        new: list[tuple[Placed, claims.Draft]] = []
        for item in items:
            if isinstance(item.content, Decide):
                batch.decided.append(Outcome(item, "committed", None))
                continue
            if isinstance(item.content, Retract):
                retraction = item.content
                placed = submissions.retract(
                    item.header, one_revision=retraction.one_revision, decision_id=retraction.decision_id
                )
                batch.placed.append((item, placed))
                new += [(placed, claims.Draft.empty(item.header))] if placed.is_new else []
                continue
            try:
                rulebook.check_seal(item.content.header)
                draft = claims.Draft.of(item.content, rulebook.timeline)
            except Rejected as error:
                batch.rejected.append(Outcome(item, "", error))
                continue
            placed = submissions.place(item.content)
            batch.placed.append((item, placed))
            if placed.is_new:
                new.append((placed, draft))
            elif placed.is_surplus:
                batch.surplus.append(item.content)
            elif item.content.header.recorded_at < placed.record.header.recorded_at:
                # A copy: it says the same, but of an earlier time.
                batch.entities += draft.entities
                batch.sightings += draft.sightings
        for placed, draft in new:
            record = placed.record
            ends = (submissions.revision_withdrawn_at(record), submissions.withdrawn_at(record))
            times = submissions.recorded_at(record)
            batch.writes.append(draft.rows(record, times, ends, ids_again=placed.ids_again))
            batch.entities += draft.entities
            batch.sightings += draft.sightings
        return batch

    # --- the rest -----------------------------------------------------------------------------------

    async def _changes(self, batch: _Batch, belief: Belief, identified: Identified) -> tuple[ChangeRow, ...]:
        written: dict[str, list[EntityWrite]] = defaultdict(list)
        for write in batch.entities:
            written[write.entity_id].append(write)
        names = {
            entity_id: display_name(writes[0].key, [alias for write in writes for alias in write.aliases])
            for entity_id, writes in written.items()
        }
        wanted = {version.subject for _, version, _ in belief.news}
        wanted |= {version.object for _, version, _ in belief.news if version.object_is_entity}
        wanted |= identified.ids
        stored = await self._reader.entities(batch.graph, sorted(wanted - names.keys()))
        names |= {entity.entity_id: entity.name for entity in stored}
        return tuple(
            feed.change_row(batch.graph, action, version, instant, self._registry, names)
            for action, version, instant in belief.news
        ) + feed.identity_rows(batch.graph, identified.writes, identified.closed, names)

    def _vectors(self, writes: Sequence[DocumentWrite]) -> tuple[NewVector, ...]:
        """Blocking: runs in a thread."""
        wanted = claims.texts_to_encode(writes)
        found: list[NewVector] = []
        for start in range(0, len(wanted), ENCODE_BATCH):
            part = wanted[start : start + ENCODE_BATCH]
            rows = self._encoder.encode([text for _, _, text in part])
            found += [NewVector(id_, what, row) for (what, id_, _), row in zip(part, rows, strict=True)]
        return tuple(found)


def _outcomes(batch: _Batch) -> tuple[Outcome, ...]:
    found = [*batch.rejected, *batch.decided]
    for item, placed in batch.placed:
        retracted = placed.record.header.kind is DocumentKind.RETRACTION
        found.append(Outcome(item, "retracted" if retracted else "committed", None))
    return tuple(sorted(found, key=lambda outcome: outcome.item.offset))
