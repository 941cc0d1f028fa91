"""Tables, key-value lines and structured records."""

from __future__ import annotations

import json

import pytest
from tests.unit.language.documents import claims, document, extract, extractor

from tidegraph.domain.documents import EndpointBasis, Status, Verb
from tidegraph.domain.errors import Rejected
from tidegraph.domain.interval import OPEN_END, OPEN_START, Granularity, instant
from tidegraph.language.record_mapping import parse_entries
from tidegraph.language.records import READY, extract_records, parse_moment, ready_mapping

TABLE = """# Harbour 2.1 Release Team

| Role | Lead | Shadows |
| --- | --- | --- |
| Lead | Ada Poll | Bren Holvik, Cato Imri |
| Docs | [Dora Quist](https://example.org) | TBD |
"""


def test_a_role_table_names_who_holds_what():
    found = extract(TABLE, title="Harbour 2.1 Release Team")
    names = {m.mention_id: m.name for m in found.mentions}
    told = {(names[a.subject.mention_id], dict(a.qualifiers)["role"]) for a in found.assertions}
    assert told == {
        ("Ada Poll", "lead"),
        ("Bren Holvik", "lead shadow"),
        ("Cato Imri", "lead shadow"),
        ("Dora Quist", "docs lead"),
    }
    assert {a.valid.start_basis for a in found.assertions} == {EndpointBasis.OBSERVED}
    assert all(
        event.mention_ids
        for event in found.events
        if "Lead" in event.sentence and "|" not in event.sentence and ":" in event.sentence
    )


def test_key_value_lines():
    found = extract(
        "Owner: Ada Poll\nRetention period: 30 days\nStatus: deprecated\n", title="Backup service"
    )
    assert set(claims(found)) == {
        ("Backup service", "owner", "Ada Poll", "state"),
        ("Backup service", "has_value", "30 days", "state"),
        ("Backup service", "status", "deprecated", "state"),
    }


def _records(mapping: str, *records: dict[str, object]):
    return extractor().extract(document("", records=tuple(json.dumps(r) for r in records), mapping=mapping))


def test_the_hr_mapping_reads_a_hire_and_a_departure():
    found = _records(
        ready_mapping("hr_changes"),
        {
            "employee": {"name": "Ada Poll"},
            "company": "Harrow",
            "event": "hired",
            "job_title": "buyer",
            "effective_date": "2020-03-01",
        },
        {
            "employee": {"name": "Bren Holvik"},
            "company": "Harrow",
            "event": "left",
            "effective_date": "2020-04-30",
        },
    )
    assert claims(found) == [
        ("Ada Poll", "employer", "Harrow", "start"),
        ("Ada Poll", "holds_role", "Harrow", "start"),
        ("Bren Holvik", "employer", "Harrow", "stop"),
    ]
    assert found.assertions[0].valid.start == instant(2020, 3, 1)
    assert (found.assertions[2].valid.start, found.assertions[2].valid.end) == (
        OPEN_START,
        instant(2020, 4, 30),
    )


def test_the_asset_mapping_keeps_the_time_of_day():
    found = _records(
        ready_mapping("cmdb_assets"),
        {"host": "db-14", "owner": "storage team", "since": "2020-05-05T08:00:00Z"},
    )
    (assertion,) = found.assertions
    assert (assertion.predicate, assertion.valid.start, assertion.valid.end) == (
        "owner",
        instant(2020, 5, 5, 8),
        OPEN_END,
    )
    assert assertion.valid.start_granularity is Granularity.SECOND


def test_the_policy_mapping_reads_each_setting_and_announces_later_ones():
    found = _records(
        ready_mapping("policy_register"),
        {
            "name": "Retention policy",
            "effective_from": "2021-01-01",
            "settings": [
                {"name": "retention period", "value": "90 days", "region": "EU"},
                {"name": "log retention", "value": 30},
            ],
        },
    )
    assert [a.object.literal for a in found.assertions] == ["90 days", "30"]
    assert {a.status for a in found.assertions} == {Status.PLANNED}
    assert ("region", "EU") in found.assertions[0].qualifiers


@pytest.mark.parametrize("name", READY)
def test_ready_mappings_are_valid(name: str):
    assert parse_entries(ready_mapping(name), name)


ENTRY = "assertions:\n  - subject: a\n    predicate: {text: uses}\n    object: b\n"


