"""The fence around a graph: batches in, commits out, replays and rivals without effect."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from tidegraph.domain.documents import DocumentHeader, ExtractedDocument
from tidegraph.domain.errors import Bug, Conflicted, NotFound, Rejected, Retryable, TidegraphError
from tidegraph.domain.eventgraph import EventGraphParameters
from tidegraph.domain.interval import OPEN_END
from tidegraph.domain.predicates import Registry
from tidegraph.ports import ChangeRow, Commit, Encoder, Fence, GraphStore, WriterState
from tidegraph.storage.visibility import EVERYTHING
from tidegraph.streams.writing.erased import KIND as ERASURE
from tidegraph.streams.writing.erased import Erased
from tidegraph.streams.writing.kinds import all_kinds
from tidegraph.streams.writing.links import Linker
from tidegraph.streams.writing.planning import Item, Planned, Planner, Retract
from tidegraph.telemetry import metrics

logger = logging.getLogger(__name__)

MAX_VECTORS_PER_COMMIT: Final = 256
"""A vector costs the server up to two milliseconds: a commit stays well under a second."""
MAX_ROWS_PER_COMMIT: Final = 4_000


@dataclass(frozen=True, slots=True)
class Ending:
    """What became of one item: "committed", "retracted", or "" with an error."""

    item: Item
    ended: str
    error: TidegraphError | None


Mended = tuple[ExtractedDocument, ExtractedDocument | None]


@dataclass(frozen=True, slots=True)
class Written:
    """The result of a batch.

    ``changes`` are the lines of the feed that this call committed; ``sequence`` is the graph's commit
    sequence after it. Lines that a stopped worker left unpublished are read from the graph. ``mended`` are
    documents of which an erasure keeps something out, or that are a second reading of a record, each with
    what is left of it (``None``: nothing).
    """

    endings: tuple[Ending, ...]
    changes: tuple[ChangeRow, ...]
    sequence: int
    mended: tuple[Mended, ...] = ()


class GraphWriter:
    """The one writer of the graphs that this process owns.

    Not for concurrent use on one graph. It remembers where each graph stands; what it remembers is
    checked by every commit, so a rival or a store that lost its last second is noticed, not overwritten.
    ``automatic``: False joins ids by decisions and by stated names alone.
    """

    def __init__(
        self,
        store: GraphStore,
        registry: Registry,
        encoder: Encoder,
        parameters: EventGraphParameters,
        *,
        automatic: bool = True,
    ) -> None:
        self._store = store
        self.registry = registry
        self._encoder = encoder
        self._parameters = parameters
        self._automatic = automatic
        self.control = all_kinds(registry)
        linker = Linker(store, parameters)
        self._planner = Planner(store, registry, encoder, linker, self.control, automatic=automatic)
        self._states: dict[tuple[str, str], WriterState] = {}
        self._erased: dict[str, Erased] = {}

    def on(self, store: GraphStore) -> GraphWriter:
        """A writer like this one for the graphs of another store."""
        return GraphWriter(store, self.registry, self._encoder, self._parameters, automatic=self._automatic)

    @property
    def made_by(self) -> str:
        """What rows depend on besides the records, the encoder and the code, as one text."""
        return f"{self.registry.described} {self._parameters!r} {self._automatic}"

    def forget(self) -> None:
        """Forget where the graphs stand: after an assignment it is read again."""
        self._states.clear()
        self._erased.clear()
        self._planner.forget()

    async def write(self, graph: str, partition: str, items: Sequence[Item]) -> Written:
        """Take a batch of one graph in, in the order of its offsets.

        Args:
            partition: names one partition of ``resolved`` in one life of the log.

        Raises:
            Retryable: the store is away; call again with the same items.
            Conflicted: the graph is not where this writer left it. What it knew is forgotten; rewind to
                what the store says is applied and hand in from there.
        """
        changes: list[ChangeRow] = []
        left, endings, mended = await self._without_erased(graph, partition, items)
        for run in _runs(left):
            endings += await self._run(graph, partition, run, changes, mended)
        state = await self._state(graph, partition)
        return Written(tuple(endings), tuple(changes), state.sequence, tuple(mended))

    def keep_out(self, graph: str, erased: Erased) -> None:
        """Keep this out of a graph that does not hold the decisions yet."""
        self._erased[graph] = erased

    async def _without_erased(
        self, graph: str, partition: str, items: Sequence[Item]
    ) -> tuple[list[Item], list[Ending], list[Mended]]:
        """What is left of the items, the endings of those of which nothing is, and what was kept out."""
        erased = await self.erased(graph)
        left: list[Item] = []
        gone: list[Ending] = []
        mended: list[Mended] = []
        for item in items:
            if isinstance(item.content, Retract) and erased.covers(item.header):
                empty = replace(item.content, header=_nameless(item.header))
                gone.append(Ending(replace(item, content=empty), "retracted", None))
                continue
            if not isinstance(item.content, ExtractedDocument):
                left.append(item)
                continue
            document = erased.apply(item.content)
            if document is not item.content:
                mended.append((item.content, document))
            if document is None:
                nothing = replace(item.content, header=_nameless(item.header))
                gone.append(Ending(replace(item, content=nothing), "retracted", None))
            else:
                left.append(replace(item, content=document))
        if gone and not left:
            await self._skip(graph, partition, items[-1].offset)
        return left, gone, mended

    async def erased(self, graph: str) -> Erased:
        """What the decisions of the graph keep out."""
        if graph not in self._erased:
            self._erased[graph] = Erased.of(await self._store.decisions(graph, [ERASURE], EVERYTHING))
        return self._erased[graph]

    # --- one commit -------------------------------------------------------------------------------

    async def _run(
        self,
        graph: str,
        partition: str,
        items: Sequence[Item],
        changes: list[ChangeRow],
        mended: list[Mended],
    ) -> list[Ending]:
        """Plan and commit; a record that breaks the plan is found by halving and buried alone."""
        try:
            state = await self._state(graph, partition)
            offset = max(state.offset, items[-1].offset)
            fence = Fence(partition, state.offset, offset)
            planned = await self._planner.plan(graph, fence, items)
            if _is_idle(planned.commit):
                self._planner.settle(planned)
            else:
                changes += await self._commit(planned.commit, planned)
            mended += [(document, None) for document in planned.surplus]
            return [Ending(o.item, o.ended, o.rejected) for o in planned.outcomes]
        except (Retryable, Conflicted):
            raise
        except Exception as error:
            if len(items) > 1:
                middle = len(items) // 2
                first = await self._run(graph, partition, items[:middle], changes, mended)
                return first + await self._run(graph, partition, items[middle:], changes, mended)
            logger.exception("record %s/%d cannot be written to %s", partition, items[0].offset, graph)
            await self._skip(graph, partition, items[0].offset)
            return [Ending(items[0], "", _typed(error))]

    async def _skip(self, graph: str, partition: str, offset: int) -> None:
        """Move past a record that is buried, so that it is not met again."""
        state = await self._state(graph, partition)
        if offset > state.offset:
            await self._commit(empty_commit(graph, Fence(partition, state.offset, offset)))

    async def _commit(self, commit: Commit, planned: Planned | None = None) -> list[ChangeRow]:
        key = (commit.graph, commit.fence.partition)
        with metrics.COMMIT_SECONDS.time():
            state = await self._store.commit(commit)
        if state is None:
            state = await self._read_state(*key)
            if state.offset != commit.fence.offset or commit.fence.offset == commit.fence.expected:
                self.forget()
                raise Conflicted(
                    "FENCE_MISMATCH",
                    f"graph {commit.graph} stands at {state.offset}, not at {commit.fence.expected}; rewind",
                    graph=commit.graph,
                )
            # The commit had gone through before its answer was lost, or a rival has taken the same records
            # in, perhaps in other commits: the graph then says the same in other rows.
            self._planner.forget()
        elif planned is not None:
            self._planner.settle(planned)
        self._states[key] = state
        believed = [version for version in commit.insert_versions if version.invalidated_at == OPEN_END]
        metrics.FACT_CHANGES.labels("conflicted").inc(sum(version.conflicted for version in believed))
        return [replace(change, sequence=state.sequence) for change in commit.changes]

    async def _state(self, graph: str, partition: str) -> WriterState:
        key = (graph, partition)
        if key not in self._states:
            await self._store.prepare(graph)
            self._states[key] = await self._read_state(graph, partition)
        return self._states[key]

    async def _read_state(self, graph: str, partition: str) -> WriterState:
        try:
            return await self._store.writer_state(graph, partition)
        except NotFound:
            return WriterState(-1, 0)


def _nameless(header: DocumentHeader) -> DocumentHeader:
    return replace(header, document_id="", revision="", title="")


def _runs(items: Sequence[Item]) -> list[list[Item]]:
    """The batch cut so that no commit grows beyond what the server does in bounded time."""
    runs: list[list[Item]] = []
    vectors = rows = 0
    for item in sorted(items, key=lambda item: item.offset):
        content = item.content
        more_vectors, more_rows = 0, 1
        if isinstance(content, ExtractedDocument):
            more_vectors = len(content.events) + len(content.chunks)
            more_rows += more_vectors + len(content.assertions) + len(content.mentions)
        full = vectors + more_vectors > MAX_VECTORS_PER_COMMIT or rows + more_rows > MAX_ROWS_PER_COMMIT
        if not runs or full:
            runs.append([])
            vectors = rows = 0
        runs[-1].append(item)
        vectors += more_vectors
        rows += more_rows
    return runs


def _is_idle(commit: Commit) -> bool:
    """True for a commit that would change nothing, not even the offset."""
    return commit.fence.offset == commit.fence.expected and replace(commit, graph="") == empty_commit(
        "", commit.fence
    )


def empty_commit(graph: str, fence: Fence) -> Commit:
    """A commit that moves one offset and nothing else."""
    return Commit(graph, fence, (), (), (), (), (), (), (), (), (), ())


def _typed(error: Exception) -> TidegraphError:
    if isinstance(error, Rejected | Bug):
        return error
    return Bug("WRITE_FAILED", f"{type(error).__name__}: {error}"[:500])
