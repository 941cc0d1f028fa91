"""What a sighting tells while its document is withdrawn."""

from __future__ import annotations

from tidegraph.domain.identity import CALLED, SIGNED, Sighting, told_at
from tidegraph.domain.interval import OPEN_END, OPEN_START, Interval

SEEN = Sighting(
    entity_id="e",
    document_id="d",
    names=((1, "Osric Fennell"), (1, "O. F.")),
    slots=((CALLED, "Ossie"), (SIGNED, "born=1922"), ("role", "mayor")),
    keys=("k",),
    words=("harbour",),
    time=5,
    recorded_at=10,
    gaps=(Interval(20, 30), Interval(40, OPEN_END)),
)


def test_it_counts_from_its_record_on_but_for_its_gaps() -> None:
    counts = [at for at in (9, 10, 19, 20, 29, 30, 39, 40, OPEN_END - 1) if SEEN.stands(at)]
    assert counts == [10, 19, 30, 39]


def test_in_a_gap_it_tells_the_name_that_its_id_is_made_of() -> None:
    assert told_at([SEEN], 9) == []
    assert told_at([SEEN], 10) == [SEEN]
    (bare,) = told_at([SEEN], 20)
    assert bare.names == ((1, "Osric Fennell"),)
    assert bare.slots == ((SIGNED, "born=1922"),)
    assert (bare.words, bare.time, bare.entity_id, bare.recorded_at) == ((), OPEN_START, "e", 10)
    assert bare.row_id != SEEN.row_id


def test_gaps_are_no_part_of_the_id_of_a_row() -> None:
    assert SEEN.row_id == Sighting(*(getattr(SEEN, name) for name in (
        "entity_id", "document_id", "names", "slots", "keys", "words", "time", "recorded_at"
    ))).row_id  # fmt: skip
