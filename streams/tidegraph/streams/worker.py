"""Several stages in one process: each a Faust app and consumer group of its own.

A worker stops on request (drained and committed), or with an error when one of its apps has died; what
it had not acknowledged is read again by the next one.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable, Coroutine, Sequence
from typing import Any, Final

from aiokafka import codec  # type: ignore[import-untyped]

from tidegraph.domain.errors import Retryable, TidegraphError
from tidegraph.log.admin import BrokerClass, LogAdmin
from tidegraph.log.status import Stage
from tidegraph.log.topics import Topic
from tidegraph.settings import Settings
from tidegraph.streams.app import StageApp
from tidegraph.streams.runner import Backoff
from tidegraph.streams.setup import Ports, StageRun, build

logger = logging.getLogger(__name__)

_DRAIN_SECONDS: Final = 15.0
_STOP_SECONDS: Final = 20.0
_WATCH_SECONDS: Final = 0.5
_TOPICS_SECONDS: Final = 1.0


class Worker:
    """Runs stages until told to stop.

    Raises from :meth:`run`:
        Rejected: settings or access that trying again will not repair.
        Retryable: WORKER_FAILED, an app died; start again.
    """

    def __init__(self, settings: Settings, stages: Sequence[Stage]) -> None:
        self._settings = settings
        self._stages = tuple(stages)
        self._admin = LogAdmin(settings.kafka)
        self._tasks: list[asyncio.Task[None]] = []

    async def run(self, stop: asyncio.Event, ready: Callable[[], None] = lambda: None) -> None:
        """Run until ``stop``; ``ready`` is called once every stage has joined its group."""
        _check_codecs()
        broker = await self._broker(stop)
        if broker is None:
            return
        logger.info("broker %s%s", broker.cluster_id, " (embedded)" if broker.is_embedded else "")
        async with contextlib.AsyncExitStack() as cleanup:
            ports = await Ports.open(self._settings, self._admin)
            cleanup.push_async_callback(ports.close)
            runs = [await build(stage, self._settings, broker, ports) for stage in self._stages]
            cleanup.push_async_callback(self._stop, runs)
            await self._start(runs, broker)
            logger.info("running %s", ", ".join(self._stages))
            ready()
            await self._watch(runs, stop)

    async def _broker(self, stop: asyncio.Event) -> BrokerClass | None:
        """Wait for the broker and see to its topics; ``None`` when told to stop meanwhile."""
        backoff, attempt = Backoff(), 0
        while not stop.is_set():
            attempt += 1
            try:
                created = await self._admin.declare(self._settings)
                if created:
                    logger.info("created topics %s", ", ".join(created))
                return await self._admin.broker_class()
            except Retryable as error:
                logger.warning("waiting for the broker: %s", error)
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(stop.wait(), backoff.pause(attempt))
        return None

    async def _start(self, runs: Sequence[StageRun], broker: BrokerClass) -> None:
        for run in runs:
            run.app.finalize()
        warm_ups = [asyncio.to_thread(run.warm_up) for run in runs if run.warm_up]
        await asyncio.gather(*(run.app.start() for run in runs), *warm_ups)
        await asyncio.gather(*(run.joined.wait() for run in runs))
        for run in runs:
            for background in run.background:
                self._spawn(background())
        if broker.is_embedded:
            self._spawn(self._keep_topics(runs))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        self._tasks.append(asyncio.create_task(work))

    async def _watch(self, runs: Sequence[StageRun], stop: asyncio.Event) -> None:
        while not stop.is_set():
            for run in runs:
                if run.app.crashed:
                    reason = run.app.crash_reason
                    raise Retryable("WORKER_FAILED", f"stage {run.stage} died: {reason!r}") from reason
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(stop.wait(), _WATCH_SECONDS)

    async def _stop(self, runs: Sequence[StageRun]) -> None:
        """Take nothing new, let what is under way end, commit, leave the groups."""
        for run in runs:
            run.gate.close()
            _pause(run.app)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(
                asyncio.gather(*(run.gate.idle.wait() for run in runs)), timeout=_DRAIN_SECONDS
            )
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        ends = (asyncio.wait_for(run.app.stop(), _STOP_SECONDS) for run in runs)
        for run, result in zip(runs, await asyncio.gather(*ends, return_exceptions=True), strict=True):
            if isinstance(result, BaseException):
                logger.warning("stage %s did not stop cleanly: %r", run.stage, result)

    async def _keep_topics(self, runs: Sequence[StageRun]) -> None:
        """An embedded broker that was restarted has forgotten its topics; what comes has other lives."""
        known: dict[Topic, str] = {}
        while True:
            try:
                if len(await self._admin.partitions(Topic)) < len(Topic):
                    await self._admin.declare(self._settings)
                lives = await self._admin.incarnations(list(Topic))
            except TidegraphError as error:
                logger.debug("the check of the topics waits: %s", error)
            else:
                if known and lives != known:
                    logger.info("the broker has begun anew")
                    for run in runs:
                        run.forget()
                known = lives
            await asyncio.sleep(_TOPICS_SECONDS)


def _check_codecs() -> None:
    """Say at start which records would stop a stage, not only when the first of them comes."""
    known = {"lz4": codec.has_lz4, "snappy": codec.has_snappy, "zstd": codec.has_zstd}
    missing = [name for name, is_there in known.items() if not is_there()]
    if missing:
        logger.warning(
            "records compressed with %s cannot be read: install tidegraph[streams], or let producers "
            "use gzip or none",
            ", ".join(missing),
        )


def _pause(app: StageApp) -> None:
    with contextlib.suppress(Exception):  # it may be between two assignments
        app.consumer.pause_partitions(app.consumer.assignment())
