"""Results of use cases to API messages. Nothing is decided here."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from tidegraph.api.v1 import admin_pb2 as admin
from tidegraph.api.v1 import query_pb2 as api
from tidegraph.api.v1 import types_pb2 as types
from tidegraph.domain.documents import Status
from tidegraph.domain.errors import Rejected
from tidegraph.domain.facts import FactVersion
from tidegraph.domain.fuse import RRF_CONSTANT
from tidegraph.domain.identity import SameAs, Tie
from tidegraph.domain.interval import OPEN_START
from tidegraph.domain.timeline import TimelineLine
from tidegraph.ports import EntityRecord
from tidegraph.services import codec, reading_messages
from tidegraph.services.times import to_period, to_stamp
from tidegraph.services.usecases.answers import Answer, Check, Cited, Outcome
from tidegraph.services.usecases.ask import Started
from tidegraph.services.usecases.context import Moment
from tidegraph.services.usecases.facts import Explained, History, HistoryRow
from tidegraph.services.usecases.identity import Near, Review
from tidegraph.services.usecases.phrasing import statement
from tidegraph.services.usecases.question import AnchorFound, Linked, Order, Question, Relation
from tidegraph.services.usecases.ranking import TimeEncoding
from tidegraph.services.usecases.retrieve import DEFAULT, Hit, Options, Rerank, Retrieved
from tidegraph.services.usecases.timelines import TimelineFound
from tidegraph.services.usecases.tracing import Traced
from tidegraph.services.usecases.walking import Walked
from tidegraph.services.usecases.work import Work

_OUTCOMES = {
    Outcome.ANSWERED: api.ANSWER_OUTCOME_ANSWERED,
    Outcome.NOT_KNOWN: api.ANSWER_OUTCOME_NOT_KNOWN,
    Outcome.WITHHELD: api.ANSWER_OUTCOME_WITHHELD,
}


TIME_WEIGHT_MAX = 10.0


def basis(moment: Moment, encoder: str = "", reasoner: str = "") -> types.Basis:
    """What an answer was computed from."""
    valid = moment.valid
    return types.Basis(
        valid=to_period(valid.start, valid.end, valid.granularity, valid.granularity),
        valid_defaulted=moment.valid_defaulted,
        known_at=to_stamp(moment.known_at),
        watermark_time=to_stamp(moment.watermark),
        final=moment.final,
        now_time=to_stamp(moment.now),
        graph_version=moment.graph_version,
        encoder=encoder,
        reasoner=reasoner,
        valid_asked=moment.valid_asked,
    )


def started(part: Started) -> api.AskResponse:
    start = api.AskStart(basis=basis(part.moment, part.encoder, part.reasoner), intent=intent(part.question))
    return api.AskResponse(start=start)


def intent(question: Question) -> types.Intent:
    """How the question was read."""
    relation = question.time.relation
    if question.order in (Order.FIRST, Order.LAST) and relation is Relation.NONE:
        relation_name = question.order.name
    elif relation is Relation.NONE:
        relation_name = question.anchor.relation.name if question.anchor else "UNSPECIFIED"
    else:
        relation_name = relation.name
    links = [*question.entities, *(question.anchor.clause.entities if question.anchor else ())]
    message = types.Intent(
        question=question.text,
        semantic=question.semantic,
        question_class=types.QuestionClass.Value(f"QUESTION_CLASS_{question.question_class.upper()}"),
        asked_for=question.asked.value,
        entities=[_link(link, known=True) for link in dict.fromkeys(links)],
        relation=types.TimeRelation.Value(
            "TIME_RELATION_" + ("UNSPECIFIED" if relation_name == "NONE" else relation_name)
        ),
        time_text=question.time.text or (question.anchor.clause.semantic if question.anchor else ""),
        unknown=[_link(link, known=False) for link in question.unknown],
    )
    interval = question.time.interval
    if interval is not None:
        granularity = interval.granularity
        message.time.CopyFrom(to_period(interval.start, interval.end, granularity, granularity))
    if question.anchor is not None and question.anchor.found is not None:
        message.anchor.CopyFrom(_anchor(question.anchor.clause.semantic, question.anchor.found))
    return message


def _anchor(text: str, found: AnchorFound) -> types.Anchor:
    span = found.interval
    return types.Anchor(
        text=text,
        event_id=found.event_id,
        sentence=found.sentence,
        fact_ids=found.fact_ids,
        time=to_period(span.start, span.end, span.granularity, span.granularity),
    )


def _link(link: Linked, *, known: bool) -> types.LinkedEntity:
    scores = link.scores or (1.0,) * len(link.candidates)
    reason = "close name" if link.scores else "name"
    candidates = [
        types.EntityCandidate(entity=_ref(record), score=score, reason=reason)
        for record, score in zip(link.candidates, scores, strict=True)
    ]
    entity = _ref(link.candidates[0]) if known else None
    return types.LinkedEntity(text=link.text, entity=entity, candidates=candidates)


def _ref(record: EntityRecord) -> types.EntityRef:
    return codec.entity_ref(record.entity_id, {record.entity_id: record})


def fact(version: FactVersion, work: Work) -> types.Fact:
    text = statement(version, work.ports.registry, work.names, work.moment.now)
    return codec.fact(version, work.names, text)


def timeline(found: TimelineFound) -> types.Timeline:
    """Static events apart; facts and dated events ascending by start."""
    dated = sorted(
        (*found.timeline.facts, *found.timeline.dated),
        key=lambda line: (line.item.interval.start if line.item.interval else OPEN_START, line.item.id),
    )
    return types.Timeline(
        undated=[_entry(line, found) for line in found.timeline.static],
        dated=[_entry(line, found) for line in dated],
        omitted_count=len(found.timeline.omitted),
    )


def _entry(line: TimelineLine, found: TimelineFound) -> types.TimelineEntry:
    entry = types.TimelineEntry(index=line.number, text=line.text)
    if line.item.is_fact:
        entry.fact.CopyFrom(fact(found.facts[line.item.id], found.work))
    else:
        entry.event.CopyFrom(codec.event(found.events[line.item.id], found.work.names))
    return entry


def citation(cited: Cited) -> types.Citation:
    message = types.Citation(
        label=cited.label,
        source=types.Source(
            document_id=cited.document_id,
            revision=cited.revision,
            title=cited.title,
            start_char=cited.start_char,
            end_char=cited.end_char,
            document_time_text=codec.document_time(cited.document_time),
            recorded=codec.recorded(cited.recorded_at, cited.withdrawn_at),
        ),
        sentence=cited.sentence,
        fact_id=cited.fact_id,
        event_id=cited.event_id,
        chunk_id=cited.chunk_id,
        assertion_id=cited.assertion_id,
    )
    if cited.valid is not None:
        period = to_period(cited.valid.start, cited.valid.end, cited.start_granularity, cited.end_granularity)
        message.valid.CopyFrom(period)
    return message


def final(answer: Answer, work: Work, *, explain: bool) -> api.AskFinal:
    return api.AskFinal(
        outcome=_OUTCOMES[answer.outcome],
        values=answer.values,
        transition=answer.transition,
        steps=answer.steps if explain else (),
        text=answer.text,
        checks=[_check(check) for check in answer.checks],
        confidence=answer.confidence,
        report=reading_messages.ask_report(work.trail) if explain else None,
    )


def _check(check: Check) -> api.AnswerCheck:
    return api.AnswerCheck(name=check.name, passed=check.passed, detail=check.detail)


def retrieved(found: Retrieved, work: Work, *, explain: bool) -> api.RetrieveResponse:
    """Hits and, when asked, how they were found; without basis and paging."""
    response = api.RetrieveResponse(
        hits=[_hit(hit, work) for hit in found.hits], suppressed_count=found.suppressed
    )
    if explain:
        response.legs.extend(reading_messages.leg_report(run) for run in work.trail.legs)
        response.report.CopyFrom(reading_messages.retrieval_report(work.trail.searches[-1]))
    return response


_RERANKING = {
    api.RERANKING_UNSPECIFIED: None,
    api.RERANKING_NONE: Rerank.NONE,
    api.RERANKING_FEATURES: Rerank.FEATURES,
    api.RERANKING_CROSS_ENCODER: Rerank.CROSS_ENCODER,
}


def retrieval_options(request: api.RetrieveRequest) -> Options:
    """How a request wants to be ranked.

    Raises:
        Rejected: INVALID_TIME_WEIGHT, not in [0, 10].
    """
    weight = request.time_weight if request.HasField("time_weight") else 1.0
    if not 0.0 <= weight <= TIME_WEIGHT_MAX:
        message = f"time_weight is 0 to {TIME_WEIGHT_MAX:g}"
        raise Rejected("INVALID_TIME_WEIGHT", message, field="time_weight")
    fourier = request.time_encoding == api.TIME_ENCODING_FOURIER
    encoding = TimeEncoding.FOURIER if fourier else TimeEncoding.KERNEL
    graph = {value: leg for leg, value in reading_messages.GRAPH_LEGS.items()}
    rerank, leg = _RERANKING.get(request.reranking), graph.get(request.graph_leg, DEFAULT.graph)
    return Options(rerank, weight, encoding, leg)


def statuses(given: Iterable[int]) -> frozenset[Status]:
    """What a request asks for by how documents put it; empty: the default.

    Raises:
        Rejected: INVALID_STATUS.
    """
    try:
        return frozenset(Status(status) for status in given if status)
    except ValueError as error:
        raise Rejected("INVALID_STATUS", "this status is not known", field="statuses") from error


def traced(found: Traced, work: Work) -> api.TraceResponse:
    """Without the basis."""
    return api.TraceResponse(
        facts=[fact(version, work) for version in found.facts],
        events=[codec.event(record, work.names) for record in found.events],
    )


def _hit(hit: Hit, work: Work) -> api.Hit:
    reasons = [
        api.HitReason(leg=leg, rank=rank, score=1.0 / (RRF_CONSTANT + rank)) for leg, rank in hit.ranks
    ]
    reasons += [api.HitReason(feature=name, score=value) for name, value in hit.parts]
    message = api.Hit(score=hit.score, reasons=reasons)
    if hit.event is not None:
        message.event.CopyFrom(codec.event(hit.event, work.names))
    elif hit.fact is not None:
        message.fact.CopyFrom(fact(hit.fact, work))
    elif hit.chunk is not None:
        chunk = hit.chunk
        source = codec.chunk_source(chunk)
        message.chunk.CopyFrom(api.Chunk(chunk_id=chunk.chunk.chunk_id, text=chunk.chunk.text, source=source))
    return message


def walked(found: Walked, work: Work) -> api.WalkResponse:
    return api.WalkResponse(
        paths=[api.WalkPath(event_ids=path.nodes, probability=path.probability) for path in found.paths],
        events=[codec.event(record, work.names) for record in found.events],
        scores=found.scores,
    )


def history_row(row: HistoryRow, history: History) -> api.FactVersion:
    return api.FactVersion(
        fact=fact(row.version, history.work),
        current=row.current,
        replaced_by=row.replaced_by,
        reason=row.reason,
    )


def explained(found: Explained) -> api.ExplainFactResponse:
    """Without the basis."""
    roles = api.Evidence.Role
    evidence = [
        api.Evidence(
            role=roles.Value(f"ROLE_{row.role.name}"),
            assertion_id=row.assertion.assertion_id,
            verb=types.Verb.ValueType(int(row.assertion.verb)),
            status=types.ClaimStatus.ValueType(int(row.assertion.status)),
            confidence=row.assertion.confidence,
            citation=citation(row.cited),
            rule_id=row.assertion.rule_id,
            time_rule_id=row.time_rule_id,
        )
        for row in found.evidence
    ]
    return api.ExplainFactResponse(
        fact=fact(found.version, found.work),
        evidence=evidence,
        last_confirmed_at=to_stamp(found.last_confirmed_at),
        preceded_by=[fact(version, found.work) for version in found.preceded_by],
        succeeded_by=[fact(version, found.work) for version in found.succeeded_by],
        reasons=found.reasons,
        omitted_count=found.omitted,
    )


def entity(record: EntityRecord) -> api.Entity:
    return api.Entity(
        ref=_ref(record),
        aliases=record.aliases,
        recorded_at=to_stamp(record.recorded_at),
        member_ids=record.members,
    )


def tie(row: SameAs, names: Mapping[str, EntityRecord]) -> types.EntityTie:
    """One row about two ids, each under the name of its own."""
    tied = row.tied
    return types.EntityTie(
        left=codec.entity_ref(tied.left, names),
        right=codec.entity_ref(tied.right, names),
        rule=tied.rule,
        actor=tied.actor,
        reason=tied.reason,
        recorded=codec.recorded(row.recorded_at, row.invalidated_at),
        review=tied.tie is Tie.REVIEW,
    )


def candidate(near: Near) -> types.EntityCandidate:
    return types.EntityCandidate(entity=_ref(near.record), score=near.score, reason=near.reason)


def review(one: Review) -> admin.Review:
    return admin.Review(
        left=_named(one.left, one.tie.tied.left),
        right=_named(one.right, one.tie.tied.right),
        score=one.score,
        reason=one.reason,
        recorded_at=to_stamp(one.tie.recorded_at),
    )


def _named(record: EntityRecord, entity_id: str) -> types.EntityRef:
    """A reference to one id of an entity."""
    return codec.entity_ref(entity_id, {entity_id: record})


def entity_ref(record: EntityRecord) -> types.EntityRef:
    return _ref(record)
