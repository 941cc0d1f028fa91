"""docs/topics.md says what the table of topics in code says."""

from __future__ import annotations

import re

from tests.ops.repository import ROOT

from tidegraph.log.topics import TOPICS, TopicSpec

PAGE = (ROOT / "docs" / "topics.md").read_text()


def kept_for(spec: TopicSpec) -> str:
    days = int(spec.retention_ms) // 86_400_000
    return "for good" if spec.retention_ms == "-1" else f"{days} days"


def test_every_topic_is_told_as_it_is_declared() -> None:
    rows = re.findall(r"^\| `([a-z-]+)` \| (.*?) \| (.*?) \| (.*?) \| .*\|$", PAGE, re.M)
    told = {name: (key, cleanup, kept) for name, key, cleanup, kept in rows}
    declared = {spec.topic.value: (spec.key, spec.cleanup, kept_for(spec)) for spec in TOPICS.values()}
    assert {name: told.get(name) for name in declared} == declared


def test_which_topics_take_the_brokers_time_and_which_are_public() -> None:
    sentences = {
        "broker": re.search(r"^(.*) ask the broker for `LogAppendTime`", PAGE, re.M),
        "public": re.search(r"^(.*) are public: produce", PAGE, re.M),
    }
    named = {what: set(re.findall(r"`([a-z-]+)`", found[1])) for what, found in sentences.items() if found}
    assert named["broker"] == {spec.topic.value for spec in TOPICS.values() if spec.broker_time}
    assert named["public"] == {spec.topic.value for spec in TOPICS.values() if spec.public}
