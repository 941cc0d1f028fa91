"""Settings from the environment: defaults, kinds, ranges, and no secret in what is printed."""

from __future__ import annotations

import pytest

from tidegraph.domain.errors import Rejected
from tidegraph.settings import load


def test_an_empty_variable_counts_as_unset() -> None:
    assert load({"TIDEGRAPH_PORT": "", "TIDEGRAPH_DAY_FIRST": ""}) == load({})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("TIDEGRAPH_PORT", "http"),
        ("TIDEGRAPH_PORT", "65536"),
        ("TIDEGRAPH_PORT", "-1"),
        ("TIDEGRAPH_TOPIC_PARTITIONS", "0"),
        ("TIDEGRAPH_FISCAL_START_MONTH", "13"),
        ("TIDEGRAPH_WEEK_START", "0"),
        ("TIDEGRAPH_EVENT_TOP_K", "0"),
        ("TIDEGRAPH_LLM_TIMEOUT_SECONDS", "nan"),
        ("TIDEGRAPH_LLM_CONCURRENCY", "0"),
        ("TIDEGRAPH_LLM_PROMPT_PRICE", "-1"),
        ("TIDEGRAPH_LLM_COMPLETION_PRICE", "inf"),
        ("TIDEGRAPH_LLM_CACHE_DAYS", "9999"),
        ("TIDEGRAPH_EXTRACTOR", "oracle"),
        ("TIDEGRAPH_EXTRACTOR", "llm"),  # without a model server
        ("TIDEGRAPH_EVENT_ALPHA_PER_DAY", "-0.1"),
        ("TIDEGRAPH_EVENT_DELTA_DAYS", "inf"),
        ("TIDEGRAPH_DAY_FIRST", "maybe"),
        ("TIDEGRAPH_LOG_LEVEL", "LOUD"),
        ("TIDEGRAPH_GRAPH", "a b"),
        ("TIDEGRAPH_GRAPH", "tenant-"),
    ],
)
def test_a_value_that_cannot_be_is_refused_by_name(name: str, value: str) -> None:
    with pytest.raises(Rejected, match=name) as caught:
        load({name: value})
    assert caught.value.reason == "INVALID_SETTING"


def test_the_log_level_is_read_in_any_case() -> None:
    assert load({"TIDEGRAPH_LOG_LEVEL": "debug"}).log_level == "DEBUG"


def test_no_secret_is_in_the_text_of_settings() -> None:
    settings = load({"TIDEGRAPH_KAFKA_SASL_PASSWORD": "hush-one", "TIDEGRAPH_LLM_API_KEY": "hush-two"})
    assert (settings.kafka.sasl_password, settings.llm.api_key) == ("hush-one", "hush-two")
    assert "hush" not in repr(settings)
