"""The extractor that the settings name, with what it needs of the outside."""

from __future__ import annotations

from collections.abc import Callable

from tidegraph.language.extractor import LanguageExtractor
from tidegraph.language.llm.asking import Asker
from tidegraph.language.llm.extractor import LlmExtractor
from tidegraph.language.llm.judging import ModelJudge
from tidegraph.language.registry import load_registry
from tidegraph.models.budget import process_budget
from tidegraph.models.metering import Meter
from tidegraph.models.prompts import load_prompt
from tidegraph.models.structured import OpenAiStructured, StructuredOptions
from tidegraph.models.token_classifier import TokenClassifier
from tidegraph.ports import AnswerCache, Extractor, StructuredModel
from tidegraph.settings import Settings
from tidegraph.storage.answers import RedisAnswerCache

PROMPT = "extract.v1"
STAGE = "extract"
JUDGE_PROMPT = "judge.v1"
JUDGE_STAGE = "judge"


def make_extractor(settings: Settings) -> Extractor:
    """The extractor by rules, or the one by a language model with the rules behind it.

    Its ``epoch`` is the present one: what was read under another is stale (``domain.epochs``).

    Raises:
        Rejected: the recogniser's model or its extra is missing.
    """
    language = _language(settings)
    if settings.extraction.extractor != "llm":
        return language("")
    asker = Asker(
        model=_model(settings, STAGE, settings.extraction.timeout_seconds),
        prompt=load_prompt(PROMPT),
        registry=load_registry(settings.predicates_file),
        max_tokens=settings.extraction.max_tokens,
        cache=_cache(settings),
    )
    return LlmExtractor(asker, language, settings.llm.concurrency)


def _language(settings: Settings) -> Callable[[str], LanguageExtractor]:
    named = settings.extraction.ner_model
    recogniser = TokenClassifier(named) if named else None

    def language(epoch: str) -> LanguageExtractor:
        return LanguageExtractor(recogniser=recogniser, epoch=epoch)

    return language


def make_judge(settings: Settings) -> ModelJudge | None:
    """Who judges pairs of ids that the rules leave open; nobody unless the settings say so."""
    if not settings.resolution.judge:
        return None
    model = _model(settings, JUDGE_STAGE, settings.llm.timeout_seconds)
    return ModelJudge(model, load_prompt(JUDGE_PROMPT), _cache(settings))


def _model(settings: Settings, stage: str, timeout_seconds: float) -> StructuredModel:
    llm = settings.llm
    options = StructuredOptions(
        url=llm.url,
        model=llm.model,
        api_key=llm.api_key,
        timeout_seconds=timeout_seconds,
        meter=Meter(stage, llm.prompt_price, llm.completion_price),
    )
    return OpenAiStructured(options, process_budget(llm.concurrency, llm.tokens_per_minute))


def _cache(settings: Settings) -> AnswerCache | None:
    store, days = settings.store, settings.extraction.cache_days
    return RedisAnswerCache(store.url, store.graph_prefix, days) if store.url and days else None
