"""Times of metadata, as written by people and programs."""

from __future__ import annotations

import calendar
import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tidegraph.domain.errors import Rejected
from tidegraph.domain.interval import Granularity
from tidegraph.inputs import time_words, times
from tidegraph.inputs.document import iso_text
from tidegraph.inputs.times import TimeRules

BERLIN = TimeRules("Europe/Berlin")


def shown(text: str, rules: TimeRules = times.UTC_RULES) -> str | None:
    time = times.parse(text, "p", rules)
    return iso_text(time) if time else None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("2024-03-31T02:30:00.123456789+01:00", "2024-03-31T01:30:00.123456Z"),
        ("2024-03-31t02:30:00z", "2024-03-31T02:30:00Z"),
        ("20240331T023000Z", "2024-03-31T02:30:00Z"),
        ("2024-03-31T02:30Z", "2024-03-31T02:30:00Z"),
        ("2024-03-31T24:00:00Z", "2024-04-01T00:00:00Z"),
        ("2024-03-31T23:59:60Z", "2024-04-01T00:00:00Z"),
        ("2024-03-31T02:30:00,5Z", "2024-03-31T02:30:00.500000Z"),
        ("2024-03-31T02:30:00\u221201:00", "2024-03-31T03:30:00Z"),
        ("2024-03-31 02:30:00 UTC", "2024-03-31T02:30:00Z"),
        ("2024-03-31 02:30:00 GMT+2", "2024-03-31T00:30:00Z"),
        ("2024-03-31T02:30:00+01:00[Europe/Berlin]", "2024-03-31T01:30:00Z"),
        ("2024-W13-7", "2024-03-31"),
        ("2024W137", "2024-03-31"),
        ("2024-091", "2024-03-31"),
        ("-0044-03-15", "-00044-03-15"),
        ("31 March 2024", "2024-03-31"),
        ("March 31, 2024", "2024-03-31"),
        ("Sunday, March 31st, 2024 at 2:30 pm", "2024-03-31T14:30:00Z"),
        ("31. März 2024", "2024-03-31"),
        ("31 mars 2024", "2024-03-31"),
        ("31 de marzo de 2024", "2024-03-31"),
        ("31 марта 2024", "2024-03-31"),
        ("Sun, 31 Mar 2024 02:30:00 +0100", "2024-03-31T01:30:00Z"),
        ("Sun Mar 31 02:30:00 2024", "2024-03-31T02:30:00Z"),
        ("31.03.2024", "2024-03-31"),
        ("31/03/2024", "2024-03-31"),
        ("March 2024", "2024-03"),
        ("٣١ مارس ٢٠٢٤", "2024-03-31"),
        ("۱۲ فروردین ۱۴۰۳", "2024-03-31"),
        ("۱۴۰۳/۰۱/۱۲", "2024-03-31"),
        ("۱۴۰۳/۰۱/۱۲ ۱۰:۳۰", "2024-03-31T10:30:00Z"),
    ],
)
def test_forms(text, expected):
    assert shown(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "",
        "soon",
        "2024-02-30",
        "2024-13-01",
        "2024-03-31T25:00Z",
        "2024-03-31T10:61Z",
        "31 Foo 2024",
        "2024-W60-1",
        "2024-366x",
        "13:00",
        "2023-366",
        "2024-03T10:00Z",
        "1 2 3",
        "9" * 300,
        "2024-03-31T10:00 QQQ",
        "32/01/2024",
        "1403/13/01",
        "2024-00",
    ],
)
def test_no_time(text):
    assert shown(text) is None


def test_granularity_is_kept():
    grains = [
        times.parse(t, "p", times.UTC_RULES).granularity
        for t in (
            "2024",
            "2024-03",
            "2024-03-31",
            "2024-03-31T10Z",
            "2024-03-31T10:00Z",
            "2024-03-31T10:00:00Z",
            "2024-03-31T10:00:00.5Z",
            "2024-W13",
        )
    ]
    assert grains == [
        Granularity.YEAR,
        Granularity.MONTH,
        Granularity.DAY,
        Granularity.HOUR,
        Granularity.MINUTE,
        Granularity.SECOND,
        Granularity.MICROSECOND,
        Granularity.WEEK,
    ]


