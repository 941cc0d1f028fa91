"""Patterns over clauses: which pattern of the data file fits, and what fills its slots."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

from tidegraph.domain.documents import EntityType, Verb
from tidegraph.language.clauses import Clause, spell_out
from tidegraph.language.phrases import affiliation_of, is_group, is_school, reference, served
from tidegraph.language.roles import is_role, role_of
from tidegraph.language.tree import Token
from tidegraph.language.words import table, words

_DOES: Final = {
    "start": Verb.START,
    "stop": Verb.STOP,
    "state": Verb.STATE,
    "change": Verb.CHANGE,
    "": Verb.UNSPECIFIED,
}
_ORG_NOUNS: Final = words("roles", "definite_organisation")
_PERSON_NOUNS: Final = words("roles", "definite_person")
_PERSON_PRONOUNS: Final = frozenset(
    {"he", "she", "they", "i", "we", "who", "him", "her", "them", "his", "their", "me", "us", "my"}
)
_THING_PRONOUNS: Final = frozenset({"it", "its", "this", "that", "these", "those"})
_VALUE: Final = re.compile(
    r"[\d$€£¥%]|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve|fifteen|twenty|thirty|forty|fifty|sixty|ninety|hundred|thousand|million|billion|zero|none|unlimited|free|indefinite|indefinitely)\b",
    re.IGNORECASE,
)
_VERSION: Final = re.compile(
    r"(?i)^(?:version |release |v)?\d+(?:\.\d+)+(?:[-.+]\w+)*$|^(?:version|release|v)\s?\d+\S*$"
)


@dataclass(frozen=True, slots=True)
class Pattern:
    """One entry of data/patterns.toml."""

    id: str
    relation: str
    does: Verb
    a: tuple[str, ...]
    b: tuple[str, ...]
    c: tuple[str, ...]
    d: tuple[str, ...]
    kind_a: str
    kind_b: str
    needs: frozenset[str]
    post: str
    planned: bool
    explicit: bool
    options: dict[str, Any]


def _pattern(entry: dict[str, Any]) -> Pattern:
    return Pattern(
        id=entry["id"],
        relation=entry["relation"],
        does=_DOES[entry["does"]],
        a=tuple(entry.get("a", ())),
        b=tuple(entry.get("b", ())),
        c=tuple(entry.get("c", ())),
        d=tuple(entry.get("d", ())),
        kind_a=entry.get("kind_a", ""),
        kind_b=entry.get("kind_b", ""),
        needs=frozenset(entry.get("needs", ())),
        post=entry.get("post", ""),
        planned=entry.get("status") == "planned",
        explicit=bool(entry.get("explicit")),
        options=entry,
    )


@cache
def _index(kind: str, key: str) -> dict[str, list[tuple[str, Pattern]]]:
    """Patterns by lemma with the particle that each asks for."""
    found: dict[str, list[tuple[str, Pattern]]] = {}
    for entry in table("patterns")[kind]:
        pattern = _pattern(entry)
        for word in dict.fromkeys(entry[key]):
            lemma, _, particle = word.partition(" ")
            found.setdefault(lemma, []).append((particle, pattern))
    return found


def patterns_for(clause: Clause) -> Iterable[Pattern]:
    """The patterns of the clause's verb, in the order of the file, each once."""
    seen: set[str] = set()
    for particle, pattern in _index("pattern", "verbs").get(clause.lemma, ()):
        if pattern.id in seen:
            continue
        if particle and particle not in clause.particles:
            continue
        seen.add(pattern.id)
        yield pattern


def noun_patterns(lemma: str) -> Sequence[Pattern]:
    """The patterns of a noun that stands for a relation."""
    return [pattern for _, pattern in _index("noun", "nouns").get(lemma, ())]


def fits(token: Token, kind: str) -> bool:
    """Whether a noun phrase can be what a slot asks for."""
    check = _KINDS.get(kind)
    return check is None or check(token)


def _is_person(token: Token) -> bool:
    if token.tag.startswith("PRP") or token.lower == "who":
        return token.lower in _PERSON_PRONOUNS
    if token.name is not None:
        certain = token.name.certain and token.name.type in {EntityType.ORGANISATION, EntityType.PLACE}
        versioned = any(c.i == token.i + 1 and _VERSION.match(c.text) for c in token.children)
        return not certain and not versioned and not is_group(token)
    return token.lemma in _PERSON_NOUNS or is_role(token)


def _is_individual(token: Token) -> bool:
    """A person by name or pronoun, not a post."""
    named = token.name is not None or token.tag.startswith("PRP")
    return named and _is_person(token) and token.lower not in {"us", "me", "themselves"}


def _is_organisation(token: Token) -> bool:
    if token.tag.startswith("PRP"):
        return token.lower in _THING_PRONOUNS or token.lower in {"they", "we"}
    if token.name is not None:
        return not (token.name.certain and token.name.type is EntityType.PERSON)
    return is_group(token) or token.lemma in _ORG_NOUNS


def _is_group(token: Token) -> bool:
    """A group, or an organisation that a group noun names."""
    if token.name is not None:
        ref = reference(token)
        return is_group(ref.token) or ref.type is EntityType.ORGANISATION
    return is_group(token) or (token.lower in _THING_PRONOUNS and token.tag.startswith("PRP"))


