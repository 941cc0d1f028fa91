"""The weights of the search for an answer, fitted on development questions (bench/fit_answers.py)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import resources
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tidegraph.services.usecases.spans.features import SAID
from tidegraph.services.usecases.spans.times import CHAINED, SURE, TIMED, VACANT

Rows = NDArray[np.float64]
FILE: Final = "answer_model.json"


@dataclass(frozen=True, slots=True)
class Model:
    """Linear scores of five feature lists; with their biases the last two are chances: that the best value is
    right, and that there is none. There is no answer where the second is ``silence`` times the first.
    """

    said: NDArray[np.float64]
    timed: NDArray[np.float64]
    chained: NDArray[np.float64]
    sure: NDArray[np.float64]
    bias: float
    vacant: NDArray[np.float64]
    vacant_bias: float
    silence: float

    def log_shares(self, rows: Rows, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Log of the share that each row has of the whole, by its exponential score."""
        scores = rows @ weights
        top = scores.max()
        return np.asarray(scores - top - np.log(np.exp(scores - top).sum()))

    def confidence(self, row: Sequence[float]) -> float:
        """The probability that the best value is right."""
        return _chance(row, self.sure, self.bias)

    def vacancy(self, row: Sequence[float]) -> float:
        """The probability that the texts hold no answer."""
        return _chance(row, self.vacant, self.vacant_bias)

    def is_silent(self, confidence: float, vacancy: float) -> bool:
        """Whether it is so much likelier that the texts hold no answer than that the best value is right."""
        return vacancy > self.silence * confidence


def _chance(row: Sequence[float], weights: NDArray[np.float64], bias: float) -> float:
    return float(1.0 / (1.0 + np.exp(-float(np.asarray(row) @ weights) - bias)))


@cache
def load_model() -> Model:
    """The weights that come with the service."""
    text = resources.files("tidegraph.services").joinpath("data", FILE).read_text(encoding="utf-8")
    return parse(json.loads(text))


def parse(data: Mapping[str, Any]) -> Model:
    """Weights by feature name; a name that is missing counts nothing."""
    return Model(
        said=_weights(data["said"], SAID),
        timed=_weights(data["timed"], TIMED),
        chained=_weights(data["chained"], CHAINED),
        sure=_weights(data["sure"], SURE),
        bias=float(data["bias"]),
        vacant=_weights(data["vacant"], VACANT),
        vacant_bias=float(data["vacant_bias"]),
        silence=float(data["silence"]),
    )


def _weights(table: Mapping[str, float], names: Sequence[str]) -> NDArray[np.float64]:
    return np.array([float(table.get(name, 0.0)) for name in names])
