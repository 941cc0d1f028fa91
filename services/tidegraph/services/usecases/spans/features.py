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


def said(
    intent: Intent,
    passage: Segmented,
    candidate: Candidate,
    statement: Statement,
    kinds: Mapping[str, float],
    weights: tuple[float, float],
    title: frozenset[str],
    facts: frozenset[str],
    count: int,
    heading: frozenset[str],
    alike: float,
) -> list[float]:
    """The features of SAID, in their order."""
    phrase, words = candidate.phrase, passage.words
    sentence = passage.sentences[phrase.sentence]
    inside = candidate.value.split()
    inner = set(inside)
    fit = max((intent.kinds.get(kind, 0.0) * share for kind, share in kinds.items()), default=0.0)
    typed = any(share > 0.5 for share in kinds.values())
    before = words[max(sentence.first, phrase.first - 8) : phrase.first]
    after = words[phrase.last : min(sentence.last, phrase.last + 6)]
    stems_before = [stem(word.low) for word in before if not word.is_mark]
    stems_after = [stem(word.low) for word in after if not word.is_mark]
    everything = {stem(word.low) for word in words[sentence.first : sentence.last] if not word.is_mark}
    cue_before = _nearest(stems_before[::-1], intent.said)
    cue_after = _nearest(stems_after, intent.said)
    asked = dict.fromkeys(intent.words, 1.0)
    lead = words[phrase.first - 1].low if phrase.first > sentence.first else ""
    follows = words[phrase.last].text if phrase.last < sentence.last else ""
    shape = max((intent.shape.get(word, 0.0) for word in inside), default=0.0)
    wants_lower = any(r.name in ("kind", "position", "award", "league") for r, _ in intent.relations)
    wants_office = any(r.name == "position" for r, _ in intent.relations)
    share = len(inner & intent.whole) / max(1, len(inner))
    in_list = (
        lead in ("-", "\u2022", "") and follows in ("(", ",", "\u2013", "-") and phrase.shape is Shape.NAME
    )
    return [
        float(phrase.shape is Shape.JOINED),
        float(phrase.shape is Shape.OFFICE),
        float(phrase.shape is Shape.LOWER),
        float(phrase.shape is Shape.LISTED),
        float(phrase.shape is Shape.HEAD),
        math.log1p(len(inside)),
        float(len(inside) > 6),
        fit,
        float(typed and not fit),
        float(not typed),
        shape,
        float(bool(intent.noun) and any(stem(word) == intent.noun for word in inside)),
        cue_before,
        cue_after,
        min(1.0, sum(intent.said.get(word, 0.0) for word in everything) / 3),
        _nearest(stems_before[::-1], asked),
        len(everything & intent.words) / max(1, len(intent.words)),
        statement.cosine,
        statement.whole,
        statement.rank,
        float(statement.named),
        weights[0],
        weights[1],
        len(inner & title) / max(1, len(inner)),
        share,
        float(in_list),
        float(
            phrase.first == sentence.first or (phrase.first == sentence.first + 1 and lead in ("the", "-"))
        ),
        float(phrase.shape is Shape.LOWER and wants_lower),
        float(phrase.shape is Shape.OFFICE and wants_office),
        float(lead == "the"),
        float(candidate.value in facts),
        math.log1p(count),
        float(lead == "of"),
        float(any(word[0].isdigit() for word in inside)),
        float(len(inside) == 1),
        float(candidate.place.source is Source.BESIDE),
        float(candidate.place.source in (Source.NONE, Source.TOLD)),
        len(heading & intent.words) / max(1, len(intent.words)),
        max((intent.said.get(word, 0.0) for word in heading), default=0.0),
        float(sentence.last - sentence.first <= 6 and words[sentence.last - 1].text not in ".!?"),
        alike,
        fit * float(candidate.place.source is Source.BESIDE),
        float(bool(stems_before) and stems_before[-1] in intent.said),
    ]


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
)


@dataclass(frozen=True, slots=True)
class Turn:
    """A likely value with its start, for the chain of values."""

    start: int
    value: str
    weight: float


def timed(
    likely: float, place: Placed, value: str, asked: Interval, turns: Sequence[Turn], best: float
) -> list[float]:
    """The features of TIMED, in their order.

    Args:
        likely: the log-probability of being a value of what is asked, at any time.
        asked: the window that is asked for.
        turns: the likely values of the document in order of their starts.
    """
    dated = place.start > OPEN_START or place.end < OPEN_END
    start = place.start
    limit = place.end if place.bounded or place.start == OPEN_START else OPEN_END
    follower = next(
        (turn for turn in turns if turn.start > max(start, OPEN_START) and turn.value != value), None
    )
    following = follower.start if follower else OPEN_END
    low = asked.start if asked.start > OPEN_START else asked.end - 1
    high = asked.end if asked.end < OPEN_END else asked.start + 1
    held_to = min(limit, following) if not place.bounded else limit
    meets = dated and start < high and held_to > low
    inside = dated and asked.start <= start < asked.end and start > OPEN_START
    bounded = dated and place.bounded and start <= low and limit >= high
    open_before = dated and not place.bounded and start < high and limit > low
    earlier = [turn for turn in turns if start < turn.start < low and turn.value != value]
    gap_before = (
        max(0.0, (low - min(limit, max(start, OPEN_START))) / YEAR)
        if dated and start > OPEN_START and start < low
        else 0.0
    )
    if place.bounded and limit > low:
        gap_before = 0.0
    gap_after = max(0.0, (start - high) / YEAR) if dated and start >= high else 0.0
    starts = [turn.start for turn in turns if turn.start < high]
    latest = dated and bool(starts) and start >= max(starts) and start < high
    unit = place.end - place.start
    covers = dated and start < high and place.end > low and place.start > OPEN_START
    return [
        likely,
        float(meets),
        float(inside),
        float(bounded),
        float(open_before),
        float(dated and following <= low and not place.bounded),
        math.log1p(gap_before),
        math.log1p(gap_after) if gap_after else 0.0,
        float(latest),
        math.log1p(len({turn.value for turn in earlier})),
        float(dated),
        float(place.source is Source.BESIDE),
        float(place.source is Source.SENTENCE),
        float(place.source is Source.TOLD),
        float(not dated and asked.end >= OPEN_END),
        float(covers),
        float(dated and meets and following < OPEN_END and following >= low),
        float(asked.end >= OPEN_END and latest),
        float(asked.start <= OPEN_START and bool(turns) and start <= turns[0].start and dated),
        float(gap_after > 0),
        float(dated and unit > 20 * YEAR),
    ]


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
    between = {turn.value for turn in turns if min(mine[0], its[0]) < turn.start < max(mine[0], its[0])} - {
        value
    }
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
