"""A graph that is dropped and built anew from the record of belief is the same graph."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.integration.streams.feed import make_feed

from tidegraph import settings
from tidegraph.domain.errors import Rejected, Retryable
from tidegraph.domain.interval import OPEN_END
from tidegraph.events.v1 import records_pb2
from tidegraph.log.keys import graph_key
from tidegraph.log.topics import Topic
from tidegraph.models.clock import FixedClock
from tidegraph.ports import Encoder, FactFilter, GraphStore
from tidegraph.storage.dump import content_hash, full_dump
from tidegraph.storage.visibility import EVERYTHING
from tidegraph.streams.inprocess import InProcess
from tidegraph.streams.rebuild import Batch, Rebuilder, Sources

GRAPH = "default"


class Ticking(FixedClock):
    """Each look is a second later than the one before."""

    def now(self) -> int:
        self._instant += 1_000_000
        return self._instant


def pipeline(partitions: int = 3) -> InProcess:
    running = InProcess.in_memory(settings.load({}), encoder="hashing", clock=Ticking(1_700_000_000_000_000))
    return InProcess(
        running.settings, running.store, running.status, running.writer, running.clock, partitions=partitions
    )


async def decide(running: InProcess, graph: str = GRAPH, **decision: object) -> None:
    record = records_pb2.ControlRecord(
        control_id=f"c{random.random()}", graph=graph, actor="test", **decision
    )  # type: ignore[arg-type]
    await running.log.append(Topic.CONTROL, graph_key(graph), record.SerializeToString(), (), None)


async def fill(running: InProcess, rng: random.Random, count: int = 40) -> None:
    """A feed with repeats, withdrawals and broken records, and decisions among them."""
    entries = make_feed(rng, count)
    for number, entry in enumerate(entries):
        at = entry.known_at if rng.random() < 0.7 else None
        await running.append(entry.key, entry.value, entry.headers, at)
        if rng.random() < 0.3:
            again = rng.choice(entries[: number + 1])
            at = again.known_at if rng.random() < 0.5 else None
            await running.append(again.key, again.value, again.headers, at)
        if number % 13 == 7:
            await running.settle()
            document = f"note-{rng.randrange(number)}"
            await decide(running, retraction=records_pb2.Retraction(document_id=document))
    await running.settle()


def rebuilder(running: InProcess) -> Rebuilder:
    sources = Sources(running.log, running._lives, running._progress)
    return Rebuilder(running.store, running.writer.on, sources, running.clock)


def interleaved(rng: random.Random, batches: Sequence[Batch]) -> list[Batch]:
    """The batches in a random order that keeps that of each partition; cut anew at random."""
    lanes: dict[tuple[str, int], list[Batch]] = {}
    for batch in batches:
        at = 0
        while at < len(batch):
            size = rng.randint(1, 8)
            lanes.setdefault((batch[0].topic, batch[0].partition), []).append(batch[at : at + size])
            at += size
    order = [lane for lane, found in lanes.items() for _ in found]
    rng.shuffle(order)
    return [lanes[lane].pop(0) for lane in order]


@pytest.mark.parametrize("seed", range(6))
async def test_any_interleaving_of_the_partitions_gives_the_same_graph(seed: int) -> None:
    rng = random.Random(seed)
    running = pipeline()
    await fill(running, rng)
    wanted = [line async for line in full_dump(running.store, GRAPH)]
    assert sum(line.startswith("fact") for line in wanted) > 20
    for _ in range(2):
        beside = running.store.beside()
        await rebuilder(running).build(GRAPH, beside, lambda batches: interleaved(rng, batches))
        assert [line async for line in full_dump(beside, GRAPH)] == wanted


async def test_a_retraction_that_is_told_twice_leaves_what_was_sent_in_between() -> None:
    running = pipeline(1)
    told = records_pb2.ControlRecord(
        control_id="c", graph=GRAPH, actor="test", retraction=records_pb2.Retraction(document_id="a")
    )
    text = b"Ann Roe was appointed CEO of Nova Ltd on 1 May 2020."
    for _ in range(2):
        await running.append(b"a", text)
        await running.settle()
        await running.log.append(Topic.CONTROL, graph_key(GRAPH), told.SerializeToString(), (), None)
        await running.settle()
    assert await running.store.facts(GRAPH, FactFilter(), EVERYTHING)
    former = await content_hash(running.store, GRAPH)
    await rebuilder(running).rebuild(GRAPH, {"elsewhere/0": 0})
    assert await content_hash(running.store, GRAPH) == former


async def test_what_was_sent_again_after_a_retraction_counts_though_that_comes_late() -> None:
    """The copy is taken in before the decision is, as a copy of what that withdraws."""
    running = pipeline(1)
    value = json.dumps({"id": "a", "text": "Ann Roe was appointed CEO of Nova Ltd in May 2020."}).encode()
    await running.append(b"a", value)
    await running.settle()
    await decide(running, retraction=records_pb2.Retraction(document_id="a"))
    await running.append(b"a", value)
    await running.settle()
    records = await running.store.documents(GRAPH, ["a"], EVERYTHING)
    told = sorted((r.generation, r.withdrawn_at == OPEN_END) for r in records if r.header.kind != 3)
    assert told == [(0, False), (1, True)]
    assert [fact.invalidated_at for fact in await running.store.facts(GRAPH, FactFilter(), EVERYTHING)] == [
        OPEN_END
    ]


async def test_the_graph_that_takes_over_goes_on_where_the_other_was(rng: random.Random) -> None:
    running = pipeline(1)
    await fill(running, rng, 20)
    before = await content_hash(running.store, GRAPH)
    told, sequence = await running.store.changes(GRAPH, 0, 1_000), await running.store.sequence(GRAPH)
    offsets = await running.store.writers(GRAPH)
    await decide(running, rebuild=records_pb2.Rebuild())
    await running.settle()
    assert await content_hash(running.store, GRAPH) == before
    assert await running.store.changes(GRAPH, 0, 1_000) == told
    assert await running.store.sequence(GRAPH) == sequence + 1
    (name, at), after = *offsets.items(), await running.store.writers(GRAPH)
    assert after[name] == at + 1
    (resolved,) = running.log.records(Topic.RESOLVED, 0, at + 1, 1)
    await running.log.append(Topic.RESOLVED, resolved.key, resolved.value, resolved.headers, None)
    await running.settle()
    assert await running.store.sequence(GRAPH) == sequence + 1, "handed on twice, carried out once"
    await running.append(
        b"k", json.dumps({"id": "new", "text": "Ann Roe was appointed CEO of Nova Ltd."}).encode()
    )
    await running.settle()
    assert await running.store.sequence(GRAPH) == sequence + 2
    (outcome,) = await running.status.by_document(GRAPH, "new")
    assert outcome.outcome == "committed"


async def test_a_decision_to_rebuild_says_what_came_of_it(rng: random.Random) -> None:
    running = pipeline(1)
    await fill(running, rng, 10)
    await decide(running, rebuild=records_pb2.Rebuild())
    await running.settle()
    (line,) = await running.status.by_document(GRAPH, "")
    assert line.position.topic == Topic.CONTROL
    assert line.outcome == "committed"
    assert await content_hash(running.store, GRAPH) in line.cause
    assert "was" not in line.cause


async def test_a_lost_graph_comes_back(rng: random.Random) -> None:
    running = pipeline(1)
    await fill(running, rng, 20)
    before = await content_hash(running.store, GRAPH)
    await running.store.drop(GRAPH)
    await decide(running, rebuild=records_pb2.Rebuild())
    await running.settle()
    assert await content_hash(running.store, GRAPH) == before
    assert await running.store.changes(GRAPH, 0, 1_000)


async def test_other_graphs_are_left_alone(rng: random.Random) -> None:
    running = pipeline(2)
    await fill(running, rng, 10)
    text = json.dumps(
        {"id": "x", "tenant": "other", "text": "Ann Roe was appointed CEO of Nova Ltd in 2020."}
    )
    await running.append(b"other/x", text.encode())
    await running.settle()
    other, sequence = await content_hash(running.store, "other"), await running.store.sequence("other")
    await decide(running, rebuild=records_pb2.Rebuild())
    await running.settle()
    assert (await content_hash(running.store, "other"), await running.store.sequence("other")) == (
        other,
        sequence,
    )


async def test_what_compaction_would_remove_does_not_come_back() -> None:
    running = pipeline(1)
    for name in ("Ann Roe", "Bob Lee"):
        value = {"id": name, "text": f"{name} was appointed CEO of {name.split()[1]} Ltd in May 2020."}
        await running.append(name.encode(), json.dumps(value).encode())
    await running.settle()
    (key,) = [r.key async for r in running.log.read(Topic.EXTRACTED) if r.key and b"Ann" in r.key]
    await running.log.append(Topic.EXTRACTED, key, None, (), None)
    await decide(running, rebuild=records_pb2.Rebuild())
    await running.settle()
    rows = [line async for line in full_dump(running.store, GRAPH)]
    assert any("Bob" in row for row in rows)
    assert not any("Ann" in row for row in rows)
    facts = await running.store.facts(GRAPH, FactFilter(history=True), EVERYTHING)
    assert all(fact.invalidated_at == OPEN_END for fact in facts)


async def test_a_graph_of_another_encoder_is_held_until_its_rebuild_and_then_goes_on(
    rng: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The decision waits behind records that the graph cannot take."""
    running = pipeline(1)
    await fill(running, rng, 10)
    former = running.store
    prepare = type(former).prepare

    async def refuse(store: GraphStore, graph: str) -> None:
        if store is former and not await former.beside_taken():  # type: ignore[attr-defined]
            raise Rejected("ENCODER_CHANGED", "the graph holds vectors of another encoder")
        await prepare(store, graph)

    async def taken() -> bool:
        return any(name.startswith("decided/") for name in await former.writers(GRAPH))

    monkeypatch.setattr(type(former), "beside_taken", staticmethod(taken), raising=False)
    monkeypatch.setattr(type(former), "prepare", refuse)
    running.writer.forget()
    await running.append(b"new", json.dumps({"id": "new", "text": "Ann Roe left Nova Ltd in 2021."}).encode())
    with pytest.raises(Retryable, match="ENCODER_CHANGED"):
        await running.settle()
    await decide(running, rebuild=records_pb2.Rebuild())
    await running.settle()
    (line,) = await running.status.by_document(GRAPH, "new")
    assert line.outcome == "committed"
    (told,) = await running.status.by_document(GRAPH, "")
    assert told.outcome == "committed"


