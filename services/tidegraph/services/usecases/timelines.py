"""Events and facts in order of time, within a token budget."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from tidegraph.domain.documents import TimeState
from tidegraph.domain.errors import LimitExceeded
from tidegraph.domain.facts import FactVersion
from tidegraph.domain.interval import Granularity, Interval
from tidegraph.domain.timeline import Timeline, TimelineItem, build_timeline
from tidegraph.ports import EventRecord, FactFilter
from tidegraph.services.usecases.event_search import distinct
from tidegraph.services.usecases.linking import named
from tidegraph.services.usecases.phrasing import date_in_words, statement
from tidegraph.services.usecases.retrieve import retrieve
from tidegraph.services.usecases.scope import Scope
from tidegraph.services.usecases.statuses import shows_fact
from tidegraph.services.usecases.work import FACTS_MAX, Work

BUDGET_DEFAULT: Final = 2_000
BUDGET_MAX: Final = 50_000
EVENTS_FIRST: Final = 1_000
EVENTS_MAX: Final = 10_000
"""Events of an entity that are read; few have more than are read first."""
QUERY_HITS: Final = 60
FACT_VALUE: Final = 1_000.0
"""Facts are settled belief: under a budget they are kept before single events."""
FORMER_VALUE: Final = 500.0
"""What was believed once is kept after what is."""


@dataclass(frozen=True, slots=True)
class TimelineFound:
    """The timeline with the records behind its ids."""

    timeline: Timeline
    events: dict[str, EventRecord]
    facts: dict[str, FactVersion]
    work: Work


async def entity_timeline(
    work: Work, name_or_id: str, window: Interval | None, budget: int, *, history: bool = False
) -> TimelineFound:
    """Everything about one entity; inside the window when one is given.

    ``history``: facts that are no longer believed, too.

    Raises:
        NotFound: ENTITY_NOT_FOUND. LimitExceeded: TOO_MANY_FACTS or TOO_MANY_EVENTS, more than can be read.
    """
    ids = tuple(record.entity_id for record in await named(work.ports, work.moment, name_or_id))
    which = FactFilter(entity_ids=ids, valid=window, history=history, limit=FACTS_MAX)
    facts = await _versions(work, which)
    return await arranged(work, facts, await _events_of(work, ids, window), budget)


async def _versions(work: Work, which: FactFilter) -> list[FactVersion]:
    found = await work.ports.store.facts(work.moment.graph, which, work.moment.seen)
    if len(found) >= which.limit:
        message = f"{which.limit} facts or more: give a valid time, or ask by a query"
        raise LimitExceeded("TOO_MANY_FACTS", message, field="as_of")
    found = [fact for fact in found if not fact.valid.is_empty and fact.recorded_at < fact.invalidated_at]
    return [fact for fact in found if shows_fact(work.chosen, fact)]


async def _events_of(work: Work, ids: Sequence[str], window: Interval | None) -> list[EventRecord]:
    """All events of the entities in the window: what is left out of them is left out by its value."""
    graph, seen = work.moment.graph, work.shown
    for limit in (EVENTS_FIRST, EVENTS_MAX):
        found = await work.ports.store.events_of(graph, ids, window, seen, limit)
        if len(found) < limit:
            return found
    message = f"{EVENTS_MAX} events or more: give a valid time, or ask by a query"
    raise LimitExceeded("TOO_MANY_EVENTS", message, field="as_of")


async def query_timeline(work: Work, scope: Scope, budget: int, *, history: bool = False) -> TimelineFound:
    """What a query retrieves, in order of time; ``history``: with what was believed of its facts before."""
    found = await retrieve(work, scope, QUERY_HITS)
    facts = [hit.fact for hit in found.hits if hit.fact is not None]
    events = [hit.event for hit in found.hits if hit.event is not None]
    values = {hit.id.partition(":")[2]: hit.score for hit in found.hits}
    if history and facts:
        keys = tuple(dict.fromkeys(fact.key for fact in facts))
        which = FactFilter(keys=keys, history=True, limit=FACTS_MAX)
        shown = {fact.version_id for fact in facts}
        former = [fact for fact in await _versions(work, which) if _is_former(work, fact)]
        facts += [fact for fact in former if fact.version_id not in shown]
    return await arranged(work, facts, events, budget, values)


def _is_former(work: Work, fact: FactVersion) -> bool:
    return fact.invalidated_at <= work.moment.known_at


async def arranged(
    work: Work,
    facts: Sequence[FactVersion],
    events: Iterable[EventRecord],
    budget: int,
    values: dict[str, float] | None = None,
) -> TimelineFound:
    """The timeline of given facts and events; ``values`` orders what is kept under the budget."""
    shown = distinct(events)
    await work.learn_names(facts)
    await work.learn_ids(entity_id for record in shown for entity_id in record.entity_ids)
    worth = values or {}
    items = [_fact_item(work, fact, worth.get(fact.version_id, _value(work, fact))) for fact in facts]
    items += [_event_item(record, worth.get(record.event.event_id, record.event.score)) for record in shown]
    timeline = build_timeline(items, min(budget or BUDGET_DEFAULT, BUDGET_MAX))
    return TimelineFound(
        timeline=timeline,
        events={record.event.event_id: record for record in shown},
        facts={fact.version_id: fact for fact in facts},
        work=work,
    )


def _value(work: Work, fact: FactVersion) -> float:
    return FORMER_VALUE if _is_former(work, fact) else FACT_VALUE


def _fact_item(work: Work, fact: FactVersion, value: float) -> TimelineItem:
    text = statement(fact, work.ports.registry, work.names, work.moment.now)
    if _is_former(work, fact):
        text += f" (not believed since {date_in_words(fact.invalidated_at, Granularity.DAY)})"
    return TimelineItem(
        id=fact.version_id,
        text=text,
        is_fact=True,
        time_state=TimeState.DATED,
        interval=fact.valid,
        start_granularity=fact.start_granularity,
        end_granularity=fact.end_granularity,
        value=value,
    )


def _event_item(record: EventRecord, value: float) -> TimelineItem:
    event = record.event
    granularity = event.interval.granularity if event.interval else Granularity.UNKNOWN
    return TimelineItem(
        id=event.event_id,
        text=event.sentence,
        is_fact=False,
        time_state=event.time_state,
        interval=event.interval if event.time_state is TimeState.DATED else None,
        start_granularity=granularity,
        end_granularity=granularity,
        value=value,
    )
