"""A chat model behind an OpenAI-compatible API (vLLM), streamed over HTTP.

Before the first word a busy or unreachable server is asked again, as its Retry-After says and within
the time that the caller gives; after it nothing is repeated. Every failure is a typed error; the text of
a server's error is never passed on beyond its first line.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

import httpx

from tidegraph.domain.errors import LimitExceeded, Rejected, Retryable, TidegraphError

ATTEMPTS_MAX: Final = 3
RETRY_AFTER_MAX_SECONDS: Final = 20.0
LINE_CHARACTERS_MAX: Final = 1_000_000
MESSAGE_CHARACTERS_MAX: Final = 300
_T = TypeVar("_T")
_BUSY: Final = frozenset({408, 409, 425, 429, 500, 502, 503, 504})


@dataclass(frozen=True, slots=True)
class ChatOptions:
    """Where the model is and how it is spoken to. ``url`` may or may not end in ``/v1``."""

    url: str
    model: str
    api_key: str = field(repr=False)


class OpenAiChat:
    """ChatModel over ``/v1/chat/completions``. One instance serves many calls; ``close`` it."""

    def __init__(self, options: ChatOptions, transport: httpx.AsyncBaseTransport | None = None) -> None:
        self.model_id = options.model
        base = options.url.rstrip("/")
        headers = {"Authorization": f"Bearer {options.api_key}"} if options.api_key else {}
        self._client = httpx.AsyncClient(
            base_url=(base if base.endswith("/v1") else f"{base}/v1") + "/",
            headers=headers,
            transport=transport,
            timeout=httpx.Timeout(10.0),
        )

    async def close(self) -> None:
        await self._client.aclose()

    async def resolve_model(self, timeout_seconds: float) -> str:
        """The id of the served model; taken from the server when none was configured.

        Raises:
            Retryable: the server is away. Rejected: it does not serve the configured model.
        """
        try:
            response = await self._client.get("models", timeout=timeout_seconds)
        except httpx.HTTPError as error:
            raise _transport_error(error) from error
        if response.status_code != 200:
            raise _status_error(response.status_code, response.text, response.headers)
        served = [str(entry.get("id", "")) for entry in _object(response.text).get("data", [])]
        if not served:
            raise Rejected("LLM_NO_MODEL", "the language model server serves no model")
        if self.model_id and self.model_id not in served:
            message = f"the language model server does not serve {self.model_id!r}"
            raise Rejected("LLM_MODEL_UNKNOWN", message, model=self.model_id)
        self.model_id = self.model_id or served[0]
        return self.model_id

    async def stream(
        self, system: str, user: str, max_tokens: int, timeout_seconds: float
    ) -> AsyncIterator[str]:
        """Pieces of the answer as they come; at temperature 0.

        Raises:
            Retryable: LLM_UNAVAILABLE, LLM_BUSY, LLM_TIMEOUT or LLM_STREAM_CUT.
            Rejected: LLM_REJECTED, LLM_UNAUTHORISED or LLM_MODEL_UNKNOWN.
            LimitExceeded: LLM_ANSWER_TOO_LONG; the pieces so far are no answer.
        """
        deadline = asyncio.get_running_loop().time() + timeout_seconds
        if not self.model_id:
            await self.resolve_model(timeout_seconds)
        body = _body(self.model_id, system, user, max_tokens)
        for attempt in range(1, ATTEMPTS_MAX + 1):
            started = False
            try:
                async for piece in self._once(body, deadline):
                    started = True
                    yield piece
                return
            except Retryable as error:
                left = deadline - asyncio.get_running_loop().time()
                wait = min(error.retry_after_seconds, RETRY_AFTER_MAX_SECONDS)
                if started or attempt == ATTEMPTS_MAX or wait >= left:
                    raise
                await asyncio.sleep(wait)

    async def _once(self, body: dict[str, Any], deadline: float) -> AsyncIterator[str]:
        request = self._client.build_request("POST", "chat/completions", json=body)
        try:
            response = await _before(self._client.send(request, stream=True), deadline)
            try:
                if response.status_code != 200:
                    text = (await _before(response.aread(), deadline)).decode("utf-8", "replace")
                    raise _status_error(response.status_code, text, response.headers)
                async for piece in _pieces(response.aiter_lines(), deadline):
                    yield piece
            finally:
                await response.aclose()
        except httpx.HTTPError as error:
            raise _transport_error(error) from error


def _body(model: str, system: str, user: str, max_tokens: int) -> dict[str, Any]:
    return {
        "model": model,
        "messages": [{"role": "system", "content": system}, {"role": "user", "content": user}],
        "max_tokens": max_tokens,
        "temperature": 0,
        "seed": 0,
        "stream": True,
    }


async def _pieces(lines: AsyncIterator[str], deadline: float) -> AsyncIterator[str]:
    """Text of the server-sent events until the model's own end."""
    finish = ""
    while True:
        try:
            line = await _before(anext(lines), deadline)
        except StopAsyncIteration:
            break
        if len(line) > LINE_CHARACTERS_MAX:
            raise LimitExceeded("LLM_ANSWER_TOO_LONG", "the language model sent an endless line")
        data = line.removeprefix("data:").strip() if line.startswith("data:") else ""
        if not data:
            continue
        if data == "[DONE]":
            break
        event = _object(data)
        if "error" in event:
            raise Retryable("LLM_STREAM_CUT", f"the language model failed: {_short(str(event['error']))}")
        for choice in event.get("choices", [])[:1]:
            finish = choice.get("finish_reason") or finish
            piece = (choice.get("delta") or {}).get("content")
            if piece:
                yield str(piece)
    if finish == "length":
        raise LimitExceeded("LLM_ANSWER_TOO_LONG", "the language model ran into its token limit")
    if not finish:
        raise Retryable("LLM_STREAM_CUT", "the language model's answer broke off")


