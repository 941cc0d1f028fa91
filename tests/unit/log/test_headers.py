from __future__ import annotations

import pytest

from tidegraph.domain.errors import Rejected
from tidegraph.log.headers import BACKFILL, backfill_instant, stamped, with_backfill


def test_backfill_is_declared_by_a_timestamp() -> None:
    headers = with_backfill([("a", b"1")], 1_600_000_000_000_000)
    assert backfill_instant(headers) == 1_600_000_000_000_000
    assert backfill_instant(with_backfill(headers, 5)) == 1_600_000_000_000_000
    assert backfill_instant(with_backfill([("a", b"1")], None)) is None


@pytest.mark.parametrize("value", [b"", b"-", b"+1", b"1e3", b"2024-01-01", b"\xff", "٣".encode(), b"9" * 30])
def test_a_wrong_backfill_time_is_rejected(value: bytes) -> None:
    with pytest.raises(Rejected) as rejected:
        backfill_instant([(BACKFILL, value)])
    assert rejected.value.reason == "INVALID_BACKFILL"


def test_an_archive_may_be_older_than_the_epoch_and_than_the_exact_range() -> None:
    day = 86_400_000_000
    assert backfill_instant([(BACKFILL, str(-5 * day + 7).encode())]) == -5 * day + 7
    assert backfill_instant([(BACKFILL, str(-180_000 * day + 7).encode())]) == -180_000 * day


def test_only_the_tracing_headers_travel() -> None:
    out = stamped([("traceparent", b"00-1"), ("ce_id", b"x"), ("X-Correlation-Id", b"c")], "ground")
    assert [name for name, _ in out] == [
        "traceparent",
        "X-Correlation-Id",
        "tidegraph-stage",
        "tidegraph-schema",
    ]
