"""From a matched pattern to claims: subject, predicate, object, and what the verb does to the fact."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final, TypeAlias

from tidegraph.domain.documents import EntityType, Verb
from tidegraph.language.clauses import Clause
from tidegraph.language.matching import Pattern, fits, take
from tidegraph.language.phrases import (
    affiliation,
    affiliation_of,
    is_group,
    is_working_group,
    noun_text,
    reference,
    served,
)
from tidegraph.language.posts import role_beside, roles_before
from tidegraph.language.roles import Role, is_legislature, is_role, role_of, tie_of
from tidegraph.language.status import Stance
from tidegraph.language.tree import Token

FULL: Final = 0.9
"""Confidence of a claim whose sides and verb a pattern names."""
GUESSED: Final = 0.6  # where a side was put in from the context


Builder: TypeAlias = "Callable[[Clause, Pattern, list[Role]], list[Claim]]"
"""Makes the claims of a clause that a pattern fits; none when a side is missing. The list holds the posts
told before in the sentence, and takes those told here."""
HEDGED: Final = 0.4
"""Confidence of a stop that ends one of several possible ties: it makes up no fact of its own."""
_LASTING, _OWNING = {"remain", "stay", "continue"}, {"owner", "maintainer"}
_TIES: Final = ("employer", "plays_for", "member_of", "educated_at")


@dataclass(frozen=True, slots=True)
class Side:
    """A side of a claim: a noun phrase, a literal, or a span of layout (a table cell) with its text."""

    token: Token | None
    literal: str = ""
    span: tuple[int, int] | None = None
    type: EntityType = EntityType.UNSPECIFIED


@dataclass(frozen=True, slots=True)
class Claim:
    """What a clause says, before names and times are put in."""

    subject: Side
    predicate: str
    object: Side
    qualifiers: tuple[tuple[str, str], ...]
    verb: Verb
    clause: Clause | None
    rule: str
    confidence: float = FULL
    planned: bool = False


def with_verb(claim: Claim, does: Verb, pattern: Pattern) -> Claim:
    verb = claim.verb if claim.verb is not Verb.UNSPECIFIED else does
    return replace(claim, verb=verb, planned=claim.planned or pattern.planned)


def does_of(clause: Clause, pattern: Pattern, stance: Stance) -> Verb:
    """What the verb does, after outer verbs ("stopped leading") and "no longer"."""
    if stance.ceased:
        return Verb.STOP
    if clause.aspect is Verb.STOP:
        return Verb.STOP
    if clause.lemma in pattern.options.get("state_verbs", ()):
        return Verb.STATE
    if clause.lemma in pattern.options.get("start_verbs", ()):
        return Verb.START
    does = pattern.does
    if does is Verb.STATE and (clause.aspect is Verb.START or _is_back(clause)):
        return Verb.START
    return does


def _is_back(clause: Clause) -> bool:
    return any(
        c.lower in {"back", "again"} and c.dep in {"advmod", "prt", "acomp"} for c in clause.verb.children
    )


def make(clause: Clause, pattern: Pattern, subject: Side, predicate: str, obj: Side, **more: str) -> Claim:
    qualifiers = tuple(sorted((k, v) for k, v in more.items() if v))
    return Claim(subject, predicate, obj, qualifiers, Verb.UNSPECIFIED, clause, pattern.id)


# --- posts --------------------------------------------------------------------------------------------


def roles_in(clause: Clause, slots: tuple[str, ...]) -> list[Role]:
    """The posts that the first filled slot names."""
    for slot in slots:
        roles = [r for t in clause.slots.get(slot, ()) if (r := role_of(t)) is not None]
        if roles:
            _share_organisations(roles)
            return roles
    return []


def _share_organisations(roles: list[Role]) -> None:
    """ "chief executive and chair of Acme": both posts are at Acme."""
    known = next((r.organisations for r in reversed(roles) if r.organisations), [])
    for role in roles:
        role.organisations = role.organisations or known


def _role_claims(clause: Clause, pattern: Pattern, earlier: list[Role]) -> list[Claim]:
    persons, roles = _persons_and_roles(clause, pattern)
    if pattern.does is Verb.STOP and not roles:
        persons, roles = role_beside(persons, roles)
    if pattern.post:
        kind = pattern.options.get("kind_c", "organisation")
        roles = [_own_post(clause, pattern)] if take(clause, pattern.c, kind) else []
        if not roles:
            return []
    if not roles:
        return _unnamed_holder(clause, pattern)
    claims = []
    for role in roles:
        holders = role.organisations or _organisation(clause, pattern, persons, role)
        for person in persons:
            claims += role_claim(clause, pattern, Side(person), role, holders)
        if not persons and pattern.does is Verb.STOP and not clause.slots.get("subj"):
            continue
        earlier.append(replace(role, organisations=holders))
    return claims


def _persons_and_roles(clause: Clause, pattern: Pattern) -> tuple[list[Token], list[Role]]:
    roles = roles_in(clause, pattern.b)
    persons = take(clause, pattern.a, "person")
    persons = [p for p in persons if not any(r.token is p for r in roles)]
    if persons and all(is_role(p) for p in persons):
        persons = []
    if not persons and "obj" in pattern.a:
        # "named Jane Roe director": the parser hung the person under the post.
        for token in [*clause.slots.get("comp", ()), *clause.slots.get("obj", ())]:
            hung = [
                c
                for c in token.children
                if c.name is not None and c.dep in {"compound", "nmod", "nsubj", "appos"} and c.i < token.i
            ]
            if hung and (role := role_of(token)) is not None and fits(hung[0], "person"):
                role.organisations = [o for o in role.organisations if o is not hung[0]]
                return [hung[0]], [role]
    if not roles and clause.passive and "obj" in pattern.a and persons:
        # "has been made a member of the docs team"
        roles = [r for t in clause.slots.get("obj", ()) if t not in persons and (r := role_of(t)) is not None]
    if pattern.explicit:
        roles = [r for r in roles if r.explicit or r.kind != "member"]
    return persons, roles


def _own_post(clause: Clause, pattern: Pattern) -> Role:
    verb = clause.verb
    return Role(verb, "role", pattern.post, [], False, pattern.post, verb.start, verb.end)


def _organisation(clause: Clause, pattern: Pattern, persons: list[Token], role: Role) -> list[Token]:
    """Where the post is, if the post itself does not say: another argument of the clause."""
    for slot in pattern.c:
        for token in take(clause, (slot,), "name"):
            same = any(token is p for p in persons) or token is role.token
            if same or is_role(token) or not fits(token, "organisation") or _looks_like_person(token):
                continue
            if slot in {"subj", "by"} and token.lemma == "board":
                # "The board of Acme named ...": the organisation is Acme.
                inner = [c.child("pobj") for c in token.children if c.dep == "prep" and c.lower == "of"]
                return [t for t in inner if t is not None] or [token]
            return [token]
    return []


def _looks_like_person(token: Token) -> bool:
    """A name that the recogniser takes for a person's and that a title or a second word makes likely."""
    if token.tag == "PRP$":
        return token.lower in {"his", "her", "my", "your"}
    if token.name is None or token.name.type is not EntityType.PERSON:
        return False
    titled = any(c.dep in {"compound", "nmod"} and c.name is None for c in token.children)
    return titled or token.name.certain


