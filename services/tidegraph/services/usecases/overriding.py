"""What a caller says of how to read a question, put in place of what its text says."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from tidegraph.domain.asked import Asked
from tidegraph.domain.errors import LimitExceeded, Rejected
from tidegraph.domain.interval import Interval
from tidegraph.domain.naming import normalise
from tidegraph.ports import EntityRecord, Visibility
from tidegraph.services.usecases.context import Ports
from tidegraph.services.usecases.linking import CANDIDATES_MAX, find_seen, nobody
from tidegraph.services.usecases.question import (
    Linked,
    Order,
    Question,
    Relation,
    TimeConstraint,
    with_asked,
    with_meaning,
)

CHOICES_MAX: Final = 20


@dataclass(frozen=True, slots=True)
class Choice:
    """An entity by name or id; ``text``: the words of the question that mean it ("": its name, or none)."""

    entity: str
    text: str = ""


@dataclass(frozen=True, slots=True)
class TimeChoice:
    """A time in place of the question's. ``interval`` None with an order: the order alone; else no time."""

    relation: Relation
    order: Order
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class Override:
    """What to read otherwise; what is not set is as the text says."""

    semantic: str = ""
    question_class: str = ""
    asked: Asked | None = None
    entities: tuple[Choice, ...] = ()
    time: TimeChoice | None = None
    anchor_event_id: str = ""


NOTHING: Final = Override()


@dataclass(frozen=True, slots=True)
class Chosen:
    """Entities with a place in the question, left to right; others; and names that stand for nothing now."""

    placed: tuple[Linked, ...] = ()
    others: tuple[Linked, ...] = ()
    dropped: tuple[Linked, ...] = ()


NONE_CHOSEN: Final = Chosen()


async def chosen_entities(
    ports: Ports,
    graph: str,
    text: str,
    time: TimeConstraint,
    choices: Sequence[Choice],
    seen: Visibility,
    named: Sequence[Linked],
) -> Chosen:
    """The chosen entities in their places.

    Where one entity is chosen that the question does not name, and it names one that is not chosen, the one
    stands for the other. ``named``: what the question names as its text says.

    Raises:
        NotFound: ENTITY_NOT_FOUND, with the names that come near. Rejected: INVALID_READING, the words of a
            choice are not in the question. LimitExceeded: TOO_MANY_ENTITIES.
    """
    if len(choices) > CHOICES_MAX:
        message = f"a question is about at most {CHOICES_MAX} entities, not {len(choices)}"
        raise LimitExceeded("TOO_MANY_ENTITIES", message, field="reading.entities")
    found = await asyncio.gather(*(find_seen(ports, graph, one.entity, seen) for one in choices))
    placed: list[Linked] = []
    others: list[Linked] = []
    for choice, records in zip(choices, found, strict=True):
        if not records:
            raise await nobody(ports, graph, choice.entity, seen, "reading.entities")
        kept = tuple(records[:CANDIDATES_MAX])
        place = _place(text, _wordings(choice, kept), time, placed)
        if place is not None:
            placed.append(Linked(text[place[0] : place[1]], *place, kept))
        elif choice.text:
            message = f"{choice.text[:80]!r} is not in the question, or stands for something else in it"
            raise Rejected("INVALID_READING", message, field="reading.entities")
        else:
            others.append(Linked(kept[0].name, 0, 0, kept))
    dropped = [link for link in named if not any(_overlap(link, other) for other in placed)]
    if len(dropped) == len(others) == 1:
        placed.append(replace(others.pop(), text=dropped[0].text, start=dropped[0].start, end=dropped[0].end))
        dropped = []
    placed.sort(key=lambda link: link.start)
    return Chosen(tuple(placed), tuple(others), tuple(dropped))


def _overlap(one: Linked, other: Linked) -> bool:
    return one.start < other.end and other.start < one.end


def with_time(time: TimeConstraint, choice: TimeChoice) -> TimeConstraint:
    """The chosen time; the words of time in the question stay none of its content."""
    relation = choice.relation if choice.interval is not None else Relation.NONE
    return replace(time, relation=relation, interval=choice.interval)


def overridden(question: Question, override: Override, chosen: Chosen = NONE_CHOSEN) -> Question:
    """The question read as the caller says. It was read with the dropped names behind those in place.

    Raises:
        Rejected: INVALID_READING, an anchor where there is none, or beside a time.
    """
    question, others = _without(question, chosen), chosen.others
    if override.anchor_event_id:
        if question.anchor is None or override.time is not None:
            message = "no clause of the question sets its time" if override.time is None else "give one time"
            raise Rejected("INVALID_READING", message, field="reading.anchor_event_id")
        question = replace(question, anchor=replace(question.anchor, event_id=override.anchor_event_id))
    if override.time is not None:
        # The clause that set the time is no part of the question any more, nor what it names unless chosen.
        clause = question.anchor.clause.entities if question.anchor else ()
        kept = tuple(link for link in clause if link in chosen.placed and link not in question.entities)
        question = replace(question, entities=(*question.entities, *kept))
        order = override.time.order if override.time.order is not Order.NONE else question.order
        time = with_time(question.time, override.time)
        question = replace(question, time=time, order=order, anchor=None)
    if others:
        names = " ".join(link.text for link in others)
        entities = (*question.entities, *others)
        question = replace(question, entities=entities, semantic=f"{question.semantic} {names}".strip())
    if override.semantic or override.asked is not None:
        question = replace(question, pair=None, chain=None)
    if override.semantic:
        question = with_meaning(question, override.semantic)
    if override.asked is not None:
        question = with_asked(question, override.asked)
    if override.question_class:
        question = replace(question, question_class=override.question_class)
    return question


def _without(question: Question, chosen: Chosen) -> Question:
    """The question without the names that stand for nothing: they are neither entities nor content."""
    if not chosen.dropped:
        return question
    neighbour, anchor = question.neighbour_of, question.anchor
    if neighbour is not None and neighbour >= len(chosen.placed):
        neighbour = None
    if anchor is not None:
        anchor = replace(anchor, clause=_without(anchor.clause, chosen))
    kept = tuple(link for link in question.entities if link not in chosen.dropped)
    pair, chain = question.pair, question.chain
    if pair is not None:
        first, second = _without(pair.first, chosen), _without(pair.second, chosen)
        pair = replace(pair, first=first, second=second)
    if chain is not None:
        chain = replace(chain, clause=_without(chain.clause, chosen))
    return replace(question, entities=kept, neighbour_of=neighbour, anchor=anchor, pair=pair, chain=chain)


def _wordings(choice: Choice, records: Sequence[EntityRecord]) -> list[str]:
    """What may stand for the entity in the question, longest first."""
    if choice.text:
        return [choice.text]
    names = {choice.entity, *(name for one in records for name in (one.name, *one.aliases))}
    return sorted(names, key=lambda name: (-len(name), name))


def _place(
    text: str, wordings: Sequence[str], time: TimeConstraint, taken: Sequence[Linked]
) -> tuple[int, int] | None:
    for wording in wordings:
        words = wording.split()
        if not words or not normalise(wording):
            continue
        pattern = r"(?<!\w)" + r"\s+".join(re.escape(word) for word in words) + r"(?!\w)"
        for match in re.finditer(pattern, text, re.IGNORECASE):
            start, end = match.span()
            found = Linked(wording, start, end, ())
            timed = start < time.end and time.start < end
            if not timed and not any(_overlap(link, found) for link in taken):
                return start, end
    return None
