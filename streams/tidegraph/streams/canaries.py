"""Canary facts: what an operator knows to hold, looked for again and again.

A fact that is wrongly retired is seldom missed by anybody. A few facts that are known to stay (the founder
of the company, the country of its seat) are looked up at intervals; one that is no longer believed is a
signal that something retires what it should not.
"""

from __future__ import annotations

import asyncio
import logging
import tomllib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tidegraph.domain.asof import ALL_KNOWN
from tidegraph.domain.errors import NotFound, Rejected
from tidegraph.domain.facts import FactVersion
from tidegraph.domain.interval import MICROS_PER_DAY, OPEN_START, Interval, instant
from tidegraph.domain.naming import normalise
from tidegraph.ports import Clock, FactFilter, GraphReader, Visibility
from tidegraph.telemetry import metrics

logger = logging.getLogger(__name__)

CANARIES_MAX: Final = 1_000
INTERVAL_SECONDS: Final = 60.0
_FACTS_MAX: Final = 1_000
_FIELDS: Final = frozenset({"graph", "subject", "predicate", "object", "valid_at"})


@dataclass(frozen=True, slots=True)
class Canary:
    """A fact that must be believed: names as documents write them, "" for any.

    ``valid_at`` is a day (its first instant, microseconds), OPEN_START for the present.
    """

    graph: str
    subject: str
    predicate: str
    object: str
    valid_at: int = OPEN_START

    def __str__(self) -> str:
        words = (self.subject, self.predicate or "(any predicate)", self.object or "(anything)")
        return f"{self.graph}: {' '.join(words)}"


def load_canaries(path: str, default_graph: str) -> tuple[Canary, ...]:
    """The canaries of a TOML file: tables ``[[canary]]`` with the fields of :class:`Canary`.

    Raises:
        Rejected: INVALID_CANARIES, the file cannot be read or holds what is no canary.
    """
    try:
        rows = tomllib.loads(Path(path).read_text(encoding="utf-8")).get("canary", [])
        if not isinstance(rows, list) or not 1 <= len(rows) <= CANARIES_MAX:
            raise ValueError(f"a file has 1 to {CANARIES_MAX} tables [[canary]]")
        return tuple(_canary(row, default_graph) for row in rows)
    except (OSError, ValueError) as error:
        raise Rejected("INVALID_CANARIES", f"{path}: {error}", name="TIDEGRAPH_CANARIES_FILE") from error


def _canary(row: dict[str, Any], default_graph: str) -> Canary:
    if unknown := sorted(row.keys() - _FIELDS):
        raise ValueError(f"a canary has no field {unknown[0]!r}")
    fields = {name: row.get(name, "") for name in ("graph", "subject", "predicate", "object")}
    if not all(isinstance(value, str) for value in fields.values()) or not fields["subject"]:
        raise ValueError("a canary names at least its subject, as text")
    day = row.get("valid_at")
    if day is None:
        return Canary(**(fields | {"graph": fields["graph"] or default_graph}))
    try:
        at = instant(day.year, day.month, day.day)
    except AttributeError:
        raise ValueError("valid_at is a date, written without quotes: 2024-06-01") from None
    return Canary(**(fields | {"graph": fields["graph"] or default_graph}), valid_at=at)


async def violated(reader: GraphReader, canaries: Sequence[Canary], now: int) -> list[Canary]:
    """The canaries whose fact is not believed.

    Args:
        now: the present, microseconds; for canaries without a day.
    """
    return [canary for canary in canaries if not await _holds(reader, canary, now)]


async def _holds(reader: GraphReader, canary: Canary, now: int) -> bool:
    wanted = normalise(canary.subject)
    try:
        named = await reader.entities_by_name(canary.graph, [wanted])
        subjects = tuple(sorted({entity.entity_id for entity in named.get(wanted, [])}))
        if not subjects:
            return False
        at = Interval(now, now + 1)
        if canary.valid_at != OPEN_START:
            at = Interval(canary.valid_at, canary.valid_at + MICROS_PER_DAY)
        which = FactFilter(
            subject_ids=subjects,
            predicates=(canary.predicate,) if canary.predicate else (),
            valid=at,
            limit=_FACTS_MAX,
        )
        facts = await reader.facts(canary.graph, which, Visibility(ALL_KNOWN, None))
        return await _has_object(reader, canary, facts)
    except NotFound:
        return False


async def _has_object(reader: GraphReader, canary: Canary, facts: Sequence[FactVersion]) -> bool:
    if not canary.object:
        return bool(facts)
    wanted = normalise(canary.object)
    named = (await reader.entities_by_name(canary.graph, [wanted])).get(wanted, [])
    ids = {entity.entity_id for entity in named}
    return any(
        fact.object in ids
        if fact.object_is_entity
        else fact.object.casefold().strip() == canary.object.casefold().strip()
        for fact in facts
    )


@dataclass(frozen=True, slots=True)
class CanaryWatch:
    """Looks the canaries up at intervals and reports how many are violated."""

    reader: GraphReader
    canaries: tuple[Canary, ...]
    clock: Clock

    async def run(self) -> None:
        """Look, for ever."""
        told: set[Canary] = set()
        while True:
            try:
                told = await self.look(told)
            except Exception as error:
                logger.warning("the canaries could not be looked up: %s", error)
            await asyncio.sleep(INTERVAL_SECONDS)

    async def look(self, told: set[Canary]) -> set[Canary]:
        """One round: the violated ones; those that were not told before are logged."""
        now = self.clock.now()
        gone = await violated(self.reader, self.canaries, now)
        counts = Counter(canary.graph for canary in gone)
        for graph in {canary.graph for canary in self.canaries}:
            metrics.CANARIES_VIOLATED.labels(graph).set(counts[graph])
        metrics.CANARIES_CHECKED.set(now / 1_000_000)
        for canary in gone:
            if canary not in told:
                logger.error("a fact that should hold is not believed: %s", canary)
        return set(gone)
