"""Which of several dated facts or events an asked time and order mean. Pure interval work.

"Before 2020" without a plural asks for what held immediately before, or last before; "after 2020" for
what held next. With a plural everything on that side counts.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from tidegraph.domain.asof import AsOf, Certainty
from tidegraph.domain.facts import FactVersion
from tidegraph.domain.identity import NAME
from tidegraph.domain.interval import OPEN_END, OPEN_START, Interval
from tidegraph.services.usecases.question import Linked, Order, Relation

T = TypeVar("T")
IntervalOf = Callable[[T], Interval]


def select(
    items: Sequence[T],
    interval_of: IntervalOf[T],
    relation: Relation,
    asked: Interval | None,
    order: Order,
    every: bool,
) -> list[T]:
    """The items that the time means, ascending by start. ``every``: all of them, not just the nearest."""
    ordered = sorted(items, key=lambda item: (interval_of(item).start, interval_of(item).end))
    if asked is None or relation is Relation.NONE:
        return _pick(ordered, interval_of, order)
    if relation in (Relation.BEFORE, Relation.UNTIL):
        pool = [item for item in ordered if interval_of(item).start < asked.start]
        if order is Order.NONE and not every:
            return last_before(pool, interval_of, asked.start)
        return _pick(pool, interval_of, order, asked.start)
    if relation is Relation.AFTER:
        if order is Order.NONE and not every:
            return next_after(ordered, interval_of, asked.end)
        starting = [item for item in ordered if interval_of(item).start >= asked.end]
        holding = [item for item in ordered if interval_of(item).contains(asked.end)]
        chosen = starting if order is Order.FIRST and starting else _merged(holding, starting)
        return _pick(chosen, interval_of, order)
    if relation is Relation.SINCE:
        asked = Interval(asked.start, OPEN_END)
    pool = [item for item in ordered if _meets(interval_of(item), asked)]
    return _pick(pool, interval_of, order)


def surest(facts: Sequence[FactVersion], asked: Interval) -> list[FactVersion]:
    """The facts that surely hold in the asked time; else those that may and have a known start.

    A fact of which no start is known says nothing of a time long before its end, and is left out there;
    but for a name: a thing is never without one.
    """
    question = AsOf(valid=asked)
    grades = [(question.certainty(replace(fact, invalidated_at=OPEN_END)), fact) for fact in facts]
    sure = [fact for grade, fact in grades if grade is Certainty.DEFINITE]
    return sure or [fact for _, fact in grades if fact.predicate == NAME or not fact.valid.has_open_start]


def begun(facts: Sequence[FactVersion], present: int) -> list[FactVersion]:
    """The facts without those that are only announced, for after the present moment."""
    return [fact for fact in facts if not (fact.announced and fact.valid.start > present)]


def between(facts: Sequence[FactVersion], bounds: Sequence[Linked]) -> list[FactVersion]:
    """The facts from the first that names the first bound to the last that names the last; all without."""
    if not bounds:
        return list(facts)
    places = [
        [index for index, fact in enumerate(facts) if {fact.subject, fact.object} & set(bound.ids)]
        for bound in (bounds[0], bounds[-1])
    ]
    first, last = places[0][0] if places[0] else 0, places[1][-1] if places[1] else len(facts) - 1
    return list(facts[first : last + 1])


def last_before(items: Sequence[T], interval_of: IntervalOf[T], instant: int) -> list[T]:
    """What held immediately before an instant; else what ended last before it."""
    if instant == OPEN_START:
        return []
    holding = [item for item in items if interval_of(item).contains(instant - 1)]
    if holding:
        return holding
    ended = [item for item in items if interval_of(item).end <= instant]
    latest = max((interval_of(item).end for item in ended), default=0)
    return [item for item in ended if interval_of(item).end == latest]


def next_after(items: Sequence[T], interval_of: IntervalOf[T], instant: int) -> list[T]:
    """What holds at an instant; else what starts first after it."""
    if instant == OPEN_END:
        return []
    holding = [item for item in items if interval_of(item).contains(instant)]
    if holding:
        return holding
    later = [item for item in items if interval_of(item).start >= instant]
    first = min((interval_of(item).start for item in later), default=0)
    return [item for item in later if interval_of(item).start == first]


def neighbours(items: Sequence[T], interval_of: IntervalOf[T], anchors: Sequence[T], order: Order) -> list[T]:
    """What came next after, or last before, the anchors among the items (which do not hold them).

    Measured from the last start of the anchors for NEXT and from their first start for PREVIOUS, so that
    a successor who overlaps for a while counts.
    """
    if not anchors:
        return []
    if order is Order.PREVIOUS:
        first = min(interval_of(item).start for item in anchors)
        before = [item for item in items if interval_of(item).start < first]
        latest = max((interval_of(item).start for item in before), default=0)
        return [item for item in before if interval_of(item).start == latest]
    last = max(interval_of(item).start for item in anchors)
    later = [item for item in items if interval_of(item).start > last]
    soonest = min((interval_of(item).start for item in later), default=0)
    return [item for item in later if interval_of(item).start == soonest]


def _pick(items: list[T], interval_of: IntervalOf[T], order: Order, before: int = OPEN_END) -> list[T]:
    """All, or only those with the first or the last start (before an instant)."""
    if order is Order.FIRST:
        return [item for item in items if interval_of(item).start == interval_of(items[0]).start]
    if order is Order.LAST:
        pool = [item for item in items if interval_of(item).start < before]
        return [item for item in pool if interval_of(item).start == interval_of(pool[-1]).start]
    return items


def _meets(span: Interval, asked: Interval) -> bool:
    return span.overlaps(asked) or (span.is_empty and asked.contains(span.start))


def _merged(one: list[T], other: list[T]) -> list[T]:
    return [*one, *(item for item in other if item not in one)]
