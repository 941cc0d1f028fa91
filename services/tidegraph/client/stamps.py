"""Dates as callers give them, in the fields of the API."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from google.protobuf.timestamp_pb2 import Timestamp

from tidegraph.client.types import Options


def stamp(value: datetime) -> Timestamp:
    """A Timestamp of an aware datetime; a naive one is refused, for it could be any of many instants."""
    if value.tzinfo is None:
        raise ValueError("give a datetime with a time zone")
    made = Timestamp()
    made.FromDatetime(value.astimezone(UTC))
    return made


def set_known(message: Any, options: Options) -> None:
    """Put the known date and the await token into a message that has fields of them."""
    message.await_token = options.await_token
    if isinstance(options.known, datetime):
        message.known_at.CopyFrom(stamp(options.known))
    elif options.known:
        message.known_text = options.known
