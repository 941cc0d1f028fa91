"""A chat model behind an OpenAI-compatible API (vLLM), streamed over HTTP.

Before the first word a busy or unreachable server is asked again, as its Retry-After says and within
the time that the caller gives; after it nothing is repeated. Every failure is a typed error (``wire``).
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Awaitable
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar

import httpx

from tidegraph.domain.errors import LimitExceeded, Rejected, Retryable
from tidegraph.models.budget import Budget
from tidegraph.models.metering import Meter, tokens_of
from tidegraph.models.wire import (
    CHARACTERS_PER_TOKEN,
    RETRY_AFTER_MAX_SECONDS,
    base_url,
    bearer,
    json_object,
    served_model,
    short,
    status_error,
    transport_error,
)

ATTEMPTS_MAX: Final = 3
LINE_CHARACTERS_MAX: Final = 1_000_000
_T = TypeVar("_T")


@dataclass(frozen=True, slots=True)
class ChatOptions:
    """Where the model is and how it is spoken to. ``url`` may or may not end in ``/v1``."""

    url: str
    model: str
    api_key: str = field(repr=False)


class OpenAiChat:
    """ChatModel over ``/v1/chat/completions``. One instance serves many calls; ``close`` it."""

    def __init__(
        self,
        options: ChatOptions,
        transport: httpx.AsyncBaseTransport | None = None,
        budget: Budget | None = None,
        meter: Meter | None = None,
    ) -> None:
        self.model_id = options.model
        self._budget = budget
        self._meter = meter or Meter("answer")
        self._client = httpx.AsyncClient(
            base_url=base_url(options.url),
            headers=bearer(options.api_key),
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
            raise transport_error(error) from error
        if response.status_code != 200:
            raise status_error(response.status_code, response.text, response.headers)
        self.model_id = served_model(response.text, self.model_id)
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
                async with self._share(body, deadline):
                    async for piece in self._once(body, deadline):
                        started = True
                        yield piece
                self._meter.ended("answered")
                return
            except Rejected as error:
                self._meter.ended(error.reason)
                raise
            except Retryable as error:
                self._meter.ended(error.reason)
                left = deadline - asyncio.get_running_loop().time()
                wait = min(error.retry_after_seconds, RETRY_AFTER_MAX_SECONDS)
                if started or attempt == ATTEMPTS_MAX or wait >= left:
                    raise
                await asyncio.sleep(wait)

    def _share(self, body: dict[str, Any], deadline: float) -> contextlib.AbstractAsyncContextManager[object]:
        """The call's share of the process's budget, if it has one."""
        if self._budget is None:
            return contextlib.nullcontext()
        asked = sum(len(each["content"]) for each in body["messages"]) // CHARACTERS_PER_TOKEN
        left = deadline - asyncio.get_running_loop().time()
        return self._budget.share_async(asked + int(body["max_tokens"]), left)

    async def _once(self, body: dict[str, Any], deadline: float) -> AsyncIterator[str]:
        request = self._client.build_request("POST", "chat/completions", json=body)
        try:
            response = await _before(self._client.send(request, stream=True), deadline)
            try:
                if response.status_code != 200:
                    text = (await _before(response.aread(), deadline)).decode("utf-8", "replace")
                    raise status_error(response.status_code, text, response.headers)
                heard = _Heard(self._meter, asyncio.get_running_loop().time())
                try:
                    async for piece in _pieces(response.aiter_lines(), deadline, heard):
                        yield piece
                finally:
                    heard.count(body, asyncio.get_running_loop().time())
            finally:
                await response.aclose()
        except httpx.HTTPError as error:
            raise transport_error(error) from error


def _body(model: str, system: str, user: str, max_tokens: int) -> dict[str, Any]:
    return {
        "model": model,
        "messages": [{"role": "system", "content": system}, {"role": "user", "content": user}],
        "max_tokens": max_tokens,
        "temperature": 0,
        "seed": 0,
        "stream": True,
        "stream_options": {"include_usage": True},
    }


@dataclass(slots=True)
class _Heard:
    """What came of one answer, counted also where it broke off: it was computed all the same."""

    meter: Meter
    began: float
    characters: int = 0
    usage: object = None

    def count(self, body: dict[str, Any], now: float) -> None:
        asked = sum(len(each["content"]) for each in body["messages"])
        self.meter.answered(
            now - self.began,
            tokens_of(self.usage, "prompt_tokens", asked),
            tokens_of(self.usage, "completion_tokens", self.characters),
        )


async def _pieces(lines: AsyncIterator[str], deadline: float, heard: _Heard) -> AsyncIterator[str]:
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
        event = json_object(data)
        if "error" in event:
            raise Retryable("LLM_STREAM_CUT", f"the language model failed: {short(str(event['error']))}")
        heard.usage = event.get("usage") or heard.usage
        for choice in event.get("choices", [])[:1]:
            finish = choice.get("finish_reason") or finish
            piece = (choice.get("delta") or {}).get("content")
            if piece:
                heard.characters += len(str(piece))
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
