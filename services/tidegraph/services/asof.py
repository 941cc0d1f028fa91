"""The as-of of a request as the use cases take it."""

from __future__ import annotations

from dataclasses import replace

from google.protobuf.timestamp_pb2 import Timestamp

from tidegraph.api.v1 import types_pb2 as types
from tidegraph.domain.errors import Rejected
from tidegraph.domain.interval import Granularity, Interval
from tidegraph.services.times import from_interval, from_period, from_stamp, read_date
from tidegraph.services.tokens import read_await_token
from tidegraph.services.usecases.moment import AskedTime


def read_as_of(message: types.AsOf) -> AskedTime:
    """What a caller gave. A known time coarser than an instant stands for its end.

    Raises:
        Rejected: INVALID_DATE, INVALID_TIMESTAMP, INVALID_INTERVAL or INVALID_AWAIT_TOKEN; TWO_TIMES, a
            basis and a time beside it.
    """
    awaited = read_await_token(message.await_token) if message.await_token else None
    if message.HasField("basis"):
        if message.WhichOneof("valid") or message.WhichOneof("known"):
            text = "give the basis of an earlier answer, or times, not both"
            raise Rejected("TWO_TIMES", text, field="as_of.basis")
        return replace(_as_then(message.basis), awaited=awaited)
    return AskedTime(valid=_valid(message), known_at=_known(message), awaited=awaited)


def _as_then(basis: types.Basis) -> AskedTime:
    """What an earlier answer's basis asks for. What it does not say is as if not given."""
    return AskedTime(
        valid=from_period(basis.valid, "as_of.basis.valid") if basis.valid_asked else None,
        known_at=from_stamp(basis.known_at, "as_of.basis.known_at") if basis.HasField("known_at") else None,
        now=from_stamp(basis.now_time, "as_of.basis.now_time") if basis.HasField("now_time") else None,
    )


def known_only(stamp: Timestamp | None, text: str, await_token: str = "") -> AskedTime:
    """The as-of of a read that has a known time alone, as Timestamp or as text."""
    awaited = read_await_token(await_token) if await_token else None
    if stamp is not None:
        return AskedTime(known_at=from_stamp(stamp, "known_at"), awaited=awaited)
    return AskedTime(known_at=read_date(text, "known_text").end - 1 if text else None, awaited=awaited)


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
