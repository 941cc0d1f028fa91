"""The built-in reasoner on two things compared, and on what came before or led to one: over facts and events.

What a clause speaks of is a fact of its entities, else a dated event. Nothing is said of an order that the
known times leave open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tidegraph.domain.asked import Asked
from tidegraph.domain.asof import endpoints
from tidegraph.domain.facts import FactVersion
from tidegraph.domain.interval import OPEN_END, OPEN_START, Granularity, Interval
from tidegraph.ports import EventRecord
from tidegraph.services.usecases import compose
from tidegraph.services.usecases.answers import Answer, Cited, Outcome, cite_event, cite_facts
from tidegraph.services.usecases.event_search import (
    EventSearch,
    distinct,
    interval_of,
    is_dated,
)
from tidegraph.services.usecases.exploring import past_of
from tidegraph.services.usecases.matching import Matcher
from tidegraph.services.usecases.pairs import Chain, Comparison, Pair
from tidegraph.services.usecases.phrasing import asked_in_words, duration_in_words
from tidegraph.services.usecases.question import Anchor, Question, Relation, verb_side
from tidegraph.services.usecases.scope import Scope, window_of
from tidegraph.services.usecases.selection import begun
from tidegraph.services.usecases.sentence_parts import part_of
from tidegraph.services.usecases.words import tokens
from tidegraph.services.usecases.work import Work, coalesced

LED_SHARE: Final = 0.5
"""Of the strongest link to something, how strong another has to be to be told with it."""
LED_MAX: Final = 3
"""Linked events that are told of what led to something."""
TOLD_MAX: Final = 8
AROUND_MAX: Final = 400
FACTS_MAX: Final = 3
FACTS: Final = 0.9
EVENTS: Final = 0.6


@dataclass(frozen=True, slots=True)
class Spoken:
    """What a clause speaks of: facts, or an event."""

    facts: tuple[FactVersion, ...] = ()
    event: EventRecord | None = None

    @property
    def spans(self) -> list[Interval]:
        return [fact.valid for fact in self.facts] if self.event is None else [interval_of(self.event)]

    @property
    def lasts(self) -> bool:
        """Whether it is a state, which may hold before something and after it."""
        return self.event is None

    def moment(self, side: Asked, comparison: Comparison = Comparison.EARLIER) -> tuple[int, int]:
        """Between which instants it began or, for END, ended: ``[first, last]``.

        What began more than once counts by its last start where it is asked what is later.
        """
        if self.event is not None:
            span = interval_of(self.event)
            exact = span.granularity in (Granularity.RANGE, Granularity.UNKNOWN)
            return (span.start, span.start) if exact else (span.start, span.end - 1)
        if side is Asked.END:
            ends = endpoints(max(self.facts, key=lambda fact: fact.valid.end))
            return ends.end_earliest, ends.end
        pick = max if comparison is Comparison.LATER else min
        one = pick(self.facts, key=lambda fact: fact.valid.start)
        ends = endpoints(one)
        return (ends.start if one.start_known else OPEN_START), max(ends.start, ends.start_latest - 1)


class Comparing:
    """Answers one question that compares two things or follows one."""

    def __init__(self, work: Work) -> None:
        self._work = work
        self._search = EventSearch(work)

    async def answer(self, scope: Scope) -> Answer | None:
        """The answer; None where the question may be answered otherwise."""
        question = self._work.question
        window = window_of(scope.relation, scope.interval) if scope.given else None
        if question.pair is not None:
            return await self._compared(question.pair, window)
        return await self._followed(question.chain) if question.chain is not None else None

    async def beside(self, anchor: Anchor | None) -> Answer | None:
        """What came next to a clause of time, where its own words find nothing."""
        if anchor is None or anchor.relation not in (Relation.BEFORE, Relation.AFTER):
            return None
        found = await self._followed(Chain(anchor.relation, False, anchor.clause))
        return found if found.outcome is Outcome.ANSWERED else None

    async def _compared(self, pair: Pair, window: Interval | None) -> Answer | None:
        first, second = [await self._spoken(clause, window) for clause in (pair.first, pair.second)]
        if first is None or second is None or first == second:
            return self._unsaid() if pair.choice else None
        self._work.step("compared", f"{self._line(first)}; {self._line(second)}")
        if pair.comparison is Comparison.OVERLAP:
            return await self._overlap(pair, first, second, window)
        # of which came last, both count by their last start; whether one came after the other, by its own
        other = pair.comparison if pair.choice else Comparison.EARLIER
        ahead = _ahead(
            first.moment(_side(pair.first), pair.comparison), second.moment(_side(pair.second), other)
        )
        if first.lasts and _side(pair.first) is Asked.WHEN and (not pair.choice or pair.options == _SIDES):
            until = _ahead(second.moment(_side(pair.second)), first.moment(Asked.END))
            if pair.choice and ahead == until == 1:
                return await self._told([first, second], ["before and after"], "Before and after")
            if pair.comparison is Comparison.LATER:
                ahead = -until if until is not None else None
        if ahead is None:
            self._work.step("order", "the known times leave it open")
            return self._unsaid()
        wanted = ahead if pair.comparison is Comparison.EARLIER else -ahead
        if not pair.choice:
            yes = wanted > 0
            if not yes and (
                await self._several(pair.first, first, window)
                or await self._several(pair.second, second, window)
            ):
                return None  # another of them may be: it is looked for as any other question's
            return await self._told([first, second], ["yes" if yes else "no"], "Yes" if yes else "No")
        if not ahead:
            return await self._told([first, second], ["at the same time"], "At the same time")
        value = pair.options[0] if wanted > 0 else pair.options[1]
        ordered = [first, second] if ahead > 0 else [second, first]
        said = value.capitalize() if value in _SIDES else f"{value} came {_SAID[pair.comparison]}"
        return await self._told(ordered, [value], said)

    async def _several(self, clause: Question, spoken: Spoken, window: Interval | None) -> bool:
        """Whether what a clause speaks of was so more than once."""
        if spoken.event is None:
            return len(spoken.facts) > 1
        return len(await self._search.alike(clause, window)) > 1

    async def _overlap(
        self, pair: Pair, first: Spoken, second: Spoken, window: Interval | None
    ) -> Answer | None:
        shared = [one.intersection(other) for one in first.spans for other in second.spans]
        met = [span for span in shared if span is not None and (window is None or span.overlaps(window))]
        if met:
            span = Interval(min(one.start for one in met), max(one.end for one in met))
            return await self._told([first, second], [self._length(span)], f"Yes, {asked_in_words(span)}")
        open_starts = [fact for one in (first, second) for fact in one.facts if not fact.start_known]
        if open_starts:
            return compose.not_known(self._work, open_starts, Relation.NONE, None)
        for clause, one in ((pair.first, first), (pair.second, second)):
            if one.event is not None and await self._several(clause, one, window):
                return None
        return await self._told([first, second], ["no"], "No")

    def _length(self, span: Interval) -> str:
        """What is asked of a stretch that two things share."""
        question, present = self._work.question, self._work.moment.present
        if question.asked is Asked.DURATION:
            closed = Interval(span.start, min(span.end, max(present, span.start + 1)))
            return duration_in_words([closed], question.unit, Granularity.DAY)
        return asked_in_words(span) if question.asked is Asked.WHEN else "yes"

    async def _spoken(self, clause: Question, window: Interval | None) -> Spoken | None:
        """Facts of the clause's entities that say it, else a dated event that does."""
        work = self._work
        facts = await work.facts_of(list(clause.entity_ids))
        matches = Matcher(clause, work.ports.registry, work.names).matches(facts)
        found = coalesced([match.fact for match in matches])
        found = [fact for fact in found if window is None or fact.valid.overlaps(window)]
        if window is None:  # without an asked time, what is announced counts where there is nothing else
            found = begun(found, work.moment.present) or found
        if found:
            return Spoken(facts=tuple(found))
        event = await self._search.anchor(clause, window)
        return Spoken(event=event) if event is not None else None

    async def _followed(self, chain: Chain) -> Answer:
        """What is linked to what the clause says, or next to it among the events of its entities."""
        work, clause = self._work, chain.clause
        spoken = await self._spoken_event(clause)
        if spoken is None:
            return self._unsaid()
        work.step("anchor", self._line(spoken))
        start, end = spoken.moment(_side(clause))
        before = chain.relation is Relation.BEFORE
        if start <= OPEN_START or end >= OPEN_END:
            return self._unsaid()
        window = Interval(OPEN_START, start) if before else Interval(end + 1, OPEN_END)
        if chain.until is not None:
            last = await self._spoken_event(chain.until)
            if last is None:
                return self._unsaid()
            window = Interval(window.start, max(window.start, last.moment(_side(chain.until))[0]))
        linked = await self._linked(spoken.event) if spoken.event is not None else {}
        around = await self._around(spoken, clause, window, linked, before)
        if not around:
            return self._unsaid()
        led = [record for record in around if record.event.event_id in linked] if chain.led else []
        if chain.until is not None:
            chosen = sorted(around, key=lambda one: (interval_of(one), one.event.event_id))[:TOLD_MAX]
        elif led:
            strongest = max(linked[record.event.event_id] for record in led)
            led = [one for one in led if linked[one.event.event_id] >= LED_SHARE * strongest]
            led.sort(key=lambda one: (-linked[one.event.event_id], one.event.event_id))
            chosen = sorted(led[:LED_MAX], key=lambda one: (interval_of(one), one.event.event_id))
        elif chain.led:
            return self._unsaid()  # what only came before it need not have led to it
        else:
            starts = [interval_of(record).start for record in around]
            nearest = max(starts) if before else min(starts)
            chosen = [record for record in around if interval_of(record).start == nearest][:TOLD_MAX]
        values = list(dict.fromkeys(part_of(record, work.ports.grounding) for record in chosen))
        return await self._told([Spoken(event=record) for record in chosen], values, "")

    async def _spoken_event(self, clause: Question) -> Spoken | None:
        event = await self._search.anchor(clause)
        return Spoken(event=event) if event is not None else await self._spoken(clause, None)

    async def _linked(self, event: EventRecord) -> dict[str, float]:
        """What the event graph of the known date links an event to, with the weights."""
        graph, store, past = self._work.moment.graph, self._work.ports.store, past_of(self._work)
        own = event.event.event_id
        entries = await (past.neighbours([own]) if past is not None else store.neighbours(graph, [own]))
        return {(e.neighbour_id if e.event_id == own else e.event_id): e.weight for e in entries}

    async def _around(
        self, spoken: Spoken, clause: Question, window: Interval, linked: dict[str, float], before: bool
    ) -> list[EventRecord]:
        """Dated events inside the window that share an entity or a link with what the clause says."""
        store, moment = self._work.ports.store, self._work.moment
        ids = list(spoken.event.entity_ids) if spoken.event is not None else list(clause.entity_ids)
        found = await store.events_of(moment.graph, ids, window, self._work.shown, AROUND_MAX, last=before)
        found += await store.events(moment.graph, list(linked), self._work.shown)
        return [
            record
            for record in distinct(found)
            if is_dated(record)
            and window.start <= interval_of(record).start
            and interval_of(record).end <= window.end
        ]

    def _unsaid(self) -> Answer:
        return compose.not_known(self._work, [], Relation.NONE, None)

    def _line(self, spoken: Spoken) -> str:
        if spoken.event is not None:
            event = spoken.event
            said = part_of(event, self._work.ports.grounding).rstrip(".")
            return f"{asked_in_words(interval_of(event))}: {said}"
        return "; ".join(compose.line(self._work, fact) for fact in spoken.facts[:3])

    async def _told(self, told: Sequence[Spoken], values: Sequence[str], lead: str) -> Answer:
        """The answer that rests on what is told, each with its times and citations."""
        work = self._work
        facts = [fact for one in told for fact in one.facts[:FACTS_MAX]]
        citations: list[Cited] = await cite_facts(work.ports, work.moment, facts, work.names)
        lines = []
        for one in told:
            if one.event is None:
                lines += [
                    f"{compose.line(work, f)}{compose.labels(citations, f)}" for f in one.facts[:FACTS_MAX]
                ]
                continue
            cited = cite_event(str(len(citations) + 1), one.event)
            citations.append(cited)
            lines.append(f"{self._line(one)} [{cited.label}]")
        said, caveats = "; ".join(lines), compose.caveats(work, facts)
        return Answer(
            outcome=Outcome.ANSWERED,
            values=tuple(values),
            text=(f"{compose.capital(lead)}: {said}." if lead else f"{said}.") + caveats,
            transition="",
            steps=tuple(work.steps),
            citations=tuple(citations),
            facts=tuple(facts),
            events=tuple(one.event for one in told if one.event is not None),
            relation=Relation.NONE,
            asked=None,
            confidence=FACTS if all(one.event is None for one in told) else EVENTS,
        )


_SIDES: Final = ("before", "after")
_SAID: Final = {Comparison.EARLIER: "first", Comparison.LATER: "later"}


def _side(clause: Question) -> Asked:
    return verb_side(tuple(token.lower for token in tokens(clause.masked)))


def _ahead(one: tuple[int, int], other: tuple[int, int]) -> int | None:
    """1 when the first moment is earlier, -1 when the other is, 0 when both are one; None: it is open."""
    if one[1] < other[0]:
        return 1
    if other[1] < one[0]:
        return -1
    return 0 if one == other and one[0] == one[1] else None
