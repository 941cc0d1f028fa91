"""The clients and the extractor against a real vLLM server; the model's weights are random."""

from __future__ import annotations

import contextlib
import json
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

import pytest
from tests.unit.language.documents import document
from tests.vllm.conftest import run_tiny

from tidegraph.domain.documents import ExtractedDocument
from tidegraph.domain.errors import LimitExceeded, Rejected, Retryable
from tidegraph.language.extractor import LanguageExtractor
from tidegraph.language.llm.asking import Asker
from tidegraph.language.llm.extractor import LlmExtractor
from tidegraph.language.llm.schema import Limits, misfit, schema
from tidegraph.language.registry import load_registry
from tidegraph.models.budget import Budget
from tidegraph.models.metering import Meter
from tidegraph.models.openai_chat import ChatOptions, OpenAiChat
from tidegraph.models.prompts import load_prompt
from tidegraph.models.structured import OpenAiStructured, StructuredOptions
from tidegraph.telemetry import REGISTRY

pytestmark = [pytest.mark.vllm, pytest.mark.timeout(900)]
TEXT = "Ada Poll joined the docs team on 3 March 2020. She left Harrow Instruments in 2019."
SMALL = Limits(events=2, quote=40, names=1, name=12, times=1, facts=1, qualifiers=1)


def model(url: str, name: str = "tiny") -> OpenAiStructured:
    return OpenAiStructured(StructuredOptions(url, name, "", 240.0, Meter("vllm")), Budget(4))


def language(epoch: str) -> LanguageExtractor:
    return LanguageExtractor(epoch=epoch)


def extractor(url: str, limits: Limits, max_tokens: int) -> LlmExtractor:
    asker = Asker(
        model(url), load_prompt("extract.v1"), load_registry(), max_tokens=max_tokens, limits=limits
    )
    return LlmExtractor(asker, language, 4)


def test_the_served_model_is_found_and_another_one_refused(vllm_url: str):
    assert model(vllm_url, "").resolve() == "tiny"
    with pytest.raises(Rejected) as caught:
        model(vllm_url, "large").resolve()
    assert caught.value.reason == "LLM_MODEL_UNKNOWN"


def test_the_server_keeps_to_the_form_of_answers(vllm_url: str):
    form = schema(SMALL)
    asked = [f"List the events, please ({number})." for number in range(6)]
    client = model(vllm_url)
    with ThreadPoolExecutor(4) as threads:
        answers = list(
            threads.map(lambda text: client.complete("You list events.", text, form, 3_000), asked)
        )
    whole = [answer for answer in answers if answer.finish == "stop"]
    assert whole, [answer.finish for answer in answers]
    for answer in whole:
        assert misfit(json.loads(answer.text, strict=False), form) == ""
        assert answer.prompt_tokens > 0
        assert answer.completion_tokens > 0


def test_an_answer_that_runs_into_its_limit_says_so(vllm_url: str):
    assert model(vllm_url).complete("You list events.", TEXT, schema(Limits()), 2).finish == "length"


def test_a_request_beyond_the_context_is_refused_and_may_be_asked_smaller(vllm_url: str):
    with pytest.raises(Rejected) as caught:
        model(vllm_url).complete("s", "u", schema(SMALL), 100_000)
    assert caught.value.reason == "LLM_REJECTED"


def test_a_form_that_the_server_does_not_know_is_refused(vllm_url: str):
    with pytest.raises(Rejected) as caught:
        model(vllm_url).complete("s", "u", {"type": "string", "pattern": "("}, 16)
    assert caught.value.reason == "LLM_REJECTED"


def by_whom(found: ExtractedDocument) -> set[str]:
    return {event.extractor for event in found.events}


@pytest.mark.parametrize(("limits", "max_tokens"), [(SMALL, 3_000), (Limits(), 64)])
def test_what_a_model_makes_up_or_cannot_finish_is_read_by_the_rules(
    vllm_url: str, limits: Limits, max_tokens: int
):
    found = extractor(vllm_url, limits, max_tokens).extract(document(TEXT, title="Docs team"))
    assert found.extractor_epoch.startswith("llm-")
    assert "-tiny+language-" in found.extractor_epoch
    assert by_whom(found) == {"language"}
    plain = LanguageExtractor().extract(document(TEXT, title="Docs team"))
    assert [e.sentence for e in found.events] == [e.sentence for e in plain.events]
    assert [a.predicate for a in found.assertions] == [a.predicate for a in plain.assertions]


async def test_the_chat_client_streams_an_answer(vllm_url: str):
    chat = OpenAiChat(ChatOptions(vllm_url, "", ""), budget=Budget(1), meter=Meter("chat"))
    pieces: list[str] = []
    try:
        # A random model seldom stops by itself.
        with contextlib.suppress(LimitExceeded):
            async for piece in chat.stream("You answer.", "Who left?", 24, 120.0):
                pieces.append(piece)  # noqa: PERF401 (what came before a failure counts)
        assert pieces
        assert chat.model_id == "tiny"
        counted = REGISTRY.get_sample_value("tidegraph_llm_tokens_total", {"stage": "chat", "kind": "prompt"})
        assert counted
        assert counted > 10
    finally:
        await chat.close()


def test_a_server_that_is_gone_is_waited_for():
    client = OpenAiStructured(
        StructuredOptions("http://127.0.0.1:9", "tiny", "", 5.0, Meter("vllm")),
        Budget(1),
        sleep=lambda _: None,
    )
    with pytest.raises(Retryable) as caught:
        client.complete("s", "u", schema(SMALL), 16)
    assert caught.value.reason == "LLM_UNAVAILABLE"


def test_any_token_classifier_finds_names(vllm_python: Path, tmp_path: Path):
    """The recogniser runs in the environment that has transformers; long texts are read in pieces."""
    texts = ["Ada Poll joined Harrow Instruments.", "", "Zed. " * 200]
    answer = json.loads(run_tiny(vllm_python, "names", tmp_path, json.dumps(texts)))
    found = answer["names"]
    assert [bool(names) for names in found] == [True, False, True]
    for text, names in zip(texts, found, strict=True):
        for start, end, kind in names:
            assert text[start:end].strip()
            assert kind in {"PERSON", "ORGANISATION", "PLACE", "OTHER", "UNSPECIFIED"}
        assert all(first[1] <= second[0] for first, second in pairwise(names))
    assert max(end for _, end, _ in found[2]) > 500
    assert answer["refused"] == "NER_MODEL_NOT_FOUND"
