"""Writing to the log: every append waits until all in-sync replicas have the record."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator, Sequence
from types import TracebackType
from typing import Any, Final, Self

from confluent_kafka import TIMESTAMP_NOT_AVAILABLE, Consumer, KafkaError, Message, Producer, TopicPartition

from tidegraph.domain.documents import Position
from tidegraph.domain.errors import Retryable
from tidegraph.log.admin import LogAdmin
from tidegraph.log.connection import client_config, typed_error
from tidegraph.log.headers import Headers, with_backfill
from tidegraph.log.topics import Topic, max_record_bytes, topic_name
from tidegraph.ports import LogRecord
from tidegraph.settings import Settings

_DELIVERY_MS: Final = 30_000
_QUEUE_FULL_SECONDS: Final = 0.05
_READ_SECONDS: Final = 0.2
_READ_LIMIT_SECONDS: Final = 30.0
_CLOSE_SECONDS: Final = 10.0


class KafkaLog:
    """The ``Log`` port on Kafka. Use as ``async with KafkaLog(settings) as log``.

    Keys choose partitions as Java clients do (murmur2). ``Position.topic`` is the name of the table
    of topics, without the configured prefix.
    """

    def __init__(self, settings: Settings) -> None:
        self._prefix = settings.kafka.topic_prefix
        self._admin = LogAdmin(settings.kafka)
        self._limit = max_record_bytes(settings)
        self._config = client_config(settings.kafka)
        self._producer = Producer(
            {
                **self._config,
                "acks": "all",
                # A retry must not overtake; idempotence would outlive an embedded broker that forgets.
                "max.in.flight.requests.per.connection": 1,
                "partitioner": "murmur2_random",
                "linger.ms": 5,
                # The one compression that every Python consumer can read without a further library.
                "compression.type": "gzip",
                "message.max.bytes": self._limit,
                "error_cb": self._on_error,
                "delivery.timeout.ms": _DELIVERY_MS,
            }
        )
        self._incarnations: dict[str, str] = {}
        self._partition_counts: dict[Topic, int] = {}
        self._last_offsets: dict[tuple[str, int], int] = {}
        self._closed = threading.Event()
        self._poller = threading.Thread(target=self._poll, name="tidegraph-log", daemon=True)
        self._poller.start()

    async def append(
        self,
        topic: str,
        key: bytes | None,
        value: bytes | None,
        headers: Sequence[tuple[str, bytes]],
        timestamp: int | None,
        partition: int | None = None,
    ) -> Position:
        """Write one record and wait until the broker has it; where it went.

        ``timestamp`` (microseconds) declares a backfill. ``partition`` overrides what the key chooses.

        Raises:
            Retryable: LOG_UNAVAILABLE, TOPIC_MISSING.
            LimitExceeded: RECORD_TOO_LARGE.
            Rejected: LOG_ACCESS_DENIED, LOG_SETTINGS.
        """
        message = await self._delivered(topic, key, value, with_backfill(headers, timestamp), partition)
        return await self._position(topic, message)

    async def write(
        self, topic: Topic, key: bytes, value: bytes | None, headers: Headers, partition: int
    ) -> int:
        """Write one record to a partition and wait until the broker has it; raises as :meth:`append`.

        Returns the time of the record in microseconds: the broker's, where the topic has LogAppendTime.
        """
        message = await self._delivered(topic, key, value, headers, partition)
        return int(message.timestamp()[1]) * 1_000

    async def partition_count(self, topic: Topic) -> int:
        """How many partitions a topic has.

        Raises:
            Retryable: TOPIC_MISSING, LOG_UNAVAILABLE.
        """
        if topic not in self._partition_counts:
            self._partition_counts.update(await self._admin.partitions(Topic))
        count = self._partition_counts.get(topic, 0)
        if not count:
            raise Retryable("TOPIC_MISSING", f"topic {self._prefix}{topic} does not exist")
        return count

    async def read(self, topic: str) -> AsyncIterator[LogRecord]:
        """All records of a topic from its beginning to its present end, partition by partition."""
        name = topic_name(Topic(topic), self._prefix)
        partitions = (await self._admin.partitions([Topic(topic)])).get(Topic(topic), 0)
        consumer = Consumer(
            {
                **self._config,
                "group.id": "tidegraph-read",
                "enable.auto.commit": False,
                "auto.offset.reset": "earliest",
                # The embedded broker's end offsets are wrong, what it says at the end of a fetch is not.
                "enable.partition.eof": True,
                "fetch.message.max.bytes": self._limit,
                "fetch.wait.max.ms": 50,
            }
        )
        try:
            for partition in range(partitions):
                async for record in _to_end(consumer, topic, TopicPartition(name, partition, 0)):
                    yield record
        finally:
            await asyncio.to_thread(consumer.close)

    async def close(self) -> None:
        """Wait for what is under way, then let go of the connections."""
        await asyncio.to_thread(self._producer.flush, _CLOSE_SECONDS)
        self._closed.set()
        await asyncio.to_thread(self._poller.join)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def _delivered(
        self,
        topic: str,
        key: bytes | None,
        value: bytes | None,
        headers: Sequence[tuple[str, bytes]],
        partition: int | None,
    ) -> Message:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Message] = loop.create_future()
        doing = f"writing to {topic}"

        def settle(error: KafkaError | None, message: Message) -> None:
            if future.cancelled():
                return
            if error is not None:
                future.set_exception(typed_error(error, doing))
            else:
                future.set_result(message)

        def delivered(error: KafkaError | None, message: Message) -> None:
            with contextlib.suppress(RuntimeError):  # the loop is gone, and with it who would ask
                loop.call_soon_threadsafe(settle, error, message)

        options: dict[str, Any] = {} if partition is None else {"partition": partition}
        while True:
            try:
                self._producer.produce(
                    topic_name(Topic(topic), self._prefix),
                    key=key,
                    value=value,
                    headers=list(headers),
                    on_delivery=delivered,
                    **options,
                )
                break
            except BufferError:  # the queue of unsent records is full: that is the back-pressure
                await asyncio.sleep(_QUEUE_FULL_SECONDS)
            except Exception as error:
                inner = error.args[0] if error.args else None
                if isinstance(inner, KafkaError):
                    raise typed_error(inner, doing) from error
                raise
        return await future

    async def _position(self, topic: str, message: Message) -> Position:
        partition, offset = int(message.partition() or 0), int(message.offset() or 0)
        if offset <= self._last_offsets.get((topic, partition), -1):
            # Offsets never step back in one life of a topic; concurrent appends may only report late.
            self._incarnations.pop(topic, None)
        self._last_offsets[topic, partition] = offset
        life = self._incarnations.get(topic)  # the poller's thread may forget it at any time
        if life is None:
            life = (await self._admin.incarnations([Topic(topic)]))[Topic(topic)]
            self._incarnations[topic] = life
        return Position(topic, partition, offset, life)

    def _on_error(self, error: KafkaError) -> None:
        """A broker that was away may have come back empty: its topics' ids are asked again."""
        self._incarnations.clear()

    def _poll(self) -> None:
        while not self._closed.is_set():
            self._producer.poll(0.1)


async def _to_end(consumer: Consumer, topic: str, start: TopicPartition) -> AsyncIterator[LogRecord]:
    consumer.assign([start])
    waited = 0.0
    while True:
        message = await asyncio.to_thread(consumer.poll, _READ_SECONDS)
        if message is None:
            waited += _READ_SECONDS
            if waited >= _READ_LIMIT_SECONDS:
                raise Retryable("LOG_UNAVAILABLE", f"reading {topic}: no answer from the broker")
            continue
        waited = 0.0
        error = message.error()
        if error is None:
            yield to_record(topic, message)
        elif error.code() == KafkaError._PARTITION_EOF:
            return
        else:
            raise typed_error(error, f"reading {topic}")


def to_record(topic: str, message: Message) -> LogRecord:
    """A librdkafka message as a record of the named topic."""
    kind, milliseconds = message.timestamp()
    headers: Any = message.headers() or ()
    return LogRecord(
        topic=topic,
        partition=int(message.partition() or 0),
        offset=int(message.offset() or 0),
        timestamp=0 if kind == TIMESTAMP_NOT_AVAILABLE else milliseconds * 1_000,
        key=message.key(),
        value=message.value(),
        headers=tuple((str(name), value or b"") for name, value in headers),
    )
