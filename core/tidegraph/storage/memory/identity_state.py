"""What the twin keeps about identity, and how a commit changes it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container
from dataclasses import dataclass, field, replace

from tidegraph.domain.identity import IdentityWrites, PairDecision, SameAs, Sighting
from tidegraph.storage.identity_rows import earliest


@dataclass
class StoredIdentity:
    """What one graph holds about identity, by row id."""

    ties: dict[str, SameAs] = field(default_factory=dict)
    pairs: dict[str, PairDecision] = field(default_factory=dict)
    sightings: dict[str, Sighting] = field(default_factory=dict)
    by_key: dict[str, dict[str, Sighting]] = field(default_factory=lambda: defaultdict(dict))
    by_entity: dict[str, dict[str, Sighting]] = field(default_factory=lambda: defaultdict(dict))
    touching: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))


def apply_identity(stored: StoredIdentity, writes: IdentityWrites, known: Container[str]) -> None:
    """Take the rows of a commit in; times only ever move earlier.

    Args:
        known: ids of the entities that the graph holds; a row between others is not written.
    """
    for seen in earliest(writes.sightings):
        held = stored.sightings.get(seen.row_id)
        if held is None or seen.recorded_at < held.recorded_at:
            stored.sightings[seen.row_id] = stored.by_entity[seen.entity_id][seen.row_id] = seen
            for key in seen.keys:
                stored.by_key[key][seen.row_id] = seen
    for row_id, gaps in writes.gaps:
        told = stored.sightings.get(row_id)
        if told is not None:
            moved = stored.sightings[row_id] = replace(told, gaps=gaps)
            stored.by_entity[told.entity_id][row_id] = moved
            for key in told.keys:
                stored.by_key[key][row_id] = moved
    for row_id in writes.dropped:
        told = stored.sightings.get(row_id)
        if told is not None:
            for key in told.keys:
                stored.by_key[key].pop(row_id, None)
            bare = stored.sightings[row_id] = replace(told, keys=())
            stored.by_entity[told.entity_id][row_id] = bare
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
