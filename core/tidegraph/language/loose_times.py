"""Times of a sentence that date nothing of what it tells: within a name or a title, of every year, of the
fate of a work, or counted from something that was told too far away to be meant for sure.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from tidegraph.domain.documents import EntityType, ExpressionKind, TimeExpression
from tidegraph.domain.interval import MICROS_PER_DAY
from tidegraph.language.telling_times import FINITE, bracket_before, place_of
from tidegraph.language.times import TimeContext
from tidegraph.language.tree import Sentence
from tidegraph.language.words import words

_IN_NAMES: Final = re.compile(
    r"\b(?:spring|summer|autumn|fall|winter|christmas|easter|weekend|week|sunday|today|tomorrow)\b",
    re.IGNORECASE,
)
COUNTED: Final = ("offset.", "same.", "relative.")
"""Rules of times that are counted from another ("three days later")."""
_THE_UNIT: Final = "relative.the-unit"
_AFTER: Final = frozenset({"open.after", "open.since"})
_NEAR_CHARS: Final = 200
"""As far as the sentence before reaches."""
_FAR_CHARS: Final = 600
_FATES: Final = words("standing", "fates")
_LAWS: Final = words("standing", "law_nouns")
_NAMING: Final = words("standing", "naming_verbs")
_COUNTS: Final = frozenset({"year", "date", "number"})
_YEAR: Final = 366 * MICROS_PER_DAY
_LIFE: Final = frozenset({"born", "b", "b.", "née", "died", "d", "d."})
_LONG: Final = 30 * 366 * MICROS_PER_DAY
"""A bracket with so many years behind a title or a second name holds a life."""
_LIFETIME: Final = 45 * 366 * MICROS_PER_DAY
_SHORTEST: Final = 8 * 366 * MICROS_PER_DAY
_MONTH: Final = 27 * MICROS_PER_DAY


def is_beside(time: TimeExpression, sentence: Sentence, context: TimeContext) -> bool:
    """Whether a time dates nothing of what its sentence tells."""
    return is_far(time, sentence, context) or any(
        told(time, sentence)
        for told in (_is_in_name, _recurs, _is_title, _is_of_fate, _is_of_law, _is_namesake)
    )


def is_far(time: TimeExpression, sentence: Sentence, context: TimeContext) -> bool:
    """Whether a time is counted from one that is not known for sure."""
    return _is_loosely_counted(time, context) or _hangs_afar(time, sentence) or _is_at_odds(time, sentence)


def _is_at_odds(time: TimeExpression, sentence: Sentence) -> bool:
    """ "On 16 May Roe was honoured for his service until 8 May 1945": a day that opens the sentence, and of a
    year told before that, where the other days of the sentence are of earlier years."""
    span = time.interval
    if span is None or not time.anchor.startswith("text:") or time.rule_id.startswith(COUNTED):
        return False
    others = {id(t.time): t.time for t in sentence.tokens if t.time is not None and t.time is not time}
    if not others or any(t.start_char < time.start_char for t in others.values()):
        return False
    full = [t.interval for t in others.values() if t.interval is not None and not t.anchor]
    return bool(full) and all(t.end <= span.start - _YEAR // 2 for t in full)


def _hangs_afar(time: TimeExpression, sentence: Sentence) -> bool:
    """ "three days later", "in May", counted from a time that was told long before: it may be another."""
    mark, _, start = time.anchor.partition(":")
    if mark != "text":
        return False
    if time.rule_id.startswith(COUNTED):
        # "More than two weeks later" says how soon at the earliest, not when.
        vague = time.interval is not None and time.interval.has_open_end
        return vague or sentence.start - int(start) > _NEAR_CHARS or _counts_from(sentence, time)
    return time.start_char - int(start) > _FAR_CHARS


def _is_loosely_counted(time: TimeExpression, context: TimeContext) -> bool:
    """ "Four days later", counted from a year: no day is known."""
    mark, _, start = time.anchor.partition(":")
    span = time.interval
    if mark != "text" or span is None or not time.rule_id.startswith(COUNTED):
        return False
    return span.end - span.start < _MONTH and int(start) in context.coarse


def _counts_from(sentence: Sentence, time: TimeExpression) -> bool:
    """ "After nine had come to the house, one left three days later": counted from what is told there."""
    before = sentence.tokens[: place_of(sentence, time)]
    return bool(before) and before[0].lower == "after" and any(t.pos in {"VERB", "AUX"} for t in before[1:-2])


def _recurs(time: TimeExpression, sentence: Sentence) -> bool:
    """ "is held in autumn": of every year, where the year is only that of another sentence."""
    verbs = [sentence.root, *(c for c in sentence.root.children if c.dep in {"aux", "auxpass"})]
    present = any(v.tag in {"VBZ", "VBP"} for v in verbs)
    return present and time.anchor.startswith("text:") and not time.rule_id.startswith(COUNTED)


def _is_title(time: TimeExpression, sentence: Sentence) -> bool:
    """ "The player of the year": a title that somebody gets, not when."""
    place = place_of(sentence, time)
    unit = time.rule_id == _THE_UNIT and time.text.lower().startswith("the ")
    return (
        unit
        and place > 1
        and sentence.tokens[place - 1].lower == "of"
        and sentence.tokens[place - 2].tag != "CD"
    )


def _is_in_name(time: TimeExpression, sentence: Sentence) -> bool:
    """ "the Wexham Christmas Open", "The Weekend Australian": a word for a time within a name."""
    if any(c.isdigit() for c in time.text) or not _IN_NAMES.search(time.text):
        return False
    place = place_of(sentence, time)
    around = [sentence.tokens[k] for k in (place - 1, place + 1) if 0 < k < len(sentence.tokens)]
    return any(t.text[:1].isupper() and t.time is None for t in around)


def _is_of_fate(time: TimeExpression, sentence: Sentence) -> bool:
    """ "( c. 1937, lost 1944 )": what became of a work."""
    place = place_of(sentence, time)
    if place == 0:
        return False
    before = sentence.tokens[place - 1]
    if time.text.lower().startswith("year ") and before.tag == "NN":
        return True
    if before.lower in _COUNTS and before.tag == "NN":
        # "contains the birth year 1924"
        return True
    return bracket_before(sentence, place) >= 0 and before.lower in _FATES


def _is_of_law(time: TimeExpression, sentence: Sentence) -> bool:
    """ "The Defence Act of 1968"."""
    place = place_of(sentence, time)
    if place < 2 or sentence.tokens[place - 1].lower != "of":
        return False
    noun = sentence.tokens[place - 2]
    return noun.text[:1].isupper() and noun.text.split()[-1].casefold() in _LAWS


def _is_namesake(time: TimeExpression, sentence: Sentence) -> bool:
    """ "Named after 15th century nobleman": a time that is none."""
    place = place_of(sentence, time)
    before = sentence.tokens[place - 1] if place else None
    return time.text.lower().startswith("after ") and before is not None and before.lemma in _NAMING


def are_apart(times: Sequence[TimeExpression]) -> bool:
    """ "2013, 2014 and 2018": times that do not follow one another."""
    spans = sorted((t.interval.start, t.interval.end) for t in times if t.interval is not None)
    return any(after[0] > before[1] for before, after in pairwise(spans))


def is_only_after(sentence: Sentence, time: TimeExpression) -> bool:
    """ "After 1945 Roe founded a party", "reached the first final since 2007": one day, not ever since."""
    return time.rule_id in _AFTER and sentence.root.tag == "VBD" and sentence.root.lemma != "be"


def is_life(sentence: Sentence, time: TimeExpression) -> bool:
    """ "Ada Poll (1910-1999) was a painter", "(born 1954)": the dates of a life, not of what is told."""
    opens = bracket_before(sentence, place_of(sentence, time))
    if opens < 1:
        return False
    inside = sentence.tokens[opens + 1 : place_of(sentence, time)]
    if any(t.lower in _LIFE for t in inside):
        return True
    name = sentence.tokens[opens - 1].name
    person = name is not None and name.type is EntityType.PERSON
    span = time.interval
    length = span.end - span.start if span is not None else 0
    closes = sentence.tokens[opens + 1].time is time
    if not any(t.tag in FINITE for t in sentence.tokens if t.name is None):
        # "- Ada Poll ( 1884–1943 ) , painter": no post is held so long.
        return time.kind is ExpressionKind.RANGE and closes and length > (_LONG if person else _LIFETIME)
    lived = (person and length > _SHORTEST) or (length > _LONG and closes)
    return time.kind is ExpressionKind.RANGE and lived
