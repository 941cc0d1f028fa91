"""Claims of degrees: "received her B.A. from Acme College in 1994 and her J.D. from Borwick College"."""

from __future__ import annotations

from typing import Final

from tidegraph.domain.documents import Verb
from tidegraph.language.claims import Builder, Claim, Side, make, with_verb
from tidegraph.language.clauses import Clause
from tidegraph.language.matching import Pattern, fits, take
from tidegraph.language.roles import Role
from tidegraph.language.tree import Token
from tidegraph.language.words import table

_SCHOOL_PREPOSITIONS: Final = frozenset({"from", "at", "in", "of"})


def _degree(clause: Clause, pattern: Pattern, earlier: list[Role]) -> list[Claim]:
    """One claim a degree, each with the school and the date that follow it."""
    degrees = [t for t in clause.slots.get("obj", ()) if _is_degree(t)]
    persons = take(clause, pattern.a, "person")[:1]
    if not degrees or not persons:
        return []
    stretches = [*[d.i for d in degrees[1:]], clause.sentence.tokens[-1].i + 1]
    claims: list[Claim] = []
    for degree, stop in zip(degrees, stretches, strict=True):
        after = [t for t in clause.sentence.tokens if degree.i < t.i < stop]
        school = next((t for t in after if _is_school(t)), None)
        if school is None:
            continue
        dated = next((t for t in after if t.time is not None and t.time.interval is not None), None)
        told = clause if dated is None or len(degrees) == 1 else _dated_by(dated, clause)
        claims += [make(told, pattern, Side(person), "educated_at", Side(school)) for person in persons]
    return claims


def _dated_by(time: Token, clause: Clause) -> Clause:
    """A clause of its own, so that only this date counts."""
    return Clause(time, "apposition", frozenset(), {}, False, None, None, clause.sentence)


def _is_degree(token: Token) -> bool:
    known = frozenset(table("patterns")["degrees"]["words"])
    if token.lemma in known or token.lower in known:
        return True
    near = [*token.children, *(c for p in token.children if p.dep == "prep" for c in p.children)]
    return any(c.lower in known or c.lemma in known for c in near)


def _is_school(token: Token) -> bool:
    if token.name is None or not fits(token, "name"):
        return False
    below = token.dep == "pobj" and token.head.lower in _SCHOOL_PREPOSITIONS - {"in", "of"}
    return below or fits(token, "school")


def _graduate(clause: Clause, pattern: Pattern, earlier: list[Role]) -> list[Claim]:
    """ "moved to Acme College and graduated in 1960": the school that the sentence named last."""
    before = [t for t in clause.sentence.tokens if t.i < clause.verb.i and t.name is not None]
    schools = [t for t in before if fits(t, "school")][-1:]
    named = [t for slot in ("from", "at") for t in clause.slots.get(slot, ()) if t.name is not None]
    if named or not schools:
        return []
    persons = [t for t in take(clause, pattern.a, "person") if t is not schools[0]]
    made = [make(clause, pattern, Side(p), "educated_at", Side(schools[0])) for p in persons[:1]]
    return [with_verb(claim, Verb.STOP, pattern) for claim in made]


BUILDERS: Final[dict[str, Builder]] = {"degree": _degree, "graduate": _graduate}
