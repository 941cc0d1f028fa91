"""The weights behind a score: fitted on labelled pairs, kept as data."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from tidegraph.domain.documents import EntityType


@dataclass(frozen=True, slots=True)
class Model:
    """Weights by type and feature, natural log-odds; thresholds of the three verdicts.

    A pair is accepted from ``accept`` on, rejected below ``reject``, in between the engine abstains.
    ``document`` is the floor inside one document, ``sure`` that of the first pass across documents. A
    mention that is less than ``margin`` nearer to one group than to another is left undecided.
    ``names_alone`` is taken off the score of two profiles of which nothing but the names agrees.
    """

    weights: Mapping[EntityType, Mapping[str, float]]
    accept: float
    reject: float
    document: float
    sure: float
    margin: float
    names_alone: float = 0.0


@cache
def fitted() -> Model:
    """The weights of the package."""
    text = files("tidegraph.resolution").joinpath("data", "weights.json").read_text("utf-8")
    return model_of(json.loads(text))


def model_of(table: Mapping[str, object]) -> Model:
    """A model out of the parsed form of ``weights.json``."""
    weights, thresholds = table["weights"], table["thresholds"]
    assert isinstance(weights, dict)
    assert isinstance(thresholds, dict)
    return Model(
        {EntityType[name.upper()]: dict(by_feature) for name, by_feature in weights.items()},
        float(thresholds["accept"]),
        float(thresholds["reject"]),
        float(thresholds["document"]),
        float(thresholds["sure"]),
        float(thresholds["margin"]),
    )
