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
from tidegraph.services.usecases.spans.times import CHAINED, SURE, TIMED

Rows = NDArray[np.float64]
FILE: Final = "answer_model.json"


@dataclass(frozen=True, slots=True)
class Model:
    """Linear scores of four feature lists; ``bias`` and ``least`` turn the last into a decision."""

    said: NDArray[np.float64]
    timed: NDArray[np.float64]
    chained: NDArray[np.float64]
    sure: NDArray[np.float64]
    bias: float
    least: float

    def log_shares(self, rows: Rows, weights: NDArray[np.float64]) -> NDArray[np.float64]:
        """Log of the share that each row has of the whole, by its exponential score."""
        scores = rows @ weights
        top = scores.max()
        return np.asarray(scores - top - np.log(np.exp(scores - top).sum()))

    def confidence(self, row: Sequence[float]) -> float:
        """The probability that the best candidate is right."""
        score = float(np.asarray(row) @ self.sure) + self.bias
        return float(1.0 / (1.0 + np.exp(-score)))


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
        least=float(data["least"]),
    )


def _weights(table: Mapping[str, float], names: Sequence[str]) -> NDArray[np.float64]:
    return np.array([float(table.get(name, 0.0)) for name in names])
