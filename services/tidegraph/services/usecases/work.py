"""The state of answering one question: what was fetched, and the steps taken so far."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

from tidegraph.domain.facts import FactVersion
from tidegraph.domain.interval import Interval
from tidegraph.language.grounding import Offset
from tidegraph.ports import EntityRecord, EventRecord, FactFilter, Vector, Visibility
from tidegraph.services.usecases.context import Moment, Ports
from tidegraph.services.usecases.naming import named_at
from tidegraph.services.usecases.parts_used import ALL_USED, Part
from tidegraph.services.usecases.question import Question
from tidegraph.services.usecases.statuses import HIDDEN, NOT_CHOSEN, Chosen, of_events, shows_fact
from tidegraph.services.usecases.trail import Trail
from tidegraph.storage.merged import remembering

FACTS_MAX: Final = 10_000
"""What one read of the store gives; who gets as many is told that there may be more."""


@dataclass
class Work:
    """One question being answered. ``steps`` tells the reasoning, in order; ``without``: parts left out.

    What several reasoners ask for is fetched once: all of them read as of one moment.
    """

    ports: Ports
    moment: Moment
    question: Question
    offset: Offset | None = None
    names: dict[str, EntityRecord] = field(default_factory=dict)
    steps: list[str] = field(default_factory=list)
    without: frozenset[Part] = ALL_USED
    chosen: Chosen = NOT_CHOSEN
    """How documents have to put what is shown."""
    trail: Trail = field(default_factory=Trail)
    _named: set[str] = field(init=False, default_factory=set)
    _read: dict[FactFilter, list[FactVersion]] = field(init=False, default_factory=dict)
    _vector: Vector | None = field(init=False, default=None)
    spoken_of: dict[tuple[str, Interval | None], EventRecord | None] = field(init=False, default_factory=dict)
    """The events that clauses of time were found to speak of, by clause and window."""

    def __post_init__(self) -> None:
        self.ports = replace(self.ports, store=remembering(self.ports.store))

    @property
    def shown(self) -> Visibility:
        """What this read may see of events, by how their documents put them, too."""
        return replace(self.moment.seen, statuses=of_events(self.chosen))

    @property
    def hidden(self) -> Visibility:
        """What this read does not show of events by default: what is denied or only planned."""
        return replace(self.moment.seen, statuses=HIDDEN)

    @property
    def meaning(self) -> str:
        """The question without its words of time."""
        return self.question.semantic or self.question.text

    async def vector(self) -> Vector:
        """The question's meaning as a vector."""
        if self._vector is None:
            self._vector = (await asyncio.to_thread(self.ports.encoder.encode, [self.meaning]))[0]
        return self._vector

    async def facts_of(self, entity_ids: Sequence[str]) -> list[FactVersion]:
        """Facts about the entities at all valid times, as believed at known_at; names are learned."""
        if not entity_ids:
            return []
        which = FactFilter(entity_ids=tuple(entity_ids), limit=FACTS_MAX)
        return await self._facts(which)

    async def facts_under(self, keys: Iterable[str]) -> list[FactVersion]:
        """The same for conflict keys."""
        which = FactFilter(keys=tuple(dict.fromkeys(keys)), limit=FACTS_MAX)
        return await self._facts(which) if which.keys else []

    async def facts_by(self, which: FactFilter) -> list[FactVersion]:
        """Facts by any filter; names are learned."""
        return await self._facts(which)

    async def _facts(self, which: FactFilter) -> list[FactVersion]:
        if which not in self._read:
            found = await self.ports.store.facts(self.moment.graph, which, self.moment.seen)
            if len(found) >= FACTS_MAX:
                self.step("limit", f"only the first {FACTS_MAX} facts were looked at")
            found = [v for v in found if not v.valid.is_empty and shows_fact(self.chosen, v)]
            await self.learn_names(found)
            self._read[which] = found
        return list(self._read[which])

    async def learn_names(self, versions: Iterable[FactVersion]) -> None:
        """Fetch the names of both sides that are not known yet."""
        ids = [v.subject for v in versions] + [v.object for v in versions if v.object_is_entity]
        await self.learn_ids(ids)

    async def learn_ids(self, ids: Iterable[str]) -> None:
        """Fetch the names of entities that are not known yet."""
        wanted = [entity_id for entity_id in dict.fromkeys(ids) if entity_id not in self._named]
        missing = [entity_id for entity_id in wanted if entity_id not in self.names]
        found = [self.names[entity_id] for entity_id in wanted if entity_id in self.names]
        if missing:
            found += await self.ports.store.entities(self.moment.graph, missing, self.moment.seen)
        self._named.update(wanted)
        for record in await named_at(self.ports, self.moment, found):
            self.names[record.entity_id] = record

    def name(self, entity_id: str) -> str:
        record = self.names.get(entity_id)
        return record.name if record else entity_id

    def step(self, name: str, text: str) -> None:
        """Note one step of the reasoning."""
        self.steps.append(f"{name}: {text}")


def valid_of(version: FactVersion) -> Interval:
    """The valid interval of a fact, for the functions of ``selection``."""
    return version.valid


def coalesced(versions: Sequence[FactVersion]) -> list[FactVersion]:
    """Versions of one statement that touch or overlap, as one: the first with the last one's end.

    Two versions meet where only how well they are known differs (announced, then confirmed).
    """
    found: list[FactVersion] = []
    for version in sorted(versions, key=lambda v: (v.valid.start, v.valid.end, v.version_id)):
        same = next((i for i, other in enumerate(found) if _continues(other, version)), None)
        if same is None:
            found.append(version)
            continue
        other = found[same]
        if version.valid.end > other.valid.end:
            found[same] = replace(
                other,
                valid=Interval(other.valid.start, version.valid.end),
                end_granularity=version.end_granularity,
                end_inferred=version.end_inferred,
                announced=other.announced and version.announced,
            )
    return found


def _continues(one: FactVersion, other: FactVersion) -> bool:
    same = (one.key, one.subject, one.predicate, one.object, one.qualifiers)
    return same == (other.key, other.subject, other.predicate, other.object, other.qualifiers) and (
        other.valid.start <= one.valid.end
    )
