"""The encoder behind an OpenAI-compatible server: what it asks, and how it takes what comes back."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx
import numpy as np
import pytest

from tidegraph.domain.errors import LimitExceeded, Rejected, Retryable, TidegraphError
from tidegraph.models.factory import make_encoder, make_reranker
from tidegraph.models.openai_embeddings import OpenAiEncoder
from tidegraph.models.wire import served_model
from tidegraph.settings import load
from tidegraph.storage.identity import MAX_SET, check_set

Reply = Callable[[list[str]], httpx.Response]


class Server:
    """Embeds a text as (its length, 1, 0, ...), as vLLM words its replies; remembers the requests."""

    def __init__(self, dimensions: int = 8, reply: Reply | None = None) -> None:
        self.dimensions = dimensions
        self.reply = reply or self.embed
        self.requests: list[tuple[httpx.Request, dict[str, Any]]] = []

    def __call__(self, request: httpx.Request) -> httpx.Response:
        body = json.loads(request.content)
        self.requests.append((request, body))
        return self.reply(body["input"])

    def embed(self, texts: list[str]) -> httpx.Response:
        rest = [0.0] * (self.dimensions - 2)
        rows = [
            {"object": "embedding", "index": place, "embedding": [float(len(text)), 1.0, *rest]}
            for place, text in enumerate(texts)
        ]
        usage = {"prompt_tokens": 3, "total_tokens": 3}
        body = {"object": "list", "data": rows[::-1], "model": "tiny", "usage": usage}
        return httpx.Response(200, json=body)

    def encoder(self, url: str = "http://embed.test") -> OpenAiEncoder:
        return OpenAiEncoder(url, "tiny", "secret", transport=httpx.MockTransport(self))


def test_rows_come_back_in_the_order_asked_scaled_to_one() -> None:
    server = Server()
    encoder = server.encoder()
    vectors = encoder.encode(["a", "bbb"])
    assert (encoder.model_id, encoder.dimensions, vectors.dtype) == ("tiny", 8, np.float32)
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, rtol=1e-6)
    assert vectors[0][0] / vectors[0][1] == pytest.approx(1.0)
    assert vectors[1][0] / vectors[1][1] == pytest.approx(3.0), "the server gave them the other way round"
    request, body = server.requests[-1]
    assert body == {"model": "tiny", "input": ["a", "bbb"], "encoding_format": "float"}
    assert request.headers["authorization"] == "Bearer secret"


@pytest.mark.parametrize("url", ["http://embed.test", "http://embed.test/", "http://embed.test/v1"])
def test_the_path_is_that_of_the_wire(url: str) -> None:
    server = Server()
    server.encoder(url)
    assert str(server.requests[0][0].url) == "http://embed.test/v1/embeddings"


def test_many_texts_go_in_batches() -> None:
    server = Server()
    vectors = server.encoder().encode([str(number) for number in range(150)])
    assert [len(body["input"]) for _, body in server.requests] == [1, 64, 64, 22]
    assert vectors.shape == (150, 8)


def _away(texts: list[str]) -> httpx.Response:
    raise httpx.ConnectError("refused")


@pytest.mark.parametrize(
    ("reply", "kind", "reason"),
    [
        (_away, Retryable, "ENCODER_UNAVAILABLE"),
        (lambda _: httpx.Response(429), Retryable, "ENCODER_UNAVAILABLE"),
        (lambda _: httpx.Response(503), Retryable, "ENCODER_UNAVAILABLE"),
        (lambda _: httpx.Response(404, json={"message": "no such model"}), Rejected, "ENCODER_NOT_FOUND"),
        (lambda _: httpx.Response(200, text="<html>"), Rejected, "ENCODER_NOT_FOUND"),
        (lambda _: httpx.Response(200, json={"data": []}), Rejected, "ENCODER_NOT_FOUND"),
        (lambda _: httpx.Response(200, json={"data": [{"index": 0}]}), Rejected, "ENCODER_NOT_FOUND"),
        (
            lambda _: httpx.Response(200, text='{"data": [{"index": 0, "embedding": [NaN, 1]}]}'),
            Rejected,
            "ENCODER_NOT_FOUND",
        ),
    ],
)
def test_what_goes_wrong_is_told_by_what_to_do(reply: Reply, kind: type[TidegraphError], reason: str) -> None:
    with pytest.raises(kind) as caught:
        Server(reply=reply).encoder()
    assert caught.value.reason == reason


def test_a_length_that_the_store_does_not_take_or_that_changes_is_refused() -> None:
    with pytest.raises(LimitExceeded) as caught:
        Server(5_000).encoder()
    assert caught.value.reason == "VECTOR_TOO_LONG"
    server = Server()
    encoder = server.encoder()
    server.dimensions = 16
    with pytest.raises(Rejected) as changed:
        encoder.encode(["a"])
    assert changed.value.reason == "ENCODER_CHANGED"


def test_names_of_models_that_are_not_there() -> None:
    with pytest.raises(Rejected) as caught:
        make_encoder("openai:tiny", server=load({}).embeddings)
    assert caught.value.reason == "UNKNOWN_ENCODER", "no server is named"
    assert make_reranker("") is None
    with pytest.raises(Rejected) as caught:
        make_reranker("colbert")
    assert caught.value.reason == "UNKNOWN_RERANKER"
    with pytest.raises(Rejected) as caught:
        served_model('{"object": "list", "data": []}', "")
    assert caught.value.reason == "LLM_NO_MODEL"


def test_a_set_of_ids_that_does_not_end_is_refused() -> None:
    with pytest.raises(LimitExceeded) as caught:
        check_set({f"entity-{number}" for number in range(MAX_SET + 2)}, ["entity-1"])
    assert caught.value.reason == "SET_TOO_LARGE"
