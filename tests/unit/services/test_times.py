"""Dates at the border: any year, any granularity, nothing invented."""

from __future__ import annotations

import pytest
from google.protobuf.timestamp_pb2 import Timestamp
from google.type.interval_pb2 import Interval as ApiInterval

from tidegraph.domain.errors import Rejected
from tidegraph.domain.interval import OPEN_END, OPEN_START, Granularity, format_instant, instant
from tidegraph.services.times import from_interval, from_stamp, read_date, to_period, to_stamp


@pytest.mark.parametrize(
    ("text", "start", "end", "granularity"),
    [
        ("2024", "2024-01-01", "2025-01-01", Granularity.YEAR),
        ("2024-Q4", "2024-10-01", "2025-01-01", Granularity.QUARTER),
        ("2024-h2", "2024-07-01", "2025-01-01", Granularity.HALF_YEAR),
        ("2024-02", "2024-02-01", "2024-03-01", Granularity.MONTH),
        ("2024-12", "2024-12-01", "2025-01-01", Granularity.MONTH),
        ("2024-02-29", "2024-02-29", "2024-03-01", Granularity.DAY),
        (" 2024-12-31 ", "2024-12-31", "2025-01-01", Granularity.DAY),
        ("-0043-03-15", "-00043-03-15", "-00043-03-16", Granularity.DAY),
        ("0", "0000-01-01", "0001-01-01", Granularity.YEAR),
        ("2024-05-06T13", "2024-05-06T13:00:00Z", "2024-05-06T14:00:00Z", Granularity.HOUR),
        ("2024-05-06 13:30", "2024-05-06T13:30:00Z", "2024-05-06T13:31:00Z", Granularity.MINUTE),
        ("2024-05-06T13:30:05Z", "2024-05-06T13:30:05Z", "2024-05-06T13:30:06Z", Granularity.SECOND),
        ("2024-05-06T01:30:00+02:00", "2024-05-05T23:30:00Z", "2024-05-05T23:30:01Z", Granularity.SECOND),
        (
            "2024-05-06T00:00:00.5-0130",
            "2024-05-06T01:30:00.500000Z",
            "2024-05-06T01:30:00.500001Z",
            Granularity.MICROSECOND,
        ),
    ],
)
def test_dates_are_read_as_finely_as_given(text: str, start: str, end: str, granularity: Granularity) -> None:
    found = read_date(text, "as_of")
    assert (format_instant(found.start), format_instant(found.end)) == (start, end)
    assert found.granularity is granularity


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday",
        "2024-13",
        "2024-00-01",
        "2023-02-29",
        "2024-Q5",
        "2024-H3",
        "2024-05-06T25",
        "05/06/2024",
        "2024-05-06T10:00:00+1",
        "99999999",
        "2024-5-6",
    ],
)
def test_what_is_no_date_is_refused_with_its_field(text: str) -> None:
    with pytest.raises(Rejected) as caught:
        read_date(text, "as_of.valid_text")
    assert caught.value.reason == "INVALID_DATE"
    assert caught.value.metadata["field"] == "as_of.valid_text"


@pytest.mark.parametrize(
    "value", [0, 1, -1, instant(1), instant(9999, 12, 31), instant(1683), instant(2024, 5, 6, 7, 8, 9, 12)]
)
def test_stamps_round_trip(value: int) -> None:
    stamp = to_stamp(value)
    assert stamp is not None
    assert from_stamp(stamp, "x") == value


def test_what_a_stamp_cannot_hold_is_left_to_the_text() -> None:
    assert to_stamp(OPEN_END) is None
    assert to_stamp(instant(-43)) is None
    period = to_period(instant(-43, 3, 15), OPEN_END, Granularity.DAY, Granularity.UNKNOWN)
    assert (period.start_text, period.end_text) == ("-00043-03-15", "..")
    assert not period.interval.HasField("start_time")


def test_stamps_out_of_range_are_refused() -> None:
    for stamp in (Timestamp(seconds=1 << 40), Timestamp(nanos=-1), Timestamp(seconds=-(1 << 40))):
        with pytest.raises(Rejected):
            from_stamp(stamp, "x")


def test_intervals_have_open_sides_and_something_in_them() -> None:
    one = to_stamp(instant(2020))
    open_end = from_interval(ApiInterval(start_time=one), "x")
    assert (open_end.start, open_end.end) == (instant(2020), OPEN_END)
    assert from_interval(ApiInterval(), "x").start == OPEN_START
    with pytest.raises(Rejected) as caught:
        from_interval(ApiInterval(start_time=one, end_time=one), "x")
    assert caught.value.reason == "INVALID_INTERVAL"
