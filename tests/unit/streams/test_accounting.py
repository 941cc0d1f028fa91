"""What a batch changed, by action and by the document that caused it."""

from __future__ import annotations

import pytest

from tidegraph.domain.documents import Position
from tidegraph.log.status import StatusRecord
from tidegraph.ports import ChangeRow
from tidegraph.streams.accounting import account
from tidegraph.telemetry import metrics


def change(action: str, at: int) -> ChangeRow:
    return ChangeRow(f"{action}{at}", 1, action, "e", "v", at, "")


def document(name: str, at: int) -> StatusRecord:
    return StatusRecord(
        Position("documents", 0, 0, ""), "g", name, "1", "write", "committed", "", at, at, 1, 1
    )


def bursts() -> float:
    return metrics.REGISTRY.get_sample_value("tidegraph_invalidation_bursts_total") or 0.0


def invalidations() -> tuple[float, float]:
    """(documents, facts) so far."""
    name = "tidegraph_document_invalidations"
    return tuple(metrics.REGISTRY.get_sample_value(f"{name}_{part}") or 0.0 for part in ("count", "sum"))  # type: ignore[return-value]


def test_changes_are_counted_by_action() -> None:
    def counted(action: str) -> float:
        return metrics.REGISTRY.get_sample_value("tidegraph_fact_changes_total", {"action": action}) or 0.0

    before = counted("bounded"), counted("reopened")
    account("g", [change("bounded", 5), change("bounded", 6), change("reopened", 5)], [], 100)
    assert (counted("bounded"), counted("reopened")) == (before[0] + 2, before[1] + 1)


def test_each_document_counts_with_what_it_invalidated() -> None:
    documents, facts = invalidations()
    rows = [change("asserted", 10), change("superseded", 10), change("bounded", 20), change("retracted", 20)]
    account("g", rows, [document("a", 10), document("b", 20), document("c", 30)], 100)
    assert invalidations() == (documents + 3, facts + 3)


def test_a_burst_names_its_document_even_where_it_moves_an_earlier_belief(
    caplog: pytest.LogCaptureFixture,
) -> None:
    before = bursts()
    account("g", [change("bounded", at) for at in (25, 26, 27)], [document("a", 10), document("late", 20)], 2)
    assert bursts() == before + 1
    assert "'late'" in caplog.text
    assert "invalidated 3 facts" in caplog.text


def test_a_document_at_the_limit_is_no_burst() -> None:
    before = bursts()
    account("g", [change("bounded", 10)] * 2, [document("a", 10)], 2)
    assert bursts() == before
