"""The time that a clause of a question sets, found in the graph before anything is searched."""

from __future__ import annotations

from dataclasses import replace

from tidegraph.services.usecases.reasoner import FactReasoner
from tidegraph.services.usecases.scope import Scope
from tidegraph.services.usecases.work import Work


async def anchored(work: Work, scope: Scope) -> Scope:
    """The asked time with what the question's clause speaks of; what was found stands in the question then.

    A time that is given goes before the clause. Nothing is read for a question without one.

    Raises:
        NotFound: EVENT_NOT_FOUND, Rejected: INVALID_READING; of an event that the caller names.
    """
    anchor = work.question.anchor
    if anchor is None or scope.given:
        return scope
    located = await FactReasoner(work, scope).located()
    if located is None or not located.sure:
        return scope
    work.question = replace(work.question, anchor=replace(anchor, found=located.found))
    return Scope(located.relation, located.interval, given=True)
