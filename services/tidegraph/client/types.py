"""Typed results: plain records, times as text no finer than they were given, and as datetimes."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime

from google.protobuf.timestamp_pb2 import Timestamp

from tidegraph.api.v1 import admin_pb2, query_pb2, types_pb2


@dataclass(frozen=True, slots=True)
class Options:
    """As-of and deadline of a call. Empty: true now, as best known, with the server's deadline.

    ``valid`` and ``known``: dates as text ("2024", "2024-Q1", "2024-03-05", a time) or aware datetimes.
    ``await_token``: read what that write wrote. ``basis``: of an earlier answer, to ask again as then; not
    beside ``valid`` and ``known``. ``statuses``: how documents have to put what is shown (asserted, reported,
    ceased, planned, denied); empty: in any way but denied and planned. Not every call asks for it.
    """

    valid: str | datetime = ""
    known: str | datetime = ""
    await_token: str = ""
    timeout_seconds: float | None = None
    basis: types_pb2.Basis | None = None
    statuses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Reading:
    """How to read a question, where that differs from what its text says; what is empty is read off it.

    ``entities``: names or ids in place of those that it names; a pair (name or id, words of the question)
    says where it stands. ``time``: a date as text; ``relation``: in, before, after, between, since, until,
    first or last. ``no_time``: it asks for no time, whatever its text says. ``anchor``: the id of the event
    that a clause of time speaks of.
    """

    entities: tuple[str | tuple[str, str], ...] = ()
    time: str = ""
    relation: str = ""
    no_time: bool = False
    asked_for: str = ""
    question_class: str = ""
    semantic: str = ""
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class Period:
    """A half-open period. ``start`` and ``end`` are None where open or not a datetime; texts say which."""

    start: datetime | None
    end: datetime | None
    start_text: str
    end_text: str

    def __str__(self) -> str:
        if self.end_text == "..":
            return f"{self.start_text} .." if self.start_text != ".." else "always"
        return f"{self.start_text} .. {self.end_text}"


@dataclass(frozen=True, slots=True)
class Fact:
    """One believed version of a fact."""

    fact_id: str
    subject: str
    subject_id: str
    predicate: str
    object: str
    object_id: str
    qualifiers: tuple[tuple[str, str], ...]
    valid: Period
    recorded: Period
    text: str
    announced: bool
    conflicted: bool
    end_inferred: bool


@dataclass(frozen=True, slots=True)
class Citation:
    """What an answer rests on, with both of its times."""

    label: str
    document_id: str
    revision: str
    title: str
    sentence: str
    valid: Period | None
    recorded: Period
    fact_id: str
    event_id: str


@dataclass(frozen=True, slots=True)
class Answer:
    """A finished answer. ``outcome`` is answered, not_known or withheld."""

    outcome: str
    values: tuple[str, ...]
    text: str
    transition: str
    citations: tuple[Citation, ...]
    steps: tuple[str, ...]
    timeline: tuple[str, ...]
    basis: types_pb2.Basis
    intent: types_pb2.Intent
    confidence: float
    report: query_pb2.AskReport | None = None
    """How it was found, where that was asked for."""

    @property
    def known(self) -> bool:
        """Whether there is an answer."""
        return self.outcome == "answered"


@dataclass(frozen=True, slots=True)
class Hit:
    """One piece of ranked evidence; ``kind`` is event, fact or chunk."""

    kind: str
    id: str
    text: str
    score: float
    document_id: str
    time: Period | None


@dataclass(frozen=True, slots=True)
class FactHistoryRow:
    """One version and what became of it."""

    fact: Fact
    current: bool
    replaced_by: tuple[str, ...]
    reason: str


@dataclass(frozen=True, slots=True)
class EntityInfo:
    """An entity with its names and the facts that hold."""

    entity_id: str
    name: str
    type: str
    aliases: tuple[str, ...]
    facts: tuple[Fact, ...]
    member_ids: tuple[str, ...] = ()
    """All ids that are one with it; () for an id that stands alone."""
    ties: tuple[Tie, ...] = ()
    candidates: tuple[Near, ...] = ()
    homonym_ids: tuple[str, ...] = ()
    """Others that carry the name."""


@dataclass(frozen=True, slots=True)
class Tie:
    """A row that says of two ids that they are one, or (``review``) asks whether they are."""

    left_id: str
    left: str
    right_id: str
    right: str
    rule: str
    actor: str
    reason: str
    recorded: Period
    review: bool


@dataclass(frozen=True, slots=True)
class Near:
    """Another entity with how likely it is the same, in [0, 1]."""

    entity_id: str
    name: str
    score: float
    reason: str


@dataclass(frozen=True, slots=True)
class ReviewRow:
    """A pair of ids that the rules do not decide."""

    left_id: str
    left: str
    right_id: str
    right: str
    score: float
    reason: str


def _datetime(stamp: Timestamp) -> datetime:
    return stamp.ToDatetime(tzinfo=UTC)


def period(message: types_pb2.Period) -> Period:
    interval = message.interval
    return Period(
        start=_datetime(interval.start_time) if interval.HasField("start_time") else None,
        end=_datetime(interval.end_time) if interval.HasField("end_time") else None,
        start_text=message.start_text,
        end_text=message.end_text,
    )


def fact(message: types_pb2.Fact) -> Fact:
    entity = message.object.entity
    return Fact(
        fact_id=message.fact_id,
        subject=message.subject.name,
        subject_id=message.subject.entity_id,
        predicate=message.predicate,
        object=entity.name or message.object.literal,
        object_id=entity.entity_id,
        qualifiers=tuple((qualifier.name, qualifier.value) for qualifier in message.qualifiers),
        valid=period(message.valid),
        recorded=period(message.recorded),
        text=message.text,
        announced=message.announced,
        conflicted=message.conflicted,
        end_inferred=message.end_inferred,
    )


def citation(message: types_pb2.Citation) -> Citation:
    return Citation(
        label=message.label,
        document_id=message.source.document_id,
        revision=message.source.revision,
        title=message.source.title,
        sentence=message.sentence,
        valid=period(message.valid) if message.HasField("valid") else None,
        recorded=period(message.source.recorded),
        fact_id=message.fact_id,
        event_id=message.event_id,
    )


def hit(message: query_pb2.Hit) -> Hit:
    kind = message.WhichOneof("item") or ""
    match kind:
        case "event":
            event = message.event
            time = period(event.time) if event.HasField("time") else None
            return Hit(kind, event.event_id, event.sentence, message.score, event.source.document_id, time)
        case "fact":
            found = message.fact
            return Hit(kind, found.fact_id, found.text, message.score, "", period(found.valid))
    chunk = message.chunk
    return Hit(kind, chunk.chunk_id, chunk.text, message.score, chunk.source.document_id, None)


def history_row(message: query_pb2.FactVersion) -> FactHistoryRow:
    return FactHistoryRow(
        fact=fact(message.fact),
        current=message.current,
        replaced_by=tuple(message.replaced_by),
        reason=message.reason,
    )


def entity_info(message: query_pb2.GetEntityResponse) -> EntityInfo:
    ref = message.entity.ref
    return EntityInfo(
        entity_id=ref.entity_id,
        name=ref.name,
        type=types_pb2.EntityType.Name(ref.type).removeprefix("ENTITY_TYPE_").lower(),
        aliases=tuple(message.entity.aliases),
        facts=tuple(fact(found) for found in message.facts),
        member_ids=tuple(message.entity.member_ids),
        homonym_ids=tuple(ref.entity_id for ref in message.homonyms),
        ties=tuple(tie(row) for row in message.ties),
        candidates=tuple(
            Near(one.entity.entity_id, one.entity.name, one.score, one.reason) for one in message.candidates
        ),
    )


def tie(message: types_pb2.EntityTie) -> Tie:
    return Tie(
        left_id=message.left.entity_id,
        left=message.left.name,
        right_id=message.right.entity_id,
        right=message.right.name,
        rule=message.rule,
        actor=message.actor,
        reason=message.reason,
        recorded=period(message.recorded),
        review=message.review,
    )


def review_row(message: admin_pb2.Review) -> ReviewRow:
    return ReviewRow(
        left_id=message.left.entity_id,
        left=message.left.name,
        right_id=message.right.entity_id,
        right=message.right.name,
        score=message.score,
        reason=message.reason,
    )
