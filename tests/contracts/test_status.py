"""The status store: a function of the lines, whatever their order; the watermark."""

from __future__ import annotations

import itertools
import random

import pytest

from tidegraph.domain.documents import Position
from tidegraph.domain.interval import OPEN_START
from tidegraph.ports import DocumentStatus, StatusStore
from tidegraph.storage.falkor import FalkorStore
from tidegraph.storage.memory import MemoryStatusStore
from tidegraph.storage.status import RedisStatusStore


@pytest.fixture(params=["memory", "redis"])
def statuses(request: pytest.FixtureRequest) -> StatusStore:
    if request.param == "memory":
        return MemoryStatusStore()
    store: FalkorStore = request.getfixturevalue("falkor")
    # A prefix of its own, as keys outlive a test.
    store.connection.prefix = f"{request.node.name}:"
    return RedisStatusStore(store.connection)


def line(
    offset: int, stage: str, outcome: str = "", *, graph: str = "g", recorded_at: int = 0, **fields: object
) -> DocumentStatus:
    values = {
        "position": Position("documents", 0, offset, "life"),
        "graph": graph,
        "document_id": f"d{offset % 2}",
        "revision": "1",
        "stage": stage,
        "outcome": outcome,
        "cause": "",
        "recorded_at": recorded_at or 1_700_000_000_000_000 + offset,
        "updated_at": 1_800_000_000_000_000,
    }
    return DocumentStatus(**(values | fields))  # type: ignore[arg-type]


async def test_the_farthest_stage_stands_and_an_outcome_ends_it(statuses: StatusStore) -> None:
    lines = [line(0, "ground"), line(0, "extract"), line(0, "resolve"), line(0, "write", "committed")]
    for order in itertools.permutations(lines):
        await statuses.put(order)
        (kept,) = await statuses.get([lines[0].position])
        assert kept == lines[3]
    assert await statuses.summary("g") == {"committed": 1, "dead_letter": 0, "retracted": 0, "in_progress": 0}


async def test_any_order_gives_one_result(statuses: StatusStore, rng: random.Random) -> None:
    lines = [line(i, stage, updated_at=i) for i in range(6) for stage in ("ground", "extract", "write")]
    lines += [line(i, "write", "committed", updated_at=50) for i in range(3)]
    lines += [line(2, "extract", "dead_letter", updated_at=40), line(5, "ground", "dead_letter", cause="BAD")]
    rng.shuffle(lines)
    for one in lines:
        await statuses.put([one])
    await statuses.put(lines)
    expected = {"committed": 3, "dead_letter": 1, "retracted": 0, "in_progress": 2}
    assert await statuses.summary("g") == expected
    assert [kept.cause for kept in await statuses.dead_letters("g", 10)] == ["BAD"]
    assert [kept.position.offset for kept in await statuses.by_document("g", "d0")] == [0, 2, 4]
    assert await statuses.summary("other") == dict.fromkeys(expected, 0)


async def test_what_is_in_progress_is_listed_the_oldest_first(statuses: StatusStore) -> None:
    lines = [line(n, "ground", recorded_at=100 - n) for n in range(4)]
    await statuses.put([*lines, line(2, "write", "committed", recorded_at=98)])
    assert [one.position.offset for one in await statuses.in_progress("g")] == [3, 1, 0]
    assert await statuses.in_progress("other") == []


async def test_dead_letters_are_the_newest_first(statuses: StatusStore) -> None:
    await statuses.put([line(i, "ground", "dead_letter", updated_at=1000 + i) for i in range(5)])
    assert [kept.position.offset for kept in await statuses.dead_letters("g", 3)] == [4, 3, 2]
    assert await statuses.dead_letters("g", 0) == []
    await statuses.put([line(4, "write", "committed", updated_at=2000)])
    assert [kept.position.offset for kept in await statuses.dead_letters("g", 3)] == [3, 2, 1]


async def test_the_watermark_waits_for_the_oldest_without_an_outcome(statuses: StatusStore) -> None:
    assert await statuses.watermark("g") == OPEN_START
    await statuses.advance("g", 900)
    assert await statuses.watermark("g") == 900
    await statuses.put([line(0, "ground", recorded_at=500), line(1, "ground", recorded_at=700)])
    assert await statuses.watermark("g") == 499, "at 500 the document will be seen"
    await statuses.put([line(0, "write", "committed", recorded_at=500)])
    assert await statuses.watermark("g") == 699
    await statuses.put([line(1, "extract", "dead_letter", recorded_at=700)])
    assert await statuses.watermark("g") == 900
    await statuses.advance("g", 800)
    assert await statuses.watermark("g") == 900
    assert await statuses.watermark("other") == OPEN_START


async def test_stamps_are_exact(statuses: StatusStore) -> None:
    stamp = 1_764_453_599_123_457
    await statuses.put([line(0, "ground", recorded_at=stamp)])
    assert await statuses.watermark("g") == OPEN_START, "other partitions may hold earlier ones"
    await statuses.advance("g", stamp + 10)
    assert await statuses.watermark("g") == stamp - 1
    await statuses.advance("h", stamp)
    assert await statuses.watermark("h") == stamp
    assert (await statuses.get([line(0, "").position]))[0].recorded_at == stamp


async def test_unknown_positions_are_absent(statuses: StatusStore) -> None:
    assert await statuses.get([Position("documents", 0, 99, "life")]) == []
    assert await statuses.get([]) == []
    await statuses.put([])
    assert await statuses.by_document("g", "none") == []


async def test_forgotten_lines_are_gone_from_every_list(statuses: StatusStore) -> None:
    one, two, three = line(1, "write", "committed"), line(2, "ground", "dead_letter"), line(3, "ground")
    await statuses.put([one, two, three])
    await statuses.advance("g", three.recorded_at + 10)
    assert await statuses.watermark("g") == three.recorded_at - 1
    assert await statuses.forget([two.position, three.position]) == 2
    assert await statuses.watermark("g") == three.recorded_at + 10, "what is forgotten holds nothing"
    assert await statuses.get([one.position, two.position, three.position]) == [one]
    assert await statuses.dead_letters("g", 10) == []
    assert await statuses.summary("g") == {"committed": 1, "dead_letter": 0, "retracted": 0, "in_progress": 0}


async def test_lines_of_a_document_are_erased_up_to_an_instant(statuses: StatusStore) -> None:
    early, late = line(1, "write", "committed"), line(3, "write", "committed")
    await statuses.put([early, late])
    assert await statuses.erase("g", "d1", early.recorded_at) == 1
    assert await statuses.by_document("g", "d1") == [late]
    await statuses.keep_certificate(early.position, "{}")
    assert await statuses.certificate(early.position) == "{}"
    assert await statuses.certificate(late.position) == ""


async def test_ended_lines_expire_where_that_is_set(falkor: FalkorStore) -> None:
    falkor.connection.prefix = "test_ended_lines_expire:"
    statuses = RedisStatusStore(falkor.connection, keep_days=2)
    ended, under_way = line(1, "write", "committed"), line(2, "ground")
    await statuses.put([ended, under_way])
    ends = [
        await falkor.connection.command("TTL", f"test_ended_lines_expire:status:line:life/documents/0/{n}")
        for n in (1, 2)
    ]
    assert 2 * 86_400 - 60 < ends[0] <= 2 * 86_400
    assert ends[1] == -1, "what is under way is kept"
    old, new = (line(n, "ground", "dead_letter", updated_at=n * 86_400_000_000) for n in (4, 9))
    await statuses.put([old])
    await statuses.put([new])
    assert await statuses.dead_letters("g", 10) == [new]
