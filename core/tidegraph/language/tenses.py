"""The tense in which a clause tells what it tells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tidegraph.language.clauses import Clause
from tidegraph.language.tree import Token


@dataclass(frozen=True, slots=True)
class Tense:
    """``past`` for what was, also with "had"; a present perfect is not past."""

    past: bool
    perfect: bool


def tense_of(clause: Clause) -> Tense:
    """The tense of a clause's verb, or of the verb that governs it."""
    verb = clause.governor or clause.verb
    auxiliaries = [c for c in verb.children if c.dep in {"aux", "auxpass"}]
    if any(c.tag == "VBD" or c.lower == "had" for c in auxiliaries):
        return Tense(True, any(c.lower == "had" for c in auxiliaries))
    if any(c.lower in {"has", "have", "'ve", "’ve"} for c in auxiliaries):
        return Tense(False, True)
    if any(c.tag in {"VBZ", "VBP", "MD"} for c in auxiliaries):
        return Tense(False, False)
    if verb.tag == "VBD":
        return Tense(True, False)
    if (
        verb.tag in {"VBN", "VBG"}
        and verb.head is not verb
        and verb.dep in {"acl", "advcl", "conj", "xcomp", "relcl"}
    ):
        governing = verb_above(verb)
        return Tense(governing is not None and governing.tag == "VBD", False)
    return Tense(False, False)


def verb_above(token: Token) -> Token | None:
    """The nearest verb that a token stands under."""
    current = token
    while current.head is not current:
        current = current.head
        if current.pos in {"VERB", "AUX"} and current.dep not in {"aux", "auxpass"}:
            return current
    return None


def is_background(clause: Clause, tense: Tense) -> bool:
    """ "who founded the company", "had joined": told of what was already so, not as news of the day."""
    if not tense.past:
        return False
    verb = clause.governor or clause.verb
    return tense.perfect or (verb.dep == "relcl" and verb.tag == "VBD")


_LATER: Final = frozenset(
    {"then", "later", "subsequently", "eventually", "finally", "afterwards", "thereafter"}
)


def is_later(verb: Token) -> bool:
    """Whether a joined verb tells what came after, or in spite of, what the verb before it tells."""
    if verb.dep != "conj":
        return False
    joint = [c.lower for c in verb.head.children if c.dep == "cc" and verb.head.i < c.i < verb.i]
    return "but" in joint[-1:] or any(c.lower in _LATER and c.i < verb.i for c in verb.children)
