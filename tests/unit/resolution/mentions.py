"""Building mentions for tests: what is written around a name, in one line."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from tidegraph.domain.documents import EntityType
from tidegraph.resolution.engine import cluster
from tidegraph.resolution.evidence import read_profile
from tidegraph.resolution.profiles import Clusters, Decision
from tidegraph.resolution.statements import Sighting, read_links

PERSON, ORGANISATION, PLACE, OTHER = (
    EntityType.PERSON,
    EntityType.ORGANISATION,
    EntityType.PLACE,
    EntityType.OTHER,
)
DAY = 86_400_000_000
YEAR = 365 * DAY


@dataclass(frozen=True)
class Seen:
    """A mention under a short id."""

    id: str
    name: str
    type: EntityType = PERSON
    text: str = ""
    document: str = ""
    year: int | None = None
    facts: dict[str, str] = field(default_factory=dict)

    def sighting(self) -> Sighting:
        at = None if self.year is None else (self.year - 1970) * YEAR
        return Sighting(
            self.id, self.name, self.type, self.text, tuple(self.facts.items()), self.document, at
        )


def profiles_of(mentions: Sequence[Seen]):
    return [
        read_profile(
            s.entity_id,
            s.name,
            s.type,
            text=s.text,
            attributes=s.attributes,
            document=s.document,
            observed_at=s.observed_at,
        )
        for s in (m.sighting() for m in mentions)
    ]


def resolved(*mentions: Seen, decisions: Sequence[Decision] = ()) -> Clusters:
    links = read_links([m.sighting() for m in mentions])
    return cluster(profiles_of(mentions), links, decisions)


def together(found: Clusters, *ids: str) -> bool:
    return any(set(ids) <= set(group) for group in found.groups)


def apart(found: Clusters, a: str, b: str) -> bool:
    return not together(found, a, b)
