"""What was done to answer one question, for who asks how it was found. Times are in milliseconds."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class LegRun:
    """One leg of a search: what it found, what only the as-of kept out, how a vector leg went."""

    name: str
    candidates: int
    elapsed_ms: float
    pruned: int = 0
    path: str = ""


@dataclass(frozen=True, slots=True)
class SearchRun:
    """One retrieval: candidates that were ranked, by what, and the time of each step."""

    pool: int
    encoder: str
    reranking: str
    reranker: str
    time_weight: float
    graph_leg: str
    steps: tuple[tuple[str, float], ...]


@dataclass(frozen=True, slots=True)
class StageRun:
    """One way to the answer that was tried, and what came of it."""

    name: str
    outcome: str
    elapsed_ms: float


@dataclass
class Stage:
    """A stage under way; set its outcome."""

    outcome: str = "nothing"


class Noted(list[object]):
    """What a leg found; ``pruned`` and ``path`` as in ``LegRun``, where the leg can tell."""

    pruned: int = 0
    path: str = ""


@dataclass
class Trail:
    """Stages, legs and searches in the order in which they ended."""

    stages: list[StageRun] = field(default_factory=list)
    legs: list[LegRun] = field(default_factory=list)
    searches: list[SearchRun] = field(default_factory=list)
    _started: float = field(default_factory=time.perf_counter)

    @property
    def elapsed_ms(self) -> float:
        return (time.perf_counter() - self._started) * 1_000

    @contextmanager
    def stage(self, name: str) -> Iterator[Stage]:
        """Note a stage with its time; one that fails is not noted."""
        stage, started = Stage(), time.perf_counter()
        yield stage
        self.stages.append(StageRun(name, stage.outcome, (time.perf_counter() - started) * 1_000))

    @contextmanager
    def leg(self, name: str) -> Iterator[Noted]:
        """Note a leg: put what it found into the list."""
        found = Noted()
        started = time.perf_counter()
        yield found
        self.legs.append(LegRun(name, len(found), _ms(started), found.pruned, found.path))


def _ms(started: float) -> float:
    return (time.perf_counter() - started) * 1_000


class Timer:
    """Milliseconds of the steps, in order."""

    def __init__(self) -> None:
        self.steps: list[tuple[str, float]] = []
        self._at = time.perf_counter()

    def took(self, name: str) -> None:
        now = time.perf_counter()
        self.steps.append((name, (now - self._at) * 1_000))
        self._at = now
