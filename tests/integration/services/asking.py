"""Asks a kept graph a list of questions and prints the answers as they are on the wire, without timings.

python -m tests.integration.services.asking URL GRAPH
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import sys
from collections.abc import AsyncIterator, Iterator
from typing import Any

from google.protobuf.message import Message

from tidegraph import settings as settings_module
from tidegraph.api.v1 import query_pb2, types_pb2
from tidegraph.client import Client
from tidegraph.domain.interval import instant
from tidegraph.language.registry import load_registry
from tidegraph.log.memory import MemoryLog
from tidegraph.models.clock import FixedClock
from tidegraph.models.factory import make_encoder
from tidegraph.services.server import ApiServer, DrainTimes
from tidegraph.services.usecases.context import ChatLimits, Ports
from tidegraph.settings import Settings
from tidegraph.storage.connection import Connection
from tidegraph.storage.falkor import open_store
from tidegraph.storage.status import RedisStatusStore

TIMINGS = frozenset({"elapsed_ms"})
QUESTIONS = (
    "Who is Chief Technology Officer of Calder Optics?",
    "Who was Chief Financial Officer of Harrow Freight in 2019?",
    "Where is the headquarters of Northmere Bank?",
    "When did Mara Voss leave Harrow Freight?",
    "What happened at Calder Optics after Pavel Orsic left?",
    "Who was appointed between 2016 and 2018?",
    "How many people were Chief Technology Officer of Northmere Bank?",
    "Which companies did Tova Lindgren and Nadia Brandt leave?",
    "Who sells umbrellas?",
)
RERANKINGS = (query_pb2.RERANKING_FEATURES, query_pb2.RERANKING_NONE)
TIMES = ("", "2019-05")
KNOWN = "2025"
NOW = types_pb2.AsOf(valid_text="2024", known_text=KNOWN)


async def answers(client: Client) -> AsyncIterator[tuple[str, Message]]:
    """Every answer with the name of what was asked."""
    query, seeds, facts = client.query, [], []
    for question in QUESTIONS:
        for time in TIMES:
            at = types_pb2.AsOf(valid_text=time or None, known_text=KNOWN)
            asked = query_pb2.AskRequest(question=question, as_of=at, explain=True)
            async for part in query.Ask(asked):
                yield f"Ask {question} {time}", part
            for reranking in RERANKINGS:
                request = query_pb2.RetrieveRequest(
                    query=question, as_of=at, reranking=reranking, explain=True, page_size=50
                )
                found = await query.Retrieve(request)
                seeds += [hit.event.event_id for hit in found.hits if hit.event.event_id][:2]
                facts += [hit.fact.fact_id for hit in found.hits if hit.fact.fact_id][:1]
                yield f"Retrieve {question} {time} {reranking}", found
    for leg in (query_pb2.GRAPH_LEG_WALK, query_pb2.GRAPH_LEG_PAGERANK):
        request = query_pb2.RetrieveRequest(query=QUESTIONS[0], as_of=NOW, graph_leg=leg, explain=True)
        yield f"Retrieve by the graph {leg}", await query.Retrieve(request)
    seeds, facts = list(dict.fromkeys(seeds))[:12], list(dict.fromkeys(facts))[:6]
    assert len(seeds) > 5
    assert len(facts) > 2
    for name, call in reads(query, seeds, facts):
        yield name, await call


def reads(query: Any, seeds: list[str], facts: list[str]) -> Iterator[tuple[str, Any]]:
    """The reads that answer no question."""
    for method in (query_pb2.WALK_METHOD_RANDOM, query_pb2.WALK_METHOD_PAGERANK):
        walk = query_pb2.WalkRequest(seed_event_ids=seeds, as_of=NOW, random_seed=5, method=method)
        yield f"Walk {method}", query.Walk(walk)
    for name in ("Calder Optics", "Mara Voss"):
        timeline = query_pb2.GetTimelineRequest(entity=name, as_of=NOW, history=True)
        yield f"GetTimeline {name}", query.GetTimeline(timeline)
        timeline = query_pb2.GetTimelineRequest(query=f"What became of {name}?", as_of=NOW)
        yield f"GetTimeline about {name}", query.GetTimeline(timeline)
        yield f"GetEntity {name}", query.GetEntity(query_pb2.GetEntityRequest(entity=name, as_of=NOW))
        request = query_pb2.GetFactsRequest(entity=name, as_of=NOW, any_valid_time=True)
        yield f"GetFacts {name}", query.GetFacts(request)
        history = query_pb2.ListFactHistoryRequest(entity=name, known_text=KNOWN)
        yield f"ListFactHistory {name}", query.ListFactHistory(history)
    diff = query_pb2.DiffBeliefsRequest(known_from_text="2023", known_to_text=KNOWN, entity="Calder Optics")
    yield "DiffBeliefs", query.DiffBeliefs(diff)
    for fact in facts:
        yield (
            f"ExplainFact {fact}",
            query.ExplainFact(query_pb2.ExplainFactRequest(fact_id=fact, known_text=KNOWN)),
        )
        yield f"Trace {fact}", query.Trace(query_pb2.TraceRequest(fact_id=fact, known_text=KNOWN))


def without_timings(message: Message) -> Message:
    """The message without how long anything took, at any depth."""
    for field, value in message.ListFields():
        if field.name in TIMINGS:
            message.ClearField(field.name)
        elif field.message_type is not None and not field.message_type.GetOptions().map_entry:
            for part in value if field.is_repeated else [value]:
                without_timings(part)
    return message


def ports(settings: Settings, statuses: Connection) -> Ports:
    encoder, registry = make_encoder(), load_registry()
    clock = FixedClock(instant(2025, 6, 1))
    return Ports(
        store=open_store(settings.store.url, settings.store, registry, encoder.dimensions, encoder.model_id),
        status=RedisStatusStore(statuses),
        log=MemoryLog(clock),
        encoder=encoder,
        clock=clock,
        registry=registry,
        chat=None,
        chat_limits=ChatLimits(256, 5.0),
        grounding=settings.grounding,
        max_document_bytes=settings.max_document_bytes,
    )


async def main(url: str, graph: str) -> None:
    settings = settings_module.load({"TIDEGRAPH_FALKORDB_URL": url, "TIDEGRAPH_GRAPH": graph})
    statuses = Connection(url, settings.store.graph_prefix, settings.store.query_timeout_ms)
    made = ports(settings, statuses)
    server = ApiServer(settings.server, made, graph)
    port = await server.start()
    async with Client(f"127.0.0.1:{port}") as client:
        async for name, message in answers(client):
            wire = without_timings(message).SerializeToString(deterministic=True)
            digest = hashlib.sha256(wire).hexdigest()
            print(json.dumps([name, digest, str(message)]))
    await server.drain(DrainTimes(0, 0))
    await made.store.close()
    await statuses.close()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
