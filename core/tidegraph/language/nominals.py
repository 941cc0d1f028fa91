"""Claims that no verb makes alone: nouns of relation, "is the owner of", headlines, names with a post."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Final

from tidegraph.domain.documents import EntityType, Status, Verb
from tidegraph.language.claims import FULL, GUESSED, Claim, Side, make, role_claim
from tidegraph.language.clauses import Clause, spell_out
from tidegraph.language.duties import as_side
from tidegraph.language.matching import Pattern, fits, noun_patterns
from tidegraph.language.phrases import affiliation, is_group, reference
from tidegraph.language.roles import Role, is_role, role_of
from tidegraph.language.status import Stance
from tidegraph.language.suppliers import supplied
from tidegraph.language.tree import Sentence, Token
from tidegraph.language.words import table

_COPULAS: Final = frozenset({"be", "become", "remain", "stay"})
PLAIN: Final = Stance(Status.ASSERTED, True, False, False)
"""The stance of what is told without a verb."""


@cache
def _events(section: str) -> dict[str, Verb]:
    events = table("patterns")[section]
    classes = {"start": Verb.START, "stop": Verb.STOP, "state": Verb.STATE, "happen": Verb.UNSPECIFIED}
    return {lemma: classes[name] for name, lemmas in reversed(events.items()) for lemma in lemmas}


@cache
def _cues() -> dict[str, Verb]:
    cues = table("patterns")["headlines"]
    classes = {"start": Verb.START, "stop": Verb.STOP, "state": Verb.STATE}
    return {word: classes[name] for name, listed in reversed(cues.items()) for word in listed}


# --- nouns of relation: "her term as mayor ended", "the appointment of Roe as director" ----------------


def of_arguments(clause: Clause, attitude: Stance) -> list[Claim]:
    """Claims of the nouns among a clause's arguments, as the clause's verb dates and turns them."""
    found: list[Claim] = []
    if clause.lemma in _COPULAS:
        told = _copular(clause)
        found += [replace(c, verb=Verb.STOP) for c in told] if attitude.ceased else told
    for slot, tokens in clause.slots.items():
        for token in tokens:
            if token.name is None and token.tag in {"NN", "NNS", "NNP"}:
                found += _of_noun(clause, slot, token)
    return found


def _of_noun(clause: Clause, slot: str, token: Token) -> list[Claim]:
    for pattern in noun_patterns(token.lemma):
        needed = pattern.options.get("modifiers")
        if needed and not any(c.lower in needed for c in token.children):
            continue
        does = pattern.does
        if slot in {"subj", "obj", "head"} and not needed:
            does = _event_of(clause, slot) or does
        if does is Verb.STATE and pattern.does is not Verb.UNSPECIFIED:
            does = pattern.does
        if does is Verb.UNSPECIFIED:
            continue
        if claims := _noun_claims(clause, pattern, slot, token):
            return [replace(claim, verb=does) for claim in claims]
    return _of_post(clause, slot, token)


def _event_of(clause: Clause, slot: str) -> Verb:
    """What the clause's verb makes of a noun's relation: "ended", "came to an end", "was extended to"."""
    tables = [_events("events")]
    if slot == "obj" and not clause.passive:
        tables.insert(0, _events("object_events"))
    for events in tables:
        for particle in (*clause.particles, *(["to"] if clause.slots.get("to") else [])):
            if found := events.get(f"{clause.lemma} {particle}"):
                return found
        if found := events.get(clause.lemma):
            return found
    return Verb.UNSPECIFIED


def _of_post(clause: Clause, slot: str, token: Token) -> list[Claim]:
    """ "Ada Poll's chairmanship of the society ended": the owner of a post holds it."""
    does = _event_of(clause, slot) if slot in {"subj", "obj"} else Verb.UNSPECIFIED
    owners = [t for t in _side(token, ("poss",)) if fits(t, "person") and not is_role(t)]
    if does is Verb.UNSPECIFIED or not owners or (role := role_of(token)) is None:
        return []
    holders = [t for t in role.organisations if t not in owners]
    if not holders:
        return []
    made = [c for owner in owners for c in role_claim(clause, own("noun.post"), Side(owner), role, holders)]
    return [replace(claim, verb=does) for claim in made]


def _noun_claims(clause: Clause, pattern: Pattern, slot: str, token: Token) -> list[Claim]:
    persons = [t for t in _side(token, pattern.a) if fits(t, "person") and not is_role(t)]
    if not persons:
        given = [*clause.slots.get("to", ()), *clause.slots.get("dative", ()), *clause.slots.get("on", ())]
        persons = [t for t in given if t.name is not None and fits(t, "person")]
    if not persons and "subject" in pattern.a and not clause.passive:
        persons = [
            t for t in clause.slots.get("subj", ()) if fits(t, "person") and not is_role(t) and t is not token
        ]
    if pattern.relation == "role":
        claims: list[Claim] = []
        for target in _side(token, pattern.b):
            role = role_of(target)
            if role is None:
                continue
            holders = role.organisations or [
                t for t in _side(token, pattern.c) if fits(t, "organisation") and t not in persons
            ]
            if not holders and slot == "obj" and not clause.passive:
                holders = [
                    t for t in clause.slots.get("subj", ()) if fits(t, "organisation") and t not in persons
                ][:1]
            for person in persons:
                claims += role_claim(clause, pattern, Side(person), role, holders)
        return claims
    beside = clause.slot(pattern.b) if slot == "obj" else []
    found = _side(token, pattern.b) or beside
    targets = [t for t in found if fits(t, "belonging") and t not in persons and not is_role(t)]
    if pattern.relation != "group":
        return [make(clause, pattern, Side(p), pattern.relation, Side(t)) for p in persons for t in targets]
    return [
        make(clause, pattern, Side(p), affiliation(reference(t)), Side(t)) for p in persons for t in targets
    ]


def _side(token: Token, slots: Sequence[str]) -> list[Token]:
    """Owners and prepositional complements of a noun, the first kind that is there."""
    for slot in slots:
        if slot == "poss":
            found = [t for c in token.children if c.dep == "poss" for t in spell_out(c)]
        else:
            found = _complements(token, slot)
        if found:
            return found
    return []


def _complements(token: Token, preposition: str) -> list[Token]:
    found: list[Token] = []
    stack = [token]
    for current in stack:
        for child in current.children:
            if child.dep in {"prep", "agent"}:
                target = child.child("pobj")
                if target is None:
                    continue
                if child.lower == preposition:
                    found += spell_out(target)
                elif len(stack) < 4:
                    stack.append(target)
    return found


# --- "is the owner of", "the owner of db-14 is ..." -----------------------------------------------------


def _copular(clause: Clause) -> list[Claim]:
    subjects, complements = clause.slots.get("subj", []), clause.slots.get("comp", [])
    for noun, others in ((complements, subjects), (subjects, complements)):
        for token in noun:
            holds = token.name is None and is_role(token) and noun is subjects
            if holds and (claims := _role_is(clause, token, others)):
                return claims
            entry = _relation_noun(token)
            if entry is not None and (claims := _relation_is(clause, token, entry, others)):
                return claims
    return []


def _role_is(clause: Clause, token: Token, others: Sequence[Token]) -> list[Claim]:
    """ "The chief executive of Acme is Jane Roe"."""
    role = role_of(token)
    persons = [t for t in others if t.name is not None and fits(t, "person")]
    if role is None or not persons:
        return []
    pattern = own("post.is")
    return [
        replace(c, verb=Verb.STATE)
        for p in persons
        for c in role_claim(clause, pattern, Side(p), role, role.organisations)
    ]


@cache
def own(rule: str) -> Pattern:
    """A rule that is no pattern of the data file, as one."""
    return Pattern(rule, "role", Verb.STATE, (), (), (), (), "", "", frozenset(), "", False, False, {})


def _relation_noun(token: Token) -> dict[str, Any] | None:
    if token.name is not None:
        return None
    found: dict[str, Any] | None = table("patterns")["copular"].get(token.lemma)
    return found


def _relation_is(clause: Clause, token: Token, entry: dict[str, Any], others: Sequence[Token]) -> list[Claim]:
    owners = _side(token, ("poss", "of", "for", "to"))
    named = [t for t in others if t.name is not None or is_group(t)]
    if not named:
        return []
    if not owners:
        owners = [t for t in token.children if t.name is not None and t.dep in {"compound", "nmod"}]
    predicate, service = entry["predicate"], ""
    if predicate == "supplier":
        predicate, service = supplied(token)
        owners = [o for o in owners if not o.tag.startswith("PRP")] or [token]
    claims = []
    for owner in owners:
        for other in named:
            subject, obj = (owner, other) if entry["subject"] == "of" else (other, owner)
            sides = as_side(subject), as_side(obj)
            rule = own(f"is.{token.lemma}")
            claim = make(clause, rule, sides[0], predicate, sides[1], service=service)
            claims.append(replace(claim, verb=_copula(clause)))
    return claims


def _copula(clause: Clause) -> Verb:
    """ "is", "became", "ceased to be"."""
    if clause.aspect is Verb.STOP:
        return Verb.STOP
    return Verb.START if clause.lemma == "become" or clause.aspect is Verb.START else Verb.STATE


# --- headlines and lists after a colon ------------------------------------------------------------------


def of_sentence(
    sentence: Sentence, found: Sequence[Clause], stances: Sequence[Stance]
) -> list[tuple[Claim, Stance]]:
    """Claims of a headline ("New on the docs team: Ada Poll") and of names with their post."""
    result = _headline(sentence, found)
    result += _appositions(sentence, found, stances)
    return result


def _headline(sentence: Sentence, found: Sequence[Clause]) -> list[tuple[Claim, Stance]]:
    cut = next((k for k, t in enumerate(sentence.tokens) if t.text in {":", "–", "—"} and k > 0), None)
    if cut is None:
        return []
    return headline(sentence.tokens[:cut], sentence.tokens[cut + 1 :], sentence, found)


def headline(
    left: Sequence[Token], right: Sequence[Token], sentence: Sentence, found: Sequence[Clause]
) -> list[tuple[Claim, Stance]]:
    """What the words before a colon say of the persons behind it; ``found``: the clauses of the words."""
    if any(_finite(t) for t in (*left, *right)):
        return []
    persons = [t for t in right if t.name is not None and fits(t, "person")]
    does = next((_cues()[t.lower] for t in left if t.lower in _cues() and t.name is None), None)
    if not persons or does is None:
        return []
    clause = Clause(left[0], "", frozenset(), {}, False, None, None, sentence)
    clause = found[0] if found and not found[0].lemma else clause
    pattern = own("headline")
    roles = [
        r for t in left if (is_role(t) or t.lemma in {"role", "position"}) and (r := role_of(t)) is not None
    ]
    groups = [
        t
        for t in left
        if ((is_group(t) and t.lemma not in {"role"}) or t.name is not None)
        and fits(t, "belonging")
        and not _modifies_group(t)
    ]
    claims: list[Claim] = []
    for person in persons:
        if roles and (roles[0].organisations or groups or roles[0].kind == "role"):
            claims += role_claim(
                clause, pattern, Side(person), roles[0], roles[0].organisations or groups[-1:]
            )
        elif groups:
            claims.append(
                make(clause, pattern, Side(person), affiliation(reference(groups[-1])), Side(groups[-1]))
            )
    return [(replace(claim, verb=does), PLAIN) for claim in claims]


def _modifies_group(token: Token) -> bool:
    return token.head is not token and token.dep in {"compound", "nmod", "amod"} and is_group(token.head)


def _finite(token: Token) -> bool:
    return token.tag in {"VBZ", "VBD", "VBP", "MD"} and token.pos in {"VERB", "AUX"} and token.name is None


# --- names with their post: "chief executive Jane Roe", "Jane Roe, curator of the museum since 2017" ----


def _appositions(
    sentence: Sentence, found: Sequence[Clause], stances: Sequence[Stance]
) -> list[tuple[Claim, Stance]]:
    result: list[tuple[Claim, Stance]] = []
    for token in sentence.tokens:
        if token.name is None or (token.name.certain and token.name.type is not EntityType.PERSON):
            continue
        for role, former in _posts_of(token):
            clause, attitude = _clause_at(role.token, token, sentence, found, stances)
            if former:
                continue
            pattern = own("apposition")
            claims = role_claim(clause, pattern, Side(token), role, role.organisations)
            result += [
                (replace(c, verb=Verb.STATE, confidence=FULL if role.organisations else GUESSED), attitude)
                for c in claims
                if role.organisations
            ]
    return result


def _posts_of(token: Token) -> list[tuple[Role, bool]]:
    """Posts that stand beside a person's name, with whether they are said to be past ("former")."""
    found = []
    for child in token.children:
        if (
            child.dep in {"compound", "nmod", "appos"}
            and child.name is None
            and (role := role_of(child)) is not None
        ):
            before = child.dep != "appos"
            person = token.name is not None and token.name.type is EntityType.PERSON
            if before and (
                role.kind == "member"
                or (not person and child.text[:1].isupper() and not child.text.isupper())
            ):
                continue
            if child.dep != "appos" and not role.organisations:
                role.organisations = [
                    c
                    for c in token.children
                    if c is not child
                    and c.i < child.i
                    and (c.dep == "poss" or (c.name is not None and c.dep in {"compound", "nmod"}))
                ]
            found.append((role, _is_former(child)))
    if (
        token.dep == "appos"
        and token.head.name is None
        and (role := role_of(token.head)) is not None
        and fits(token, "person")
    ):
        found.append((role, _is_former(token.head)))
    return found


def _is_former(token: Token) -> bool:
    return any(
        c.lower
        in {
            "former",
            "ex",
            "then",
            "late",
            "previous",
            "future",
            "incoming",
            "outgoing",
            "ex-",
            "one-time",
            "erstwhile",
            "designate",
            "prospective",
        }
        for c in token.children
    )


def _clause_at(
    role: Token, person: Token, sentence: Sentence, found: Sequence[Clause], stances: Sequence[Stance]
) -> tuple[Clause, Stance]:
    """A clause of its own for an apposition: only the times inside it date it."""
    for clause, attitude in zip(found, stances, strict=True):
        if clause.verb in {role, person}:
            return clause, attitude
    return Clause(role, "apposition", frozenset(), {}, False, None, None, sentence), PLAIN
