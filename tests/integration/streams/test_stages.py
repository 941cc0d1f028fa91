"""Ground, extract and track through a broker: nothing lost, poison buried, statuses told."""

from __future__ import annotations

import asyncio
import json
import signal

import pytest
from tests.integration.streams.harness import GRAPH, Place, until

from tidegraph.domain.documents import DocumentHeader, ExtractedDocument, Position
from tidegraph.log.codecs import decode
from tidegraph.log.deadletter import list_letters

pytestmark = pytest.mark.asyncio(loop_scope="session")

STAGES = ("ground", "extract", "track")
TEXT = "Alice Smith was appointed CTO of Acme on {day} March 2021. Her predecessor left in May 2020."


def _document(number: int) -> bytes:
    text = TEXT.format(day=number % 28 + 1)
    return json.dumps({"id": f"d{number}", "text": text, "created_at": "2021-03-30"}).encode()


async def _send(here: Place, count: int) -> list[Position]:
    sends = (
        here.log.append("documents", f"{GRAPH}/d{n}".encode(), _document(n), [], None) for n in range(count)
    )
    return list(await asyncio.gather(*sends))


async def _extracted(here: Place) -> dict[bytes, ExtractedDocument]:
    """The last record of each key, as compaction would keep it."""
    records = [record async for record in here.log.read("extracted")]
    return {r.key: decode(ExtractedDocument, r.value) for r in records if r.key and r.value}


async def _until_extracted(here: Place, count: int) -> dict[bytes, ExtractedDocument]:
    found: dict[bytes, ExtractedDocument] = {}

    async def complete() -> bool:
        nonlocal found
        found = await _extracted(here)
        return len(found) >= count

    await until(complete)
    return found


async def test_poison_is_buried_and_the_rest_flows_on(here: Place) -> None:
    poison: list[tuple[bytes | None, bytes | None, list[tuple[str, bytes]]]] = [
        (b"bad-json", b'{"id": "x", "text": ', []),
        (b"not-utf8", b"\xff\xfe\xfd", [("content-type", b"text/plain; charset=utf-8")]),
        (b"empty", b"", []),
        (None, None, []),
        (b"wrong-type", b'{"id": "x", "text": {"a": 1}}', []),
        (b"deep", b"[" * 100_000, []),
        (b"backfill", _document(1), [("tidegraph-backfill", b"yesterday")]),
    ]
    async with here.worker(*STAGES):
        good = await _send(here, 20)
        bad = [
            await here.log.append("documents", key, value, headers, None) for key, value, headers in poison
        ]
        good += await _send(here, 10)
        gone = await here.log.append("documents", b"d3", None, [("x-doc-id", b"d3")], None)
        statuses = await here.ended(bad)

        async def all_extracted() -> bool:
            found = await here.status.get([*good, gone])
            return len(found) == 31 and all(each.stage == "extract" for each in found)

        await until(all_extracted)
        extracted = await _extracted(here)
    assert {each.outcome for each in statuses} == {"dead_letter"}
    assert all(each.cause for each in statuses)
    letters = await list_letters(here.log, limit=100)
    assert {letter.position for letter in letters} == set(bad)
    assert sorted((letter.key or b"", letter.value) for letter in letters) == sorted(
        ((key or b"", value) for key, value, _ in poison), key=lambda pair: (pair[0], pair[1] or b"")
    )
    assert {document.header.document_id for document in extracted.values()} == {f"d{n}" for n in range(20)}


async def test_a_killed_worker_loses_and_changes_nothing(here: Place) -> None:
    count = 300
    positions = await _send(here, count)
    worker = await here.start_worker(*STAGES)
    for part in (0.2, 0.5):
        await _until_extracted(here, int(count * part))
        await worker.kill()
        assert worker.return_code == -signal.SIGKILL
        worker = await here.start_worker(*STAGES)
    extracted = await _until_extracted(here, count)
    await worker.stop()
    headers: list[DocumentHeader] = [document.header for document in extracted.values()]
    assert {header.position for header in headers} == set(positions)
    assert {header.document_id for header in headers} == {f"d{n}" for n in range(count)}
    records = [record async for record in here.log.read("extracted")]
    copies: dict[bytes, set[bytes]] = {}
    for record in records:
        copies.setdefault(record.key or b"", set()).add(record.value or b"")
    assert {len(values) for values in copies.values()} == {1}, "a replay gave other bytes"


async def test_a_stopped_worker_leaves_nothing_to_do_twice(here: Place) -> None:
    count = 120
    await _send(here, count)
    worker = await here.start_worker(*STAGES)
    await _until_extracted(here, count // 3)
    await worker.stop()
    assert worker.return_code == 0, worker.last_lines()
    async with here.worker(*STAGES):
        await _until_extracted(here, count)
    records = [record async for record in here.log.read("extracted")]
    assert len(records) == count


async def test_the_watermark_follows_the_clock_of_the_log(here: Place) -> None:
    async with here.worker("ground", "resolve", "track"):
        bad = await here.log.append("documents", b"x", b"\xff", [], None)
        [status] = await here.ended([bad])

        async def passed() -> bool:
            return await here.status.watermark(status.graph) > status.recorded_at + 2_000_000

        await until(passed)
        before = await here.status.watermark(status.graph)
        later = await here.log.append("documents", b"y", b"\xff", [], None)
        [second] = await here.ended([later])
        latest = await here.status.watermark(status.graph)
        decision = await here.log.append("control", GRAPH.encode(), b"\xff", [], None)
        [third] = await here.ended([decision])
    assert second.recorded_at > before
    assert third.recorded_at > latest
