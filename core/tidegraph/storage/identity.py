"""Reads about identity: which ids are one, what is known of them, what was decided."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from tidegraph.domain.errors import LimitExceeded
from tidegraph.domain.identity import MAX_SET, MAX_SIGHTINGS, IdentityEvidence, PairDecision, SameAs, Sighting
from tidegraph.domain.interval import OPEN_END
from tidegraph.ports.records import Visibility
from tidegraph.storage import identity_rows, visibility
from tidegraph.storage import queries_identity as queries
from tidegraph.storage.alone import Alone
from tidegraph.storage.connection import Connection

ROWS_PER_HOLDER: Final = 2 * MAX_SIGHTINGS


class IdentityReads(Alone):
    """The part of the GraphReader that is about identity. Rows come in the order of their ids."""

    connection: Connection

    async def same_as(self, graph: str, entity_ids: Sequence[str], seen: Visibility) -> list[SameAs]:
        """Every row of the sets of the ids, as believed at known_at.

        Raises:
            LimitExceeded: SET_TOO_LARGE, a set of more than ``MAX_SET`` ids.
        """
        found: dict[str, SameAs] = {}
        asked: set[str] = set()
        ids = self.not_alone(graph, set(entity_ids))
        while wanted := sorted(ids - asked):
            values = {"ids": wanted, **visibility.parameters(seen)}
            asked |= ids
            for rows in await self.connection.read(graph, queries.SAME_AS, values):
                for step, row in enumerate(rows):
                    if row is not None:
                        one = identity_rows.same_of(row)
                        found[one.row_id] = one
                        ends = {one.tied.left, one.tied.right}
                        ids |= ends
                        if step == 0:  # the rows of both of its ids are there
                            asked |= ends
            check_set(ids, entity_ids)
        return [found[row_id] for row_id in sorted(found)]

    async def ties(self, graph: str, entity_ids: Sequence[str]) -> list[SameAs]:
        """Every row that names one of the ids, whenever it was believed, reviews too."""
        if not entity_ids:
            return []
        found = await self.connection.read(graph, queries.TIES, {"ids": sorted(set(entity_ids))})
        return sorted((identity_rows.same_of(row[0]) for row in found), key=lambda one: one.row_id)

    async def all_ties(self, graph: str) -> list[SameAs]:
        """Every row of the graph, for dumps and checks."""
        found = await self.connection.read(graph, queries.ALL_TIES)
        return sorted((identity_rows.same_of(row[0]) for row in found), key=lambda one: one.row_id)

    async def reviews(self, graph: str, after: str, limit: int, seen: Visibility) -> list[SameAs]:
        """A page of the pairs that wait for an operator, after the row id ``after``."""
        values = {"after": after, "limit": max(0, limit), **visibility.parameters(seen)}
        found = await self.connection.read(graph, queries.REVIEWS, values)
        return [identity_rows.same_of(row[0]) for row in found]

    async def pair_decisions(self, graph: str, entity_ids: Sequence[str]) -> list[PairDecision]:
        """Decisions about pairs that name one of the ids, in the order of (pair, recorded_at, id)."""
        found: dict[str, PairDecision] = {}
        for query in queries.PAIRS if entity_ids else ():
            for row in await self.connection.read(graph, query, {"ids": sorted(set(entity_ids))}):
                decision = identity_rows.pair_of(row[0])
                found[decision.row_id] = decision
        return sorted(found.values(), key=pair_order)

    async def sightings(self, graph: str, entity_ids: Sequence[str]) -> list[Sighting]:
        """What documents told of each id, the first ``MAX_SIGHTINGS``, by (id, recorded_at, row id)."""
        if not entity_ids:
            return []
        values = {"ids": sorted(set(entity_ids)), "limit": MAX_SIGHTINGS}
        found = await self.connection.read(graph, queries.SIGHTINGS, values)
        return list(_sightings([row[0] for row in found]))

    async def sightings_of(self, graph: str, document_ids: Sequence[str]) -> list[Sighting]:
        """Every sighting of the documents, by (id, recorded_at, row id)."""
        values = {"documents": sorted(set(document_ids))}
        found = await self.connection.read(graph, queries.SIGHTINGS_OF, values)
        return list(_sightings([row[0] for row in found]))

    async def holders(self, graph: str, keys: Sequence[str], limit: int) -> dict[str, list[tuple[str, int]]]:
        """By blocking key the (entity id, recorded_at) that have it, the ``limit`` that had it first."""
        found: dict[str, list[tuple[str, int]]] = {}
        if not keys:
            return found
        values = {"keys": sorted(set(keys)), "limit": limit, "rows": ROWS_PER_HOLDER * limit}
        for key, holder, at in await self.connection.read_plain(graph, queries.HOLDERS, values):
            found.setdefault(key, []).append((holder, at))
        return {key: sorted(holders, key=lambda pair: (pair[1], pair[0])) for key, holders in found.items()}

    async def identity_evidence(
        self, graph: str, entity_ids: Sequence[str], keys: Sequence[str], limit: int, since: int
    ) -> IdentityEvidence:
        """The ``limit`` first holders of the keys that fewer had at ``since``; sightings, decisions and rows
        of the ids and of the holders of each key that fewer than ``limit`` hold; all at once."""
        values = {
            "ids": sorted(set(entity_ids)),
            "keys": sorted(set(keys)),
            "limit": MAX_SIGHTINGS,
            "most": limit,
            "rows": ROWS_PER_HOLDER * limit,
            "since": since,
        }
        found = await self.connection.read(graph, queries.EVIDENCE, values)
        rows: dict[str, list[Any]] = {"sighting": [], "pair": [], "tie": [], "held": []}
        for what, row in found:
            rows[what].append(row)
        pairs = {pair.row_id: pair for pair in map(identity_rows.pair_of, rows["pair"])}
        ties = {tie.row_id: tie for tie in map(identity_rows.same_of, rows["tie"])}
        return IdentityEvidence(
            sightings=_sightings(rows["sighting"]),
            decisions=tuple(sorted(pairs.values(), key=pair_order)),
            ties=tuple(ties[row_id] for row_id in sorted(ties)),
            holders={key: list(zip(held, at, strict=True)) for key, held, at, _ in rows["held"] if held},
            crowded={key: full for key, held, _, full in rows["held"] if not held},
        )

    async def fact_keys(self, graph: str, entity_ids: Sequence[str], limit: int) -> dict[str, list[str]]:
        """By id the conflict keys of its facts, as subject and as object, at most ``limit`` either way."""
        found: dict[str, set[str]] = {entity_id: set() for entity_id in entity_ids}
        for entity_id, keys in found.items():
            for query in queries.SIDES:
                values = {"ids": [entity_id], "limit": limit}
                keys |= {key for _, key in await self.connection.read(graph, query, values)}
        return {entity_id: sorted(keys) for entity_id, keys in found.items()}

    async def set_counts(
        self, graph: str, sets: Mapping[str, Sequence[str]], limit: int, known_at: int = OPEN_END - 1
    ) -> dict[str, int]:
        """By the name of a set: how many dated events that counted then mention any of it, up to limit."""
        if not sets:
            return {}
        groups = [{"name": name, "ids": sorted(set(ids))} for name, ids in sorted(sets.items())]
        values = {"groups": groups, "known_at": known_at, "limit": limit}
        found = dict(await self.connection.read(graph, queries.MENTION_COUNTS, values))
        return {name: int(found.get(name, 0)) for name in sorted(sets)}


def check_set(ids: set[str], asked: Sequence[str]) -> None:
    """Raise LimitExceeded when following rows from the ids asked for does not come to an end."""
    if len(ids) > MAX_SET + len(set(asked)):
        message = f"more than {MAX_SET} ids name one entity; split it with `tidegraph entity split`"
        raise LimitExceeded("SET_TOO_LARGE", message, entity=sorted(asked)[0])


def pair_order(decision: PairDecision) -> tuple[str, str, int, str]:
    """The order in which decisions about pairs are returned."""
    return decision.left, decision.right, decision.recorded_at, decision.decision_id


def sighting_order(seen: Sighting) -> tuple[str, int, str]:
    """The order in which sightings are returned."""
    return seen.entity_id, seen.recorded_at, seen.row_id


def _sightings(rows: Iterable[Sequence[Any]]) -> tuple[Sighting, ...]:
    """The sightings of rows of ``queries.SIGHTINGS`` in ``sighting_order``: that of their first parts."""
    return tuple(map(identity_rows.sighting_of, sorted(rows, key=lambda row: (row[0], row[1], row[2]))))
