"""Topic declaration, the identity of a topic's life, and the class of broker."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from confluent_kafka import KafkaError, KafkaException, TopicCollection
from confluent_kafka.admin import AdminClient, ConfigResource  # type: ignore[attr-defined]
from confluent_kafka.cimpl import NewTopic

from tidegraph.domain.errors import Rejected, Retryable
from tidegraph.log.connection import client_config, typed_error, typed_exception
from tidegraph.log.topics import EMBEDDED_CLUSTER_ID, TOPICS, Topic, broker_config, topic_name
from tidegraph.settings import KafkaSettings, Settings

_CALL_SECONDS: Final = 10.0
_ENDLESS_MS: Final = 1 << 62
"""Kafka's default bound of compaction is the largest number there is."""
_NO_ID: Final = "AAAAAAAAAAAAAAAAAAAAAA"
"""The all-zero topic id of a broker that gives none."""


@dataclass(frozen=True, slots=True)
class BrokerClass:
    """What answers: the embedded broker has its own timing, and end offsets that are too low."""

    cluster_id: str
    brokers: int
    is_embedded: bool


class LogAdmin:
    """Administrative calls, off the event loop; the client lives as long as this object."""

    def __init__(self, kafka: KafkaSettings) -> None:
        self._prefix = kafka.topic_prefix
        self._client = AdminClient(client_config(kafka))

    async def broker_class(self) -> BrokerClass:
        """Ask the cluster who it is.

        Raises:
            Retryable: LOG_UNAVAILABLE.
        """
        metadata = await self._call("asking the broker", self._client.list_topics, timeout=_CALL_SECONDS)
        cluster = metadata.cluster_id or ""
        return BrokerClass(cluster, len(metadata.brokers), cluster == EMBEDDED_CLUSTER_ID)

    async def partitions(self, topics: Iterable[Topic]) -> dict[Topic, int]:
        """How many partitions each topic has; topics that do not exist are left out."""
        metadata = await self._call("asking for topics", self._client.list_topics, timeout=_CALL_SECONDS)
        found = {topic: metadata.topics.get(topic_name(topic, self._prefix)) for topic in topics}
        return {topic: len(each.partitions) for topic, each in found.items() if each and not each.error}

    async def declare(self, settings: Settings) -> list[Topic]:
        """Create the topics that do not exist yet; those created. Existing ones are left as they are."""
        existing = await self.partitions(Topic)
        missing = [spec for spec in TOPICS.values() if spec.topic not in existing]
        if not missing:
            return []
        metadata = await self._call("asking the broker", self._client.list_topics, timeout=_CALL_SECONDS)
        replication = min(3, len(metadata.brokers)) or 1
        new = [
            NewTopic(
                topic_name(spec.topic, self._prefix),
                num_partitions=settings.kafka.partitions,
                replication_factor=replication,
                config=broker_config(spec, settings),
            )
            for spec in missing
        ]
        futures = self._client.create_topics(new, request_timeout=_CALL_SECONDS)
        for name, future in futures.items():
            await _created(name, future)
        return [spec.topic for spec in missing]

    async def ages(self, topics: Sequence[Topic]) -> dict[Topic, int | None]:
        """How long the broker keeps a record of each topic that has a successor or is old: milliseconds.

        ``None`` for good: retention without an end, or compaction without a bound. A broker that does not
        tell is taken at the table's word.

        Raises:
            Retryable: LOG_UNAVAILABLE.
        """
        names = {topic_name(topic, self._prefix): topic for topic in topics}
        asked = [ConfigResource(ConfigResource.Type.TOPIC, name) for name in names]
        futures = self._client.describe_configs(asked, request_timeout=_CALL_SECONDS)
        result: dict[Topic, int | None] = {}
        for resource, future in futures.items():
            topic = names[resource.name]
            found = await _settled(f"asking for the settings of {resource.name}", future)
            told = {name: entry.value for name, entry in found.items()}
            spec = TOPICS[topic]
            policy = told.get("cleanup.policy") or spec.cleanup
            name, declared = (
                ("max.compaction.lag.ms", spec.compaction_lag_ms)
                if "compact" in policy
                else ("retention.ms", spec.retention_ms)
            )
            age = int(told.get(name) or declared)
            result[topic] = age if 0 <= age < _ENDLESS_MS else None
        return result

    async def incarnations(self, topics: Sequence[Topic]) -> dict[Topic, str]:
        """The id of the present life of each topic: Kafka's topic id.

        A topic that is deleted and made again, or a broker that starts empty, gives another one.

        Raises:
            Retryable: TOPIC_MISSING, LOG_UNAVAILABLE.
            Rejected: BROKER_TOO_OLD, the broker has no topic ids (Kafka before 2.8).
        """
        names = {topic_name(topic, self._prefix): topic for topic in topics}
        futures = self._client.describe_topics(TopicCollection(list(names)), request_timeout=_CALL_SECONDS)
        result: dict[Topic, str] = {}
        for name, future in futures.items():
            described = await _settled(f"describing {name}", future)
            identity = str(described.topic_id or "")
            if not identity or identity == _NO_ID:
                raise Rejected(
                    "BROKER_TOO_OLD", "the broker gives no topic ids; Kafka 2.8 or later is needed"
                )
            result[names[name]] = identity
        return result

    async def _call(self, doing: str, function: Any, **options: Any) -> Any:
        try:
            return await asyncio.to_thread(function, **options)
        except KafkaException as error:
            raise typed_exception(error, doing) from error


async def _settled(doing: str, future: Any) -> Any:
    try:
        return await asyncio.to_thread(future.result, _CALL_SECONDS + 5.0)
    except KafkaException as error:
        raise typed_exception(error, doing) from error
    except TimeoutError as error:
        raise Retryable("LOG_UNAVAILABLE", f"{doing}: no answer") from error


async def _created(name: str, future: Any) -> None:
    try:
        await asyncio.to_thread(future.result, _CALL_SECONDS + 5.0)
    except KafkaException as error:
        inner = error.args[0]
        if inner.code() != KafkaError.TOPIC_ALREADY_EXISTS:  # another worker was quicker
            raise typed_error(inner, f"creating {name}") from error
    except TimeoutError as error:
        raise Retryable("LOG_UNAVAILABLE", f"creating {name}: no answer") from error
