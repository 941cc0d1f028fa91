"""Rolls: lists of the holders of a post under a heading ("Managers", "List of presidents of the society")."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tidegraph.domain.documents import EndpointBasis, ExpressionKind, Status, TimeExpression, ValidTime, Verb
from tidegraph.domain.interval import MICROS_PER_DAY, OPEN_END, Granularity
from tidegraph.language.assertions import Builder
from tidegraph.language.claims import FULL, Claim, Side
from tidegraph.language.grains import end_grain, start_grain
from tidegraph.language.matching import fits
from tidegraph.language.passages import Passage
from tidegraph.language.registers import About
from tidegraph.language.times import sentence_times
from tidegraph.language.tree import Sentence, Token
from tidegraph.language.words import mapping, words

_HEADS: Final = words("roles", "heads") - {"member"}
_TIES: Final = mapping("roles", "ties")
_CAPACITIES: Final = frozenset({"interim", "acting", "caretaker", "joint", "deputy", "honorary"})
_INTRODUCTION: Final = words("tables", "roll_openers")
_WORD: Final = re.compile(r"[^\W\d_][\w'’-]*")
_STILL: Final = re.compile(
    r"\s*(?:[-–—]|to|until)\s*(?:present|date|now|today|incumbent|\)|$)", re.IGNORECASE
)
_LIFE: Final = re.compile(r"\b(?:born|died|b\.|d\.|b \.|d \.)", re.IGNORECASE)
_LONGEST_TERM: Final = 40 * 366 * MICROS_PER_DAY
_MAX_HEADING_WORDS: Final = 14
_MAX_TERMS: Final = 4


@dataclass(frozen=True, slots=True)
class Post:
    """What a heading says that the items below it are: the post, and where, if it says so."""

    role: str
    tie: str
    place: str


def post_in(text: str, *, title: bool = False) -> Post | None:
    """The post that a heading in the plural names, or a title such as "Secretary to the Treasury"."""
    found = list(_WORD.finditer(text))
    if len(found) > _MAX_HEADING_WORDS:
        return None
    lowered = [m.group().lower() for m in found]
    for k, word in enumerate(lowered):
        single = _singular(word)
        following = lowered[k + 1] if k + 1 < len(lowered) else ""
        if single not in _HEADS | set(_TIES) or (following and following not in {"of", "to", "for", "at"}):
            continue
        if title and not _is_title_of_post(lowered, following, found[k].group(), single):
            continue
        if not title and single == word:
            continue
        before = [w for w in lowered[:k] if w not in _INTRODUCTION and w not in {"of", "the", "and", "in"}]
        place = text[found[k + 1].end() :].strip(" :.") if following else ""
        place = place.removeprefix("the ").strip()
        place = place if any(c.isupper() for c in place[:1]) else ""
        return Post(" ".join([*before, single]), _TIES.get(single, ""), place)
    return None


def _is_title_of_post(lowered: Sequence[str], following: str, written: str, single: str) -> bool:
    """ "List of mayors of Leeds", "Permanent Secretary to the Treasury"; not "Jane Bishop"."""
    if single != written.lower():
        return lowered[0] in _INTRODUCTION
    return bool(following) and written[0].isupper()


def _singular(word: str) -> str:
    if word in _HEADS or word in _TIES:
        return word
    for ending, single in (("ies", "y"), ("men", "man"), ("es", ""), ("s", "")):
        if word.endswith(ending) and (stem := word[: -len(ending)] + single) in _HEADS | set(_TIES):
            return stem
    return word


def read_roll(passage: Passage, builder: Builder, about: About, event_id: str) -> None:
    """The holder and the terms that one item of a roll tells; nothing where no post stands above it."""
    above = [passage.lead, *reversed(passage.headings[-2:])]
    post = next((p for text in above if text and (p := post_in(text))), None)
    post = post or post_in(passage.title, title=True)
    if post is None or len(passage.sentences) != 1:
        return
    sentence = passage.sentences[0]
    holder = _holder(sentence)
    if holder is None or _LIFE.search(passage.unit.text):
        return
    place = about.named(post.place, builder) if post.place else about
    acting = [t.lower for t in sentence.tokens if t.lower in _CAPACITIES and t.name is None][:1]
    for term in _terms(sentence, builder):
        claim = (
            Claim(Side(holder), post.tie, place.side(), (), Verb.STATE, None, "roll.tie", FULL)
            if post.tie
            else Claim(
                Side(holder),
                "holds_role",
                place.side(),
                (("role", " ".join([*acting, post.role])),),
                Verb.STATE,
                None,
                "roll.holder",
                FULL,
            )
        )
        builder.put(claim, Status.ASSERTED, term, event_id, (sentence.start, sentence.end))


def _holder(sentence: Sentence) -> Token | None:
    """The name that the item begins with, after a date; None for a sentence with a verb."""
    if any(t.tag in {"VBD", "VBZ", "VBP", "MD"} and t.name is None for t in sentence.tokens):
        return None
    for token in sentence.tokens:
        if token.name is not None:
            return token if fits(token, "individual") else None
        if token.time is None and token.text[:1].isalpha() and token.lower not in {"from", "since"}:
            return None
    return None


def _terms(sentence: Sentence, builder: Builder) -> list[ValidTime]:
    terms = []
    ranged = {ExpressionKind.RANGE, ExpressionKind.OPEN_RANGE}
    times = [t for t in sentence_times(sentence) if t.interval is not None]
    times = [t for t in times if t.kind in ranged] or times[:1]
    for time in times[:_MAX_TERMS]:
        span = time.interval
        assert span is not None
        if span.has_open_start or (not span.has_open_end and span.end - span.start > _LONGEST_TERM):
            continue
        terms.append(_term(time, builder))
    return terms


def _term(time: TimeExpression, builder: Builder) -> ValidTime:
    span = time.interval
    assert span is not None
    after = builder.document.text[time.end_char - builder.base :][:24]
    stated, none = EndpointBasis.STATED, EndpointBasis.NONE
    if span.has_open_end or (time.kind is not ExpressionKind.RANGE and _STILL.match(after)):
        return ValidTime(span.start, OPEN_END, start_grain(time), Granularity.UNKNOWN, stated, none)
    if time.kind is ExpressionKind.RANGE:
        return ValidTime(span.start, span.end, start_grain(time), end_grain(time), stated, stated)
    seen = EndpointBasis.OBSERVED
    return ValidTime(span.start, span.end, span.granularity, span.granularity, seen, seen)