def _is_known_person(token: Token) -> bool:
    if token.tag == "PRP$":
        return token.lower in {"his", "her", "my", "your"}
    return token.name is not None and token.name.certain and token.name.type is EntityType.PERSON


def role_claim(
    clause: Clause, pattern: Pattern, person: Side, role: Role, holders: list[Token]
) -> list[Claim]:
    """Person and post as holds_role, leads, member_of or, where no organisation is told, position_held."""
    if not holders and role.kind in {"member", "lead"} and not role.explicit:
        holders = _group_in_sentence(clause)
    told = bool(holders)
    holders = [_antecedent(clause, h, person.token) for h in holders if not _is_known_person(h)]
    if told and not holders:
        # "became her business partner": no post at an organisation.
        return []
    if tie := tie_of(role.token):
        return [make(clause, pattern, person, tie, Side(h)) for h in holders]
    if role.kind == "member" and role.token.text[:1].isupper() and is_legislature(role.title):
        return [make(clause, pattern, person, "position_held", Side(role.token, role.title))]
    if role.kind == "member" and not role.explicit:
        return [
            make(
                clause,
                pattern,
                person,
                affiliation(reference(h)) if affiliation(reference(h)) != "employer" else "member_of",
                Side(h),
            )
            for h in holders
        ]
    if role.kind == "lead" and holders and is_working_group(reference(holders[0])):
        return [make(clause, pattern, person, "leads", Side(h)) for h in holders]
    if (role.explicit and role.name.split()[-1] in {"member", "representative", "delegate", "deputy"}) or (
        "member of" in role.title.lower() and role.explicit
    ):
        return [make(clause, pattern, person, "position_held", Side(role.token, role.title))]
    if not holders or (role.explicit and " to " in role.title):
        kept = clause.lemma not in _LASTING and role.token.lemma not in _OWNING
        return [make(clause, pattern, person, "position_held", Side(role.token, role.title))] if kept else []
    return [make(clause, pattern, person, "holds_role", Side(h), role=role.name) for h in holders]


