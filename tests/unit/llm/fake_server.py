"""A fake of the wire format of vLLM's OpenAI-compatible API, and of how such servers misbehave."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import httpx

from tidegraph.models.budget import Budget
from tidegraph.models.metering import Meter
from tidegraph.models.structured import OpenAiStructured, StructuredOptions

Answer = Callable[[dict[str, Any]], httpx.Response]
"""From the request's body to a response."""


def said(content: str | None, finish: str | None = "stop", **message: Any) -> httpx.Response:
    """A completion as vLLM gives it."""
    body = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1_700_000_000,
        "model": "tiny",
        "choices": [
            {
                "index": 0,
                "message": {"role": "assistant", "content": content, "tool_calls": [], **message},
                "logprobs": None,
                "finish_reason": finish,
                "stop_reason": None,
            }
        ],
        "usage": {"prompt_tokens": 40, "completion_tokens": 20, "total_tokens": 60},
    }
    return httpx.Response(200, json=body)


def error(status: int, message: str = "", **headers: str) -> httpx.Response:
    """An error as vLLM gives it."""
    body = {"error": {"message": message, "type": "x", "param": None, "code": status}}
    return httpx.Response(
        status, json=body, headers={name.replace("_", "-"): v for name, v in headers.items()}
    )


class FakeServer:
    """Gives the answers in turn, the last one for ever; remembers what it was asked."""

    def __init__(self, *answers: Answer | httpx.Response) -> None:
        self._answers = list(answers)
        self.bodies: list[dict[str, Any]] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/models"):
            return httpx.Response(200, json={"object": "list", "data": [{"id": "tiny"}]})
        body = json.loads(request.content)
        self.bodies.append(body)
        answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
        response = answer if isinstance(answer, httpx.Response) else answer(body)
        return httpx.Response(response.status_code, content=response.content, headers=_kept(response.headers))

    @property
    def calls(self) -> int:
        """Completions asked for."""
        return len(self.bodies)

    def model(self, *, model: str = "", budget: Budget | None = None, **options: Any) -> OpenAiStructured:
        """The client against this server; waits take no time and are remembered in ``waits``."""
        self.waits: list[float] = []
        meter = Meter(options.pop("stage", "extract"), **options)
        return OpenAiStructured(
            StructuredOptions("http://llm.test", model, "secret", 5.0, meter),
            budget or _Patient(self.waits),
            transport=httpx.MockTransport(self),
            sleep=self.waits.append,
        )


class _Patient(Budget):
    """A budget that remembers for how long it was asked to hold, and holds nothing."""

    def __init__(self, waits: list[float]) -> None:
        super().__init__(4)
        self._waits = waits

    def hold(self, seconds: float) -> None:
        self._waits.append(seconds)


def passage_of(body: dict[str, Any]) -> str:
    """The document text that a request shows to the model."""
    user = str(body["messages"][1]["content"])
    return user.partition("<document>\n")[2].rpartition("\n</document>")[0]


def _kept(headers: httpx.Headers) -> Iterator[tuple[str, str]]:
    return (
        (name, value) for name, value in headers.items() if name not in ("content-length", "content-type")
    )
