"""The pipeline on both brokers: the embedded one, and Apache Kafka."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from tests.integration.streams.harness import Broker, Place, place
from tests.integration.streams.kafka_broker import KafkaBroker

from tidegraph.embedded.broker import EmbeddedBroker
from tidegraph.embedded.falkordb import EmbeddedFalkorDB

BROKERS = ["embedded", pytest.param("kafka", marks=pytest.mark.kafka)]


@pytest_asyncio.fixture(scope="session", loop_scope="session", params=BROKERS)
async def broker(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Broker]:
    folder = tmp_path_factory.mktemp("broker")
    running = KafkaBroker(folder) if request.param == "kafka" else EmbeddedBroker(folder)
    try:
        await running.start()
        yield running
    finally:
        await running.stop()


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def store(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[EmbeddedFalkorDB]:
    async with EmbeddedFalkorDB(tmp_path_factory.mktemp("store"), append_fsync="everysec") as running:
        yield running


@pytest_asyncio.fixture(loop_scope="session")
async def here(broker: Broker, store: EmbeddedFalkorDB, tmp_path: Path) -> AsyncIterator[Place]:
    async with place(broker, store, tmp_path) as found:
        yield found
