"""Values to Cypher text and replies to values: nothing escapes, nothing is rounded on the way."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegraph.domain.errors import Bug
from tidegraph.domain.interval import (
    EXACT_MICROS_MAX,
    MICROS_PER_DAY,
    OPEN_END,
    OPEN_START,
    Interval,
    instant,
)
from tidegraph.storage import codec


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (False, "false"),
        (-5, "-5"),
        (OPEN_END, str(1 << 62)),
        (1.5, "1.5"),
        (1e-7, "1e-07"),
        ("a", '"a"'),
        ('a"b\\c', '"a\\"b\\\\c"'),
        ("'; MATCH (n) DETACH DELETE n //", '"\'; MATCH (n) DETACH DELETE n //"'),
        ("a\0b", '"a\ufffdb"'),
        ([1, "x", None], '[1,"x",null]'),
        ({"a": 1, "b": [True]}, "{a:1,b:[true]}"),
        (np.array([0.123456, -1.0], np.float32), "[0.1235,-1.0]"),
    ],
)
def test_literals(value: object, text: str) -> None:
    assert codec.literal(value) == text


@pytest.mark.parametrize(
    "value",
    [float("nan"), float("inf"), 1 << 63, object(), {"a b": 1}, {"a`": 1}, np.array([np.nan], np.float32)],
)
def test_what_cannot_be_stored_is_refused(value: object) -> None:
    with pytest.raises(Bug):
        codec.literal(value)


def test_parameters_are_named_and_none_is_no_prefix() -> None:
    assert codec.parameters({}) == ""
    assert codec.parameters({"a": 1, "b": "x"}) == 'CYPHER a=1 b="x" '
    with pytest.raises(Bug):
        codec.parameters({"a=1 b": 1})


@given(st.text())
def test_a_literal_ends_only_at_its_end(text: str) -> None:
    """Every quote inside is escaped: read by the store's rule, the literal gives the text back."""
    literal = codec.literal(text)
    assert (literal[0], literal[-1]) == ('"', '"')
    inner, read, index = literal[1:-1], [], 0
    while index < len(inner):
        assert inner[index] != '"'
        index += inner[index] == "\\"
        read.append(inner[index])
        index += 1
    assert "".join(read) == text.replace("\0", "\ufffd")


@given(
    st.text(st.characters(codec="utf-8", exclude_characters="\ud800")), st.sampled_from(["\ud800", "\udfff"])
)
def test_lone_surrogates_do_not_stop_a_query(text: str, surrogate: str) -> None:
    assert codec.query_bytes(text + surrogate) == (text + "\ufffd").encode()
    assert codec.query_bytes(text) == text.encode()


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_the_bits_of_a_float_come_back(value: float) -> None:
    assert codec.float_of(codec.bits_of(value)) == value


def test_replies() -> None:
    row = [[1, None], [2, "x"], [3, 4], [4, "true"], [5, "0.5"], [6, [[3, 1], [2, "y"], [6, [[4, "false"]]]]]]
    reply = [[[1, "h"]], [[*row, [10, ["k", [3, 7]]]]], ["stats"]]
    assert codec.decode_rows(reply) == [[None, "x", 4, True, 0.5, [1, "y", [False]], {"k": 7}]]
    assert codec.decode_rows([[b"stats"]]) == []
    with pytest.raises(Bug):
        codec.decode_rows([[[1, "h"]], [[[8, [1, [0], []]]]], ["stats"]])
    with pytest.raises(RuntimeError):
        codec.decode_rows([[], [], RuntimeError("late error")])


# --- times ------------------------------------------------------------------------------------------

DAYS = st.integers(-3_000_000, 3_000_000).map(lambda day: day * MICROS_PER_DAY)
TIMES = st.integers(instant(-4000), instant(9999)) | DAYS | st.sampled_from([OPEN_START, OPEN_END])


@given(TIMES)
def test_stored_times_are_exact_as_floats(value: int) -> None:
    """The store compares times as float64: whatever passes the check survives that."""
    try:
        assert float(codec.check_time(value)) == value
    except Bug:
        assert abs(value) > EXACT_MICROS_MAX
        assert value % MICROS_PER_DAY


@given(TIMES)
def test_rounding_is_outwards_and_idempotent(value: int) -> None:
    low, high = codec.floor_time(value), codec.ceil_time(value)
    assert low <= value <= high
    for rounded in (low, high):
        assert codec.check_time(rounded) == rounded
        assert codec.floor_time(rounded) == codec.ceil_time(rounded) == rounded
    if abs(value) <= EXACT_MICROS_MAX:
        assert low == high == value


def test_an_interval_of_antiquity_widens_to_its_day() -> None:
    morning = Interval(instant(-43, 3, 15, 9), instant(-43, 3, 15, 10))
    assert codec.storable(morning) == Interval(instant(-43, 3, 15), instant(-43, 3, 16))
    recent = Interval(instant(2024, 3, 15, 9), OPEN_END)
    assert codec.storable(recent) is recent


@pytest.mark.parametrize(
    "texts",
    [["a", "b"], ['a"', "b"], ['a","b', "c"], ["a\\", "b"], ["a\0b"], ["", ""], ['"'], ["a", 1, None], []],
)
def test_a_list_is_written_like_its_parts(texts: list[object]) -> None:
    assert codec.literal(texts) == "[" + ",".join(codec.literal(text) for text in texts) + "]"


def test_plain_rows_come_as_they_are_and_an_error_in_the_statistics_is_raised() -> None:
    assert codec.plain_rows([["a", "b"], [["x", 1], [None, 2]], ["took 1 ms"]]) == [["x", 1], [None, 2]]
    assert codec.plain_rows([["took 1 ms"]]) == []
    with pytest.raises(ValueError, match="late"):
        codec.plain_rows([["a"], [], ValueError("late")])
