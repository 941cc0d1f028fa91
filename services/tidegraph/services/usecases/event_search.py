"""Events that speak of what a question or a clause says: found by entity and text, ranked by coverage."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Final

from tidegraph.domain.asked import Asked
from tidegraph.domain.documents import Status, TimeState
from tidegraph.domain.interval import Interval
from tidegraph.ports import EventRecord
from tidegraph.services.usecases.phrasing import asked_in_words
from tidegraph.services.usecases.question import Question
from tidegraph.services.usecases.words import stem, stems_of, tables, tokens
from tidegraph.services.usecases.work import Work

BY_ENTITY_MAX: Final = 400
BY_TEXT_MAX: Final = 50
ANCHOR_MIN: Final = 0.7
ENTITY_WEIGHT: Final = 1.0
TITLE_FACTOR: Final = 0.6
DOCUMENT_FACTOR: Final = 0.6
WORDS_PER_MISS: Final = 5


@dataclass(frozen=True, slots=True)
class EventHit:
    """An event with the share of the question that it covers, in [0, 1]."""

    record: EventRecord
    coverage: float


@dataclass(frozen=True, slots=True)
class Focus:
    """Which events of an entity matter, where there are too many: inside a window, from its ``last`` back."""

    window: Interval | None = None
    last: bool = False


class EventSearch:
    """Event look-ups for one question."""

    def __init__(self, work: Work) -> None:
        self._work = work

    async def candidates(
        self, question: Question, valid: Interval | None, focus: Focus | None = None
    ) -> list[EventRecord]:
        """Events about the entities, and those that share words; inside ``valid`` when it is given.

        ``focus``: where to look first at entities of which more is told than is read.
        """
        work = self._work
        found: dict[str, EventRecord] = {}
        if question.entity_ids:
            with work.trail.leg("events_of_entities") as noted:
                records = await self._of_entities(list(question.entity_ids), valid, focus or Focus(valid))
                noted.extend(records)
            found |= {record.event.event_id: record for record in records}
        terms = search_terms(question)
        if terms:
            with work.trail.leg("text_event") as noted:
                hits = await work.ports.store.search_text(
                    work.moment.graph, "event", terms, work.shown, valid, BY_TEXT_MAX
                )
                noted.extend(hits)
            missing = [hit.id for hit in hits if hit.id not in found]
            for record in await work.ports.store.events(work.moment.graph, missing, work.shown):
                found[record.event.event_id] = record
        if question.asked is Asked.EVENTS:
            found |= await self._near_in_meaning(question, valid)
        records = list(found.values())
        await work.learn_ids(entity_id for record in records for entity_id in record.entity_ids)
        return records

    async def _of_entities(self, ids: list[str], valid: Interval | None, focus: Focus) -> list[EventRecord]:
        """The first events of the entities; where there are more, those that ``focus`` looks for as well."""
        store, moment = self._work.ports.store, self._work.moment
        found = await store.events_of(moment.graph, ids, valid, self._work.shown, BY_ENTITY_MAX)
        if len(found) < BY_ENTITY_MAX:
            return found
        bounded = True
        if focus != Focus(valid):
            more = await store.events_of(
                moment.graph, ids, focus.window, self._work.shown, BY_ENTITY_MAX, last=focus.last
            )
            bounded = len(more) >= BY_ENTITY_MAX
            found = list({record.event.event_id: record for record in (*found, *more)}.values())
        if bounded:
            side = "last" if focus.last else "first"
            within = f" {asked_in_words(focus.window)}" if focus.window is not None else ""
            self._work.step(
                "limit", f"of events of the entities, only the {side} {BY_ENTITY_MAX} were read{within}"
            )
        return found

    async def _near_in_meaning(self, question: Question, valid: Interval | None) -> dict[str, EventRecord]:
        """Events near in meaning: what happened next need not share a word with the question."""
        work = self._work
        vector = (await asyncio.to_thread(work.ports.encoder.encode, [question.text]))[0]
        with work.trail.leg("vector_event") as noted:
            hits = await work.ports.store.search_vector(
                work.moment.graph, "event", vector, work.shown, valid, BY_TEXT_MAX
            )
            noted.extend(hits)
            noted.pruned, noted.path = hits.pruned, hits.path
        ids = [hit.id for hit in hits]
        records = await work.ports.store.events(work.moment.graph, ids, work.shown)
        return {record.event.event_id: record for record in records}

    async def ranked(
        self, question: Question, valid: Interval | None, focus: Focus | None = None
    ) -> list[EventHit]:
        """Candidates by coverage, best first; ties by time, later document and id."""
        records = await self.candidates(question, valid, focus)
        documents = mentioned(records)
        hits = [EventHit(r, coverage(question, r, documents[r.document_id])) for r in records]
        return sorted((hit for hit in hits if hit.coverage > 0), key=_rank)

    async def anchor(self, clause: Question, window: Interval | None = None) -> EventRecord | None:
        """The dated event that a clause speaks of, or None when none covers enough of it."""
        asked = (clause.semantic, window)
        if asked not in self._work.spoken_of:
            alike = await self.alike(clause, window)
            self._work.spoken_of[asked] = alike[0] if alike else None
        return self._work.spoken_of[asked]

    async def alike(self, clause: Question, window: Interval | None = None) -> list[EventRecord]:
        """The dated events that a clause may speak of, one for each time: none covers more of it."""
        ranked = await self.ranked(clause, window)
        dated = [hit for hit in ranked if is_dated(hit.record) and hit.coverage >= ANCHOR_MIN]
        best = [hit.record for hit in dated if round(hit.coverage, 6) == round(dated[0].coverage, 6)]
        return list({interval_of(record): record for record in reversed(best)}.values())[::-1]


def coverage(question: Question, record: EventRecord, in_document: Collection[str] = ()) -> float:
    """Weighted share of the question's words and entities that an event's sentence speaks of.

    ``in_document``: entities that other events of its document mention; they count for less.
    """
    sentence, title = stems_of(record.event.sentence), stems_of(record.title)
    asked_for, got = 0.0, 0.0
    for word in question.words:
        weight, low = question.weight(word), stem(word)
        asked_for += weight
        got += weight * (1.0 if low in sentence else TITLE_FACTOR if low in title else 0.0)
    for link in question.entities:
        asked_for += ENTITY_WEIGHT
        if set(link.ids) & set(record.entity_ids):
            got += ENTITY_WEIGHT
        elif set(link.ids) & set(in_document):
            got += ENTITY_WEIGHT * DOCUMENT_FACTOR
    return got / asked_for if asked_for else 0.0


def says_all(question: Question, record: EventRecord) -> bool:
    """Whether a sentence holds the question's words of content, but for one in five.

    So a sentence about the technology officer is no answer to a question for the financial officer.
    """
    held = stems_of(record.event.sentence) | stems_of(record.title)
    content = [word for word in question.words if question.weight(word) >= 1.0]
    missing = sum(stem(word) not in held for word in content)
    return missing <= len(content) // WORDS_PER_MISS


def mentioned(records: Iterable[EventRecord]) -> dict[str, set[str]]:
    """Document id to the entities that its events mention."""
    found: dict[str, set[str]] = defaultdict(set)
    for record in records:
        found[record.document_id].update(record.entity_ids)
    return found


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
    """Events in order, of equal sentences of one time only the first."""
    found: dict[tuple[str, Interval | None], EventRecord] = {}
    for record in records:
        sentence = " ".join(record.event.sentence.casefold().split())
        found.setdefault((sentence, record.event.interval), record)
    return list(found.values())


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
