"""Datetimes to the timestamps of the API."""

from __future__ import annotations

from datetime import UTC, datetime

from google.protobuf.timestamp_pb2 import Timestamp


def stamp(value: datetime) -> Timestamp:
    """A Timestamp of an aware datetime; a naive one is refused, for it could be any of many instants."""
    if value.tzinfo is None:
        raise ValueError("give a datetime with a time zone")
    made = Timestamp()
    made.FromDatetime(value.astimezone(UTC))
    return made
