"""From candidates to the best value: likely values, their chain in time, and the one that is asked. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tidegraph.domain.interval import OPEN_START, Interval
from tidegraph.language.words import words as words_of
from tidegraph.services.usecases.spans.features import Candidate
from tidegraph.services.usecases.spans.model import Model
from tidegraph.services.usecases.spans.placing import Placed
from tidegraph.services.usecases.spans.times import Turn, chained, may_hold, sure, timed, vacant

Rows = Sequence[Sequence[float]] | NDArray[np.float64]
Held = Mapping[str, tuple[Interval, ...]]
_NOTHING: Final[Held] = {}
_OFFICES: Final = words_of("roles", "heads")
TOP: Final = 80
LIKELY_SHARE: Final = 0.06
"""A value is a turn of the chain when it has at least this share of the likeliest value's."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A candidate with its share of what speaks for any, and the place of its rows."""

    candidate: Candidate
    share: float
    index: int


@dataclass(frozen=True, slots=True)
class Decision:
    """Values best first, the chain of likely values, and the probabilities that the first is right and that
    the texts hold no answer.
    """

    choices: tuple[Choice, ...]
    turns: tuple[Turn, ...]
    confidence: float
    vacancy: float = 0.0
    is_silent: bool = False
    """Whether no answer is better than the first value."""


def turns_of(candidates: Sequence[Candidate], likely: Sequence[float]) -> tuple[Turn, ...]:
    """The likely values in order of their starts and of the telling; of overlapping phrases the likeliest."""
    least = max(likely) + log(LIKELY_SHARE)
    found: list[Candidate] = []
    turns: list[Turn] = []
    for index in sorted(range(len(candidates)), key=lambda i: (-likely[i], i)):
        candidate = candidates[index]
        if likely[index] < least:
            break
        if candidate.place.start > OPEN_START and not any(candidate.overlaps(other) for other in found):
            found.append(candidate)
            place = candidate.place
            text = candidate.phrase.text
            turns.append(Turn(place.start, candidate.value, likely[index], place.order, text))
    return tuple(sorted(turns, key=lambda turn: (turn.start, turn.order, turn.value)))


def decide(
    model: Model,
    candidates: Sequence[Candidate],
    rows: Rows,
    asked: Interval,
    facts: Held = _NOTHING,
    *,
    chain: bool = True,
) -> Decision | None:
    """The values that answer under an asked window; None when there is no candidate.

    Values that are told to have held before or after it only are left out: no answer may rest on them.

    ``chain``: whether a value ends when a later one takes its place.
    """
    if not candidates:
        return None
    then = timed_rows(model, candidates, rows, asked, facts, chain=chain)
    choices, told_off = chosen(model, candidates, then, asked)
    confidence = model.confidence(sure_row(choices, then, rows[choices[0].index], facts))
    silent = vacant_row(model, choices[0], then, asked, told_off=told_off)
    vacancy = model.vacancy(silent)
    return Decision(choices, then.turns, confidence, vacancy, model.is_silent(confidence, vacancy))


@dataclass(frozen=True, slots=True)
class Then:
    """The likeliest candidates (their places), their second rows, and the chain."""

    likely: NDArray[np.float64]
    best: tuple[int, ...]
    rows: NDArray[np.float64]
    turns: tuple[Turn, ...]


def timed_rows(
    model: Model,
    candidates: Sequence[Candidate],
    rows: Rows,
    asked: Interval,
    facts: Held = _NOTHING,
    *,
    chain: bool = True,
) -> Then:
    """The rows of TIMED of the likeliest candidates."""
    likely = model.log_shares(np.asarray(rows, dtype=float), model.said)
    best = _best(likely)
    turns = turns_of(candidates, likely.tolist()) if chain else ()
    found = [
        timed(
            float(likely[i]),
            candidates[i].place,
            candidates[i].value,
            asked,
            turns,
            facts.get(candidates[i].value, ()),
        )
        for i in best
    ]
    return Then(likely, best, np.array(found), turns)


def chosen(
    model: Model, candidates: Sequence[Candidate], then: Then, asked: Interval
) -> tuple[tuple[Choice, ...], bool]:
    """(the values best first, whether the best of all is told to have held before or after the window only).

    Such values are left out where there is another.
    """
    choices = _choices(candidates, then.best, model.log_shares(then.rows, model.timed))
    kept = tuple(choice for choice in choices if may_hold(choice.candidate.place, asked))
    return kept or choices, kept[:1] != choices[:1]


def sure_row(choices: Sequence[Choice], then: Then, own: Sequence[float], facts: Held) -> list[float]:
    """The row of SURE of the best value. ``own``: its row of SAID."""
    first, second = choices[0], choices[1].share if len(choices) > 1 else 0.0
    agrees = first.candidate.value in facts
    likely = float(then.likely[first.index])
    return sure(first.share, second, likely, own, _row_of(first, then), agrees=agrees)


def vacant_row(model: Model, first: Choice, then: Then, asked: Interval, *, told_off: bool) -> list[float]:
    """The row of VACANT of a question. ``first``: the best value."""
    best = float((then.rows @ model.timed).max())
    return vacant(best, _row_of(first, then), asked, told_off=told_off)


def _row_of(choice: Choice, then: Then) -> list[float]:
    return [float(value) for value in then.rows[then.best.index(choice.index)]]