def _antecedent(clause: Clause, holder: Token, person: Token | None) -> Token:
    """ "The docs team appointed Ada Poll as its lead": the group itself, where the clause shows it."""
    if holder.tag == "PRP$" and holder.lower in {"its", "their", "our"}:
        for token in clause.slots.get("subj", ()):
            if token is not person and fits(token, "organisation") and not token.tag.startswith("PRP"):
                return token
    return holder


def _group_in_sentence(clause: Clause) -> list[Token]:
    """ "The docs team grew by one: Ada Poll is now a member": the group that the sentence named before."""
    before = [t for t in clause.sentence.tokens if t.i < clause.verb.i and is_group(t) and t.name is None]
    return before[-1:]


def _unnamed_holder(clause: Clause, pattern: Pattern) -> list[Claim]:
    """ "The chief technology officer of Acme left the company": the post ends, its holder is not named."""
    if pattern.does is not Verb.STOP:
        return []
    claims = []
    for slot in pattern.a:
        for token in clause.slots.get(slot, ()):
            role = role_of(token)
            if (
                role is None
                or role.kind == "member"
                or any(c.name for c in token.children if c.dep == "appos")
            ):
                continue
            owned = any(o.dep == "poss" for o in role.organisations) and len(role.organisations) > 1
            claims += [
                make(clause, pattern, Side(holder), "has_role_holder", Side(None), role=role.name)
                for holder in (() if owned else role.organisations)
            ]
    return claims


def _handover(clause: Clause, pattern: Pattern, earlier: list[Role]) -> list[Claim]:
    winners = take(clause, pattern.a, "person")
    losers = [t for t in take(clause, pattern.d, "person") if t not in winners]
    roles = roles_in(clause, pattern.b)
    losers, roles = role_beside(losers, roles)
    losers = [t for t in losers if not is_role(t)]
    follows = bool(earlier) and "over" in clause.particles and not (roles or clause.slots.get("obj"))
    alone = (roles and pattern.options.get("alone")) or follows
    if not winners or any(is_role(w) for w in winners) or not (losers or alone):
        return []
    if pattern.options.get("group_c") and not (roles or clause.slots.get("with")):
        return []
    if not roles and pattern.options.get("inherits"):
        roles = earlier[-1:] or roles_before(clause)
    claims: list[Claim] = []
    for role in roles:
        holders = role.organisations or _organisation(clause, pattern, [*winners, *losers], role)
        for loser in losers:
            claims += [
                replace(c, verb=Verb.STOP) for c in role_claim(clause, pattern, Side(loser), role, holders)
            ]
        for winner in winners:
            claims += [
                replace(c, verb=Verb.START) for c in role_claim(clause, pattern, Side(winner), role, holders)
            ]
        earlier.append(replace(role, organisations=holders))
    return claims


