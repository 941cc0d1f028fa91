"""Claims of what state a thing is in: "the tunnel was closed", "the service is deprecated"."""

from __future__ import annotations

from typing import Final

from tidegraph.language.claims import Builder, Claim, Side, make
from tidegraph.language.clauses import Clause
from tidegraph.language.matching import Pattern, fits
from tidegraph.language.phrases import noun_text
from tidegraph.language.roles import Role
from tidegraph.language.tree import Token
from tidegraph.language.words import table


def _status(clause: Clause, pattern: Pattern, earlier: list[Role]) -> list[Claim]:
    states = table("patterns")["statuses"]
    particles = [f"{clause.lemma} {p}" for p in clause.particles]
    state = next((states[k] for k in [*particles, clause.lemma] if k in states), "")
    if not state or (clause.lemma == "open" and not clause.passive):
        return []
    subjects = (
        clause.slots.get("obj", [])
        if clause.passive
        else clause.slots.get("subj", [])
        if not clause.slots.get("obj")
        else clause.slots["obj"]
    )
    claims: list[Claim] = []
    for subject in subjects:
        if fits(subject, "thing") and _is_specific(subject):
            claims += _told(clause, pattern, subject, state)
    return claims


def _told(clause: Clause, pattern: Pattern, subject: Token, state: str) -> list[Claim]:
    written = noun_text(subject) if subject.name is None else ""
    return [make(clause, pattern, Side(subject, written), "status", Side(None, state))]


def _status_adjective(clause: Clause, pattern: Pattern, earlier: list[Role]) -> list[Claim]:
    known = frozenset(table("patterns")["status_adjectives"]["words"])
    claims: list[Claim] = []
    for complement in clause.slots.get("comp", ()):
        if complement.lower in known and complement.tag in {"JJ", "VBN", "RB"}:
            for subject in clause.slots.get("subj", ()):
                if fits(subject, "thing") and _is_specific(subject):
                    claims += _told(clause, pattern, subject, complement.lower)
    return claims


def _is_specific(token: Token) -> bool:
    """A name, or "the Skelmer tunnel": a noun phrase that stands for one thing."""
    if token.text.isdigit():
        return False
    if token.name is not None or token.tag.startswith("PRP"):
        return True
    named = any(c.name is not None and c.dep in {"compound", "nmod", "poss", "appos"} for c in token.children)
    definite = any(c.dep == "det" and c.lower in {"the", "this"} for c in token.children)
    modified = any(c.dep in {"compound", "amod"} for c in token.children)
    return named or (definite and modified) or any(ch.isdigit() for ch in token.text)


BUILDERS: Final[dict[str, Builder]] = {"status": _status, "status-adjective": _status_adjective}
