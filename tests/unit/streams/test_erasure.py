"""What is erased is nowhere, now and in the past, and does not come back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from tests.unit.streams.test_rebuild import GRAPH, decide, pipeline
from tests.unit.streams.test_reextract import Reader
from tests.unit.streams.test_reextract import pipeline as reading

from tidegraph.domain.errors import Retryable
from tidegraph.events.v1 import records_pb2
from tidegraph.log.deadletter import list_letters
from tidegraph.log.topics import Topic
from tidegraph.storage.dump import content_hash, full_dump
from tidegraph.streams.erasure_check import remains
from tidegraph.streams.inprocess import InProcess
from tidegraph.streams.rebuild import Rebuilder

ANN = "Ann Roe was appointed CEO of Nova Ltd on 1 May 2020."
BOB = "Bob Lee was appointed CEO of Nova Ltd on 1 June 2021."
BOTH = "Ann Roe met Bob Lee in Leeds on 3 March 2019. Carl Voss moved to Hull in April 2019."


async def tell(running: InProcess, name: str, text: str | None, **fields: str) -> None:
    value = None if text is None else json.dumps({"id": name, "text": text, **fields}).encode()
    headers = () if value else (("x-doc-id", name.encode()),)
    await running.append(f"{GRAPH}/{name}".encode(), value, headers)


async def rows(running: InProcess) -> list[str]:
    return [line async for line in full_dump(running.store, GRAPH) if not line.startswith("decision")]


async def left(running: InProcess, certificate: dict[str, object]) -> list[str]:
    return await remains(json.dumps(certificate), running.store, running.log, running.status)


async def erase(running: InProcess, **what: object) -> dict[str, object]:
    """Carry an erasure out; its certificate."""
    await decide(running, erasure=records_pb2.Erasure(**what))  # type: ignore[arg-type]
    await running.settle()
    lines = await running.status.by_document(GRAPH, "")
    (line,) = [line for line in lines if "erased" in line.cause][-1:]
    return dict(json.loads(await running.status.certificate(line.position)))


async def living(running: InProcess) -> bytes:
    """The values that stay in the compacted topics."""
    last = {}
    for topic in (Topic.EXTRACTED, Topic.DEAD_LETTERS):
        async for record in running.log.read(topic):
            last[topic, record.key] = record.value or b""
    return b"".join(last.values())


async def test_an_erased_document_leaves_the_graph_of_a_world_without_it() -> None:
    running, without = pipeline(1), pipeline(1)
    for world in (running, without):
        await tell(world, "a", ANN)
        await world.settle()
    await tell(running, "b", BOB)
    await running.settle()
    before = await content_hash(running.store, GRAPH)
    certificate = await erase(running, document_id="b")
    found = await rows(running)
    assert not any("Bob" in row or '"b"' in row for row in found)
    assert any("Ann" in row for row in found)
    facts = [line for line in found if line.startswith("fact")]
    assert len(facts) == sum(line.startswith("fact") for line in await rows(without))
    assert b"Bob" not in await living(running)
    assert await running.status.by_document(GRAPH, "b") == []
    assert not [row for row in await running.store.changes(GRAPH, 0, 1_000) if "Bob" in row.text]
    assert await left(running, certificate) == []
    assert len(await left(running, {**certificate, "document_id": "a"})) > 4, "the check finds what is there"
    assert certificate["document_id"] == "b"
    assert certificate["content_hash"] == await content_hash(running.store, GRAPH) != before
    assert certificate["last_raw_copy_gone_by"] == "never", "documents are kept for good unless set otherwise"
    removed = certificate["removed"]
    assert isinstance(removed, dict)
    assert removed["extracted"] == 1
    assert removed["graph documents"] == 1
    assert removed["status lines"] == 1


async def test_an_erased_document_stays_out_after_a_rebuild_and_when_it_is_late() -> None:
    running = pipeline(1)
    await tell(running, "a", ANN)
    await tell(running, "b", BOB)
    await running.settle()
    late = [r async for r in running.log.read(Topic.RESOLVED) if r.value and b"Bob" in r.value]
    again = [r async for r in running.log.read(Topic.EXTRACTED) if r.value and b"Bob" in r.value]
    certificate = await erase(running, document_id="b")
    wanted = await rows(running)
    for record in late:
        await running.log.append(Topic.RESOLVED, record.key, record.value, record.headers, None)
    for record in again:
        await running.log.append(Topic.EXTRACTED, record.key, record.value, record.headers, None)
    await running.settle()
    assert await rows(running) == wanted
    await decide(running, rebuild=records_pb2.Rebuild())
    await running.settle()
    assert await rows(running) == wanted
    assert await left(running, certificate) == [], "the record that was written again has its tombstone"
    await tell(running, "b", BOB)
    await running.settle()
    assert any("Bob" in row for row in await rows(running)), "what is told after the erasure is new"


async def test_an_erased_person_leaves_what_others_did() -> None:
    running = pipeline(1)
    await tell(running, "a", ANN)
    await tell(running, "both", BOTH, title="Ann Roe and others")
    await tell(running, "broken", None)
    await running.settle()
    (ann,) = (await running.store.entities_by_name(GRAPH, ["ann roe"]))["ann roe"]
    certificate = await erase(running, entity_ids=[ann.entity_id])
    found = await rows(running)
    assert not any("Ann" in row or ann.entity_id in row for row in found)
    assert any("Carl Voss moved to Hull" in row for row in found)
    assert certificate["documents"] == ["a", "both"]
    assert "Ann" not in json.dumps(certificate)
    assert await left(running, certificate) == []
    (bob,) = (await running.store.entities_by_name(GRAPH, ["bob lee"]))["bob lee"]
    assert await left(running, {**certificate, "entity_ids": [bob.entity_id]}), (
        "the check finds what is there"
    )
    assert b"Ann" not in await living(running)
    wanted = await content_hash(running.store, GRAPH)
    await decide(running, rebuild=records_pb2.Rebuild())
    await running.settle()
    assert await content_hash(running.store, GRAPH) == wanted


async def test_dead_letters_of_an_erased_document_are_removed() -> None:
    running = pipeline(1)
    await tell(running, "a", ANN)
    await running.append(f"{GRAPH}/b".encode(), b'{"id": "b", "text": ')
    await running.append(f"{GRAPH}/c".encode(), b'{"id": "c", "text": ')
    await running.settle()
    await erase(running, document_id="b")
    assert [letter.key for letter in await list_letters(running.log, limit=10)] == [f"{GRAPH}/c".encode()]


async def test_what_was_erased_is_not_read_again() -> None:
    running = pipeline(1)
    await tell(running, "a", ANN)
    await tell(running, "b", BOB)
    await tell(running, "both", BOTH)
    await running.settle()
    (ann,) = (await running.store.entities_by_name(GRAPH, ["ann roe"]))["ann roe"]
    certificates = [await erase(running, document_id="b"), await erase(running, entity_ids=[ann.entity_id])]
    await decide(running, reextraction=records_pb2.Reextraction(extractor_epoch="another"))
    await running.settle()
    assert not any("Ann" in row for row in await rows(running))
    for certificate in certificates:
        assert await left(running, certificate) == []


async def test_a_reading_of_a_reextraction_that_comes_late_has_its_own_place_emptied() -> None:
    reader = Reader()
    running = reading(reader)
    await tell(running, "b", BOB)
    await running.settle()
    reader.epoch = "e2"
    await decide(running, reextraction=records_pb2.Reextraction())
    await running.settle()
    again = [r async for r in running.log.read(Topic.EXTRACTED) if r.value and b"Bob" in r.value]
    assert len({record.key for record in again}) == 2
    certificate = await erase(running, document_id="b")
    for record in again:
        await running.log.append(Topic.EXTRACTED, record.key, record.value, record.headers, None)
    await running.settle()
    assert b"Bob" not in await living(running)
    assert await left(running, certificate) == []


@pytest.mark.parametrize("place", ["log", "rebuild", "certificate"])
async def test_an_interrupted_erasure_ends_the_same(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Stopped before the second record is written over, before the graph is built, and after that."""
    running = pipeline(1)
    await tell(running, "a", ANN)
    await tell(running, "both", BOTH)
    await running.append(f"{GRAPH}/c".encode(), b'{"id": "c", "text": "Ann Roe')
    await running.settle()
    (ann,) = (await running.store.entities_by_name(GRAPH, ["ann roe"]))["ann roe"]
    owner, method, call = {
        "log": (type(running.log), "write", 3),
        "rebuild": (Rebuilder, "rebuild", 1),
        "certificate": (type(running.status), "keep_certificate", 1),
    }[place]
    former, calls = getattr(owner, method), 0

    async def interrupted(*args: Any, **named: Any) -> Any:
        nonlocal calls
        calls += place != "log" or args[1] in (Topic.EXTRACTED, Topic.DEAD_LETTERS)
        if calls == call:
            raise Retryable("AWAY", "away")
        return await former(*args, **named)

    await decide(running, erasure=records_pb2.Erasure(entity_ids=[ann.entity_id]))
    with monkeypatch.context() as patched:
        patched.setattr(owner, method, interrupted)
        with pytest.raises(Retryable):
            await running.settle()
    await running.settle()
    lines = await running.status.by_document(GRAPH, "")
    (line,) = [line for line in lines if "erased" in line.cause]
    certificate = json.loads(await running.status.certificate(line.position))
    assert certificate["documents"] == ["a", "both"]
    assert len(certificate["raw_positions"]) == 2
    assert certificate["removed"]["extracted"] == 2
    assert b"Ann" not in await living(running)
    assert await list_letters(running.log, limit=10) == []
    assert await left(running, certificate) == []


async def test_an_erased_document_takes_its_retraction_with_it() -> None:
    running = pipeline(1)
    await tell(running, "a", ANN)
    await tell(running, "b", BOB)
    await running.settle()
    await decide(running, reason="Bob Lee asked", retraction=records_pb2.Retraction(document_id="b"))
    await running.settle()
    certificate = await erase(running, document_id="b")
    assert await left(running, certificate) == []
    assert not any("Bob" in row for row in await rows(running))
    await tell(running, "b", BOB)
    await running.settle()
    assert any("Bob" in row for row in await rows(running)), "what is told after the erasure is new"
