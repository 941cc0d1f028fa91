"""Which facts a question speaks of: believed facts matched against its words and entities.

The words are compared with what the graph holds, not the graph with a list of questions: any predicate,
also one that the registry does not know, can be asked for by the words of its name, label and qualifiers.
A question word that no part of the fact covers counts against it, so that a question for the CFO is not
answered with the CTO.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fnmatch import fnmatchcase
from functools import cached_property, lru_cache
from typing import Final

from tidegraph.domain.asked import Asked
from tidegraph.domain.documents import EntityType
from tidegraph.domain.facts import FactVersion
from tidegraph.domain.policies import Qualifiers, normal_value
from tidegraph.domain.predicates import Registry
from tidegraph.ports import EntityRecord
from tidegraph.services.usecases.question import Question
from tidegraph.services.usecases.words import hints, stem, tables, tokens

SCORE_MIN: Final = 0.6
"""Share of a question that a fact must cover to be an answer to it."""
MARGIN: Final = 0.1
PARTIAL_QUALIFIER: Final = 0.6
PHRASE_WORDS_MAX: Final = 6
NO_WORDS: Final = 0.7
"""Score of a fact that only shares entities with a question without words of its own."""

Names = Mapping[str, EntityRecord]


class Slot(StrEnum):
    """Which part of the fact is the answer."""

    SUBJECT = "subject"
    OBJECT = "object"
    ROLE = "role"
    TIME = "time"


@dataclass(frozen=True, slots=True)
class Match:
    """A fact that the question may speak of; ``score`` in [0, 1]."""

    fact: FactVersion
    slot: Slot
    score: float


@dataclass(frozen=True)
class Matcher:
    """Matches facts against one question. ``entity_ids`` are those that the answer is about."""

    question: Question
    registry: Registry
    names: Names
    ignored_ids: frozenset[str] = frozenset()
    """Entities that only set the time (the anchor) and need not be in the fact."""

    def matches(self, facts: Iterable[FactVersion]) -> list[Match]:
        """The facts that answer, those far below the best one left out; in the order given."""
        found = [match for fact in facts if (match := self.match(fact)) is not None]
        best = max((match.score for match in found), default=0.0)
        return [match for match in found if match.score >= max(SCORE_MIN, best - MARGIN)]

    def match(self, fact: FactVersion) -> Match | None:
        """The match of one fact, or None when it cannot be what is asked."""
        slot = self._slot(fact)
        if slot is None:
            return None
        score = self._coverage(fact, slot) * self._type_factor(fact, slot)
        return Match(fact, slot, score) if score >= SCORE_MIN else None

    @cached_property
    def _links(self) -> tuple[tuple[str, frozenset[str]], ...]:
        """(text, ids) of the entities that the fact must speak of."""
        pairs = ((link.text, frozenset(link.ids) - self.ignored_ids) for link in self.question.entities)
        return tuple((text, ids) for text, ids in pairs if ids)

    @cached_property
    def _phrases(self) -> dict[str, frozenset[int]]:
        """Runs of question words, in normal form, with the places of their words."""
        words = self.question.words
        found: dict[str, frozenset[int]] = {}
        for start in range(len(words)):
            for end in range(start + 1, min(len(words), start + PHRASE_WORDS_MAX) + 1):
                for phrase in _singular(" ".join(words[start:end])):
                    found.setdefault(phrase, frozenset(range(start, end)))
        full = [token.lower for token in tokens(self.question.masked)]
        for start in range(len(full)):
            for end in range(start + 2, min(len(full), start + PHRASE_WORDS_MAX) + 1):
                places = frozenset(i for i, word in enumerate(words) if word in full[start:end])
                for phrase in _singular(" ".join(full[start:end])):
                    found.setdefault(phrase, places)
        return found

    def _slot(self, fact: FactVersion) -> Slot | None:
        ids = frozenset().union(*(ids for _, ids in self._links)) if self._links else frozenset()
        subject_in = fact.subject in ids
        object_in = fact.object_is_entity and fact.object in ids
        has_role = any(name == "role" for name, _ in fact.qualifiers)
        asked = self.question.asked
        if asked is Asked.ROLE:
            return (Slot.ROLE if has_role else Slot.OBJECT) if subject_in else None
        if asked not in (Asked.WHO, Asked.WHAT, Asked.WHERE, Asked.COUNT, Asked.EVENTS):
            return Slot.TIME
        if subject_in and object_in:
            return Slot.ROLE if has_role and asked is not Asked.COUNT else Slot.TIME
        if subject_in or object_in:
            return Slot.OBJECT if subject_in else Slot.SUBJECT
        return Slot.OBJECT if not self._links and not fact.object_is_entity else None

    def _coverage(self, fact: FactVersion, slot: Slot) -> float:
        """Weighted share of the question's words that the fact accounts for; 0 when a name is missing."""
        if not self._speaks_of_all(fact):
            return 0.0
        covered = self._covered_words(fact, slot)
        best = max(covered.values(), default=0.0)
        if self.question.words and not best:
            return 0.0
        weights = [self.question.weight(word) for word in self.question.words]
        asked_for = sum(weights)
        if not asked_for:
            return best or NO_WORDS
        return sum(weight * covered.get(index, 0.0) for index, weight in enumerate(weights)) / asked_for

    def _speaks_of_all(self, fact: FactVersion) -> bool:
        """Whether every name of the question is a side of the fact, or the value of a qualifier."""
        sides = {fact.subject, fact.object} if fact.object_is_entity else {fact.subject}
        values = {value for _, value in fact.qualifiers}
        if not fact.object_is_entity:
            values.add(normal_value(fact.object))
        return all(ids & sides or normal_value(text) in values for text, ids in self._links)

    def _covered_words(self, fact: FactVersion, slot: Slot) -> dict[int, float]:
        """How far each question word (by its place) is accounted for, in (0, 1]."""
        covered: dict[int, float] = {}

        def cover(places: Iterable[int], weight: float) -> None:
            for place in places:
                covered[place] = max(covered.get(place, 0.0), weight)

        for name, value in fact.qualifiers:
            if slot is Slot.ROLE and name == "role":
                continue
            for phrase, places in self._phrases.items():
                if dict(self.registry.normal_qualifiers(((name, phrase),))).get(name) == value:
                    cover(places, 1.0)
        whole = self._signature(fact.predicate)
        partial = _stems(value for name, value in fact.qualifiers if (slot, name) != (Slot.ROLE, "role"))
        names = _stems(self._other_names(fact, slot))
        for place, word in enumerate(self.question.words):
            low = stem(word)
            if low in whole or low in names:
                cover([place], 1.0)
            elif low in partial:
                cover([place], PARTIAL_QUALIFIER)
            else:
                cover([place], self._hinted(low, fact, slot))
        return {place: weight for place, weight in covered.items() if weight}

    def _signature(self, predicate: str) -> frozenset[str]:
        if predicate not in self._signatures:
            self._signatures[predicate] = _signature(self.registry, predicate)
        return self._signatures[predicate]

    @cached_property
    def _signatures(self) -> dict[str, frozenset[str]]:
        """By predicate the stems of its names: many facts have few predicates."""
        return {}

    @cached_property
    def asked_predicates(self) -> tuple[str, ...]:
        """The predicates of the registry that a word of the question may mean."""
        asked = {stem(word) for word in self.question.words}
        hinted = {hint.predicate for hint in hints() if asked & hint.stems}
        named = {policy.name for policy in self.registry if asked & self._signature(policy.name)}
        return tuple(sorted(hinted | named))

    def _hinted(self, low: str, fact: FactVersion, slot: Slot) -> float:
        role = dict(fact.qualifiers).get("role", "")
        weights = (
            hint.weight
            for hint in hints()
            if hint.predicate == fact.predicate
            and low in hint.stems
            and (not hint.asked or self.question.asked in hint.asked)
            and (slot is Slot.ROLE or not hint.patterns or any(fnmatchcase(role, p) for p in hint.patterns))
        )
        return max(weights, default=0.0)

    def _other_names(self, fact: FactVersion, slot: Slot) -> Iterable[str]:
        """Names of the fact's sides that are not the answer: they may stand in the question unlinked."""
        if slot is not Slot.SUBJECT:
            yield self._name(fact.subject)
        if slot not in (Slot.OBJECT, Slot.ROLE):
            yield self._name(fact.object) if fact.object_is_entity else fact.object

    def _name(self, entity_id: str) -> str:
        record = self.names.get(entity_id)
        return record.name if record else ""

    def _type_factor(self, fact: FactVersion, slot: Slot) -> float:
        """Less for an answer of another kind than asked; types come from a tagger and are not trusted."""
        wanted = self.question.answer_type
        if wanted is EntityType.UNSPECIFIED or slot not in (Slot.SUBJECT, Slot.OBJECT):
            return 1.0
        if slot is Slot.OBJECT and not fact.object_is_entity:
            return 0.85
        record = self.names.get(fact.subject if slot is Slot.SUBJECT else fact.object)
        known = record.type if record else EntityType.UNSPECIFIED
        vague = (EntityType.UNSPECIFIED, EntityType.OTHER)
        return 1.0 if known == wanted or known in vague else 0.85


