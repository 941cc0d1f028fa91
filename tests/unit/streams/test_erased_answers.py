"""An erasure drops what a language model answered about the document: it quotes it."""

from __future__ import annotations

from tests.unit.llm.reading import MemoryCache
from tests.unit.streams.test_erasure import ANN, BOB, erase, tell
from tests.unit.streams.test_rebuild import GRAPH, Ticking

from tidegraph import settings
from tidegraph.storage.memory import MemoryStatusStore
from tidegraph.streams.inprocess import InProcess
from tidegraph.streams.setup import Graphs


async def test_the_answers_about_a_document_go_with_it() -> None:
    cache = MemoryCache()
    cache.put("a", ANN.encode(), (GRAPH, "a"), briefly=False)
    cache.put("b", BOB.encode(), (GRAPH, "b"), briefly=True)
    cache.put("c", BOB.encode(), ("other", "b"), briefly=False)
    configured = settings.load({"TIDEGRAPH_GRAPH": GRAPH})
    graphs = Graphs(configured, encoder="hashing", in_memory=True)
    clock = Ticking(1_700_000_000_000_000)
    running = InProcess(configured, graphs.store, MemoryStatusStore(), graphs.writer(), clock, answers=cache)
    await tell(running, "a", ANN)
    await tell(running, "b", BOB)
    await running.settle()
    certificate = await erase(running, document_id="b")
    assert sorted(cache.kept) == ["a", "c"]
    removed = certificate["removed"]
    assert isinstance(removed, dict)
    assert removed["model answers"] == 1
