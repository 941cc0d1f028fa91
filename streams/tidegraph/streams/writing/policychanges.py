"""Changes of policies: a registry file that a graph goes by from its recorded time on.

What was believed before stays as it was. Claims take the forms that the new registry gives them, which may
lie under other conflict keys; those keys, and all whose rules change, are planned anew from then on.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import AsyncIterator, Sequence
from typing import Final

import orjson

from tidegraph.domain.errors import Rejected
from tidegraph.domain.facts import Assertion
from tidegraph.domain.filing import refile, told_of
from tidegraph.domain.interval import OPEN_END, OPEN_START
from tidegraph.domain.predicates import Registry
from tidegraph.domain.rules import Timeline
from tidegraph.events.v1 import records_pb2
from tidegraph.ports import DecisionRecord, GraphReader
from tidegraph.storage.fact_rows import assertion_of
from tidegraph.storage.rulebook import POLICIES, timeline_of
from tidegraph.storage.visibility import EVERYTHING
from tidegraph.streams.writing.control import Effects

MAX_FILED: Final = 50_000
"""Claims that one change may file anew: a commit is one statement."""
_PAGE: Final = 5_000


class PolicyChanges:
    """The registry that a graph goes by, on top of the one that it started out with."""

    name = POLICIES

    def __init__(self, registry: Registry) -> None:
        self._base = registry

    def subject(self, control: records_pb2.ControlRecord) -> str:
        """The whole graph. Raises Rejected: INVALID_REGISTRY."""
        Timeline.of(self._base, [(0, control.control_id, control.policies.registry_toml)])
        return ""

    async def carry_out(
        self, graph: str, reader: GraphReader, news: Sequence[DecisionRecord], effects: Effects
    ) -> None:
        """File the claims that take another form, and plan anew what they and other rules concern.

        Looks at every assertion of the graph once.

        Raises:
            Rejected: TOO_MANY_CLAIMS.
        """
        stored = await reader.decisions(graph, (POLICIES,), EVERYTHING)
        before, after = timeline_of(self._base, stored), timeline_of(self._base, (*stored, *news))
        since = min(decision.recorded_at for decision in news)
        claims: dict[str, list[tuple[str, Assertion]]] = defaultdict(list)
        changed: dict[tuple[str, tuple[tuple[str, str], ...]], bool] = {}
        async for origin, row in _assertions(graph, reader):
            rules = row.predicate, row.qualifiers
            if rules not in changed:
                changed[rules] = before.rules(*rules) != after.rules(*rules)
            if changed[rules]:
                effects.replan(row.key, since)
            filed = row.filed_from != OPEN_START or row.filed_until != OPEN_END
            if filed or refile(graph, [row], after)[0]:
                claims[told_of(row).claim_id].append((origin, row))
        for rows in claims.values():
            added, untils = refile(graph, [row for _, row in rows], after)
            effects.filed += [(rows[0][0], row) for row in added]
            effects.filed_until += untils
            if len(effects.filed) > MAX_FILED:
                message = f"the change concerns more than {MAX_FILED} claims; one commit cannot carry it out"
                raise Rejected("TOO_MANY_CLAIMS", message)
            ended = {id_ for id_, _ in untils}
            for row in (*added, *(row for _, row in rows if row.assertion_id in ended)):
                effects.replan(row.key, min(since, max(row.recorded_at, row.filed_from)))


async def _assertions(graph: str, reader: GraphReader) -> AsyncIterator[tuple[str, Assertion]]:
    after = ""
    while page := await reader.scan(graph, "assertion", after, _PAGE):
        for _, text in page:
            row = orjson.loads(text)
            yield row["origin"], assertion_of(row)
        after = page[-1][0]
