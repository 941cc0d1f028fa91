"""Lists of the holders of a post, each with the term in brackets after the name."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from tidegraph.domain.documents import ExpressionKind, Verb
from tidegraph.domain.interval import MICROS_PER_DAY
from tidegraph.language.claims import Claim, Side, role_claim
from tidegraph.language.clauses import Clause
from tidegraph.language.matching import fits
from tidegraph.language.nominals import own
from tidegraph.language.roles import Role, is_role, role_of
from tidegraph.language.tree import Sentence, Token

_LONGEST_TERM: Final = 40 * 366 * MICROS_PER_DAY
"""Longer spans in brackets are taken for lives."""


def terms(sentence: Sentence) -> list[Claim]:
    """ "The presidents of the society were A (2009 to 2014) and B (1998 to 2003)"."""
    role = _post(sentence)
    if role is None:
        return []
    items = [(n, t) for n, t in _items(sentence) if n.i > role.token.i]
    if len(items) < 2 or not role.organisations:
        return []
    claims: list[Claim] = []
    for name, time in items:
        # A clause of its own, so that only the term dates it.
        clause = Clause(time, "apposition", frozenset(), {}, False, None, None, sentence)
        told = role_claim(clause, own("list.term"), Side(name), role, role.organisations)
        claims += [replace(claim, verb=Verb.STATE) for claim in told]
    return claims


def _post(sentence: Sentence) -> Role | None:
    """The first post in the plural: "the presidents of the society"."""
    for token in sentence.tokens:
        if token.tag in {"NNS", "NNPS"} and is_role(token):
            return role_of(token)
    return None


def _items(sentence: Sentence) -> list[tuple[Token, Token]]:
    """Persons with the term that follows in brackets; none when one of the spans may be a life."""
    found = []
    for name, bracket, time in zip(sentence.tokens, sentence.tokens[1:], sentence.tokens[2:], strict=False):
        span = time.time.interval if time.time is not None else None
        if name.name is None or bracket.text != "(" or span is None or not fits(name, "person"):
            continue
        ranged = time.time is not None and time.time.kind in {ExpressionKind.RANGE, ExpressionKind.OPEN_RANGE}
        if ranged and not span.has_open_start:
            if not span.has_open_end and span.end - span.start > _LONGEST_TERM:
                return []
            found.append((name, time))
    return found
