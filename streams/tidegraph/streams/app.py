"""A Faust app for one stage: the settings that the stage recipe needs, by class of broker."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final, cast

import faust
from aiokafka import AIOKafkaConsumer  # type: ignore[import-untyped]
from aiokafka import TopicPartition as KafkaPartition
from faust.transport.drivers import aiokafka as driver
from faust.types import TP

from tidegraph.log.admin import BrokerClass
from tidegraph.log.connection import tls_context
from tidegraph.log.topics import max_record_bytes
from tidegraph.settings import KafkaSettings, Settings

_EMBEDDED_FETCH_WAIT_MS: Final = 50
"""The embedded broker does not wake a waiting fetch when a record arrives."""
_EMBEDDED: Final[dict[str, Any]] = {
    "broker_session_timeout": 6.0,  # it holds a join for half of this
    "broker_heartbeat_interval": 2.0,
    "broker_commit_interval": 1.0,
    "broker_max_poll_records": 200,
    "stream_buffer_maxsize": 128,
}
_KAFKA: Final[dict[str, Any]] = {
    "broker_session_timeout": 15.0,  # after a crash a partition waits this long for its next worker
    "broker_heartbeat_interval": 3.0,
    "broker_commit_interval": 2.0,
    "broker_max_poll_records": 500,
    "stream_buffer_maxsize": 256,
}
_PROCESSING_SECONDS: Final = 600.0
_NEVER_SECONDS: Final = 7 * 86_400.0
"""A record may wait for a store or a model that is away; that is not a hung consumer."""


class _ConsumerThread(driver.AIOKafkaConsumerThread):
    """Faust's consumer with a fetch wait of our own, and the time of the last fetch."""

    def _create_worker_consumer(self, transport: driver.Transport) -> AIOKafkaConsumer:
        consumer = super()._create_worker_consumer(transport)
        wait_ms = cast(StageApp, self.app).fetch_wait_ms
        if wait_ms:
            consumer._fetch_max_wait_ms = wait_ms
        return consumer

    def fetched_at(self, partition: TP) -> float:
        """When the broker last answered a fetch of the partition: seconds since 1970; 0 for never."""
        milliseconds = self._ensure_consumer().last_poll_timestamp(_plain(partition))
        return float(milliseconds or 0) / 1_000.0

    async def committed(self, partition: TP) -> int:
        """The group's offset of the partition, or 0."""
        offset = await self.call_thread(self._ensure_consumer().committed, _plain(partition))
        return int(offset or 0)


class _Consumer(driver.Consumer):
    def _new_consumer_thread(self) -> driver.AIOKafkaConsumerThread:
        return _ConsumerThread(self, loop=self.loop, beacon=self.beacon)

    async def commit_and_end_transactions(self) -> None:
        """Commit what is acknowledged by now.

        Where a commit is under way, Faust waits for it and leaves it at that: what was acknowledged since it
        began would be read again by the next worker.
        """
        while await self.maybe_wait_for_commit_to_finish():
            pass
        await super().commit_and_end_transactions()


class _Transport(driver.Transport):
    Consumer = _Consumer


class StageApp(faust.App):
    """A Faust app without tables, transactions, web server or topics of its own."""

    fetch_wait_ms: int = 0

    def _new_transport(self) -> Any:
        return _Transport(self.conf.broker_consumer, self)

    def fetched_at(self, partition: TP) -> float:
        """When the broker last answered a fetch of the partition: seconds since 1970; 0 for never."""
        return self._thread.fetched_at(partition)

    async def start_of(self, partition: TP) -> int:
        """Where this group begins to read the partition: its committed offset, or where the log begins."""
        committed = await self._thread.committed(partition)
        return max(committed, await self.log_start(partition))

    async def log_start(self, partition: TP) -> int:
        """The first offset that the log still has."""
        return int((await self.consumer.earliest_offsets(partition))[partition])

    def assigned(self) -> set[TP]:
        """The partitions that this worker has."""
        return set(self.consumer.assignment())

    async def position(self, partition: TP) -> int:
        """The offset that is fetched next."""
        return int(await self.consumer.position(partition) or 0)

    async def rewind(self, partition: TP, offset: int) -> None:
        """Fetch from ``offset`` on; what is under way from before may still arrive first."""
        await self.consumer.seek_wait({partition: offset})

    @property
    def _thread(self) -> _ConsumerThread:
        return cast(_ConsumerThread, cast(_Consumer, self.consumer)._thread)


def _plain(partition: TP) -> KafkaPartition:
    return KafkaPartition(partition.topic, partition.partition)


def group_id(kafka: KafkaSettings, stage: str) -> str:
    """The app id of a stage, which is its consumer group."""
    return f"{kafka.topic_prefix}{stage}"


def make_app(settings: Settings, stage: str, broker: BrokerClass) -> StageApp:
    """The app of one stage; it declares no topics and starts no server."""
    profile = _EMBEDDED if broker.is_embedded else _KAFKA
    limit = max_record_bytes(settings)
    folder = Path(settings.data_dir) / "streams"
    folder.mkdir(parents=True, exist_ok=True)
    options: dict[str, Any] = {
        **profile,
        "broker": [f"kafka://{address.strip()}" for address in settings.kafka.bootstrap.split(",")],
        "broker_credentials": _credentials(settings.kafka),
        "broker_rebalance_timeout": 60.0,
        "broker_max_poll_interval": _NEVER_SECONDS,
        "stream_wait_empty": False,  # for loops that acknowledge by hand, and only for them
        "stream_processing_timeout": _PROCESSING_SECONDS,
        "stream_recovery_delay": 0.0,
        "producer_acks": -1,
        "producer_max_request_size": limit,
        "consumer_max_fetch_size": limit,
        "consumer_auto_offset_reset": "earliest",
        "topic_allow_declare": False,
        "topic_disable_leader": True,
        "table_standby_replicas": 0,
        "web_enabled": False,
        "datadir": str(folder),
        "autodiscover": False,
        "value_serializer": "raw",
        "key_serializer": "raw",
        "logging_config": None,
    }
    app = StageApp(group_id(settings.kafka, stage), **options)
    app.fetch_wait_ms = _EMBEDDED_FETCH_WAIT_MS if broker.is_embedded else 0
    return app


def _credentials(kafka: KafkaSettings) -> Any:
    tls = tls_context(kafka.ssl_ca_file) if kafka.security_protocol.endswith("SSL") else None
    if kafka.security_protocol.startswith("SASL"):
        return faust.SASLCredentials(
            username=kafka.sasl_username,
            password=kafka.sasl_password,
            mechanism=kafka.sasl_mechanism or "PLAIN",
            ssl_context=tls,
        )
    return faust.SSLCredentials(tls) if tls is not None else None
