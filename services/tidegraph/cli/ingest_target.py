"""Where ``ingest`` sends to: the log and the statuses of the running service."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from tidegraph.domain.errors import Retryable
from tidegraph.embedded.lock import read_note
from tidegraph.log.producer import KafkaLog
from tidegraph.ports import Log, StatusStore
from tidegraph.settings import Settings


@dataclass(frozen=True, slots=True)
class Target:
    """An open log and, when asked for, the statuses."""

    log: Log
    status: StatusStore | None


def located(settings: Settings) -> Settings:
    """The settings with the addresses of the stack that runs on the data folder, where none are given.

    Raises:
        Retryable: no address is given and no stack runs.
    """
    if settings.kafka.bootstrap and settings.store.url:
        return settings
    note = read_note(Path(settings.data_dir).resolve())
    if note is None and not settings.kafka.bootstrap:
        raise Retryable(
            "NOT_RUNNING",
            f"no stack runs on the data folder {settings.data_dir}: start it with `tidegraph up`, or set "
            "TIDEGRAPH_KAFKA_BOOTSTRAP",
        )
    bootstrap, url = (note.kafka_bootstrap, note.falkordb_url) if note else ("", "")
    return replace(
        settings,
        kafka=replace(settings.kafka, bootstrap=settings.kafka.bootstrap or bootstrap),
        store=replace(settings.store, url=settings.store.url or url),
    )


@asynccontextmanager
async def open_target(settings: Settings, *, needs_status: bool) -> AsyncIterator[Target]:
    """The service that the settings or the data folder name.

    Raises:
        Retryable: it is not running or does not answer.
    """
    where = located(settings)
    async with KafkaLog(where) as log:
        yield Target(log, None)
