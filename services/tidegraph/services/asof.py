"""The as-of of a request as the use cases take it."""

from __future__ import annotations

from google.protobuf.timestamp_pb2 import Timestamp

from tidegraph.api.v1 import types_pb2 as types
from tidegraph.domain.interval import Granularity, Interval
from tidegraph.services.times import from_interval, from_stamp, read_date
from tidegraph.services.tokens import read_await_token
from tidegraph.services.usecases.moment import AskedTime


def read_as_of(message: types.AsOf) -> AskedTime:
    """What a caller gave. A known time coarser than an instant stands for its end.

    Raises:
        Rejected: INVALID_DATE, INVALID_TIMESTAMP, INVALID_INTERVAL or INVALID_AWAIT_TOKEN.
    """
    return AskedTime(
        valid=_valid(message),
        known_at=_known(message),
        awaited=read_await_token(message.await_token) if message.await_token else None,
    )


def known_only(stamp: Timestamp | None, text: str) -> AskedTime:
    """The as-of of a read that has a known time alone, as Timestamp or as text."""
    if stamp is not None:
        return AskedTime(known_at=from_stamp(stamp, "known_at"))
    return AskedTime(known_at=read_date(text, "known_text").end - 1 if text else None)


def _valid(message: types.AsOf) -> Interval | None:
    match message.WhichOneof("valid"):
        case "valid_at":
            value = from_stamp(message.valid_at, "as_of.valid_at")
            return Interval(value, value + 1, Granularity.MICROSECOND)
        case "valid_interval":
            return from_interval(message.valid_interval, "as_of.valid_interval")
        case "valid_text":
            return read_date(message.valid_text, "as_of.valid_text")
    return None


def _known(message: types.AsOf) -> int | None:
    match message.WhichOneof("known"):
        case "known_at":
            return from_stamp(message.known_at, "as_of.known_at")
        case "known_text":
            return read_date(message.known_text, "as_of.known_text").end - 1
    return None
