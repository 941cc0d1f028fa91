"""One set of Kafka settings for every client, what kind of broker answers, and typed errors."""

from __future__ import annotations

import functools
import ssl
from typing import Any, Final, TypeVar

from confluent_kafka import KafkaError, KafkaException

from tidegraph.domain.errors import LimitExceeded, Rejected, Retryable, TidegraphError
from tidegraph.settings import KafkaSettings

T = TypeVar("T")

_DENIED: Final = frozenset(
    {
        KafkaError.TOPIC_AUTHORIZATION_FAILED,
        KafkaError.GROUP_AUTHORIZATION_FAILED,
        KafkaError.CLUSTER_AUTHORIZATION_FAILED,
        KafkaError.SASL_AUTHENTICATION_FAILED,
        KafkaError._AUTHENTICATION,
    }
)
_TOO_LARGE: Final = frozenset({KafkaError.MSG_SIZE_TOO_LARGE, KafkaError.RECORD_LIST_TOO_LARGE})
_MISSING: Final = frozenset(
    {KafkaError.UNKNOWN_TOPIC_OR_PART, KafkaError._UNKNOWN_TOPIC, KafkaError._UNKNOWN_PARTITION}
)
_SETTINGS: Final = frozenset(
    {KafkaError._INVALID_ARG, KafkaError.INVALID_CONFIG, KafkaError.POLICY_VIOLATION}
)


def client_config(kafka: KafkaSettings) -> dict[str, Any]:
    """What every librdkafka client is given; the names are those of Kafka itself.

    Raises:
        Rejected: NO_BROKER, no address is configured.
    """
    if not kafka.bootstrap:
        raise Rejected(
            "NO_BROKER",
            "no Kafka broker is configured: set TIDEGRAPH_KAFKA_BOOTSTRAP, or start `tidegraph up`",
        )
    config: dict[str, Any] = {
        "bootstrap.servers": kafka.bootstrap,
        "security.protocol": kafka.security_protocol,
        "client.id": "tidegraph",
        # A broker that is away is reported by the calls that need it, as typed errors.
        "log_level": 0,
        "log.connection.close": False,
    }
    if kafka.sasl_mechanism:
        config["sasl.mechanism"] = kafka.sasl_mechanism
        config["sasl.username"] = kafka.sasl_username
        config["sasl.password"] = kafka.sasl_password
    if kafka.ssl_ca_file:
        config["ssl.ca.location"] = kafka.ssl_ca_file
    return config


@functools.lru_cache(maxsize=4)
def tls_context(ca_file: str) -> ssl.SSLContext:
    """The TLS context of asyncio clients: verified, with host names checked."""
    return ssl.create_default_context(cafile=ca_file or None)


def typed_error(error: KafkaError, doing: str) -> TidegraphError:
    """A librdkafka error as one of ours, by what to do about it."""
    code = error.code()
    text = f"{doing}: {error.str()}"
    if code in _TOO_LARGE:
        return LimitExceeded(
            "RECORD_TOO_LARGE", f"{text}; the broker's max.message.bytes is smaller than needed"
        )
    if code in _DENIED:
        return Rejected("LOG_ACCESS_DENIED", f"{text}; check the credentials and the ACLs of the topic")
    if code in _SETTINGS:
        return Rejected("LOG_SETTINGS", text)
    if code in _MISSING:
        return Retryable("TOPIC_MISSING", f"{text}; the topic does not exist, start a worker or create it")
    return Retryable("LOG_UNAVAILABLE", text)


def typed_exception(exception: KafkaException, doing: str) -> TidegraphError:
    """The same for an exception that wraps such an error."""
    inner = exception.args[0] if exception.args else None
    if isinstance(inner, KafkaError):
        return typed_error(inner, doing)
    return Retryable("LOG_UNAVAILABLE", f"{doing}: {exception}")
