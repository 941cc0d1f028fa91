"""Questions that ask for the whole of a time, compare two things, follow one, or ask what came before it.

Pure, like ``question``: the forms are data (compared_forms.toml).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Final

from tidegraph.domain.asked import Asked
from tidegraph.services.usecases.pairs import Chain, Comparison, Pair
from tidegraph.services.usecases.question import (
    NO_TIME,
    Linked,
    Question,
    Relation,
    TimeConstraint,
    in_words,
    mask,
    read,
    read_clause,
)
from tidegraph.services.usecases.words import load

CONTINUITY: Final = "continuity"
ORDER: Final = "order"


def read_all(text: str, time: TimeConstraint, entities: tuple[Linked, ...]) -> Question:
    """The reading of a question whose time and entities are known, with what it compares or follows."""
    asked_whole = _whole(text, time)
    if asked_whole is not None:
        time = replace(time, start=asked_whole.start)
    masked = mask(text, time, entities)
    unbroken = _without(masked, _forms().unbroken)
    plain = _forms().before_term.sub(r"while \g<who> was", _without(unbroken, _forms().anywhere))
    whole = asked_whole is not None or plain != masked
    over_time = _without(plain, _forms().over_time)
    question = _evolution(text, over_time, time, entities)
    if question is None and over_time != plain:
        question = _all_of(read(text, time, entities, over_time))
    if question is not None:
        return question
    question = read(text, time, entities, plain)
    if whole:
        each = asked_whole.each if asked_whole is not None else ""
        return replace(
            question, whole=True, each=each, unbroken=unbroken != masked, question_class=CONTINUITY
        )
    if question.neighbour_of is not None:
        chain = _chain(text, plain, entities)
        if chain is None or not _forms().doing.search(chain.clause.masked):
            return question
        return replace(question, neighbour_of=None, chain=chain, question_class=ORDER)
    pair = _pair(text, plain, entities)
    if pair is not None:
        return replace(question, pair=pair, question_class=ORDER)
    chain = _chain(text, plain, entities)
    return replace(question, chain=chain, question_class=ORDER) if chain is not None else question


def _without(masked: str, pattern: re.Pattern[str]) -> str:
    return " ".join(pattern.sub(" ", masked).split())


@dataclass(frozen=True, slots=True)
class _Whole:
    """Where the words begin that ask for the whole of a time; the unit that they ask for each of, or ""."""

    start: int
    each: str


def _whole(text: str, time: TimeConstraint) -> _Whole | None:
    """The words that ask for the whole of the question's time; None without any, and where the time only
    tells whose something is ("all of 2022's chairs").
    """
    if time.interval is None or text[time.end :].startswith(("'s ", "\u2019s ")):
        return None
    for match in _forms().before_time.finditer(text[: time.end].lower()):
        if time.start - 1 <= match.end() <= time.end:
            return _Whole(min(match.start(), time.start), match["each"] or "")
    return None


def _evolution(text: str, masked: str, time: TimeConstraint, entities: tuple[Linked, ...]) -> Question | None:
    bounds = _forms().between.search(masked)
    named: tuple[Linked, ...] = ()
    if bounds is not None:
        masked = masked[: bounds.start()]
        named = (entities[int(bounds["first"])], entities[int(bounds["last"])])
    for ask, pattern in _forms().evolution:
        match = pattern.search(masked)
        if match is not None:
            if _forms().alone.search(match["topic"]):
                return read(text, time, entities, masked)
            question = read_clause(text, f"{ask} {match['topic']}", time, entities)
            return replace(_all_of(question), bounds=named)
    return None


def _all_of(question: Question) -> Question:
    """The question asking for all values in order."""
    return replace(question, plural=True, past=True, evolves=True, question_class=CONTINUITY)


def _pair(text: str, masked: str, entities: tuple[Linked, ...]) -> Pair | None:
    for kind, choice, pattern in _forms().pairs:
        match = pattern.search(masked)
        if match is None:
            continue
        found = match.groupdict()
        shared = (found.get("shared") or "").strip()
        parts = [found[name].strip(" ,") for name in ("a", "b")]
        comparison = Comparison.LATER if found.get("side") in _forms().later else kind
        if kind is Comparison.OVERLAP:
            parts = [_without(part, _forms().lasting) for part in parts]
        first, second = (_clause(text, f"{part} {shared}".strip(), entities) for part in parts)
        first, second = _completed(first, second, entities)
        if (first.entities or first.words) and (second.entities or second.words):
            options = (_worded(text, parts[0], entities), _worded(text, parts[1], entities))
            if found.get("before"):
                options = (found["before"], found["after"])
            return Pair(comparison, choice, first, second, options)
    return None


def _worded(text: str, part: str, entities: tuple[Linked, ...]) -> str:
    """A part of the question as its text writes it."""
    words = in_words(part, entities)
    match = re.search(re.escape(words), text, re.IGNORECASE)
    return match.group() if match else words


def _completed(one: Question, other: Question, entities: tuple[Linked, ...]) -> tuple[Question, Question]:
    """Both clauses with what only one of them says: "before Ben did", "chair of the mill ... clerk".

    Entities that stand in neither belong to both.
    """
    neither = tuple(link for link in entities if link not in one.entities and link not in other.entities)
    if _forms().subjectless.search(other.masked) and one.entities:
        other = replace(other, entities=(one.entities[0], *other.entities))
    else:
        one, other = _with_words(one, other), _with_words(other, one)
        behind, other_behind = one.entities[1:], other.entities[1:]
        if len(other.entities) == 1:
            other = replace(other, entities=(*other.entities, *behind))
        elif len(one.entities) == 1:
            one = replace(one, entities=(*one.entities, *other_behind))
    return (
        replace(one, entities=(*one.entities, *neither)),
        replace(other, entities=(*other.entities, *neither)),
    )


def _with_words(clause: Question, other: Question) -> Question:
    if clause.words:
        return clause
    return replace(clause, words=other.words, masked=f"{clause.masked} {other.masked}".strip())


def _chain(text: str, masked: str, entities: tuple[Linked, ...]) -> Chain | None:
    for relation, led, pattern in _forms().chain:
        match = pattern.search(masked)
        if match is not None:
            clause = _clause(text, match["clause"], entities)
            last = match.groupdict().get("until")
            until = _clause(text, last, entities) if last else None
            if all(one.entities or one.words for one in (clause, until) if one is not None):
                return Chain(relation, led, clause, until)
    return None


def _clause(text: str, masked: str, entities: tuple[Linked, ...]) -> Question:
    return replace(read_clause(text, masked, NO_TIME, entities), asked=Asked.TRUTH, plural=False)


@dataclass(frozen=True, slots=True)
class _Forms:
    before_time: re.Pattern[str]
    before_term: re.Pattern[str]
    anywhere: re.Pattern[str]
    unbroken: re.Pattern[str]
    over_time: re.Pattern[str]
    between: re.Pattern[str]
    alone: re.Pattern[str]
    pairs: tuple[tuple[Comparison, bool, re.Pattern[str]], ...]
    chain: tuple[tuple[Relation, bool, re.Pattern[str]], ...]
    evolution: tuple[tuple[str, re.Pattern[str]], ...]
    subjectless: re.Pattern[str]
    doing: re.Pattern[str]
    lasting: re.Pattern[str]
    later: frozenset[str]


@cache
def _forms() -> _Forms:
    data: dict[str, Any] = load("compared_forms.toml")
    pairs = [(Comparison.OVERLAP, False, re.compile(row["pattern"])) for row in data["overlap"]]
    pairs += [
        (Comparison.EARLIER, row.get("choice", False), re.compile(row["pattern"])) for row in data["pair"]
    ]
    return _Forms(
        before_time=re.compile(data["whole"]["before_time"]),
        before_term=re.compile(data["whole"]["before_term"]),
        anywhere=re.compile(data["whole"]["anywhere"]),
        unbroken=re.compile(data["whole"]["unbroken"]),
        over_time=re.compile(data["over_time"]["pattern"]),
        between=re.compile(data["over_time"]["between"]),
        alone=re.compile(data["over_time"]["alone"]),
        pairs=tuple(pairs),
        chain=tuple(
            (Relation(row["relation"]), row.get("led", False), re.compile(row["pattern"]))
            for row in data["chain"]
        ),
        evolution=tuple((row["ask"], re.compile(row["pattern"])) for row in data["evolution"]),
        subjectless=re.compile(data["sides"]["subjectless"]),
        doing=re.compile(data["sides"]["doing"]),
        lasting=re.compile(data["sides"]["lasting"]),
        later=frozenset(data["sides"]["later"]),
    )
