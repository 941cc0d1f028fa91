"""AdminService: requests to use cases, results to messages."""

from __future__ import annotations

from typing import Any

import grpc.aio

from tidegraph.api.v1 import admin_pb2 as api
from tidegraph.api.v1 import admin_pb2_grpc
from tidegraph.events.v1 import records_pb2
from tidegraph.services import decision_messages, messages
from tidegraph.services.asof import known_only
from tidegraph.services.interceptor import current
from tidegraph.services.tokens import WHOLE, Page, await_token, read_page
from tidegraph.services.usecases import decisions as cases
from tidegraph.services.usecases import identity
from tidegraph.services.usecases.context import Moment, Ports
from tidegraph.services.usecases.decide import decide
from tidegraph.services.usecases.moment import Pinned, resolve

Context = grpc.aio.ServicerContext[Any, Any]


class AdminServicer(admin_pb2_grpc.AdminServiceServicer):
    """Decisions that change belief. Translates only."""

    def __init__(self, ports: Ports) -> None:
        self._ports = ports

    async def MergeEntities(  # noqa: N802
        self, request: api.MergeEntitiesRequest, context: Context
    ) -> api.MergeEntitiesResponse:
        position = await identity.merge(self._ports, current(), request.entity_ids, request.reason)
        return api.MergeEntitiesResponse(await_token=await_token(position))

    async def SplitEntity(  # noqa: N802
        self, request: api.SplitEntityRequest, context: Context
    ) -> api.SplitEntityResponse:
        position = await identity.split(self._ports, current(), request.entity_ids, request.reason)
        return api.SplitEntityResponse(await_token=await_token(position))

    async def ListReviews(  # noqa: N802
        self, request: api.ListReviewsRequest, context: Context
    ) -> api.ListReviewsResponse:
        described = f"reviews {request.entity} {request.known_at!s}"
        page = read_page(described, request.page_size, request.page_token)
        stamp = request.known_at if request.HasField("known_at") else None
        moment = await resolve(self._ports, current(), page.of(known_only(stamp, "", request.await_token)))
        found = await identity.reviews(self._ports, moment, request.entity, page.offset, page.size)
        return api.ListReviewsResponse(
            reviews=[messages.review(one) for one in found[: page.size]],
            next_page_token=page.following(len(found) > page.size, Pinned.of(moment)),
        )

    async def ListConflicts(  # noqa: N802
        self, request: api.ListConflictsRequest, context: Context
    ) -> api.ListConflictsResponse:
        described = f"conflicts {request.known_at!s} {request.known_text}"
        page = read_page(described, request.page_size, request.page_token)
        moment = await self._moment(request, page)
        found = await cases.conflicts(self._ports, moment, page.offset, page.size)
        return api.ListConflictsResponse(
            basis=messages.basis(moment),
            conflicts=[decision_messages.conflict(one, found.work) for one in found.conflicts],
            next_page_token=page.following(found.more, Pinned.of(moment)),
        )

    async def DecideConflict(  # noqa: N802
        self, request: api.DecideConflictRequest, context: Context
    ) -> api.DecideConflictResponse:
        position = await cases.decide_conflict(
            self._ports, current(), request.key, request.assertion_id, request.reason, undo=request.undo
        )
        return api.DecideConflictResponse(await_token=await_token(position))

    async def SetPolicies(  # noqa: N802
        self, request: api.SetPoliciesRequest, context: Context
    ) -> api.SetPoliciesResponse:
        position = await cases.set_policies(
            self._ports,
            current(),
            request.registry_toml,
            request.reason,
            validate_only=request.validate_only,
        )
        return api.SetPoliciesResponse(await_token=await_token(position) if position else "")

    async def GetPolicies(  # noqa: N802
        self, request: api.GetPoliciesRequest, context: Context
    ) -> api.GetPoliciesResponse:
        return decision_messages.policies(await cases.get_policies(self._ports, await self._moment(request)))

    async def Reextract(  # noqa: N802
        self, request: api.ReextractRequest, context: Context
    ) -> api.ReextractResponse:
        position = await cases.reextract(self._ports, current(), request.document_id, request.reason)
        return api.ReextractResponse(await_token=await_token(position))

    async def ListDecisions(  # noqa: N802
        self, request: api.ListDecisionsRequest, context: Context
    ) -> api.ListDecisionsResponse:
        described = f"decisions {list(request.kinds)} {request.subject} {request.known_at!s} "
        described += request.known_text
        page = read_page(described, request.page_size, request.page_token)
        moment = await self._moment(request, page)
        found = await cases.list_decisions(self._ports, moment, list(request.kinds), request.subject)
        return api.ListDecisionsResponse(
            decisions=[decision_messages.decision(one) for one in page.part(found)],
            next_page_token=page.following(len(found) > page.end, Pinned.of(moment)),
        )

    async def SealGraph(  # noqa: N802
        self, request: api.SealGraphRequest, context: Context
    ) -> api.SealGraphResponse:
        position = await cases.seal(self._ports, current(), request.reason)
        return api.SealGraphResponse(await_token=await_token(position))

    async def RebuildGraph(  # noqa: N802
        self, request: api.RebuildGraphRequest, context: Context
    ) -> api.RebuildGraphResponse:
        position = await decide(self._ports, current(), request.reason, rebuild=records_pb2.Rebuild())
        return api.RebuildGraphResponse(await_token=await_token(position))

    async def _moment(
        self,
        request: api.ListConflictsRequest | api.GetPoliciesRequest | api.ListDecisionsRequest,
        page: Page = WHOLE,
    ) -> Moment:
        stamp = request.known_at if request.HasField("known_at") else None
        return await resolve(
            self._ports, current(), page.of(known_only(stamp, request.known_text, request.await_token))
        )
