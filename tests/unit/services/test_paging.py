"""The pages of a list are those of one moment, whatever is written while they are read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import pytest
from tests.unit.services.running import SETTINGS
from tests.unit.services.test_decisions import ANN, BEN, CY, Served, served
from tests.unit.services.world import GRAPH, Doc, World

from tidegraph.api.v1 import admin_pb2, ingest_pb2, query_pb2
from tidegraph.client import Client
from tidegraph.services.server import ApiServer, DrainTimes
from tidegraph.services.usecases import facts

__all__ = ["served"]
LISTS: dict[str, tuple[str, Any, Callable[[Any], Sequence[Any]]]] = {
    "GetFacts": (
        "query",
        query_pb2.GetFactsRequest(entity="Nova Ltd", any_valid_time=True),
        lambda page: [fact.fact_id for fact in page.facts],
    ),
    "ListFactHistory": (
        "query",
        query_pb2.ListFactHistoryRequest(entity="Nova Ltd"),
        lambda page: [row.fact.fact_id for row in page.versions],
    ),
    "DiffBeliefs": (
        "query",
        query_pb2.DiffBeliefsRequest(entity="Nova Ltd", known_from_text="2000"),
        lambda page: [change.after.fact_id for change in page.changes],
    ),
    "GetEntity": (
        "query",
        query_pb2.GetEntityRequest(entity="Nova Ltd"),
        lambda page: [fact.fact_id for fact in page.facts],
    ),
    "GetIngest": (
        "ingest",
        ingest_pb2.GetIngestRequest(document_id="again"),
        lambda page: [one.revision for one in page.statuses],
    ),
    "Retrieve": (
        "query",
        query_pb2.RetrieveRequest(query="Who led Nova Ltd?"),
        lambda page: [hit.fact.fact_id or hit.event.event_id or hit.chunk.chunk_id for hit in page.hits],
    ),
    "GetTimeline": (
        "query",
        query_pb2.GetTimelineRequest(entity="Nova Ltd"),
        lambda page: [row.fact.fact_id or row.event.event_id for row in page.timeline.dated],
    ),
    "ListConflicts": (
        "admin",
        admin_pb2.ListConflictsRequest(),
        lambda page: [one.key for one in page.conflicts],
    ),
    "ListDecisions": (
        "admin",
        admin_pb2.ListDecisionsRequest(),
        lambda page: [one.decision_id for one in page.decisions],
    ),
    "ListDeadLetters": (
        "ingest",
        ingest_pb2.ListDeadLettersRequest(),
        lambda page: [one.document_id for one in page.dead_letters],
    ),
}


ROLES = ("chief executive", "chair", "treasurer", "president")


async def fill(served: Served, of: int) -> None:
    """A row or more for every list."""
    role = ROLES[of]
    await served.write(f"a{of}", ANN.replace("chief executive", role))
    await served.write(f"b{of}", BEN.replace("chief executive", role))
    await served.write(f"c{of}", CY.replace("chief executive", role))
    await served.write("again", f"Nova Ltd appointed Di Vale as {role} on 1 March 2009.")
    key = (await served.client.conflicts())[0].key
    await served.client.decide_conflict(key, undo=True)
    await served.pipeline.append(f"bad{of}".encode(), b"\xff\xfe\xfa", (("content-type", b"text/plain"),))
    await served.settle()


@pytest.mark.parametrize("method", LISTS)
async def test_what_is_written_between_two_pages_moves_no_row(served: Served, method: str) -> None:
    for number in range(3):
        await fill(served, number)
    service, request, ids = LISTS[method]
    call = getattr(getattr(served.client, service), method)
    request.page_size = 1
    page = await call(request)
    found = list(ids(page))
    asked = type(request).FromString(request.SerializeToString())
    asked.page_size = 0
    whole = list(ids(await call(asked)))
    assert len(whole) > 2
    await fill(served, 3)
    while page.next_page_token:
        request.page_token = page.next_page_token
        page = await call(request)
        found += ids(page)
    request.page_token = ""
    assert found == whole
    assert list(ids(await call(asked))) != whole, "what was written shows in a list that is begun anew"


async def test_the_undated_rows_of_a_timeline_come_once() -> None:
    world = World()
    for number in range(6):
        world.event(f"Fenwick Mill held fair {number}.", f"200{number}-01-05", "Fenwick Mill")
    world.event("Fenwick Mill is a water mill.", "", "Fenwick Mill")
    server = ApiServer(SETTINGS, (await world.build()).ports(), GRAPH)
    async with Client(f"127.0.0.1:{await server.start()}") as client:
        request = query_pb2.GetTimelineRequest(entity="Fenwick Mill", page_size=2)
        pages = [await client.query.GetTimeline(request)]
        while pages[-1].next_page_token:
            request.page_token = pages[-1].next_page_token
            pages.append(await client.query.GetTimeline(request))
    await server.drain(DrainTimes(0, 0))
    assert [len(page.timeline.undated) for page in pages] == [1, 0, 0]
    assert [len(page.timeline.dated) for page in pages] == [2, 2, 2]


@pytest.mark.parametrize("sizes", [(30, 30), (30, 90), (90, 30)])
async def test_the_pages_of_a_retrieval_are_of_one_ranking(sizes: tuple[int, int]) -> None:
    world = World()
    for number in range(120):
        other = f" at the {number % 7} th gate of Orl" * (number % 3)
        world.event(f"Fenwick Mill repaired weir {number}{other}.", f"20{10 + number % 10}", "Fenwick Mill")
        world.chunk(f"Of weir {number} nothing is known.", Doc(f"c{number}"))
    server = ApiServer(SETTINGS, (await world.build()).ports(), GRAPH)
    async with Client(f"127.0.0.1:{await server.start()}") as client:

        async def pages(first: int, second: int) -> list[str]:
            request = query_pb2.RetrieveRequest(query="Who repaired a weir of Fenwick Mill?", page_size=first)
            found: list[str] = []
            while len(found) < 120:
                page = await client.query.Retrieve(request)
                found += [hit.event.event_id or hit.chunk.chunk_id for hit in page.hits]
                if not page.next_page_token:
                    break
                request.page_token, request.page_size = page.next_page_token, second
            return found

        found = await pages(*sizes)
        assert len(found) >= 90
        assert len(set(found)) == len(found)
        assert found[:90] == (await pages(sizes[0], 17))[:90]
    await server.drain(DrainTimes(0, 0))


@pytest.mark.parametrize("sizes", [(199, 199), (150, 150), (150, 500), (200, 200)])
async def test_a_retrieval_is_read_to_its_last_hit_by_pages_of_any_size(sizes: tuple[int, int]) -> None:
    world = World()
    for number in range(220):
        world.event(f"Fenwick Mill repaired weir {number}.", f"20{10 + number % 10}", "Fenwick Mill")
    server = ApiServer(SETTINGS, (await world.build()).ports(), GRAPH)
    async with Client(f"127.0.0.1:{await server.start()}") as client:
        request = query_pb2.RetrieveRequest(query="Who repaired a weir of Fenwick Mill?")
        found: list[str] = []
        token = ""
        for size in sizes:
            request.page_size, request.page_token = size, token
            page = await client.query.Retrieve(request)
            found += [hit.event.event_id for hit in page.hits]
            token = page.next_page_token
            if not token:
                break
    await server.drain(DrainTimes(0, 0))
    assert not token
    assert len(found) == len(set(found)) == 200


async def test_a_list_goes_on_where_all_that_it_began_with_is_gone(served: Served) -> None:
    for role in ROLES[:2]:
        await served.write("again", ANN.replace("chief executive", role))
    request = ingest_pb2.GetIngestRequest(document_id="again", page_size=1)
    request.page_token = (await served.client.ingest.GetIngest(request)).next_page_token
    assert request.page_token
    await served.pipeline.status.erase("default", "again", served.pipeline.clock.now())
    await served.write("again", ANN)
    page = await served.client.ingest.GetIngest(request)
    assert (list(page.statuses), page.next_page_token) == ([], "")


async def test_what_a_fact_rests_on_is_told_page_by_page(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(5):
        await served.write(f"a{number}", ANN)
    query = served.client.query
    found = await query.GetFacts(query_pb2.GetFactsRequest(entity="Nova Ltd", any_valid_time=True))
    request = query_pb2.TraceRequest(fact_id=found.facts[0].fact_id, page_size=2)
    pages = [await query.Trace(request)]
    while pages[-1].next_page_token:
        request.page_token = pages[-1].next_page_token
        pages.append(await query.Trace(request))
    assert [len(page.events) for page in pages] == [2, 2, 1]
    assert len({event.event_id for page in pages for event in page.events}) == 5
    back = await query.Trace(query_pb2.TraceRequest(event_id=pages[0].events[0].event_id, page_size=1))
    assert ([fact.fact_id for fact in back.facts], back.next_page_token) == ([found.facts[0].fact_id], "")
    monkeypatch.setattr(facts, "EVIDENCE_MAX", 3)
    explained = await query.ExplainFact(query_pb2.ExplainFactRequest(fact_id=found.facts[0].fact_id))
    assert (len(explained.evidence), explained.omitted_count) == (3, 2)


async def test_the_client_reads_all_facts_of_an_entity(
    served: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    await served.write("a", ANN)
    await served.write("b", ANN.replace("Ann Roe as chief executive", "Ben Moss as chair"))
    whole = (await served.client.entity("Nova Ltd")).facts
    monkeypatch.setattr("tidegraph.client.calls.PAGE_SIZE", 1)
    assert (await served.client.entity("Nova Ltd")).facts == whole
    assert len(whole) == 2
