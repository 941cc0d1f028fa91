"""What is resolved and what comes out: profiles, links, decisions, scores, clusters.

A profile is one unit to cluster: one mention, or many mentions under one id. Everything here is data
without behaviour that depends on order: tuples of names and slots are kept sorted by those who build them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from tidegraph.domain.documents import EntityType
from tidegraph.domain.interval import Interval

POINT: Final = "point"
"""The slot of a place on earth: "latitude,longitude" in degrees."""


@dataclass(frozen=True, slots=True)
class Profile:
    """One unit to cluster.

    ``names`` are as written, the best first. ``slots`` are facts that can agree or conflict (``born``,
    ``country``, ``city`` ...: see ``evidence``), values in compared form. ``context`` are folded words and
    co-mentions around. ``documents`` are those that the mentions were written in; "" never stands among
    them. ``active`` hulls the document times (microseconds, UTC), ``None`` when no time is known.
    """

    entity_id: str
    names: tuple[str, ...]
    type: EntityType
    slots: Mapping[str, tuple[str, ...]]
    context: tuple[str, ...]
    documents: frozenset[str]
    active: Interval | None


class LinkKind(IntEnum):
    """What a statement says of two names."""

    ALIAS = 1
    """Both name one thing at the same time."""
    RENAMED = 2
    """The former name was given up for the later one."""
    MERGED = 3
    """The former thing went into the later one: two things, never joined by the statement."""


@dataclass(frozen=True, slots=True, order=True)
class Link:
    """A statement that ties two names: "formerly X", "renamed to Y in 2012", a record of a change.

    ``at`` is the instant (microseconds, UTC) from which the later name holds, ``None`` when unknown.
    ``subject`` is the id of the profile that carries the statement, "" when it is not a mention of either:
    the link then holds for names alone. ``document`` is its evidence.
    """

    kind: LinkKind
    type: EntityType
    former: str
    later: str
    at: int | None
    subject: str
    document: str


class DecisionKind(IntEnum):
    """What an operator or a judge decided about two ids."""

    MUST_LINK = 1
    CANNOT_LINK = 2


@dataclass(frozen=True, slots=True, order=True)
class Decision:
    """A decision that overrides every score. ``by`` and ``why`` are kept as reasons.

    Of two decisions about the same pair the one with the later ``at`` (recorded time, microseconds)
    holds; at equal times CANNOT_LINK does. What a rule says stands at OPEN_START: whatever was decided by
    somebody comes before it.
    """

    kind: DecisionKind
    a: str
    b: str
    at: int
    by: str
    why: str


class Verdict(IntEnum):
    """What a score amounts to."""

    REJECT = 0
    ABSTAIN = 1
    ACCEPT = 2


@dataclass(frozen=True, slots=True)
class Reason:
    """One piece of a score: what was seen and what it added to the log-odds."""

    feature: str
    weight: float


@dataclass(frozen=True, slots=True)
class Score:
    """How sure it is that two profiles are one: natural log-odds, a verdict, reasons by weight."""

    log_odds: float
    decision: Verdict
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True, order=True)
class Candidate:
    """Somebody whom an undecided profile may be, with the mean log-odds towards them."""

    entity_id: str
    log_odds: float


@dataclass(frozen=True, slots=True)
class Clusters:
    """Groups of ids that are one entity, and the ids that stay undecided with their candidates.

    ``groups`` partition all ids, each sorted, ordered by their first id; an undecided profile is a group
    of its own. Candidates are named by the first id of their group, the likeliest first.
    """

    groups: tuple[tuple[str, ...], ...]
    abstained: Mapping[str, tuple[Candidate, ...]]
