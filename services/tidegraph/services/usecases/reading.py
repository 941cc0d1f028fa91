"""From the text of a question to its reading: time by the grammar, names by the graph, form by tables."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Final

from tidegraph.domain.errors import LimitExceeded, Rejected
from tidegraph.domain.interval import OPEN_END
from tidegraph.language.grounding import Offset, QuestionTime, read_question
from tidegraph.language.grounding import Relation as GroundedRelation
from tidegraph.ports import Visibility
from tidegraph.services.usecases.compared import read_all
from tidegraph.services.usecases.context import Ports
from tidegraph.services.usecases.linking import link
from tidegraph.services.usecases.overriding import NOTHING, Override, chosen_entities, overridden
from tidegraph.services.usecases.question import NO_TIME, Question, Relation, TimeConstraint
from tidegraph.storage.merged import remembering

QUESTION_CHARACTERS_MAX: Final = 2_000
EVERYTHING: Final = Visibility(OPEN_END - 1, None)
_STRETCH: Final = (
    r"\b(?:in|during|over|for|within|throughout)\s+(?:the\s+)?"
    r"(?:time|period|stretch|span|duration|course|years?|months?)(?:\s+of\s+time|\s+(?:period|span|frame))?,?\s+"
)
"""Words that only say that a time follows: "in the period of time between ..."."""
_LEAD: Final = re.compile(
    rf"(?:{_STRETCH})?\b(?:immediately |right |directly |just |shortly )?"
    r"(?:before|after|since|until|till|in|on|at|during|by|from|as of|prior to|between|throughout|within)"
    rf"\s+(?:the\s+)?$|{_STRETCH}$",
    re.IGNORECASE,
)
_RELATIONS: Final = {
    GroundedRelation.BEFORE: Relation.BEFORE,
    GroundedRelation.AFTER: Relation.AFTER,
    GroundedRelation.BETWEEN: Relation.BETWEEN,
    GroundedRelation.SINCE: Relation.SINCE,
    GroundedRelation.UNTIL: Relation.UNTIL,
}


@dataclass(frozen=True, slots=True)
class Reading:
    """A question as read, and the distance from its anchor ("two weeks after ...")."""

    question: Question
    offset: Offset | None


async def read_text(
    ports: Ports,
    graph: str,
    text: str,
    now: int,
    seen: Visibility = EVERYTHING,
    override: Override = NOTHING,
) -> Reading:
    """The reading of a question. ``now`` is what "today" and "last year" count from.

    ``seen``: as of when, and for whom, names are looked up. ``override``: what the caller says of it.

    Raises:
        Rejected: EMPTY_QUESTION or INVALID_READING. LimitExceeded: QUESTION_TOO_LONG or TOO_MANY_ENTITIES.
        NotFound: ENTITY_NOT_FOUND, an entity of ``override``.
    """
    text = " ".join(text.split())
    if not text:
        raise Rejected("EMPTY_QUESTION", "the question is empty", field="question")
    if len(text) > QUESTION_CHARACTERS_MAX:
        message = f"a question has at most {QUESTION_CHARACTERS_MAX} characters, not {len(text)}"
        raise LimitExceeded("QUESTION_TOO_LONG", message, field="question")
    ports = replace(ports, store=remembering(ports.store))
    found = read_question(text, ports.grounding, now)
    time = _constraint(text, found)
    links = await link(ports, graph, text, time, seen)
    if override.entities:
        named = (*links.found, *links.unknown)
        chosen = await chosen_entities(ports, graph, text, time, override.entities, seen, named)
        question = overridden(read_all(text, time, (*chosen.placed, *chosen.dropped)), override, chosen)
    else:
        question = overridden(read_all(text, time, links.found), override)
        question = replace(question, unknown=links.unknown)
    return Reading(question, found.offset if question.anchor is not None else None)


def _constraint(text: str, found: QuestionTime) -> TimeConstraint:
    """The calendar time of a question; one that an event sets is left to the anchor."""
    interval = found.base or found.interval
    if found.event is not None or interval is None or not found.spans:
        return _offset_span(text, found)
    start, end = found.spans[0]
    lead = _LEAD.search(text[:start])
    start = lead.start() if lead else start
    relation = _RELATIONS.get(found.relation, Relation.IN)
    return TimeConstraint(relation, interval, text[start:end].strip(), start, end)


def _offset_span(text: str, found: QuestionTime) -> TimeConstraint:
    """The words of a distance ("two weeks") are no content of the question."""
    if found.offset is None:
        return NO_TIME
    start, end = found.offset.start_char, found.offset.end_char
    return replace(NO_TIME, text=text[start:end], start=start, end=end)
