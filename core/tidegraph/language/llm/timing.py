"""The times that a model marks, resolved by the grounding engine; where the two differ is recorded.

The model never dates anything: it quotes words of the text, and the time expressions found before give
them their value. Its own reading of the value is asked for only to be compared.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from tidegraph.domain.documents import (
    DocumentTime,
    EndpointBasis,
    ExpressionKind,
    TimeExpression,
    TimeState,
    ValidTime,
    Verb,
)
from tidegraph.domain.interval import MICROS_PER_DAY, OPEN_END, OPEN_START, Granularity, Interval, instant
from tidegraph.language.grains import end_grain, start_grain
from tidegraph.language.llm.quotes import Folded, Span

_ISO: Final = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?")
_TIMELESS: Final = frozenset({ExpressionKind.DURATION, ExpressionKind.RECURRING, ExpressionKind.VAGUE})
_RANGES: Final = frozenset({ExpressionKind.RANGE, ExpressionKind.OPEN_RANGE})
_NONE: Final = (OPEN_START, Granularity.UNKNOWN, EndpointBasis.NONE)
_OPEN: Final = (OPEN_END, Granularity.UNKNOWN, EndpointBasis.NONE)
_Point = tuple[int, Granularity, EndpointBasis]


class Disagreement(StrEnum):
    """How the model and the grounding engine read a time differently."""

    UNREAD = "unread"
    """The model marks a time in which the engine finds none."""
    UNMARKED = "unmarked"
    """The engine finds a dated expression in what the model quoted, and the model marked no time."""
    VALUE = "value"
    """The model's own reading lies outside what the engine made of the same words."""


@dataclass(frozen=True, slots=True)
class EventTime:
    """When an event happened, by which rule, and what was found in doubt."""

    state: TimeState
    interval: Interval | None
    rule: str
    expression: TimeExpression | None
    disagreements: tuple[Disagreement, ...]


class Times:
    """The time expressions of a document part, found by what is quoted of them."""

    def __init__(self, expressions: Sequence[TimeExpression], base: int, text: Folded) -> None:
        self._expressions = sorted(expressions, key=lambda e: (e.start_char, -e.end_char))
        self._base = base
        self._text = text

    def of(self, quote: str, near: Span) -> TimeExpression | None:
        """The expression that a quoted time names: in the span ``near`` (offsets of the part), else the last
        before its end, else the first."""
        places = self._text.all(quote) if quote else []
        inside = [place for place in places if near[0] <= place[0] and place[1] <= near[1]]
        before = [place for place in places if place[1] <= near[1]]
        for place in (*inside, *reversed(before), *places):
            found = self._at(place)
            if found:
                return min(found, key=_by_precision)
        return None

    def within(self, span: Span) -> list[TimeExpression]:
        """The dated expressions in a span (offsets of the part)."""
        return [e for e in self._at(span) if e.interval is not None and e.kind not in _TIMELESS]

    def event_time(self, quotes: Sequence[str], value: str, near: Span) -> EventTime:
        """The time of an event: of its marked times the finest, which is the anchor (DyG-RAG section 3.3).

        Spans keep their length. Where the model marked nothing, what the engine found in the quotation
        counts.
        """
        marked = [(quote, self.of(quote, near)) for quote in quotes]
        wrong = {Disagreement.UNREAD for _, found in marked if found is None}
        dated = [e for _, e in marked if e is not None and e.interval is not None and e.kind not in _TIMELESS]
        if not quotes and (dated := self.within(near)):
            wrong.add(Disagreement.UNMARKED)
        if not dated:
            meant = [e for _, e in marked if e is not None and e.kind is not ExpressionKind.RECURRING]
            state = TimeState.UNRESOLVED if meant or wrong else TimeState.STATIC
            return EventTime(state, None, meant[0].rule_id if meant else "", None, tuple(sorted(wrong)))
        anchor = min(dated, key=_by_precision)
        assert anchor.interval is not None
        if not _agrees(value, anchor.interval):
            wrong.add(Disagreement.VALUE)
        return EventTime(TimeState.DATED, anchor.interval, anchor.rule_id, anchor, tuple(sorted(wrong)))

    def _at(self, span: Span) -> list[TimeExpression]:
        start, end = span[0] + self._base, span[1] + self._base
        return [e for e in self._expressions if e.start_char < end and start < e.end_char]


