"""AdminService: requests to use cases, results to messages.

What this version does not serve says so with an ErrorInfo.
"""

from __future__ import annotations

from typing import Any

import grpc.aio

from tidegraph.api.v1 import admin_pb2 as api
from tidegraph.api.v1 import admin_pb2_grpc
from tidegraph.events.v1 import records_pb2
from tidegraph.services import messages
from tidegraph.services.asof import known_only
from tidegraph.services.interceptor import current
from tidegraph.services.status_map import not_served
from tidegraph.services.tokens import await_token, page_token, read_page
from tidegraph.services.usecases import identity
from tidegraph.services.usecases.context import Ports
from tidegraph.services.usecases.decide import decide
from tidegraph.services.usecases.moment import resolve

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
        offset, size = read_page(described, request.page_size, request.page_token)
        stamp = request.known_at if request.HasField("known_at") else None
        moment = await resolve(self._ports, current(), known_only(stamp, ""))
        found = await identity.reviews(self._ports, moment, request.entity, offset, size)
        return api.ListReviewsResponse(
            reviews=[messages.review(one) for one in found[:size]],
            next_page_token=page_token(described, offset + size) if len(found) > size else "",
        )

    async def ListConflicts(  # noqa: N802
        self, request: api.ListConflictsRequest, context: Context
    ) -> api.ListConflictsResponse:
        raise not_served("ListConflicts")

    async def DecideConflict(  # noqa: N802
        self, request: api.DecideConflictRequest, context: Context
    ) -> api.DecideConflictResponse:
        raise not_served("DecideConflict")

    async def SetPolicies(  # noqa: N802
        self, request: api.SetPoliciesRequest, context: Context
    ) -> api.SetPoliciesResponse:
        raise not_served("SetPolicies")

    async def Reextract(  # noqa: N802
        self, request: api.ReextractRequest, context: Context
    ) -> api.ReextractResponse:
        raise not_served("Reextract")

    async def SealGraph(  # noqa: N802
        self, request: api.SealGraphRequest, context: Context
    ) -> api.SealGraphResponse:
        raise not_served("SealGraph")

    async def RebuildGraph(  # noqa: N802
        self, request: api.RebuildGraphRequest, context: Context
    ) -> api.RebuildGraphResponse:
        position = await decide(self._ports, current(), request.reason, rebuild=records_pb2.Rebuild())
        return api.RebuildGraphResponse(await_token=await_token(position))
