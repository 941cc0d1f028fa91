"""What speaks for a phrase as the answer to a question, in numbers. Pure.

First come the features of what is said (:func:`said`), which do not look at time; then those of when it
holds (:func:`timed`), which need to know which phrases are likely values of what is asked.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tidegraph.domain.interval import MICROS_PER_DAY, OPEN_END, OPEN_START, Interval
from tidegraph.services.usecases.spans.intent import Intent
from tidegraph.services.usecases.spans.phrases import Phrase, Shape
from tidegraph.services.usecases.spans.placing import Placed, Source
from tidegraph.services.usecases.spans.segments import Segmented
from tidegraph.services.usecases.words import stem

YEAR: Final = 365.25 * MICROS_PER_DAY
TYPED_MIN: Final = 0.5
WIDE_YEARS: Final = 20
LONG: Final = 6
REACH_BEFORE: Final = 8
REACH_AFTER: Final = 6
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
)


@dataclass(frozen=True, slots=True)
class About:
    """What surrounds a candidate: its sentence, its kinds, its passage and document (in [0, 1] of the best),
    the title, whether a fact says it, how often it stands there, the heading, its nearness to what is asked.
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


def said(intent: Intent, passage: Segmented, candidate: Candidate, about: About) -> list[float]:
    """The features of SAID, in their order."""
    fit = max((intent.kinds.get(kind, 0.0) * share for kind, share in about.kinds.items()), default=0.0)
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
    """Stems before the phrase (nearest first), after it, and of its whole sentence."""
    words, phrase = passage.words, candidate.phrase
    sentence = passage.sentences[phrase.sentence]
    before = words[max(sentence.first, phrase.first - REACH_BEFORE) : phrase.first]
    after = words[phrase.last : min(sentence.last, phrase.last + REACH_AFTER)]
    return (
        [stem(word.low) for word in reversed(before) if not word.is_mark],
        [stem(word.low) for word in after if not word.is_mark],
        {stem(word.low) for word in words[sentence.first : sentence.last] if not word.is_mark},
    )


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


def _is_heading(passage: Segmented, candidate: Candidate) -> bool:
    sentence = passage.sentences[candidate.phrase.sentence]
    return sentence.last - sentence.first <= LONG and passage.words[sentence.last - 1].text not in ".!?"


def _after_cue(intent: Intent, passage: Segmented, candidate: Candidate) -> bool:
    before, _, _ = _around(passage, candidate)
    return bool(before) and before[0] in intent.said


def _nearest(stems: Sequence[str], cues: Mapping[str, float]) -> float:
    """How near the nearest cue is, in [0, 1]."""
    return max((cues.get(word, 0.0) * 0.8**place for place, word in enumerate(stems)), default=0.0)


TIMED: Final = (
    "likely",
    "meets",
    "starts_inside",
    "holds_bounded",
    "open_before",
    "next_before",
    "gap_before",
    "gap_after",
    "latest",
    "turns",
    "dated",
    "beside",
    "sentence",
    "told",
    "undated_last",
    "covers",
    "next_close",
    "ends_open",
    "first_of_all",
    "after_first",
    "width",
    "until_gap",
)


@dataclass(frozen=True, slots=True)
class Turn:
    """A likely value with its start, for the chain of values; ``order`` is its place in the telling."""

    start: int
    value: str
    weight: float
    order: int


def timed(likely: float, place: Placed, value: str, asked: Interval, turns: Sequence[Turn]) -> list[float]:
    """The features of TIMED, in their order.

    Args:
        likely: the log-probability of being a value of what is asked, at any time.
        asked: the window that is asked for.
        turns: the likely values of the document in order of their starts.
    """
    when = _Against(place, value, asked, turns)
    dated, start, low, high = when.dated, place.start, when.low, when.high
    limit, following = when.limit, when.following
    held_to = limit if place.bounded else min(limit, following)
    meets = dated and start < high and held_to > low
    latest = dated and start < high and start >= max((t.start for t in turns if t.start < high), default=high)
    known = start > OPEN_START
    return [
        likely,
        float(meets),
        float(dated and known and asked.start <= start < asked.end),
        float(dated and place.bounded and start <= low and limit >= high),
        float(dated and not place.bounded and start < high and limit > low),
        float(dated and following <= low and not place.bounded),
        math.log1p(when.years_before),
        math.log1p(when.years_after),
        float(latest),
        math.log1p(when.turns_between),
        float(dated),
        float(place.source is Source.BESIDE),
        float(place.source is Source.SENTENCE),
        float(place.source is Source.TOLD),
        float(not dated and asked.end >= OPEN_END),
        float(dated and known and start < high and place.end > low),
        float(meets and low <= following < OPEN_END),
        float(asked.end >= OPEN_END and latest),
        float(asked.start <= OPEN_START and bool(turns) and dated and start <= turns[0].start),
        float(when.years_after > 0),
        float(dated and place.end - start > WIDE_YEARS * YEAR),
        math.log1p(when.years_until),
    ]


