"""Where ``ingest`` sends to: the log and the statuses of the running service."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from tidegraph.domain.errors import Retryable
from tidegraph.embedded.lock import read_note
from tidegraph.log.admin import LogAdmin
from tidegraph.log.producer import KafkaLog
from tidegraph.log.topics import Topic, topic_name
from tidegraph.ports import Log, StatusStore
from tidegraph.settings import Settings
from tidegraph.storage.connection import Connection
from tidegraph.storage.status import RedisStatusStore


@dataclass(frozen=True, slots=True)
class Target:
    """An open log and, when asked for, the statuses of documents."""

    log: Log
    status: StatusStore | None


def located(settings: Settings) -> Settings:
    """The settings with the addresses of the stack that runs on the data folder, where none are given.

    Raises:
        Retryable: no address is given and no stack runs.
    """
    note = read_note(Path(settings.data_dir).resolve())
    bootstrap = settings.kafka.bootstrap or (note.kafka_bootstrap if note else "")
    if not bootstrap:
        raise Retryable(
            "NOT_RUNNING",
            f"no stack runs on the data folder {settings.data_dir}: start it with `tidegraph up`, or set "
            "TIDEGRAPH_KAFKA_BOOTSTRAP",
        )
    url = settings.store.url or (note.falkordb_url if note else "")
    return replace(
        settings,
        kafka=replace(settings.kafka, bootstrap=bootstrap),
        store=replace(settings.store, url=url),
    )


@asynccontextmanager
async def open_target(settings: Settings, *, needs_status: bool) -> AsyncIterator[Target]:
    """The service that the settings or the data folder name.

    Raises:
        Retryable: it is not running or does not answer.
    """
    where = located(settings)
    await _reach(where)
    async with AsyncExitStack() as cleanup:
        log = await cleanup.enter_async_context(KafkaLog(where))
        status = await _open_status(where, cleanup) if needs_status else None
        yield Target(log, status)


async def _reach(settings: Settings) -> None:
    """Ask for the topic before anything is read: a wrong address shows at once, not after a time-out."""
    try:
        found = await LogAdmin(settings.kafka).partitions([Topic.DOCUMENTS])
    except Retryable:
        raise Retryable(
            "LOG_UNAVAILABLE",
            f"no broker answers at {settings.kafka.bootstrap}: start it or correct TIDEGRAPH_KAFKA_BOOTSTRAP",
        ) from None
    if not found:
        name = topic_name(Topic.DOCUMENTS, settings.kafka.topic_prefix)
        raise Retryable(
            "TOPIC_MISSING",
            f"the broker at {settings.kafka.bootstrap} has no topic {name}: start `tidegraph worker`, which "
            "declares it, or correct TIDEGRAPH_TOPIC_PREFIX",
        )


async def _open_status(settings: Settings, cleanup: AsyncExitStack) -> StatusStore:
    if not settings.store.url:
        raise Retryable("NOT_RUNNING", "--wait needs the statuses: set TIDEGRAPH_FALKORDB_URL")
    store = settings.store
    connection = Connection(store.url, store.graph_prefix, store.query_timeout_ms)
    cleanup.push_async_callback(connection.close)
    await connection.command("PING")
    return RedisStatusStore(connection)