def valid_time(
    verb: Verb,
    ends: tuple[TimeExpression | None, TimeExpression | None],
    event: EventTime,
    written: DocumentTime | None,
) -> ValidTime | None:
    """When a claim holds, or ``None`` when nothing can be said of it.

    ``ends`` are the times marked as its start and its end; without them the event's own time counts, and
    without that the document's day, as for the language extractor: of a change it is the day, a state was
    seen on it.
    """
    start, end = _start(ends[0], verb), _end(ends[1], verb)
    if (
        ends[0] is not None
        and ends[0].kind is ExpressionKind.RANGE
        and ends[1] is None
        and verb is not Verb.STOP
    ):
        end = _range_end(ends[0])
    if start is None and end is None:
        if event.expression is not None:
            start, end = _of_event(event.expression, verb)
        elif event.state is TimeState.STATIC:
            start, end = _of_document(verb, written)
    if verb is Verb.STOP:
        moment = end or start
        return None if moment is None else _valid(_NONE, moment)
    if start is not None and end is not None and end[0] < start[0]:
        return None
    return _valid(start or _NONE, end or _OPEN)


def _start(time: TimeExpression | None, verb: Verb) -> _Point | None:
    if time is None or time.interval is None or time.kind in _TIMELESS:
        return None
    if time.interval.has_open_start:
        return None
    return time.interval.start, _grain(time), EndpointBasis.STATED


def _end(time: TimeExpression | None, verb: Verb) -> _Point | None:
    """ "until May 2021" holds through May; who left in May held no more from its beginning."""
    if time is None or time.interval is None or time.kind in _TIMELESS:
        return None
    interval = time.interval
    if verb is Verb.STOP and not interval.has_open_start:
        return interval.start, _grain(time), EndpointBasis.STATED
    if interval.has_open_end:
        return interval.start, _grain(time), EndpointBasis.STATED
    return interval.end, end_grain(time) if time.kind in _RANGES else _grain(time), EndpointBasis.STATED


def _range_end(time: TimeExpression) -> _Point | None:
    if time.interval is None or time.interval.has_open_end:
        return None
    return time.interval.end, end_grain(time), EndpointBasis.STATED


def _of_event(time: TimeExpression, verb: Verb) -> tuple[_Point | None, _Point | None]:
    """A change has the event's time; a state was seen to hold in it, or held in a span that is told."""
    assert time.interval is not None
    if verb is Verb.STOP:
        return None, _end(time, verb)
    if verb is not Verb.STATE:
        return _start(time, verb), _range_end(time) if time.kind is ExpressionKind.RANGE else None
    if time.kind in _RANGES:
        return _start(time, verb), _range_end(time)
    interval = time.interval
    return (
        (interval.start, interval.granularity, EndpointBasis.OBSERVED),
        (interval.end, interval.granularity, EndpointBasis.OBSERVED),
    )


def _of_document(verb: Verb, written: DocumentTime | None) -> tuple[_Point | None, _Point | None]:
    if written is None:
        return None, None
    if verb is Verb.STATE:
        return (written.instant, written.granularity, EndpointBasis.OBSERVED), None
    day = (written.instant - written.instant % MICROS_PER_DAY, Granularity.DAY, EndpointBasis.STATED)
    return (None, day) if verb is Verb.STOP else (day, None)


def _grain(time: TimeExpression) -> Granularity:
    assert time.interval is not None
    ranged = time.interval.granularity is Granularity.RANGE
    return start_grain(time) if ranged else time.interval.granularity


def _by_precision(time: TimeExpression) -> tuple[bool, int, bool, int]:
    """The finest first; of equally fine ones a span."""
    grain = int(_grain(time)) if time.interval else 99
    return time.interval is None, grain, time.kind not in _RANGES, time.start_char


def _agrees(value: str, interval: Interval) -> bool:
    """Whether the model's reading meets the engine's; a reading that is no ISO date says nothing."""
    match = _ISO.match(value)
    if match is None:
        return True
    year, month, day = int(match[1]), int(match[2] or 1), int(match[3] or 1)
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return False
    start = instant(year, month, day)
    if match[3]:
        end = start + MICROS_PER_DAY
    elif match[2]:
        end = instant(year + month // 12, month % 12 + 1, 1)
    else:
        end = instant(year + 1, 1, 1)
    return start < interval.end and interval.start < end


def _valid(start: _Point, end: _Point) -> ValidTime:
    return ValidTime(start[0], end[0], start[1], end[1], start[2], end[2])
