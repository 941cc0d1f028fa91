"""Events that speak of what a question or a clause says: found by entity and text, ranked by coverage."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from tidegraph.domain.documents import Status, TimeState
from tidegraph.domain.interval import Interval
from tidegraph.ports import EventRecord
from tidegraph.services.usecases.question import Question
from tidegraph.services.usecases.words import stem, tables, tokens
from tidegraph.services.usecases.work import Work

BY_ENTITY_MAX: Final = 400
BY_TEXT_MAX: Final = 50
ANCHOR_MIN: Final = 0.7
ENTITY_WEIGHT: Final = 1.0
TITLE_FACTOR: Final = 0.6
HIDDEN: Final = frozenset({Status.DENIED})


@dataclass(frozen=True, slots=True)
class EventHit:
    """An event with the share of the question that it covers, in [0, 1]."""

    record: EventRecord
    coverage: float


class EventSearch:
    """Event look-ups for one question."""

    def __init__(self, work: Work) -> None:
        self._work = work

    async def candidates(self, question: Question, valid: Interval | None) -> list[EventRecord]:
        """Events about the entities, and those that share words; inside ``valid`` when it is given."""
        work = self._work
        ids = list(question.entity_ids)
        found: dict[str, EventRecord] = {}
        if ids:
            for record in await work.ports.store.events_of(
                work.moment.graph, ids, valid, work.moment.seen, BY_ENTITY_MAX
            ):
                found[record.event.event_id] = record
        terms = search_terms(question)
        if terms:
            hits = await work.ports.store.search_text(
                work.moment.graph, "event", terms, work.moment.seen, valid, BY_TEXT_MAX
            )
            missing = [hit.id for hit in hits if hit.id not in found]
            for record in await work.ports.store.events(work.moment.graph, missing, work.moment.seen):
                found[record.event.event_id] = record
        records = [record for record in found.values() if record.event.status not in HIDDEN]
        await work.learn_ids(entity_id for record in records for entity_id in record.entity_ids)
        return records

    async def ranked(self, question: Question, valid: Interval | None) -> list[EventHit]:
        """Candidates by coverage, best first; ties by time, later document and id."""
        hits = [
            EventHit(record, coverage(question, record)) for record in await self.candidates(question, valid)
        ]
        return sorted((hit for hit in hits if hit.coverage > 0), key=_rank)

    async def anchor(self, clause: Question) -> EventRecord | None:
        """The dated event that a clause speaks of, or None when none covers enough of it."""
        ranked = await self.ranked(clause, None)
        dated = [hit for hit in ranked if is_dated(hit.record) and hit.coverage >= ANCHOR_MIN]
        return dated[0].record if dated else None


def coverage(question: Question, record: EventRecord) -> float:
    """Share of the question's words of content and entities that an event's sentence speaks of."""
    sentence = stems_of(record.event.sentence)
    title = stems_of(record.title)
    asked_for, got = 0.0, 0.0
    for word in question.words:
        if word in tables().answer_nouns:
            continue
        asked_for += 1.0
        low = stem(word)
        got += 1.0 if low in sentence else TITLE_FACTOR if low in title else 0.0
    for link in question.entities:
        asked_for += ENTITY_WEIGHT
        mentioned = set(link.ids) & set(record.entity_ids)
        got += ENTITY_WEIGHT if mentioned else 0.0
    return got / asked_for if asked_for else 0.0


def stems_of(text: str) -> frozenset[str]:
    """Stems of the words of a text."""
    return frozenset(stem(token.lower) for token in tokens(text))


def search_terms(question: Question) -> list[str]:
    """Plain words for the full-text leg: content, and the words of the entities."""
    words = [*question.words]
    for link in question.entities:
        words += [token.lower for token in tokens(link.text)]
    return [word for word in dict.fromkeys(words) if word not in tables().stop]


def is_dated(record: EventRecord) -> bool:
    return record.event.time_state is TimeState.DATED and record.event.interval is not None


def interval_of(record: EventRecord) -> Interval:
    """The interval of a dated event."""
    assert record.event.interval is not None
    return record.event.interval


def distinct(records: Iterable[EventRecord]) -> list[EventRecord]:
    """Events in order, of equal sentences only the first."""
    found: dict[str, EventRecord] = {}
    for record in records:
        found.setdefault(" ".join(record.event.sentence.casefold().split()), record)
    return list(found.values())


def about(records: Sequence[EventRecord], entity_ids: Iterable[str]) -> list[EventRecord]:
    """The events that mention any of the entities."""
    wanted = set(entity_ids)
    return [record for record in records if wanted & set(record.entity_ids)]


def _rank(hit: EventHit) -> tuple[float, bool, bool, int, str]:
    record = hit.record
    planned = record.event.status is Status.PLANNED
    return (
        -round(hit.coverage, 6),
        planned,
        not is_dated(record),
        -record.document_time,
        record.event.event_id,
    )
