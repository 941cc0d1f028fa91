"""The schema registry over HTTP: what is an answer, and what is only something in between."""

from __future__ import annotations

import httpx
import pytest

from tidegraph.domain.errors import Retryable
from tidegraph.inputs.registry import RegisteredSchema
from tidegraph.inputs.registry_http import HttpRegistry


def registry(answer: httpx.Response) -> tuple[HttpRegistry, list[str]]:
    asked: list[str] = []

    def respond(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.path)
        return answer

    found = HttpRegistry("http://registry.example/")
    found._client = httpx.Client(base_url="http://registry.example", transport=httpx.MockTransport(respond))
    return found, asked


def test_a_schema_is_asked_for_once() -> None:
    found, asked = registry(httpx.Response(200, json={"schema": '"string"'}))
    assert found.find(3) == found.find(3) == RegisteredSchema(3, "AVRO", '"string"')
    assert asked == ["/schemas/ids/3"]


def test_an_unknown_id_is_asked_for_again() -> None:
    found, asked = registry(httpx.Response(404))
    assert found.find(3) is None
    assert found.find(3) is None
    assert len(asked) == 2


@pytest.mark.parametrize(
    "answer",
    [
        httpx.Response(503),
        httpx.Response(200, text="<html>maintenance</html>"),
        httpx.Response(200, json=["schema"]),
        httpx.Response(200, json={"message": "later"}),
    ],
)
def test_what_is_no_answer_of_a_registry_is_waited_out(answer: httpx.Response) -> None:
    found, _ = registry(answer)
    with pytest.raises(Retryable):
        found.find(3)
