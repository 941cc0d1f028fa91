"""Claims of who supplies what to whom, and of what runs on what."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from tidegraph.domain.documents import EntityType, Verb
from tidegraph.language.claims import Builder, Claim, Side, make
from tidegraph.language.clauses import Clause
from tidegraph.language.matching import Pattern, fits, take
from tidegraph.language.phrases import noun_text
from tidegraph.language.roles import Role, is_role
from tidegraph.language.tree import Token
from tidegraph.language.words import table

_MAIN: Final = frozenset({"primary", "sole", "main", "only", "exclusive", "default", "preferred"})
_PASSING: Final = frozenset({"new", "current", "next", "former"})


def supplied(token: Token) -> tuple[str, str]:
    """ "primary payment gateway": the exclusive relation, with what is supplied."""
    before = [t for t in token.subtree() if t.i < token.i and t.dep in {"amod", "compound", "nmod"}]
    main = any(c.lower in _MAIN for c in before)
    kept = [c.lower for c in before if c.name is None and c.lower not in _MAIN | _PASSING]
    service = " ".join([*kept, token.lemma] if token.lemma == "gateway" else kept)
    return ("primary_supplier" if main else "supplier"), service


def _is_supplier_noun(token: Token) -> bool:
    entry = table("patterns")["copular"].get(token.lemma)
    return token.name is None and entry is not None and entry["predicate"] == "supplier"


def _is_supplier(token: Token) -> bool:
    """A name that is not certainly a person's: what recognisers take names of products for varies."""
    if token.name is None or token.time is not None:
        return False
    return not (token.name.certain and token.name.type is EntityType.PERSON)


def _owners(noun: Token) -> list[Token]:
    """Whose supplier it is: "the payment gateway of Acme", "Acme's payment gateway"."""
    below = [
        c.child("pobj") for c in noun.children if c.dep == "prep" and c.lower in {"of", "for", "to", "at"}
    ]
    found = [t for t in below if t is not None and t.time is None]
    found += [c for c in noun.children if c.dep == "poss" and not c.tag.startswith("PRP")]
    return [t for t in found if fits(t, "organisation")]


def _supplier_nouns(clause: Clause) -> list[Token]:
    found = [*clause.slots.get("comp", ()), *clause.slots.get("as", ())]
    return [t for t in dict.fromkeys(found) if _is_supplier_noun(t)][:1]


def _supply(clause: Clause, pattern: Pattern, owner: Token, noun: Token, supplier: Token) -> Claim:
    predicate, service = supplied(noun)
    return make(clause, pattern, Side(owner), predicate, Side(supplier), service=service)


def _chosen(clause: Clause, pattern: Pattern, earlier: list[Role]) -> list[Claim]:
    """ "Acme selected Quill as its primary payment gateway"."""
    claims: list[Claim] = []
    for noun in _supplier_nouns(clause):
        owners = _owners(noun) or [t for t in clause.slots.get("subj", ()) if fits(t, "organisation")]
        for supplier in clause.slots.get("obj", ()):
            if _is_supplier(supplier):
                claims += [_supply(clause, pattern, owner, noun, supplier) for owner in owners[:1]]
    return claims


def _became(clause: Clause, pattern: Pattern, earlier: list[Role]) -> list[Claim]:
    """ "Quill became the primary payment gateway of Acme"."""
    return [
        _supply(clause, pattern, owner, noun, supplier)
        for noun in _supplier_nouns(clause)
        for owner in _owners(noun)[:1]
        for supplier in clause.slots.get("subj", ())
        if _is_supplier(supplier)
    ]


