"""Rows of any kind, brought to the intervals over which their content is to be believed.

A row says one content over one interval of the recorded axis. What it says is never changed: rows are
closed earlier and inserted, never deleted.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from tidegraph.domain.canonical import union
from tidegraph.domain.interval import Interval


class Row(Protocol):
    """A row that is believed over ``[recorded_at, invalidated_at)``."""

    @property
    def recorded_at(self) -> int: ...

    @property
    def invalidated_at(self) -> int: ...


_Row = TypeVar("_Row", bound=Row)
_Content = TypeVar("_Content")


@dataclass(frozen=True, slots=True)
class Kind(Generic[_Row, _Content]):
    """A kind of rows: their ids, their content (hashable), and how one is made.

    ``make`` is given a content, a recorded interval and a number that tells apart rows of both.
    """

    id_of: Callable[[_Row], str]
    content_of: Callable[[_Row], _Content]
    make: Callable[[_Content, Interval, int], _Row]


def fit(
    kind: Kind[_Row, _Content], stored: Iterable[_Row], wanted: Mapping[_Content, Sequence[Interval]]
) -> tuple[list[_Row], list[tuple[str, int]]]:
    """(rows to insert, (row id, invalidated_at) to close), in no order, that make the rows say ``wanted``.

    Args:
        stored: every row that may change, closed ones included.
        wanted: when each content is to be believed; one that is not named is never to be.
    """
    present: dict[_Content, list[_Row]] = defaultdict(list)
    for row in stored:
        present[kind.content_of(row)].append(row)
    insert: list[_Row] = []
    close: list[tuple[str, int]] = []
    for content in wanted.keys() | present.keys():
        rows = {kind.id_of(row): row for row in present.get(content, ())}
        for gap in _gaps(rows, union(wanted.get(content, ())), close):
            repeat = 0
            while kind.id_of(made := kind.make(content, gap, repeat)) in rows:
                repeat += 1
            rows[kind.id_of(made)] = made
            insert.append(made)
    return insert, close


def _gaps(
    rows: Mapping[str, Row], wanted: Sequence[Interval], close: list[tuple[str, int]]
) -> list[Interval]:
    """Close rows of one content where they reach beyond what is wanted; the parts not covered."""
    covered: list[Interval] = []
    for row_id, row in sorted(rows.items(), key=lambda item: (item[1].recorded_at, item[0])):
        part = next((part for part in wanted if part.contains(row.recorded_at)), None)
        reached = covered[-1].end if covered else None
        if part is None or (reached is not None and row.recorded_at < reached):
            end = row.recorded_at
        else:
            end = min(row.invalidated_at, part.end)
        if end < row.invalidated_at:
            close.append((row_id, end))
        if row.recorded_at < end:
            covered.append(Interval(row.recorded_at, end))
    return [gap for part in wanted for gap in _uncovered(part, covered)]


def _uncovered(part: Interval, covered: Sequence[Interval]) -> list[Interval]:
    gaps, reached = [], part.start
    for interval in covered:
        if interval.end <= reached or interval.start >= part.end:
            continue
        if interval.start > reached:
            gaps.append(Interval(reached, interval.start))
        reached = interval.end
    if reached < part.end:
        gaps.append(Interval(reached, part.end))
    return gaps
