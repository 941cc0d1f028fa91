"""The embedded stack against its real binaries: life, crash, lock, orphans."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest
import redis.asyncio

from tidegraph import settings
from tidegraph.domain.errors import Rejected, Retryable
from tidegraph.embedded import FORGETS_NOTICE, Child, ChildSpec, Part, Stack, StackEvent, read_note

STORE_AND_BROKER = frozenset({Part.STORE, Part.BROKER})
DEADLINE_SECONDS = 20.0

HOLDER = """
import asyncio, sys
from tidegraph import settings
from tidegraph.embedded import Part, Stack
async def main():
    parts = frozenset({Part.STORE, Part.BROKER})
    async with Stack(settings.load({"TIDEGRAPH_DATA_DIR": sys.argv[1]}), parts=parts) as stack:
        print(stack.child(Part.STORE).pid, stack.child(Part.BROKER).pid, stack.falkordb_url, flush=True)
        await stack.wait_failed()
asyncio.run(main())
"""


def _settings(folder: Path, **extra: str) -> settings.Settings:
    return settings.load({"TIDEGRAPH_DATA_DIR": str(folder), **extra})


async def _until(holds: Callable[[], bool]) -> None:
    async with asyncio.timeout(DEADLINE_SECONDS):
        while not holds():  # noqa: ASYNC110 - another process has no event to await
            await asyncio.sleep(0.02)


def _has_ended(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() == psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return True


async def _count(url: str) -> int:
    client = redis.asyncio.Redis.from_url(url)
    try:
        answer = await client.execute_command(
            "GRAPH.QUERY", "g", "CREATE (:A) WITH 1 AS x MATCH (a:A) RETURN count(a)"
        )
        return int(answer[1][0][0])
    finally:
        await client.aclose()


async def test_starts_tells_and_stops_in_order(tmp_path: Path) -> None:
    told: list[StackEvent] = []
    async with Stack(_settings(tmp_path), parts=STORE_AND_BROKER, events=told.append) as stack:
        pids = [stack.child(part).pid for part in STORE_AND_BROKER]
        note = read_note(tmp_path)
        assert note is not None
        assert (note.kafka_bootstrap, note.falkordb_url) == (stack.kafka_bootstrap, stack.falkordb_url)
    assert [e.part for e in told if e.what == "ready"] == [Part.STORE, Part.BROKER]
    assert [e.part for e in told if e.what == "stopped"] == [Part.BROKER, Part.STORE]
    assert [e.text for e in told if e.what == "notice"] == [FORGETS_NOTICE]
    assert read_note(tmp_path) is None
    assert all(_has_ended(pid) for pid in pids)


async def test_second_start_finds_the_data(tmp_path: Path) -> None:
    counts = []
    for _ in range(2):
        async with Stack(_settings(tmp_path), parts=frozenset({Part.STORE})) as stack:
            counts.append(await _count(stack.falkordb_url))
    assert counts == [1, 2]


async def test_two_stacks_on_one_folder_are_refused(tmp_path: Path) -> None:
    async with Stack(_settings(tmp_path), parts=frozenset({Part.STORE})):
        with pytest.raises(Rejected, match=f"process {os.getpid()}") as refused:
            await Stack(_settings(tmp_path), parts=frozenset({Part.STORE})).__aenter__()
        assert refused.value.reason == "DATA_DIR_IN_USE"
        assert read_note(tmp_path) is not None


async def test_crash_is_told_with_the_end_of_the_log(tmp_path: Path) -> None:
    told: list[StackEvent] = []
    async with Stack(_settings(tmp_path), parts=STORE_AND_BROKER, events=told.append) as stack:
        os.kill(stack.child(Part.BROKER).pid, signal.SIGKILL)
        error = await asyncio.wait_for(stack.wait_failed(), DEADLINE_SECONDS)
        assert "killed by signal 9" in str(error)
        assert "its last lines" in str(error)
        address = stack.kafka_bootstrap
        await stack.restart(Part.BROKER)
        assert stack.kafka_bootstrap == address
    assert [e.part for e in told if e.what == "crashed"] == [Part.BROKER]


async def test_killed_supervisor_leaves_no_orphan_and_no_stale_lock(tmp_path: Path) -> None:
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-c", HOLDER, str(tmp_path), stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    line = (await asyncio.wait_for(process.stdout.readline(), DEADLINE_SECONDS)).decode().split()
    pids, url = [int(line[0]), int(line[1])], line[2]
    assert await _count(url) == 1
    process.kill()
    await process.wait()
    async with Stack(_settings(tmp_path), parts=frozenset({Part.STORE})) as stack:
        assert _has_ended(pids[0])
        assert await _count(stack.falkordb_url) == 2
    await _until(lambda: all(_has_ended(pid) for pid in pids))


async def test_configured_parts_are_used_not_started(tmp_path: Path) -> None:
    told: list[StackEvent] = []
    configured = _settings(
        tmp_path,
        TIDEGRAPH_KAFKA_BOOTSTRAP="kafka.example:9092",
        TIDEGRAPH_FALKORDB_URL="redis://db.example:6379",
    )
    async with Stack(configured, parts=STORE_AND_BROKER, events=told.append) as stack:
        assert stack.kafka_bootstrap == "kafka.example:9092"
        assert stack.falkordb_url == "redis://db.example:6379"
        with pytest.raises(KeyError):
            stack.child(Part.BROKER)
    assert [e.what for e in told if e.what in ("external", "notice")] == ["external", "external"]


async def test_child_that_ends_before_it_is_ready(tmp_path: Path) -> None:
    async def never() -> bool:
        return False

    command = (sys.executable, "-c", "import sys; print('no such table'); sys.exit(3)")
    child = Child(ChildSpec("part", command, tmp_path / "logs" / "part.log"))
    await child.start()
    with pytest.raises(Retryable, match=r"ended with code 3(.|\n)*no such table") as ended:
        await child.ready(never, DEADLINE_SECONDS)
    assert ended.value.reason == "CHILD_STOPPED"


async def test_child_that_is_never_ready_and_ignores_the_stop(tmp_path: Path) -> None:
    async def never() -> bool:
        return False

    code = (
        "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); "
        "print('up', flush=True); signal.pause()"
    )
    command = (sys.executable, "-u", "-c", code)
    child = Child(ChildSpec("part", command, tmp_path / "part.log", grace_seconds=0.2))
    await child.start()
    await _until(lambda: child.last_lines() == ["up"])
    with pytest.raises(Retryable) as late:
        await child.ready(never, 0.05)
    assert late.value.reason == "CHILD_NOT_READY"
    await child.stop()
    assert child.return_code == -signal.SIGKILL
