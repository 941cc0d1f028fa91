"""How a clause puts its claim: as so, planned, denied, reported, over, or not at all."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final
from unicodedata import category, normalize

from tidegraph.domain.documents import Status
from tidegraph.language.clauses import Clause
from tidegraph.language.tree import Token
from tidegraph.language.words import words

_PLANNING: Final = words("clauses", "planning")
_PLANNING_ADJECTIVES: Final = words("clauses", "planning_adjectives")
_PLANNING_NOUNS: Final = words("clauses", "planning_nouns")
_FUTURE: Final = words("clauses", "future_modals")
_OPEN: Final = words("clauses", "open_modals")
_NEGATIONS: Final = words("clauses", "negations")
_CEASING: Final = words("clauses", "ceasing_adverbs")
_REPORTING: Final = words("clauses", "reporting")
_DENYING: Final = words("clauses", "denying")
_FAILING: Final = words("clauses", "failing")
_REPORTED_ADVERBS: Final = words("clauses", "reported_adverbs")
_CONDITIONAL: Final = words("clauses", "conditional_marks")
_HEARSAY: Final = words("clauses", "hearsay_nouns")
_DENIED_NOUNS: Final = words("clauses", "denied_nouns")
_FALSE: Final = words("clauses", "false_adjectives")
_TRUE: Final = words("clauses", "true_adjectives")
_ANNOUNCING: Final = words("clauses", "announcing")
_GREETINGS: Final = words("clauses", "greetings")
_ASSURED: Final = tuple(sorted(words("standing", "assured_phrases")))
_INJECTION: Final = tuple(words("clauses", "injection"))


@dataclass(frozen=True, slots=True)
class Stance:
    """``claims`` is False where nothing is claimed (questions, conditions, commands, mere possibility).

    ``ceased``: "no longer", the state is over. ``future``: by tense or plan, whatever the date.
    """

    status: Status
    claims: bool
    ceased: bool
    future: bool


def stance(clause: Clause) -> Stance:
    """The stance of a clause, with what the clauses above it add."""
    verb = clause.verb
    negated, ceased = _negation(verb)
    reported = denied = False
    claims = not _is_question(clause) and not _is_command(clause)
    planned = _is_put_ahead(clause)
    current = verb
    for _ in range(8):
        auxiliaries = {c.lower for c in current.children if c.dep in {"aux", "auxpass"}}
        planned |= bool(auxiliaries & _FUTURE)
        claims &= not auxiliaries & _OPEN
        claims &= not _is_conditional(current)
        reported |= any(c.lower in _REPORTED_ADVERBS for c in current.children if c.dep in {"advmod", "amod"})
        reported |= _has_source(current)
        if (noun := _content_noun(current)) is not None:
            denied |= noun.lemma in _DENIED_NOUNS or noun.head.lemma in _DENYING or _is_false(noun.head)
            reported = True
            break
        head = current.head
        if head is current:
            break
        if current is not verb:
            more, _ = _negation(current)
            negated ^= more and current.lemma in _REPORTING | _ANNOUNCING and current.lemma != "say"
        if current.dep in {"xcomp", "ccomp", "acl", "advcl", "csubj", "csubjpass", "pcomp"}:
            outer = head.head if current.dep == "pcomp" or head.dep == "prep" else head
            planned |= _plans(current, outer)
            denied |= outer.lemma in _DENYING or outer.lemma in _DENIED_NOUNS or _is_false(outer)
            reported |= (current.dep != "xcomp" and outer.lemma in _REPORTING) or outer.lemma in _HEARSAY
            reported |= current.dep == "xcomp" and outer.lemma in _REPORTING and outer.tag == "VBN"
            failing = (
                current.dep in {"xcomp", "ccomp", "acl"}
                and outer.lemma in _FAILING
                and _is_infinitive(current)
            )
            claims &= not failing
        elif current.dep not in {"conj", "relcl", "ROOT", "parataxis", "dep"}:
            break
        if current.dep in {"relcl", "advcl"}:
            break
        current = head
    # "Nobody denied": two denials are beyond these rules; one stays one.
    return Stance(_status(negated, denied, planned, reported), claims, ceased, planned)


def _status(negated: bool, denied: bool, planned: bool, reported: bool) -> Status:
    if negated or denied:
        return Status.DENIED
    if planned:
        return Status.PLANNED
    return Status.REPORTED if reported else Status.ASSERTED


def _negation(verb: Token) -> tuple[bool, bool]:
    """(negated, over): "is not", "never was"; "is no longer"."""
    negated = ceased = False
    for child in verb.children:
        if child.lower in _CEASING or (
            child.lower == "more" and any(c.lower in {"any", "no"} for c in child.children)
        ):
            ceased = True
        elif _not_only(child, verb):
            continue
        elif (
            child.dep == "neg"
            or (child.lower in _NEGATIONS and child.dep in {"advmod", "preconj"})
            or (
                child.dep in {"attr", "nsubj", "nsubjpass", "dobj"}
                and any(
                    c.lower in {"no", "neither"} and c.dep in {"det", "neg", "preconj"}
                    for c in child.children
                )
            )
            or (child.dep in {"nsubj", "nsubjpass"} and child.lower in {"nobody", "none", "nothing"})
        ):
            negated = True
    if ceased or (negated and _is_assured(verb)):
        negated = False
    return negated, ceased


def _is_assured(verb: Token) -> bool:
    """ "No other pilot held more records", "was not lost on Roe": denies nothing."""
    told = " ".join(t.lower for t in verb.subtree())
    return any(phrase in told for phrase in _ASSURED)


def _not_only(child: Token, verb: Token) -> bool:
    """ "not only found ... but also": adds, and denies nothing."""
    if child.lower not in {"not", "n't", "n’t"}:
        return False
    near = [*child.children, *child.head.children, *verb.children]
    return any(c.lower in {"only", "just", "merely", "solely"} and c.i == child.i + 1 for c in near)


def _content_noun(verb: Token) -> Token | None:
    """The noun of which a clause is the content: "a rumour that Ada Poll left"."""
    noun = verb.head
    if (
        noun is verb
        or noun.lemma not in _HEARSAY | _DENIED_NOUNS
        or verb.dep not in {"acl", "relcl", "ccomp"}
    ):
        return None
    relative = verb.child("nsubj", "nsubjpass")
    own = relative is not None and relative.lower not in {"that", "which", "who"}
    return noun if own and noun.name is None else None


def _is_put_ahead(clause: Clause) -> bool:
    """ "The merger is scheduled for 3 September": the verb itself says that it lies ahead."""
    return clause.passive and clause.lemma in _PLANNING and bool(clause.slots.get("for"))


def _plans(current: Token, outer: Token) -> bool:
    if not _is_infinitive(current):
        return False
    if outer.lemma in _PLANNING or outer.lower in _PLANNING_ADJECTIVES or outer.lemma in _PLANNING_NOUNS:
        return True
    # "is to become"
    return outer.lemma == "be" and current.dep == "xcomp"


def _is_infinitive(verb: Token) -> bool:
    return verb.tag in {"VB", "VBN"} and any(c.dep == "aux" and c.lower == "to" for c in verb.children)


def _is_conditional(verb: Token) -> bool:
    """Under "if" itself, or governing an "if" clause."""
    for child in verb.children:
        if child.dep in {"mark", "advmod"} and child.lower in _CONDITIONAL and child.i < verb.i:
            return child.lower not in {"once", "until", "till"} or verb.dep == "advcl"
        if child.dep == "advcl" and any(
            c.dep == "mark" and c.lower in {"if", "unless"} for c in child.children
        ):
            return True
    return False


def _is_false(outer: Token) -> bool:
    """ "it is not true that", "it is untrue that"."""
    if outer.lower in _FALSE:
        return True
    for child in outer.children:
        if child.dep in {"acomp", "attr"}:
            if child.lower in _FALSE:
                return True
            if child.lower in _TRUE and _negation(outer)[0]:
                return True
    return outer.lower in _TRUE and _negation(outer.head)[0]


def _has_source(verb: Token) -> bool:
    """ "according to": the claim is somebody's word."""
    for child in verb.children:
        inserted = (
            child.dep in {"ccomp", "parataxis"}
            and child.lemma in _REPORTING
            and child.child("nsubj") is not None
            and not any(c.text == ";" and child.i < c.i < verb.i for c in (*verb.children, *child.children))
        )
        if child.lower == "according" or (inserted and child.i < verb.i):
            return True
    return False


def _is_question(clause: Clause) -> bool:
    return clause.sentence.tokens[-1].text == "?"


def _is_command(clause: Clause) -> bool:
    """A bare verb without a subject, or what such a verb governs.

    "Join us in welcoming ..." and "Note that ..." command nothing but attention.
    """
    token = clause.verb
    for _ in range(8):
        root = token.head is token
        if root or token.dep in {"conj", "ccomp"}:
            bare = token.tag in {"VB", "VBP"} and not any(
                c.dep in {"nsubj", "nsubjpass", "aux", "auxpass", "expl", "csubj"} for c in token.children
            )
            if bare and root:
                return token.lemma not in _GREETINGS
        if root:
            return False
        token = token.head
    return False


def addresses_software(text: str) -> bool:
    """Whether a paragraph gives instructions to whatever reads it; nothing is claimed there.

    Letters of another width and characters that do not show hide nothing.
    """
    if not text.isascii():
        text = "".join(c for c in normalize("NFKC", text) if category(c) != "Cf")
    lowered = " ".join(text.lower().split())
    return any(phrase in lowered for phrase in _INJECTION)