def _is_belonging(token: Token) -> bool:
    """What one can join and leave: a group, an organisation, a name that is no known person or place."""
    if token.name is not None:
        barred = token.name.type in {EntityType.PERSON, EntityType.OTHER}
        place = token.name.type is EntityType.PLACE and len(token.name.text.split()) == 1
        return (not barred and not place) or affiliation_of(reference(token))[1]
    return is_group(token) or token.lemma in _ORG_NOUNS or token.lower == "it" or served(token) is not token


def _is_name(token: Token) -> bool:
    return (
        token.name is not None
        or is_group(token)
        or token.lower in _THING_PRONOUNS
        or token.lemma in _ORG_NOUNS
    )


def _is_place(token: Token) -> bool:
    if token.name is None:
        return False
    return (
        token.name.type in {EntityType.PLACE, EntityType.UNSPECIFIED, EntityType.OTHER}
        or not token.name.certain
    )


def _is_school_like(token: Token) -> bool:
    return (token.name is not None and is_school(reference(token))) or token.lemma in {
        "university",
        "school",
        "college",
    }


def _is_thing(token: Token) -> bool:
    if token.tag.startswith("PRP"):
        return token.lower == "it"
    person = token.name is not None and token.name.type is EntityType.PERSON
    return (
        not person and not is_role(token) and token.tag[:2] in {"NN", "DT", "CD", "FW"} and token.time is None
    )


def _is_value(token: Token) -> bool:
    if token.name is not None and not any(c.isdigit() for c in token.text):
        return False
    return bool(_VALUE.search(" ".join(t.text for t in token.subtree()[:8] if t.head is token or t is token)))


def _is_version(token: Token) -> bool:
    text = " ".join(t.text for t in token.subtree()[:4] if t.time is None and t.tag != "DT")
    return bool(_VERSION.match(text)) or bool(_VERSION.match(token.text))


def _is_asset(token: Token) -> bool:
    """A named thing that can be owned: no person, no group of people."""
    return token.name is not None and token.name.type in {
        EntityType.OTHER,
        EntityType.PLACE,
        EntityType.ORGANISATION,
    }


def _is_left(token: Token) -> bool:
    """What one can leave: as what one can belong to, and any name that is not certainly a person."""
    if token.name is not None and token.name.type is EntityType.PERSON and not token.name.certain:
        return len(token.name.text.split()) > 1 or _is_belonging(token)
    return _is_belonging(token)


def _is_system(token: Token) -> bool:
    """A named organisation or product: what supplies, is supplied, uses and is used."""
    if token.name is None:
        return is_group(token) or token.lower == "it"
    return token.name.type not in {EntityType.PERSON, EntityType.PLACE}


def _is_company(token: Token) -> bool:
    return token.name is not None and affiliation_of(reference(token)) == ("employer", True)


def _is_club(token: Token) -> bool:
    return affiliation_of(reference(token)) == ("plays_for", True)


def _is_award(token: Token) -> bool:
    known = set(table("patterns")["awards"]["words"])
    if token.name is not None:
        return bool({w.lower() for w in token.name.text.split()} & known)
    return token.lemma in known and any(c.name or c.lower[:1].isupper() for c in token.children)


_KINDS: Final = {
    "person": _is_person,
    "individual": _is_individual,
    "organisation": _is_organisation,
    "group": _is_group,
    "belonging": _is_belonging,
    "name": _is_name,
    "place": _is_place,
    "school": _is_school_like,
    "thing": _is_thing,
    "value": _is_value,
    "version": _is_version,
    "award": _is_award,
    "system": _is_system,
    "left": _is_left,
    "club": _is_club,
    "company": _is_company,
    "asset": _is_asset,
}


def take(clause: Clause, slots: Sequence[str], kind: str) -> list[Token]:
    """What fills the first of the slots with something of the kind; members that do not fit fall out.

    A preposition that the parser hung under the object counts as the clause's.
    """
    for slot in slots:
        for found in (clause.slots.get(slot, []), _under_arguments(clause, slot)):
            fitting = [t for t in found if t.time is None and fits(t, kind)]
            if fitting:
                return fitting
            if any(t.time is None for t in found):
                break
    return []


def _under_arguments(clause: Clause, slot: str) -> list[Token]:
    if slot in {"subj", "obj", "comp", "dative", "head"}:
        return []
    for owner in sorted(clause.slots, key=_owner_rank):
        for token in clause.slots[owner]:
            for child in token.children:
                if child.dep in {"prep", "agent"} and child.lower == slot:
                    target = child.child("pobj")
                    if target is not None:
                        return spell_out(target)
    return []


def _owner_rank(slot: str) -> int:
    """Objects first, then complements, then the rest; the subject's own complements last."""
    return {"obj": 0, "comp": 1, "subj": 3}.get(slot, 2)


def shows(clause: Clause, needed: frozenset[str]) -> bool:
    """Whether one of the words stands among the clause's arguments."""
    for tokens in clause.slots.values():
        for token in tokens:
            if token.lower in needed or any(c.lower in needed for c in token.children):
                return True
    return any(c.lower in needed or any(g.lower in needed for g in c.children) for c in clause.verb.children)


def has_role(tokens: Sequence[Token]) -> bool:
    """Whether one of the phrases names a post."""
    return any(role_of(t) is not None for t in tokens)
