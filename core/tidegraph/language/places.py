"""Claims of where things are: headquarters, residence, sites that open and close."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Final

from tidegraph.domain.documents import Verb
from tidegraph.language.claims import Builder, Claim, Side, make
from tidegraph.language.clauses import Clause
from tidegraph.language.matching import Pattern, fits, take
from tidegraph.language.roles import Role
from tidegraph.language.things import complement
from tidegraph.language.tree import Token
from tidegraph.language.words import table

_MAIN: Final = frozenset({"head", "main", "corporate", "registered", "central"})


@cache
def _list(section: str) -> frozenset[str]:
    return frozenset(table("patterns")[section]["words"])


def _move(clause: Clause, pattern: Pattern, earlier: list[Role]) -> list[Claim]:
    seats = [t for t in clause.slots.get("obj", ()) if _is_seat(t)]
    places = list(take(clause, pattern.b, "place"))
    old = list(take(clause, pattern.d, "place"))
    subjects = clause.slots.get("subj", [])
    if clause.slots.get("obj") and not seats:
        # What else is moved says nothing of the headquarters.
        return []
    if not seats and any(_is_seat(t) for t in subjects):
        seats, subjects = subjects[:1], []
    if not subjects and seats:
        owners = [complement(s, ("of",)) for s in seats]
        subjects = [o for o in owners if o is not None]
    claims = []
    for subject in subjects[:1]:
        person = fits(subject, "person") and not fits(subject, "group") and not seats
        predicate = "residence" if person else "headquarters"
        if not (seats or person or subject.name is not None) or not places:
            continue
        claims.append(
            replace(make(clause, pattern, Side(subject), predicate, Side(places[0])), verb=Verb.START)
        )
        claims += [
            replace(make(clause, pattern, Side(subject), predicate, Side(o)), verb=Verb.STOP) for o in old[:1]
        ]
    return claims


def _is_seat(token: Token) -> bool:
    """The headquarters, the head office, the offices; not the office of a town or of a department."""
    known = _list("headquarters")
    if token.name is not None or not (token.lemma in known or token.lower in known):
        return False
    told = [c for c in token.children if c.dep in {"compound", "nmod", "amod"}]
    return token.lemma != "office" or all(c.name is None and c.lower in _MAIN for c in told)


def _seat(clause: Clause, pattern: Pattern, earlier: list[Role]) -> list[Claim]:
    """ "The headquarters of Acme are in Leeds"."""
    claims = []
    for seat in (t for slot in pattern.a for t in clause.slots.get(slot, ())):
        office = any(c.lower == "head" and c.dep in {"compound", "amod"} for c in seat.children)
        if seat.lower not in {"headquarters", "hq"} and not (seat.lemma == "office" and office):
            continue
        owner = complement(seat, ("of",)) or next(
            (c for c in seat.children if c.name is not None and c.dep in {"compound", "nmod"}), None
        )
        places = take(clause, pattern.b, "place")
        if owner is not None and fits(owner, "organisation"):
            claims += [make(clause, pattern, Side(owner), "headquarters", Side(p)) for p in places[:1]]
    return claims


def _has_seat(clause: Clause, pattern: Pattern, earlier: list[Role]) -> list[Claim]:
    """ "Acme has its head office in Leeds"."""
    seats = [t for t in clause.slots.get("obj", ()) if _is_seat(t) and (t.lemma != "office" or _is_main(t))]
    owners = [t for t in clause.slots.get("subj", ()) if fits(t, "organisation")]
    places = take(clause, pattern.b, "place") if seats else []
    return [make(clause, pattern, Side(o), "headquarters", Side(p)) for o in owners[:1] for p in places[:1]]


def _is_main(token: Token) -> bool:
    return any(c.lower in _MAIN for c in token.children)


def _site(clause: Clause, pattern: Pattern, earlier: list[Role]) -> list[Claim]:
    """ "opened a plant in Swindale", "closed its Swindale plant"."""
    claims = []
    for site in clause.slots.get("obj", ()):
        if site.name is not None or site.lemma not in _list("sites"):
            continue
        places = list(take(clause, pattern.b, "place"))
        places += [
            c
            for c in site.children
            if c.name is not None and c.dep in {"compound", "nmod"} and fits(c, "place")
        ]
        subjects = [t for t in clause.slots.get("subj", ()) if fits(t, "organisation")]
        for subject in subjects[:1]:
            claims += [make(clause, pattern, Side(subject), "operates_in", Side(p)) for p in places[:1]]
    return claims


BUILDERS: Final[dict[str, Builder]] = {
    "move": _move,
    "seat": _seat,
    "has-seat": _has_seat,
    "site": _site,
}
