"""The asked time of a question, settled."""

from __future__ import annotations

from dataclasses import dataclass

from tidegraph.domain.interval import OPEN_END, OPEN_START, Granularity, Interval
from tidegraph.services.usecases.context import Moment
from tidegraph.services.usecases.question import Order, Question, Relation


@dataclass(frozen=True, slots=True)
class Scope:
    """What relation to which interval. ``given``: by caller, question or anchor."""

    relation: Relation
    interval: Interval | None
    given: bool


def scope_of(question: Question, moment: Moment, *, given: bool) -> Scope:
    """The asked time: the caller's, else the question's, else (present tense) now."""
    if given:
        return Scope(Relation.IN, moment.valid, given=True)
    if question.time.interval is not None and not moment.valid_defaulted:
        return Scope(question.time.relation, question.time.interval, given=True)
    if question.past or question.order is not Order.NONE or question.anchor is not None:
        return Scope(Relation.NONE, None, given=False)
    now = Interval(moment.now, moment.now + 1, Granularity.MICROSECOND)
    return Scope(Relation.IN, now, given=False)


def window_of(relation: Relation, asked: Interval | None) -> Interval | None:
    """The stretch of time in which evidence counts for a relation to the asked time."""
    if asked is None:
        return None
    match relation:
        case Relation.BEFORE | Relation.UNTIL:
            return Interval(OPEN_START, asked.start) if asked.start > OPEN_START else None
        case Relation.AFTER:
            return Interval(asked.end, OPEN_END) if asked.end < OPEN_END else None
        case Relation.SINCE:
            return Interval(asked.start, OPEN_END)
    return asked


def until_end(relation: Relation, window: Interval | None) -> Interval | None:
    """The window of events that tell of a state in an asked time: all up to its end."""
    if window is None or relation not in (Relation.IN, Relation.BETWEEN):
        return window
    return Interval(OPEN_START, window.end)
