"""What stages remember, under one contract: in memory and in the store's redis."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest
import pytest_asyncio

from tidegraph.domain.documents import Position
from tidegraph.domain.errors import Retryable
from tidegraph.embedded.falkordb import EmbeddedFalkorDB
from tidegraph.embedded.network import free_port
from tidegraph.log.status import READ_TO, StatusRecord
from tidegraph.streams.progress import MemoryProgress, ProgressStore, ReadMark, RedisProgress
from tidegraph.streams.stamps import PartitionStamps

pytestmark = pytest.mark.asyncio(loop_scope="session")


@pytest_asyncio.fixture(loop_scope="session", params=["memory", "redis"])
async def progress(request: pytest.FixtureRequest, store: EmbeddedFalkorDB) -> AsyncIterator[ProgressStore]:
    if request.param == "memory":
        yield MemoryProgress()
        return
    client = RedisProgress(store.url, f"{request.node.name}:")
    yield client
    await client.close()


def _mark(partition: int, stamp: int, life: str = "one", topic: str = "documents") -> StatusRecord:
    return StatusRecord(Position(topic, partition, 0, life), "", "", "", READ_TO, "", "", stamp, 0, 0, 4)


async def test_stamps_are_kept_by_partition(progress: ProgressStore) -> None:
    stamps = PartitionStamps()
    for offset, at in enumerate((50, 40, 90, 10**18)):
        stamps.stamp(offset, at, 10**17)
    await progress.save("one/0", stamps)
    assert await progress.load("one/0") == stamps
    assert await progress.load("one/1") == PartitionStamps()


async def test_read_marks_never_go_back_in_one_life(progress: ProgressStore) -> None:
    assert dict(await progress.read_marks()) == {}
    await progress.mark_read([_mark(0, 50), _mark(1, -(1 << 62)), _mark(0, 40)])
    await progress.mark_read([])
    first, second = ReadMark("one", 50, 4), ReadMark("one", -(1 << 62), 4)
    assert dict(await progress.read_marks()) == {("documents", 0): first, ("documents", 1): second}
    await progress.mark_read([_mark(0, 20, "two"), _mark(0, 30, topic="control")])
    marks = await progress.read_marks()
    assert marks["documents", 0] == ReadMark("two", 20, 4)
    assert marks["control", 0] == ReadMark("one", 30, 4)


async def test_parts_are_counted_once(progress: ProgressStore) -> None:
    assert [await progress.part_done("p", part) for part in (2, 2, 1, 3, 1)] == [1, 1, 2, 3, 3]
    assert await progress.part_done("q", 1) == 1


async def test_graphs_and_what_was_published(progress: ProgressStore) -> None:
    await progress.add_graphs([])
    await progress.add_graphs(["b", "a"])
    await progress.add_graphs(["b"])
    assert list(await progress.graphs()) == ["a", "b"]
    assert await progress.published("a") == -1
    await progress.set_published("a", 0)
    assert await progress.published("a") == 0


async def test_a_store_that_is_away_can_be_retried() -> None:
    client = RedisProgress(f"redis://127.0.0.1:{free_port()}", "x:")
    with pytest.raises(Retryable):
        await client.load("one/0")
    await client.close()
