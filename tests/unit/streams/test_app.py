"""What a stage's Faust app does otherwise than Faust."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from faust.types import TP

from tidegraph import settings
from tidegraph.log.admin import BrokerClass
from tidegraph.streams.app import make_app

PARTITION = TP("grounded", 0)


async def test_a_stop_commits_what_was_acknowledged_during_a_commit(tmp_path: Path, monkeypatch: Any) -> None:
    app = make_app(
        settings.load({"TIDEGRAPH_DATA_DIR": str(tmp_path)}), "extract", BrokerClass("x", 1, is_embedded=True)
    )
    consumer: Any = app.consumer
    committed: list[int] = []
    under_way, answered = asyncio.Event(), asyncio.Event()

    async def commit(offsets: Mapping[TP, int]) -> bool:
        under_way.set()
        await answered.wait()
        committed.append(offsets[PARTITION])
        return True

    async def flush() -> None:
        return

    monkeypatch.setattr(consumer, "_commit", commit)
    monkeypatch.setattr(consumer, "assignment", lambda: {PARTITION})
    monkeypatch.setattr(app.producer, "flush", flush)

    def acknowledge(first: int, last: int) -> None:
        consumer._acked[PARTITION].extend(range(first, last + 1))

    acknowledge(1, 47)
    periodic = asyncio.create_task(consumer.commit())
    await under_way.wait()
    acknowledge(48, 64)
    stop = asyncio.create_task(consumer.on_stop())
    await asyncio.sleep(0)  # let the stop see the commit that is under way
    answered.set()
    await asyncio.gather(periodic, stop)
    assert committed == [48, 65]
