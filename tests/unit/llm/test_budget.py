"""The budget of a process: calls at once, tokens a minute, and a server's wish to be left alone."""

from __future__ import annotations

import asyncio
import threading
import time

import pytest

from tidegraph.domain.errors import Retryable
from tidegraph.models.budget import Budget, process_budget


def test_no_more_calls_at_once_than_allowed():
    budget, lock, most, running = Budget(3), threading.Lock(), 0, 0

    def call() -> None:
        nonlocal most, running
        with budget.share(1, 5.0):
            with lock:
                running += 1
                most = max(most, running)
            time.sleep(0.01)
            with lock:
                running -= 1

    threads = [threading.Thread(target=call) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most == 3


def test_threads_and_coroutines_share_it():
    budget = Budget(1)

    async def wait() -> float:
        began = time.monotonic()
        async with budget.share_async(1, 5.0):
            return time.monotonic() - began

    with budget.share(1, 1.0):
        with pytest.raises(Retryable) as caught:
            asyncio.run(short(budget))
        assert caught.value.reason == "LLM_BUDGET"
    assert asyncio.run(wait()) < 1.0


async def short(budget: Budget) -> None:
    async with budget.share_async(1, 0.02):
        raise AssertionError("the only call is under way")


def test_a_thread_that_waited_in_vain_leaves_no_trace():
    budget = Budget(1)
    with budget.share(1, 1.0), pytest.raises(Retryable), budget.share(1, 0.01):
        raise AssertionError("the only call is under way")
    with budget.share(1, 1.0):
        pass


async def test_a_cancelled_coroutine_gives_its_place_back():
    budget = Budget(1)
    async with budget.share_async(1, 1.0):
        waiting = asyncio.create_task(short_forever(budget))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
    async with budget.share_async(1, 1.0):
        pass


async def short_forever(budget: Budget) -> None:
    async with budget.share_async(1, 60.0):
        raise AssertionError("cancelled while it waited")


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def test_tokens_of_a_minute_are_reserved_settled_and_refilled():
    clock = Clock()
    budget = Budget(4, tokens_per_minute=600, now=clock)
    with budget.share(500, 1.0) as share:
        share.used = 300
    with budget.share(300, 1.0) as share:
        share.used = 500  # an estimate may fall short; the next calls wait for it
    with pytest.raises(Retryable), budget.share(1, 0.01):
        raise AssertionError("the minute is overdrawn")
    clock.now += 60
    with budget.share(300, 1.0):
        pass


def test_a_call_larger_than_a_minute_waits_for_a_full_one_and_not_for_ever():
    budget = Budget(1, tokens_per_minute=100, now=Clock())
    with budget.share(5_000, 1.0) as share:
        share.used = 100


def test_a_server_that_asks_for_a_pause_holds_all():
    clock = Clock()
    budget = Budget(4, now=clock)
    budget.hold(5.0)
    with pytest.raises(Retryable), budget.share(1, 0.01):
        raise AssertionError("held")
    clock.now += 5
    with budget.share(1, 1.0):
        pass


def test_time_alone_lets_a_waiting_call_begin():
    budget = Budget(1)
    budget.hold(0.05)
    began = time.monotonic()
    with budget.share(1, 5.0):
        assert time.monotonic() - began >= 0.04


def test_one_budget_for_the_process():
    assert process_budget(3, 7) is process_budget(3, 7)
    assert process_budget(3, 7) is not process_budget(3, 8)