class Failing:
    """The encoder of the pipeline, which is away once it has embedded so many texts."""

    def __init__(self, encoder: Encoder) -> None:
        self.model_id, self.dimensions = encoder.model_id, encoder.dimensions
        self.texts: list[str] = []
        self.left = 1 << 30
        self._encoder = encoder

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if len(texts) > self.left:
            raise Retryable("ENCODER_UNAVAILABLE", "away")
        self.left -= len(texts)
        self.texts += texts
        return self._encoder.encode(texts)


async def interrupted(monkeypatch: pytest.MonkeyPatch) -> tuple[InProcess, Failing, set[str]]:
    """A graph whose rebuild was interrupted; the texts that were embedded by then."""
    running = pipeline(4)
    beside = running.store.beside()
    monkeypatch.setattr(type(running.store), "beside", lambda store: beside)
    encoder = running.writer._encoder = Failing(running.writer._encoder)  # type: ignore[assignment]
    for number in range(40):
        text = f"Ann Roe was appointed CEO of Nova{number} Ltd in May 2020."
        await running.append(b"%d" % number, json.dumps({"id": f"n{number}", "text": text}).encode())
    await running.settle()
    encoder.left = 30
    with pytest.raises(Retryable, match="ENCODER_UNAVAILABLE"):
        await rebuilder(running).rebuild(GRAPH, {"elsewhere/0": 0})
    events = await beside.scan(GRAPH, "event", "", 100)
    assert events
    told = await beside.events(GRAPH, [id_ for id_, _ in events], EVERYTHING)
    encoder.left = 1 << 30
    encoder.texts.clear()
    return running, encoder, {record.event.sentence for record in told}