@pytest.mark.parametrize(
    ("text", "line", "said"),
    [
        ("assertions: 3\n", 1, "must be a list"),
        ("assertions:\n  - subject: a\n    object: b\n", 2, "lacks predicate"),
        (ENTRY + "    colour: red\n", 5, "unknown field 'colour'"),
        (ENTRY + "    effective: 'a['\n", 5, "not a JMESPath expression"),
        (ENTRY + "    subject_type: ship\n", 5, "'ship' is not one of"),
        (ENTRY + "    time_unit: weeks\n", 5, "'weeks' is not one of"),
        (ENTRY + "    changes: {begin: [x]}\n", 5, "'begin' is not one of"),
        (ENTRY + "    object: c\n", 5, "object is given twice"),
        ("assertions:\n  - subject: [\n", 3, "not valid YAML"),
    ],
)
def test_a_wrong_mapping_is_refused_with_its_line(text: str, line: int, said: str):
    with pytest.raises(Rejected) as caught:
        parse_entries(text, "feed.yaml")
    assert said in str(caught.value)
    assert f"line {line}" in str(caught.value)


@pytest.mark.parametrize(
    ("record", "said"),
    [
        ({"a": "x", "b": "y", "t": "soon"}, "no ISO 8601"),
        ({"b": "y"}, "subject (a) has no value"),
        ({"a": "x", "b": "y", "c": "vanished"}, "none of the words"),
        ({"a": "x", "b": "y", "t": "999999-01-01"}, "beyond any calendar"),
        ({"a": "x", "b": "y", "s": "likely"}, "confidence: 'likely' is no number"),
        ({"a": "x", "b": "y", "s": 0}, "confidence: '0' is no number"),
        ({"a": "x", "b": "y", "s": True}, "confidence: 'True' is no number"),
    ],
)
def test_a_wrong_record_names_record_and_entry(record: dict[str, str], said: str):
    mapping = ENTRY + "    effective: t\n    change: c\n    confidence: s\n"
    with pytest.raises(Rejected) as caught:
        _records(mapping, record)
    assert said in str(caught.value)
    assert "record 0, mapping line 2" in str(caught.value)


def test_a_feed_may_say_how_sure_it_is():
    mapping = ENTRY + "    confidence: s\n"
    found = [_records(mapping, {"a": "x", "b": "y", **more}).assertions[0] for more in ({"s": 0.4}, {})]
    assert [assertion.confidence for assertion in found] == [0.4, 1.0]


@pytest.mark.parametrize(
    ("unit", "number"), [("s", 1_588_672_800), ("ms", 1_588_672_800_000), ("us", 1_588_672_800_000_000),
                         ("ns", 1_588_672_800_000_000_000)]
)  # fmt: skip
def test_times_that_are_numbers_are_read_in_their_unit(unit: str, number: int):
    (assertion,) = _records(
        ENTRY + f"    effective: t\n    time_unit: {unit}\n", {"a": "x", "b": "y", "t": number}
    ).assertions
    assert assertion.valid.start == instant(2020, 5, 5, 10)


@pytest.mark.parametrize("number", [1e300, -(10**30), float("inf"), float("nan")])
def test_a_number_beyond_any_calendar_is_refused(number: float):
    with pytest.raises(Rejected, match="beyond any calendar"):
        _records(ENTRY + "    effective: t\n    time_unit: days\n", {"a": "x", "b": "y", "t": number})


def test_a_record_that_is_no_json_is_refused():
    with pytest.raises(Rejected, match="no JSON"):
        extract_records(document("", records=("{",), mapping=ENTRY), "e")


@pytest.mark.parametrize(
    ("text", "value", "granularity"),
    [
        ("2020", instant(2020), Granularity.YEAR),
        ("2020-03", instant(2020, 3), Granularity.MONTH),
        ("2020-03-04", instant(2020, 3, 4), Granularity.DAY),
        ("2020-03-04T05:06Z", instant(2020, 3, 4, 5, 6), Granularity.MINUTE),
        ("2020-03-04T05:06:07+02:00", instant(2020, 3, 4, 3, 6, 7), Granularity.SECOND),
    ],
)
def test_times_keep_their_precision(text: str, value: int, granularity: Granularity):
    moment = parse_moment(text)
    assert moment is not None
    assert (moment.instant, moment.granularity) == (value, granularity)


@pytest.mark.parametrize("text", ["soon", "2020-13-01", "2020-02-30", "20200304", ""])
def test_what_is_no_time_is_none(text: str):
    assert parse_moment(text) is None


def test_a_stop_may_leave_its_object_out():
    mapping = ENTRY + "    change: c\n"
    found = _records(mapping, {"a": "x", "c": "stop"})
    (assertion,) = found.assertions
    assert (assertion.verb, assertion.object.mention_id, assertion.object.literal) == (Verb.STOP, "", "")
