# ruff: noqa: E501 (records and facts stay on one line)
"""The mappings that ship with the package, on feeds as systems send them, from the record to the facts."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tidegraph import settings
from tidegraph.domain.errors import Rejected
from tidegraph.domain.interval import OPEN_END, format_instant, instant
from tidegraph.language.records import READY
from tidegraph.log.status import Outcome
from tidegraph.models.clock import FixedClock
from tidegraph.ports import FactFilter, Visibility
from tidegraph.storage.memory import MemoryStatusStore
from tidegraph.streams.inprocess import InProcess
from tidegraph.streams.setup import envelope_decoder

NOW = instant(2026, 1, 1)
Record = dict[str, Any]
Sent = tuple[bytes | None, bytes, tuple[tuple[str, bytes], ...]]
Row = tuple[str, str, str, str, str]


def plain(record: Record, number: int) -> Sent:
    return None, json.dumps(record).encode(), ()


def structured(record: Record, number: int) -> Sent:
    """CloudEvents, structured content mode."""
    event = {"specversion": "1.0", "id": f"e{number}", "type": "changed", "source": "/feed", "data": record}
    return None, json.dumps(event).encode(), (("content-type", b"application/cloudevents+json"),)


def binary(record: Record, number: int) -> Sent:
    """CloudEvents, binary content mode."""
    attributes = {"specversion": "1.0", "id": f"e{number}", "type": "changed", "source": "/feed"}
    headers = tuple((f"ce_{name}", value.encode()) for name, value in attributes.items())
    return None, json.dumps(record).encode(), (("content-type", b"application/json"), *headers)


def debezium(record: Record, number: int) -> Sent:
    """A change event of a database without its schema wrapper; the record is one row with JSON columns."""
    key = next(record[name] for name in ("change_id", "host", "policy_id") if name in record)
    source = {
        "connector": "postgresql",
        "db": "ops",
        "schema": "public",
        "table": "feed",
        "ts_ms": 1_700_000_000_000,
    }
    event = {
        "op": "c" if number == 0 else "u",
        "before": None,
        "after": record,
        "source": source,
        "ts_ms": 1_700_000_000_000,
    }
    return json.dumps({"id": key}).encode(), json.dumps(event).encode(), ()


ENVELOPES = {"plain": plain, "structured": structured, "binary": binary, "debezium": debezium}


async def facts(mapping: str, records: list[Record], envelope: str) -> set[Row]:
    """Subject, predicate with qualifiers, object, from, until of what is believed after the feed."""
    configured = settings.load({"TIDEGRAPH_MAPPING_FILE": mapping})
    pipeline = InProcess.in_memory(configured, encoder="hashing", clock=FixedClock(NOW))
    for number, record in enumerate(records):
        await pipeline.append(*ENVELOPES[envelope](record, number))
    await pipeline.settle()
    assert isinstance(pipeline.status, MemoryStatusStore)
    summary = await pipeline.status.summary("default")
    assert summary.get(Outcome.DEAD_LETTER, 0) == 0
    seen = Visibility(OPEN_END - 1, None)
    found = await pipeline.store.facts("default", FactFilter(limit=1_000), seen)
    names = {e.entity_id: e.name for e in await pipeline.store.all_entities("default")}
    return {
        (
            names[each.subject],
            ", ".join((each.predicate, *(f"{name}={value}" for name, value in each.qualifiers))),
            names.get(each.object, each.object),
            format_instant(each.valid.start)[:10],
            format_instant(each.valid.end)[:10],
        )
        for each in found
    }


def change(number: int, at: str, who: str, event: str, effective: str, **more: str) -> Record:
    record = {"change_id": f"c-{number}", "changed_at": f"{at}T09:00:00Z", "employee": {"name": who}}
    return {**record, "company": "Harrow Instruments", "event": event, "effective_date": effective, **more}


HR = [
    change(1, "2023-01-10", "Ada Poll", "hired", "2023-02-01", job_title="head of procurement", team="supply team"),
    change(2, "2023-05-02", "Bren Holvik", "hired", "2023-05-15", job_title="buyer", team="supply team", manager="Ada Poll"),
    change(3, "2024-02-20", "Ada Poll", "promoted", "2024-03-01", job_title="chief operating officer", previous_job_title="head of procurement"),
    change(4, "2024-02-21", "Bren Holvik", "promoted", "2024-03-01", job_title="head of procurement", previous_job_title="buyer"),
    change(5, "2025-05-30", "Bren Holvik", "resigned", "2025-07-01", job_title="head of procurement", team="supply team", manager="Ada Poll"),
]  # fmt: skip
HR_FACTS = {
    ("Ada Poll", "employer", "Harrow Instruments", "2023-02-01", ".."),
    ("Ada Poll", "holds_role, role=head of procurement", "Harrow Instruments", "2023-02-01", "2024-03-01"),
    ("Ada Poll", "holds_role, role=chief operating officer", "Harrow Instruments", "2024-03-01", ".."),
    ("Ada Poll", "member_of", "supply team", "2023-02-01", ".."),
    ("Bren Holvik", "employer", "Harrow Instruments", "2023-05-15", "2025-07-01"),
    ("Bren Holvik", "holds_role, role=buyer", "Harrow Instruments", "2023-05-15", "2024-03-01"),
    ("Bren Holvik", "holds_role, role=head of procurement", "Harrow Instruments", "2024-03-01", "2025-07-01"),
    ("Bren Holvik", "member_of", "supply team", "2023-05-15", "2025-07-01"),
    ("Bren Holvik", "reports_to", "Ada Poll", "2023-05-15", "2025-07-01"),
}


def asset(since: str, **fields: str) -> Record:
    return {"host": "db-14", "since": f"{since}T08:00:00Z", **fields}


CMDB = [
    asset("2024-01-05", owner="storage team", status="active", version="15.6", location="Leeds", environment="production"),
    asset("2024-09-01", owner="storage team", status="active", version="16.2", location="Leeds", environment="production"),
    asset("2025-03-10", owner="platform team", status="active", version="16.2", location="Utrecht", environment="production"),
    asset("2025-11-20", owner="platform team", status="retired", version="16.2", location="Utrecht", environment="production"),
]  # fmt: skip
CMDB_FACTS = {
    ("db-14", "owner", "storage team", "2024-01-05", "2025-03-10"),
    ("db-14", "owner", "platform team", "2025-03-10", ".."),
    ("db-14", "status, environment=production", "active", "2024-01-05", "2025-11-20"),
    ("db-14", "status, environment=production", "retired", "2025-11-20", ".."),
    ("db-14", "version, environment=production", "15.6", "2024-01-05", "2024-09-01"),
    ("db-14", "version, environment=production", "16.2", "2024-09-01", ".."),
    ("db-14", "located_in", "Leeds", "2024-01-05", "2025-03-10"),
    ("db-14", "located_in", "Utrecht", "2025-03-10", ".."),
}


def policy(at: str, effective: str, status: str, *values: tuple[str, str, str]) -> Record:
    return {
        "policy_id": "P-7",
        "name": "Data retention policy",
        "changed_at": f"{at}T10:00:00Z",
        "owner": "privacy team",
        "status": status,
        "effective_from": effective,
        "settings": [{"name": name, "value": value, "region": region} for name, value, region in values],
    }


POLICY = [
    policy("2024-02-01", "2024-03-01", "approved", ("retention period", "90 days", "EU"), ("retention period", "180 days", "US")),
    policy("2025-01-15", "2025-02-01", "approved", ("retention period", "60 days", "EU"), ("retention period", "180 days", "US")),
]  # fmt: skip
POLICY_FACTS = {
    ("Data retention policy", "has_value, attribute=retention period, region=eu", "90 days", "2024-03-01", "2025-02-01"),
    ("Data retention policy", "has_value, attribute=retention period, region=eu", "60 days", "2025-02-01", ".."),
    ("Data retention policy", "has_value, attribute=retention period, region=us", "180 days", "2024-03-01", ".."),
    ("Data retention policy", "owner", "privacy team", "2024-03-01", ".."),
    ("Data retention policy", "status", "approved", "2024-02-01", ".."),
}  # fmt: skip

FEEDS = {
    "hr_changes": (HR, HR_FACTS),
    "cmdb_assets": (CMDB, CMDB_FACTS),
    "policy_register": (POLICY, POLICY_FACTS),
}


def test_every_ready_mapping_has_its_feed() -> None:
    assert set(FEEDS) == set(READY)


@pytest.mark.parametrize("envelope", ENVELOPES)
@pytest.mark.parametrize("mapping", FEEDS)
async def test_a_feed_becomes_its_facts(mapping: str, envelope: str) -> None:
    records, expected = FEEDS[mapping]
    assert await facts(mapping, records, envelope) == expected


@pytest.mark.parametrize("mapping", FEEDS)
async def test_the_order_of_arrival_does_not_matter(mapping: str) -> None:
    records, expected = FEEDS[mapping]
    assert await facts(mapping, records[::-1], "plain") == expected


def test_a_mapping_file_is_checked_when_the_stage_starts(tmp_path: Any) -> None:
    wrong = tmp_path / "feed.yaml"
    wrong.write_text(
        "document:\n  id: /id\nassertions:\n  - subject: name\n    predicate: {text: uses}\n    objekt: x\n"
    )
    with pytest.raises(Rejected, match=r"feed.yaml, line 6: unknown field 'objekt'") as caught:
        envelope_decoder(settings.load({"TIDEGRAPH_MAPPING_FILE": str(wrong)}))
    assert caught.value.reason == "INVALID_MAPPING"
