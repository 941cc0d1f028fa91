"""Fits of linear scores: lists of which the right rows are to have the largest share, and yes or no."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Slope = Callable[[Floats], tuple[float, Floats, Floats]]
ROUNDS = 60
SMALL = 1e-4
HALVINGS = 12


def listwise(
    rows: Sequence[Floats], right: Sequence[NDArray[np.integer]], prior: Floats, penalty: float
) -> Floats:
    """Weights that give the right rows of each list the largest share of its exponential scores.

    Args:
        right: for each row 0, or the number of the group that it belongs to. Every group of a list is to
            have an equal share, by whichever of its rows.
        prior: the weights to which the fit is drawn, the more the larger ``penalty`` is.
    """
    if not rows:
        return prior
    everything, good = np.concatenate(rows), np.concatenate(right).astype(float) > 0
    scale = everything.std(axis=0) + 1e-3
    everything, prior = everything / scale, prior * scale
    lengths = [len(each) for each in rows]
    starts, owner = np.cumsum([0, *lengths[:-1]]), np.repeat(np.arange(len(rows)), lengths)
    offsets = np.cumsum([0, *(int(each.max()) + 1 for each in right[:-1])])
    group = np.concatenate(right).astype(np.int64) + np.repeat(offsets, lengths)
    groups = np.array([int(each.max()) for each in right])[owner]
    first = np.unique(group[good], return_index=True)[1]
    of_group = 1.0 / groups[good][first]

    def slope(weights: Floats) -> tuple[float, Floats, Floats]:
        scores = everything @ weights
        shares = np.exp(scores - np.maximum.reduceat(scores, starts)[owner])
        expected = shares / np.add.reduceat(shares, starts)[owner]
        held = np.bincount(group, expected * good)
        wanted = expected * good / (held[group] + 1e-12) / groups
        loss = -float((np.log(held[group[good][first]] + 1e-12) * of_group).sum()) / len(rows)
        means = np.add.reduceat(everything * expected[:, None], starts)
        bend = (everything.T @ (everything * expected[:, None]) - means.T @ means) / len(rows)
        away = weights - prior
        return (
            loss + 0.5 * penalty * float(away @ away),
            everything.T @ (expected - wanted) / len(rows) + penalty * away,
            bend + penalty * np.eye(len(prior)),
        )

    return np.asarray(_descended(slope, prior) / scale)


def logistic(rows: Floats, right: Floats, penalty: float) -> tuple[Floats, float]:
    """(weights, bias) of the chance that a row is right."""
    scale = rows.std(axis=0) + 1e-3
    wide = np.hstack([rows / scale, np.ones((len(rows), 1))])
    drawn = np.full(wide.shape[1], penalty)
    drawn[-1] = 0.0

    def slope(weights: Floats) -> tuple[float, Floats, Floats]:
        scores = wide @ weights
        chance = 1.0 / (1.0 + np.exp(-scores))
        loss = float(np.mean(np.logaddexp(0.0, scores) - right * scores))
        return (
            loss + 0.5 * float(drawn @ weights**2),
            wide.T @ (chance - right) / len(right) + drawn * weights,
            (wide * (chance * (1.0 - chance))[:, None]).T @ wide / len(right) + np.diag(drawn + 1e-9),
        )

    weights = _descended(slope, np.zeros(wide.shape[1]))
    return weights[:-1] / scale, float(weights[-1])


def _descended(slope: Slope, start: Floats) -> Floats:
    """The minimum by Newton's steps, each halved until the loss falls."""
    weights = start.copy()
    loss, down, bend = slope(weights)
    for _ in range(ROUNDS):
        step = np.linalg.solve(bend, down)
        for _ in range(HALVINGS):
            ahead = slope(weights - step)
            if ahead[0] < loss:
                break
            step = step / 2
        else:
            break
        weights = weights - step
        loss, down, bend = ahead
        if float(np.abs(step).max()) < SMALL:
            break
    return weights
