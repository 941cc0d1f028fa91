"""No method of the API and no reason of an error goes untested: looked at when all tests have run.

Not by words in test files: by the calls that servers of this run answered and the errors that they gave.
"""

from __future__ import annotations

import pytest
from tests.ops.test_api_page import rows
from tests.recording import RECORDING, Recording
from tests.unit.services.test_contract import methods

from tidegraph.services.interceptor import ENDLESS

pytestmark = pytest.mark.last
NOT_STARTED = """
NO_AUTHENTICATION PORT_TAKEN NO_BROKER UNKNOWN_ENCODER UNKNOWN_RERANKER
ENCODER_NOT_INSTALLED ENCODER_NOT_FOUND VECTOR_TOO_LONG MODEL_FILE_MISSING
MODEL_FILE_CHANGED MISSING_EXTRA NER_MODEL_NOT_FOUND
"""
UNTOLD = {
    "NOT_IMPLEMENTED": "for a version that does not serve all methods; this one does",
    "LLM_BROKEN": "extraction alone",
    "LLM_FAILED": "extraction alone",
    **dict.fromkeys(NOT_STARTED.split(), "the server or the worker does not start"),
}
"""Reasons that no call is answered with, and why."""
CONTENT = {"EMPTY_DOCUMENT"}
"""Told of a document's content."""


@pytest.fixture
def recorded(request: pytest.FixtureRequest) -> Recording:
    return request.config.stash[RECORDING]


def test_every_method_was_answered_and_refused(recorded: Recording) -> None:
    served = {method: recorded.ended.get(method, set()) for _, method in methods()}
    assert len(served) > 30
    ends = {method: {"OK", "CANCELLED"} if method in ENDLESS else {"OK"} for method in served}
    assert [method for method, codes in served.items() if not codes & ends[method]] == []
    assert [method for method, codes in served.items() if codes <= {"OK", "CANCELLED"}] == []


def test_every_reason_was_told_by_a_server_with_its_code(recorded: Recording) -> None:
    told = {reason: recorded.told.get(reason, set()) for reason in rows().keys() - UNTOLD.keys()}
    assert {reason: codes for reason, codes in told.items() if codes != {rows()[reason]}} == {}
    assert not recorded.told.keys() & UNTOLD.keys(), "not in the list of those that are never told"


def test_every_reason_was_made_by_the_product(recorded: Recording) -> None:
    of_the_server = {"INTERNAL", "DEADLINE_EXCEEDED"}
    assert rows().keys() - recorded.raised - of_the_server == set()


def test_nothing_was_told_that_is_not_documented(recorded: Recording) -> None:
    assert recorded.told.keys() - rows().keys() - CONTENT == set()
