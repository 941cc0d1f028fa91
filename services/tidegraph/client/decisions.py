"""Calls about decisions: conflicts, policies, re-extraction, seals, what was decided, what it changed."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from tidegraph.api.v1 import admin_pb2, query_pb2
from tidegraph.client.calls import NOW, Calls
from tidegraph.client.stamps import set_known, stamp
from tidegraph.client.types import Options


class Decisions(Calls):
    """The part of the client that decides, and reads what was decided.

    What decides answers with an await token: its status tells when it is carried out.
    """

    async def conflicts(self, options: Options = NOW) -> list[admin_pb2.Conflict]:
        """Facts that evidence of equal rank disagrees on; every page of them."""
        request = admin_pb2.ListConflictsRequest()
        set_known(request, options)
        pages = self._pages(self.admin.ListConflicts, request, options)
        return [one async for page in pages for one in page.conflicts]

    async def decide_conflict(
        self, key: str, assertion_id: str = "", reason: str = "", *, undo: bool = False
    ) -> str:
        """Settle a conflict for one claim; ``undo`` takes that back, or all decisions about the key."""
        request = admin_pb2.DecideConflictRequest(
            key=key, assertion_id=assertion_id, reason=reason, undo=undo
        )
        return (await self._unary(self.admin.DecideConflict, request, NOW)).await_token

    async def set_policies(self, registry_toml: str, reason: str = "", *, validate_only: bool = False) -> str:
        """Put a predicate registry file in force; "" where it was only checked."""
        request = admin_pb2.SetPoliciesRequest(
            registry_toml=registry_toml, reason=reason, validate_only=validate_only
        )
        return (await self._unary(self.admin.SetPolicies, request, NOW)).await_token

    async def policies(self, options: Options = NOW) -> admin_pb2.GetPoliciesResponse:
        """The registry file in force, and by which decision."""
        request = admin_pb2.GetPoliciesRequest()
        set_known(request, options)
        return await self._unary(self.admin.GetPolicies, request, options)

    async def reextract(self, document_id: str = "", reason: str = "") -> str:
        """Have a document, or every document of the graph, read again."""
        request = admin_pb2.ReextractRequest(document_id=document_id, reason=reason)
        return (await self._unary(self.admin.Reextract, request, NOW)).await_token

    async def seal(self, reason: str = "") -> str:
        """Have the graph take no more backfill."""
        request = admin_pb2.SealGraphRequest(reason=reason)
        return (await self._unary(self.admin.SealGraph, request, NOW)).await_token

    async def decisions(
        self, kinds: Iterable[str] = (), subject: str = "", options: Options = NOW
    ) -> list[admin_pb2.Decision]:
        """What was decided, in the order in which it was recorded; every page of it."""
        request = admin_pb2.ListDecisionsRequest(kinds=list(kinds), subject=subject)
        set_known(request, options)
        pages = self._pages(self.admin.ListDecisions, request, options)
        return [one async for page in pages for one in page.decisions]

    async def diff(
        self,
        known_from: datetime | str,
        known_to: datetime | str = "",
        *,
        entity: str = "",
        key: str = "",
        predicate: str = "",
        await_token: str = "",
    ) -> list[query_pb2.BeliefChange]:
        """What is believed otherwise at the second known date than at the first; every page of it.

        Without an entity or a key the whole graph is compared; without a second date the present counts.
        """
        of = {"entity": entity} if entity else {"key": key} if key else {}
        request = query_pb2.DiffBeliefsRequest(predicate=predicate, await_token=await_token, **of)  # type: ignore[arg-type]
        for name, value in (("known_from", known_from), ("known_to", known_to)):
            if isinstance(value, datetime):
                getattr(request, name).CopyFrom(stamp(value))
            elif value:
                setattr(request, f"{name}_text", value)
        pages = self._pages(self.query.DiffBeliefs, request, NOW)
        return [one async for page in pages for one in page.changes]
