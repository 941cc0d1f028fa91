"""Errors of the Kafka client as ours: by what to do about them."""

from __future__ import annotations

import pytest
from confluent_kafka import KafkaError

from tidegraph import settings
from tidegraph.domain.errors import LimitExceeded, Rejected, Retryable, TidegraphError
from tidegraph.log.connection import client_config, typed_error


@pytest.mark.parametrize(
    ("code", "kind", "reason"),
    [
        (KafkaError._TRANSPORT, Retryable, "LOG_UNAVAILABLE"),
        (KafkaError.NOT_LEADER_FOR_PARTITION, Retryable, "LOG_UNAVAILABLE"),
        (KafkaError.UNKNOWN_TOPIC_OR_PART, Retryable, "TOPIC_MISSING"),
        (KafkaError.TOPIC_AUTHORIZATION_FAILED, Rejected, "LOG_ACCESS_DENIED"),
        (KafkaError._AUTHENTICATION, Rejected, "LOG_ACCESS_DENIED"),
        (KafkaError.INVALID_CONFIG, Rejected, "LOG_SETTINGS"),
        (KafkaError.MSG_SIZE_TOO_LARGE, LimitExceeded, "RECORD_TOO_LARGE"),
    ],
)
def test_an_error_of_the_client_by_what_to_do(code: int, kind: type[TidegraphError], reason: str) -> None:
    error = typed_error(KafkaError(code, "as the broker says"), "writing documents")
    assert (type(error), error.reason) == (kind, reason)
    assert "writing documents: as the broker says" in str(error)


def test_no_address_of_a_broker_is_told_with_what_to_set() -> None:
    with pytest.raises(Rejected, match="TIDEGRAPH_KAFKA_BOOTSTRAP") as caught:
        client_config(settings.load({}).kafka)
    assert caught.value.reason == "NO_BROKER"
