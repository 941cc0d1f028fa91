"""What an erasure concerns, by document, name and id; and its certificate."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest
from tests.unit.streams.test_rebuild import GRAPH, pipeline

from tidegraph.domain.errors import LimitExceeded, NotFound, Rejected
from tidegraph.events.v1 import records_pb2
from tidegraph.log.topics import Topic
from tidegraph.services.caller import Caller
from tidegraph.services.usecases import erase
from tidegraph.streams.inprocess import InProcess

CALLER = Caller(GRAPH, None, "r")
TEXTS = {
    "a": "Ann Roe was appointed CEO of Nova Ltd on 1 May 2020.",
    "b": "Bob Lee was appointed CEO of Nova Ltd on 1 June 2021.",
}


async def world() -> tuple[InProcess, Any]:
    running = pipeline(1)
    for name, text in TEXTS.items():
        await running.append(name.encode(), json.dumps({"id": name, "text": text}).encode())
    await running.settle()
    return running, SimpleNamespace(log=running.log, status=running.status, store=running.store)


async def test_a_document_is_erased_with_who_and_why() -> None:
    running, ports = await world()
    position = await erase.erase_document(ports, CALLER, "a", "request 7")
    with pytest.raises(NotFound, match="NO_CERTIFICATE"):
        await erase.certificate(ports, position)
    await running.settle()
    told = json.loads(await erase.certificate(ports, position))
    assert (told["document_id"], told["reason"], told["actor"]) == ("a", "request 7", "operator")
    assert (await running.status.get([position]))[0].outcome == "committed"
    assert (await running.store.counts(GRAPH))["documents"] == 1


@pytest.mark.parametrize("by", ["name", "id"])
async def test_a_person_is_named_by_name_or_id(by: str) -> None:
    running, ports = await world()
    (ann,) = (await running.store.entities_by_name(GRAPH, ["ann roe"]))["ann roe"]
    named = "ANN  ROE" if by == "name" else ann.entity_id
    position, ids = await erase.erase_entity(ports, CALLER, named, "")
    assert ids == [ann.entity_id]
    await running.settle()
    assert json.loads(await erase.certificate(ports, position))["documents"] == ["a"]
    assert await running.store.entities_by_name(GRAPH, ["ann roe"]) in ({}, {"ann roe": []})
    assert (await running.store.entities_by_name(GRAPH, ["bob lee"]))["bob lee"]


async def test_what_cannot_be_erased_is_told_before_anything_is_written() -> None:
    running, ports = await world()
    with pytest.raises(Rejected, match="MISSING_ID"):
        await erase.erase_document(ports, CALLER, "", "")
    with pytest.raises(NotFound, match="ENTITY_NOT_FOUND"):
        await erase.erase_entity(ports, CALLER, "Nobody", "")
    with pytest.raises(LimitExceeded, match="REASON_TOO_LONG"):
        await erase.erase_document(ports, CALLER, "a", "x" * 2_001)
    assert [record async for record in running.log.read(Topic.CONTROL)] == []


async def test_an_erasure_that_names_nothing_is_refused_by_the_writer() -> None:
    running, _ = await world()
    record = records_pb2.ControlRecord(control_id="c", graph=GRAPH, erasure=records_pb2.Erasure())
    position = await running.log.append(Topic.CONTROL, GRAPH.encode(), record.SerializeToString(), (), None)
    await running.settle()
    (line,) = await running.status.get([position])
    assert (line.outcome, line.cause.split(":")[0]) == ("dead_letter", "INVALID_DECISION")