def _singular(phrase: str) -> tuple[str, ...]:
    """A phrase as it stands and with its last or first word in the singular."""
    found = [phrase]
    if phrase.endswith("s") and not phrase.endswith("ss"):
        found.append(phrase[:-1])
    first, _, rest = phrase.partition(" ")
    if rest and first.endswith("s") and not first.endswith("ss"):
        found.append(f"{first[:-1]} {rest}")
    return tuple(found)


def _stems(texts: Iterable[str]) -> frozenset[str]:
    return frozenset().union(*map(_stems_of, texts))


@lru_cache(maxsize=8_192)
def _stems_of(text: str) -> frozenset[str]:
    words = (token.lower for token in tokens(text.replace("_", " ")))
    return frozenset(stem(word) for word in words if word not in tables().stop)


def _signature(registry: Registry, predicate: str) -> frozenset[str]:
    """Stems of all the names of a predicate."""
    policy = registry.policy(predicate)
    label = policy.label.replace("{", " ").replace("}", " ")
    texts = (policy.name, label, policy.inverse, *policy.aliases, *policy.inverse_aliases)
    return _stems(texts) - {"rol", "offic"}


def role_of(qualifiers: Qualifiers) -> str:
    """The role that a fact names, with its capacity: "interim chief executive officer"."""
    values = dict(qualifiers)
    return " ".join(part for part in (values.get("capacity", ""), values.get("role", "")) if part)
