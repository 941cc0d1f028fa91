"""One table from typed errors to gRPC codes, and the google.rpc.Status of an error.

Every error on the wire carries an ErrorInfo whose reason is that of the error; what is not one of ours
becomes INTERNAL with the request id and nothing of its text.
"""

from __future__ import annotations

from typing import Final

import grpc
from google.protobuf.any_pb2 import Any as AnyMessage
from google.protobuf.duration_pb2 import Duration
from google.protobuf.message import Message
from google.rpc import (  # type: ignore[import-untyped]
    code_pb2,
    error_details_pb2,
    status_pb2,
)

from tidegraph.domain.errors import (
    Bug,
    Conflicted,
    LimitExceeded,
    NotFound,
    Rejected,
    Retryable,
    TidegraphError,
)

DOMAIN: Final = "tidegraph"
UNIMPLEMENTED_REASON: Final = "NOT_IMPLEMENTED"
DEADLINE_REASON: Final = "DEADLINE_EXCEEDED"
INTERNAL_REASON: Final = "INTERNAL"
METADATA_VALUE_MAX: Final = 500
MESSAGE_MAX: Final = 1_000

CODES: Final[dict[type[TidegraphError], grpc.StatusCode]] = {
    NotFound: grpc.StatusCode.NOT_FOUND,
    LimitExceeded: grpc.StatusCode.INVALID_ARGUMENT,
    Rejected: grpc.StatusCode.INVALID_ARGUMENT,
    Retryable: grpc.StatusCode.UNAVAILABLE,
    Conflicted: grpc.StatusCode.ABORTED,
    Bug: grpc.StatusCode.INTERNAL,
    TidegraphError: grpc.StatusCode.INTERNAL,
}
"""Looked up along the class's bases: the nearest row counts."""

REASON_CODES: Final[dict[str, grpc.StatusCode]] = {
    UNIMPLEMENTED_REASON: grpc.StatusCode.UNIMPLEMENTED,
    "SERVER_BUSY": grpc.StatusCode.RESOURCE_EXHAUSTED,
    "NO_AUTHENTICATION": grpc.StatusCode.FAILED_PRECONDITION,
    "ENCODER_CHANGED": grpc.StatusCode.FAILED_PRECONDITION,
    "LOG_ACCESS_DENIED": grpc.StatusCode.FAILED_PRECONDITION,
    "LOG_SETTINGS": grpc.StatusCode.FAILED_PRECONDITION,
    "LLM_UNAUTHORISED": grpc.StatusCode.FAILED_PRECONDITION,
    "LLM_MODEL_UNKNOWN": grpc.StatusCode.FAILED_PRECONDITION,
    "LLM_NO_MODEL": grpc.StatusCode.FAILED_PRECONDITION,
}
"""Reasons whose code differs from that of their class."""


def not_served(method: str) -> Rejected:
    """The error of a method that this version does not serve."""
    return Rejected(UNIMPLEMENTED_REASON, f"{method} is not served by this version", method=method)


def code_of(error: TidegraphError) -> grpc.StatusCode:
    """The canonical code of a typed error."""
    if error.reason in REASON_CODES:
        return REASON_CODES[error.reason]
    return next(CODES[base] for base in type(error).__mro__ if base in CODES)


def status_of(error: BaseException, request_id: str) -> status_pb2.Status:
    """The status that goes to the caller."""
    if not isinstance(error, TidegraphError) or code_of(error) is grpc.StatusCode.INTERNAL:
        message = f"something went wrong on our side; quote request id {request_id} when you report it"
        reason = error.reason if isinstance(error, TidegraphError) else INTERNAL_REASON
        return _status(grpc.StatusCode.INTERNAL, message, reason, {"request_id": request_id})
    details: list[Message] = []
    if isinstance(error, Retryable):
        delay = Duration()
        delay.FromNanoseconds(int(error.retry_after_seconds * 1e9))
        details.append(error_details_pb2.RetryInfo(retry_delay=delay))
    field = error.metadata.get("field", "")
    if isinstance(error, Rejected) and field:
        violation = error_details_pb2.BadRequest.FieldViolation(field=field, description=_text(error))
        details.append(error_details_pb2.BadRequest(field_violations=[violation]))
    metadata = {**error.metadata, "request_id": request_id}
    return _status(code_of(error), _text(error), error.reason, metadata, details)


def deadline_status(request_id: str, seconds: float) -> status_pb2.Status:
    """The status of a call that ran out of the time that it had."""
    message = f"the call took longer than its {seconds:g} s; ask for less, or give it a longer deadline"
    code = grpc.StatusCode.DEADLINE_EXCEEDED
    return _status(code, message, DEADLINE_REASON, {"request_id": request_id})


def _status(
    code: grpc.StatusCode,
    message: str,
    reason: str,
    metadata: dict[str, str],
    details: list[Message] | None = None,
) -> status_pb2.Status:
    values = {name: str(value)[:METADATA_VALUE_MAX] for name, value in metadata.items()}
    info = error_details_pb2.ErrorInfo(reason=reason, domain=DOMAIN, metadata=values)
    status = status_pb2.Status(code=code_pb2.Code.Value(code.name), message=message[:MESSAGE_MAX])
    for detail in (info, *(details or [])):
        packed = AnyMessage()
        packed.Pack(detail)
        status.details.append(packed)
    return status


def _text(error: TidegraphError) -> str:
    return str(error.args[0])
