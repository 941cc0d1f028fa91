"""What surrounds every stage: retry, dead letter, status; nothing ever leaves it but cancellation.

The caller acknowledges a batch after :meth:`Runner.run` has returned: by then every record of it has
its outputs, or its dead letter, in the log.
"""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final

from tidegraph.domain.errors import Conflicted, LimitExceeded, Rejected, Retryable
from tidegraph.log.deadletter import Failure, letter
from tidegraph.log.status import Outcome
from tidegraph.ports import Clock
from tidegraph.streams.flow import Handler, Input, Result, Sink, Subject, status_line
from tidegraph.streams.holds import let_go
from tidegraph.telemetry import metrics

logger = logging.getLogger(__name__)

CONCURRENCY: Final = 4
"""Records of different keys that a stage handles side by side, unless told otherwise."""
BUG_ATTEMPTS: Final = 3
"""How often a failure of ours is tried again before it is buried: some are races."""
_HEADERS_KEPT: Final = 30
_HEADER_BYTES_KEPT: Final = 32 * 1024
"""What a dead letter keeps of headers where the whole record is too large for one."""
_OVERSIZED: Final = b"tidegraph: the record is larger than a dead letter may be"


@dataclass(frozen=True, slots=True)
class Backoff:
    """Pauses between attempts: doubling, capped, with jitter so that workers do not march in step."""

    first_seconds: float = 0.1
    cap_seconds: float = 15.0

    def pause(self, attempt: int, asked_seconds: float = 0.0) -> float:
        """Seconds before attempt ``attempt + 1``; ``asked_seconds`` is the least that an error asks for."""
        bound = min(self.cap_seconds, self.first_seconds * float(1 << min(attempt, 16)))
        jittered = bound * (0.5 + random.random() / 2)  # noqa: S311 - not for secrets
        return min(self.cap_seconds, max(jittered, asked_seconds if attempt > 1 else 0.0))


class Scribe:
    """Writes what came of a record, however long the log is away."""

    def __init__(
        self,
        stage: str,
        sink: Sink,
        clock: Clock,
        *,
        backoff: Backoff | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self.stage = stage
        self.sink = sink
        self._clock = clock
        self._backoff = backoff or Backoff()
        self._sleep = sleep

    def now(self) -> int:
        """The present time of the stage's clock."""
        return self._clock.now()

    async def put(self, result: Result) -> None:
        """Status lines first, then outputs.

        Raises:
            LimitExceeded: an output is larger than its topic takes.
        """
        await self.persist(lambda: self.sink.tell(result.statuses))
        await self.persist(lambda: self.sink.write(result.outputs))

    async def bury(self, item: Input, subject: Subject, error: BaseException, *, expected: bool) -> None:
        """The record's dead letter, and its status; an unexpected error goes with its trace."""
        now = self._clock.now()
        failure = Failure(
            record=item.record,
            incarnation=item.incarnation,
            stage=self.stage,
            error=error,
            graph=subject.graph,
            document_id=subject.document_id,
            failed_at=now,
            origin=subject.position,
        )
        key, value, headers = letter(failure, expected)
        try:
            await self.persist(lambda: self.sink.bury(key, value, headers))
        except LimitExceeded:
            # A sender's key or header may be what is too large: no record may hold its partition up.
            small = [(name, each) for name, each in headers if len(each) <= _HEADER_BYTES_KEPT]
            await self.persist(lambda: self.sink.bury(key, _OVERSIZED, small[-_HEADERS_KEPT:]))
        cause = f"{failure.reason}: {error.args[0] if error.args else ''}"
        line = status_line(subject, self.stage, now, outcome=Outcome.DEAD_LETTER, cause=cause)
        await self.persist(lambda: self.sink.tell((line, *let_go(item))))
        metrics.STAGE_RECORDS.labels(self.stage, "dead_letter").inc()

    async def persist(self, write: Callable[[], Awaitable[None]]) -> None:
        """Write to the log until it has the records.

        Raises:
            LimitExceeded: a record is too large; nothing else.
        """
        attempt = 0
        while True:
            attempt += 1
            try:
                return await write()
            except LimitExceeded:
                raise
            except Exception as error:
                # Refused access and wrong settings are the operator's to repair: hold, and say so.
                await self.wait(error, attempt)

    async def wait(self, error: Exception, attempt: int) -> None:
        """Pause before the next attempt; long waits are told to the operator."""
        metrics.STAGE_WAITS.labels(self.stage).inc()
        asked = error.retry_after_seconds if isinstance(error, Retryable) else 0.0
        pause = self._backoff.pause(attempt, asked)
        level = logging.WARNING if attempt in (3, 10) or attempt % 60 == 0 else logging.DEBUG
        logger.log(level, "%s waits %.1f s (attempt %d): %s", self.stage, pause, attempt, error)
        await self._sleep(pause)


class Runner:
    """Runs one stage over batches.

    Records of one key are handled in order, different keys side by side up to ``concurrency``.
    """

    def __init__(self, handler: Handler, scribe: Scribe, *, concurrency: int = CONCURRENCY) -> None:
        self._handler = handler
        self._scribe = scribe
        self._limit = asyncio.Semaphore(concurrency)

    async def run(self, batch: Sequence[Input]) -> None:
        """Handle a batch; returns when each record has come to its end in the log."""
        lanes: dict[object, list[Input]] = {}
        for item in batch:
            key = item.record.key
            lanes.setdefault((item.record.topic, key if key is not None else id(item)), []).append(item)
        async with asyncio.TaskGroup() as group:
            for lane in lanes.values():
                group.create_task(self._lane(lane))

    async def _lane(self, items: Sequence[Input]) -> None:
        async with self._limit:
            for item in items:
                await self._one(item)

    async def _one(self, item: Input) -> None:
        try:
            await self._scribe.put(await self._settled(item))
            metrics.STAGE_RECORDS.labels(self._handler.stage, "done").inc()
        except Rejected as error:
            await self._scribe.bury(item, self._handler.subject(item), error, expected=True)
        except Exception as error:  # a bug of ours must not stop the stream
            logger.exception("%s failed on %s", self._handler.stage, item.position)
            await self._scribe.bury(item, self._handler.subject(item), error, expected=False)

    async def _settled(self, item: Input) -> Result:
        """The stage's result; waits out what can be waited out."""
        attempt = 0
        while True:
            attempt += 1
            try:
                return await self._handler.handle(item)
            except Rejected:
                raise
            except Exception as error:
                is_ours = not isinstance(error, Retryable | Conflicted)
                if is_ours and attempt >= BUG_ATTEMPTS:
                    raise
                await self._scribe.wait(error, attempt)
