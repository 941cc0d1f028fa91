"""The chat client against a small fake of vLLM's wire format, on a real socket where streaming matters."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Callable

import httpx
import pytest

from tidegraph.domain.errors import LimitExceeded, Rejected, Retryable, TidegraphError
from tidegraph.models.openai_chat import ChatOptions, OpenAiChat

Handler = Callable[[httpx.Request], httpx.Response]


def sse(*pieces: str, finish: str = "stop", done: bool = True) -> bytes:
    """A completion as vLLM streams it: role first, pieces, finish reason, usage, [DONE]."""
    choices: list[dict[str, object]] = [
        {"delta": {"role": "assistant", "content": ""}, "finish_reason": None}
    ]
    choices += [{"delta": {"content": piece}, "finish_reason": None} for piece in pieces]
    if finish:
        choices.append({"delta": {}, "finish_reason": finish})
    events = [json.dumps({"object": "chat.completion.chunk", "choices": [c]}) for c in choices]
    events.append(json.dumps({"choices": [], "usage": {"total_tokens": 7}}))
    return "".join(f"data: {e}\n\n" for e in events + (["[DONE]"] if done else [])).encode()


def chat(handler: Handler, model: str = "tiny", url: str = "http://llm.test") -> OpenAiChat:
    return OpenAiChat(ChatOptions(url, model, "secret"), transport=httpx.MockTransport(handler))


async def collect(client: OpenAiChat, seconds: float = 5.0) -> list[str]:
    return [piece async for piece in client.stream("system", "user", 32, seconds)]


async def test_streams_the_pieces_in_order_at_temperature_zero() -> None:
    seen: list[httpx.Request] = []

    def handler(request: httpx.Request) -> httpx.Response:
        seen.append(request)
        return httpx.Response(200, content=sse("Rena ", "Holt"))

    assert await collect(chat(handler, url="http://llm.test/v1/")) == ["Rena ", "Holt"]
    body = json.loads(seen[0].content)
    assert str(seen[0].url) == "http://llm.test/v1/chat/completions"
    assert seen[0].headers["authorization"] == "Bearer secret"
    assert body["temperature"] == 0
    assert body["stream"] is True
    assert body["messages"][1] == {"role": "user", "content": "user"}


@pytest.mark.parametrize(
    ("status", "body", "kind", "reason"),
    [
        (400, {"error": {"message": "max_tokens over the context"}}, Rejected, "LLM_REJECTED"),
        (401, {"error": "no"}, Rejected, "LLM_UNAUTHORISED"),
        (404, {"error": {"message": "The model `x` does not exist."}}, Rejected, "LLM_MODEL_UNKNOWN"),
        (422, "not json", Rejected, "LLM_REJECTED"),
    ],
)
async def test_refusals_are_not_repeated(
    status: int, body: object, kind: type[TidegraphError], reason: str
) -> None:
    calls: list[int] = []

    def handler(request: httpx.Request) -> httpx.Response:
        calls.append(1)
        return httpx.Response(status, json=body)

    with pytest.raises(kind) as caught:
        await collect(chat(handler))
    assert caught.value.reason == reason
    assert caught.value.metadata["status"] == str(status)
    assert len(calls) == 1


async def test_a_busy_server_is_asked_again_as_it_says() -> None:
    answers = [
        httpx.Response(503, headers={"retry-after": "0"}),
        httpx.Response(429, headers={"retry-after": "0.01"}),
        httpx.Response(200, content=sse("yes")),
    ]
    assert await collect(chat(lambda _: answers.pop(0))) == ["yes"]
    assert not answers


async def test_a_wait_beyond_the_deadline_is_not_begun() -> None:
    def handler(request: httpx.Request) -> httpx.Response:
        return httpx.Response(429, headers={"retry-after": "9"}, json={"message": "slow down"})

    with pytest.raises(Retryable) as caught:
        await collect(chat(handler), seconds=1.0)
    assert caught.value.reason == "LLM_BUSY"
    assert caught.value.retry_after_seconds == 9
    assert "slow down" in str(caught.value)


async def test_an_unreachable_server_is_unavailable() -> None:
    def handler(request: httpx.Request) -> httpx.Response:
        raise httpx.ConnectError("refused")

    with pytest.raises(Retryable) as caught:
        await collect(chat(handler), seconds=0.5)
    assert caught.value.reason == "LLM_UNAVAILABLE"


@pytest.mark.parametrize(
    ("content", "kind", "reason"),
    [
        (sse("so long", finish="length"), LimitExceeded, "LLM_ANSWER_TOO_LONG"),
        (sse("half", finish="", done=False), Retryable, "LLM_STREAM_CUT"),
        (b'data: {"choices":[{"delta":{"content":"a"}}]}\n\ndata: {"error":{"message":"engine died"}}\n\n',
         Retryable, "LLM_STREAM_CUT"),
        (b'data: {"choices":[{"delta":{"content":"a"}}]}\n\ndata: {broken\n\n', Retryable, "LLM_STREAM_CUT"),
    ],
)  # fmt: skip
async def test_an_answer_that_breaks_off_is_an_error_and_never_repeated(
    content: bytes, kind: type[TidegraphError], reason: str
) -> None:
    calls: list[int] = []

    def handler(request: httpx.Request) -> httpx.Response:
        calls.append(1)
        return httpx.Response(200, content=content)

    with pytest.raises(kind) as caught:
        await collect(chat(handler))
    assert caught.value.reason == reason
    assert len(calls) == 1


async def test_raw_control_characters_in_strings_are_taken() -> None:
    content = b'data: {"choices":[{"delta":{"content":"a\tb"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n'
    assert await collect(chat(lambda _: httpx.Response(200, content=content))) == ["a\tb"]


async def test_the_model_is_asked_for_when_none_is_configured() -> None:
    def handler(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/models"):
            return httpx.Response(200, json={"data": [{"id": "served-1"}]})
        assert json.loads(request.content)["model"] == "served-1"
        return httpx.Response(200, content=sse("ok"))

    client = chat(handler, model="")
    assert await collect(client) == ["ok"]
    assert client.model_id == "served-1"
    with pytest.raises(Rejected) as caught:
        await chat(handler, model="other").resolve_model(1.0)
    assert caught.value.reason == "LLM_MODEL_UNKNOWN"


async def stalling_server() -> AsyncIterator[tuple[asyncio.Server, int]]:
    """Sends one piece over a real socket, then nothing."""

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n")
        writer.write(b'data: {"choices":[{"delta":{"content":"first"}}]}\n\n')
        await writer.drain()
        await reader.read()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    yield server, server.sockets[0].getsockname()[1]
    server.close()


async def test_a_piece_is_passed_on_at_once_and_a_stall_ends_at_the_deadline() -> None:
    async for _, port in stalling_server():
        client = OpenAiChat(ChatOptions(f"http://127.0.0.1:{port}", "tiny", ""))
        pieces: list[str] = []

        async def read(client: OpenAiChat = client, pieces: list[str] = pieces) -> None:
            async for piece in client.stream("s", "u", 8, 0.3):
                pieces.append(piece)  # noqa: PERF401 (what came before the error is looked at)

        with pytest.raises(Retryable) as caught:
            await read()
        assert pieces == ["first"]
        assert caught.value.reason == "LLM_TIMEOUT"
        await client.close()