@pytest.mark.parametrize(
    ("text", "expected", "note"),
    [
        ("2024-07-01T10:00", "2024-07-01T08:00:00Z", "Europe/Berlin assumed"),
        ("2024-03-31T02:30", "2024-03-31T01:30:00Z", "skips"),
        ("2024-10-27T02:30", "2024-10-27T00:30:00Z", "first of two"),
        ("2024-07-01", "2024-07-01", "p"),
    ],
)
def test_local_times(text, expected, note):
    time = times.parse(text, "p", BERLIN)
    assert iso_text(time) == expected
    assert note in time.provenance


def test_day_and_month_order():
    assert shown("02/03/2024") == "2024-02-03"
    assert shown("02/03/2024", TimeRules(day_first=True)) == "2024-03-02"
    assert "month/day" in times.parse("02/03/2024", "p", times.UTC_RULES).provenance


@pytest.mark.parametrize(
    ("value", "unit", "expected"),
    [
        (19844, "days", "2024-05-01"),
        (1714543200, "s", "2024-05-01T06:00:00Z"),
        (1714543200000, "ms", "2024-05-01T06:00:00Z"),
        (1714543200000000, "us", "2024-05-01T06:00:00Z"),
        (1714543200000000999, "ns", "2024-05-01T06:00:00Z"),
        (1714543200, "", "2024-05-01T06:00:00Z"),
        (1714543200000, "", "2024-05-01T06:00:00Z"),
        (-1, "days", "1969-12-31"),
    ],
)
def test_numbers(value, unit, expected):
    assert iso_text(times.from_number(value, unit, "p")) == expected


@pytest.mark.parametrize(
    ("value", "unit"), [(19844, ""), (0, ""), (1e40, "s"), (float("nan"), "s"), (1, "weeks"), (10**30, "ms")]
)
def test_numbers_refused(value, unit):
    with pytest.raises(Rejected):
        times.from_number(value, unit, "p")


MOMENTS = st.datetimes(dt.datetime(2, 1, 1), dt.datetime(9998, 12, 31))  # noqa: DTZ001


@given(MOMENTS, st.integers(-14 * 60, 14 * 60))
def test_iso_with_offset_is_read_exactly(moment, offset):
    zone = dt.timezone(dt.timedelta(minutes=offset))
    aware = moment.replace(tzinfo=zone)
    time = times.parse(aware.isoformat(), "p", BERLIN)
    assert time.instant == (aware - dt.datetime(1970, 1, 1, tzinfo=dt.UTC)) // dt.timedelta(microseconds=1)


@given(st.dates(dt.date(1600, 1, 1), dt.date(2400, 1, 1)))
def test_days_in_words(day):
    expected = day.isoformat()
    assert shown(f"{day.day} {calendar.month_name[day.month]} {day.year}") == expected
    assert shown(f"{calendar.month_abbr[day.month]} {day.day}, {day.year}") == expected
    iso = day.isocalendar()
    assert shown(f"{iso.year:04d}-W{iso.week:02d}-{iso.weekday}") == expected
    assert shown(f"{day.year:04d}-{day.timetuple().tm_yday:03d}") == expected


@given(st.text(max_size=40))
def test_any_text_is_a_time_or_none(text):
    times.parse(text, "p", BERLIN)


@pytest.mark.parametrize(
    ("persian", "expected"),
    [
        ("1300-01-01", "1921-03-21"),
        ("1399-12-30", "2021-03-20"),
        ("1400-01-01", "2021-03-21"),
        ("1403-12-30", "2025-03-20"),
        ("1404-01-01", "2025-03-21"),
        ("1402-07-01", "2023-09-23"),
    ],
)
def test_persian_calendar(persian, expected):
    days, rest = time_words.persian_date(persian)
    assert rest == ""
    assert (dt.date(1970, 1, 1) + dt.timedelta(days=days)).isoformat() == expected
