from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegraph.log.keys import join_key, partition_of, split_key

PARTS = st.lists(st.text(st.characters(exclude_categories=("Cs",)), max_size=8), min_size=1, max_size=4)


@given(PARTS)
def test_a_key_tells_its_parts(parts: list[str]) -> None:
    assert list(split_key(join_key(*parts))) == parts


@given(PARTS, PARTS)
def test_no_two_part_lists_share_a_key(one: list[str], two: list[str]) -> None:
    assert (join_key(*one) == join_key(*two)) == (one == two)


# Values of org.apache.kafka.common.utils.Utils.murmur2, as its own tests give them.
@pytest.mark.parametrize(
    ("key", "murmur2"),
    [
        (b"21", -973932308),
        (b"foobar", -790332482),
        (b"a-little-bit-long-string", -985981536),
        (b"a-little-bit-longer-string", -1486304829),
        (b"lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", -58897971),
        (b"abc", 479470107),
    ],
)
def test_partitions_are_those_of_java_clients(key: bytes, murmur2: int) -> None:
    for partitions in (1, 4, 7, 50):
        assert partition_of(key, partitions) == (murmur2 & 0x7FFFFFFF) % partitions
