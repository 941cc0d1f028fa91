"""Reciprocal rank fusion with an additive boost for exact point-in-time matches."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

RRF_CONSTANT: Final = 60


@dataclass(frozen=True, slots=True)
class Fused:
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
    ranks: dict[str, dict[str, int]] = defaultdict(dict)
    for name in sorted(legs):
        for rank, item in enumerate(legs[name], start=1):
            ranks[item].setdefault(name, rank)
    given = boosts or {}
    fused = [
        Fused(
            item,
            sum(1.0 / (constant + rank) for rank in found.values()) + given.get(item, 0.0),
            tuple(found.items()),
        )
        for item, found in ranks.items()
    ]
    return sorted(fused, key=lambda one: (-one.score, one.id))
