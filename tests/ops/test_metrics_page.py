"""Every metric is declared once, told in docs/metrics.md as it is declared, and used by the product."""

from __future__ import annotations

import re

from prometheus_client import Counter, Gauge, Histogram
from prometheus_client.metrics import MetricWrapperBase
from tests.ops.repository import ROOT, SOURCE_ROOTS, python_files, relative

from tidegraph.telemetry import metrics

PAGE = (ROOT / "docs" / "metrics.md").read_text()
KINDS = {Counter: "counter", Gauge: "gauge", Histogram: "histogram"}


def declared() -> dict[str, MetricWrapperBase]:
    """{name in code: metric} of all that telemetry declares."""
    return {name: each for name, each in vars(metrics).items() if isinstance(each, MetricWrapperBase)}


def exposed_name(metric: MetricWrapperBase) -> str:
    return metric._name + ("_total" if isinstance(metric, Counter) else "")


def test_every_metric_is_told_as_it_is_declared_and_no_other() -> None:
    rows = re.findall(r"^\| `(tidegraph_\w+)` \| (\w+) \| (.*?)\| .*\|$", PAGE, re.M)
    told = {name: (kind, tuple(re.findall(r"`(\w+)`", labels))) for name, kind, labels in rows}
    found = {exposed_name(each): (KINDS[type(each)], each._labelnames) for each in declared().values()}
    assert told == found


def test_every_metric_is_used() -> None:
    sources = [path for path in python_files() if relative(path).startswith(SOURCE_ROOTS)]
    text = "\n".join(path.read_text() for path in sources if "/telemetry/" not in relative(path))
    assert [name for name in declared() if not re.search(rf"\bmetrics\.{name}\b", text)] == []


def test_alerts_speak_of_metrics_that_exist() -> None:
    names = {exposed_name(each) for each in declared().values()}
    conditions = PAGE.split("## What to alert on", 1)[1]
    assert set(re.findall(r"tidegraph_\w+", conditions)) <= names
