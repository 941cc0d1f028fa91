"""What the write stage makes of a document before it is planned."""

from __future__ import annotations

from dataclasses import replace

from tests.contracts.feed import writing

from tidegraph.domain.documents import DocumentTime
from tidegraph.domain.interval import Granularity, instant
from tidegraph.streams.stages.write import storable


def _dated(at: int, granularity: Granularity) -> DocumentTime | None:
    document = writing("d").done()
    time = DocumentTime(at, granularity, "test")
    return storable(
        replace(document, header=replace(document.header, document_time=time))
    ).header.document_time


def test_a_time_of_day_long_ago_is_kept_to_the_day() -> None:
    assert _dated(instant(1472, 12, 14, 13), Granularity.SECOND) == DocumentTime(
        instant(1472, 12, 14), Granularity.DAY, "test"
    )


def test_a_coarse_time_long_ago_keeps_its_granularity() -> None:
    assert _dated(instant(1472), Granularity.YEAR) == DocumentTime(instant(1472), Granularity.YEAR, "test")


def test_a_time_that_the_store_can_compare_is_left_alone() -> None:
    exact = instant(2024, 5, 1, 9, 30)
    assert _dated(exact, Granularity.MINUTE) == DocumentTime(exact, Granularity.MINUTE, "test")


def test_no_document_time_stays_none() -> None:
    document = writing("d").done()
    undated = replace(document, header=replace(document.header, document_time=None))
    assert storable(undated) is undated
