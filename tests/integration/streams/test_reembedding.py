"""Another encoder: the graph is embedded anew in the background while questions go on being answered."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

import grpc
import pytest
from tests.integration.streams.embeddings import DIMENSIONS, MODEL, EmbeddingsServer
from tests.integration.streams.feed import Entry, contents, make_feed, reference, send
from tests.integration.streams.harness import GRAPH, Place, until
from tests.unit.services.running import rpc_error

from tidegraph.api.v1 import query_pb2
from tidegraph.cli.serve import open_ports
from tidegraph.client import Client
from tidegraph.domain.documents import Position
from tidegraph.domain.interval import instant
from tidegraph.language.registry import load_registry
from tidegraph.models.hashing import HashingEncoder
from tidegraph.services.server import ApiServer, DrainTimes
from tidegraph.services.tokens import read_await_token
from tidegraph.settings import EmbeddingsSettings, Settings
from tidegraph.storage.falkor import FalkorStore, open_store
from tidegraph.storage.visibility import EVERYTHING

pytestmark = pytest.mark.asyncio(loop_scope="session")
FORMER = "hashing-64"
WAITING = "Rosa Quint was appointed Chief Technology Officer of Calder Optics on 5 May 2024."
DURING = "Calder Optics opened a laboratory in Tromso on 7 July 2024."


@pytest.fixture
def embeddings() -> Iterator[EmbeddingsServer]:
    with EmbeddingsServer() as server:
        yield server


def changed(embeddings: EmbeddingsServer) -> dict[str, str]:
    """The environment of a part of Tidegraph that is to use the other encoder."""
    return {"TIDEGRAPH_ENCODER": f"openai:{MODEL}", "TIDEGRAPH_EMBEDDINGS_URL": embeddings.url}


@asynccontextmanager
async def serving(settings: Settings, models: EmbeddingsSettings) -> AsyncIterator[Client]:
    settings = replace(settings, embeddings=models, server=replace(settings.server, port=0))
    async with open_ports(settings) as ports:
        server = ApiServer(settings.server, ports, settings.default_graph)
        port = await server.start()
        async with Client(f"127.0.0.1:{port}") as client:
            yield client
        await server.drain(DrainTimes(0, 0))


def question(words: str = "Who was appointed at Calder Optics?") -> query_pb2.RetrieveRequest:
    return query_pb2.RetrieveRequest(query=words, read_time=True)


@dataclass
class Asked:
    """What a question that is asked all the time was answered by, and with."""

    encoders: list[str] = field(default_factory=list)
    answers: dict[str, set[bytes]] = field(default_factory=dict)

    async def go_on(self, client: Client) -> None:
        request = question()
        request.as_of.valid_text = request.as_of.known_text = "2023"
        while True:
            found = await client.query.Retrieve(request)
            encoder = found.basis.encoder
            if self.encoders[-1:] != [encoder]:
                self.encoders.append(encoder)
            hits = b"".join(hit.SerializeToString(deterministic=True) for hit in found.hits)
            self.answers.setdefault(encoder, set()).add(hits)


@asynccontextmanager
async def asking_all_the_time(client: Client) -> AsyncIterator[Asked]:
    """Several askers at once; that one of them fails ends the test."""
    asked = Asked()
    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(asked.go_on(client)) for _ in range(3)]
        yield asked
        for task in tasks:
            task.cancel()


async def filled(here: Place, entries: Sequence[Entry]) -> None:
    """A graph that was written with the former encoder."""
    async with here.worker(TIDEGRAPH_ENCODER="hashing"):
        await here.ended(await send(here.log, entries))


def feed(rng: random.Random) -> list[Entry]:
    """A feed whose chunks all have another text."""
    entries = []
    for number, entry in enumerate(make_feed(rng, 40)):
        value = entry.value
        if value and value.endswith(b"}"):
            document = json.loads(value)
            document["text"] += f" This was entry {number}."
            value = json.dumps(document).encode()
        entries.append(replace(entry, value=value))
    return entries


def told(name: str, text: str) -> Entry:
    value = json.dumps({"id": name, "text": text, "document_time": "2024-08-01"}).encode()
    return Entry(name.encode(), value, (), instant(2024, 8, 1))


def store_of(here: Place, encoder: HashingEncoder, model: str) -> FalkorStore:
    settings = here.settings
    return open_store(settings.store.url, settings.store, load_registry(), encoder.dimensions, model)


async def test_a_service_with_another_encoder_says_what_to_do(
    here: Place, rng: random.Random, embeddings: EmbeddingsServer
) -> None:
    await filled(here, make_feed(rng, 5))
    models = EmbeddingsSettings(f"openai:{MODEL}", url=embeddings.url)
    async with serving(here.settings, models) as client:
        code, reason, message = await rpc_error(client.query.Retrieve(question()))
        assert (code, reason) == (grpc.StatusCode.FAILED_PRECONDITION, "ENCODER_CHANGED")
        for part in (f"{FORMER} (64 dimensions)", f"{MODEL} ({DIMENSIONS})", "`tidegraph rebuild`"):
            assert part in message
        status = await client.status()
        assert [part.name for part in status.components if not part.healthy] == ["encoder"]


async def test_a_graph_is_embedded_anew_while_questions_are_answered(
    here: Place, rng: random.Random, embeddings: EmbeddingsServer
) -> None:
    entries = feed(rng)
    await filled(here, entries)
    waiting, during = told("waiting", WAITING), told("during", DURING)
    models = EmbeddingsSettings(f"openai:{MODEL}", former="hashing", url=embeddings.url)
    async with serving(here.settings, models) as client, asking_all_the_time(client) as asked:
        worker = await here.start_worker(**changed(embeddings))
        try:
            positions = await send(here.log, [waiting])
            done, kept = await under_way(here, client, embeddings)
            await worker.kill()
            embeddings.embedded.clear()
            worker = await here.start_worker(**changed(embeddings))
            positions += await send(here.log, [during])
            (found,) = await here.status.get(positions[:1])
            assert not found.outcome, "it waits for the new vectors"
            assert asked.encoders == [FORMER]
            embeddings.release()
            await here.ended([done, *positions])
        finally:
            await worker.stop()
        assert not kept & set(embeddings.embedded), "the next worker went on where the first was"

        async def by_the_new_one() -> bool:
            return asked.encoders[-1:] == [MODEL]

        await until(by_the_new_one)
        for text in (WAITING, DURING):
            assert text in [hit.text for hit in await client.retrieve(text)]
    assert asked.encoders == [FORMER, MODEL], "by the one until it is done, by the other from then on"
    assert {encoder: len(answers) for encoder, answers in asked.answers.items()} == {FORMER: 1, MODEL: 1}
    await assert_embedded_by(here, embeddings, await reference(here.settings, [*entries, waiting, during]))


async def under_way(here: Place, client: Client, embeddings: EmbeddingsServer) -> tuple[Position, set[str]]:
    """Order the job and wait until it is in the middle; what it has embedded and written by then."""
    embeddings.hold(20)
    done = read_await_token(await client.rebuild("another encoder"))
    store = store_of(here, embeddings.vectors, MODEL)
    beside = store.beside()

    async def in_the_middle() -> bool:
        return embeddings.held > 0

    await until(in_the_middle)
    ids = [id_ for id_, _ in await beside.scan(GRAPH, "chunk", "", 1_000)]
    kept = {record.chunk.text for record in await beside.chunks(GRAPH, ids, EVERYTHING)}
    assert kept
    await store.close()
    embeddings.hold(0)
    return done, kept


async def assert_embedded_by(here: Place, embeddings: EmbeddingsServer, wanted: object) -> None:
    """Nothing was lost, and every event has the vector that the new encoder gives its sentence."""
    store = store_of(here, embeddings.vectors, MODEL)
    made = await store.made(GRAPH)
    assert (made.model_id, made.dimensions) == (MODEL, DIMENSIONS)
    assert await contents(store) == wanted
    ids = [id_ for id_, _ in await store.scan(GRAPH, "event", "", 1_000)]
    events = await store.events(GRAPH, ids, EVERYTHING)
    assert {WAITING, DURING} <= {record.event.sentence for record in events}
    for record in events:
        (vector,) = embeddings.vectors.encode([record.event.sentence])
        name = record.event.event_id
        (scored,) = await store.rank_events(GRAPH, "event", [name], vector, EVERYTHING, None, 1)
        assert scored.score == pytest.approx(1.0, abs=1e-3), record.event.sentence
    await store.close()
