"""Canary facts are found while they are believed, and missed as soon as they are not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.unit.streams.test_rebuild import GRAPH, pipeline

from tidegraph.domain.errors import Rejected
from tidegraph.domain.interval import instant
from tidegraph.streams.canaries import Canary, CanaryWatch, load_canaries, violated
from tidegraph.streams.inprocess import InProcess
from tidegraph.telemetry import metrics

TEXT = "Ann Roe was appointed CEO of Nova Ltd on 1 May 2020."


async def told() -> InProcess:
    running = pipeline(1)
    await running.append(b"a", json.dumps({"id": "a", "text": TEXT}).encode())
    await running.settle()
    return running


def ann(**fields: object) -> Canary:
    return Canary(**{"graph": GRAPH, "subject": "Ann Roe", "predicate": "", "object": "Nova Ltd"} | fields)  # type: ignore[arg-type]


async def test_a_canary_holds_while_its_fact_is_believed() -> None:
    running = await told()
    now = running.clock.now()
    holding = [ann(), ann(object=""), ann(subject="ann roe"), ann(valid_at=instant(2020, 5, 1))]
    missing = [
        ann(object="Nowhere Ltd"),
        ann(predicate="reports_to"),
        ann(subject="Bob Lee"),
        ann(graph="other"),
        ann(valid_at=instant(2020, 4, 30)),
    ]
    assert await violated(running.store, holding + missing, now) == missing
    await running.append(b"a", None, (("x-doc-id", b"a"),))
    await running.settle()
    assert await violated(running.store, holding, now) == holding


async def test_the_watch_reports_each_loss_once(caplog: pytest.LogCaptureFixture) -> None:
    running = await told()
    watch = CanaryWatch(running.store, (ann(), ann(object="Nowhere Ltd")), running.clock)
    gone = await watch.look(set())
    assert await watch.look(gone) == gone == {ann(object="Nowhere Ltd")}
    assert metrics.REGISTRY.get_sample_value("tidegraph_canaries_violated", {"graph": GRAPH}) == 1
    assert caplog.text.count("Nowhere Ltd") == 1


def test_a_file_of_canaries(tmp_path: Path) -> None:
    path = tmp_path / "canaries.toml"
    path.write_text(
        '[[canary]]\nsubject = "Ann Roe"\n'
        '[[canary]]\ngraph = "g"\nsubject = "Nova"\npredicate = "p"\nobject = "o"\nvalid_at = 2022-06-01\n'
    )
    assert load_canaries(str(path), "default") == (
        Canary("default", "Ann Roe", "", ""),
        Canary("g", "Nova", "p", "o", instant(2022, 6, 1)),
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "1 to 1000 tables"),
        ('[[canary]]\nobject = "x"', "at least its subject"),
        ('[[canary]]\nsubject = "x"\nsince = 2020-01-01', "no field 'since'"),
        ('[[canary]]\nsubject = "x"\nvalid_at = "2020"', "valid_at is a date"),
        ("[[canary", "canaries.toml"),
    ],
)
def test_what_is_no_canary_is_told(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "canaries.toml"
    path.write_text(text)
    with pytest.raises(Rejected, match=message) as caught:
        load_canaries(str(path), "default")
    assert caught.value.reason == "INVALID_CANARIES"
