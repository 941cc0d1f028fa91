"""All claims of a sentence: clauses, nouns that stand for a relation, headlines, names with a post."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tidegraph.language import (
    claims,
    deverbal,
    duties,
    groups,
    lists,
    nominals,
    open_claims,
    places,
    schooling,
    statuses,
    suppliers,
    things,
)
from tidegraph.language.claims import Builder, Claim
from tidegraph.language.clauses import Clause
from tidegraph.language.matching import patterns_for, shows
from tidegraph.language.roles import Role
from tidegraph.language.status import Stance
from tidegraph.language.tree import Sentence, Token

_BUILDERS: Final[dict[str, Builder]] = {
    **claims.BUILDERS,
    **duties.BUILDERS,
    **groups.BUILDERS,
    **places.BUILDERS,
    **schooling.BUILDERS,
    **statuses.BUILDERS,
    **suppliers.BUILDERS,
    **things.BUILDERS,
}


def read(
    sentence: Sentence, found: Sequence[Clause], stances: Sequence[Stance]
) -> list[tuple[Claim, Stance]]:
    """The claims of a sentence, each with the stance of the clause that makes it."""
    result: list[tuple[Claim, Stance]] = []
    earlier: list[Role] = []
    for clause, attitude in zip(found, stances, strict=True):
        if not leads_list(clause):
            result += [(claim, attitude) for claim in of_clause(clause, attitude, earlier)]
    listed = lists.terms(sentence)
    terms = {(id(claim.subject.token), claim.predicate) for claim in listed}
    result = [told for told in result if (id(told[0].subject.token), told[0].predicate) not in terms]
    result += [(claim, nominals.PLAIN) for claim in listed]
    said = {(id(claim.subject.token), claim.predicate) for claim, _ in result}
    result += [
        (claim, attitude)
        for claim, attitude in nominals.of_sentence(sentence, found, stances)
        if (id(claim.subject.token), claim.predicate) not in said
    ]
    told_of = {id(claim.clause.verb) for claim, _ in result if claim.clause is not None}
    result += [
        (claim, attitude)
        for clause, attitude in zip(found, stances, strict=True)
        if id(clause.verb) not in told_of and not leads_list(clause)
        for claim in open_claims.read(clause, attitude)
    ]
    return result


def of_clause(clause: Clause, attitude: Stance, earlier: list[Role]) -> list[Claim]:
    """The claims of one clause and of the nouns in it; ``earlier``: the posts told before."""
    told = _of_clause(clause, attitude, earlier)
    for event in deverbal.as_clauses(clause):
        told += _of_clause(event, attitude, earlier)
    made = {_key(claim) for claim in told}
    return [*told, *(c for c in nominals.of_arguments(clause, attitude) if _key(c) not in made)]


def is_listing(token: Token) -> bool:
    """ "the following", "the following people": stands for the items of the list below."""
    if token.name is not None:
        return False
    return token.lower == "following" or any(
        c.lower == "following" and c.dep == "amod" and c.i < token.i for c in token.children
    )


def leads_list(clause: Clause) -> bool:
    """Whether a clause speaks of the items of the list below it."""
    return any(is_listing(t) for tokens in clause.slots.values() for t in tokens)


def _key(claim: Claim) -> tuple[int, str, int]:
    return id(claim.subject.token), claim.predicate, id(claim.object.token)


def _of_clause(clause: Clause, attitude: Stance, earlier: list[Role]) -> list[Claim]:
    """The claims of the first pattern that fits."""
    for pattern in patterns_for(clause):
        free = clause.lemma in pattern.options.get("free_verbs", ())
        if pattern.options.get("passive") and not clause.passive:
            continue
        if clause.particles & set(pattern.options.get("without", ())):
            continue
        if pattern.options.get("intransitive") and clause.slots.get("obj"):
            continue
        if pattern.needs and not free and not shows(clause, pattern.needs):
            continue
        builder = _BUILDERS.get(pattern.relation, claims.plain)
        made = builder(clause, pattern, earlier)
        if made:
            does = claims.does_of(clause, pattern, attitude)
            return [claims.with_verb(claim, does, pattern) for claim in made]
    return []
