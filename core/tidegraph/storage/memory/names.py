"""Entities of the twin: names seen, and the search over them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from tidegraph.domain.documents import EntityType
from tidegraph.domain.naming import display_name
from tidegraph.ports import EntityRecord, EntityWrite
from tidegraph.storage import terms

Alias = tuple[str, str, EntityType]
"""(normal form, as written, the type of thing that it was said of)"""


@dataclass
class StoredEntity:
    """An entity and, for each of its names, when it was first recorded."""

    key: str
    recorded_at: int
    aliases: dict[Alias, int] = field(default_factory=dict)

    @property
    def names(self) -> set[tuple[str, str]]:
        """(normal form, as written)"""
        return {(normal, written) for normal, written, _ in self.aliases}

    def add(self, write: EntityWrite) -> None:
        """Add names; times only ever move earlier."""
        self.recorded_at = min(self.recorded_at, write.recorded_at)
        for normal, written in write.aliases:
            alias = (normal, written, write.type)
            self.aliases[alias] = min(self.aliases.get(alias, write.recorded_at), write.recorded_at)


def entity_record(entity_id: str, entity: StoredEntity) -> EntityRecord:
    """The entity as readers get it."""
    ordered = sorted((at, *alias) for alias, at in entity.aliases.items())
    return EntityRecord(
        entity_id=entity_id,
        key=entity.key,
        name=display_name(entity.key, entity.names),
        type=next((type_ for *_, type_ in ordered if type_), EntityType.UNSPECIFIED),
        aliases=tuple(sorted({written for _, written in entity.names})),
        recorded_at=entity.recorded_at,
    )


def search_names(
    entities: Mapping[str, StoredEntity], text: str, limit: int
) -> list[tuple[EntityRecord, float]]:
    """Entities with a name that holds any of the words, by the number of words held."""
    wanted = set(terms.select([text], limit=16))
    scored = []
    for entity_id, entity in entities.items():
        best = max((len(wanted & set(terms.tokens(written))) for _, written in entity.names), default=0)
        if best:
            scored.append((entity_record(entity_id, entity), float(best)))
    return sorted(scored, key=lambda pair: (-pair[1], pair[0].entity_id))[: max(0, limit)]
