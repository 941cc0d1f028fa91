"""What a worker is made of: the outside parts, and each stage wired to its app."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

from tidegraph.domain.errors import Rejected
from tidegraph.domain.predicates import Registry
from tidegraph.inputs.envelope import configured, decode
from tidegraph.inputs.mapping import parse_mapping
from tidegraph.language.record_mapping import parse_entries
from tidegraph.language.records import READY, ready_mapping
from tidegraph.language.registry import load_registry
from tidegraph.language.sources import load_sources
from tidegraph.log.admin import BrokerClass, LogAdmin
from tidegraph.log.producer import KafkaLog
from tidegraph.log.status import Stage
from tidegraph.log.topics import Topic
from tidegraph.models.clock import SystemClock
from tidegraph.models.factory import make_encoder
from tidegraph.ports import AnswerCache, Clock, Encoder, GraphStore, LogRecord, StatusStore
from tidegraph.settings import Settings
from tidegraph.storage.answers import RedisAnswerCache
from tidegraph.storage.connection import Connection
from tidegraph.storage.falkor import open_store
from tidegraph.storage.memory import MemoryStore
from tidegraph.storage.status import RedisStatusStore
from tidegraph.streams.agents import Process, attach
from tidegraph.streams.app import StageApp, make_app
from tidegraph.streams.canaries import CanaryWatch, load_canaries
from tidegraph.streams.cursor import Cursors
from tidegraph.streams.delivery import ChangeFeed, Delivery, deliver
from tidegraph.streams.erasure import Ages, EditableLog, ErasureTask
from tidegraph.streams.extractors import make_extractor, make_judge
from tidegraph.streams.flow import Handler
from tidegraph.streams.footing import Footing
from tidegraph.streams.gate import Gate
from tidegraph.streams.intake import Arrival, Intake
from tidegraph.streams.judging import Judging
from tidegraph.streams.progress import ProgressStore, RedisProgress
from tidegraph.streams.pulse import Pulse
from tidegraph.streams.rebuild import Rebuilder, Sources
from tidegraph.streams.reextract import Rereader
from tidegraph.streams.repeats import Repeater
from tidegraph.streams.runner import CONCURRENCY, Runner, Scribe
from tidegraph.streams.sink import LogSink
from tidegraph.streams.stages.extract import ExtractHandler
from tidegraph.streams.stages.ground import Decode, GroundHandler
from tidegraph.streams.stages.resolve import ResolveHandler
from tidegraph.streams.stages.track import Tracker
from tidegraph.streams.stages.write import WriteStage
from tidegraph.streams.upkeep import RebuildTask, Upkeep
from tidegraph.streams.writing.writer import GraphWriter

INPUTS: Final[dict[Stage, tuple[Topic, ...]]] = {
    Stage.GROUND: (Topic.DOCUMENTS,),
    Stage.EXTRACT: (Topic.GROUNDED,),
    Stage.RESOLVE: (Topic.EXTRACTED, Topic.CONTROL),
    Stage.WRITE: (Topic.RESOLVED,),
    Stage.TRACK: (Topic.STATUS,),
}
PULSES: Final = {Stage.GROUND: Topic.DOCUMENTS, Stage.RESOLVE: Topic.CONTROL}
"""Who tells how far a topic is read on which what changes belief enters."""
Background = Callable[[], Coroutine[Any, Any, None]]


def envelope_decoder(settings: Settings) -> Decode:
    """Reads the envelope of a raw record as the settings say.

    Raises:
        Rejected: the mapping file is missing or wrong, in either of its parts; the message names the line.
    """
    name = settings.inputs.mapping_file
    if name in READY:
        plain = replace(settings, inputs=replace(settings.inputs, mapping_file=""))
        defaults = replace(configured(plain), mapping=parse_mapping(ready_mapping(name), name))
    else:
        defaults = configured(settings)
    if defaults.mapping is not None:
        parse_entries(defaults.mapping.text, defaults.mapping.name)

    def read(record: LogRecord) -> Any:
        return decode(record, defaults)

    return read


def ground_handler(settings: Settings, clock: Clock) -> GroundHandler:
    """The ground stage as the settings say."""
    sources = load_sources(settings.inputs.sources_file, settings.grounding)
    return GroundHandler(envelope_decoder(settings), sources, clock, settings.default_graph)


class Graphs:
    """The graphs and what writing them needs; opened by the stages that do.

    ``encoder`` names one of ``models.factory``; ``in_memory`` takes the store's twin in this process.
    """

    def __init__(self, settings: Settings, *, encoder: str = "", in_memory: bool = False) -> None:
        self._settings = settings
        self._encoder_name = encoder
        self._in_memory = in_memory

    @cached_property
    def registry(self) -> Registry:
        """The predicate policies."""
        return load_registry(self._settings.predicates_file)

    @cached_property
    def encoder(self) -> Encoder:
        """The encoder whose vectors the graphs hold."""
        models = self._settings.embeddings
        return make_encoder(self._encoder_name or models.encoder, server=models)

    @cached_property
    def store(self) -> GraphStore:
        """The graphs."""
        settings, model = self._settings.store, (self.encoder.dimensions, self.encoder.model_id)
        if self._in_memory:
            return MemoryStore(self.registry, *model)
        return open_store(settings.url, settings, self.registry, *model)

    def writer(self) -> GraphWriter:
        """A writer of the graphs."""
        parameters = self._settings.event_graph.parameters
        automatic = self._settings.resolution.automatic
        return GraphWriter(self.store, self.registry, self.encoder, parameters, automatic=automatic)

    async def close(self) -> None:
        """Disconnect, if connected."""
        if "store" in self.__dict__:
            await self.store.close()


@dataclass(slots=True)
class Ports:
    """The outside parts that the stages of one worker share."""

    settings: Settings
    admin: LogAdmin
    log: KafkaLog
    progress: RedisProgress
    status: StatusStore
    connection: Connection
    graphs: Graphs
    clock: Clock
    answers: RedisAnswerCache

    @staticmethod
    async def open(settings: Settings, admin: LogAdmin) -> Ports:
        """Connect; nothing is asked of the store yet."""
        url, prefix = settings.store.url, settings.store.graph_prefix
        if not url:
            raise Rejected(
                "NO_STORE", "no FalkorDB is configured: set TIDEGRAPH_FALKORDB_URL, or start `tidegraph up`"
            )
        connection = Connection(url, prefix, settings.store.query_timeout_ms)
        return Ports(
            settings=settings,
            admin=admin,
            log=KafkaLog(settings),
            progress=RedisProgress(url, prefix),
            status=RedisStatusStore(connection, settings.store.status_days),
            connection=connection,
            graphs=Graphs(settings),
            clock=SystemClock(),
            answers=RedisAnswerCache(url, prefix, settings.extraction.cache_days),
        )

    async def close(self) -> None:
        """Write out what is under way and disconnect."""
        await self.log.close()
        await self.progress.close()
        await self.connection.close()
        await self.graphs.close()
        self.answers.close()


@dataclass(slots=True)
class StageRun:
    """A stage on its app. ``joined`` is set with the first assignment."""

    stage: Stage
    app: StageApp
    gate: Gate = field(default_factory=Gate)
    joined: asyncio.Event = field(default_factory=asyncio.Event)
    background: list[Background] = field(default_factory=list)
    on_assignment: list[Callable[[], None]] = field(default_factory=list)
    warm_up: Callable[[], object] | None = None
    """Loads models, blocking; done before the worker says that it is ready."""

    def forget(self) -> None:
        """Know nothing of partitions: they may have been elsewhere, or their topics begun anew."""
        for each in self.on_assignment:
            each()


async def build(stage: Stage, settings: Settings, broker: BrokerClass, ports: Ports) -> StageRun:
    """The app of a stage, ready to start."""
    run = StageRun(stage, make_app(settings, stage, broker))
    prefix = settings.kafka.topic_prefix
    intake = Intake(INPUTS[stage], ports.admin.incarnations, ports.progress, ports.clock)
    run.on_assignment.append(intake.reset)
    process = _process(stage, settings, ports, intake, run)
    if broker.is_embedded and stage is not Stage.WRITE:
        process = _on_footing(stage, run, prefix, intake, ports.progress, process)
    attach(run.app, INPUTS[stage], prefix, process, run.gate)

    async def assigned(*_: Any, **__: Any) -> None:
        run.forget()
        run.joined.set()

    run.app.on_partitions_assigned.connect(assigned, weak=False)
    return run


def _on_footing(
    stage: Stage, run: StageRun, prefix: str, intake: Intake, progress: ProgressStore, process: Process
) -> Process:
    footing = Footing.of(stage, INPUTS[stage], run.app, run.gate, prefix, intake, progress)
    run.on_assignment.append(footing.reset)
    run.background += [cursors.run for cursors, _ in footing.cursors.values()]

    async def with_footing(arrivals: Sequence[Arrival]) -> None:
        await footing.process(arrivals, process)

    return with_footing


def _process(stage: Stage, settings: Settings, ports: Ports, intake: Intake, run: StageRun) -> Process:
    match stage:
        case Stage.TRACK:
            return _track(ports)
        case Stage.WRITE:
            return _write(settings, ports, intake, run)
        case _:
            return _run(stage, settings, ports, intake, run)


def _track(ports: Ports) -> Process:
    tracker = Tracker(ports.status, ports.progress)

    async def track(arrivals: Sequence[Arrival]) -> None:
        await tracker.fold([each.record for each in arrivals])

    return track


def _run(stage: Stage, settings: Settings, ports: Ports, intake: Intake, run: StageRun) -> Process:
    handler = _handler(stage, settings, ports)
    scribe = Scribe(stage, LogSink(ports.log), ports.clock)
    runner = Runner(handler, scribe, concurrency=_side_by_side(stage, settings))
    if isinstance(handler, ExtractHandler):
        run.warm_up = handler.warm_up
    if stage in PULSES:
        prefix = settings.kafka.topic_prefix
        pulse = Pulse(run.app, intake, ports.log, prefix, ports.clock, PULSES[stage])
        run.background.append(pulse.run)
        run.on_assignment.append(pulse.reset)

    async def process(arrivals: Sequence[Arrival]) -> None:
        items = await intake.inputs(arrivals)
        await runner.run(items)
        intake.finished(items)

    return process


def _write(settings: Settings, ports: Ports, intake: Intake, run: StageRun) -> Process:
    store, scribe = ports.graphs.store, Scribe(Stage.WRITE, LogSink(ports.log), ports.clock)
    writer = ports.graphs.writer()
    sources = Sources(ports.log, ports.admin.incarnations, ports.progress)
    delivery = Delivery(
        stage=WriteStage(writer, ports.clock),
        store=store,
        feed=ChangeFeed(store, ports.progress, scribe),
        scribe=scribe,
        burst_facts=settings.metrics.burst_facts,
        upkeep=upkeep(
            store, writer, sources, ports.log, ports.status, ports.admin.ages, ports.clock, ports.answers
        ),
        repeater=Repeater(ports.log, ResolveHandler(store, ports.clock), scribe.sink),
        rereader=Rereader(ground_handler(settings, ports.clock), sources, scribe.sink),
    )

    judge, limits = make_judge(settings), settings.resolution
    if judge is not None:
        log, per_round, per_hour = ports.log, limits.judge_per_round, limits.judge_per_hour
        delivery.judging = Judging(store, log, judge, per_round, per_hour)
        run.background.append(delivery.judging.run)

    async def life() -> str:
        return await intake.life(Topic.RESOLVED)

    cursors = Cursors(run.app, run.gate, settings.kafka.topic_prefix, store.applied, life)
    run.background.append(cursors.run)
    if settings.metrics.canaries_file:
        canaries = load_canaries(settings.metrics.canaries_file, settings.default_graph)
        run.background.append(CanaryWatch(store, canaries, ports.clock).run)
    run.warm_up = lambda: ports.graphs.encoder.encode(["warm"])
    run.on_assignment += [cursors.reset, delivery.forget]
    return deliver(delivery, cursors, intake.notice_new_life)


def upkeep(
    store: GraphStore,
    writer: GraphWriter,
    sources: Sources,
    log: EditableLog,
    status: StatusStore,
    ages: Ages,
    clock: Clock,
    answers: AnswerCache | None = None,
) -> Upkeep:
    """What the writer does with decisions about a whole graph."""
    rebuilder = Rebuilder(store, writer.on, sources, clock)
    erasure = ErasureTask(rebuilder, store, log, status, ages, clock, answers)
    return Upkeep(store, {"rebuild": RebuildTask(rebuilder), "erasure": erasure}, log)


def _handler(stage: Stage, settings: Settings, ports: Ports) -> Handler:
    match stage:
        case Stage.GROUND:
            return ground_handler(settings, ports.clock)
        case Stage.EXTRACT:
            threads = _side_by_side(stage, settings)
            return ExtractHandler(make_extractor(settings), ports.clock, threads)
        case Stage.RESOLVE:
            return ResolveHandler(ports.graphs.store, ports.clock)
        case _:
            raise ValueError(f"no handler for stage {stage}")


def _side_by_side(stage: Stage, settings: Settings) -> int:
    """Documents that a stage works on at once: on a language model, as many as it may be asked for."""
    asks = stage is Stage.EXTRACT and settings.extraction.extractor == "llm"
    return settings.llm.concurrency if asks else CONCURRENCY
