"""How a caller reads a question, from its message; and how an answer was found, to one."""

from __future__ import annotations

from typing import Final

from tidegraph.api.v1 import query_pb2 as api
from tidegraph.api.v1 import types_pb2 as types
from tidegraph.domain.asked import Asked
from tidegraph.domain.errors import Rejected
from tidegraph.domain.interval import Interval
from tidegraph.services.times import from_interval, read_date
from tidegraph.services.usecases.graph_leg import GraphLeg
from tidegraph.services.usecases.overriding import Choice, Override, TimeChoice
from tidegraph.services.usecases.question import (
    Order,
    Relation,
)
from tidegraph.services.usecases.reading import QUESTION_CHARACTERS_MAX
from tidegraph.services.usecases.retrieve import Rerank
from tidegraph.services.usecases.timecot import PROMPT, STEPS
from tidegraph.services.usecases.trail import LegRun, SearchRun, Trail
from tidegraph.services.usecases.versions import of_answer, of_ranking

_CLASS: Final = "QUESTION_CLASS_"
_ORDERS: Final = {types.TIME_RELATION_FIRST: Order.FIRST, types.TIME_RELATION_LAST: Order.LAST}
_RERANKINGS: Final = {
    Rerank.NONE: api.RERANKING_NONE,
    Rerank.FEATURES: api.RERANKING_FEATURES,
    Rerank.CROSS_ENCODER: api.RERANKING_CROSS_ENCODER,
}
GRAPH_LEGS: Final = {
    GraphLeg.NONE: api.GRAPH_LEG_NONE,
    GraphLeg.WALK: api.GRAPH_LEG_WALK,
    GraphLeg.PAGERANK: api.GRAPH_LEG_PAGERANK,
}


def override(message: types.Reading) -> Override:
    """What a caller says of a question.

    Raises:
        Rejected: INVALID_READING, INVALID_DATE, INVALID_TIMESTAMP or INVALID_INTERVAL.
    """
    semantic = " ".join(message.semantic.split())
    if len(semantic) > QUESTION_CHARACTERS_MAX:
        text = f"semantic has at most {QUESTION_CHARACTERS_MAX} characters, not {len(semantic)}"
        raise Rejected("INVALID_READING", text, field="reading.semantic")
    return Override(
        semantic=semantic,
        question_class=_question_class(message.question_class),
        asked=_asked(message.asked_for),
        entities=tuple(_choice(one) for one in message.entities),
        time=_time(message.time) if message.HasField("time") else None,
        anchor_event_id=message.anchor_event_id.strip(),
    )


def _question_class(value: types.QuestionClass.ValueType) -> str:
    if value not in types.QuestionClass.values():
        raise Rejected("INVALID_READING", "no such class of question", field="reading.question_class")
    return types.QuestionClass.Name(value).removeprefix(_CLASS).lower() if value else ""


def _asked(text: str) -> Asked | None:
    try:
        return Asked(text) if text else None
    except ValueError:
        known = ", ".join(Asked)
        message = f"{text[:40]!r} cannot be asked for; one of {known} can"
        raise Rejected("INVALID_READING", message, field="reading.asked_for") from None


def _choice(message: types.EntityChoice) -> Choice:
    if not message.entity.strip():
        raise Rejected("INVALID_READING", "name each entity, or give its id", field="reading.entities")
    return Choice(message.entity.strip(), " ".join(message.text.split()))


def _time(message: types.TimeConstraint) -> TimeChoice:
    interval: Interval | None = None
    match message.WhichOneof("time"):
        case "interval":
            interval = from_interval(message.interval, "reading.time.interval")
        case "text":
            interval = read_date(message.text, "reading.time.text")
    relation = message.relation
    if relation in _ORDERS:
        return TimeChoice(Relation.IN, _ORDERS[relation], interval)
    if relation not in types.TimeRelation.values():
        raise Rejected("INVALID_READING", "no such relation of times", field="reading.time.relation")
    if interval is None and relation != types.TIME_RELATION_UNSPECIFIED:
        raise Rejected("INVALID_READING", "give the time to the relation", field="reading.time")
    name = types.TimeRelation.Name(relation).removeprefix("TIME_RELATION_")
    return TimeChoice(Relation.IN if name == "UNSPECIFIED" else Relation[name], Order.NONE, interval)


def ask_report(trail: Trail) -> api.AskReport:
    """How an answer was found."""
    report = api.AskReport(
        stages=[
            api.StageReport(name=run.name, outcome=run.outcome, elapsed_ms=run.elapsed_ms)
            for run in trail.stages
        ],
        legs=[leg_report(run) for run in trail.legs],
        elapsed_ms=trail.elapsed_ms,
        versions=of_answer(
            (PROMPT, STEPS) if any(run.name == "language model" for run in trail.stages) else ()
        ),
    )
    if trail.searches:
        report.retrieval.CopyFrom(retrieval_report(trail.searches[-1]))
    return report


def leg_report(run: LegRun) -> api.LegReport:
    return api.LegReport(
        leg=run.name,
        candidate_count=run.candidates,
        elapsed_ms=run.elapsed_ms,
        pruned_count=run.pruned,
        path=run.path,
    )


def retrieval_report(run: SearchRun) -> api.RetrievalReport:
    return api.RetrievalReport(
        pool_count=run.pool,
        reranking=_RERANKINGS[Rerank(run.reranking)],
        time_weight=run.time_weight,
        versions=of_ranking(),
        encoder=run.encoder,
        reranker=run.reranker,
        steps=[api.StepReport(name=name, elapsed_ms=elapsed) for name, elapsed in run.steps],
        graph_leg=GRAPH_LEGS[GraphLeg(run.graph_leg)],
    )
