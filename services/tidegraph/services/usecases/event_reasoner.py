"""The built-in reasoner over events: for what no fact says. It quotes evidence and never completes it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from tidegraph.domain.asked import Asked
from tidegraph.domain.documents import EntityType
from tidegraph.domain.interval import OPEN_START
from tidegraph.ports import EventRecord
from tidegraph.services.usecases.anchors import AnchorFinder
from tidegraph.services.usecases.answers import Answer, Outcome, cite_event
from tidegraph.services.usecases.compose import scope_in_words
from tidegraph.services.usecases.event_search import (
    EventHit,
    EventSearch,
    Focus,
    coverage,
    distinct,
    interval_of,
    is_dated,
    mentioned,
    says_all,
)
from tidegraph.services.usecases.phrasing import asked_in_words, listed
from tidegraph.services.usecases.question import (
    Order,
    Question,
    Relation,
    turning_words,
)
from tidegraph.services.usecases.scope import Scope, window_of
from tidegraph.services.usecases.selection import select
from tidegraph.services.usecases.sentence_parts import part_of
from tidegraph.services.usecases.words import stem, stems_of, tokens
from tidegraph.services.usecases.work import Work

COVERAGE_MIN: Final = 0.75
TRUTH_MIN: Final = 0.9
TIE: Final = 0.05
EVENTS_MAX: Final = 8
CONFIDENCE: Final = 0.6
TOLD_MIN: Final = 0.5
_NEGATIONS: Final = frozenset(
    {"no", "not", "never", "without", "neither", "nor", "denied", "denies", "nobody"}
)


class EventReasoner:
    """Answers one question from events in scope."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._question = work.question
        self._search = EventSearch(work)

    async def answer(self, scope: Scope) -> Answer | None:
        """The answer, or None when no event covers the question."""
        question = self._question
        if question.anchor is not None:
            located = await AnchorFinder(self._work).find(
                question.anchor, [], frozenset(question.anchor.clause.entity_ids)
            )
            if located is None:
                return None
            self._work.step("anchor", located.text)
            scope = Scope(located.relation, located.interval, given=True)
        if question.asked is Asked.EVENTS:
            return await self._happenings(scope)
        if question.asked in (Asked.DURATION, Asked.COUNT):
            return None
        return await self._fitting(scope)

    async def _happenings(self, scope: Scope) -> Answer | None:
        """What happened, in order of time; the nearest one when "first after" or "last before" is asked."""
        question = self._question
        anchor = question.anchor.clause if question.anchor else None
        whole = replace(
            question,
            words=(*question.words, *(anchor.words if anchor else ())),
            entities=question.entities or (anchor.entities if anchor else ()),
        )
        records = _told_together(await self._search.candidates(whole, None, self._focus(scope)), whole)
        dated = [record for record in distinct(records) if is_dated(record)]
        if scope.interval is not None and question.anchor is not None:
            dated = [record for record in dated if interval_of(record) != scope.interval]
        near = question.anchor is not None and question.anchor.near
        order = question.order
        if near and order is Order.NONE and question.anchor is not None:
            order = Order.LAST if question.anchor.relation is Relation.BEFORE else Order.FIRST
        chosen = select(dated, interval_of, scope.relation, scope.interval, order, every=True)
        if scope.relation is Relation.AFTER and scope.interval is not None:
            chosen = [r for r in chosen if interval_of(r).start >= scope.interval.end]
        if not chosen:
            return None
        return self._told(chosen[:EVENTS_MAX], scope, [self._part(r) for r in chosen[:EVENTS_MAX]])

    async def _fitting(self, scope: Scope) -> Answer | None:
        """The best-covering events in the asked time."""
        question = self._question
        valid = window_of(scope.relation, scope.interval) if scope.given else None
        hits = await self._search.ranked(question, valid, self._focus(scope))
        least = TRUTH_MIN if question.asked is Asked.TRUTH else COVERAGE_MIN
        hits = [hit for hit in hits if hit.coverage >= least and self._fits(hit.record, scope)]
        if question.asked in (Asked.WHEN, Asked.START, Asked.END):
            return self._when([hit for hit in hits if is_dated(hit.record)], scope)
        if not hits:
            return None
        best = [hit for hit in hits if hit.coverage >= hits[0].coverage - TIE]
        records = distinct(hit.record for hit in best)
        if scope.given or question.order is not Order.NONE:
            dated = [record for record in records if is_dated(record)]
            picked = select(
                dated, interval_of, scope.relation, scope.interval, question.order, question.plural
            )
            records = picked or ([] if question.order is not Order.NONE else records)
        if not records:
            return None
        if question.asked is Asked.TRUTH:
            plain = [r for r in records if not _denied(r.event.sentence) and self._speaks_of_it(r)]
            return self._told(plain[:1], scope, ["yes"]) if plain else None
        told = records[: EVENTS_MAX if scope.given else 3] if question.plural else records[:1]
        return self._told(told, scope, self._values(told))

    def _focus(self, scope: Scope) -> Focus:
        """Which end of which time the question asks for."""
        order, anchor = self._question.order, self._question.anchor
        before = scope.relation in (Relation.BEFORE, Relation.UNTIL)
        near = before and (order is Order.NONE or (anchor is not None and anchor.near))
        window = window_of(scope.relation, scope.interval) if scope.given else None
        return Focus(window, order is Order.LAST or near)

    def _fits(self, record: EventRecord, scope: Scope) -> bool:
        """Whether an event can answer: it names an entity asked about, says the words, has a time.

        What has neither a time nor a document time says nothing of a given time. A question for a time or
        a truth finds its own verb: opened is not closed.
        """
        question = self._question
        if question.entities and not set(question.entity_ids) & set(record.entity_ids):
            return False
        if scope.given and not is_dated(record) and record.document_time == OPEN_START:
            return False
        if not says_all(question, record):
            return False
        if question.asked not in (Asked.WHEN, Asked.START, Asked.END, Asked.TRUTH):
            return True
        return turning_words(question.words) <= stems_of(record.event.sentence)

    def _when(self, hits: Sequence[EventHit], scope: Scope) -> Answer | None:
        if not hits:
            return None
        best = [hit.record for hit in hits if hit.coverage >= hits[0].coverage - 1e-6]
        record = distinct(best)[0]
        value = asked_in_words(interval_of(record))
        self._work.step("boundary", f"{value}: {record.event.sentence}")
        return self._told([record], scope, [value])

    def _speaks_of_it(self, record: EventRecord) -> bool:
        """Whether the question's first entity stands before what is said: it is of it that this is said."""
        entities = self._question.entities
        if not entities:
            return True
        names = {entities[0].text, *(record.name for record in entities[0].candidates)}
        sentence = record.event.sentence.casefold()
        places = [sentence.find(name.casefold()) for name in names if name.casefold() in sentence]
        said = [
            token.start
            for token in tokens(record.event.sentence)
            if stem(token.lower) in {stem(word) for word in self._question.words}
        ]
        return bool(places) and (not said or min(places) < min(said))

    def _values(self, records: Sequence[EventRecord]) -> list[str]:
        """A name of the wanted kind that the question does not hold itself, else the sentence."""
        wanted = self._question.answer_type
        known = set(self._question.entity_ids)
        found: list[str] = []
        for record in records:
            others = [
                self._work.name(entity_id)
                for entity_id in record.entity_ids
                if entity_id not in known and self._is(entity_id, wanted)
            ]
            found.append(others[0] if len(set(others)) == 1 else self._part(record))
        return list(dict.fromkeys(found))

    def _part(self, record: EventRecord) -> str:
        return part_of(record, self._work.ports.grounding)

    def _is(self, entity_id: str, wanted: EntityType) -> bool:
        record = self._work.names.get(entity_id)
        return wanted is not EntityType.UNSPECIFIED and record is not None and record.type == wanted

    def _told(self, records: Sequence[EventRecord], scope: Scope, values: Sequence[str]) -> Answer:
        work = self._work
        work.step("scope", scope_in_words(scope.relation, scope.interval))
        citations = tuple(cite_event(str(i + 1), record) for i, record in enumerate(records))
        lines = [
            f"{_dated(record)}{self._part(record).rstrip('.')} [{cited.label}]"
            for record, cited in zip(records, citations, strict=True)
        ]
        work.step("evidence", f"{len(records)} events in scope, quoted")
        quoted = set(values) <= {self._part(record) for record in records}
        yes = list(values) == ["yes"]
        quoted = quoted or (not yes and all(value in " ".join(lines) for value in values))
        lead = "" if quoted else f"{'Yes' if yes else listed(list(values))}. "
        return Answer(
            outcome=Outcome.ANSWERED,
            values=tuple(values),
            text=f"{lead}{'; '.join(lines)}.",
            transition="",
            steps=tuple(work.steps),
            citations=citations,
            facts=(),
            events=tuple(records),
            relation=scope.relation if scope.given else Relation.NONE,
            asked=scope.interval if scope.given else None,
            confidence=CONFIDENCE,
        )


def _told_together(records: Sequence[EventRecord], question: Question) -> list[EventRecord]:
    """Events of documents that speak of the entities, or without any, of documents with the words."""
    wanted = set(question.entity_ids)
    if wanted:
        documents = {name for name, ids in mentioned(records).items() if wanted & ids}
    else:
        documents = {record.document_id for record in records if coverage(question, record) >= TOLD_MIN}
    return [record for record in records if record.document_id in documents]


def _denied(sentence: str) -> bool:
    return bool(_NEGATIONS & {token.lower for token in tokens(sentence)})


def _dated(record: EventRecord) -> str:
    return f"{asked_in_words(interval_of(record))}: " if is_dated(record) else ""
