"""The same stages over a log in memory, in one process: for measurements and tests.

What a broker adds is left out (groups, partitions that move, records that are read again); what a stage
does to a record is not. Documents that are appended are taken through all stages by :meth:`settle`.
"""

from __future__ import annotations

import time
import uuid
from collections import defaultdict
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Final

from tidegraph.domain.documents import Position
from tidegraph.log.headers import Headers
from tidegraph.log.memory import MemoryLog
from tidegraph.log.status import Stage
from tidegraph.log.topics import Topic
from tidegraph.models.clock import SystemClock
from tidegraph.ports import AnswerCache, Clock, Extractor, GraphStore, LogRecord, StatusStore
from tidegraph.settings import Settings
from tidegraph.storage.connection import Connection
from tidegraph.storage.memory import MemoryStatusStore
from tidegraph.storage.status import RedisStatusStore
from tidegraph.streams.delivery import ChangeFeed, Delivery
from tidegraph.streams.erasure import declared_ages
from tidegraph.streams.extractors import make_extractor
from tidegraph.streams.flow import Handler, Input
from tidegraph.streams.intake import Arrival, Intake
from tidegraph.streams.progress import MemoryProgress
from tidegraph.streams.rebuild import Sources
from tidegraph.streams.reextract import Rereader
from tidegraph.streams.repeats import Repeater
from tidegraph.streams.runner import Runner, Scribe
from tidegraph.streams.setup import INPUTS, Graphs, ground_handler, upkeep
from tidegraph.streams.sink import LogSink
from tidegraph.streams.stages.extract import ExtractHandler
from tidegraph.streams.stages.resolve import ResolveHandler
from tidegraph.streams.stages.track import Tracker
from tidegraph.streams.stages.write import WriteStage
from tidegraph.streams.writing.writer import GraphWriter

_BATCH: Final = 64

Process = Callable[[Sequence[LogRecord]], Awaitable[None]]


@dataclass(slots=True)
class InProcess:
    """A pipeline in this process.

    ``cpu_seconds`` adds up the processor time of each stage, threads included. The stores may be
    FalkorDB or the in-memory twins; ``writer`` writes to ``store``.
    """

    settings: Settings
    store: GraphStore
    status: StatusStore
    writer: GraphWriter
    clock: Clock
    extractor: Extractor | None = None
    """That of the settings, unless given."""
    answers: AnswerCache | None = None
    """Answers of a language model that an erasure drops, where there are any."""
    partitions: int = 1
    cpu_seconds: dict[Stage, float] = field(default_factory=lambda: defaultdict(float))
    log: MemoryLog = field(init=False)
    _offsets: dict[tuple[Topic, int], int] = field(init=False)
    _processes: dict[Stage, Process] = field(init=False)
    _progress: MemoryProgress = field(init=False)

    def __post_init__(self) -> None:
        life = uuid.uuid4().hex  # a graph that outlives this log must not take the next one for a replay
        self.log = MemoryLog(self.clock, partitions=self.partitions, incarnation=life)
        self._offsets = defaultdict(int)
        progress = self._progress = MemoryProgress()
        sink = LogSink(self.log)
        extractor = self.extractor or make_extractor(self.settings)
        tracker = Tracker(self.status, progress)
        self._processes = {
            Stage.GROUND: self._handled(ground_handler(self.settings, self.clock), sink, progress),
            Stage.EXTRACT: self._handled(ExtractHandler(extractor, self.clock), sink, progress),
            Stage.RESOLVE: self._handled(ResolveHandler(self.store, self.clock), sink, progress),
            Stage.WRITE: self._written(sink, progress),
            Stage.TRACK: tracker.fold,
        }

    @staticmethod
    def in_memory(settings: Settings, *, encoder: str = "", clock: Clock | None = None) -> InProcess:
        """With the in-memory twins of the stores. ``encoder`` names one of ``models.factory``."""
        graphs = Graphs(settings, encoder=encoder, in_memory=True)
        return InProcess(settings, graphs.store, MemoryStatusStore(), graphs.writer(), clock or SystemClock())

    @staticmethod
    @asynccontextmanager
    async def on_store(
        settings: Settings, *, encoder: str = "", clock: Clock | None = None
    ) -> AsyncIterator[InProcess]:
        """With the FalkorDB that the settings name."""
        graphs = Graphs(settings, encoder=encoder)
        connection = Connection(
            settings.store.url, settings.store.graph_prefix, settings.store.query_timeout_ms
        )
        try:
            status = RedisStatusStore(connection)
            yield InProcess(settings, graphs.store, status, graphs.writer(), clock or SystemClock())
        finally:
            await connection.close()
            await graphs.close()

    async def append(
        self, key: bytes | None, value: bytes | None, headers: Headers = (), timestamp: int | None = None
    ) -> Position:
        """Put a raw record on ``documents``; ``timestamp`` (microseconds) declares a backfill."""
        return await self.log.append(Topic.DOCUMENTS, key, value, headers, timestamp)

    async def settle(self) -> None:
        """Take all records that are in the log through all stages, until nothing is left to do."""
        moved = True
        while moved:
            moved = False
            for stage, process in self._processes.items():
                started = time.process_time()
                moved |= await self._pass(stage, process)
                self.cpu_seconds[stage] += time.process_time() - started
        for graph in await self._progress.graphs():
            await self.status.advance(graph, self.clock.now() - 1)

    async def _pass(self, stage: Stage, process: Process) -> bool:
        moved = False
        for topic in INPUTS[stage]:
            for partition in range(self.partitions):
                at = (topic, partition)
                while batch := self.log.records(topic, partition, self._offsets[at], _BATCH):
                    await process(batch)
                    self._offsets[at] += len(batch)
                    moved = True
        return moved

    async def _ages(self, topics: Sequence[Topic]) -> dict[Topic, int | None]:
        return declared_ages(topics)

    async def _lives(self, topics: Sequence[Topic]) -> dict[Topic, str]:
        return {topic: self.log.incarnation(topic) for topic in topics}

    def _handled(self, handler: Handler, sink: LogSink, progress: MemoryProgress) -> Process:
        intake = Intake(INPUTS[Stage(handler.stage)], self._lives, progress, self.clock)
        runner = Runner(handler, Scribe(handler.stage, sink, self.clock))

        async def process(records: Sequence[LogRecord]) -> None:
            await runner.run(await intake.inputs([Arrival(record, True) for record in records]))

        return process

    def _written(self, sink: LogSink, progress: MemoryProgress) -> Process:
        scribe = Scribe(Stage.WRITE, sink, self.clock)
        sources = Sources(self.log, self._lives, progress)
        delivery = Delivery(
            repeater=Repeater(self.log, ResolveHandler(self.store, self.clock), sink),
            upkeep=upkeep(
                self.store,
                self.writer,
                sources,
                self.log,
                self.status,
                self._ages,
                self.clock,
                self.answers,
            ),
            rereader=Rereader(ground_handler(self.settings, self.clock), sources, sink),
            stage=WriteStage(self.writer, self.clock),
            store=self.store,
            feed=ChangeFeed(self.store, progress, scribe),
            scribe=scribe,
        )

        async def process(records: Sequence[LogRecord]) -> None:
            life = self.log.incarnation(Topic.RESOLVED)
            name = f"{life}/{records[0].partition}"
            await delivery.apply(name, [Input(record, life, 0) for record in records])

        return process
