"""Time expressions that do not date what their sentence tells.

"Not on 1 March" is denied by the sentence itself; "our note of 6 September" tells when a text was
written, not when what it says happened.
"""

from __future__ import annotations

from typing import Final

from tidegraph.domain.documents import TimeExpression
from tidegraph.language.tree import Sentence, Token
from tidegraph.language.words import words

_TEXTS: Final = words("clauses", "text_nouns")
_PREPOSITIONS: Final = frozenset({"on", "in", "at", "from", "the", "as", "of"})
_WRITTEN: Final = frozenset({"of", "from", "dated"})
_LOOK_BACK: Final = 4
_FINITE: Final = frozenset({"VBD", "VBZ", "VBP", "MD"})
_OF_NAMES: Final = frozenset({"compound", "nmod", "nummod", "amod", "poss"})
_ISSUES: Final = words("standing", "dated_things")
_ACCOMPANYING: Final = frozenset({"becoming", "including", "starting", "beginning", "making", "following"})


def is_aside(sentence: Sentence, token: Token) -> bool:
    """Whether the time expression at a token is denied, or is the date of a text."""
    return is_denied(sentence, token) or _dates_text(token)


def is_denied(sentence: Sentence, token: Token) -> bool:
    """ "on 1 April, not on 1 March", "rather than on 1 March": the time is said to be wrong."""
    at = token.i - sentence.tokens[0].i
    while at > 0 and token.time is not None and sentence.tokens[at - 1].time is token.time:
        at -= 1
    steps = 0
    while at > 0 and steps < _LOOK_BACK and sentence.tokens[at - 1].lower in _PREPOSITIONS:
        at, steps = at - 1, steps + 1
    if at == 0:
        return False
    before = sentence.tokens[at - 1].lower
    earlier = sentence.tokens[at - 2].lower if at > 1 else ""
    rather = (earlier, before) in {("rather", "than"), ("instead", "of")}
    swallowed = before == "instead" and steps > 0  # "of" was taken for a preposition
    return rather or swallowed or (before == "not" and earlier not in {"did", "does", "do", "if", "or"})


def denied_times(sentence: Sentence) -> list[TimeExpression]:
    """The resolved expressions that the sentence denies, in text order."""
    found: list[TimeExpression] = []
    for token in sentence.tokens:
        time = token.time
        if time is None or time.interval is None or time in found:
            continue
        if is_denied(sentence, token):
            found.append(time)
    return found


def _dates_text(token: Token) -> bool:
    """ "our note of 6 September", "the notice dated 20 March"."""
    current = token
    for _ in range(_LOOK_BACK):
        head = current.head
        if head is current:
            return False
        if head.time is token.time:
            current = head
            continue
        if current.dep in {"prep", "acl"} and current.lower in _WRITTEN:
            return head.name is None and head.lemma in _TEXTS
        if current.dep in {"compound", "nmod", "nummod"}:
            return False
        current = head
    return False


def is_consequence(sentence: Sentence, verb: Token) -> bool:
    """ "Trained in Leeds, being sent to Rome in March 1943": the date of what came of it."""
    root = sentence.root
    if verb.dep != "advcl" or verb.tag not in {"VBG", "VBN"} or verb.i < root.i or not _is_going_on(verb):
        return False
    return _is_after_comma(sentence, verb) and verb.lower not in _ACCOMPANYING


def _is_going_on(verb: Token) -> bool:
    return verb.tag == "VBG" or any(c.lower == "being" for c in verb.children)


def _is_after_comma(sentence: Sentence, verb: Token) -> bool:
    first = min(t.i for t in verb.subtree()) - sentence.tokens[0].i
    return first > 0 and sentence.tokens[first - 1].text == ","


def is_of_issue(token: Token) -> bool:
    """ "The 16 July issue of Harrow Life": the date of a thing that is read, not of reading it."""
    if token.head.time is not None and token.head.time is not token.time:
        return False
    return token.dep in {*_OF_NAMES, "det"} and token.head.lemma.casefold() in _ISSUES


def counts_within_relative(sentence: Sentence, token: Token) -> bool:
    """ "A book that won a prize four years later", whatever the parser hangs the years on."""
    if token.time is None or not token.time.rule_id.startswith("offset."):
        return False
    for word in sentence.tokens[: token.i - sentence.tokens[0].i][::-1]:
        if word.text in {",", ";"} or word.tag == "CC":
            return False
        if word.tag in _FINITE and word.name is None:
            return word.dep == "relcl" or word.head.dep == "relcl"
    return False
