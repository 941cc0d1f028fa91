"""Nouns of events read as the clauses that they stand for.

"The acquisition of Tyne Lens by Harrow took effect in May" says what "Harrow acquired Tyne Lens in May"
says; such a noun becomes a clause of that verb, with the time and the stance of the clause around it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any, Final

from tidegraph.language.clauses import Clause, spell_out
from tidegraph.language.tree import Token
from tidegraph.language.words import table

_ITS: Final = frozenset({"its", "their", "our", "his", "her"})


@cache
def _entries() -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = {}
    for entry in table("patterns")["nominal"]:
        for noun in entry["nouns"]:
            found.setdefault(noun, []).append(entry)
    return found


@cache
def _phrases(section: str) -> frozenset[str]:
    return frozenset(table("patterns")["nominal_events"][section])


def as_clauses(clause: Clause) -> list[Clause]:
    """The clauses that the nouns of a clause stand for, where its verb says that the event took place."""
    found: list[Clause] = []
    for slot in ("subj", "obj"):
        for token in clause.slots.get(slot, ()):
            if token.name is not None or token.time is not None:
                continue
            for entry in _entries().get(token.lemma, ()):
                verb = _verb(clause, slot, entry)
                if verb and (slots := _slots(clause, token, entry)):
                    found.append(
                        replace(clause, lemma=verb, particles=frozenset(), slots=slots, passive=False)
                    )
    return found


def _verb(clause: Clause, slot: str, entry: dict[str, Any]) -> str:
    """The verb that noun and event make together, or "" when the event is not said to have taken place."""
    said = {clause.lemma}
    below = [(s, t.lemma) for s, tokens in clause.slots.items() if s != slot for t in tokens]
    said |= {f"{clause.lemma} {lemma}" for _, lemma in below}
    said |= {f"{clause.lemma} {s} {lemma}" for s, lemma in below}
    if said & _phrases("happen"):
        return str(entry["verb"])
    return str(entry["end_verb"]) if "end_verb" in entry and said & _phrases("end") else ""


def _slots(clause: Clause, noun: Token, entry: dict[str, Any]) -> dict[str, list[Token]]:
    """The complements of the noun under the names of the verb's slots; {} without one that it needs."""
    slots: dict[str, list[Token]] = {}
    for slot, sources in entry["slots"].items():
        tokens = _first(clause, noun, sources)
        if tokens:
            slots[slot] = tokens
    return slots if all(slot in slots for slot in entry["needs"]) else {}


def _first(clause: Clause, noun: Token, sources: Sequence[str]) -> list[Token]:
    for source in sources:
        if source == "poss":
            found = [t for c in noun.children if c.dep == "poss" for t in spell_out(c)]
            if any(t.lower in _ITS for t in found):
                # "Acme completed its acquisition of": whose it is stands in the clause.
                found = [t for t in clause.slots.get("subj", ()) if t is not noun] or found
        else:
            found = _complements(noun, source)
        if found:
            return found
    return []


def _complements(noun: Token, preposition: str) -> list[Token]:
    """What a preposition names under a noun, or under another complement of it."""
    stack = [noun]
    for current in stack:
        for child in current.children:
            target = child.child("pobj") if child.dep in {"prep", "agent"} else None
            if target is None:
                continue
            if child.lower == preposition:
                return spell_out(target)
            if len(stack) < 4 and target.time is None:
                stack.append(target)
    return []
