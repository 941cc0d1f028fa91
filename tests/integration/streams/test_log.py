"""The producer and the admin against a broker that speaks Kafka's protocol."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tidegraph import settings
from tidegraph.domain.errors import LimitExceeded, Rejected, Retryable
from tidegraph.embedded import EmbeddedBroker
from tidegraph.log.admin import LogAdmin
from tidegraph.log.headers import BACKFILL
from tidegraph.log.keys import join_key, partition_of
from tidegraph.log.producer import KafkaLog
from tidegraph.log.topics import Topic


@pytest.fixture
async def broker(tmp_path: Path) -> AsyncIterator[EmbeddedBroker]:
    async with EmbeddedBroker(tmp_path) as running:
        yield running


def _settings(broker: EmbeddedBroker, **extra: str) -> settings.Settings:
    return settings.load({"TIDEGRAPH_KAFKA_BOOTSTRAP": broker.bootstrap, **extra})


async def test_appended_records_are_read_back_in_order(broker: EmbeddedBroker) -> None:
    configured = _settings(broker)
    await LogAdmin(configured.kafka).declare(configured)
    async with KafkaLog(configured) as log:
        keys = [join_key("g", str(n % 7)) for n in range(200)]
        placed = await asyncio.gather(
            *(log.append("documents", k, str(n).encode(), [("h", b"\xff")], None) for n, k in enumerate(keys))
        )
        records = [record async for record in log.read("documents")]
    assert [p.partition for p in placed] == [partition_of(k, configured.kafka.partitions) for k in keys]
    assert len({(p.partition, p.offset) for p in placed}) == 200
    assert {(r.partition, r.offset): (r.key, r.value) for r in records} == {
        (p.partition, p.offset): (k, str(n).encode())
        for n, (p, k) in enumerate(zip(placed, keys, strict=True))
    }
    assert {r.headers for r in records} == {(("h", b"\xff"),)}
    for partition in range(configured.kafka.partitions):
        offsets = [r.offset for r in records if r.partition == partition]
        assert offsets == sorted(offsets)


async def test_null_values_backfill_and_chosen_partition(broker: EmbeddedBroker) -> None:
    configured = _settings(broker)
    await LogAdmin(configured.kafka).declare(configured)
    async with KafkaLog(configured) as log:
        placed = await log.append("documents", b"k", None, [], 1_600_000_000_000_000, partition=3)
        [record] = [r async for r in log.read("documents")]
    assert (placed.topic, placed.partition, record.value) == ("documents", 3, None)
    assert record.headers == ((BACKFILL, b"1600000000000000"),)


async def test_topics_are_declared_once_with_their_configuration(broker: EmbeddedBroker) -> None:
    configured = _settings(broker, TIDEGRAPH_TOPIC_PARTITIONS="3")
    admin = LogAdmin(configured.kafka)
    assert sorted(await admin.declare(configured)) == sorted(Topic)
    assert await admin.declare(configured) == []
    assert await admin.partitions(Topic) == dict.fromkeys(Topic, 3)
    assert (await admin.broker_class()).is_embedded


async def test_a_broker_that_starts_empty_is_another_life(broker: EmbeddedBroker) -> None:
    configured = _settings(broker)
    admin = LogAdmin(configured.kafka)
    await admin.declare(configured)
    before = await admin.incarnations([Topic.DOCUMENTS, Topic.RESOLVED])
    assert await admin.incarnations([Topic.DOCUMENTS, Topic.RESOLVED]) == before
    async with KafkaLog(configured) as log:
        first = await log.append("documents", b"k", b"v", [], None)
        await broker.stop()
        await broker.restart()
        await admin.declare(configured)
        second = await log.append("documents", b"k", b"v", [], None)
    after = await admin.incarnations([Topic.DOCUMENTS, Topic.RESOLVED])
    assert set(before.values()).isdisjoint(after.values())
    assert (first.offset, second.offset) == (0, 0)
    assert (first.incarnation, second.incarnation) == (before[Topic.DOCUMENTS], after[Topic.DOCUMENTS])


async def test_errors_say_what_to_do(broker: EmbeddedBroker) -> None:
    configured = _settings(broker, TIDEGRAPH_MAX_DOCUMENT_BYTES="1000")
    admin = LogAdmin(configured.kafka)
    with pytest.raises(Retryable) as missing:
        await admin.incarnations([Topic.DOCUMENTS])
    assert missing.value.reason == "TOPIC_MISSING"
    await admin.declare(configured)
    async with KafkaLog(configured) as log:
        with pytest.raises(LimitExceeded):
            await log.append("documents", b"k", b"x" * 2_000_000, [], None)
    with pytest.raises(Rejected) as nowhere:
        KafkaLog(settings.load({}))
    assert nowhere.value.reason == "NO_BROKER"
