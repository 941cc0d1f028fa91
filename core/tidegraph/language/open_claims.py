"""Claims of relations that no pattern names: subject, verb, object, as they were written.

The predicate is the verb with its particle and preposition ("defected_to"). Nothing is exclusive about
it, so such a fact never retires another one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final

from tidegraph.domain.documents import Verb
from tidegraph.domain.policies import Cardinality
from tidegraph.domain.predicates import Registry
from tidegraph.language.claims import Claim, Side
from tidegraph.language.clauses import Clause
from tidegraph.language.phrases import is_group, noun_text
from tidegraph.language.registry import load_registry
from tidegraph.language.roles import is_role
from tidegraph.language.status import Stance
from tidegraph.language.tree import Token
from tidegraph.language.words import words

CONFIDENCE: Final = 0.5
EVENT: Final = "open.event"
"""The rule of what happened and was over; see :data:`LASTING` and :data:`STATIVE`."""
LASTING: Final = "open.lasting"
STATIVE: Final = "open.state"
_LASTING: Final = words("open", "lasting")
_STATIVE: Final = words("open", "stative")
_SILENT: Final = words("open", "silent")
_PREPOSITIONS: Final = words("open", "prepositions")
_MAX_WORDS: Final = 10
_MAX_CLAIMS: Final = 2


@cache
def _registry() -> Registry:
    return load_registry()


@dataclass(frozen=True, slots=True)
class _Relation:
    rule: str
    verb: Verb


def is_open(claim: Claim) -> bool:
    """Whether a claim was made here."""
    return claim.rule.startswith("open.")


def read(clause: Clause, attitude: Stance) -> list[Claim]:
    """At most two claims of a clause whose subject and object are clear."""
    if not clause.lemma or clause.lemma in _SILENT or not attitude.claims:
        return []
    relation = _relation(clause)
    patient = clause.slots.get("obj", []) if clause.passive else clause.slots.get("subj", [])
    subjects = [t for t in patient if _is_clear(t)][:1]
    claims: list[Claim] = []
    for subject in subjects:
        for preposition, obj in _objects(clause):
            if obj is subject or len(claims) >= _MAX_CLAIMS:
                continue
            name = _predicate(clause, preposition)
            if _registry().policy(name).cardinality is not Cardinality.MANY:
                # "moved its fair to Leeds" must not end what the registry calls by the same words.
                continue
            claim = Claim(_subject(subject), name, _side(obj), (), relation.verb, clause, relation.rule)
            claims.append(replace(claim, confidence=CONFIDENCE))
    return claims


def _relation(clause: Clause) -> _Relation:
    if clause.aspect is not None:
        return _Relation(STATIVE, Verb.STATE) if clause.aspect is Verb.STATE else _Relation(EVENT, Verb.STATE)
    if clause.lemma in _STATIVE:
        return _Relation(STATIVE, Verb.STATE)
    return _Relation(LASTING, Verb.START) if clause.lemma in _LASTING else _Relation(EVENT, Verb.STATE)


def _is_clear(token: Token) -> bool:
    """A name, a pronoun (its referent is put in later), or a noun phrase that stands for one thing."""
    if token.name is not None or token.tag.startswith("PRP"):
        return token.lower not in {"i", "we", "you", "us", "me", "this", "that"}
    if token.time is not None or token.tag not in {"NN", "NNP"} or is_role(token):
        return False
    if is_group(token):
        return True
    return any(c.dep == "det" and c.lower in {"the", "this"} for c in token.children)


def _objects(clause: Clause) -> list[tuple[str, Token]]:
    """(preposition, object): what is acted on or becomes, then what prepositions name."""
    found: list[tuple[str, Token]] = []
    if not clause.passive:
        found += [("", t) for t in clause.slots.get("obj", ())]
    if "as" not in clause.slots:
        found += [("", t) for t in clause.slots.get("comp", ()) if t.tag != "JJ"]
    named = [
        (slot, token)
        for slot, tokens in clause.slots.items()
        if slot in _PREPOSITIONS
        for token in tokens[:1]
        if token.name is not None or slot in {"to", "into", "as", "by"}
    ]
    found += sorted(named, key=lambda pair: pair[1].i)
    return [(p, t) for p, t in found if _is_object(t)]


def _is_object(token: Token) -> bool:
    if token.time is not None or token.tag.startswith("PRP") or token.tag in {"WP", "WDT", "EX", "DT", "IN"}:
        return False
    if token.name is not None:
        return True
    # A bare noun ("made progress") names nothing that could be asked for.
    return token.tag[:2] in {"NN", "FW"} and " " in _phrase(token) and not is_role(token.head)


def _subject(token: Token) -> Side:
    """A noun that a name tells apart is called by both; any other one stands for its referent."""
    told = token.name is None and any(
        c.dep == "prep" and c.lower == "of" and (p := c.child("pobj")) is not None and p.name is not None
        for c in token.children
    )
    return Side(token, _phrase(token)) if told else Side(token)


def _side(token: Token) -> Side:
    if token.name is not None or token.tag.startswith("PRP") or is_group(token):
        return Side(token)
    return Side(token, _phrase(token))


def _phrase(token: Token) -> str:
    """A noun phrase as written with what "of" says of it, in at most ten words."""
    text = noun_text(token)
    for child in token.children:
        if child.dep == "prep" and child.lower == "of" and (below := child.child("pobj")) is not None:
            text = f"{text} of {below.text if below.name is not None else noun_text(below)}"
            break
    return " ".join(text.split()[:_MAX_WORDS])


def _predicate(clause: Clause, preposition: str) -> str:
    if clause.lemma == "be":
        return "is" if not preposition else f"is_{preposition}"
    verb = clause.verb
    said = verb.lower if verb.tag in {"VBD", "VBN"} else verb.lemma
    parts: Sequence[str] = [said, *sorted(clause.particles - {preposition}), preposition]
    return "_".join(p for p in parts if p.isalpha() or "-" in p)
