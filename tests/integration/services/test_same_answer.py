"""Same request, same valid and known time: the same bytes, under load, over restarts, as more is told."""

from __future__ import annotations

import asyncio

from google.protobuf import timestamp_pb2
from google.protobuf.message import Message
from google.type import interval_pb2
from tests.integration.services.test_ask import DOCUMENTS, Service, _ports, service

from tidegraph.api.v1 import query_pb2, types_pb2
from tidegraph.client import Client
from tidegraph.services.server import ApiServer, DrainTimes

__all__ = ["service"]
QUESTIONS = (
    "Who is chief technology officer of Corby Steel?",
    "When did Vera Lind become CTO of Corby Steel?",
    "What happened after Vera Lind was appointed CTO of Corby Steel?",
    "Who sells umbrellas?",
)
DECADE = interval_pb2.Interval(
    start_time=timestamp_pb2.Timestamp(seconds=1_577_836_800),  # 2020
    end_time=timestamp_pb2.Timestamp(seconds=1_893_456_000),  # 2030
)


def told(message: Message, basis: types_pb2.Basis) -> bytes:
    """The bytes of an answer without what the clock and later commits move: now, watermark and version."""
    for field in ("now_time", "watermark_time", "graph_version", "final"):
        basis.ClearField(field)
    return message.SerializeToString(deterministic=True)


async def answers(client: Client, as_of: types_pb2.AsOf) -> list[bytes]:
    found = []
    for question in QUESTIONS:
        async for part in client.query.Ask(query_pb2.AskRequest(question=question, as_of=as_of)):
            basis = part.start.basis if part.HasField("start") else types_pb2.Basis()
            found.append(told(part, basis))
    return found


async def retrieved(client: Client, as_of: types_pb2.AsOf) -> list[query_pb2.RetrieveResponse]:
    requests = (query_pb2.RetrieveRequest(query=question, as_of=as_of) for question in QUESTIONS)
    return [await client.query.Retrieve(request) for request in requests]


async def asked(client: Client, as_of: types_pb2.AsOf) -> list[bytes]:
    """The bytes of answers, retrievals and walks."""
    found = await answers(client, as_of)
    for response in await retrieved(client, as_of):
        seeds = [hit.event.event_id for hit in response.hits if hit.HasField("event")][:5]
        found.append(told(response, response.basis))
        if seeds:
            # What was found may have happened before the asked time; a walk begins inside it.
            wide = types_pb2.AsOf(valid_interval=DECADE, known_at=as_of.known_at)
            walk = query_pb2.WalkRequest(seed_event_ids=seeds, as_of=wide, random_seed=3)
            walked = await client.query.Walk(walk)
            found.append(told(walked, walked.basis))
    return found


def ids(responses: list[query_pb2.RetrieveResponse]) -> list[set[str]]:
    return [
        {hit.event.event_id or hit.fact.fact_id or hit.chunk.chunk_id for hit in response.hits}
        for response in responses
    ]


async def test_the_same_request_gives_the_same_bytes(service: Service) -> None:
    for document in DOCUMENTS:
        await service.submit(*document)
    as_of = types_pb2.AsOf(valid_text="2023-10")
    as_of.known_at.CopyFrom((await service.client.ask(QUESTIONS[0])).basis.known_at)
    before = await asked(service.client, as_of)
    assert len(before) > 20
    for found in await asyncio.gather(*(asked(service.client, as_of) for _ in range(4))):
        assert found == before
    said, found = await answers(service.client, as_of), ids(await retrieved(service.client, as_of))
    later = "Corby Steel appointed Ines Falk as CTO on 2 October 2023. It closed its plant in Wexley."
    await service.submit("notice-4", "2023-10-03", later)
    assert (await service.client.ask(QUESTIONS[0])).values == ("Ines Falk",)
    assert await answers(service.client, as_of) == said, "what is told later changes no answer of the past"
    assert ids(await retrieved(service.client, as_of)) == found
    now = await asked(service.client, as_of)
    settings = service.pipeline.settings
    server = ApiServer(settings.server, _ports(settings, service.pipeline), settings.default_graph)
    port = await server.start()
    async with Client(f"127.0.0.1:{port}") as client:
        assert await asked(client, as_of) == now, "another server on the same graph"
    await server.drain(DrainTimes(0, 0))
