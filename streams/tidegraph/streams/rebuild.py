"""A graph built anew from the record of belief: what ``extracted`` and ``control`` hold, and nothing else.

The graph is built beside the one that is served, by the stages that write the served one, and takes its
place at the end; no extraction runs again. A build that was interrupted goes on where its graph stands.
What is believed does not depend on the order in which the partitions of the two topics are read.

``extracted`` is compacted: of records of one key only the last counts here too, whether or not the broker
has removed the earlier ones yet, so that what was erased never comes back.
"""

from __future__ import annotations

import hashlib
import importlib.metadata
import logging
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from tidegraph.domain.documents import Position
from tidegraph.domain.errors import Rejected
from tidegraph.domain.facts import FactVersion
from tidegraph.events.v1 import records_pb2
from tidegraph.log.codecs import decode_control
from tidegraph.log.topics import Topic
from tidegraph.ports import ChangeRow, Clock, Fence, GraphStore, Log, LogRecord
from tidegraph.storage.changes import whole_commits
from tidegraph.storage.dump import content_hash
from tidegraph.streams.flow import Input
from tidegraph.streams.intake import Incarnations
from tidegraph.streams.progress import ProgressStore
from tidegraph.streams.repeats import recorded_after
from tidegraph.streams.stages.resolve import ResolveHandler
from tidegraph.streams.stages.write import WriteStage
from tidegraph.streams.stamps import PartitionStamps
from tidegraph.streams.writing import feed
from tidegraph.streams.writing.erased import KIND as ERASURE
from tidegraph.streams.writing.erased import Erased
from tidegraph.streams.writing.writer import GraphWriter, empty_commit

logger = logging.getLogger(__name__)

_BATCH: Final = 64
_CHANGES: Final = 5_000
_NEVER_LATER: Final = 1 << 62
_NAME: Final = "rebuild"

Batch = Sequence[LogRecord]
"""Records of one partition, in order."""
Arrange = Callable[[Sequence[Batch]], Sequence[Batch]]
"""Another order of batches; those of one partition keep theirs."""


@dataclass(frozen=True, slots=True)
class Built:
    """What was read: records that were taken in, and records that could not be used, then as now.

    What was read before an interruption counts as taken in.
    """

    taken_in: int
    refused: int


@dataclass(frozen=True, slots=True)
class Rebuilt:
    """A graph that took the place of another; content hashes of both, "" where there was none."""

    built: Built
    content_hash: str
    former_hash: str

    def __str__(self) -> str:
        text = f"rebuilt from {self.built.taken_in} records, content hash {self.content_hash}"
        return text if self.content_hash == self.former_hash else f"{text} (was {self.former_hash or 'none'})"


@dataclass(frozen=True, slots=True)
class Sources:
    """Where the record of belief is read: the log, the lives of its topics, the stamps given so far."""

    log: Log
    lives: Incarnations
    progress: ProgressStore


