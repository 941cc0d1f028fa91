"""Reads of facts, of the evidence under them, and of the documents that told it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from tidegraph.domain.facts import Assertion, FactVersion, Revision
from tidegraph.domain.interval import MICROS_PER_DAY, OPEN_START
from tidegraph.domain.predicates import Registry
from tidegraph.ports import DocumentRecord, FactFilter, Visibility
from tidegraph.storage import codec, fact_rows, queries, queries_facts, rows, rulebook, visibility
from tidegraph.storage.alone import Alone
from tidegraph.storage.codec import Value
from tidegraph.storage.connection import Connection
from tidegraph.storage.decisions import DecisionReads
from tidegraph.storage.derive import derive_for, first, merge_versions

MAX_LIMIT: Final = 10_000
MAX_PAIRS: Final = 256
"""Pairs of subject and object that are looked up one by one."""
LOOK_BACK_DAYS: Final = (90, 1_000, 10_000, None)
"""How far back what began last is looked for, in turn; None: to the beginning."""
_DRIVERS: Final = ("version_ids", "keys", "subject_ids", "object_ids", "entity_ids", "predicates")


class FactReads(DecisionReads, Alone):
    """The part of the GraphReader that is about facts."""

    def __init__(self, connection: Connection, registry: Registry) -> None:
        self.connection = connection
        self.registry = registry

    # --- facts ------------------------------------------------------------------------------------

    async def facts(self, graph: str, which: FactFilter, seen: Visibility) -> list[FactVersion]:
        """Versions in the order (key, valid start, recorded_at, version id); see GraphReader.facts."""
        values = _fact_values(which, seen)
        chosen = next((name for name in _DRIVERS if getattr(which, name)), "all")
        drivers = ("as_subject", "as_object") if chosen == "entity_ids" else (chosen,)
        conditions = tuple(name for name in _DRIVERS if name != chosen and getattr(which, name))
        if chosen == "subject_ids" and 0 < len(which.subject_ids) * len(which.object_ids) <= MAX_PAIRS:
            drivers, conditions = ("pairs",), tuple(name for name in conditions if name != "object_ids")
        conditions += ("valid",) if which.valid is not None else ()
        conditions += ("conflicted",) if which.conflicted else ()
        if which.begun_before is not None:
            found = await self._latest(graph, which, conditions, values)
        else:
            found = await self._found(graph, which, drivers, conditions, values)
        versions = [visibility.mask_version(version, seen) for version in found.values()]
        hidden = await self._hidden_keys(graph, (chosen,) if drivers == ("pairs",) else drivers, values, seen)
        if hidden:
            derived = await self._derive(graph, hidden, which, seen)
            versions = merge_versions(versions, hidden, derived)
        return first(versions, which)

    async def _found(
        self,
        graph: str,
        which: FactFilter,
        drivers: tuple[str, ...],
        conditions: tuple[str, ...],
        values: Mapping[str, Value],
    ) -> dict[str, FactVersion]:
        """Versions by id. The order matters only where there are more than are asked for."""
        for ordered in (False, True):
            query = queries_facts.facts(drivers, conditions, which.history, ordered)
            found = await self.connection.read_plain(graph, query, values)
            if len(found) < values["limit"]:
                break
        return self._versions(graph, found)

    async def _latest(
        self, graph: str, which: FactFilter, conditions: tuple[str, ...], values: Mapping[str, Value]
    ) -> dict[str, FactVersion]:
        """Versions that began last before an instant, looked for further and further back."""
        assert which.begun_before is not None
        query = queries_facts.latest(conditions, which.history)
        before = codec.floor_time(which.begun_before)
        for days in LOOK_BACK_DAYS:
            after = (
                OPEN_START
                if days is None
                else codec.floor_time(max(before - days * MICROS_PER_DAY, OPEN_START))
            )
            bounds = {"after": after, "before": before}
            found = await self.connection.read_plain(graph, query, {**values, **bounds})
            if len(found) >= values["limit"]:
                break
        return self._versions(graph, found)

    def _versions(self, graph: str, found: Iterable[list[Any]]) -> dict[str, FactVersion]:
        versions = {}
        for row in found:
            version = versions[row[0]] = fact_rows.version_at_plain(row)
            sides = (version.subject, version.object if version.object_is_entity else "")
            for side, ties in zip(sides, row[-2:], strict=True):
                self.note_ties(graph, side, ties)
        return versions

    async def fact_counts(
        self, graph: str, entity_ids: Sequence[str], seen: Visibility, most: int
    ) -> dict[str, int]:
        """By id how many versions about an entity were recorded by known_at, but at most ``most``."""
        if not entity_ids:
            return {}
        values = {"ids": sorted(set(entity_ids)), "known": visibility.known_bound(seen), "most": most}
        found = await self.connection.read_plain(graph, queries_facts.COUNTS, values)
        return dict.fromkeys(entity_ids, 0) | {id_: int(count) for id_, count in found}

    async def _hidden_keys(
        self, graph: str, drivers: Iterable[str], values: Mapping[str, Value], seen: Visibility
    ) -> set[str]:
        """Keys that the filter may touch and under which evidence is hidden from the caller."""
        if seen.labels is None:
            return set()
        found: set[str] = set()
        for driver in drivers:
            if driver == "version_ids":
                query, parameters = (
                    queries_facts.hidden_keys("keys"),
                    {"keys": await self._keys(graph, values)},
                )
            else:
                query, parameters = queries_facts.hidden_keys(driver), {}
            found.update(row[0] for row in await self.connection.read(graph, query, {**values, **parameters}))
        return found

    async def _keys(self, graph: str, values: Mapping[str, Value]) -> list[str]:
        return [row[0] for row in await self.connection.read(graph, queries_facts.KEYS, values)]

    async def _derive(
        self, graph: str, keys: set[str], which: FactFilter, seen: Visibility
    ) -> list[FactVersion]:
        evidence = await self.assertions(graph, sorted(keys), seen)
        documents = sorted({item.document_id for item in evidence if item.register})
        revisions = await self.revisions(graph, documents, seen) if documents else []
        found = await self.decisions(graph, (rulebook.POLICIES,), seen)
        found += await self.decisions(graph, (rulebook.CONFLICT,), seen, sorted(keys))
        book = rulebook.Rulebook.of(self.registry, found)
        return derive_for(book, evidence, revisions, which, seen)

    async def assertions(self, graph: str, keys: Sequence[str], seen: Visibility) -> list[Assertion]:
        """Evidence under the keys in the order (key, recorded_at, id), withdrawn or not."""
        if not keys:
            return []
        values = {"keys": sorted(set(keys)), **visibility.parameters(seen)}
        found = await self.connection.read(graph, queries.ASSERTIONS, values)
        rows_found = visibility.evidence((fact_rows.assertion_of(row[0]) for row in found), seen)
        return sorted(rows_found, key=lambda item: (item.key, item.recorded_at, item.assertion_id))

    async def assertions_of(self, graph: str, origins: Sequence[str]) -> dict[str, list[Assertion]]:
        """All assertions of the readings by origin, in the order of their ids."""
        found: dict[str, list[Assertion]] = {}
        if origins:
            values = {"origins": sorted(set(origins))}
            for origin, row in await self.connection.read(graph, queries.ASSERTIONS_OF, values):
                found.setdefault(origin, []).append(fact_rows.assertion_of(row))
        return found

    async def keys_of(self, graph: str, document_ids: Sequence[str]) -> dict[str, list[str]]:
        """Conflict keys under which any revision of each document has evidence."""
        found: dict[str, list[str]] = {}
        if document_ids:
            values = {"documents": sorted(set(document_ids))}
            for document_id, key in await self.connection.read(graph, queries.KEYS_OF, values):
                found.setdefault(document_id, []).append(key)
        return found

    async def stored_versions(self, graph: str, keys: Sequence[str]) -> list[FactVersion]:
        """Every stored row under the keys as it is, also those that were never believed."""
        if not keys:
            return []
        found = await self.connection.read(graph, queries.STORED_VERSIONS, {"keys": sorted(set(keys))})
        return sorted((fact_rows.version_of(row[0]) for row in found), key=fact_rows.version_order)

    async def all_versions(self, graph: str) -> list[FactVersion]:
        """Every stored row of the graph, for dumps and checks."""
        found = await self.connection.read(graph, queries.ALL_VERSIONS)
        return sorted((fact_rows.version_of(row[0]) for row in found), key=fact_rows.version_order)

    # --- documents --------------------------------------------------------------------------------

    async def documents(
        self, graph: str, document_ids: Sequence[str], seen: Visibility
    ) -> list[DocumentRecord]:
        """Every part of every submission in the order (document, recorded_at, revision)."""
        if not document_ids:
            return []
        values = {"documents": sorted(set(document_ids)), **visibility.parameters(seen)}
        found = await self.connection.read(graph, queries.DOCUMENTS, values)
        records = [visibility.mask(rows.document_record(graph, row[0]), seen) for row in found]
        return sorted(records, key=rows.document_order)  # the store puts an absent revision last

    async def revisions(self, graph: str, document_ids: Sequence[str], seen: Visibility) -> list[Revision]:
        """Complete revisions of the documents: those of which every part has arrived."""
        return visibility.complete_revisions(await self.documents(graph, document_ids, seen))


def _fact_values(which: FactFilter, seen: Visibility) -> dict[str, Value]:
    values: dict[str, Value] = {
        name: sorted(set(getattr(which, name))) for name in _DRIVERS if getattr(which, name)
    }
    values |= visibility.parameters(seen)
    values["limit"] = max(0, min(which.limit, MAX_LIMIT))
    if which.valid is not None:
        values["valid_from"], values["valid_to"] = visibility.valid_bounds(which.valid)
    return values
