"""When a submission stops counting: a function of the set of records, whatever their order."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import replace

import pytest
from tests.contracts.feed import GRAPH, retraction, writing
from tests.contracts.samples import at

from tidegraph.domain.documents import ExtractedDocument
from tidegraph.domain.interval import OPEN_END, OPEN_START, Interval
from tidegraph.ports import DocumentRecord
from tidegraph.streams.writing.submissions import Submissions


def taken(records: Sequence[ExtractedDocument], batch: int = 100) -> list[DocumentRecord]:
    """The records of document "a" after taking them in, in batches, each on what the last one stored."""
    stored: list[DocumentRecord] = []
    for start in range(0, len(records), batch):
        submissions = Submissions(GRAPH, ["a"], stored)
        for record in records[start : start + batch]:
            submissions.place(record)
        moves = submissions.moves()
        known = {record.origin for record in stored} | {record.revision_origin for record in stored}
        assert {origin for origin, _ in (*moves.withdrawn, *moves.recorded_earlier)} <= known
        stored = submissions.records("a")
    return sorted(stored, key=lambda r: (r.header.revision, r.generation, r.extractor_epoch, r.header.part))


def spans(records: Sequence[DocumentRecord]) -> list[tuple[str, str, int, int]]:
    """(revision, epoch, recorded, withdrawn) by month of 2024; 0 for never."""

    def month(instant: int) -> int:
        return 0 if instant == OPEN_END else round((instant - at(2024)) / (at(2024, 2) - at(2024))) + 1

    return [
        (r.header.revision, r.extractor_epoch, month(r.header.recorded_at), month(r.withdrawn_at))
        for r in records
    ]


def sent(revision: str, month: int, year: int | None = 2020, **fields: object) -> ExtractedDocument:
    return writing("a", revision, at(year) if year else None, at(2024, month), **fields).done()


CASES = {
    "one revision": ([sent("1", 1)], [("1", "e1", 1, 0)]),
    "a copy": ([sent("1", 2), sent("1", 1), sent("1", 3)], [("1", "e1", 1, 0)]),
    "a later time adds": ([sent("1", 1, 2020), sent("2", 2, 2021)], [("1", "e1", 1, 0), ("2", "e1", 2, 0)]),
    "the same time replaces": ([sent("1", 1), sent("2", 3)], [("1", "e1", 1, 3), ("2", "e1", 3, 0)]),
    "numbers say which is later": ([sent("10", 1), sent("9", 3)], [("10", "e1", 1, 0), ("9", "e1", 3, 3)]),
    "so do versions": ([sent("v2.10", 1), sent("v2.9", 2)], [("v2.10", "e1", 1, 0), ("v2.9", "e1", 2, 2)]),
    "names do not": ([sent("b", 1), sent("a", 3)], [("a", "e1", 3, 0), ("b", "e1", 1, 3)]),
    "no time replaces no time": (
        [sent("b", 1, None), sent("a", 3, None)],
        [("a", "e1", 3, 0), ("b", "e1", 1, 3)],
    ),
    "a later epoch": ([sent("1", 1), sent("1", 4, epoch="e2")], [("1", "e1", 1, 4), ("1", "e2", 4, 0)]),
    "half a successor replaces nothing": (
        [sent("1", 1), sent("2", 3, part=2, parts=2)],
        [("1", "e1", 1, 0), ("2", "e1", 3, 0)],
    ),
    "a whole one does": (
        [sent("1", 1), sent("2", 3, part=2, parts=2), sent("2", 3, part=1, parts=2)],
        [("1", "e1", 1, 3), ("2", "e1", 3, 0), ("2", "e1", 3, 0)],
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_every_order_and_every_cut_gives_one_result(name: str) -> None:
    records, expected = CASES[name]
    for order in itertools.permutations([*records, records[0]]):
        for batch in (1, 2, 100):
            assert spans(taken(order, batch)) == expected


@pytest.mark.parametrize("batch", [1, 100])
@pytest.mark.parametrize("epochs", [("e1", "e2"), ("e2", "e1"), ("e9", "e10")])
def test_a_second_reading_of_one_record_is_surplus(epochs: tuple[str, str], batch: int) -> None:
    first, second = (sent("1", 1, epoch=epoch) for epoch in epochs)
    found = taken([first, second, second, first], batch)
    assert spans(found) == [("1", epochs[0], 1, 0)]
    submissions = Submissions(GRAPH, ["a"], found)
    assert submissions.place(second).is_surplus
    assert not submissions.place(first).is_surplus
    again = replace(second, reextracted_at=at(2024, 4))
    assert submissions.place(again).is_new, "it was decided on"
    assert sorted(spans(submissions.records("a"))) == sorted([("1", epochs[0], 1, 4), ("1", epochs[1], 4, 0)])


def test_the_reading_that_is_whole_first_stays() -> None:
    def parts(epoch: str) -> list[ExtractedDocument]:
        return [sent("1", 1, epoch=epoch, part=part, parts=2) for part in (1, 2)]

    old, new = parts("e1"), parts("e2")
    for order, whole in (
        ([old[0], *new], "e2"),
        ([old[0], *new, old[1]], "e2"),
        ([old[0], new[0], old[1], new[1]], "e1"),
        ([*old, *new], "e1"),
        ([*new, *old], "e2"),
    ):
        for batch in (1, 100):
            counting = [span for span in spans(taken(order, batch)) if span[3] == 0]
            assert counting == [("1", whole, 1, 0)] * 2


def test_a_copy_that_would_count_from_where_another_reading_stands_is_surplus() -> None:
    records = [sent("1", 4), sent("1", 1, epoch="e2"), sent("1", 1)]
    assert spans(taken(records)) == [("1", "e1", 4, 0), ("1", "e2", 1, 4)]


def test_of_two_readings_that_a_graph_holds_the_greater_number_counts() -> None:
    held = [record for epoch in ("e9", "e10") for record in taken([sent("1", 1, epoch=epoch)])]
    assert spans(Submissions(GRAPH, ["a"], held).records("a")) == [("1", "e9", 1, 1), ("1", "e10", 1, 0)]


def test_a_retraction_ends_what_was_recorded_before_it() -> None:
    records = [sent("1", 1, 2020), sent("2", 2, 2021), retraction("a", at(2024, 3))]
    for order in itertools.permutations(records):
        assert spans(taken(order))[1:] == [("1", "e1", 1, 3), ("2", "e1", 2, 3)]


@pytest.mark.parametrize(
    ("records", "gaps"),
    [
        ([sent("1", 1), sent("2", 3)], None),
        ([sent("1", 1), retraction("a", at(2024, 4))], [(at(2024, 4), OPEN_END)]),
        ([sent("1", 1), retraction("a", at(2024, 4)), sent("1", 6)], [(at(2024, 4), at(2024, 6))]),
        (
            [
                sent("1", 1),
                sent("2", 2),
                retraction("a", at(2024, 4)),
                sent("3", 5),
                retraction("a", at(2024, 8)),
            ],
            [(at(2024, 4), at(2024, 5)), (at(2024, 8), OPEN_END)],
        ),
        ([retraction("a", at(2024, 4)), sent("1", 6)], []),
        (
            [sent("1", 1), retraction("a", at(2024)), sent("1", 6)],
            [(at(2024), at(2024, 6))],
        ),
        ([retraction("a", at(2024, 4))], [(OPEN_START, OPEN_END)]),
    ],
)
def test_a_document_has_gaps_between_what_counted(
    records: list[ExtractedDocument], gaps: list[tuple[int, int]] | None
) -> None:
    submissions = Submissions(GRAPH, ["a"], [])
    for record in records:
        submissions.place(record)
    assert submissions.gaps() == ({} if gaps is None else {"a": tuple(Interval(*gap) for gap in gaps)})


def test_what_comes_after_a_retraction_counts_anew() -> None:
    records = [
        sent("1", 1),
        retraction("a", at(2024, 3)),
        sent("1", 5),
        sent("1", 6),
        retraction("a", at(2024, 8)),
    ]
    for batch in (1, 2, 100):
        found = [span for span in spans(taken([*records, *records], batch)) if span[0]]
        assert found == [("1", "e1", 1, 3), ("1", "e1", 5, 8)]


def test_ids_of_a_second_submission_are_its_own() -> None:
    submissions = Submissions(GRAPH, ["a"], [])
    first = submissions.place(sent("1", 1))
    submissions.place(retraction("a", at(2024, 3)))
    second = submissions.place(sent("1", 5))
    assert (first.ids_again, second.ids_again) == (False, True)
    assert first.record.revision_origin != second.record.revision_origin
    assert not submissions.place(sent("1", 5)).is_new


def test_other_content_under_one_revision_is_another_submission() -> None:
    other = sent("1", 4)
    other = replace(other, header=replace(other.header, content_hash="other"))
    found = taken([sent("1", 1), other])
    assert [record.generation for record in found] == [0, 1]
    assert spans(found) == [("1", "e1", 1, 4), ("1", "e1", 4, 0)]


def test_one_revision_may_be_retracted_alone() -> None:
    submissions = Submissions(GRAPH, ["a"], [])
    for record in (sent("1", 1, 2020), sent("2", 2, 2021)):
        submissions.place(record)
    submissions.retract(sent("1", 6).header, one_revision=True)
    ends = {r.header.revision: r.withdrawn_at for r in submissions.records("a") if r.extractor_epoch == "e1"}
    assert ends == {"1": at(2024, 6), "2": OPEN_END}