class _Against:
    """A place in time held against the asked window and the chain of values."""

    def __init__(self, place: Placed, value: str, asked: Interval, turns: Sequence[Turn]) -> None:
        start = place.start
        self.dated = start > OPEN_START or place.end < OPEN_END
        self.limit = place.end if place.bounded or start == OPEN_START else OPEN_END
        self.low = asked.start if asked.start > OPEN_START else asked.end - 1
        self.high = asked.end if asked.end < OPEN_END else asked.start + 1
        mine = (start, place.order)
        later = (turn.start for turn in turns if (turn.start, turn.order) > mine and turn.value != value)
        self.following = next(later, OPEN_END)
        between = {t.value for t in turns if mine < (t.start, t.order) and t.start < self.low}
        self.turns_between = len(between - {value})
        known = self.dated and start > OPEN_START
        over = place.bounded and self.limit > self.low
        ended = self.limit if place.bounded else start
        self.years_before = (self.low - ended) / YEAR if known and start < self.low and not over else 0.0
        only_end = self.dated and start == OPEN_START and place.end < OPEN_END
        self.years_until = max(0.0, (place.end - self.high) / YEAR) if only_end else 0.0
        self.years_after = (start - self.high) / YEAR if self.dated and start >= self.high else 0.0


CHAINED: Final = (
    "likely",
    "side",
    "next",
    "second",
    "third",
    "far",
    "gap",
    "told",
    "beside",
    "same_start",
    "undated",
)


def chained(
    likely: float, place: Placed, value: str, anchor: Placed, turns: Sequence[Turn], *, after: bool
) -> list[float]:
    """How a value stands to another that the question names: next to it in the chain of values, or far."""
    mine, its = (place.start, place.order), (anchor.start, anchor.order)
    side = mine > its if after else mine < its
    low, high = min(mine, its), max(mine, its)
    between = {turn.value for turn in turns if low < (turn.start, turn.order) < high} - {value}
    steps = len(between)
    gap = (
        abs(place.start - anchor.start) / YEAR
        if place.start > OPEN_START and anchor.start > OPEN_START
        else 0.0
    )
    return [
        likely,
        float(side),
        float(side and steps == 0),
        float(side and steps == 1),
        float(side and steps == 2),
        float(side and steps > 2),
        math.log1p(gap),
        float(place.source is Source.TOLD),
        float(place.source is Source.BESIDE),
        float(place.start == anchor.start),
        float(place.source is Source.NONE),
    ]


SURE: Final = (
    "share",
    "margin",
    "said",
    "type",
    "cosine",
    "meets",
    "gap_before",
    "gap_after",
    "covers",
    "turns",
    "named",
    "beside",
    "dated",
    "agrees",
    "ends_open",
    "cue",
)


def sure(
    share: float, second: float, likely: float, first: Sequence[float], then: Sequence[float], *, agrees: bool
) -> list[float]:
    """What speaks for the best candidate being right. ``first``, ``then``: its rows of SAID and TIMED."""
    told = dict(zip(SAID, first, strict=True))
    time = dict(zip(TIMED, then, strict=True))
    return [
        share,
        share - second,
        likely,
        told["type"],
        told["cosine"],
        time["meets"],
        time["gap_before"],
        time["gap_after"],
        time["covers"],
        time["turns"],
        told["named"],
        time["beside"],
        time["dated"],
        float(agrees),
        time["ends_open"],
        max(told["cue_before"], told["cue_after"]),
    ]
