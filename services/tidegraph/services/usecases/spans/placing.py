"""When a phrase of a passage holds: the time expression it goes with, or the time of the telling. Pure."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from tidegraph.domain.documents import ExpressionKind, TimeExpression
from tidegraph.domain.interval import MICROS_PER_DAY, OPEN_END, OPEN_START
from tidegraph.services.usecases.spans.lists import listed
from tidegraph.services.usecases.spans.phrases import Phrase
from tidegraph.services.usecases.spans.segments import Segmented, Sentence

_SPLITTING: Final = frozenset(";:")
_JOINING: Final = frozenset(["and", "but", "then", "before", "after", "while", "where", "when"])
_PREPOSED: Final = frozenset(["in", "on", "from", "since", "by", "during", "until", "after", "before", "at"])
_ONWARD: Final = frozenset(["when", "then", "before", "after", "whereupon"])
_LEAVING: Final = listed("leaving")
_LEAVING_FROM: Final = listed("leaving_from")
_MOVING: Final = listed("moving")
_DEGREES: Final = listed("degrees")
_UNTIL: Final = frozenset(["until", "till"])
_UNTIL_REACH: Final = 3
_BETWEEN: Final = listed("before_description") | {"club", "team", "side", "university", "company", "party"}
_LEFT_REACH: Final = 4
_MOVED_REACH: Final = 12
_RANGES: Final = frozenset((ExpressionKind.RANGE, ExpressionKind.OPEN_RANGE))
_LONGEST_DAYS: Final = 40_000
_LIFE_DAYS: Final = 6_000
_SPANNING: Final = frozenset(("from", "between", "since", "during"))
_BIRTH: Final = frozenset(("born", "b", "n\u00e9e", "birth"))


class Source(IntEnum):
    """How sure a place in time is, best first."""

    BESIDE = 0
    CLAUSE = 1
    SENTENCE = 2
    TOLD = 3
    NONE = 4


@dataclass(frozen=True, slots=True)
class Placed:
    """A place in time (microseconds). ``bounded``: the end is told, not just that of a date's own unit.

    ``width`` is the length of the time expression. ``order`` places the phrase in the telling.
    """

    start: int
    end: int
    bounded: bool
    source: Source
    order: int

    @property
    def at(self) -> int:
        """Where it stands among others: its start, or just before its end where only that is told."""
        return self.end - 1 if self.start == OPEN_START and self.end < OPEN_END else self.start


@dataclass(frozen=True, slots=True)
class _Time:
    first: int
    last: int
    sentence: int
    start: int
    end: int
    bounded: bool


def placed(
    passage: Segmented, found: Sequence[Phrase], expressions: Sequence[TimeExpression]
) -> list[Placed]:
    """The place in time of each phrase, in the same order.

    Args:
        expressions: those of the passage, offsets in its text.
    """
    times = _times(passage, expressions)
    by_sentence: dict[int, list[_Time]] = {}
    for time in times:
        by_sentence.setdefault(time.sentence, []).append(time)
    told = _told(passage, by_sentence)
    return [_place(passage, phrase, by_sentence.get(phrase.sentence, []), told) for phrase in found]


def _times(passage: Segmented, expressions: Sequence[TimeExpression]) -> list[_Time]:
    starts = [word.start for word in passage.words]
    sentences = [sentence.first for sentence in passage.sentences]
    found: list[_Time] = []
    for each in expressions:
        interval = each.interval
        if interval is None or each.kind in (ExpressionKind.RECURRING, ExpressionKind.DURATION):
            continue
        width = (interval.end - interval.start) / MICROS_PER_DAY
        if not (interval.has_open_start or interval.has_open_end) and width > _LONGEST_DAYS:
            continue
        first = max(0, bisect_right(starts, each.start_char) - 1)
        if _is_of_life(passage, first, each):
            continue
        last = bisect_right(starts, max(each.start_char, each.end_char - 1))
        bounded = each.kind in _RANGES and not interval.has_open_end
        found.append(
            _Time(first, last, bisect_right(sentences, first) - 1, interval.start, interval.end, bounded)
        )
    return found


def _is_of_life(passage: Segmented, first: int, each: TimeExpression) -> bool:
    """Whether a date is that of a birth, or of a life: "( 17 February 1877 - 3 February 1960 )"."""
    before = {word.low for word in passage.words[max(0, first - 3) : first]}
    if before & _BIRTH:
        return True
    interval = each.interval
    if interval is None or "(" not in before or each.kind is not ExpressionKind.RANGE:
        return False
    if each.text.split()[0].casefold() in _SPANNING:
        return False  # "( editor from 1940 to 1960 )": lives are told without
    days = (interval.end - interval.start) // MICROS_PER_DAY
    return days > _LIFE_DAYS and bool(re.search(r"[^\W\d]", each.text))


def _told(passage: Segmented, times: dict[int, list[_Time]]) -> list[tuple[int, int] | None]:
    """For each sentence the last time told before it, within its block or the one before."""
    found: list[tuple[int, int] | None] = []
    carried: tuple[int, int] | None = None
    for index in range(len(passage.sentences)):
        found.append(carried)
        own = [t for t in times.get(index, []) if t.start > OPEN_START]
        if own:
            last = max(own, key=lambda t: t.start)
            carried = (last.start, last.end)
    return found


def _place(
    passage: Segmented, phrase: Phrase, times: Sequence[_Time], told: Sequence[tuple[int, int] | None]
) -> Placed:
    if not times:
        carried = told[phrase.sentence]
        if carried is None:
            return Placed(OPEN_START, OPEN_END, False, Source.NONE, phrase.first)
        return Placed(carried[0], carried[1], False, Source.TOLD, phrase.first)
    beside = _beside(passage, phrase, times)
    if beside is not None:
        inner = passage.words[phrase.last : beside.first]
        ended = not beside.bounded and any(word.low in _DEGREES for word in inner)
        start = OPEN_START if ended else beside.start
        return Placed(start, beside.end, beside.bounded, Source.BESIDE, phrase.first)
    best = min(times, key=lambda time: (_distance(passage, phrase, time), time.first))
    near = _distance(passage, phrase, best) < 60
    source = Source.CLAUSE if near else Source.SENTENCE
    ends = _is_left(passage, phrase) or _is_graduated(passage, phrase) or _is_until(passage, best)
    if near and best.start > OPEN_START and not best.bounded and ends:
        return Placed(OPEN_START, best.end, False, source, phrase.first)
    if near and best.bounded and best.last <= phrase.first:
        between = passage.words[best.last : phrase.first]
        if any(word.low in _ONWARD for word in between):
            return Placed(best.end - 1, best.end, False, source, phrase.first)
    return Placed(best.start, best.end, best.bounded, source, phrase.first)


def _is_left(passage: Segmented, phrase: Phrase) -> bool:
    """Whether a time goes with the end of what the phrase names: "left A in 2003", "moved from A to B"."""
    first = passage.sentences[phrase.sentence].first
    at = phrase.first - 1
    while at >= first and phrase.first - at <= _LEFT_REACH and passage.words[at].low in _BETWEEN:
        at -= 1
    if at < first:
        return False
    low = passage.words[at].low
    if low in _LEAVING:
        return True
    if low not in ("from", "by", "at") or at == first:
        return False
    if passage.words[at - 1].low in _LEAVING_FROM:
        return True
    back = passage.words[max(first, at - _MOVED_REACH) : at]
    return low == "from" and any(word.low in _MOVING for word in back)


def _is_graduated(passage: Segmented, phrase: Phrase) -> bool:
    """Whether a time goes with the end of schooling: "graduated from A in 1960", "a degree at A"."""
    first = passage.sentences[phrase.sentence].first
    at = phrase.first - 1
    while at >= first and phrase.first - at <= _LEFT_REACH and passage.words[at].low in _BETWEEN:
        at -= 1
    if at <= first or passage.words[at].low not in ("from", "at"):
        return False
    return any(word.low in _DEGREES for word in passage.words[max(first, at - _MOVED_REACH) : at])


def _is_until(passage: Segmented, time: _Time) -> bool:
    """Whether a time is told as an end: "until his 1964 retirement"."""
    back = passage.words[max(0, time.first - _UNTIL_REACH) : time.first]
    return any(word.low in _UNTIL for word in back)


def _beside(passage: Segmented, phrase: Phrase, times: Sequence[_Time]) -> _Time | None:
    """A time that follows at once, in brackets or after a comma: "A ( 1919-1939 )", "B , 1985-1990"."""
    words = passage.words
    for time in times:
        gap = time.first - phrase.last
        if 0 <= gap <= 6 and gap > 0 and words[phrase.last].text in "(,:-\u2013":
            inner = words[phrase.last : time.first]
            if words[phrase.last].text == "(" and ")" not in [word.text for word in inner]:
                return time
            if gap <= 2:
                return time
        if 0 <= gap <= 8 and words[phrase.last].text == "(":
            closed = [i for i, word in enumerate(words[phrase.last : time.first]) if word.text == ")"]
            if closed and gap - closed[0] <= 4:
                return time
    return None


def _distance(passage: Segmented, phrase: Phrase, time: _Time) -> float:
    """How far a time stands from a phrase: words between, more for each turn of the sentence."""
    words = passage.words
    if time.first >= phrase.last:
        between, ahead = words[phrase.last : time.first], True
    elif time.last <= phrase.first:
        between, ahead = words[time.last : phrase.first], False
    else:
        return 0.0
    cost = float(len(between))
    for word in between:
        if word.text in _SPLITTING:
            cost += 40
        elif word.text in ("-", "\u2022"):
            cost += 60
        elif word.low in _JOINING:
            cost += 10
        elif word.text == "," and ahead:
            cost += 4
    if ahead and time.first > 0:
        lead = words[time.first - 1]
        opens = time.first - 2 >= 0 and (
            words[time.first - 2].text in ",;" or words[time.first - 2].low == "and"
        )
        if lead.low in _PREPOSED and opens and _goes_on(words, time, passage.sentences[time.sentence]):
            cost += 25
    return cost


def _goes_on(words: Sequence[object], time: _Time, sentence: Sentence) -> bool:
    """Whether a clause follows the time rather than the end of the sentence."""
    return sentence.last - time.last > 3
