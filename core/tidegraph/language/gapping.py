"""Lists whose later members leave the verb out: "A was opened in 2001, B in 2003 and C in 2009".

What a later member names (its remnant) stands for one noun phrase of the first member: with the other
words of the first, it tells a thing of its own. Parsers make anything of such a list, so the words are read
in a row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tidegraph.domain.documents import EntityType, TimeExpression
from tidegraph.domain.interval import Interval
from tidegraph.language.tree import Sentence, Token, subject_before

_JOINTS: Final = frozenset({",", ";", "and", "but", "while", "or"})
_CLOSING: Final = frozenset({";", "and", "but", "while"})
_WHEN: Final = frozenset({"on", "in", "at", "during"})
_VERBS: Final = frozenset({"VERB", "AUX"})


@dataclass(frozen=True, slots=True)
class Member:
    """One member: all the words that tell it, its own words of the sentence, and its time."""

    tokens: tuple[Token, ...]
    own: tuple[Token, ...]
    time: TimeExpression
    interval: Interval


@dataclass(frozen=True, slots=True)
class _Dated:
    """Places in the sentence: where the remnant begins, the words of the time, the end."""

    start: int
    when: int
    end: int


def gapped(sentence: Sentence) -> list[Member]:
    """The members of such a list, each with a time of its own; [] for every other sentence."""
    tokens = sentence.tokens
    rows = _rows(tokens)
    if len(rows) < 2:
        return []
    remnants = [tokens[row.start : row.when] for row in rows[1:]]
    slot = _slot(tokens, rows[0], remnants)
    if slot is None:
        return []
    low, high = slot
    made = []
    for number, row in enumerate(rows):
        end = row.end if number < len(rows) - 1 else len(tokens)
        own = tuple(tokens[row.start : row.end])
        words = tuple(tokens[row.start : end])
        if number:
            gap = len(remnants[number - 1])
            words = (*tokens[:low], *words[:gap], *tokens[high : rows[0].when], *words[gap:])
        time = tokens[row.end - 1].time
        if time is None or time.interval is None:
            return []
        made.append(Member(words, own, time, time.interval))
    return made


def _rows(tokens: Sequence[Token]) -> list[_Dated]:
    """The whole sentence as members that end with their times, only the first of which has verbs; else []."""
    places = [k for k, t in enumerate(tokens) if t.time is not None]
    rows: list[_Dated] = []
    for place in places:
        start = rows[-1].end if rows else 0
        while rows and start < place and tokens[start].lower in _JOINTS:
            start += 1
        when = place - 1 if place and tokens[place - 1].pos == "ADP" else place
        if when <= start or (rows and (start == rows[-1].end or not _is_remnant(tokens[start:when]))):
            return []
        rows.append(_Dated(start, when, place + 1))
    if len(rows) < 2 or any(t.text[:1].isalnum() for t in tokens[rows[-1].end :]):
        return []
    joints = {t.lower for t in tokens[rows[-2].end : rows[-1].start]}
    openings = {tokens[row.when].lower if row.when < row.end - 1 else "" for row in rows}
    alike = len(openings) == 1 or openings <= _WHEN
    return rows if alike and joints & _CLOSING else []


def _is_remnant(tokens: Sequence[Token]) -> bool:
    """One noun phrase: no verb, no phrase of another kind, no list that may have begun before it."""
    plain = all(
        t.pos not in _VERBS and t.text[:1] not in ",;:()[]" and (t.pos != "ADP" or t.lower == "of")
        for t in tokens
    )
    return plain and _is_noun(_head(tokens))


def _head(tokens: Sequence[Token]) -> Token:
    of = next((k for k, t in enumerate(tokens) if t.lower == "of"), len(tokens))
    return tokens[max(of - 1, 0)]


def _is_noun(token: Token) -> bool:
    return token.time is None and (token.name is not None or token.tag.startswith("NN") or token.tag == "CD")


def _slot(
    tokens: Sequence[Token], first: _Dated, remnants: Sequence[Sequence[Token]]
) -> tuple[int, int] | None:
    """Where the noun phrase stands that the remnants stand for: the only one, or the only one of its kind."""
    subject = subject_before(tokens[first.end - 1])
    if subject is None:
        return None
    base = tokens[0].i
    group = (subject.head, *(c for c in subject.head.children if c.dep in {"aux", "auxpass"}))
    verb = min(t.i for t in group if t.i > subject.i) - base
    between = tokens[verb : first.when]
    nouns = [
        t
        for t, following in zip(between, [*between[1:], None], strict=True)
        if _is_noun(t) and (following is None or not _is_noun(following))
    ]
    heads = [subject, *nouns]
    if nouns:
        kinds = {_kind(_head(remnant)) for remnant in remnants} - {""}
        heads = [head for head in heads if _kind(head) in kinds]
    if len(heads) != 1:
        return None
    # The parser may hang the later members on the word that they stand for.
    end = verb if heads[0] is subject else first.when
    places = [t.i - base for t in heads[0].subtree() if t.i - base < end]
    return (places[0], places[-1] + 1) if len(places) == places[-1] + 1 - places[0] else None


def _kind(token: Token) -> str:
    """What may stand for what: names of one type, numbers, one noun; "" where nothing is known."""
    if token.name is not None:
        return "" if token.name.type is EntityType.UNSPECIFIED else f"name:{token.name.type}"
    return "number" if token.tag == "CD" else token.lemma
