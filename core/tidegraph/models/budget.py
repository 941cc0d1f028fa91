"""One budget of language model calls for the whole process: how many at once, how many tokens a minute.

Answers and extraction ask the same server; a share is waited for in the order of asking, from threads and
from coroutines alike. A server that says "retry after" holds all of them back, not only who was told.
"""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from collections import deque
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import Future
from dataclasses import dataclass
from functools import cache

from tidegraph.domain.errors import Retryable


@dataclass(slots=True)
class Share:
    """A call under way. ``used`` is set to the tokens that it took; until then it counts as reserved."""

    used: int


class Budget:
    """At most ``concurrency`` calls at once and ``tokens_per_minute`` tokens (0: any number).

    Tokens are reserved before a call and settled after it, so a minute may be overdrawn by what an estimate
    was short of; the next calls then wait for it. A call larger than a minute's tokens waits for a full one.
    """

    def __init__(
        self, concurrency: int, tokens_per_minute: int = 0, now: Callable[[], float] = time.monotonic
    ) -> None:
        self._free = concurrency
        self._capacity = float(tokens_per_minute)
        self._allowance = self._capacity
        self._now = now
        self._filled_at = now()
        self._held_until = self._filled_at
        self._lock = threading.Lock()
        self._waiting: deque[tuple[Future[None], int]] = deque()
        self._timer: threading.Timer | None = None

    def hold(self, seconds: float) -> None:
        """Begin no call for a while: the server asked for it."""
        with self._lock:
            self._held_until = max(self._held_until, self._now() + seconds)

    @contextlib.contextmanager
    def share(self, tokens: int, timeout_seconds: float) -> Iterator[Share]:
        """Wait for a share in this thread, and give it back at the end.

        Raises:
            Retryable: LLM_BUDGET, none came free in time.
        """
        future = self._ask(tokens)
        try:
            future.result(timeout_seconds)
        except TimeoutError:
            if not future.cancel():
                self._give_back(tokens, 0)
            raise _exhausted() from None
        share = Share(tokens)
        try:
            yield share
        finally:
            self._give_back(tokens, share.used)

    @contextlib.asynccontextmanager
    async def share_async(self, tokens: int, timeout_seconds: float) -> AsyncIterator[Share]:
        """As :meth:`share`, for a coroutine."""
        future = self._ask(tokens)
        try:
            await asyncio.wait_for(asyncio.wrap_future(future), max(timeout_seconds, 0.0))
        except BaseException as error:
            if not future.cancelled() and not future.cancel():
                self._give_back(tokens, 0)
            if isinstance(error, TimeoutError):
                raise _exhausted() from None
            raise
        share = Share(tokens)
        try:
            yield share
        finally:
            self._give_back(tokens, share.used)

    def _ask(self, tokens: int) -> Future[None]:
        future: Future[None] = Future()
        with self._lock:
            self._waiting.append((future, tokens))
        self._grant()
        return future

    def _give_back(self, reserved: int, used: int) -> None:
        with self._lock:
            self._free += 1
            if self._capacity:
                self._allowance = min(self._capacity, self._allowance + reserved - used)
        self._grant()

    def _grant(self) -> None:
        """Begin what may begin now; look again when time alone will allow more."""
        granted: list[Future[None]] = []
        with self._lock:
            while self._waiting and self._free:
                future, tokens = self._waiting[0]
                wait = self._wait_seconds(tokens)
                if wait > 0:
                    self._look_again(wait)
                    break
                self._waiting.popleft()
                if future.set_running_or_notify_cancel():
                    self._free -= 1
                    self._allowance -= tokens if self._capacity else 0
                    granted.append(future)
        for future in granted:
            future.set_result(None)

    def _wait_seconds(self, tokens: int) -> float:
        now = self._now()
        if now < self._held_until:
            return self._held_until - now
        if not self._capacity:
            return 0.0
        rate = self._capacity / 60
        self._allowance = min(self._capacity, self._allowance + (now - self._filled_at) * rate)
        self._filled_at = now
        return max(0.0, (min(tokens, self._capacity) - self._allowance) / rate)

    def _look_again(self, seconds: float) -> None:
        if self._timer is not None and self._timer.is_alive():
            return
        self._timer = threading.Timer(seconds, self._timed)
        self._timer.daemon = True
        self._timer.start()

    def _timed(self) -> None:
        with self._lock:
            self._timer = None
        self._grant()


@cache
def process_budget(concurrency: int, tokens_per_minute: int) -> Budget:
    """The budget of this process; all who ask for it with the same limits share one."""
    return Budget(concurrency, tokens_per_minute)


def _exhausted() -> Retryable:
    return Retryable(
        "LLM_BUDGET",
        "no call of the language model came free in time; raise TIDEGRAPH_LLM_CONCURRENCY or "
        "TIDEGRAPH_LLM_TOKENS_PER_MINUTE if the server can take it",
        retry_after_seconds=5.0,
    )