class Rebuilder:
    """Rebuilds graphs of one store."""

    def __init__(
        self,
        store: GraphStore,
        make_writer: Callable[[GraphStore], GraphWriter],
        sources: Sources,
        clock: Clock,
    ) -> None:
        self._store = store
        self._make_writer = make_writer
        self._sources = sources
        self._clock = clock

    async def rebuild(
        self, graph: str, fences: Mapping[str, int], *, tell_gone: bool = True, arrange: Arrange | None = None
    ) -> Rebuilt:
        """Build a graph anew and serve it.

        Args:
            fences: partitions of ``resolved`` by name, and the offset up to which the graph has then
                applied each, as the one that it replaces has.
            tell_gone: whether what is no longer believed may be told in words.
            arrange: the order of what is read; that of the log unless given.

        Raises:
            Retryable: the log or the store is away; the served graph is as it was.
        """
        beside = self._store.beside()
        mark = await self._mark(graph)
        # An erasure goes on from nothing: what another began may hold what is to be gone.
        if not tell_gone or not await _is_begun(beside, graph, mark):
            await beside.drop(graph)
            await beside.prepare(graph)
            await beside.commit(empty_commit(graph, Fence(mark, -1, 0)))
        built = await self.build(graph, beside, arrange)
        former = await self._former_hash(graph)
        changes, sequence = await self._changes(graph, beside, tell_gone=tell_gone)
        offsets = {**await self._store.writers(graph), **fences}
        await beside.inherit(graph, sequence, offsets, changes)
        found = Rebuilt(built, await content_hash(beside, graph), former)
        await self._store.take_place(graph, beside)
        logger.info("graph %s was %s", graph, found)
        return found

    async def build(self, graph: str, target: GraphStore, arrange: Arrange | None = None) -> Built:
        """Take the record of belief of one graph in, into a store that does not have it yet, or not all."""
        await target.prepare(graph)
        done = await target.writers(graph)
        writer = self._make_writer(target)
        writer.keep_out(graph, await self._erased(graph, writer))
        stage = WriteStage(writer, self._clock)
        resolve = ResolveHandler(target, self._clock)
        taken_in = refused = 0
        retracted: dict[str, int] = {}
        async for batch in self._arranged(graph, arrange):
            _note_retractions(retracted, batch)
            left = [record for record in batch if record.offset > done.get(_fence(record), -1)]
            inputs, unreadable = await _resolved(resolve, left)
            result = await stage.write(graph, inputs) if inputs else None
            count = len(result.rejected) if result else 0
            refused += count + unreadable
            taken_in += len(batch) - unreadable - count
        async for record, _ in recorded_after(self._documents(graph), graph, retracted):
            inputs, _ = await _resolved(resolve, [record], "again")
            await stage.write(graph, inputs)
        return Built(taken_in, refused)

    async def _mark(self, graph: str) -> str:
        """Names all that a build depends on but the documents that come, whose order does not matter.

        What was begun under another mark is begun anew. Tombstones and records in the place of others count:
        a build that is half done may hold what they removed.
        """
        lives = await self._sources.lives([Topic.CONTROL, Topic.EXTRACTED])
        parts = [importlib.metadata.version("tidegraph"), self._make_writer(self._store).made_by]
        parts += sorted(lives.values())
        parts += [f"{r.partition}/{r.offset}/{r.timestamp}" async for r in self._decisions(graph)]
        parts += [one.hex() for one in sorted(await self._replaced())]
        return f"{_NAME}/{_digest(repr(parts).encode()).hex()}"

    async def _erased(self, graph: str, writer: GraphWriter) -> Erased:
        """What the decisions erase, whenever they are read: a document may stand before them."""
        nowhere = Position("", 0, 0, "")
        found = []
        async for record in self._decisions(graph):
            decision = decode_control(record.value or b"")
            if decision.WhichOneof("decision") == ERASURE:
                decision.recorded_at = record.timestamp
                found.append(writer.control.read(decision, nowhere).record)
        return Erased.of(found)

    # --- reading ----------------------------------------------------------------------------------

    async def _arranged(self, graph: str, arrange: Arrange | None) -> AsyncIterator[Batch]:
        if arrange is None:
            async for batch in self._batches(graph):
                yield batch
            return
        for batch in arrange([batch async for batch in self._batches(graph)]):
            yield batch

    async def _batches(self, graph: str) -> AsyncIterator[Batch]:
        for records in (self._decisions(graph), self._documents(graph)):
            batch: list[LogRecord] = []
            async for record in records:
                if batch and (len(batch) == _BATCH or batch[-1].partition != record.partition):
                    yield batch
                    batch = []
                batch.append(record)
            if batch:
                yield batch

    async def _decisions(self, graph: str) -> AsyncIterator[LogRecord]:
        """Decisions on the graph, each with its recorded time in place of the broker's."""
        life = (await self._sources.lives([Topic.CONTROL]))[Topic.CONTROL]
        stamps: dict[int, PartitionStamps] = {}
        async for record in self._sources.log.read(Topic.CONTROL):
            if record.partition not in stamps:
                stamps[record.partition] = await self._sources.progress.load(f"{life}/{record.partition}")
            stamp = stamps[record.partition].stamp(record.offset, record.timestamp, _NEVER_LATER)
            decision = _decision(record)
            if (
                decision is not None
                and decision.graph == graph
                and decision.WhichOneof("decision") != "rebuild"
            ):
                yield replace(record, timestamp=stamp)

    async def _replaced(self) -> set[bytes]:
        """Digests of keys of ``extracted`` with those of their last records, of keys that had another one."""
        last: dict[bytes, bytes] = {}
        replaced: set[bytes] = set()
        async for record in self._sources.log.read(Topic.EXTRACTED):
            if record.key is None:
                continue
            key, value = _digest(record.key), b"" if record.value is None else _digest(record.value)
            if last.get(key, value) != value or record.value is None:
                replaced.add(key)
            last[key] = value
        return {key + last[key] for key in replaced}

    async def _documents(self, graph: str) -> AsyncIterator[LogRecord]:
        """Extracted documents of the graph, the last record of each key."""
        last: dict[bytes, tuple[int, int]] = {}
        async for record in self._sources.log.read(Topic.EXTRACTED):
            if record.key is not None:
                last[_digest(record.key)] = record.partition, record.offset
        async for record in self._sources.log.read(Topic.EXTRACTED):
            is_last = record.key is None or (
                last.get(_digest(record.key), (record.partition, record.offset))
                == (record.partition, record.offset)
            )
            if is_last and record.value is not None and _graph_of(record.value) == graph:
                yield record

    # --- what is told -----------------------------------------------------------------------------

    async def _former_hash(self, graph: str) -> str:
        return await content_hash(self._store, graph) if graph in await self._store.graphs() else ""

    async def _changes(
        self, graph: str, beside: GraphStore, *, tell_gone: bool
    ) -> tuple[list[ChangeRow], int]:
        """What was told of the graph and what is news in the one that replaces it, with its sequence."""
        built = await beside.all_versions(graph)
        if graph not in await self._store.graphs():
            rows = await _all_changes(beside, graph)
            return rows, await beside.sequence(graph)
        present = await self._store.all_versions(graph)
        known = {version.version_id for version in built}
        told = await _all_changes(self._store, graph)
        if not tell_gone:
            told = [row for row in told if row.version_id in known]
        sequence = await self._store.sequence(graph) + 1
        news = _news(present, built)
        if not tell_gone:
            news = [item for item in news if item[1].version_id in known]
        names = await _names(beside, self._store, graph, [version for _, version, _ in news])
        registry = self._make_writer(beside).registry
        rows = [feed.change_row(graph, *item, registry, names) for item in news]
        seen = {row.change_id for row in told}
        told += [replace(row, sequence=sequence) for row in rows if row.change_id not in seen]
        return told, sequence


