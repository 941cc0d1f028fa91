"""What a question asks for, as the search for a phrase needs it: relations, kinds and words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Final

from tidegraph.domain.asked import Asked
from tidegraph.domain.naming import normalise
from tidegraph.services.usecases.question import Question
from tidegraph.services.usecases.spans.kinds import OFFICE, ORGANISATION, PERSON, PLACE, SCHOOL
from tidegraph.services.usecases.spans.lists import listed
from tidegraph.services.usecases.words import load, stem, stems_of, tables, tokens


@dataclass(frozen=True, slots=True)
class AskedRelation:
    """One relation of answer_relations.toml, its words as stems."""

    name: str
    asked: frozenset[tuple[str, ...]]
    said: frozenset[str]
    kinds: frozenset[str]
    shape: frozenset[str]


@dataclass(frozen=True, slots=True)
class Intent:
    """``relations`` with their weights (sum 1); ``words``: stems of the question's content."""

    relations: tuple[tuple[AskedRelation, float], ...]
    words: frozenset[str]
    stems: frozenset[str]
    names: tuple[str, ...]
    noun: str
    sought: str
    said: dict[str, float]
    kinds: dict[str, float]
    shape: dict[str, float]
    whole: frozenset[str]
    everything: frozenset[str]
    anchor: frozenset[str]

    def is_of(self, relation: str) -> bool:
        """Whether a relation of that name is asked for before all others."""
        return bool(self.relations) and max(self.relations, key=lambda row: row[1])[0].name == relation

    def anchors(self, values: Sequence[str]) -> tuple[bool, ...]:
        """Which values (in normal form) stand for the one that the question's clause of time names: those
        that share most with it.
        """
        shares = [self._shared(value) for value in values]
        best = max(shares, default=0.0)
        return tuple(bool(best >= NAME_OVERLAP and share >= best - NAME_MARGIN) for share in shares)

    def _shared(self, value: str) -> float:
        own = set(value.split())
        return len(own & self.anchor) / max(1, len(own | self.anchor))


@cache
def relations() -> tuple[AskedRelation, ...]:
    """The table of relations."""
    return tuple(
        AskedRelation(
            name=row["name"],
            asked=frozenset(tuple(stem(word) for word in phrase.split()) for phrase in row["asked"]),
            said=frozenset(stem(word) for word in row["said"]),
            kinds=frozenset(row["kinds"]),
            shape=frozenset(row["shape"]),
        )
        for row in load("answer_relations.toml")["relation"]
    )


@cache
def offices() -> frozenset[str]:
    """Nouns that name an office, in small letters."""
    return frozenset(
        next(row for row in load("answer_relations.toml")["relation"] if row["name"] == "position")["shape"]
    )


@cache
def kind_nouns() -> frozenset[str]:
    """Nouns that say what kind of thing is asked for."""
    return frozenset(noun for listed in load("answer_relations.toml")["nouns"].values() for noun in listed)


@lru_cache(maxsize=512)
def _of_words(stems: frozenset[str], noun: str) -> tuple[tuple[AskedRelation, float], ...]:
    scored = []
    for relation in relations():
        score = 0.0
        for phrase in relation.asked:
            if all(part in stems for part in phrase):
                score += 1.0 + 0.5 * (len(phrase) - 1)
                if noun and noun in phrase:
                    score += _BY_NOUN
        if score:
            scored.append((relation, score))
    best = max((score for _, score in scored), default=0.0)
    kept = [(relation, score) for relation, score in scored if score >= 0.5 * best]
    total = sum(score for _, score in kept)
    return tuple((relation, score / total) for relation, score in kept)


def intent_of(question: Question) -> Intent:
    """The intent of a question."""
    named = {stem(token.lower) for link in question.entities for token in tokens(link.text)}
    masked = [token.lower for token in tokens(question.masked) if not token.text.startswith("\u00a7")]
    stems = frozenset(stem(word) for word in masked)
    noun = _noun(masked)
    found = _of_words(stems, noun)
    if not found and question.entities:  # the linker took the noun for a name
        found = _of_words(stems | frozenset(named), noun)
    said: dict[str, float] = {}
    shape: dict[str, float] = {}
    for relation, weight in found:
        for word in relation.said:
            said[word] = said.get(word, 0.0) + weight
        for word in relation.shape:
            shape[word] = shape.get(word, 0.0) + weight
    clause = question.anchor.clause.semantic if question.anchor else ""
    anchor = frozenset(normalise(clause).split())
    words = frozenset(stem(word) for word in question.words if word not in tables().answer_nouns)
    return Intent(
        relations=found,
        words=words,
        stems=stems_of(question.text),
        names=tuple(normalise(link.text) for link in question.entities),
        noun=noun,
        sought=_sought(masked),
        said=said,
        kinds=_kinds(question, masked, noun, found),
        shape=shape,
        whole=frozenset(normalise(question.text).split()) - anchor,
        everything=frozenset(normalise(question.text).split()),
        anchor=anchor,
    )