def likeliest(model: Model, candidates: Sequence[Candidate], rows: Rows) -> Decision | None:
    """The likeliest values, whatever their time."""
    if not candidates:
        return None
    likely = model.log_shares(np.asarray(rows, dtype=float), model.said)
    best = _best(likely)
    return Decision(_choices(candidates, best, likely[list(best)]), (), 1.0)


def decide_beside(
    model: Model,
    candidates: Sequence[Candidate],
    rows: Rows,
    anchors: Sequence[int],
    *,
    after: bool,
) -> Decision | None:
    """The value next after, or last before, the one that the question names.

    Args:
        anchors: places of the candidates that stand for the named value.
    """
    then = beside_rows(model, candidates, rows, anchors, after=after)
    if then is None:
        return None
    choices = _choices(candidates, then.best, model.log_shares(then.rows, model.chained))
    return Decision(choices, then.turns, choices[0].share)


def beside_rows(
    model: Model, candidates: Sequence[Candidate], rows: Rows, anchors: Sequence[int], *, after: bool
) -> Then | None:
    """The rows of CHAINED of the likeliest candidates but the named one; None without one of them."""
    if not anchors:
        return None
    likely = model.log_shares(np.asarray(rows, dtype=float), model.said)
    turns = turns_of(candidates, likely.tolist())
    anchor = max(anchors, key=lambda i: (candidates[i].place.start > OPEN_START, float(likely[i]), -i))
    own = {candidates[i].value for i in anchors}
    best = tuple(i for i in _best(likely) if candidates[i].value not in own)
    chain = tuple(turn for turn in turns if turn.value not in own)
    telling = _telling(candidates, likely, own)
    found = [
        chained(
            float(likely[i]),
            candidates[i].place,
            candidates[i].value,
            _nearest(candidates, i, anchors, anchor, after=after),
            chain,
            _between(candidates, i, anchors, telling, after=after),
            after=after,
        )
        for i in best
    ]
    return Then(likely, best, np.array(found), turns) if best else None


def _nearest(
    candidates: Sequence[Candidate], index: int, anchors: Sequence[int], likeliest: int, *, after: bool
) -> Placed:
    """The place of the named value that a candidate is held against: of those on the right side of it the
    nearest, else that of its likeliest telling.
    """
    mine = candidates[index].place
    places = [candidates[i].place for i in anchors]
    beside = [p for p in places if p.at > OPEN_START and (p.at < mine.at if after else mine.at < p.at)]
    return min(beside, key=lambda p: abs(p.at - mine.at), default=candidates[likeliest].place)


def _telling(candidates: Sequence[Candidate], likely: NDArray[np.float64], own: set[str]) -> list[Candidate]:
    """The likely values, dated or not; of overlapping phrases the likeliest."""
    least = float(likely.max()) + log(LIKELY_SHARE)
    found: list[Candidate] = []
    for index in _best(likely):
        candidate = candidates[index]
        if likely[index] < least or candidate.value in own:
            continue
        if not any(candidate.overlaps(other) for other in found):
            found.append(candidate)
    return found


def _between(
    candidates: Sequence[Candidate],
    index: int,
    anchors: Sequence[int],
    telling: Sequence[Candidate],
    *,
    after: bool,
) -> int | None:
    """How many likely values are told between a candidate and the nearest telling of the named one, which
    stands on the asked side of it; None where no such telling does.
    """
    one = candidates[index]
    counts: list[int] = []
    for place in anchors:
        other = candidates[place]
        if other.document != one.document or (one.sequence > other.sequence) is not after:
            continue
        low, high = min(one.sequence, other.sequence), max(one.sequence, other.sequence)
        inside = {t.value for t in telling if t.document == one.document and low < t.sequence < high}
        counts.append(len(inside - {one.value}))
    return min(counts, default=None)


def _completes(one: Candidate, two: Candidate) -> bool:
    """Whether a phrase is an office with what it is of, of which the other is the office alone:
    "Minister" and "Minister for Health".
    """
    own, other = one.phrase, two.phrase
    if one.passage != two.passage or own.first != other.first or own.last <= other.last:
        return False
    words, rest = other.text.casefold().split(), own.text.casefold().split()
    return words[-1] in _OFFICES and rest[len(words) : len(words) + 1] in (["of"], ["for"], ["to"])


def _best(likely: NDArray[np.float64]) -> tuple[int, ...]:
    """Places of the likeliest candidates; ties by place."""
    return tuple(sorted(range(len(likely)), key=lambda i: (-float(likely[i]), i))[:TOP])


def _choices(
    candidates: Sequence[Candidate], best: Sequence[int], scores: NDArray[np.float64]
) -> tuple[Choice, ...]:
    """One choice a value, its shares and those of phrases that overlap it added up."""
    shares: list[float] = []
    leading: list[int] = []
    for index, score in sorted(zip(best, scores.tolist(), strict=True), key=lambda row: (-row[1], row[0])):
        own = candidates[index]
        same = next((n for n, other in enumerate(leading) if own.is_like(candidates[other])), None)
        if same is None:
            shares.append(exp(score))
            leading.append(index)
            continue
        shares[same] += exp(score)
        if _completes(own, candidates[leading[same]]):
            leading[same] = index
    ordered = sorted(range(len(leading)), key=lambda n: (-round(shares[n], 9), leading[n]))
    return tuple(Choice(candidates[leading[n]], shares[n], leading[n]) for n in ordered)
