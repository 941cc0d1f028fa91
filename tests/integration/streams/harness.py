"""A broker, a store and a worker process for the pipeline tests."""

from __future__ import annotations

import asyncio
import itertools
import os
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Protocol

from tidegraph import settings as settings_module
from tidegraph.domain.documents import Position
from tidegraph.embedded.falkordb import EmbeddedFalkorDB
from tidegraph.embedded.notify import VARIABLE, ReadinessSocket
from tidegraph.embedded.process import Child, ChildSpec
from tidegraph.log.admin import LogAdmin
from tidegraph.log.producer import KafkaLog
from tidegraph.ports import DocumentStatus
from tidegraph.settings import Settings
from tidegraph.storage.connection import Connection
from tidegraph.storage.status import RedisStatusStore

DEADLINE_SECONDS: Final = 150.0
POLL_SECONDS: Final = 0.1
GRAPH: Final = "default"
_runs = itertools.count(1)


class Broker(Protocol):
    """The embedded broker and Apache Kafka alike."""

    @property
    def bootstrap(self) -> str: ...

    @property
    def child(self) -> Child: ...

    async def start(self) -> None: ...

    async def stop(self) -> None: ...

    async def restart(self) -> None: ...


@dataclass(slots=True)
class Place:
    """Topics and graphs of one test on a shared broker and store."""

    broker: Broker
    store: EmbeddedFalkorDB
    folder: Path
    settings: Settings
    log: KafkaLog
    status: RedisStatusStore

    @asynccontextmanager
    async def worker(self, *stages: str, **variables: str) -> AsyncIterator[Child]:
        """A worker process that has joined its groups; ``variables`` are of its environment."""
        child = await self.start_worker(*stages, **variables)
        try:
            yield child
        finally:
            await child.stop()

    async def start_worker(self, *stages: str, **variables: str) -> Child:
        """The same, without a stop; ``variables`` are of its environment."""
        readiness = ReadinessSocket()
        chosen = [part for stage in stages or ("all",) for part in ("--stage", stage)]
        child = Child(
            ChildSpec(
                name="worker",
                command=(sys.executable, "-m", "tidegraph.cli.main", "worker", *chosen),
                log_file=self.folder / f"worker-{next(_runs)}.log",
                environment={**environment(self.settings), **variables, VARIABLE: readiness.address},
            )
        )
        try:
            await child.start()
            await child.ready(readiness.is_ready, DEADLINE_SECONDS)
        finally:
            readiness.close()
        return child

    async def ended(
        self, positions: Sequence[Position], seconds: float = DEADLINE_SECONDS
    ) -> list[DocumentStatus]:
        """The statuses of the positions, once each has an outcome."""
        found: list[DocumentStatus] = []

        async def all_ended() -> bool:
            nonlocal found
            found = await self.status.get(positions)
            return len(found) == len(positions) and all(each.outcome for each in found)

        try:
            await until(all_ended, seconds)
        except TimeoutError:
            open_ones = [each for each in found if not each.outcome]
            raise AssertionError(
                f"{len(positions) - len(found)} unknown, {len(open_ones)} without an outcome: {open_ones[:3]}"
            ) from None
        return found


def environment(settings: Settings) -> dict[str, str]:
    """The environment variables that give a child these settings."""
    return {
        "TIDEGRAPH_DATA_DIR": settings.data_dir,
        "TIDEGRAPH_KAFKA_BOOTSTRAP": settings.kafka.bootstrap,
        "TIDEGRAPH_TOPIC_PREFIX": settings.kafka.topic_prefix,
        "TIDEGRAPH_FALKORDB_URL": settings.store.url,
        "TIDEGRAPH_GRAPH_PREFIX": settings.store.graph_prefix,
        "TIDEGRAPH_LOG_LEVEL": "INFO",
        "PYTHONPATH": os.environ.get("PYTHONPATH", ""),
    }


@asynccontextmanager
async def place(broker: Broker, store: EmbeddedFalkorDB, folder: Path) -> AsyncIterator[Place]:
    """A place of its own: prefixes that no other test uses."""
    name = f"t{os.getpid()}-{next(_runs)}"
    base = settings_module.load({"TIDEGRAPH_DATA_DIR": str(folder / "data")})
    settings = replace(
        base,
        kafka=replace(base.kafka, bootstrap=broker.bootstrap, topic_prefix=f"{name}."),
        store=replace(base.store, url=store.url, graph_prefix=f"{name}:"),
    )
    connection = Connection(store.url, settings.store.graph_prefix, settings.store.query_timeout_ms)
    await LogAdmin(settings.kafka).declare(settings)
    async with KafkaLog(settings) as log:
        try:
            yield Place(broker, store, folder, settings, log, RedisStatusStore(connection))
        finally:
            await connection.close()


async def until(holds: Callable[[], Awaitable[bool]], seconds: float = DEADLINE_SECONDS) -> None:
    """Wait until a state of other processes holds."""
    async with asyncio.timeout(seconds):
        while not await holds():  # noqa: ASYNC110 - other processes have no event to await
            await asyncio.sleep(POLL_SECONDS)
