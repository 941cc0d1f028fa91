"""Events and facts in order of time, within a token budget."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from tidegraph.domain.documents import TimeState
from tidegraph.domain.facts import FactVersion
from tidegraph.domain.interval import Granularity, Interval
from tidegraph.domain.timeline import Timeline, TimelineItem, build_timeline
from tidegraph.ports import EventRecord
from tidegraph.services.usecases.event_search import HIDDEN, distinct
from tidegraph.services.usecases.linking import named
from tidegraph.services.usecases.phrasing import statement
from tidegraph.services.usecases.retrieve import retrieve
from tidegraph.services.usecases.scope import Scope
from tidegraph.services.usecases.work import FACTS_MAX, Work

BUDGET_DEFAULT: Final = 2_000
BUDGET_MAX: Final = 50_000
EVENTS_MAX: Final = 1_000
QUERY_HITS: Final = 60
FACT_VALUE: Final = 1_000.0
"""Facts are settled belief: under a budget they are kept before single events."""


@dataclass(frozen=True, slots=True)
class TimelineFound:
    """The timeline with the records behind its ids."""

    timeline: Timeline
    events: dict[str, EventRecord]
    facts: dict[str, FactVersion]
    work: Work


async def entity_timeline(work: Work, name_or_id: str, window: Interval | None, budget: int) -> TimelineFound:
    """Everything about one entity; inside the window when one is given.

    Raises:
        NotFound: ENTITY_NOT_FOUND.
    """
    ids = [record.entity_id for record in await named(work.ports, work.moment, name_or_id)]
    facts = [fact for fact in await work.facts_of(ids) if window is None or fact.valid.overlaps(window)]
    events = await work.ports.store.events_of(work.moment.graph, ids, window, work.moment.seen, EVENTS_MAX)
    return await arranged(work, facts[:FACTS_MAX], events, budget)


async def query_timeline(work: Work, scope: Scope, budget: int) -> TimelineFound:
    """What a query retrieves, in order of time."""
    found = await retrieve(work, scope, QUERY_HITS)
    facts = [hit.fact for hit in found.hits if hit.fact is not None]
    events = [hit.event for hit in found.hits if hit.event is not None]
    values = {hit.id.partition(":")[2]: hit.score for hit in found.hits}
    return await arranged(work, facts, events, budget, values)


async def arranged(
    work: Work,
    facts: Sequence[FactVersion],
    events: Iterable[EventRecord],
    budget: int,
    values: dict[str, float] | None = None,
) -> TimelineFound:
    """The timeline of given facts and events; ``values`` orders what is kept under the budget."""
    shown = distinct(record for record in events if record.event.status not in HIDDEN)
    await work.learn_names(facts)
    await work.learn_ids(entity_id for record in shown for entity_id in record.entity_ids)
    worth = values or {}
    items = [_fact_item(work, fact, worth.get(fact.version_id, FACT_VALUE)) for fact in facts]
    items += [_event_item(record, worth.get(record.event.event_id, record.event.score)) for record in shown]
    timeline = build_timeline(items, min(budget or BUDGET_DEFAULT, BUDGET_MAX))
    return TimelineFound(
        timeline=timeline,
        events={record.event.event_id: record for record in shown},
        facts={fact.version_id: fact for fact in facts},
        work=work,
    )


def _fact_item(work: Work, fact: FactVersion, value: float) -> TimelineItem:
    return TimelineItem(
        id=fact.version_id,
        text=statement(fact, work.ports.registry, work.names, work.moment.now),
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
