"""What the twin keeps about identity, and how a commit changes it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container
from dataclasses import dataclass, field

from tidegraph.domain.identity import IdentityWrites, PairDecision, SameAs, Trait
from tidegraph.storage.identity_rows import BLOCK, earliest


@dataclass
class StoredIdentity:
    """What one graph holds about identity, by row id."""

    ties: dict[str, SameAs] = field(default_factory=dict)
    pairs: dict[str, PairDecision] = field(default_factory=dict)
    traits: dict[str, Trait] = field(default_factory=dict)
    by_block: dict[str, dict[str, Trait]] = field(default_factory=lambda: defaultdict(dict))
    by_entity: dict[str, dict[str, Trait]] = field(default_factory=lambda: defaultdict(dict))
    touching: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))


def apply_identity(stored: StoredIdentity, writes: IdentityWrites, known: Container[str]) -> None:
    """Take the rows of a commit in; times only ever move earlier.

    Args:
        known: ids of the entities that the graph holds; a row between others is not written.
    """
    for trait in earliest(writes.traits):
        held = stored.traits.get(trait.row_id)
        if held is None or trait.recorded_at < held.recorded_at:
            stored.traits[trait.row_id] = trait
            stored.by_entity[trait.entity_id][trait.row_id] = trait
            if trait.kind == BLOCK:
                stored.by_block[trait.value][trait.row_id] = trait
    for pair in earliest(writes.decisions):
        held_pair = stored.pairs.get(pair.row_id)
        if held_pair is None or pair.recorded_at < held_pair.recorded_at:
            stored.pairs[pair.row_id] = pair
    for one in writes.insert:
        if one.tied.left in known and one.tied.right in known:
            stored.ties.setdefault(one.row_id, one)
            stored.touching[one.tied.left].add(one.row_id)
            stored.touching[one.tied.right].add(one.row_id)
    for row_id, at in writes.close:
        found = stored.ties.get(row_id)
        if found is not None and found.invalidated_at > at:
            stored.ties[row_id] = SameAs(row_id, found.tied, found.recorded_at, at)
