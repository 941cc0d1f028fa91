"""Documents read again by another extractor, through a broker, from the decision on."""

from __future__ import annotations

import json

import pytest
from tests.integration.streams.harness import GRAPH, Place, until
from tests.integration.streams.rebuilding import assert_rebuilds_alike
from tests.integration.streams.test_rebuild import decide
from tests.unit.llm.honest_server import serving

from tidegraph.domain.documents import ExtractedDocument, Position
from tidegraph.domain.epochs import extractor_of
from tidegraph.domain.interval import OPEN_END
from tidegraph.events.v1 import records_pb2
from tidegraph.log.codecs import decode
from tidegraph.ports import FactFilter, Visibility
from tidegraph.streams.setup import Graphs

pytestmark = pytest.mark.asyncio(loop_scope="session")

TEXTS = {
    "both": "Mara Voss joined Harrow Freight on 3 March 2020.",
    "rules": "Calder Optics acquired Northmere Bank on 4 May 2021.",
}
"""What the rules read in other words than the model does, and what they alone read."""


async def _send(here: Place, name: str) -> Position:
    value = json.dumps({"id": name, "text": TEXTS[name], "document_time": "2023-11-30"}).encode()
    return await here.log.append("documents", f"{GRAPH}/{name}".encode(), value, [], None)


async def _told(graphs: Graphs, known_at: int = OPEN_END - 1) -> set[str]:
    found = await graphs.store.facts(GRAPH, FactFilter(), Visibility(known_at, None))
    return {fact.predicate for fact in found}


async def test_another_extractor_supersedes_from_the_decision_on(here: Place) -> None:
    graphs = Graphs(here.settings)
    try:
        async with here.worker():
            statuses = await here.ended([await _send(here, name) for name in TEXTS])
        before = max(status.recorded_at for status in statuses)
        assert await _told(graphs) == {"joined", "parent_organisation"}
        with serving() as url:
            async with here.worker(TIDEGRAPH_EXTRACTOR="llm", TIDEGRAPH_LLM_URL=url):
                change = records_pb2.Reextraction()
                await here.ended([await decide(here, "again", reextraction=change)])

                async def read_again() -> bool:
                    return await _told(graphs) == {"member_of"}

                await until(read_again)
        assert await _told(graphs, before) == {"joined", "parent_organisation"}
        readers: dict[str, list[str]] = {}
        async for record in here.log.read("extracted"):
            if record.value is not None:
                read = decode(ExtractedDocument, record.value)
                readers.setdefault(read.header.document_id, []).append(extractor_of(read.extractor_epoch))
        assert {name: sorted(found) for name, found in readers.items()} == {
            name: ["language", "llm"] for name in TEXTS
        }
        await assert_rebuilds_alike(here)
    finally:
        await graphs.close()
