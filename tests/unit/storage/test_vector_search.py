"""When the events inside a time are surely too many to be looked at one by one."""

from __future__ import annotations

import pytest

from tidegraph.storage.hits import Hit
from tidegraph.storage.vector_search import surely_many


def hits(dated: int, undated: int = 0) -> list[Hit]:
    return [Hit(f"e{n}", "d", "1", n >= dated, 1.0) for n in range(dated + undated)]


@pytest.mark.parametrize(
    ("dated", "undated", "reached", "total", "many"),
    [
        (40, 0, 200, 100_000, True),  # 20,000 against 3,162
        (10, 0, 200, 100_000, False),
        (0, 40, 200, 1_000_000, False),  # what has no date says nothing of what has one
        (0, 0, 200, 5_000_000, False),  # nothing found is no evidence of many
        (1, 0, 3, 20_000, False),  # an index that is cut into parts
        (0, 0, 0, 20_000, False),
    ],
)
def test_only_a_whole_sample_of_dated_events_says_that_there_are_many(
    dated: int, undated: int, reached: int, total: int, many: bool
) -> None:
    assert surely_many(hits(dated, undated), reached, 200, total) is many
