"""AdminService. None of its methods is served by this version; each says so with an ErrorInfo."""

from __future__ import annotations

from typing import Any

import grpc.aio

from tidegraph.api.v1 import admin_pb2 as api
from tidegraph.api.v1 import admin_pb2_grpc
from tidegraph.services.status_map import not_served

Context = grpc.aio.ServicerContext[Any, Any]


class AdminServicer(admin_pb2_grpc.AdminServiceServicer):
    """Decisions that change belief."""

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
        raise not_served("RebuildGraph")
