"""What the stages say about a document on the ``status`` topic."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from tidegraph.domain.documents import Position


class Stage(StrEnum):
    """The stages, in the order of the flow."""

    GROUND = "ground"
    EXTRACT = "extract"
    RESOLVE = "resolve"
    WRITE = "write"
    TRACK = "track"


class Outcome(StrEnum):
    """How a document ends; exactly one of them, once."""

    NONE = ""
    COMMITTED = "committed"
    DEAD_LETTER = "dead_letter"
    RETRACTED = "retracted"


READ_TO: Final = "read_to"
"""Stage of a line that says how far a partition of ``documents`` or ``control`` was read: ``recorded_at`` is
the stamp up to which nothing unread remains. It names no document."""
HELD: Final = "held"
"""Stage of a line about a record that a decision sends through the stages once more: without an outcome
nothing from ``recorded_at`` on is final, with one it is let go. It names no document."""


@dataclass(frozen=True, slots=True)
class StatusRecord:
    """One line for one step of a document. Instants are microseconds.

    ``part`` counts from 1 to ``parts``; 0 speaks of the whole document. ``outcome`` is "" while the
    document is under way. In a READ_TO line ``parts`` is the number of partitions of the topic.
    """

    position: Position
    graph: str
    document_id: str
    revision: str
    stage: str
    outcome: str
    cause: str
    recorded_at: int
    updated_at: int
    part: int
    parts: int
