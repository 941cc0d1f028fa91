"""From candidates to the best value: likely values, their chain in time, and the one that is asked. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import exp, log
from typing import Final

import numpy as np

from tidegraph.domain.interval import OPEN_START, Interval
from tidegraph.services.usecases.spans.features import Candidate, Turn, chained, sure, timed
from tidegraph.services.usecases.spans.model import Model

TOP: Final = 80
LIKELY_SHARE: Final = 0.2
"""A value is a turn of the chain when it has at least this share of the likeliest value's."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A candidate with its share of what speaks for any, and the place of its rows."""

    candidate: Candidate
    share: float
    index: int


@dataclass(frozen=True, slots=True)
class Decision:
    """Values best first, the chain of likely values, and the probability that the first is right."""

    choices: tuple[Choice, ...]
    turns: tuple[Turn, ...]
    confidence: float


def turns_of(candidates: Sequence[Candidate], likely: Sequence[float]) -> tuple[Turn, ...]:
    """The likely values in order of their starts."""
    least = max(likely) + log(LIKELY_SHARE)
    found: dict[tuple[str, int], float] = {}
    for candidate, score in zip(candidates, likely, strict=True):
        if score >= least and candidate.place.start > OPEN_START:
            key = (candidate.value, candidate.place.start)
            found[key] = max(found.get(key, score), score)
    turns = (Turn(start, value, weight) for (value, start), weight in found.items())
    return tuple(sorted(turns, key=lambda turn: (turn.start, turn.value)))


def decide(
    model: Model,
    candidates: Sequence[Candidate],
    rows: Sequence[Sequence[float]],
    asked: Interval,
    facts: frozenset[str] = frozenset(),
    *,
    chain: bool = True,
) -> Decision | None:
    """The values that answer under an asked window; None when there is no candidate.

    ``chain``: whether a value ends when a later one takes its place.
    """
    if not candidates:
        return None
    likely = model.log_shares(np.asarray(rows, dtype=float), model.said)
    best = _best(likely)
    turns = turns_of(candidates, likely.tolist()) if chain else ()
    then = [timed(float(likely[i]), candidates[i].place, candidates[i].value, asked, turns) for i in best]
    choices, places = _choices(candidates, best, model.log_shares(np.asarray(then), model.timed))
    second = choices[1].share if len(choices) > 1 else 0.0
    first = choices[0]
    row = sure(
        first.share,
        second,
        float(likely[first.index]),
        rows[first.index],
        then[places[first.index]],
        agrees=first.candidate.value in facts,
    )
    return Decision(choices, turns, model.confidence(row))


def likeliest(
    model: Model, candidates: Sequence[Candidate], rows: Sequence[Sequence[float]]
) -> Decision | None:
    """The likeliest values, whatever their time."""
    if not candidates:
        return None
    likely = model.log_shares(np.asarray(rows, dtype=float), model.said)
    choices, _ = _choices(candidates, _best(likely), likely[_best(likely)])
    return Decision(choices, (), 1.0)


def decide_beside(
    model: Model,
    candidates: Sequence[Candidate],
    rows: Sequence[Sequence[float]],
    anchors: Sequence[int],
    *,
    after: bool,
) -> Decision | None:
    """The value next after, or last before, the one that the question names.

    Args:
        anchors: places of the candidates that stand for the named value.
    """
    likely = model.log_shares(np.asarray(rows, dtype=float), model.said)
    if not anchors:
        return None
    turns = turns_of(candidates, likely.tolist())
    anchor = max(anchors, key=lambda i: (candidates[i].place.start > OPEN_START, float(likely[i])))
    named = set(anchors)
    best = [i for i in _best(likely) if i not in named]
    if not best:
        return None
    own = {candidates[i].value for i in anchors}
    chain = tuple(turn for turn in turns if turn.value not in own)
    then = [
        chained(
            float(likely[i]),
            candidates[i].place,
            candidates[i].value,
            candidates[anchor].place,
            chain,
            after=after,
        )
        for i in best
    ]
    choices, _ = _choices(candidates, best, model.log_shares(np.asarray(then), model.chained))
    return Decision(choices, turns, choices[0].share)


def _best(likely: np.ndarray) -> list[int]:
    """Places of the likeliest candidates; ties by place."""
    return sorted(range(len(likely)), key=lambda i: (-float(likely[i]), i))[:TOP]


def _choices(
    candidates: Sequence[Candidate], best: Sequence[int], scores: np.ndarray
) -> tuple[tuple[Choice, ...], dict[int, int]]:
    """One choice a value, its shares added up; and the place of each candidate among the best."""
    shares: dict[str, float] = {}
    leading: dict[str, tuple[float, int]] = {}
    for index, score in zip(best, scores.tolist(), strict=True):
        value, share = candidates[index].value, exp(score)
        shares[value] = shares.get(value, 0.0) + share
        if value not in leading or share > leading[value][0]:
            leading[value] = (share, index)
    ordered = sorted(shares, key=lambda value: (-round(shares[value], 9), leading[value][1]))
    choices = tuple(
        Choice(candidates[leading[value][1]], shares[value], leading[value][1]) for value in ordered
    )
    return choices, {index: place for place, index in enumerate(best)}
