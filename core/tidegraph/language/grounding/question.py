"""The temporal constraint of a question: relation, interval, offset, and what is anchored to an event."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache
from typing import Final

from tidegraph.domain.documents import DocumentTime, ExpressionKind, TimeExpression
from tidegraph.domain.interval import OPEN_END, OPEN_START, Granularity, Interval
from tidegraph.language.grounding.engine import Grounded, ground_with_operands
from tidegraph.language.grounding.lexicon import Grammar, load_grammar
from tidegraph.settings import GroundingSettings


class Relation(Enum):
    """How the asked time lies to the time named."""

    IN = "in"
    AT = "at"
    BEFORE = "before"
    AFTER = "after"
    BETWEEN = "between"
    SINCE = "since"
    UNTIL = "until"
    FIRST = "first"
    LAST = "last"
    DURING = "during"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Offset:
    """A span before (-1) or after (+1) the named time or event: exact (unit, count) pairs, coarsest first."""

    parts: tuple[tuple[str, float], ...]
    sign: int
    start_char: int
    end_char: int


@dataclass(frozen=True, slots=True)
class EventSpan:
    """An event that a question counts from: "after the merger with Hale". Resolved later, in the graph."""

    text: str
    start_char: int
    end_char: int


@dataclass(frozen=True, slots=True)
class QuestionTime:
    """What a question says about time.

    ``interval`` is the asked interval (the offset applied) when the calendar settles it: after 2016 is
    [2017, open). ``base`` is the time named, before relation and offset. ``order`` is FIRST or LAST when
    the earliest or latest match is asked for, else NONE. ``event`` is set when the time is that of an
    event of the text. ``expressions`` are all time expressions found, ``spans`` the characters used.
    """

    relation: Relation
    interval: Interval | None
    base: Interval | None
    offset: Offset | None
    event: EventSpan | None
    order: Relation
    expressions: tuple[TimeExpression, ...]
    spans: tuple[tuple[int, int], ...]


_EVENT_END: Final = re.compile(r"[?!;]|,\s(?=[^\W\d_A-Z]|\d)|(?<!\b[A-Z])\.(?=\s|$)|$")


@dataclass(frozen=True, slots=True)
class _Words:
    relation: re.Pattern[str]
    order: re.Pattern[str]
    names: dict[str, Relation]
    orders: dict[str, Relation]


@lru_cache(maxsize=8)
def _words(language: str) -> _Words:
    table = load_grammar(language).options["question"]
    names = {w: Relation(r) for r, ws in table["relations"].items() for w in ws}
    orders = {w: Relation(r) for r, ws in table["order"].items() for w in ws}
    return _Words(_any(names), _any(orders), names, orders)


def _any(words: dict[str, Relation]) -> re.Pattern[str]:
    longest = sorted((re.escape(w).replace(r"\ ", r"\s+") for w in words), key=len, reverse=True)
    return re.compile(rf"(?<!\w)(?:{'|'.join(longest)})(?!\w)", re.IGNORECASE)


def read_question(text: str, settings: GroundingSettings, asked_at: int | None) -> QuestionTime:
    """The temporal part of a question.

    Args:
        text: the question; offsets in the result are code points of it.
        settings: as for grounding; ``language`` chooses the relation words.
        asked_at: the moment that "today" and "last year" count from, UTC microseconds, or ``None``:
            then they stay unresolved.
    """
    asked = None if asked_at is None else DocumentTime(asked_at, Granularity.SECOND, "question")
    found = ground_with_operands(text, asked, settings)
    words = _words(load_grammar(settings.language).language)
    main = _main(found)
    order = _order(text, words, main)
    event, offset, relation = _event(text, found, words)
    if event is not None and main is not None and event.start_char < main.expression.start_char:
        event = None
    expressions = tuple(g.expression for g in found)
    if event is not None:
        spans = _spans(None, event, offset)
        base = main.expression.interval if main else None
        return QuestionTime(relation, None, base, offset, event, order, expressions, spans)
    if main is None:
        return QuestionTime(Relation.NONE, None, None, None, None, order, expressions, ())
    relation = _relation(text, main, words)
    base = (
        main.operands[0].interval
        if main.operands and relation is not Relation.BETWEEN
        else main.expression.interval
    )
    interval = _asked(main.expression.interval, relation)
    return QuestionTime(relation, interval, base, None, None, order, expressions, _spans(main, None, None))


def _main(found: tuple[Grounded, ...]) -> Grounded | None:
    """The expression that constrains the answer: the last resolved one (questions end in their time)."""
    resolved = [g for g in found if g.expression.interval is not None]
    return resolved[-1] if resolved else None


def _order(text: str, words: _Words, main: Grounded | None) -> Relation:
    for match in words.order.finditer(text):
        if main is None or not main.expression.start_char <= match.start() < main.expression.end_char:
            return words.orders[re.sub(r"\s+", " ", match.group().lower())]
    return Relation.NONE


def _relation(text: str, main: Grounded, words: _Words) -> Relation:
    """The relation word inside the expression or right before it; DURING for longer than a day otherwise."""
    expression = main.expression
    if expression.kind is ExpressionKind.RANGE and len(main.operands) == 2:
        return Relation.BETWEEN
    lead = words.relation.match(expression.text)
    if lead is None:
        before = text[max(0, expression.start_char - 24) : expression.start_char]
        near = [m for m in words.relation.finditer(before) if not before[m.end() :].strip(" \tthe")]
        lead = near[-1] if near else None
    if lead is not None:
        return words.names[re.sub(r"\s+", " ", lead.group().lower())]
    interval = expression.interval
    return Relation.AT if interval and interval.granularity <= Granularity.DAY else Relation.IN


def _asked(interval: Interval | None, relation: Relation) -> Interval | None:
    if interval is None or interval.has_open_start or interval.has_open_end:
        return interval
    match relation:
        case Relation.BEFORE:
            return Interval(OPEN_START, interval.start)
        case Relation.AFTER:
            return Interval(interval.end, OPEN_END)
        case Relation.SINCE:
            return Interval(interval.start, OPEN_END)
        case Relation.UNTIL:
            return Interval(OPEN_START, interval.end)
    return interval


def _event(
    text: str, found: tuple[Grounded, ...], words: _Words
) -> tuple[EventSpan | None, Offset | None, Relation]:
    """A relation word with words behind it that are no time: the event, with a span before it as offset."""
    for match in words.relation.finditer(text):
        relation = words.names[re.sub(r"\s+", " ", match.group().lower())]
        if relation in (Relation.IN, Relation.AT, Relation.BETWEEN):
            continue
        rest = match.end() + (len(text[match.end() :]) - len(text[match.end() :].lstrip()))
        if any(
            g.expression.interval is not None and g.expression.start_char <= rest < g.expression.end_char
            for g in found
        ):
            continue
        end = rest + _first_end(text[rest:])
        if end <= rest:
            continue
        offset = _offset(found, match, relation)
        return EventSpan(text[rest:end], rest, end), offset, relation
    return None, None, Relation.NONE


def _first_end(rest: str) -> int:
    match = _EVENT_END.search(rest)
    return len(rest[: match.start() if match else len(rest)].rstrip())


def _offset(found: tuple[Grounded, ...], match: re.Match[str], relation: Relation) -> Offset | None:
    for grounded in found:
        span = grounded.span
        expression = grounded.expression
        if span is None or relation not in (Relation.BEFORE, Relation.AFTER):
            continue
        gap = match.start() - expression.start_char
        if gap >= 0 and match.end() - expression.end_char <= 40 and expression.end_char >= match.start() - 3:
            sign = 1 if relation is Relation.AFTER else -1
            return Offset(span.parts, sign, expression.start_char, min(expression.end_char, match.start()))
    return None


def _spans(
    main: Grounded | None, event: EventSpan | None, offset: Offset | None
) -> tuple[tuple[int, int], ...]:
    spans = []
    if main is not None:
        spans.append((main.expression.start_char, main.expression.end_char))
    if offset is not None:
        spans.append((offset.start_char, offset.end_char))
    if event is not None:
        spans.append((event.start_char, event.end_char))
    return tuple(spans)


__all__ = ["EventSpan", "Grammar", "Offset", "QuestionTime", "Relation", "read_question"]