def _note_retractions(retracted: dict[str, int], batch: Batch) -> None:
    """When each document was first retracted by a decision."""
    for record in batch:
        decision = _decision(record) if record.topic == Topic.CONTROL else None
        if decision is not None and decision.WhichOneof("decision") == "retraction":
            name = decision.retraction.document_id
            retracted[name] = min(retracted.get(name, record.timestamp), record.timestamp)


async def _is_begun(beside: GraphStore, graph: str, mark: str) -> bool:
    """Whether a graph of this encoder and schema was begun under the mark and is not done."""
    if mark not in await beside.writers(graph):
        return False
    try:
        await beside.prepare(graph)
    except Rejected:
        return False
    logger.info("graph %s: going on with the rebuild that was interrupted", graph)
    return True


def _fence(record: LogRecord) -> str:
    """The name under which a build notes how far it came, as the write stage does of what it is handed."""
    return f"{_NAME}/{record.topic}/{record.partition}"


async def _resolved(resolve: ResolveHandler, batch: Batch, name: str = _NAME) -> tuple[list[Input], int]:
    """The records as the write stage gets them, and how many cannot be read."""
    inputs: list[Input] = []
    unreadable = 0
    for record in batch:
        stamp = record.timestamp if record.topic == Topic.CONTROL else 0
        try:
            result = await resolve.handle(Input(record, "", stamp))
        except Rejected as error:
            logger.debug("%s %d/%d: %s", record.topic, record.partition, record.offset, error)
            unreadable += 1
            continue
        output = result.outputs[0]
        resolved = replace(record, topic=str(Topic.RESOLVED), key=output.key, value=output.value)
        inputs.append(Input(resolved, f"{name}/{record.topic}", 0))
    return inputs, unreadable


def _decision(record: LogRecord) -> records_pb2.ControlRecord | None:
    try:
        return decode_control(record.value or b"")
    except Rejected:
        return None


def _graph_of(value: bytes) -> str:
    """The graph of an extracted document; "" where it cannot be read."""
    message = records_pb2.ExtractedDocument()
    try:
        message.ParseFromString(value)
    except Exception:  # the wire form of others' records
        return ""
    return message.header.graph


def _digest(key: bytes) -> bytes:
    return hashlib.blake2b(key, digest_size=16).digest()


async def _all_changes(store: GraphStore, graph: str) -> list[ChangeRow]:
    found: list[ChangeRow] = []
    while rows := await whole_commits(store, graph, found[-1].sequence if found else 0, _CHANGES):
        found += rows
    return found


def _news(present: Sequence[FactVersion], built: Sequence[FactVersion]) -> list[tuple[str, FactVersion, int]]:
    """What is believed in the one and not in the other, as the feed tells it."""
    before: dict[str, list[FactVersion]] = defaultdict(list)
    after: dict[str, list[FactVersion]] = defaultdict(list)
    for version in present:
        before[version.key].append(version)
    for version in built:
        after[version.key].append(version)
    keys = sorted(before.keys() | after.keys())
    return [item for key in keys for item in feed.changed(before[key], after[key])]


async def _names(
    built: GraphStore, present: GraphStore, graph: str, versions: Sequence[FactVersion]
) -> dict[str, str]:
    wanted = {version.subject for version in versions}
    wanted |= {version.object for version in versions if version.object_is_entity}
    names: dict[str, str] = {}
    for store in (present, built):
        names |= {entity.entity_id: entity.name for entity in await store.entities(graph, sorted(wanted))}
    return names
