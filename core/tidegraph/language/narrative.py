"""Time that a story carries on: sentences without a date that follow a dated one.

The stack of anchors of DyG-RAG section 3.3 (temporal parsing), kept by section: what is told in the past
tense between two dates of a section happened between them; after the last date it is told of that year.
A claim may be bounded so; an event is dated only by a frame that is narrow. Nothing is carried over a
heading, into the present tense, or into what lay before ("had been").
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from tidegraph.domain.documents import DocumentTime, ExpressionKind, TimeExpression
from tidegraph.domain.interval import (
    MICROS_PER_DAY,
    Granularity,
    Interval,
    civil_from_days,
    days_from_civil,
)
from tidegraph.language.blocks import BlockKind
from tidegraph.language.passages import Passage
from tidegraph.language.tenses import verb_above
from tidegraph.language.times import Frame, sentence_times
from tidegraph.language.tree import Sentence, Token

NARRATIVE: Final = "narrative."
"""How the rule of a time begins that the story gives."""
_REACH: Final = 8
"""How many sentences a date reaches."""
_NEAR: Final = 3
"""How many sentences a date reaches for what is claimed as a fact."""
_WIDEST: Final = 6 * 366 * MICROS_PER_DAY
"""Dates further apart do not bracket what stands between them."""
_WIDEST_SURE: Final = 31 * MICROS_PER_DAY
"""A wider frame dates no event: what the text does not tell to a month may as well lie outside of it."""
_WIDEST_OPENING: Final = 3 * 366 * MICROS_PER_DAY
_PAST_ENOUGH: Final = 366 * MICROS_PER_DAY
_LOOKS_BACK: Final = frozenset(
    {
        "early",
        "earlier",
        "first",
        "previously",
        "originally",
        "once",
        "formerly",
        "initially",
        "already",
        "never",
    }
)
"""Words by which a story leaves its place ("Early in his career", "They had first met")."""
_COARSE: Final = frozenset({Granularity.UNKNOWN, Granularity.DECADE, Granularity.CENTURY})


@dataclass(frozen=True, slots=True)
class _Anchor:
    place: int
    paragraph: int
    interval: Interval
    rule: str
    birth: bool = False


def frames(passages: Sequence[Passage], written: DocumentTime | None) -> dict[int, Frame]:
    """The frame of each undated sentence of the past, by ``id`` of the sentence. Linear in the text.

    In a document with a time of its own only dates of more than a year before it carry on: what is told
    without a date right after yesterday's news is news too.
    """
    found: dict[int, Frame] = {}
    earlier: _Anchor | None = None
    for section in _sections(passages):
        told = [
            (number, sentence)
            for number, passage in enumerate(section)
            if passage.block.kind is BlockKind.PARAGRAPH and passage.carried is None
            for sentence in passage.sentences
        ]
        earlier = _frame_section(told, written, found, earlier)
    return found


def _sections(passages: Sequence[Passage]) -> list[list[Passage]]:
    sections: list[list[Passage]] = [[]]
    for before, passage in pairwise([None, *passages]):
        assert passage is not None
        if before is not None and before.headings != passage.headings:
            sections.append([])
        sections[-1].append(passage)
    return sections


def _frame_section(
    told: Sequence[tuple[int, Sentence]],
    written: DocumentTime | None,
    found: dict[int, Frame],
    earlier: _Anchor | None,
) -> _Anchor | None:
    """Frame the sentences of a section; the last date of the section before it may open its first frame."""
    before: _Anchor | None = None
    waiting: list[tuple[int, int, Sentence]] = []
    for place, (paragraph, sentence) in enumerate(told):
        anchor = _anchor(place, paragraph, sentence)
        if anchor is not None:
            for at, own, undated in waiting:
                if undated.root.lemma == "be":
                    # What somebody was is no step of a story.
                    continue
                frame = _between(before, anchor, at, own) if before else _opening(earlier, anchor)
                if frame is not None:
                    found[id(undated)] = frame
            waiting = []
            before = earlier = anchor if _is_past(anchor, written) else None
        elif place - (before.place if before else 0) <= _REACH and tells_past(sentence):
            waiting.append((place, paragraph, sentence))
    if before is not None:
        for at, own, undated in waiting:
            frame = _between(before, None, at, own)
            if frame.near and at == before.place + 1 and not before.birth and undated.root.lemma != "be":
                # After its last date a story may go anywhere; only its next step is of the same time.
                found[id(undated)] = frame
    return before


def _opening(earlier: _Anchor | None, after: _Anchor) -> Frame | None:
    """The frame of what a section tells before its first date: no story goes back far at a heading."""
    if earlier is None or not 0 < after.interval.start - earlier.interval.start <= _WIDEST_OPENING:
        return None
    end = max(earlier.interval.end, after.interval.end)
    return Frame(Interval(earlier.interval.start, end), f"{NARRATIVE}between:{earlier.rule}", False, False)


def _between(before: _Anchor, after: _Anchor | None, place: int, paragraph: int) -> Frame:
    near = place - before.place <= _NEAR and paragraph == before.paragraph
    start = before.interval.start
    if after is not None and start < after.interval.start <= start + _WIDEST:
        end = max(before.interval.end, after.interval.end)
        sure = end - start <= _WIDEST_SURE
        return Frame(Interval(start, end), f"{NARRATIVE}between:{before.rule}", near, sure)
    end = max(before.interval.end, _end_of_year(start))
    return Frame(Interval(start, end), f"{NARRATIVE}after:{before.rule}", near, False)


def _end_of_year(instant: int) -> int:
    year, _, _ = civil_from_days(instant // MICROS_PER_DAY)
    return days_from_civil(year + 1, 1, 1) * MICROS_PER_DAY


def _is_past(anchor: _Anchor, written: DocumentTime | None) -> bool:
    return written is None or anchor.interval.end <= written.instant - _PAST_ENOUGH


def _anchor(place: int, paragraph: int, sentence: Sentence) -> _Anchor | None:
    """The last date of a sentence that dates what it tells; the story goes on from there."""
    times = [t for t in sentence_times(sentence) if _carries(t) and not _is_background(sentence, t)]
    if not times:
        return None
    last = times[-1]
    assert last.interval is not None
    birth = any(t.lower == "born" for t in sentence.tokens)
    return _Anchor(place, paragraph, last.interval, last.rule_id, birth)


def _carries(time: TimeExpression) -> bool:
    interval = time.interval
    if interval is None or time.kind in {ExpressionKind.DURATION, ExpressionKind.RECURRING}:
        return False
    if interval.has_open_start or interval.has_open_end or interval.granularity in _COARSE:
        return False
    return interval.end - interval.start <= _WIDEST


def _is_background(sentence: Sentence, time: TimeExpression) -> bool:
    """In brackets, or under a clause that only tells who somebody is."""
    for k, token in enumerate(sentence.tokens):
        if token.time is time:
            if k and sentence.tokens[k - 1].text == "(":
                return True
            governor = verb_above(token)
            return governor is not None and governor.dep == "relcl" and _is_perfect(governor)
    return False


def _is_perfect(verb: Token) -> bool:
    return any(c.lower == "had" and c.dep == "aux" for c in verb.children)


def tells_past(sentence: Sentence) -> bool:
    """Whether the main verb is in the simple past."""
    if any(t.time is not None and t.time.interval is None for t in sentence.tokens):
        return False
    root = sentence.root
    if root.pos not in {"VERB", "AUX"} or any(c.lower in _LOOKS_BACK for c in root.children):
        return False
    auxiliaries = [c for c in root.children if c.dep in {"aux", "auxpass"}]
    if any(c.lower in {"had", "has", "have", "will", "may", "can"} for c in auxiliaries):
        return False
    if any(c.tag == "VBD" or c.lower == "would" for c in auxiliaries):
        return True
    return root.tag == "VBD"
