"""The name under which an entity is shown: the one in force at the asked time, where renamings are known."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from tidegraph.domain.facts import FactVersion
from tidegraph.domain.identity import NAME
from tidegraph.ports import EntityRecord, FactFilter
from tidegraph.services.usecases.context import Moment, Ports

NAMES_MAX: Final = 1_000


async def named_at(ports: Ports, moment: Moment, records: Sequence[EntityRecord]) -> list[EntityRecord]:
    """The records, those of several ids or of a dated name under the name in force at ``valid``.

    A name that facts do not date is kept.
    """
    wanted = tuple(record.entity_id for record in records if record.members)
    if not wanted:
        return list(records)
    which = FactFilter(subject_ids=wanted, predicates=(NAME,), limit=NAMES_MAX)
    told: dict[str, list[FactVersion]] = defaultdict(list)
    for fact in await ports.store.facts(moment.graph, which, moment.seen):
        if not fact.object_is_entity:
            told[fact.subject].append(fact)
    return [_named(record, told.get(record.entity_id, ()), moment) for record in records]


def _named(record: EntityRecord, facts: Sequence[FactVersion], moment: Moment) -> EntityRecord:
    instant = moment.valid.start
    for fact in sorted(facts, key=lambda f: (f.valid.start, f.version_id), reverse=True):
        if fact.valid.contains(instant):
            aliases = tuple(sorted({*record.aliases, fact.object}))
            return replace(record, name=fact.object, aliases=aliases)
    return record