def _lead(clause: Clause, pattern: Pattern, earlier: list[Role]) -> list[Claim]:
    claims = []
    for group in take(clause, pattern.b, "organisation"):
        ref = reference(group)
        for person in take(clause, pattern.a, "person"):
            if is_role(person) or group is person:
                continue
            if is_group(ref.token) and is_working_group(ref):
                claims.append(make(clause, pattern, Side(person), "leads", Side(group)))
            elif ref.named and pattern.id == "lead.lead":
                post = "head" if clause.lemma == "head" else "leader"
                claims.append(make(clause, pattern, Side(person), "holds_role", Side(group), role=post))
    return claims


def _government(clause: Clause, pattern: Pattern, earlier: list[Role]) -> list[Claim]:
    claims = []
    for token in clause.slots.get("obj", ()):
        if token.name is not None or token.lemma not in {"government", "cabinet", "administration"}:
            continue
        owners = [c for c in token.children if c.dep == "poss"]
        owners += [
            p
            for c in token.children
            if c.dep == "prep" and c.lower in {"of", "in"} and (p := c.child("pobj"))
        ]
        for person in take(clause, pattern.a, "person"):
            claims += [
                make(clause, pattern, Side(person), "holds_role", Side(owner), role="head of government")
                for owner in owners
            ]
    return claims


# --- belonging, and everything that is simply subject and object ---------------------------------------


def _group(clause: Clause, pattern: Pattern, earlier: list[Role]) -> list[Claim]:
    persons = [t for t in take(clause, pattern.a, pattern.kind_a) if not is_role(t)]
    groups = [t for t in take(clause, pattern.b, pattern.kind_b) if t not in persons]
    if not groups and pattern.options.get("anywhere"):
        groups = [t for t in clause.verb.subtree() if is_group(t) and t.name is None][-1:]
    if not persons or not groups:
        return []
    claims = _left_post(clause, pattern, persons, groups, earlier)
    for group in map(served, groups):
        predicate, known = affiliation_of(reference(group))
        if group not in groups:
            predicate, known = "employer", True
        only = pattern.options.get("only")
        if only and (predicate not in only or not known):
            continue
        for person in persons:
            claim = make(clause, pattern, Side(person), predicate, Side(group))
            if known or pattern.does is not Verb.STOP:
                claims.append(claim)
                continue
            # "left X" where nothing tells what X is: it ends whatever tie was known.
            claims += [replace(claim, predicate=other, confidence=HEDGED) for other in _TIES]
    return claims


def _left_post(
    clause: Clause, pattern: Pattern, persons: list[Token], groups: list[Token], earlier: list[Role]
) -> list[Claim]:
    """ "CEO Jane Roe left Acme": who leaves gives up the post that stands beside the name."""
    claims: list[Claim] = []
    for person in persons if pattern.does is Verb.STOP else ():
        _, roles = role_beside([person], [])
        for role in roles:
            holders = role.organisations or groups[:1]
            claims += role_claim(clause, pattern, Side(person), role, holders)
            earlier.append(replace(role, organisations=holders))
    return claims


def plain(clause: Clause, pattern: Pattern, earlier: list[Role]) -> list[Claim]:
    claims = []
    subjects = take(clause, pattern.a, pattern.kind_a)
    objects = [t for t in take(clause, pattern.b, pattern.kind_b) if t not in subjects]
    for subject in subjects:
        for obj in objects:
            if not is_role(subject) and not is_role(obj):
                named = obj.name is not None or is_group(obj) or obj.tag.startswith("PRP")
                side = Side(obj) if named else Side(obj, noun_text(obj))
                claims.append(make(clause, pattern, Side(subject), pattern.relation, side))
    return claims


BUILDERS: Final[dict[str, Builder]] = {
    "role": _role_claims,
    "handover": _handover,
    "lead": _lead,
    "government": _government,
    "group": _group,
}
