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