@cache
def _nouns() -> dict[str, str]:
    """Stem of a noun of a question to the kind of thing that it asks for."""
    table = load("answer_relations.toml")["nouns"]
    return {stem(noun): kind for kind, listed in table.items() for noun in listed}


def _kinds(
    question: Question, masked: list[str], noun: str, found: tuple[tuple[AskedRelation, float], ...]
) -> dict[str, float]:
    """How much each kind of thing is asked for: by the noun, by the question word, by the relation."""
    kinds: dict[str, float] = {}
    for relation, weight in found:
        for kind in relation.kinds:
            kinds[kind] = kinds.get(kind, 0.0) + weight * _BY_RELATION
    less = {kind: weight * _BY_RELATION for kind, weight in kinds.items()}
    if not noun and (question.asked is Asked.WHO or "who" in masked or "whom" in masked):
        return {**less, _who(masked): 1.0}
    stems = [noun] if noun else [stem(word) for word in masked[:8]]
    for word in stems:
        if word in _nouns():
            return {**less, _nouns()[word]: 1.0}
    if question.asked is Asked.WHO:
        return {**less, PERSON: 1.0}
    if question.asked is Asked.WHERE or "where" in masked:
        if SCHOOL in kinds:  # where somebody was educated is a school before it is a town
            return {SCHOOL: 1.0, ORGANISATION: _BY_RELATION, PLACE: _BY_RELATION**2}
        return {PLACE: 1.0, ORGANISATION: _BY_RELATION}
    return kinds


def _who(masked: list[str]) -> str:
    """The kind that "who" asks for: a person, unless it "was the broadcaster" or another body."""
    at = next((index for index, word in enumerate(masked) if word in ("who", "whom")), len(masked))
    if masked[at + 1 : at + 2] and masked[at + 1] in _COPULAS:
        for word in masked[at + 2 : at + 6]:
            kind = _nouns().get(stem(word), "")
            if kind:
                return PERSON if kind == OFFICE else kind
    return PERSON


def _sought(masked: list[str]) -> str:
    """The words that say what kind of thing is asked for: "football team", "who governed"."""
    for index, word in enumerate(masked):
        if word in ("which", "what", "whose"):
            said = [w for w in masked[index + 1 : index + 5] if w not in _AUXILIARY]
            if said:
                return " ".join(said[:3])
        if word in ("who", "whom", "where"):
            return f"{'place' if word == 'where' else 'person'} {' '.join(masked[index + 1 : index + 4])}"
    return " ".join(masked[:4])


NAME_OVERLAP: Final = 0.3
_POSSESSIVE: Final = ("'s", "\u2019s")
NAME_MARGIN: Final = 0.1
_NAMING: Final = frozenset(("name", "names", "kind", "type", "sort"))
_BY_RELATION: Final = 0.5
_BY_NOUN: Final = 0.4
"""What the noun adds to a relation: it says of what kind the answer is, and the verb how that is related."""
_AUXILIARY: Final = listed("auxiliaries")
_COPULAS: Final = frozenset(("is", "are", "was", "were"))
_PAST: Final = listed("past")


def _noun(masked: list[str]) -> str:
    """The stem of the noun that names the kind of answer: "which football TEAM did ..."; of "the name of
    the CEO" and "what kind of ship" it is the second one.
    """
    for index, word in enumerate(masked):
        if word in ("which", "what", "whose"):
            last = _head_noun(masked[index + 1 : index + 6])
            of = masked.index(last, index) + 1 if last in masked[index:] else len(masked)
            if last in _NAMING and masked[of : of + 1] == ["of"]:
                last = _head_noun(masked[of + 1 : of + 5]) or last
            return stem(last) if last else ""
    return ""


def _head_noun(words: list[str]) -> str:
    """The last of the words before the verb: a kind of thing before any other, and no "owned" or "held"."""
    found: list[str] = []
    for word in words:
        if word in _AUXILIARY:
            if found:
                break
            continue
        if word.endswith(_POSSESSIVE):
            return word[:-2]  # "which person's directorship" asks for the person
        if found and _is_past(word) and found[-1] in _nouns_said():
            break
        found.append(word)
    known = [word for word in found if word in _nouns_said()]
    return (known or [word for word in found if not _is_past(word)] or found or [""])[-1]


def _is_past(word: str) -> bool:
    return word.endswith("ed") or word in _PAST


@cache
def _nouns_said() -> frozenset[str]:
    """The nouns of ``_nouns`` as written, in singular and plural; stems would take "owned" for an owner."""
    nouns = kind_nouns()
    return nouns | {f"{noun}s" for noun in nouns} | {f"{noun[:-1]}ies" for noun in nouns if noun[-1] == "y"}
