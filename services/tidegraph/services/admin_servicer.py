"""AdminService: requests to use cases, results to messages.

What this version does not serve says so with an ErrorInfo.
"""

from __future__ import annotations

from typing import Any

import grpc.aio

from tidegraph.api.v1 import admin_pb2 as api
from tidegraph.api.v1 import admin_pb2_grpc
from tidegraph.events.v1 import records_pb2
from tidegraph.services.interceptor import current
from tidegraph.services.status_map import not_served
from tidegraph.services.tokens import await_token
from tidegraph.services.usecases.context import Ports
from tidegraph.services.usecases.decide import decide

Context = grpc.aio.ServicerContext[Any, Any]


class AdminServicer(admin_pb2_grpc.AdminServiceServicer):
    """Decisions that change belief. Translates only."""

    def __init__(self, ports: Ports) -> None:
        self._ports = ports

    async def MergeEntities(  # noqa: N802
        self, request: api.MergeEntitiesRequest, context: Context
    ) -> api.MergeEntitiesResponse:
        raise not_served("MergeEntities")

    async def SplitEntity(  # noqa: N802
        self, request: api.SplitEntityRequest, context: Context
    ) -> api.SplitEntityResponse:
        raise not_served("SplitEntity")

    async def ListReviews(  # noqa: N802
        self, request: api.ListReviewsRequest, context: Context
    ) -> api.ListReviewsResponse:
        raise not_served("ListReviews")

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
