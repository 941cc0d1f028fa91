"""A language model that answers in JSON of a given schema, over an OpenAI-compatible API (vLLM).

``response_format`` of type ``json_schema`` binds the answer; every string and array of a schema should be
bounded, or a weak model writes until its token limit. A busy server is asked again as its Retry-After
says; what it answers is counted in tokens and cost by the stage that asked.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import httpx

from tidegraph.domain.errors import LimitExceeded, Rejected, Retryable, TidegraphError
from tidegraph.models.budget import Budget
from tidegraph.models.metering import Meter, tokens_of
from tidegraph.models.wire import (
    CHARACTERS_PER_TOKEN,
    RETRY_AFTER_MAX_SECONDS,
    base_url,
    bearer,
    json_object,
    served_model,
    status_error,
    transport_error,
)
from tidegraph.ports import Completion

ATTEMPTS_MAX: Final = 3
ANSWER_BYTES_MAX: Final = 8 * 1024 * 1024
_CONNECT_SECONDS: Final = 10.0
_RESOLVE_SECONDS: Final = 10.0
_THINKING: Final = "</think>"
_OURS_TO_SET: Final = frozenset({"LLM_UNAUTHORISED", "LLM_MODEL_UNKNOWN", "LLM_NO_MODEL"})


@dataclass(frozen=True, slots=True)
class StructuredOptions:
    """Where the model is, how long it may take for one answer, and who counts what it takes."""

    url: str
    model: str
    api_key: str = field(repr=False)
    timeout_seconds: float
    meter: Meter


class OpenAiStructured:
    """StructuredModel over ``/v1/chat/completions``. Blocking, safe to share between threads."""

    def __init__(
        self,
        options: StructuredOptions,
        budget: Budget,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.model_id = options.model
        self._options = options
        self._budget = budget
        self._sleep = sleep
        self._resolved = False
        self._lock = threading.Lock()
        self._client = httpx.Client(
            base_url=base_url(options.url),
            headers=bearer(options.api_key),
            transport=transport,
            timeout=httpx.Timeout(options.timeout_seconds, connect=_CONNECT_SECONDS),
        )

    def close(self) -> None:
        """Disconnect."""
        self._client.close()

    def resolve(self) -> str:
        """The id of the served model; asked for once.

        Raises:
            Retryable: the server is away. Rejected: it does not serve the model, or refuses the key.
        """
        with self._lock:
            if not self._resolved:
                try:
                    response = self._client.get("models", timeout=_RESOLVE_SECONDS)
                except httpx.HTTPError as error:
                    raise transport_error(error) from error
                if response.status_code != 200:
                    raise status_error(response.status_code, response.text, response.headers)
                self.model_id = served_model(response.text, self.model_id)
                self._resolved = True
        return self.model_id

    def complete(self, system: str, user: str, schema: Mapping[str, Any], max_tokens: int) -> Completion:
        """One answer, at temperature 0. A server that is busy or away is asked up to three times.

        Raises:
            Retryable: LLM_UNAVAILABLE, LLM_BUSY, LLM_BUDGET, LLM_UNAUTHORISED, LLM_MODEL_UNKNOWN: nothing is
                wrong with the request.
            Rejected: LLM_REJECTED, LLM_TIMEOUT, LLM_FAILED, LLM_BROKEN: this request cannot be answered.
            LimitExceeded: LLM_ANSWER_TOO_LONG.
        """
        body = _body(self.resolve(), system, user, schema, max_tokens)
        patience = self._options.timeout_seconds + RETRY_AFTER_MAX_SECONDS
        reserved = (len(system) + len(user)) // CHARACTERS_PER_TOKEN + max_tokens
        for attempt in range(1, ATTEMPTS_MAX + 1):
            try:
                with self._budget.share(reserved, patience) as share:
                    completion = self._once(body)
                    share.used = completion.prompt_tokens + completion.completion_tokens
                return completion
            except Retryable as error:
                self._options.meter.ended(error.reason)
                if error.reason == "LLM_BUDGET" or attempt == ATTEMPTS_MAX:
                    raise
                if error.retry_after_seconds > RETRY_AFTER_MAX_SECONDS:
                    raise
                if error.reason == "LLM_BUSY":
                    self._budget.hold(error.retry_after_seconds)  # waits with all others for a share
                else:
                    self._sleep(error.retry_after_seconds)
            except Rejected as error:
                self._options.meter.ended(error.reason)
                raise
        raise AssertionError("unreachable: the last attempt returns or raises")

    def _once(self, body: Mapping[str, Any]) -> Completion:
        began = time.monotonic()
        try:
            with self._client.stream("POST", "chat/completions", json=body) as response:
                text = _bounded(response, began + self._options.timeout_seconds)
                status, headers = response.status_code, response.headers
        except httpx.HTTPError as error:
            raise _verdict(transport_error(error)) from error
        if status != 200:
            raise _verdict(status_error(status, text, headers))
        completion = _completion(text, body)
        meter = self._options.meter
        meter.answered(time.monotonic() - began, completion.prompt_tokens, completion.completion_tokens)
        meter.ended("answered" if completion.finish == "stop" else (completion.finish or "unfinished"))
        return completion


def _body(model: str, system: str, user: str, schema: Mapping[str, Any], max_tokens: int) -> dict[str, Any]:
    return {
        "model": model,
        "messages": [{"role": "system", "content": system}, {"role": "user", "content": user}],
        "max_tokens": max_tokens,
        "temperature": 0,
        "seed": 0,
        "stream": False,
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "answer", "strict": True, "schema": dict(schema)},
        },
    }


def _bounded(response: httpx.Response, deadline: float) -> str:
    """The body of a response, of bounded length and until a deadline (monotonic seconds)."""
    body = bytearray()
    for piece in response.iter_bytes():
        body += piece
        if len(body) > ANSWER_BYTES_MAX:
            raise LimitExceeded("LLM_ANSWER_TOO_LONG", "the language model's answer has no end")
        if time.monotonic() > deadline:
            raise Rejected("LLM_TIMEOUT", "the language model did not answer in time")
    return body.decode("utf-8", "replace")


def _verdict(error: TidegraphError) -> TidegraphError:
    """Whether it was this request, or the server: a slow, broken or crashed answer may be the request's
    fault, and a wrong key or model is the operator's to repair, not the document's."""
    if error.reason == "LLM_TIMEOUT":
        return Rejected("LLM_TIMEOUT", str(error.args[0]))
    if error.reason == "LLM_STREAM_CUT":
        return Rejected("LLM_BROKEN", str(error.args[0]))
    if error.metadata.get("status") == "500":
        return Rejected("LLM_FAILED", str(error.args[0]), **error.metadata)
    if error.reason in _OURS_TO_SET:
        return Retryable(error.reason, str(error.args[0]), retry_after_seconds=15.0, **error.metadata)
    return error


def _completion(text: str, body: Mapping[str, Any]) -> Completion:
    """The answer of a response body; what the server left out is empty, or estimated."""
    try:
        response = json_object(text)
    except Retryable as error:
        raise Rejected("LLM_BROKEN", str(error.args[0])) from error
    choices = response.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices and isinstance(choices[0], dict) else {}
    said = choice.get("message")
    content = said.get("content") if isinstance(said, dict) else None
    answer = content if isinstance(content, str) else ""
    # A reasoning model without a parser on its server thinks aloud before the answer.
    answer = answer.rpartition(_THINKING)[2].strip()
    usage = response.get("usage")
    asked = sum(len(each["content"]) for each in body["messages"])
    return Completion(
        text=answer,
        finish=str(choice.get("finish_reason") or ""),
        prompt_tokens=tokens_of(usage, "prompt_tokens", asked),
        completion_tokens=tokens_of(usage, "completion_tokens", len(answer)),
    )
