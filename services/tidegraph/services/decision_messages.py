"""Results about decisions and belief diffs to API messages. Nothing is decided here."""

from __future__ import annotations

from tidegraph.api.v1 import admin_pb2 as admin
from tidegraph.api.v1 import query_pb2 as query
from tidegraph.ports import DecisionRecord
from tidegraph.services import messages
from tidegraph.services.times import to_period, to_stamp
from tidegraph.services.usecases.decisions import Conflict, Option, Policies
from tidegraph.services.usecases.diff import BeliefChange
from tidegraph.services.usecases.work import Work


def conflict(found: Conflict, work: Work) -> admin.Conflict:
    return admin.Conflict(
        key=found.winner.key,
        winner=messages.fact(found.winner, work),
        claims=[messages.citation(cited) for cited in found.claims],
        options=[_option(option) for option in found.options],
    )


def _option(option: Option) -> admin.ConflictOption:
    claim = option.assertion
    return admin.ConflictOption(
        assertion_id=claim.assertion_id,
        text=option.text,
        valid=to_period(
            option.valid.start,
            option.valid.end,
            claim.valid.start_granularity,
            claim.valid.end_granularity,
        ),
        winning=option.winning,
        chosen=option.chosen,
        source_priority=claim.source_priority,
        confidence=claim.confidence,
    )


def decision(found: DecisionRecord) -> admin.Decision:
    return admin.Decision(
        decision_id=found.decision_id,
        kind=found.kind,
        subject=found.subject,
        actor=found.actor,
        reason=found.reason,
        recorded_at=to_stamp(found.recorded_at),
        content_json=found.content,
    )


def policies(found: Policies) -> admin.GetPoliciesResponse:
    response = admin.GetPoliciesResponse(
        registry_toml=found.registry_toml,
        predicates=sorted(policy.name for policy in found.registry),
    )
    if found.decision is not None:
        response.decision.CopyFrom(decision(found.decision))
    return response


def belief_change(found: BeliefChange, work: Work) -> query.BeliefChange:
    change = query.BeliefChange(
        kind=query.BeliefChange.Kind.Value(f"KIND_{found.kind.upper()}"), reason=found.reason
    )
    if found.before is not None:
        change.before.CopyFrom(messages.fact(found.before, work))
    if found.after is not None:
        change.after.CopyFrom(messages.fact(found.after, work))
    return change
