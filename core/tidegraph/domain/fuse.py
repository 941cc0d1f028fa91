"""Reciprocal rank fusion with an additive boost for exact point-in-time matches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

RRF_CONSTANT: Final = 60


class Fused(NamedTuple):
    """One item with its fused score and where each leg had it (rank from 1), legs by name."""

    id: str
    score: float
    ranks: tuple[tuple[str, int], ...]


def fuse(
    legs: Mapping[str, Sequence[str]],
    boosts: Mapping[str, float] | None = None,
    constant: int = RRF_CONSTANT,
) -> list[Fused]:
    """score(d) = sum over legs of 1 / (constant + rank of d) + boost of d; best first, ties by id.

    Args:
        legs: name of each leg to its ids, best first; of an id that a leg repeats the first place counts.
        boosts: additive boost of single ids; an id that no leg found is not brought in by a boost.
    """
    ranks: dict[str, list[tuple[str, int]]] = {}
    scores: dict[str, float] = {}
    shares = [1.0 / (constant + rank) for rank in range(1, 1 + max(map(len, legs.values()), default=0))]
    for name in sorted(legs):
        # Backwards, so that of an id that is repeated the first place stays.
        first = {item: rank for rank, item in reversed(list(enumerate(legs[name], start=1)))}
        for item, rank in first.items():
            ranks.setdefault(item, []).append((name, rank))
            scores[item] = scores.get(item, 0.0) + shares[rank - 1]
    given = boosts or {}
    fused = [Fused(item, scores[item] + given.get(item, 0.0), tuple(found)) for item, found in ranks.items()]
    return sorted(fused, key=lambda one: (-one.score, one.id))
