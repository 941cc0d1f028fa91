"""Events of an entity from the last one back: a bound leaves out the earliest."""

from __future__ import annotations

import pytest
from tests.contracts import samples as s
from tests.contracts.test_store_reads import some_events

from tidegraph.domain.interval import Interval
from tidegraph.ports import GraphStore
from tidegraph.storage.visibility import EVERYTHING


@pytest.mark.parametrize(
    ("valid", "limit", "names"),
    [
        (None, 10, ["2023", "2020", "static new", "static old", "unresolved"]),
        (None, 1, ["2023"]),
        (Interval(s.at(2019), s.at(2024)), 10, ["2023", "2020"]),
        (Interval(s.at(2019), s.at(2024)), 1, ["2023"]),
        (Interval(s.at(2019), s.at(2021)), 1, ["2020"]),
    ],
)
async def test_events_by_entity_from_the_last_back(
    store: GraphStore, graph: str, valid: Interval | None, limit: int, names: list[str]
) -> None:
    ids = await some_events(store, graph)
    acme = s.entity_id(graph, "Acme")
    records = await store.events_of(graph, [acme], valid, EVERYTHING, limit, last=True)
    found = [row.event.event_id for row in records]
    dated = [name for name in names if name[0] == "2"]
    assert found[: len(dated)] == [ids[name] for name in dated]
    assert sorted(found) == sorted(ids[name] for name in names)
