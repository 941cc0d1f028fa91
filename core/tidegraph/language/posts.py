"""Posts that stand beside a name, or that the sentence named before."""

from __future__ import annotations

from tidegraph.language.clauses import Clause
from tidegraph.language.matching import fits
from tidegraph.language.roles import Role, is_role, role_of
from tidegraph.language.tree import Token


def roles_before(clause: Clause) -> list[Role]:
    """The last post that the sentence named before the verb ("changed its CEO: Roe was replaced")."""
    before = [t for t in clause.sentence.tokens if t.i < clause.verb.i and is_role(t)]
    role = role_of(before[-1]) if before else None
    return [role] if role is not None and role.kind != "member" and role.organisations else []


def role_beside(losers: list[Token], roles: list[Role]) -> tuple[list[Token], list[Role]]:
    """ "its CEO Jane Roe", "the CEO of Acme, Jane Roe": the post stands beside the name."""
    if roles:
        return losers, roles
    for loser in losers:
        # The parser hangs the name under the post, or under the organisation of the post.
        role = role_of(loser)
        below = [loser, *(role.organisations if role else [])]
        named = [c for t in below for c in t.children if c.dep == "appos" and c.name is not None]
        if role is not None and named and fits(named[0], "person"):
            return [named[0]], [role]
    for loser in losers:
        for child in loser.children:
            if child.dep in {"compound", "nmod", "appos", "amod"} and (role := role_of(child)) is not None:
                owners = [
                    c
                    for c in loser.children
                    if c.dep == "poss"
                    or (c.name is not None and c.dep in {"compound", "nmod"} and c.i < child.i)
                ]
                role.organisations = role.organisations or owners
                return losers, [role]
    return losers, roles
