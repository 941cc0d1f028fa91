"""Thin Faust agents: take raw bytes, hand them on, acknowledge last.

No exception may ever leave an agent's body, batches are taken with ``noack_take``, and a batch is
acknowledged whole and in order, after all of it is in the log: docs/adr/0005-faust-without-tables.md.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final

from tidegraph.log.topics import Topic, topic_name
from tidegraph.streams.app import StageApp
from tidegraph.streams.gate import Gate
from tidegraph.streams.intake import Arrival, arrival
from tidegraph.streams.runner import Backoff

logger = logging.getLogger(__name__)

BATCH: Final = 64
WITHIN_SECONDS: Final = 0.05

Process = Callable[[Sequence[Arrival]], Awaitable[None]]


def attach(
    app: StageApp, topics: Sequence[Topic], prefix: str, process: Process, gate: Gate, *, batch: int = BATCH
) -> None:
    """Make the app hand batches of the topics to ``process`` and acknowledge what it has finished."""
    channel = app.topic(
        *(topic_name(topic, prefix) for topic in topics),
        key_type=bytes,
        value_type=bytes,
        key_serializer="raw",
        value_serializer="raw",
        internal=True,
    )

    async def agent(stream: Any) -> None:
        async for events in stream.noack_take(batch, within=WITHIN_SECONDS):
            await gate.enter()
            await hold_until_done(process, [arrival(event.message, prefix) for event in events])
            for event in events:
                await stream.ack(event)
            gate.leave()

    app.agent(channel, name=f"{app.conf.id}.agent", concurrency=1)(agent)


async def hold_until_done(
    process: Process, arrivals: Sequence[Arrival], backoff: Backoff | None = None
) -> None:
    """Process a batch, again and again until it goes through; only cancellation gets out."""
    backoff = backoff or Backoff()
    attempt = 0
    while True:
        try:
            return await process(arrivals)
        except Exception as error:
            attempt += 1
            pause = backoff.pause(attempt)
            logger.warning(
                "a batch of %d is held for %.1f s (attempt %d): %s", len(arrivals), pause, attempt, error
            )
            logger.debug("why the batch is held", exc_info=True)
            await asyncio.sleep(pause)
