"""The renaming that an answer rests on, where the asked name was not in force at the asked time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from tidegraph.domain.facts import FactVersion
from tidegraph.domain.identity import NAME
from tidegraph.domain.interval import OPEN_START
from tidegraph.domain.naming import normalise
from tidegraph.ports import FactFilter
from tidegraph.services.usecases.answers import Answer, Outcome, cite_facts
from tidegraph.services.usecases.compose import line
from tidegraph.services.usecases.question import Linked
from tidegraph.services.usecases.scope import Scope
from tidegraph.services.usecases.work import Work

NAMES_MAX: Final = 200


async def with_renamings(work: Work, scope: Scope, answer: Answer) -> Answer:
    """The answer with the renamings between the asked names and those in force at the asked time."""
    ids = tuple(record.entity_id for link in work.question.entities for record in link.candidates)
    if answer.outcome is not Outcome.ANSWERED or not ids or scope.interval is None:
        return answer
    which = FactFilter(subject_ids=ids, predicates=(NAME,), limit=NAMES_MAX)
    told = await work.ports.store.facts(work.moment.graph, which, work.moment.seen)
    told = [fact for fact in told if not fact.object_is_entity]
    known = {fact.version_id for fact in answer.facts}
    used = [
        fact
        for link in work.question.entities
        for fact in _between(link, told, scope.interval.start)
        if fact.version_id not in known
    ]
    if not used:
        return answer
    await work.learn_names(used)
    first = len(answer.citations) + 1
    cited = await cite_facts(work.ports, work.moment, used, work.names, first)
    lines = [
        line(work, fact) + "".join(f" [{c.label}]" for c in cited if c.fact_id == fact.version_id)
        for fact in used
    ]
    work.step("names", "; ".join(lines))
    text = f"{answer.text} {'; '.join(lines)}."
    return replace(answer, text=text, citations=(*answer.citations, *cited), steps=tuple(work.steps))


def _between(link: Linked, told: Sequence[FactVersion], instant: int) -> list[FactVersion]:
    """The facts that gave a thing the asked name after the asked time, or took it before."""
    asked, own = normalise(link.text), set(link.ids)
    found = []
    for fact in told:
        if fact.subject in own and normalise(fact.object) == asked and not fact.valid.contains(instant):
            if fact.valid.start > instant:
                found.append(fact)
            else:
                found += [
                    other
                    for other in told
                    if other.subject == fact.subject and other.valid.start == fact.valid.end != OPEN_START
                ]
    return list({fact.version_id: fact for fact in found}.values())
