"""The time of something that happened: "after she left Acme", "during the migration"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from tidegraph.domain.asked import Asked
from tidegraph.domain.errors import NotFound, Rejected
from tidegraph.domain.facts import FactVersion
from tidegraph.domain.interval import (
    MICROS_PER_DAY,
    MICROS_PER_SECOND,
    OPEN_END,
    OPEN_START,
    Granularity,
    Interval,
    civil_from_days,
    instant,
)
from tidegraph.language.grounding import Offset
from tidegraph.ports import EventRecord
from tidegraph.services.usecases import compose
from tidegraph.services.usecases.event_search import EventSearch, interval_of, is_dated
from tidegraph.services.usecases.matching import Match, Matcher
from tidegraph.services.usecases.question import (
    Anchor,
    AnchorFound,
    Relation,
    verb_side,
)
from tidegraph.services.usecases.words import tokens
from tidegraph.services.usecases.work import Work, coalesced


@dataclass(frozen=True, slots=True)
class Located:
    """A dated anchor. ``facts`` are set when the anchor is itself a value of what is asked.

    ``relation`` is that of the asked time to ``interval``: IN once a distance was counted off. ``found``:
    what it is, with its own time.
    """

    interval: Interval
    text: str
    relation: Relation
    found: AnchorFound
    facts: tuple[FactVersion, ...] = ()
    sure: bool = True
    """False: it may as well be another one, of another time."""


class AnchorFinder:
    """Finds what a clause speaks of: a value of the asked facts, another fact, or an event."""

    def __init__(self, work: Work) -> None:
        self._work = work

    async def find(
        self, anchor: Anchor, matches: Sequence[Match], anchor_ids: frozenset[str]
    ) -> Located | None:
        """The anchor's time, moved by the question's offset; None when nothing dated is known of it."""
        located = await self._find(anchor, matches, anchor_ids)
        offset = self._work.offset
        if located is None or offset is None:
            return located
        base = located.interval.end if offset.sign > 0 else located.interval.start
        moved = shifted(base, offset)
        day = Interval(moved, moved + MICROS_PER_DAY, Granularity.DAY)
        return Located(day, located.text, Relation.IN, located.found, sure=located.sure)

    async def _find(
        self, anchor: Anchor, matches: Sequence[Match], anchor_ids: frozenset[str]
    ) -> Located | None:
        if anchor.event_id:
            return await self._chosen(anchor)
        own = [m.fact for m in matches if m.fact.subject in anchor_ids or m.fact.object in anchor_ids]
        shared = [m.fact for m in matches if m.fact not in own]
        if own and shared and anchor.relation in (Relation.BEFORE, Relation.AFTER):
            return self._located(own, anchor, tuple(own))
        if own and not anchor.clause.words:
            return self._located(own, anchor)
        facts = await self._work.facts_of(list(anchor_ids))
        clause = replace(anchor.clause, asked=Asked.TRUTH, anchor=None)
        found = Matcher(clause, self._work.ports.registry, self._work.names).matches(facts)
        if found:
            return self._located([match.fact for match in found], anchor)
        return await self._event(anchor)

    def _located(
        self, facts: Sequence[FactVersion], anchor: Anchor, values: tuple[FactVersion, ...] = ()
    ) -> Located | None:
        spans = coalesced(facts)
        words = tuple(token.lower for token in tokens(anchor.clause.masked))
        side = verb_side(words)
        first, last = spans[0].valid, max(spans, key=lambda fact: fact.valid.end).valid
        if side is Asked.START or (side is Asked.WHEN and anchor.relation is Relation.BEFORE):
            interval = Interval(first.start, first.start)
        elif side is Asked.END or (side is Asked.WHEN and anchor.relation is Relation.AFTER and not values):
            interval = Interval(last.end, last.end)
        else:
            interval = Interval(first.start, last.end)
        if anchor.relation is Relation.IN and interval.is_empty:
            interval = Interval(interval.start, interval.start + 1)
        if interval.start in (OPEN_START, OPEN_END) and interval.end in (OPEN_START, OPEN_END):
            return None
        told = "; ".join(compose.line(self._work, fact) for fact in spans[:3])
        found = AnchorFound(interval, fact_ids=tuple(fact.version_id for fact in spans))
        return Located(interval, told, anchor.relation, found, values)

    async def _event(self, anchor: Anchor) -> Located | None:
        alike = await EventSearch(self._work).alike(anchor.clause)
        return replace(_at(anchor, alike[0]), sure=len(alike) == 1) if alike else None

    async def _chosen(self, anchor: Anchor) -> Located:
        """The event that the caller names.

        Raises:
            NotFound: EVENT_NOT_FOUND. Rejected: INVALID_READING, it has no date.
        """
        moment = self._work.moment
        records = await self._work.ports.store.events(moment.graph, [anchor.event_id], moment.seen)
        if not records:
            message = "no such event was known then in this graph; take ids from Retrieve or GetTimeline"
            raise NotFound("EVENT_NOT_FOUND", message, event_id=anchor.event_id[:80])
        if not is_dated(records[0]):
            message = "an event without a date sets no time"
            raise Rejected("INVALID_READING", message, field="reading.anchor_event_id")
        return _at(anchor, records[0])


def _at(anchor: Anchor, record: EventRecord) -> Located:
    span, sentence = interval_of(record), record.event.sentence
    found = AnchorFound(span, event_id=record.event.event_id, sentence=sentence)
    return Located(span, sentence, anchor.relation, found)


_MONTHS: Final = {"month": 1, "quarter": 3, "year": 12, "decade": 120, "century": 1_200}
_SECONDS: Final = {
    "second": 1,
    "minute": 60,
    "hour": 3_600,
    "day": 86_400,
    "week": 604_800,
    "fortnight": 1_209_600,
}


def shifted(base: int, offset: Offset) -> int:
    """An instant moved by calendar units; the day is kept within the month reached."""
    value = base
    for unit, count in offset.parts:
        name = unit.lower().rstrip("s")
        if name in _SECONDS:
            value += round(offset.sign * count * _SECONDS[name] * MICROS_PER_SECOND)
        else:
            value = _add_months(value, round(offset.sign * count * _MONTHS.get(name, 12)))
    return value


def _add_months(value: int, months: int) -> int:
    days, rest = divmod(value, MICROS_PER_DAY)
    year, month, day = civil_from_days(days)
    index = year * 12 + month - 1 + months
    start = instant(index // 12, index % 12 + 1)
    after = instant((index + 1) // 12, (index + 1) % 12 + 1)
    return min(start + (day - 1) * MICROS_PER_DAY, after - MICROS_PER_DAY) + rest
