"""The check of a finished answer: what it cites exists, was known then, and meets the asked time."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from typing import Final

from tidegraph.domain.interval import Interval
from tidegraph.services.usecases.answers import Answer, Check, Outcome
from tidegraph.services.usecases.context import Moment
from tidegraph.services.usecases.event_search import interval_of, is_dated
from tidegraph.services.usecases.question import Relation
from tidegraph.services.usecases.scope import window_of

_LABEL: Final = re.compile(r"\[(\d{1,3})\]")
WITHHELD: Final = "The answer is withheld: it does not stand up to the check of its evidence."


def checked(
    answer: Answer,
    moment: Moment,
    retrieved_ids: Iterable[str] | None = None,
    aside: frozenset[str] = frozenset(),
) -> Answer:
    """The answer with its checks; withheld when one fails.

    ``retrieved_ids``: ids of all evidence that was at hand; None when the answer was made from the
    evidence itself. ``aside``: ids of what only sets the asked time and need not lie in it.
    """
    if answer.outcome is not Outcome.ANSWERED:
        return answer
    checks = (
        _labels(answer),
        _retrieved(answer, retrieved_ids),
        _known(answer, moment),
        _in_time(answer, aside),
    )
    if all(check.passed for check in checks):
        return replace(answer, checks=checks)
    failed = "; ".join(f"{check.name}: {check.detail}" for check in checks if not check.passed)
    return replace(
        answer,
        outcome=Outcome.WITHHELD,
        text=f"{WITHHELD} ({failed})",
        values=(),
        transition="",
        citations=(),
        confidence=0.0,
        checks=checks,
    )


def _labels(answer: Answer) -> Check:
    """Every [n] in the text is one of the citations, and there is at least one citation."""
    used = set(_LABEL.findall(answer.text))
    unknown = sorted(used - {cited.label for cited in answer.citations})
    if unknown:
        return Check("citations_exist", False, f"no evidence is numbered {', '.join(unknown)}")
    if not answer.citations:
        return Check("citations_exist", False, "nothing is cited")
    return Check("citations_exist", True, f"{len(answer.citations)} cited")


def _retrieved(answer: Answer, retrieved_ids: Iterable[str] | None) -> Check:
    if retrieved_ids is None:
        return Check("citations_retrieved", True, "made from the evidence itself")
    known = set(retrieved_ids)
    missing = [
        cited.label
        for cited in answer.citations
        if not known & {cited.fact_id, cited.event_id, cited.chunk_id} - {""}
    ]
    detail = f"not among the evidence: {', '.join(missing)}" if missing else "all were retrieved"
    return Check("citations_retrieved", not missing, detail)


def _known(answer: Answer, moment: Moment) -> Check:
    late = [cited.label for cited in answer.citations if cited.recorded_at > moment.known_at]
    gone = [cited.label for cited in answer.citations if cited.withdrawn_at <= moment.known_at]
    late += [f.version_id for f in answer.facts if not f.recorded_at <= moment.known_at < f.invalidated_at]
    wrong = late + gone
    detail = f"not known then: {', '.join(wrong)}" if wrong else "all was known then"
    return Check("known_then", not wrong, detail)


def _in_time(answer: Answer, aside: frozenset[str]) -> Check:
    """The facts and dated events that the answer rests on meet the asked time."""
    window = window_of(answer.relation, answer.asked)
    if window is None or answer.relation is Relation.NONE:
        return Check("meets_asked_time", True, "no time is asked")
    spans: list[Interval] = [fact.valid for fact in answer.facts if fact.version_id not in aside]
    if answer.holds:
        spans += answer.holds
    else:
        dated = [record for record in answer.events if is_dated(record)]
        spans += [interval_of(record) for record in dated if record.event.event_id not in aside]
    outside = [span for span in spans if not (span.overlaps(window) or span.is_empty)]
    detail = f"{len(outside)} lie outside" if outside else "all meet it"
    return Check("meets_asked_time", not outside, detail)