def _replaced(clause: Clause, pattern: Pattern, earlier: list[Role]) -> list[Claim]:
    """ "Northgate replaced Quill as the payment gateway of Acme"; "Acme replaced Quill with Northgate as"."""
    subjects = [t for t in clause.slots.get("subj", ()) if _is_supplier(t)]
    olds = [t for t in clause.slots.get("obj", ()) if _is_supplier(t)]
    news = [t for t in clause.slots.get("with", ()) if _is_supplier(t)]
    claims: list[Claim] = []
    for noun in _supplier_nouns(clause) if olds else ():
        owners = _owners(noun) or (subjects if news else [])
        winners = news or (subjects if owners and subjects[:1] != owners[:1] else [])
        for owner in owners[:1] if winners else ():
            claims += [replace(_supply(clause, pattern, owner, noun, o), verb=Verb.STOP) for o in olds[:1]]
            claims += [
                replace(_supply(clause, pattern, owner, noun, w), verb=Verb.START) for w in winners[:1]
            ]
    return claims


def _runs_on(clause: Clause, pattern: Pattern, earlier: list[Role]) -> list[Claim]:
    """ "The tracking platform runs on Altocloud"."""
    things = [t for slot in pattern.a for t in clause.slots.get(slot, ()) if _is_thing(t)]
    grounds = [t for t in clause.slot(pattern.b) if _is_supplier(t)]
    return [_runs(clause, pattern, t, g) for t in things[:1] for g in grounds[:1]]


def _runs(clause: Clause, pattern: Pattern, thing: Token, ground: Token) -> Claim:
    written = noun_text(thing) if thing.name is None else ""
    return make(clause, pattern, Side(thing, written), "uses", Side(ground))


def _is_thing(token: Token) -> bool:
    """A name, or a definite noun with a word before it that tells which one is meant."""
    if token.name is not None:
        return token.name.type is not EntityType.PERSON or not token.name.certain
    definite = any(c.dep == "det" and c.lower in {"the", "this"} for c in token.children)
    told_apart = any(c.dep in {"compound", "amod"} for c in token.children)
    return fits(token, "thing") and definite and told_apart


def _switch(clause: Clause, pattern: Pattern, earlier: list[Role]) -> list[Claim]:
    """ "Acme switched its payment provider from A to B", "Acme moved from A to B"."""
    news, olds = take(clause, pattern.b, "name"), take(clause, pattern.d, "name")
    news, olds = [t for t in news if t.name is not None], [t for t in olds if t.name is not None]
    subjects = [t for t in clause.slots.get("subj", ()) if fits(t, "organisation") and not is_role(t)]
    if not subjects or not news or any(n.name is not None and n.name.type is EntityType.PLACE for n in news):
        return []
    objects = [t for t in clause.slots.get("obj", ()) if t not in news and t.name is None]
    service = noun_text(objects[0]).lower() if objects else ""
    for word in ("provider", "supplier", "vendor"):
        service = service.removesuffix(word).strip()
    if not olds and not objects:
        return []
    if clause.lemma in pattern.options["moving"] and objects and not _is_taken_service(objects[0]):
        return _moved(clause, pattern, objects[0], news, olds)
    predicate = "primary_supplier" if service else "uses"
    more = {"service": service} if service else {}
    claims = [
        replace(make(clause, pattern, Side(subjects[0]), predicate, Side(n), **more), verb=Verb.START)
        for n in news[:1]
    ]
    claims += [
        replace(make(clause, pattern, Side(subjects[0]), predicate, Side(o), **more), verb=Verb.STOP)
        for o in olds[:1]
    ]
    return claims


def _is_taken_service(token: Token) -> bool:
    """ "moved its payroll", "moved the payment provider": what a supplier does, not a thing that is moved."""
    return _is_supplier_noun(token) or any(c.dep == "poss" for c in token.children)


def _moved(
    clause: Clause, pattern: Pattern, thing: Token, news: list[Token], olds: list[Token]
) -> list[Claim]:
    """ "The platform team moved the tracking platform to Altocloud": what is moved runs there."""
    if not _is_thing(thing):
        return []
    claims = [replace(_runs(clause, pattern, thing, new), verb=Verb.START) for new in news[:1]]
    return claims + [replace(_runs(clause, pattern, thing, old), verb=Verb.STOP) for old in olds[:1]]


BUILDERS: Final[dict[str, Builder]] = {
    "supplier-chosen": _chosen,
    "supplier-became": _became,
    "supplier-replaced": _replaced,
    "runs-on": _runs_on,
    "switch": _switch,
}
