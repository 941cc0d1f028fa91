"""The system clock behind the Clock port: the only place that asks what time it is."""

from __future__ import annotations

import time


class SystemClock:
    """The machine's clock in microseconds since 1970, UTC."""

    def now(self) -> int:
        return time.time_ns() // 1_000


class FixedClock:
    """A clock that stands still: "today" as the caller gives it, for replays and tests."""

    def __init__(self, instant: int) -> None:
        self._instant = instant

    def now(self) -> int:
        return self._instant
