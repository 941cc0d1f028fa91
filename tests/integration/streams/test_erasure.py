"""Erasure through a broker and FalkorDB by a running worker: certificate, check, and a rebuild after it."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path

import pytest
from tests.integration.streams.harness import GRAPH, Place, environment
from tests.integration.streams.test_rebuild import decide

from tidegraph.domain.documents import Position
from tidegraph.events.v1 import records_pb2
from tidegraph.storage.dump import content_hash, full_dump
from tidegraph.storage.visibility import EVERYTHING
from tidegraph.streams.setup import Graphs

pytestmark = pytest.mark.asyncio(loop_scope="session")

TEXTS = {
    "ann": "Ann Roe was appointed CEO of Nova Ltd on 1 May 2020.",
    "bob": "Bob Lee was appointed CEO of Nova Ltd on 1 June 2021.",
    "meeting": "Ann Roe met Bob Lee in Leeds on 3 March 2019. Carl Voss moved to Hull in April 2019.",
}


async def tell(here: Place) -> list[Position]:
    sends = (
        here.log.append(
            "documents", f"{GRAPH}/{n}".encode(), json.dumps({"id": n, "text": t}).encode(), [], None
        )
        for n, t in TEXTS.items()
    )
    return list(await asyncio.gather(*sends))


async def check(here: Place, certificate: str) -> tuple[int, str]:
    """Exit code and output of ``tidegraph erase --check``."""
    path = Path(here.settings.data_dir) / "certificate.json"
    path.write_text(certificate)
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tidegraph.cli.main", "erase", "--check", str(path),
        env=environment(here.settings), stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.STDOUT,
    )  # fmt: skip
    out, _ = await process.communicate()
    return process.returncode or 0, out.decode()


async def test_a_document_and_a_person_are_erased_and_stay_so(here: Place) -> None:
    graphs = Graphs(here.settings)
    try:
        async with here.worker():
            await here.ended(await tell(here))
            erasure = records_pb2.Erasure(document_id="bob")
            position = await decide(here, "one", erasure=erasure)
            (line,) = await here.ended([position])
            assert line.outcome == "committed", line.cause
            document = await here.status.certificate(position)
            found = (await graphs.store.entities_by_name(GRAPH, ["ann roe"]))["ann roe"]
            person = records_pb2.Erasure(entity_ids=[entity.entity_id for entity in found])
            position = await decide(here, "two", erasure=person)
            await here.ended([position])
            entity = await here.status.certificate(position)
            await here.ended([await decide(here, "three", rebuild=records_pb2.Rebuild())])
            assert await content_hash(graphs.store, GRAPH) == json.loads(entity)["content_hash"]
            rows = [row async for row in full_dump(graphs.store, GRAPH)]
            assert not any("Ann" in row or "Roe" in row for row in rows)
            assert any("Carl Voss moved to Hull" in row for row in rows)
            hits = await graphs.store.search_text(GRAPH, "event", ["roe"], EVERYTHING, None, 10)
            assert hits == []
            assert (await graphs.store.counts(GRAPH))["documents"] == 2
            assert await here.status.by_document(GRAPH, "bob") == []
        told = json.loads(document)["raw_copies_gone_by"]
        assert told["documents"] == "never"
        assert told["grounded"] != "never"
        assert told["extracted"] != "never"
        for certificate in (document, entity):
            assert await check(here, certificate) == (0, "nothing is left\n")
        code, out = await check(here, document.replace('"document_id": "bob"', '"document_id": "meeting"'))
        assert code == 1
        assert "a record of extracted" in out
    finally:
        await graphs.close()
