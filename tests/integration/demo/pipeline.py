"""The demo feed through the real stages into graphs of an embedded store, and the facts back by name."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path

from tidegraph import settings as settings_module
from tidegraph.cli.demo_feed import FeedRecord
from tidegraph.domain.documents import Position
from tidegraph.domain.facts import FactVersion
from tidegraph.domain.interval import OPEN_END
from tidegraph.embedded.stack import Part, Stack
from tidegraph.language.registry import load_registry
from tidegraph.log.producer import KafkaLog
from tidegraph.log.topics import Topic
from tidegraph.ports import DocumentStatus, FactFilter, Visibility
from tidegraph.storage.connection import Connection
from tidegraph.storage.falkor import FalkorStore
from tidegraph.storage.status import RedisStatusStore

DEADLINE_SECONDS = 600.0
POLL_SECONDS = 0.2
ALL = Visibility(OPEN_END - 1, None)


@dataclass(frozen=True, slots=True)
class Pipeline:
    """A running broker, store and worker."""

    log: KafkaLog
    status: RedisStatusStore
    store: FalkorStore

    async def send(self, records: Sequence[FeedRecord]) -> list[DocumentStatus]:
        """Append the records in this order and wait until each has its outcome."""
        positions = [
            await self.log.append(
                Topic.DOCUMENTS, record.key, record.value, record.headers, record.recorded_at
            )
            for record in records
        ]
        async with asyncio.timeout(DEADLINE_SECONDS):
            return await self._ended(positions)

    async def _ended(self, positions: Sequence[Position]) -> list[DocumentStatus]:
        while True:
            found = await self.status.get(positions)
            if len(found) == len(positions) and all(status.outcome for status in found):
                return found
            await asyncio.sleep(POLL_SECONDS)

    async def versions(self, graph: str) -> list[FactVersion]:
        """Every version of the graph, with names in place of entity ids."""
        versions = await self.store.facts(graph, FactFilter(history=True, limit=5_000), ALL)
        ids = {version.subject for version in versions} | {
            version.object for version in versions if version.object_is_entity
        }
        entities = await self.store.entities(graph, sorted(ids))
        names = {entity.entity_id: entity.name for entity in entities}
        return [_named(version, names) for version in versions]


def _named(version: FactVersion, names: dict[str, str]) -> FactVersion:
    named = names[version.object] if version.object_is_entity else version.object
    return replace(version, subject=names[version.subject], object=named)


@asynccontextmanager
async def pipeline(folder: Path) -> AsyncIterator[Pipeline]:
    """Start broker, store and worker in a folder; stop them at the end."""
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith("TIDEGRAPH_")},
        "TIDEGRAPH_DATA_DIR": str(folder),
    }
    parts = frozenset({Part.STORE, Part.BROKER, Part.WORKER})
    settings = settings_module.load(environment)
    async with Stack(settings, environment=environment, parts=parts) as stack:
        where = settings_module.load(
            {
                **environment,
                "TIDEGRAPH_KAFKA_BOOTSTRAP": stack.kafka_bootstrap,
                "TIDEGRAPH_FALKORDB_URL": stack.falkordb_url,
            }
        )
        store = where.store
        connection = Connection(store.url, store.graph_prefix, store.query_timeout_ms)
        async with KafkaLog(where) as log:
            reader = FalkorStore(connection, load_registry(), dimensions=1, model_id="reads only")
            yield Pipeline(log, RedisStatusStore(connection), reader)
        await connection.close()
