"""What speaks for a phrase as the answer to a question, in numbers. Pure.

These do not look at time; ``times`` does, once it is known which phrases are likely values of what is asked.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tidegraph.services.usecases.spans.intent import Intent, offices
from tidegraph.services.usecases.spans.kinds import CLUB, ORGANISATION, PARTY, PERSON, SCHOOL
from tidegraph.services.usecases.spans.lists import listed
from tidegraph.services.usecases.spans.phrases import Phrase, Shape
from tidegraph.services.usecases.spans.placing import Placed, Source
from tidegraph.services.usecases.spans.segments import Segmented, Word
from tidegraph.services.usecases.words import stem

TYPED_MIN: Final = 0.5
BY_LEAD: Final = 0.6
_BODIES: Final = (CLUB, ORGANISATION, PARTY, SCHOOL)
LONG: Final = 6
REACH_BEFORE: Final = 8
REACH_AFTER: Final = 6
_PASSED: Final = frozenset(("the", "a", "an", "former", "fellow", "then", "new", "club", "side", "team"))
_LEADS: Final = listed("leading_to")
_PERSONS: Final = listed("leading_to_person")
_OPPOSED: Final = listed("leading_to_opponent")
DESCRIBED: Final = frozenset(("kind", "position", "award", "league"))
"""Relations whose values are often told in small letters."""


@dataclass(frozen=True, slots=True)
class Statement:
    """What is known of a sentence: how near it is to the question, and the entities that it mentions."""

    cosine: float
    rank: float
    named: bool
    whole: float


@dataclass(frozen=True, slots=True)
class Candidate:
    """A phrase with its place in time, its value in normal form, and where it stands."""

    phrase: Phrase
    place: Placed
    value: str
    passage: int
    document: str
    sequence: tuple[int, int]

    def overlaps(self, other: Candidate) -> bool:
        """Whether both share words of one passage."""
        one, two = self.phrase, other.phrase
        return self.passage == other.passage and one.first < two.last and two.first < one.last

    def is_like(self, other: Candidate) -> bool:
        """Whether both are one value, or share words."""
        return self.value == other.value or self.overlaps(other)


SAID: Final = (
    "joined",
    "office",
    "lower",
    "listed",
    "head",
    "length",
    "long",
    "type",
    "type_wrong",
    "untyped",
    "shape",
    "noun_inside",
    "cue_before",
    "cue_after",
    "cue_sentence",
    "word_before",
    "word_sentence",
    "cosine",
    "cosine_best",
    "rank",
    "named",
    "passage",
    "document",
    "title_inside",
    "question_inside",
    "in_list",
    "subject",
    "lower_asked",
    "office_asked",
    "article",
    "fact",
    "count",
    "after_of",
    "digit",
    "single",
    "beside",
    "undated",
    "heading_word",
    "heading_cue",
    "in_heading",
    "kind_cosine",
    "beside_kind",
    "verb",
    "lead_for",
    "lead_person",
    "lead_against",
    "titled",
    "led_to",
    "led_by",
)


@dataclass(frozen=True, slots=True)
class Leads:
    """The shares of the tellings of a value to which a word of where one is leads, and one of who it is."""

    where: float
    who: float


@dataclass(frozen=True, slots=True)
class About:
    """What surrounds a candidate: its sentence, its kinds, its passage and document (in [0, 1] of the best),
    the title, whether a fact says it, how often it stands there, the heading, its nearness to what is asked,
    whether the question names what the document is called, and the words that lead to its value there.
    """

    statement: Statement
    kinds: Mapping[str, float]
    passage: float
    document: float
    title: frozenset[str]
    fact: bool
    count: int
    heading: frozenset[str]
    alike: float
    titled: bool
    leads: Leads


def said(intent: Intent, passage: Segmented, candidate: Candidate, about: About) -> list[float]:
    """The features of SAID, in their order."""
    fit = _fit(intent, about.kinds, about.leads)
    typed = any(share > TYPED_MIN for share in about.kinds.values())
    return [
        *_of_shape(candidate),
        fit,
        float(typed and not fit),
        float(not typed),
        *_of_words(intent, passage, candidate),
        about.statement.cosine,
        about.statement.whole,
        about.statement.rank,
        float(about.statement.named),
        about.passage,
        about.document,
        _share(candidate, about.title),
        _share(candidate, intent.whole),
        *_of_place(intent, passage, candidate),
        float(about.fact),
        math.log1p(about.count),
        *_of_lead(passage, candidate),
        float(candidate.place.source is Source.BESIDE),
        float(candidate.place.source in (Source.NONE, Source.TOLD)),
        len(about.heading & intent.stems) / max(1, len(about.heading)),
        max((intent.said.get(word, 0.0) for word in about.heading), default=0.0),
        float(_is_heading(passage, candidate)),
        about.alike,
        fit * float(candidate.place.source is Source.BESIDE),
        float(_after_cue(intent, passage, candidate)),
        *_of_leading_word(passage, candidate),
        float(about.titled),
        about.leads.where,
        about.leads.who,
    ]


def _share(candidate: Candidate, words: frozenset[str]) -> float:
    inner = set(candidate.value.split())
    return len(inner & words) / max(1, len(inner))


def _of_shape(candidate: Candidate) -> list[float]:
    shape, length = candidate.phrase.shape, len(candidate.value.split())
    return [
        float(shape is Shape.JOINED),
        float(shape is Shape.OFFICE),
        float(shape is Shape.LOWER),
        float(shape is Shape.LISTED),
        float(shape is Shape.HEAD),
        math.log1p(length),
        float(length > LONG),
    ]


def _around(passage: Segmented, candidate: Candidate) -> tuple[list[str], list[str], set[str]]:
    """Stems before the phrase (nearest first), after it, and of its whole sentence; "editor-in-chief" gives
    those of its parts too.
    """
    words, phrase = passage.words, candidate.phrase
    sentence = passage.sentences[phrase.sentence]
    before = words[max(sentence.first, phrase.first - REACH_BEFORE) : phrase.first]
    after = words[phrase.last : min(sentence.last, phrase.last + REACH_AFTER)]
    return (
        [found for word in reversed(before) if not word.is_mark for found in _stems(word)],
        [found for word in after if not word.is_mark for found in _stems(word)],
        {
            found
            for word in words[sentence.first : sentence.last]
            if not word.is_mark
            for found in _stems(word)
        },
    )


def _stems(word: Word) -> list[str]:
    """The stem of a word; of one with hyphens also that of its first part."""
    first, _, rest = word.low.partition("-")
    return [stem(first), stem(word.low)] if first and rest else [stem(word.low)]


def _of_words(intent: Intent, passage: Segmented, candidate: Candidate) -> list[float]:
    before, after, everything = _around(passage, candidate)
    inside = candidate.value.split()
    return [
        max((intent.shape.get(word, 0.0) for word in inside), default=0.0),
        float(bool(intent.noun) and any(stem(word) == intent.noun for word in inside)),
        _nearest(before, intent.said),
        _nearest(after, intent.said),
        min(1.0, sum(intent.said.get(word, 0.0) for word in everything) / 3),
        _nearest(before, dict.fromkeys(intent.words, 1.0)),
        len(everything & intent.words) / max(1, len(intent.words)),
    ]


def _of_place(intent: Intent, passage: Segmented, candidate: Candidate) -> list[float]:
    words, phrase = passage.words, candidate.phrase
    sentence = passage.sentences[phrase.sentence]
    lead = words[phrase.first - 1].low if phrase.first > sentence.first else ""
    follows = words[phrase.last].text if phrase.last < sentence.last else ""
    listed = (
        lead in ("-", "\u2022", "") and follows in ("(", ",", "\u2013", "-") and phrase.shape is Shape.NAME
    )
    opens = phrase.first == sentence.first or (phrase.first == sentence.first + 1 and lead in ("the", "-"))
    relations = {relation.name for relation, _ in intent.relations}
    return [
        float(listed),
        float(opens),
        float(phrase.shape is Shape.LOWER and bool(relations & DESCRIBED)),
        float(phrase.shape is Shape.OFFICE and "position" in relations),
        float(lead == "the"),
    ]


def _of_lead(passage: Segmented, candidate: Candidate) -> list[float]:
    phrase, inside = candidate.phrase, candidate.value.split()
    first = passage.sentences[phrase.sentence].first
    lead = passage.words[phrase.first - 1].low if phrase.first > first else ""
    return [
        float(lead == "of"),
        float(any(word[0].isdigit() for word in inside)),
        float(len(inside) == 1),
    ]


def leading_words(passage: Segmented, phrase: Phrase) -> tuple[str, bool]:
    """(the word before a phrase, articles and the like passed over, whether "the" was passed); ("", ...) at
    the begin of a sentence.
    """
    first, at = passage.sentences[phrase.sentence].first, phrase.first - 1
    article = False
    while at > first and passage.words[at].low in _PASSED:
        article |= passage.words[at].low == "the"
        at -= 1
    return passage.words[at].low if at >= first else "", article


def leads_of(tellings: Sequence[tuple[str, bool]]) -> Leads:
    """What the words that lead to the tellings of one value say of it; people have no article."""
    count = max(1, len(tellings))
    where = sum(_is_where(word) or article for word, article in tellings)
    who = sum(_is_who(word) and not article for word, article in tellings)
    return Leads(where / count, who / count)


def _fit(intent: Intent, kinds: Mapping[str, float], leads: Leads) -> float:
    """How far a value is of the kind asked for: by its own words, else by the words that lead to it."""
    fit = max((intent.kinds.get(kind, 0.0) * share for kind, share in kinds.items()), default=0.0)
    if any(share > TYPED_MIN for share in kinds.values()):
        return fit
    bodies = max((intent.kinds.get(kind, 0.0) for kind in _BODIES), default=0.0)
    by_lead = max(bodies * leads.where, intent.kinds.get(PERSON, 0.0) * leads.who)
    return max(fit, BY_LEAD * min(1.0, 2 * by_lead))


def _is_where(word: str) -> bool:
    return word in _LEADS


def _is_who(word: str) -> bool:
    return word in _PERSONS or word in offices()


def _of_leading_word(passage: Segmented, candidate: Candidate) -> list[float]:
    """Whether the word before the phrase leads to where one is, to a person, or to an opponent."""
    low, _ = leading_words(passage, candidate.phrase)
    return [float(_is_where(low)), float(_is_who(low)), float(low in _OPPOSED)]


def _is_heading(passage: Segmented, candidate: Candidate) -> bool:
    sentence = passage.sentences[candidate.phrase.sentence]
    return sentence.last - sentence.first <= LONG and passage.words[sentence.last - 1].text not in ".!?"


def _after_cue(intent: Intent, passage: Segmented, candidate: Candidate) -> bool:
    before, _, _ = _around(passage, candidate)
    return bool(before) and before[0] in intent.said


def _nearest(stems: Sequence[str], cues: Mapping[str, float]) -> float:
    """How near the nearest cue is, in [0, 1]."""
    return max((cues.get(word, 0.0) * 0.8**place for place, word in enumerate(stems)), default=0.0)
