"""Names of the record headers, and what is carried from stage to stage."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tidegraph.domain.errors import Rejected

Headers = Sequence[tuple[str, bytes]]

BACKFILL: Final = "tidegraph-backfill"
"""On ``documents``: this record is of an archive; the value is the time (microseconds since 1970, decimal)
at which it was known. It is a header because a topic with LogAppendTime overwrites record timestamps."""
STAGE: Final = "tidegraph-stage"
SCHEMA: Final = "tidegraph-schema"
SCHEMA_VERSION: Final = b"tidegraph.events.v1"
_CARRIED: Final = frozenset({"traceparent", "tracestate", "x-correlation-id"})


def carried(headers: Headers) -> list[tuple[str, bytes]]:
    """The headers of an input record that its outputs keep."""
    return [(name, value) for name, value in headers if name.lower() in _CARRIED]


def stamped(headers: Headers, stage: str) -> list[tuple[str, bytes]]:
    """Headers of an output record: what is carried, which stage made it, which schema it has."""
    return [*carried(headers), (STAGE, stage.encode()), (SCHEMA, SCHEMA_VERSION)]


def first(headers: Headers, name: str) -> str | None:
    """The first value of a header as text, or ``None``."""
    for key, value in headers:
        if key.lower() == name:
            return value.decode("utf-8", "replace")
    return None


def backfill_instant(headers: Headers) -> int | None:
    """The time that a backfill record claims to have been known at, in microseconds.

    Raises:
        Rejected: INVALID_BACKFILL, the value is not a whole number of microseconds since 1970.
    """
    text = first(headers, BACKFILL)
    if text is None:
        return None
    if not text.isascii() or not text.isdigit() or len(text) > 18:
        raise Rejected(
            "INVALID_BACKFILL",
            f"header {BACKFILL} must be microseconds since 1970 as a whole number, not {text[:40]!r}",
        )
    return int(text)


def with_backfill(headers: Headers, timestamp: int | None) -> list[tuple[str, bytes]]:
    """Declare a record whose timestamp is given (microseconds) as a backfill, unless it already is."""
    result = list(headers)
    if timestamp is not None and first(headers, BACKFILL) is None:
        result.append((BACKFILL, str(timestamp).encode()))
    return result
