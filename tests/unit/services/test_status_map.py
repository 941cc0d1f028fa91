"""Every class of error has its code, its ErrorInfo and nothing that it should not say."""

from __future__ import annotations

import inspect

import grpc
import pytest
from google.protobuf.message import Message
from google.rpc import code_pb2, error_details_pb2

from tidegraph.domain import errors
from tidegraph.domain.errors import Bug, NotFound, Rejected, Retryable, TidegraphError
from tidegraph.services.status_map import CODES, REASON_CODES, code_of, deadline_status, not_served, status_of

CLASSES = [
    found
    for _, found in inspect.getmembers(errors, inspect.isclass)
    if issubclass(found, TidegraphError) and found.__module__ == errors.__name__
]


def _detail(status: object, message: Message) -> Message | None:
    for packed in status.details:  # type: ignore[attr-defined]
        if packed.Unpack(message):
            return message
    return None


@pytest.mark.parametrize("kind", CLASSES)
def test_every_class_has_a_row_and_an_error_info(kind: type[TidegraphError]) -> None:
    assert kind in CODES
    status = status_of(kind("SOME_REASON", "what to do", thing="x"), "r1")
    info = _detail(status, error_details_pb2.ErrorInfo())
    assert isinstance(info, error_details_pb2.ErrorInfo)
    assert (info.reason, info.domain, info.metadata["request_id"]) == ("SOME_REASON", "tidegraph", "r1")
    assert code_pb2.Code.Name(status.code) == CODES[kind].name
    assert len({packed.TypeName() for packed in status.details}) == len(status.details)


def test_the_nearest_class_counts() -> None:
    class Narrower(NotFound):
        pass

    assert code_of(Narrower("X", "y")) is grpc.StatusCode.NOT_FOUND
    assert code_of(Rejected("X", "y")) is grpc.StatusCode.INVALID_ARGUMENT


@pytest.mark.parametrize("reason", sorted(REASON_CODES))
def test_reasons_with_codes_of_their_own(reason: str) -> None:
    assert code_of(Rejected(reason, "x")) is REASON_CODES[reason]


def test_a_retryable_error_names_its_delay() -> None:
    status = status_of(Retryable("AWAY", "later", retry_after_seconds=2.5), "r")
    info = _detail(status, error_details_pb2.RetryInfo())
    assert isinstance(info, error_details_pb2.RetryInfo)
    assert info.retry_delay.ToNanoseconds() == 2_500_000_000


def test_a_bad_field_is_named() -> None:
    status = status_of(Rejected("BAD", "too long", field="question"), "r")
    bad = _detail(status, error_details_pb2.BadRequest())
    assert isinstance(bad, error_details_pb2.BadRequest)
    assert (bad.field_violations[0].field, bad.field_violations[0].description) == ("question", "too long")


@pytest.mark.parametrize(
    "error", [ValueError("/etc/secret"), KeyError("secret"), Bug("BROKEN", "row 17 secret")]
)
def test_what_is_ours_to_repair_is_not_told(error: Exception) -> None:
    status = status_of(error, "r-9")
    assert status.code == code_pb2.INTERNAL
    assert "secret" not in str(status)
    assert "r-9" in status.message


def test_long_texts_are_cut() -> None:
    status = status_of(Rejected("BAD", "x" * 5_000, value="y" * 5_000), "r")
    assert len(status.message) == 1_000
    assert len(status.SerializeToString()) < 8_000


def test_deadlines_and_methods_that_are_not_served() -> None:
    assert deadline_status("r", 3.0).code == code_pb2.DEADLINE_EXCEEDED
    assert code_of(not_served("Reextract")) is grpc.StatusCode.UNIMPLEMENTED
