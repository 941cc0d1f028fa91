"""When a phrase holds, held against the asked time and the chain of values, in numbers. Pure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tidegraph.domain.interval import MICROS_PER_DAY, OPEN_END, OPEN_START, Interval
from tidegraph.services.usecases.spans.features import SAID
from tidegraph.services.usecases.spans.placing import Placed, Source

YEAR: Final = 365.25 * MICROS_PER_DAY
WIDE_YEARS: Final = 20

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
    "fact_then",
    "fact_off",
)


def told_span(place: Placed) -> Interval:
    """When a value holds as far as its text tells: without a told end it goes on."""
    if place.bounded or place.start == OPEN_START:
        return Interval(place.start, max(place.start, place.end))
    return Interval(place.start, OPEN_END)


def may_hold(place: Placed, asked: Interval) -> bool:
    """Whether what is told of a value does not say that it held before or after the asked time only."""
    span = told_span(place)
    return span.overlaps(asked) or span.is_empty


@dataclass(frozen=True, slots=True)
class Turn:
    """A likely value with its start, for the chain of values; ``order`` is its place in the telling,
    ``text`` the value as written.
    """

    start: int
    value: str
    weight: float
    order: int
    text: str


def timed(
    likely: float,
    place: Placed,
    value: str,
    asked: Interval,
    turns: Sequence[Turn],
    held: Sequence[Interval] = (),
) -> list[float]:
    """The features of TIMED, in their order.

    Args:
        held: when the believed facts with this value hold.
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
    spans = [span for span in held if not (span.has_open_start and span.has_open_end)]
    then = any(span.overlaps(Interval(when.low, max(when.high, when.low + 1))) for span in spans)
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
        float(then),
        float(bool(spans) and not then),
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
    "told_side",
    "told_next",
    "told_second",
)


def chained(
    likely: float,
    place: Placed,
    value: str,
    anchor: Placed,
    turns: Sequence[Turn],
    told: int | None,
    *,
    after: bool,
) -> list[float]:
    """How a value stands to another that the question names: next to it in the chain of values, or far.

    Args:
        told: how many likely values stand between both in the telling, on the asked side; None elsewhere.
    """
    mine, its = (place.at, place.order), (anchor.at, anchor.order)
    side = mine > its if after else mine < its
    low, high = min(mine, its), max(mine, its)
    between = {turn.value for turn in turns if low < (turn.start, turn.order) < high} - {value}
    steps = len(between)
    gap = abs(place.at - anchor.at) / YEAR if place.at > OPEN_START and anchor.at > OPEN_START else 0.0
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
        float(told is not None),
        float(told == 0),
        float(told == 1),
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


VACANT: Final = ("meets", "next_close", "covers", "best", "years", "ends_open", "told_off")


def vacant(best: float, then: Sequence[float], asked: Interval, *, told_off: bool) -> list[float]:
    """What tells that the texts do not say what is asked for.

    Args:
        best: the highest score of a candidate for being the value of then.
        then: the row of TIMED of the best value.
        told_off: whether what had the highest score held before or after the asked time only.
    """
    time = dict(zip(TIMED, then, strict=True))
    bounded = asked.start > OPEN_START and asked.end < OPEN_END
    years = (asked.end - asked.start) / YEAR if bounded else 0.0
    return [
        time["meets"],
        time["next_close"],
        time["covers"],
        best,
        math.log1p(years),
        float(asked.end >= OPEN_END),
        float(told_off),
    ]
