"""What a question compares or follows: two clauses, or one; each is read like a question."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tidegraph.services.usecases.question import Question, Relation


class Comparison(StrEnum):
    """How two things are compared in time."""

    EARLIER = "earlier"
    LATER = "later"
    OVERLAP = "overlap"


@dataclass(frozen=True, slots=True)
class Pair:
    """Two things compared. ``choice``: one of them is the answer, by the words of ``options``; else yes or
    no is.
    """

    comparison: Comparison
    choice: bool
    first: Question
    second: Question
    options: tuple[str, str]


@dataclass(frozen=True, slots=True)
class Chain:
    """What came before or after what a clause says. ``led``: what is linked to it comes first.

    ``until``: what came between the one and the other, all of it.
    """

    relation: Relation
    led: bool
    clause: Question
    until: Question | None = None
