"""The client of a model that answers in JSON, against a fake of vLLM's wire format and its misbehaviours."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

import httpx
import pytest
from tests.unit.llm.fake_server import FakeServer, error, said

from tidegraph.domain.errors import LimitExceeded, Rejected, Retryable, TidegraphError
from tidegraph.models.budget import Budget
from tidegraph.models.metering import Meter
from tidegraph.models.structured import OpenAiStructured, StructuredOptions
from tidegraph.telemetry import REGISTRY

FORM = {"type": "object", "properties": {}, "required": [], "additionalProperties": False}


def ask(server: FakeServer, **options: object):
    return server.model(**options).complete("system", "user", FORM, 32)


def counted(name: str, **labels: str) -> float:
    return REGISTRY.get_sample_value(name, labels) or 0.0


def test_the_schema_binds_the_answer_and_nothing_else_does():
    server = FakeServer(said('{"a": 1}'))
    completion = ask(server)
    assert (completion.text, completion.finish) == ('{"a": 1}', "stop")
    assert (completion.prompt_tokens, completion.completion_tokens) == (40, 20)
    (body,) = server.bodies
    form = body["response_format"]
    assert (form["type"], form["json_schema"]["schema"], form["json_schema"]["strict"]) == (
        "json_schema",
        FORM,
        True,
    )
    assert "guided_json" not in json.dumps(body)
    assert (body["temperature"], body["seed"], body["max_tokens"], body["model"]) == (0, 0, 32, "tiny")
    assert body["stream"] is False


def test_an_answer_that_was_cut_says_so():
    assert ask(FakeServer(said('{"a"', "length"))).finish == "length"


@pytest.mark.parametrize(
    ("response", "text"),
    [
        (said(None), ""),
        (said(""), ""),
        (said(None, reasoning_content="let me see"), ""),
        (said("<think>let me see {}</think>\n{}"), "{}"),
        (said("{}", reasoning="let me see"), "{}"),
        (httpx.Response(200, json={"choices": []}), ""),
        (httpx.Response(200, json={"choices": [{"message": None}]}), ""),
        (httpx.Response(200, json=[]), ""),
    ],
)
def test_what_is_no_answer_is_empty_and_thinking_is_left_out(response: httpx.Response, text: str):
    assert ask(FakeServer(response)).text == text


def test_missing_usage_is_estimated_from_the_lengths():
    body = {"choices": [{"message": {"content": "x" * 80}, "finish_reason": "stop"}]}
    completion = ask(FakeServer(httpx.Response(200, json=body)))
    assert completion.completion_tokens == 20
    assert completion.prompt_tokens == len("systemuser") // 4
    strange = body | {"usage": {"prompt_tokens": None, "completion_tokens": -3}}
    assert ask(FakeServer(httpx.Response(200, json=strange))).completion_tokens == 20


def test_a_busy_server_is_asked_again_as_it_says():
    server = FakeServer(error(429, "slow down", retry_after="7"), error(503), said("{}"))
    assert ask(server).text == "{}"
    assert server.waits == [7.0, 1.0]
    assert server.calls == 3


def test_a_server_that_stays_busy_is_waited_out_by_the_caller():
    server = FakeServer(error(429, "slow down", retry_after="3"))
    with pytest.raises(Retryable) as caught:
        ask(server)
    assert (caught.value.reason, caught.value.retry_after_seconds) == ("LLM_BUSY", 3.0)
    assert server.calls == 3


def test_a_long_wait_is_not_sat_out_in_the_call():
    server = FakeServer(error(429, "tomorrow", retry_after="3600"))
    with pytest.raises(Retryable):
        ask(server)
    assert server.calls == 1
    assert server.waits == []


@pytest.mark.parametrize(
    ("response", "kind", "reason"),
    [
        (error(400, "max_tokens over the context"), Rejected, "LLM_REJECTED"),
        (error(500, "Internal Server Error"), Rejected, "LLM_FAILED"),
        (error(422, "no"), Rejected, "LLM_REJECTED"),
        (httpx.Response(200, content=b"<html>"), Rejected, "LLM_BROKEN"),
        (httpx.Response(200, content=b'{"choices": [{"mess'), Rejected, "LLM_BROKEN"),
    ],
)
def test_what_may_be_the_requests_fault_is_not_asked_again(
    response: httpx.Response, kind: type[TidegraphError], reason: str
):
    server = FakeServer(response)
    with pytest.raises(kind) as caught:
        ask(server)
    assert caught.value.reason == reason
    assert server.calls == 1


@pytest.mark.parametrize(("status", "reason"), [(401, "LLM_UNAUTHORISED"), (404, "LLM_MODEL_UNKNOWN")])
def test_a_wrong_key_or_model_holds_the_document_and_does_not_reject_it(status: int, reason: str):
    with pytest.raises(Retryable) as caught:
        ask(FakeServer(error(status, "no")))
    assert caught.value.reason == reason


@pytest.mark.parametrize(
    ("failure", "kind", "reason", "calls"),
    [
        (httpx.ReadTimeout("slow"), Rejected, "LLM_TIMEOUT", 1),
        (httpx.ReadError("cut"), Rejected, "LLM_BROKEN", 1),
        (httpx.ConnectError("refused"), Retryable, "LLM_UNAVAILABLE", 3),
    ],
)
def test_a_connection_that_fails(
    failure: httpx.HTTPError, kind: type[TidegraphError], reason: str, calls: int
):
    def fail(body: object) -> httpx.Response:
        raise failure

    server = FakeServer(fail)
    with pytest.raises(kind) as caught:
        ask(server)
    assert caught.value.reason == reason
    assert server.calls == calls


class Drip(httpx.SyncByteStream):
    """A body that never ends."""

    def __init__(self, piece: bytes, seconds: float) -> None:
        self._piece, self._seconds = piece, seconds

    def __iter__(self) -> Iterator[bytes]:
        while True:
            time.sleep(self._seconds)
            yield self._piece


@pytest.mark.parametrize(
    ("stream", "seconds", "kind", "reason"),
    [
        (Drip(b" ", 0.02), 0.2, Rejected, "LLM_TIMEOUT"),
        (Drip(b" " * 1_000_000, 0.0), 60.0, LimitExceeded, "LLM_ANSWER_TOO_LONG"),
    ],
)
def test_a_body_without_end_ends(stream: Drip, seconds: float, kind: type[TidegraphError], reason: str):
    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/models"):
            return httpx.Response(200, json={"data": [{"id": "tiny"}]})
        return httpx.Response(200, stream=stream)

    options = StructuredOptions("http://llm.test", "", "", seconds, Meter("extract"))
    model = OpenAiStructured(options, Budget(1), transport=httpx.MockTransport(answer))
    with pytest.raises(kind) as caught:
        model.complete("system", "user", FORM, 32)
    assert caught.value.reason == reason


def test_the_configured_model_must_be_served():
    with pytest.raises(Rejected) as caught:
        FakeServer(said("{}")).model(model="other").resolve()
    assert caught.value.reason == "LLM_MODEL_UNKNOWN"


def test_tokens_cost_and_outcomes_are_counted_by_stage():
    stage = "counting"
    server = FakeServer(error(503), said("{}"), said("{", "length"))
    model = server.model(stage=stage, prompt_price=2.0, completion_price=10.0)
    model.complete("system", "user", FORM, 32)
    model.complete("system", "user", FORM, 32)
    assert counted("tidegraph_llm_tokens_total", stage=stage, kind="prompt") == 80
    assert counted("tidegraph_llm_tokens_total", stage=stage, kind="completion") == 40
    assert counted("tidegraph_llm_cost_total", stage=stage) == pytest.approx((80 * 2 + 40 * 10) / 1e6)
    for outcome in ("llm_busy", "answered", "length"):
        assert counted("tidegraph_llm_calls_total", stage=stage, outcome=outcome) == 1
    assert counted("tidegraph_llm_call_seconds_count", stage=stage) == 2


def test_the_key_is_shown_to_the_server_alone():
    assert "secret" not in repr(StructuredOptions("u", "m", "secret", 1.0, Meter("s")))