async def _before(awaitable: Awaitable[_T], deadline: float) -> _T:
    """Await until the deadline (loop time)."""
    left = deadline - asyncio.get_running_loop().time()
    try:
        return await asyncio.wait_for(awaitable, max(left, 0.0))
    except TimeoutError as error:
        raise Retryable("LLM_TIMEOUT", "the language model did not answer in time") from error


def _status_error(status: int, text: str, headers: httpx.Headers) -> TidegraphError:
    """The typed error of an HTTP status; what vLLM says is in ``text``."""
    metadata = {"status": str(status)}
    said = _short(_message(text))
    if status in _BUSY:
        after = _retry_after(headers.get("retry-after", ""))
        message = f"the language model is busy (HTTP {status}): {said}"
        return Retryable("LLM_BUSY", message, retry_after_seconds=after, **metadata)
    if status in (401, 403):
        message = "the language model server refused the key; set TIDEGRAPH_LLM_API_KEY"
        return Rejected("LLM_UNAUTHORISED", message, **metadata)
    if status == 404:
        message = f"the language model is not served: {said}; set TIDEGRAPH_LLM_MODEL"
        return Rejected("LLM_MODEL_UNKNOWN", message, **metadata)
    message = f"the language model refused the request (HTTP {status}): {said}"
    return Rejected("LLM_REJECTED", message, **metadata)


def _transport_error(error: httpx.HTTPError) -> TidegraphError:
    if isinstance(error, httpx.TimeoutException):
        return Retryable("LLM_TIMEOUT", "the language model did not answer in time")
    if isinstance(error, httpx.RemoteProtocolError | httpx.ReadError):
        return Retryable("LLM_STREAM_CUT", "the language model's answer broke off")
    message = "the language model server cannot be reached; check TIDEGRAPH_LLM_URL"
    return Retryable("LLM_UNAVAILABLE", message)


def _retry_after(value: str) -> float:
    """Seconds of a Retry-After header; 1 when it is absent, a date or nonsense."""
    try:
        return max(0.0, float(value))
    except ValueError:
        return 1.0


def _object(text: str) -> dict[str, Any]:
    """A JSON object, with control characters allowed inside strings as weak models send them."""
    try:
        value = json.loads(text, strict=False)
    except ValueError as error:
        raise Retryable("LLM_STREAM_CUT", "the language model sent what is not JSON") from error
    return value if isinstance(value, dict) else {}


def _message(text: str) -> str:
    """The message of an error body: ``{"error": {"message": ...}}`` or ``{"message": ...}``."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    inner = value.get("error", value) if isinstance(value, dict) else value
    return str(inner.get("message", "") if isinstance(inner, dict) else inner)


def _short(text: str) -> str:
    lines = text.strip().splitlines()
    return lines[0][:MESSAGE_CHARACTERS_MAX] if lines else "no reason given"
