"""The whole stack of one machine under one supervisor.

What the settings name is used; what they leave empty is started here: broker, store, worker, server.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import grpc.aio
from grpc_health.v1 import health_pb2, health_pb2_grpc  # type: ignore[import-untyped]

from tidegraph.domain.errors import Retryable
from tidegraph.embedded.broker import FORGETS_NOTICE, EmbeddedBroker
from tidegraph.embedded.falkordb import EmbeddedFalkorDB
from tidegraph.embedded.lock import DataDirLock, RunningStack, remove_note, write_note
from tidegraph.embedded.network import free_port
from tidegraph.embedded.notify import VARIABLE, ReadinessSocket
from tidegraph.embedded.process import Child, ChildSpec
from tidegraph.settings import Settings
from tidegraph.storage.connection import shown_url

_WORKER_READY_SECONDS: Final = 120.0
_SERVER_READY_SECONDS: Final = 120.0
_WORKER_GRACE_SECONDS: Final = 40.0
_SERVER_GRACE_SECONDS: Final = 20.0


class Part(StrEnum):
    """What a stack consists of, in the order of starting."""

    STORE = "falkordb"
    BROKER = "broker"
    WORKER = "worker"
    SERVER = "server"


@dataclass(frozen=True, slots=True)
class StackEvent:
    """Something to tell the operator. ``what`` is notice, starting, ready, external, stopped or crashed."""

    what: str
    part: str
    text: str


Listener = Callable[[StackEvent], None]


def _ignore(_: StackEvent) -> None:
    return None


class Stack:
    """Use as ``async with Stack(settings) as running``; leaving the block stops all in reverse order.

    Children read their settings from ``environment`` (default: that of this process), completed by
    the addresses chosen here. The children end with the thread that started them, whatever ends it.

    Raises on entry:
        Rejected: DATA_DIR_IN_USE, another stack runs on the data folder.
        Retryable: a part ended or did not answer; with the last lines of its log.
    """

    def __init__(
        self,
        settings: Settings,
        *,
        events: Listener = _ignore,
        parts: frozenset[Part] = frozenset(Part),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._settings = settings
        self._tell = events
        self._parts = parts
        self._environment = dict(os.environ if environment is None else environment)
        self._data_dir = Path(settings.data_dir).resolve()
        self._lock = DataDirLock(self._data_dir)
        self._cleanup = contextlib.AsyncExitStack()
        self._watchers: dict[Part, asyncio.Task[None]] = {}
        self._children: dict[Part, Child] = {}
        self._failure: asyncio.Future[Retryable] | None = None
        self._broker: EmbeddedBroker | None = None
        self._store: EmbeddedFalkorDB | None = None
        self._server_port = 0

    @property
    def kafka_bootstrap(self) -> str:
        return self._broker.bootstrap if self._broker else self._settings.kafka.bootstrap

    @property
    def falkordb_url(self) -> str:
        return self._store.url if self._store else self._settings.store.url

    @property
    def grpc_address(self) -> str:
        return f"{self._settings.server.host}:{self._server_port}" if self._server_port else ""

    @property
    def data_dir(self) -> Path:
        return self._data_dir

    def child(self, part: Part) -> Child:
        """The process of an embedded part; KeyError when it is not run here."""
        return self._children[part]

    async def wait_failed(self) -> Retryable:
        """Wait until a part ends by itself; the error names it, with the last lines of its log."""
        assert self._failure is not None
        return await asyncio.shield(self._failure)

    async def restart(self, part: Part) -> None:
        """Start a part anew on its old address, stopping it first if it still runs."""
        if part is Part.STORE and self._store:
            await self._store.stop()
            await self._store.restart()
            self._watch(part, self._store.child)
        elif part is Part.BROKER and self._broker:
            await self._broker.stop()
            await self._broker.restart()
            self._watch(part, self._broker.child)
        else:
            await self._children[part].stop()
            await (self._start_worker() if part is Part.WORKER else self._start_server())

    async def __aenter__(self) -> Self:
        self._failure = asyncio.get_running_loop().create_future()
        try:
            await self._start()
        except BaseException:
            await self._stop()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._stop()

    async def _start(self) -> None:
        await self._lock.acquire()
        self._cleanup.callback(self._lock.release)
        self._cleanup.callback(remove_note, self._data_dir)  # last but one: who waits for it waits for all
        if Part.STORE in self._parts:
            await self._start_store()
        if Part.BROKER in self._parts:
            await self._start_broker()
        if Part.WORKER in self._parts:
            self._cleanup.push_async_callback(self._stop_child, Part.WORKER)
            await self._start_worker()
        if Part.SERVER in self._parts:
            self._cleanup.push_async_callback(self._stop_child, Part.SERVER)
            await self._start_server()
        write_note(
            self._data_dir,
            RunningStack(os.getpid(), self.kafka_bootstrap, self.falkordb_url, self.grpc_address),
        )

    async def _stop(self) -> None:
        for watcher in self._watchers.values():
            watcher.cancel()
        await self._cleanup.aclose()

    async def _start_store(self) -> None:
        if self._settings.store.url:
            self._tell(
                StackEvent("external", Part.STORE, f"FalkorDB at {shown_url(self._settings.store.url)}")
            )
            return
        self._tell(StackEvent("starting", Part.STORE, f"data in {self._data_dir / 'falkordb'}"))
        self._store = EmbeddedFalkorDB(
            self._data_dir,
            query_timeout_ms=self._settings.store.query_timeout_ms,
            inherited=(self._lock.descriptor,),
        )
        self._cleanup.push_async_callback(self._stop_child, Part.STORE)
        await self._store.start()
        self._watch(Part.STORE, self._store.child)
        self._tell(StackEvent("ready", Part.STORE, self._store.url))

    async def _start_broker(self) -> None:
        if self._settings.kafka.bootstrap:
            self._tell(StackEvent("external", Part.BROKER, f"Kafka at {self._settings.kafka.bootstrap}"))
            return
        self._tell(StackEvent("notice", Part.BROKER, FORGETS_NOTICE))
        self._broker = EmbeddedBroker(self._data_dir)
        self._cleanup.push_async_callback(self._stop_child, Part.BROKER)
        await self._broker.start()
        self._watch(Part.BROKER, self._broker.child)
        self._tell(StackEvent("ready", Part.BROKER, self._broker.bootstrap))

    async def _start_worker(self) -> None:
        self._tell(StackEvent("starting", Part.WORKER, "all stages"))
        readiness = ReadinessSocket()
        try:
            child = self._new_child(
                Part.WORKER,
                ("worker", "--stage", "all"),
                {VARIABLE: readiness.address},
                _WORKER_GRACE_SECONDS,
            )
            await child.start()
            await child.ready(readiness.is_ready, _WORKER_READY_SECONDS)
        finally:
            readiness.close()
        self._watch(Part.WORKER, child)
        self._tell(StackEvent("ready", Part.WORKER, f"process {child.pid}"))

    async def _start_server(self) -> None:
        self._tell(StackEvent("starting", Part.SERVER, "query and ingest service"))
        self._server_port = self._server_port or self._settings.server.port or free_port()
        child = self._new_child(
            Part.SERVER,
            ("serve",),
            {"TIDEGRAPH_PORT": str(self._server_port), **self._server_metrics()},
            _SERVER_GRACE_SECONDS,
        )
        await child.start()
        await child.ready(self._server_answers, _SERVER_READY_SECONDS)
        self._watch(Part.SERVER, child)
        self._tell(StackEvent("ready", Part.SERVER, self.grpc_address))

    def _new_child(
        self, part: Part, arguments: tuple[str, ...], extra: Mapping[str, str], grace: float
    ) -> Child:
        child = Child(
            ChildSpec(
                name=part,
                command=(sys.executable, "-m", "tidegraph.cli.main", *arguments),
                log_file=self._data_dir / "logs" / f"{part}.log",
                environment={
                    **self._environment,
                    "TIDEGRAPH_DATA_DIR": str(self._data_dir),
                    "TIDEGRAPH_KAFKA_BOOTSTRAP": self.kafka_bootstrap,
                    "TIDEGRAPH_FALKORDB_URL": self.falkordb_url,
                    "PYTHONUNBUFFERED": "1",
                    **extra,
                },
                grace_seconds=grace,
            )
        )
        self._children[part] = child
        return child

    def _server_metrics(self) -> dict[str, str]:
        """The server's metrics are offered beside the worker's, at the next port."""
        port = self._settings.metrics.port
        return {"TIDEGRAPH_METRICS_PORT": str(port + 1)} if port else {}

    async def _server_answers(self) -> bool:
        async with grpc.aio.insecure_channel(self.grpc_address) as channel:
            try:
                answer = await health_pb2_grpc.HealthStub(channel).Check(
                    health_pb2.HealthCheckRequest(), timeout=2.0
                )
            except grpc.aio.AioRpcError:
                return False
        return bool(answer.status == health_pb2.HealthCheckResponse.SERVING)

    def _watch(self, part: Part, child: Child) -> None:
        self._children[part] = child
        previous = self._watchers.pop(part, None)
        if previous:
            previous.cancel()
        self._watchers[part] = asyncio.create_task(self._report_end(part, child))

    async def _report_end(self, part: Part, child: Child) -> None:
        await child.wait()
        if child.is_stopping:
            return
        error = child.crash()
        self._tell(StackEvent("crashed", part, str(error.args[0])))
        if self._failure is not None and not self._failure.done():
            self._failure.set_result(error)

    async def _stop_child(self, part: Part) -> None:
        owner = {Part.STORE: self._store, Part.BROKER: self._broker}.get(part)
        child = self._children.get(part)
        if owner is not None:
            await owner.stop()
        elif child is not None:
            await child.stop()
        self._tell(StackEvent("stopped", part, ""))
