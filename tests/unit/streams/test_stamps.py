from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from tidegraph.streams.progress import MemoryProgress
from tidegraph.streams.stamps import KEPT, PartitionStamps

TIMES = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12)), min_size=1, max_size=30)


def _first_pass(times: list[tuple[int, int]]) -> tuple[PartitionStamps, list[int]]:
    stamps = PartitionStamps()
    given_out = [stamps.stamp(offset, at, latest) for offset, (at, latest) in enumerate(times)]
    return stamps, given_out


@given(TIMES)
def test_stamps_never_step_back_and_never_exceed_what_is_known(times: list[tuple[int, int]]) -> None:
    _, stamps = _first_pass(times)
    assert stamps == sorted(stamps)
    claimed = [min(at, latest) for at, latest in times]
    assert stamps == [max(claimed[: n + 1]) for n in range(len(claimed))]


@given(TIMES, st.data())
def test_a_replay_gives_the_same_stamps(times: list[tuple[int, int]], data: st.DataObject) -> None:
    stamps, first = _first_pass(times)
    start = data.draw(st.integers(0, len(times) - 1))
    restored = PartitionStamps.load(stamps.dump())
    assert restored == stamps
    replayed = [restored.stamp(offset, times[offset][0], 99) for offset in range(start, len(times))]
    assert replayed == first[start:]


@given(TIMES, TIMES)
def test_going_on_after_a_restart_equals_not_having_stopped(
    before: list[tuple[int, int]], after: list[tuple[int, int]]
) -> None:
    stamps, first = _first_pass(before)
    restored = PartitionStamps.load(stamps.dump())
    rest = [restored.stamp(len(before) + n, at, latest) for n, (at, latest) in enumerate(after)]
    assert first + rest == _first_pass(before + after)[1]


def test_what_is_remembered_is_bounded_and_the_latest_is_kept() -> None:
    times = [(value, 10_000_000) for n in range(3 * KEPT) for value in (10 + n, n)]
    times += [(n, 5) for n in range(9, 9 + 2 * KEPT)]
    stamps, first = _first_pass(times)
    assert max(len(stamps.floors), len(stamps.ceilings)) == KEPT
    start = len(times) - KEPT
    assert [stamps.stamp(offset, times[offset][0], 99) for offset in range(start, len(times))] == first[
        start:
    ]


def test_a_steady_clock_leaves_nothing_to_remember() -> None:
    stamps, _ = _first_pass([(n, 100) for n in range(50)])
    assert (stamps.floors, stamps.ceilings) == ([], {})


async def test_the_store_keeps_each_partition_apart() -> None:
    store = MemoryProgress()
    stamps, _ = _first_pass([(5, 9), (3, 9)])
    await store.save("a", stamps)
    assert await store.load("a") == stamps
    assert await store.load("b") == PartitionStamps()
