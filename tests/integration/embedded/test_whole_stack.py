"""``tidegraph up`` and ``down``: every part in one command, and a second start on the same data."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import psutil

from tidegraph import settings
from tidegraph.domain.documents import Position
from tidegraph.embedded.lock import RunningStack, read_note
from tidegraph.log.producer import KafkaLog
from tidegraph.storage.connection import Connection
from tidegraph.storage.status import RedisStatusStore

DEADLINE_SECONDS = 120.0
TEXT = "Mara Voss was appointed Chief Technology Officer of Calder Optics on 3 March 2021."


async def _until(holds: Callable[[], Awaitable[bool]]) -> None:
    async with asyncio.timeout(DEADLINE_SECONDS):
        while not await holds():  # noqa: ASYNC110 - another process has no event to await
            await asyncio.sleep(0.1)


async def _up(folder: Path) -> tuple[asyncio.subprocess.Process, RunningStack]:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tidegraph.cli.main", "up"),
        env={**os.environ, "TIDEGRAPH_DATA_DIR": str(folder), "PYTHONUNBUFFERED": "1"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    assert process.stdout is not None
    told = b""
    async with asyncio.timeout(DEADLINE_SECONDS):
        while b"Ready." not in told:
            line = await process.stdout.readline()
            assert line, told.decode()
            told += line
    assert b"forgets them when it stops" in told
    note = read_note(folder)
    assert note is not None
    assert note.grpc_address.encode() in told
    return process, note


async def _down(folder: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tidegraph.cli.main", "down"),
        env={**os.environ, "TIDEGRAPH_DATA_DIR": str(folder)},
        stdout=subprocess.PIPE,
    )
    out, _ = await asyncio.wait_for(process.communicate(), DEADLINE_SECONDS)
    assert (process.returncode, out.decode().strip()) == (0, "stopped")


async def _ingest(folder: Path, note: RunningStack, document_id: str) -> None:
    base = settings.load({"TIDEGRAPH_DATA_DIR": str(folder)})
    there = replace(
        base,
        kafka=replace(base.kafka, bootstrap=note.kafka_bootstrap),
        store=replace(base.store, url=note.falkordb_url),
    )
    connection = Connection(note.falkordb_url, there.store.graph_prefix, there.store.query_timeout_ms)
    status = RedisStatusStore(connection)
    value = json.dumps({"id": document_id, "text": TEXT}).encode()
    async with KafkaLog(there) as log:
        position: Position = await log.append("documents", document_id.encode(), value, [], None)

    async def committed() -> bool:
        return [each.outcome for each in await status.get([position])] == ["committed"]

    await _until(committed)
    await connection.close()


async def test_up_ingests_stops_and_starts_again_on_its_data(tmp_path: Path) -> None:
    for number in range(2):
        process, note = await _up(tmp_path)
        await _ingest(tmp_path, note, f"d{number}")
        await _down(tmp_path)
        assert await asyncio.wait_for(process.wait(), DEADLINE_SECONDS) == 0
        assert read_note(tmp_path) is None


async def test_up_ends_with_the_log_of_a_part_that_died(tmp_path: Path) -> None:
    process, _ = await _up(tmp_path)
    [worker] = _children(process.pid, b"worker")
    os.kill(worker, signal.SIGKILL)
    out, _ = await asyncio.wait_for(process.communicate(), DEADLINE_SECONDS)
    assert process.returncode == 1
    assert b"worker was killed by signal 9" in out
    assert b"worker.log" in out


def _children(parent: int, argument: bytes) -> list[int]:
    return [
        child.pid
        for child in psutil.Process(parent).children(recursive=True)
        if argument.decode() in child.cmdline()
    ]
