"""Claims of who is responsible for what, who married whom, who won what, and when a thing was founded."""

from __future__ import annotations

from functools import cache
from typing import Final

from tidegraph.domain.documents import EntityType
from tidegraph.language.claims import Builder, Claim, Side, make
from tidegraph.language.clauses import Clause
from tidegraph.language.matching import Pattern, take
from tidegraph.language.phrases import is_group, noun_text
from tidegraph.language.roles import Role, is_role
from tidegraph.language.times import times_of
from tidegraph.language.tree import Token
from tidegraph.language.words import table

_POINTING: Final = frozenset({"the", "this"})


@cache
def _things() -> frozenset[str]:
    return frozenset(table("patterns")["duties"]["words"])


def as_side(token: Token) -> Side:
    """A noun with its modifiers as a side: "ledger service", not "service"; names stay as they are."""
    bare = token.name is not None or is_group(token) or token.tag.startswith("PRP")
    text = "" if bare else noun_text(token)
    return Side(token, text) if " " in text else Side(token)


def _responsible(clause: Clause, pattern: Pattern, earlier: list[Role]) -> list[Claim]:
    """ "Ada Poll is responsible for the ledger service": it is owned by her."""
    if not any(t.lower == "responsible" for t in clause.slots.get("comp", ())):
        return []
    holders = [t for t in take(clause, pattern.a, "") if _is_holder(t)]
    return [
        make(clause, pattern, as_side(thing), "owner", as_side(holder))
        for thing in take(clause, ("for",), "")
        if _is_thing(thing)
        for holder in holders
    ]


def _is_holder(token: Token) -> bool:
    if token.name is not None:
        return not (token.name.certain and token.name.type is EntityType.PLACE)
    return token.lower in {"he", "she"} or (is_group(token) and " " in noun_text(token))


def _is_thing(token: Token) -> bool:
    """One thing of a kind that has owners: "this policy", "the ledger service", "database db-14"."""
    if token.name is not None:
        last = token.name.text.lower().split()[-1]
        return last in _things() or any(c.isdigit() for c in token.name.text)
    pointed = any(c.dep == "det" and c.lower in _POINTING for c in token.children)
    return token.tag == "NN" and token.lemma in _things() and pointed


def _marriage(clause: Clause, pattern: Pattern, earlier: list[Role]) -> list[Claim]:
    """ "A married B", "A and B married", "A has been married to B"."""
    persons = [t for t in take(clause, pattern.a, "person") if not is_role(t)]
    found = [t for slot in pattern.b for t in take(clause, (slot,), "person")]
    others = [t for t in found if t not in persons and not is_role(t)]
    if not others and len(persons) == 2:
        persons, others = persons[:1], persons[1:]
    return [make(clause, pattern, Side(p), "spouse", Side(o)) for p in persons for o in others]


def _awarded(clause: Clause, pattern: Pattern, earlier: list[Role]) -> list[Claim]:
    """ "was awarded the prize", "the prize was awarded to her"."""
    prizes = take(clause, pattern.b, pattern.kind_b)
    winners: list[Token] = []
    for slot in pattern.a:
        found = clause.slots.get(slot, ())
        winners = [t for t in found if t not in prizes and t.time is None and _may_win(t)]
        if winners:
            break
    return [make(clause, pattern, Side(w), "award", Side(p)) for w in winners for p in prizes]


def _may_win(token: Token) -> bool:
    return token.name is not None or token.tag.startswith("PRP")


def _founded_on(clause: Clause, pattern: Pattern, earlier: list[Role]) -> list[Claim]:
    """ "Acme was founded in 1998": the date is all that is told; as what, and by whom, is told otherwise."""
    times = [t for t in times_of(clause) if t.interval is not None]
    if (
        not clause.passive
        or any(clause.slots.get(s) for s in ("by", "as", "comp", "subj"))
        or len(times) != 1
    ):
        return []
    return [
        make(clause, pattern, Side(token), "founded_on", Side(None, times[0].text))
        for token in take(clause, pattern.a, "organisation")
        if token.name is not None or token.tag.startswith("PRP")
    ]


BUILDERS: Final[dict[str, Builder]] = {
    "responsible": _responsible,
    "marriage": _marriage,
    "awarded": _awarded,
    "founded-on": _founded_on,
}
