"""The other names of what a question names: what was told under a name before or after a renaming.

A renaming is a fact of its own ("Norvik has been called Aurora since 2022"); entities keep the ids that they
were told under. So where nothing under the asked name answers, the names before and after it are tried.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from tidegraph.domain.facts import FactVersion
from tidegraph.domain.naming import normalise
from tidegraph.ports import EntityRecord, FactFilter
from tidegraph.services.usecases.answers import Answer, cite_facts
from tidegraph.services.usecases.compose import line
from tidegraph.services.usecases.question import Linked, Question
from tidegraph.services.usecases.work import FACTS_MAX, Work

NAME: Final = "name"
"""The predicate of the registry whose literal value is a name of the subject."""


async def under_other_names(work: Work) -> tuple[Question, list[FactVersion]] | None:
    """The question with the entities of the other names added, and the renamings; None without any."""
    question = work.question
    if not question.entities:
        return None
    which = FactFilter(predicates=(NAME,), limit=FACTS_MAX)
    told = await work.ports.store.facts(work.moment.graph, which, work.moment.seen)
    told = [fact for fact in told if not fact.object_is_entity]
    named = {normalise(fact.object) for fact in told}
    holders = await work.ports.store.entities_by_name(work.moment.graph, sorted(named - {""}))
    await work.learn_names(told)
    links: list[Linked] = []
    used: dict[str, FactVersion] = {}
    for link in question.entities:
        others, renamings = _others(link, told, holders, work.names)
        used.update({fact.version_id: fact for fact in renamings})
        links.append(replace(link, candidates=(*link.candidates, *others)))
    if tuple(links) == question.entities:
        return None
    return replace(question, entities=tuple(links)), list(used.values())


def _others(
    link: Linked,
    told: list[FactVersion],
    holders: dict[str, list[EntityRecord]],
    names: dict[str, EntityRecord],
) -> tuple[list[EntityRecord], list[FactVersion]]:
    """Entities that a renaming says are the same as a link's, and those renamings."""
    own = set(link.ids)
    found: dict[str, EntityRecord] = {}
    renamings: list[FactVersion] = []
    for fact in told:
        same = holders.get(normalise(fact.object), [])
        if fact.subject in own:
            others = [record for record in same if record.entity_id not in own]
        elif own & {record.entity_id for record in same}:
            others = [names[fact.subject]] if fact.subject in names else []
        else:
            continue
        if others:
            found.update({record.entity_id: record for record in others})
            renamings.append(fact)
    return list(found.values()), renamings


async def with_renamings(work: Work, answer: Answer, renamings: list[FactVersion]) -> Answer:
    """The answer with the renamings that it rests on, told and cited."""
    first = len(answer.citations) + 1
    cited = await cite_facts(work.ports, work.moment, renamings, work.names, first)
    told = [
        line(work, fact) + "".join(f" [{c.label}]" for c in cited if c.fact_id == fact.version_id)
        for fact in renamings
    ]
    text = f"{answer.text} {'; '.join(told)}."
    return replace(answer, text=text, citations=(*answer.citations, *cited), steps=tuple(work.steps))
