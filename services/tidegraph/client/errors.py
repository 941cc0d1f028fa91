"""Errors of the service as the client raises them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import grpc
import grpc.aio
from google.rpc import error_details_pb2  # type: ignore[import-untyped]
from grpc_status import rpc_status  # type: ignore[import-untyped]

RETRYABLE: Final = frozenset({grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.RESOURCE_EXHAUSTED})


class ApiError(Exception):
    """A call that failed. ``reason`` is stable and for machines, the message says what to do.

    ``retry_after_seconds`` is set where the service named a delay.
    """

    def __init__(
        self,
        code: grpc.StatusCode,
        reason: str,
        message: str,
        metadata: Mapping[str, str],
        retry_after_seconds: float | None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.reason = reason
        self.metadata = dict(metadata)
        self.retry_after_seconds = retry_after_seconds

    @property
    def retryable(self) -> bool:
        """Whether the same call may go through later."""
        return self.code in RETRYABLE

    def __str__(self) -> str:
        return f"{self.reason or self.code.name}: {self.args[0]}"


def from_rpc(error: grpc.aio.AioRpcError) -> ApiError:
    """The typed error of a failed call, with the details that the service packed into it."""
    reason, metadata, delay = "", {}, None
    try:
        status = rpc_status.from_call(error)
    except ValueError:
        status = None
    for detail in status.details if status else ():
        info, retry = error_details_pb2.ErrorInfo(), error_details_pb2.RetryInfo()
        if detail.Unpack(info):
            reason, metadata = info.reason, dict(info.metadata)
        elif detail.Unpack(retry):
            delay = retry.retry_delay.ToNanoseconds() / 1e9
    message = error.details() or "the service cannot be reached"
    return ApiError(error.code(), reason, message, metadata, delay)
