"""What an answer is, and the evidence that its statements cite."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from tidegraph.domain.documents import EndpointBasis, Status, Verb
from tidegraph.domain.facts import Assertion, FactVersion
from tidegraph.domain.interval import Granularity, Interval
from tidegraph.domain.policies import normal_value
from tidegraph.ports import ChunkRecord, EntityRecord, EventRecord
from tidegraph.services.usecases.context import Moment, Ports
from tidegraph.services.usecases.question import Relation
from tidegraph.services.usecases.quoting import sentences

CITATIONS_PER_FACT: Final = 2


class Outcome(StrEnum):
    """How a question ended."""

    ANSWERED = "answered"
    NOT_KNOWN = "not_known"
    WITHHELD = "withheld"


@dataclass(frozen=True, slots=True)
class Cited:
    """One piece of evidence with its place and both of its times (microseconds)."""

    label: str
    document_id: str
    revision: str
    title: str
    start_char: int
    end_char: int
    document_time: int
    recorded_at: int
    withdrawn_at: int
    sentence: str
    valid: Interval | None
    start_granularity: Granularity
    end_granularity: Granularity
    fact_id: str
    event_id: str
    chunk_id: str
    assertion_id: str


@dataclass(frozen=True, slots=True)
class Check:
    """One check of a finished answer."""

    name: str
    passed: bool
    detail: str


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer before it is streamed. ``values`` are bare; ``facts`` and ``events`` are what it rests on."""

    outcome: Outcome
    values: tuple[str, ...]
    text: str
    transition: str
    steps: tuple[str, ...]
    citations: tuple[Cited, ...]
    facts: tuple[FactVersion, ...]
    events: tuple[EventRecord, ...]
    relation: Relation
    asked: Interval | None
    confidence: float
    checks: tuple[Check, ...] = ()
    holds: tuple[Interval, ...] = ()
    """When each value holds, where it was read off texts: what the asked time is checked against."""


async def cite_facts(
    ports: Ports,
    moment: Moment,
    versions: Sequence[FactVersion],
    names: dict[str, EntityRecord],
    first_label: int = 1,
) -> list[Cited]:
    """The best evidence of each version: for its start, and for its end where that is stated elsewhere."""
    keys = list(dict.fromkeys(version.key for version in versions))
    if not keys:
        return []
    evidence = await ports.store.assertions(moment.graph, keys, moment.seen)
    alive = [assertion for assertion in evidence if assertion.withdrawn_at > moment.known_at]
    chosen: list[tuple[FactVersion, Assertion]] = []
    for version in versions:
        listed = [assertion for assertion in alive if assertion.key == version.key]
        chosen += [(version, assertion) for assertion in best_evidence(version, listed)]
    chosen = list({(v.version_id, a.assertion_id): (v, a) for v, a in chosen}.values())
    ids = [assertion.event_id for _, assertion in chosen if assertion.event_id]
    events = {r.event.event_id: r for r in await ports.store.events(moment.graph, ids, moment.seen)}
    documents = await ports.store.documents(
        moment.graph, list(dict.fromkeys(a.document_id for _, a in chosen)), moment.seen
    )
    said = await sentences(ports, moment, chosen, events, names)
    titles = {(d.header.document_id, d.header.revision): d.header.title for d in documents}
    return [
        cite_assertion(
            str(first_label + index),
            version,
            assertion,
            events.get(assertion.event_id),
            said[index],
            titles.get((assertion.document_id, assertion.revision), ""),
        )
        for index, (version, assertion) in enumerate(chosen)
    ]


def says(version: FactVersion, assertion: Assertion) -> bool:
    """Whether an assertion under the version's key speaks of the version's own subject and object."""
    same_object = assertion.object == version.object or (
        not version.object_is_entity and normal_value(assertion.object) == normal_value(version.object)
    )
    return assertion.subject == version.subject and same_object


def best_evidence(version: FactVersion, listed: Sequence[Assertion]) -> list[Assertion]:
    """At most two assertions: what gives the start (or else says it best), what gives the end."""
    own = [a for a in listed if says(version, a) and a.status is not Status.DENIED]
    starts = [a for a in own if a.valid.start == version.valid.start and a.verb is not Verb.STOP]
    pool = starts or [a for a in own if a.verb is not Verb.STOP] or own
    found = sorted(pool, key=_rank)[:1]
    ends = [
        a
        for a in listed
        if a.valid.end == version.valid.end
        and a.valid.end_basis is EndpointBasis.STATED
        and (says(version, a) or not a.object or not a.subject)
    ]
    if version.end_inferred:
        ends = [a for a in listed if a.valid.start == version.valid.end and not says(version, a)]
    found += [a for a in sorted(ends, key=_rank)[:1] if a not in found]
    return found[:CITATIONS_PER_FACT]


def _rank(assertion: Assertion) -> tuple[bool, bool, int, float, int, str]:
    """Best first: corrections, stated starts, source priority, confidence, later documents, id."""
    return (
        assertion.verb is not Verb.CORRECTION,
        assertion.valid.start_basis is not EndpointBasis.STATED,
        -assertion.source_priority,
        -assertion.confidence,
        -assertion.document_time,
        assertion.assertion_id,
    )


def cite_assertion(
    label: str,
    version: FactVersion,
    assertion: Assertion,
    event: EventRecord | None,
    said: str,
    title: str = "",
) -> Cited:
    """The citation of an assertion; ``said``: what its document says (``quoting.sentences``)."""
    return Cited(
        label=label,
        document_id=assertion.document_id,
        revision=assertion.revision,
        title=event.title if event else title,
        start_char=assertion.start_char,
        end_char=assertion.end_char,
        document_time=assertion.document_time,
        recorded_at=assertion.recorded_at,
        withdrawn_at=assertion.withdrawn_at,
        sentence=said,
        valid=version.valid,
        start_granularity=version.start_granularity,
        end_granularity=version.end_granularity,
        fact_id=version.version_id,
        event_id=assertion.event_id,
        chunk_id="",
        assertion_id=assertion.assertion_id,
    )


def cite_event(label: str, record: EventRecord) -> Cited:
    """The citation of an event."""
    event = record.event
    granularity = event.interval.granularity if event.interval else Granularity.UNKNOWN
    return Cited(
        label=label,
        document_id=record.document_id,
        revision=record.revision,
        title=record.title,
        start_char=event.start_char,
        end_char=event.end_char,
        document_time=record.document_time,
        recorded_at=record.recorded_at,
        withdrawn_at=record.withdrawn_at,
        sentence=event.sentence,
        valid=event.interval,
        start_granularity=granularity,
        end_granularity=granularity,
        fact_id="",
        event_id=event.event_id,
        chunk_id="",
        assertion_id="",
    )


def cite_chunk(label: str, record: ChunkRecord, sentence: str, start: int, end: int) -> Cited:
    """The citation of a passage of a chunk, by its characters in the document."""
    return Cited(
        label=label,
        document_id=record.document_id,
        revision=record.revision,
        title=record.chunk.title,
        start_char=start,
        end_char=end,
        document_time=record.document_time,
        recorded_at=record.recorded_at,
        withdrawn_at=record.withdrawn_at,
        sentence=sentence,
        valid=None,
        start_granularity=Granularity.UNKNOWN,
        end_granularity=Granularity.UNKNOWN,
        fact_id="",
        event_id="",
        chunk_id=record.chunk.chunk_id,
        assertion_id="",
    )