async def test_an_interrupted_rebuild_goes_on_where_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    running, encoder, known = await interrupted(monkeypatch)
    before = await content_hash(running.store, GRAPH)
    done = await rebuilder(running).rebuild(GRAPH, {"elsewhere/0": 0})
    assert (done.content_hash, done.former_hash, done.built.taken_in) == (before, before, 40)
    assert encoder.texts
    assert not known & set(encoder.texts), "nothing is embedded twice"
    await rebuilder(running).rebuild(GRAPH, {"elsewhere/0": 1})
    assert known <= set(encoder.texts), "one that came to its end is no beginning of the next"


async def test_it_begins_anew_where_a_decision_has_come_since(monkeypatch: pytest.MonkeyPatch) -> None:
    running, encoder, known = await interrupted(monkeypatch)
    await decide(running, retraction=records_pb2.Retraction(document_id="n3"))
    await running.settle()
    before = await content_hash(running.store, GRAPH)
    done = await rebuilder(running).rebuild(GRAPH, {"elsewhere/0": 0})
    assert done.content_hash == before
    assert known <= set(encoder.texts)


@pytest.mark.parametrize("name", [None, b"Bea Roe"])
async def test_it_begins_anew_where_a_document_was_taken_away_or_replaced(
    monkeypatch: pytest.MonkeyPatch, name: bytes | None
) -> None:
    """What the interrupted one had taken in of it is not served: a build from nothing has none."""
    running, _, known = await interrupted(monkeypatch)
    text = min(known)
    records = [r async for r in running.log.read(Topic.EXTRACTED) if text.encode() in (r.value or b"")]
    (key, value, at) = next((r.key or b"", r.value or b"", r.partition) for r in records)
    value_now = None if name is None else value.replace(b"Ann Roe", name)
    await running.log.write(Topic.EXTRACTED, key, value_now, (), at)
    await rebuilder(running).rebuild(GRAPH, {"elsewhere/0": 0})
    found = [line async for line in full_dump(running.store, GRAPH)]
    assert not any(text in line for line in found)
    await rebuilder(running).rebuild(GRAPH, {"elsewhere/0": 1})
    assert [line async for line in full_dump(running.store, GRAPH)] == found


async def test_an_erasure_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    running, encoder, known = await interrupted(monkeypatch)
    await rebuilder(running).rebuild(GRAPH, {"elsewhere/0": 0}, tell_gone=False)
    assert known <= set(encoder.texts)
