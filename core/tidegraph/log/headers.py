"""Names of the record headers, and what is carried from stage to stage."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from tidegraph.domain.errors import Rejected
from tidegraph.domain.interval import EXACT_MICROS_MAX, MICROS_PER_DAY

Headers = Sequence[tuple[str, bytes]]

BACKFILL: Final = "tidegraph-backfill"
"""On ``documents``: this record is of an archive; the value is the time (microseconds since 1970, decimal)
at which it was known. It is a header because a topic with LogAppendTime overwrites record timestamps."""
STAGE: Final = "tidegraph-stage"
DECISION: Final = "tidegraph-decision"
"""On ``resolved``: which decision the record carries, where it is one."""
REEXTRACTED: Final = "tidegraph-reextracted"
"""On ``grounded``: the document is read again; the value is when that was decided (microseconds since 1970,
decimal), from which on the reading counts."""
READ_UNDER: Final = "tidegraph-read-under"
"""With ``REEXTRACTED``: the extractor epochs under which the document was read already, as a JSON array."""
HELD: Final = "tidegraph-held"
"""On what a decision sends through the stages once more: the place in ``status`` that is held for it."""
ERASED: Final = "tidegraph-erased"
"""On ``extracted``: an erasure wrote the record over another one; the value is JSON, the id of the decision,
the document, and where it entered (topic, partition, offset, incarnation)."""
SCHEMA: Final = "tidegraph-schema"
SCHEMA_VERSION: Final = b"tidegraph.events.v1"
_WHOLE_NUMBER: Final = re.compile(r"-?[0-9]{1,18}", re.ASCII)
_CARRIED: Final = frozenset({"traceparent", "tracestate", "x-correlation-id"})


def carried(headers: Headers) -> list[tuple[str, bytes]]:
    """The headers of an input record that its outputs keep."""
    return [(name, value) for name, value in headers if name.lower() in _CARRIED]


def stamped(headers: Headers, stage: str) -> list[tuple[str, bytes]]:
    """Headers of an output record: what is carried, which stage made it, which schema it has."""
    return [*carried(headers), (STAGE, stage.encode()), (SCHEMA, SCHEMA_VERSION)]


def held(headers: Headers) -> list[tuple[str, bytes]]:
    """The place that is held for a record until it has come to its end, where there is one."""
    return [(name, value) for name, value in headers if name.lower() == HELD]


def first(headers: Headers, name: str) -> str | None:
    """The first value of a header as text, or ``None``."""
    for key, value in headers:
        if key.lower() == name:
            return value.decode("utf-8", "replace")
    return None


def backfill_instant(headers: Headers) -> int | None:
    """The time that a backfill record claims to have been known at, in microseconds.

    It may lie before 1970. Outside 1684 to 2255 the store is exact to the day only, so that the start
    of the day is taken there.

    Raises:
        Rejected: INVALID_BACKFILL, the value is not a whole number of microseconds since 1970.
    """
    text = first(headers, BACKFILL)
    if text is None:
        return None
    if not _WHOLE_NUMBER.fullmatch(text):
        raise Rejected(
            "INVALID_BACKFILL",
            f"header {BACKFILL} must be microseconds since 1970 as a whole number, not {text[:40]!r}",
        )
    value = int(text)
    return value if abs(value) <= EXACT_MICROS_MAX else value - value % MICROS_PER_DAY


def with_backfill(headers: Headers, timestamp: int | None) -> list[tuple[str, bytes]]:
    """Declare a record whose timestamp is given (microseconds) as a backfill, unless it already is."""
    result = list(headers)
    if timestamp is not None and first(headers, BACKFILL) is None:
        result.append((BACKFILL, str(timestamp).encode()))
    return result
