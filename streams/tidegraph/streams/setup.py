"""What a worker is made of: the outside parts, and each stage wired to its app."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tidegraph.domain.errors import Rejected
from tidegraph.inputs.envelope import configured, decode
from tidegraph.language.extractor import LanguageExtractor
from tidegraph.log.admin import BrokerClass, LogAdmin
from tidegraph.log.producer import KafkaLog
from tidegraph.log.status import Stage
from tidegraph.log.topics import Topic
from tidegraph.models.clock import SystemClock
from tidegraph.ports import Clock, LogRecord, StatusStore
from tidegraph.settings import Settings
from tidegraph.storage.connection import Connection
from tidegraph.storage.status import RedisStatusStore
from tidegraph.streams.agents import attach
from tidegraph.streams.app import StageApp, make_app
from tidegraph.streams.flow import Handler
from tidegraph.streams.gate import Gate
from tidegraph.streams.intake import Arrival, Intake
from tidegraph.streams.progress import RedisProgress
from tidegraph.streams.pulse import Pulse
from tidegraph.streams.runner import Runner
from tidegraph.streams.sink import LogSink
from tidegraph.streams.stages.extract import ExtractHandler
from tidegraph.streams.stages.ground import Decode, GroundHandler
from tidegraph.streams.stages.track import Tracker

INPUTS: Final[dict[Stage, tuple[Topic, ...]]] = {
    Stage.GROUND: (Topic.DOCUMENTS,),
    Stage.EXTRACT: (Topic.GROUNDED,),
    Stage.RESOLVE: (Topic.EXTRACTED, Topic.CONTROL),
    Stage.WRITE: (Topic.RESOLVED,),
    Stage.TRACK: (Topic.STATUS,),
}
_STAMPED: Final = frozenset({Topic.DOCUMENTS})

Background = Callable[[], Coroutine[Any, Any, None]]


def envelope_decoder(settings: Settings) -> Decode:
    """Reads the envelope of a raw record as the settings say."""
    defaults = configured(settings)

    def read(record: LogRecord) -> Any:
        return decode(record, defaults)

    return read


@dataclass(slots=True)
class Ports:
    """The outside parts that the stages of one worker share."""

    settings: Settings
    admin: LogAdmin
    log: KafkaLog
    progress: RedisProgress
    status: StatusStore
    connection: Connection
    clock: Clock

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
            status=RedisStatusStore(connection),
            connection=connection,
            clock=SystemClock(),
        )

    async def close(self) -> None:
        """Write out what is under way and disconnect."""
        await self.log.close()
        await self.progress.close()
        await self.connection.close()


@dataclass(slots=True)
class StageRun:
    """A stage on its app. ``joined`` is set with the first assignment."""

    stage: Stage
    app: StageApp
    gate: Gate = field(default_factory=Gate)
    joined: asyncio.Event = field(default_factory=asyncio.Event)
    background: list[Background] = field(default_factory=list)
    on_assignment: list[Callable[[], None]] = field(default_factory=list)


async def build(stage: Stage, settings: Settings, broker: BrokerClass, ports: Ports) -> StageRun:
    """The app of a stage, ready to start."""
    run = StageRun(stage, make_app(settings, stage, broker))
    prefix = settings.kafka.topic_prefix
    intake = Intake(INPUTS[stage], ports.admin.incarnations, ports.progress, ports.clock)
    run.on_assignment.append(intake.reset)
    process = _process(stage, settings, ports, intake, run)
    attach(run.app, INPUTS[stage], prefix, process, run.gate)

    async def assigned(*_: Any, **__: Any) -> None:
        for forget in run.on_assignment:
            forget()
        run.joined.set()

    run.app.on_partitions_assigned.connect(assigned, weak=False)
    return run


def _process(
    stage: Stage, settings: Settings, ports: Ports, intake: Intake, run: StageRun
) -> Callable[[Sequence[Arrival]], Awaitable[None]]:
    if stage is Stage.TRACK:
        tracker = Tracker(ports.status, ports.progress)

        async def track(arrivals: Sequence[Arrival]) -> None:
            await tracker.fold([each.record for each in arrivals])

        return track
    runner = Runner(_handler(stage, settings, ports), LogSink(ports.log), ports.clock)
    if stage is Stage.GROUND:
        pulse = Pulse(run.app, intake, ports.log, settings.kafka.topic_prefix, ports.clock)
        run.background.append(pulse.run)
        run.on_assignment.append(pulse.reset)

    async def process(arrivals: Sequence[Arrival]) -> None:
        items = await intake.inputs(arrivals, stamped=stage is Stage.GROUND)
        await runner.run(items)
        intake.finished(items)

    return process


def _handler(stage: Stage, settings: Settings, ports: Ports) -> Handler:
    match stage:
        case Stage.GROUND:
            return GroundHandler(
                envelope_decoder(settings), settings.grounding, ports.clock, settings.default_graph
            )
        case Stage.EXTRACT:
            return ExtractHandler(LanguageExtractor(), ports.clock)
        case _:
            raise ValueError(f"no handler for stage {stage}")
