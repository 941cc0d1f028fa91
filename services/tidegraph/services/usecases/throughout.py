"""Answers to questions that ask for the whole of a time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tidegraph.domain.asked import Asked
from tidegraph.domain.asof import endpoints
from tidegraph.domain.facts import FactVersion
from tidegraph.domain.interval import Granularity, Interval
from tidegraph.services.usecases import compose
from tidegraph.services.usecases.answers import Answer
from tidegraph.services.usecases.continuity import Stretch, fills, gaps, meets_each, missed, stretch, units_of
from tidegraph.services.usecases.matching import Slot
from tidegraph.services.usecases.phrasing import asked_in_words
from tidegraph.services.usecases.question import Relation
from tidegraph.services.usecases.scope import Scope, window_of
from tidegraph.services.usecases.work import Work

GAPS_MAX: Final = 3
UNITS: Final = {"week": Granularity.WEEK, "month": Granularity.MONTH, "year": Granularity.YEAR}


async def throughout(
    work: Work, chosen: Sequence[FactVersion], family: Sequence[FactVersion], slot: Slot, scope: Scope
) -> Answer | None:
    """Whether it held all the time, or what did."""
    asked = _asked(work, scope)
    told = scope.interval if scope.given else None
    relation = scope.relation if scope.given else Relation.NONE
    units = units_of(asked, UNITS[work.question.each]) if asked is not None and work.question.each else []
    if work.question.asked is Asked.TRUTH:
        filled = meets_each(family, units) if units else fills(family, asked)
        said = _said_of_each(family, units, work.question.each) if units else _said(family, asked)
        work.step("continuity", said)
        if filled is None:
            return compose.not_known(work, family, relation, told)
        met = list(chosen) or list(family)
        return await compose.verdict(work, met, said, relation, told, yes=filled)
    if asked is None and not work.question.unbroken:
        asked = _history(work, family, slot)
    values: dict[str, list[FactVersion]] = {}
    for fact in chosen:
        values.setdefault(compose.value_of(work, fact, slot), []).append(fact)
    full = [
        fact
        for facts in values.values()
        if (meets_each(facts, units) if units else fills(facts, asked))
        for fact in facts
    ]
    work.step("continuity", f"{len(full)} of {len(chosen)} facts fill the asked time")
    if not full:
        return compose.not_known(work, family, relation, told)
    return await compose.values(work, full, family, slot, relation, told)


def _asked(work: Work, scope: Scope) -> Stretch | None:
    window = window_of(scope.relation, scope.interval) if scope.given else None
    since = scope.interval if scope.relation is Relation.SINCE else None
    return stretch(window, since, work.moment.present)


def _history(work: Work, family: Sequence[FactVersion], slot: Slot) -> Stretch | None:
    """The time from the first start of any value to the present, or to the last end: "the entire time" of an
    office is no single holder's. None for one value alone, which has no other to be measured by.
    """
    if len({compose.value_of(work, fact, slot) for fact in family}) < 2:
        return None
    ends, present = [endpoints(fact) for fact in family], work.moment.present
    start = min(present, *(one.start_latest for one in ends))
    end = min(present, max(one.end_earliest for one in ends))
    return Stretch(start, max(start + 1, end), start)


def _said(family: Sequence[FactVersion], asked: Stretch | None) -> str:
    """What is left open, in words."""
    left = gaps(family, asked)
    if not left:
        return "without a gap"
    return f"not {'; nor '.join(_in_words(gap) for gap in left[:GAPS_MAX])}"


def _said_of_each(family: Sequence[FactVersion], units: Sequence[Interval], each: str) -> str:
    """The units that are missed, in words."""
    left = missed(family, units)
    if not left:
        return f"in every {each}"
    return f"not in {'; nor in '.join(asked_in_words(unit) for unit in left[:GAPS_MAX])}"


def _in_words(gap: Interval) -> str:
    return asked_in_words(Interval(gap.start, gap.end))
