"""From a fact to the events that its evidence stands in, and from an event to the facts that it supports."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

from tidegraph.domain.errors import NotFound, Rejected
from tidegraph.domain.explain import explain
from tidegraph.domain.facts import Assertion, FactVersion
from tidegraph.ports import EventRecord, FactFilter
from tidegraph.services.usecases.work import Work


@dataclass(frozen=True, slots=True)
class Traced:
    """A fact with its events, or an event with its facts; as of known_at."""

    facts: tuple[FactVersion, ...]
    events: tuple[EventRecord, ...]


async def trace(work: Work, fact_id: str, event_id: str) -> Traced:
    """What is on the other side of a fact or of an event.

    Raises:
        Rejected: NO_RESTRICTION. NotFound: FACT_NOT_FOUND or EVENT_NOT_FOUND at known_at.
    """
    if bool(fact_id) == bool(event_id):
        raise Rejected("NO_RESTRICTION", "give a fact_id or an event_id", field="from")
    return await (_of_fact(work, fact_id) if fact_id else _of_event(work, event_id))


async def _of_fact(work: Work, fact_id: str) -> Traced:
    which = FactFilter(version_ids=(fact_id,), history=True, limit=1)
    found = await work.ports.store.facts(work.moment.graph, which, work.moment.seen)
    if not found:
        message = "no such fact was known then in this graph; take its id from an answer or from timeline"
        raise NotFound("FACT_NOT_FOUND", message, fact_id=fact_id[:80])
    evidence = await work.ports.store.assertions(work.moment.graph, [found[0].key], work.moment.seen)
    ids = [one.event_id for one in _supporting(work, found[0], evidence) if one.event_id]
    events = await work.ports.store.events(work.moment.graph, list(dict.fromkeys(ids)), work.moment.seen)
    await work.learn_names(found)
    return Traced((found[0],), tuple(events))


async def _of_event(work: Work, event_id: str) -> Traced:
    graph, seen = work.moment.graph, work.moment.seen
    events = await work.ports.store.events(graph, [event_id], seen)
    if not events:
        message = "no such event was known then in this graph; take its id from Retrieve or GetTimeline"
        raise NotFound("EVENT_NOT_FOUND", message, event_id=event_id[:80])
    keys = await work.ports.store.keys_of(graph, [events[0].document_id])
    everything = await work.ports.store.assertions(graph, keys.get(events[0].document_id, []), seen)
    by_key: dict[str, list[Assertion]] = defaultdict(list)
    for one in everything:
        by_key[one.key].append(one)
    told = [key for key, group in by_key.items() if any(one.event_id == event_id for one in group)]
    facts = [
        fact
        for fact in await work.facts_under(sorted(told))
        if any(one.event_id == event_id for one in _supporting(work, fact, by_key[fact.key]))
    ]
    return Traced(tuple(facts), tuple(events))


def _supporting(work: Work, fact: FactVersion, evidence: list[Assertion]) -> tuple[Assertion, ...]:
    policy = work.ports.registry.key_policy(fact.predicate, fact.qualifiers)
    return tuple(explain(evidence, fact, policy, work.moment.known_at).evidence)
