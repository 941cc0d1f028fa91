"""Claims about groups said by their own verbs: "has a new lead", "includes", "takes charge of"."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from tidegraph.domain.documents import Verb
from tidegraph.language.claims import Builder, Claim, Side, make, role_claim
from tidegraph.language.clauses import Clause, spell_out
from tidegraph.language.matching import Pattern, fits, take
from tidegraph.language.phrases import affiliation, affiliation_of, is_group, is_working_group, reference
from tidegraph.language.roles import Role, is_role, role_of
from tidegraph.language.tree import Token

_CONTROL: Final = frozenset({"charge", "control", "helm", "command", "lead", "reins"})


def _has_post(clause: Clause, pattern: Pattern, earlier: list[Role]) -> list[Claim]:
    """ "The docs team has a new lead, Ada Poll", "gained two members: ..."."""
    claims: list[Claim] = []
    for token in clause.slots.get("obj", ()):
        role = role_of(token)
        if role is None:
            continue
        holders = role.organisations or [t for t in clause.slots.get("subj", ()) if fits(t, "organisation")]
        for person in _named_after(clause, token):
            claims += role_claim(clause, pattern, Side(person), role, holders)
    lost = clause.lemma in pattern.options.get("stop_verbs", ())
    return [replace(claim, verb=Verb.STOP if lost else Verb.START) for claim in claims]


def _named_after(clause: Clause, token: Token) -> list[Token]:
    """The names that stand apart after a noun: an apposition, or a list after a comma or colon."""
    members = clause.sentence.tokens
    after = [t for t in members if t.i > token.i]
    cut = next((k for k, t in enumerate(after) if t.text in {",", ":", "–", "—", "("}), None)
    if cut is None:
        return []
    return [
        t
        for t in after[cut:]
        if t.name is not None and fits(t, "person") and t.dep not in {"pobj", "poss", "compound"}
    ]


def _part(clause: Clause, pattern: Pattern, earlier: list[Role]) -> list[Claim]:
    """ "is part of the docs team" for people, "is part of Acme" for things."""
    claims = []
    for token in clause.slots.get("comp", ()):
        if token.lemma != "part":
            continue
        groups = [
            t for c in token.children if c.lower == "of" and (p := c.child("pobj")) for t in spell_out(p)
        ]
        for group in groups or take(clause, ("of",), "name"):
            for subject in clause.slots.get("subj", ()):
                person = fits(subject, "person") and is_group(reference(group).token)
                predicate = affiliation(reference(group)) if person else "part_of"
                if subject.name is not None or person:
                    claims.append(make(clause, pattern, Side(subject), predicate, Side(group)))
    return claims


def _include(clause: Clause, pattern: Pattern, earlier: list[Role]) -> list[Claim]:
    """ "The docs team now includes Ada Poll"; what organisations include in general is left alone."""
    claims: list[Claim] = []
    for group in clause.slots.get("subj", ()):
        if not is_group(reference(group).token):
            continue
        predicate = affiliation(reference(group))
        persons = [p for p in take(clause, ("obj",), "person") if p.name is not None and not is_role(p)]
        claims += [make(clause, pattern, Side(person), predicate, Side(group)) for person in persons]
    return claims


def _charge(clause: Clause, pattern: Pattern, earlier: list[Role]) -> list[Claim]:
    """ "took charge of the docs team", "is in charge of it", "was put in charge of Acme as director"."""
    nouns = [
        t
        for slot in ("obj", "in", "at")
        for t in clause.slots.get(slot, ())
        if t.lemma in _CONTROL and t.name is None
    ]
    if not nouns:
        return []
    groups = [
        t
        for c in nouns[0].children
        if c.dep == "prep"
        for p in [c.child("pobj")]
        if p is not None
        for t in spell_out(p)
    ]
    groups = [t for t in groups or take(clause, ("of",), "organisation") if fits(t, "organisation")]
    persons = [t for t in take(clause, pattern.a, "person") if not is_role(t)]
    roles = [r for t in clause.slots.get("comp", ()) if (r := role_of(t)) is not None]
    claims: list[Claim] = []
    for person in persons:
        for role in roles:
            claims += role_claim(clause, pattern, Side(person), role, role.organisations or groups)
        for group in groups if not roles else ():
            ref = reference(group)
            if is_working_group(ref):
                claims.append(make(clause, pattern, Side(person), "leads", Side(group)))
            elif ref.named:
                claims.append(make(clause, pattern, Side(person), "holds_role", Side(group), role="head"))
    return claims


def _transfer(clause: Clause, pattern: Pattern, earlier: list[Role]) -> list[Claim]:
    """ "left Acme Ltd for Harrow Ltd", "defected from one party to another": one tie ends, one begins.

    Only where both names show what kind of tie it is; else nothing is said of either by this rule.
    """
    persons = [t for t in take(clause, pattern.a, "person") if not is_role(t)]
    claims: list[Claim] = []
    for slots, kind, verb in ((pattern.d, "left", Verb.STOP), (pattern.b, "belonging", Verb.START)):
        groups = [t for t in take(clause, slots, kind) if t not in persons]
        ties = [(t, *affiliation_of(reference(t))) for t in groups[:1]]
        if not ties or not ties[0][2]:
            return []
        claims += [
            replace(make(clause, pattern, Side(person), tie, Side(group)), verb=verb)
            for group, tie, _ in ties
            for person in persons
        ]
    return claims


BUILDERS: Final[dict[str, Builder]] = {
    "has-post": _has_post,
    "part": _part,
    "include": _include,
    "charge": _charge,
    "transfer": _transfer,
}
