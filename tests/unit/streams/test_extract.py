"""The extract stage: which extractor the settings choose, and a document through it to the graph."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
from tests.unit.llm.honest_server import serving

from tidegraph import settings
from tidegraph.domain.documents import ExtractedDocument
from tidegraph.domain.epochs import extractor_of
from tidegraph.domain.errors import Rejected
from tidegraph.domain.interval import instant
from tidegraph.language.extractor import LanguageExtractor
from tidegraph.log.codecs import decode
from tidegraph.log.topics import Topic
from tidegraph.models.clock import FixedClock
from tidegraph.streams.extractors import make_extractor
from tidegraph.streams.inprocess import InProcess
from tidegraph.streams.stages.extract import ExtractHandler
from tidegraph.telemetry import REGISTRY

NOW = instant(2024, 5, 1)
TEXT = "Ada Poll joined the Docs Team on 3 March 2020."


@pytest.fixture
def server() -> Iterator[str]:
    with serving() as url:
        yield url


def seconds(extractor: str) -> float:
    return REGISTRY.get_sample_value("tidegraph_extraction_seconds_count", {"extractor": extractor}) or 0.0


async def read(**environment: str) -> ExtractedDocument:
    pipeline = InProcess.in_memory(settings.load(environment), encoder="hashing", clock=FixedClock(NOW))
    await pipeline.append(b"d", json.dumps({"id": "d", "text": TEXT}).encode())
    await pipeline.settle()
    (record,) = pipeline.log.records(Topic.EXTRACTED, 0, 0, 10)
    assert record.value is not None
    return decode(ExtractedDocument, record.value)


async def test_the_language_model_reads_when_the_settings_say_so(server: str) -> None:
    before = seconds("llm"), seconds("language")
    found = await read(TIDEGRAPH_EXTRACTOR="llm", TIDEGRAPH_LLM_URL=server)
    assert found.extractor_epoch.startswith("llm-1-extract.v1-tiny+language-")
    assert [event.extractor for event in found.events] == ["llm"]
    assert [a.predicate for a in found.assertions] == ["member_of"]
    assert (seconds("llm") - before[0], seconds("language") - before[1]) == (1, 0)


async def test_the_rules_read_otherwise() -> None:
    before = seconds("language")
    found = await read()
    assert extractor_of(found.extractor_epoch) == "language"
    assert [event.extractor for event in found.events] == ["language"]
    assert seconds("language") - before == 1


def test_the_default_extractor_asks_nothing_of_the_outside() -> None:
    assert isinstance(make_extractor(settings.load({})), LanguageExtractor)


def test_a_recogniser_without_its_extra_is_refused_with_what_to_install() -> None:
    with pytest.raises(Rejected, match=r"tidegraph\[ner\]") as caught:
        make_extractor(settings.load({"TIDEGRAPH_NER_MODEL": "dslim/bert-base-NER"}))
    assert (caught.value.reason, caught.value.metadata) == ("MISSING_EXTRA", {"extra": "ner"})


def test_a_recogniser_that_cannot_be_loaded_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    def load(model: str) -> None:
        raise OSError(model)

    library = SimpleNamespace(AutoTokenizer=SimpleNamespace(from_pretrained=load))
    monkeypatch.setitem(sys.modules, "transformers", library)
    monkeypatch.setitem(sys.modules, "torch", SimpleNamespace())
    with pytest.raises(Rejected, match="'no-such-model'") as caught:
        make_extractor(settings.load({"TIDEGRAPH_NER_MODEL": "no-such-model"}))
    assert caught.value.reason == "NER_MODEL_NOT_FOUND"


def test_a_model_server_that_is_away_does_not_keep_a_worker_from_starting() -> None:
    environment = {"TIDEGRAPH_EXTRACTOR": "llm", "TIDEGRAPH_LLM_URL": "http://127.0.0.1:9"}
    ExtractHandler(make_extractor(settings.load(environment)), FixedClock(NOW)).warm_up()


def test_a_model_that_is_not_served_does(server: str) -> None:
    environment = {"TIDEGRAPH_EXTRACTOR": "llm", "TIDEGRAPH_LLM_URL": server, "TIDEGRAPH_LLM_MODEL": "x"}
    with pytest.raises(Rejected, match="does not serve 'x'"):
        ExtractHandler(make_extractor(settings.load(environment)), FixedClock(NOW)).warm_up()
