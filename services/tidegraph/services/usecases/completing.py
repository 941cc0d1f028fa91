"""What the rules leave open in a question, asked of a language model where one is configured for that.

What the rules read stands. The model may name entities where the rules found none, a time where they found
neither a time nor a clause of time, and what is asked for where no form of question fits. What it names must
be in the graph; without an answer the question stays as the rules read it.
"""

from __future__ import annotations

import asyncio

from tidegraph.domain.asked import Asked
from tidegraph.domain.errors import Rejected
from tidegraph.domain.interval import Interval, format_instant
from tidegraph.ports import QuestionParts, Visibility
from tidegraph.services.times import read_date
from tidegraph.services.usecases.context import Ports
from tidegraph.services.usecases.linking import find_seen
from tidegraph.services.usecases.overriding import NOTHING, Choice, Override, TimeChoice
from tidegraph.services.usecases.question import (
    Order,
    Question,
    Relation,
)


async def completed(ports: Ports, graph: str, question: Question, now: int, seen: Visibility) -> Override:
    """What to read otherwise; NOTHING where nothing is open, no model is configured, or it does not help."""
    if ports.question_reader is None or not _is_open(question):
        return NOTHING
    today = format_instant(now)[:10]
    parts = await asyncio.to_thread(ports.question_reader.read, question.text, today)
    if parts is None:
        return NOTHING
    return Override(
        entities=() if question.entities else await _known(ports, graph, parts, seen),
        asked=Asked(parts.asked_for) if _is_formless(question) and parts.asked_for != Asked.WHAT else None,
        time=None if _is_timed(question) else _time(parts),
    )


def _is_open(question: Question) -> bool:
    return not question.entities or _is_formless(question) or (question.past and not _is_timed(question))


def _is_formless(question: Question) -> bool:
    """Whether only the last form fits, which fits everything."""
    first = question.masked.split(" ", 1)[0]
    return question.asked is Asked.WHAT and first not in ("what", "which")


def _is_timed(question: Question) -> bool:
    return question.time.interval is not None or question.anchor is not None


async def _known(ports: Ports, graph: str, parts: QuestionParts, seen: Visibility) -> tuple[Choice, ...]:
    found = await asyncio.gather(*(find_seen(ports, graph, name, seen) for name in parts.names))
    return tuple(Choice(name, name) for name, records in zip(parts.names, found, strict=True) if records)


def _time(parts: QuestionParts) -> TimeChoice | None:
    if not parts.date or not parts.relation:
        return None
    first, _, last = parts.date.partition("/")
    try:
        start = read_date(first, "date")
        interval = Interval(start.start, read_date(last, "date").end) if last else start
    except (Rejected, ValueError):
        return None
    return TimeChoice(Relation(parts.relation), Order.NONE, interval)
