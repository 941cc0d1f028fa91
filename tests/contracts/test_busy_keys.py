"""Keys of many claims on both stores: kept in memory, they say what the whole of the evidence says."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from tests.contracts.feed import GRAPH, retraction, since, writing
from tests.contracts.samples import DAY, at
from tests.contracts.test_control import decision, hand_in
from tests.contracts.test_writer import make_writer

from tidegraph.domain.belief import history, plan
from tidegraph.domain.documents import ExtractedDocument, Status, Verb
from tidegraph.domain.interval import OPEN_END, OPEN_START
from tidegraph.domain.predicates import Registry
from tidegraph.events.v1 import records_pb2
from tidegraph.ports import GraphStore
from tidegraph.storage.visibility import EVERYTHING
from tidegraph.streams.writing import beliefs, busykeys


def paper(rng: random.Random, number: int, *, late: bool = True) -> ExtractedDocument:
    """One claim about the one key: mostly newest last, some late, some ended, some planned."""
    day = at(2000) + number * DAY + rng.choice([0, 0, 0, -40 if late else 0]) * DAY
    recorded = at(2024) + (number - (3 if late and rng.random() < 0.1 else 0)) * DAY
    verb = rng.choice([Verb.START] * 6 + [Verb.STATE, Verb.STOP])
    valid = since(day, rng.choice([OPEN_END] * 5 + [day + 2 * DAY]))
    if verb is Verb.STOP:
        valid = since(OPEN_START, day)
    status = Status.PLANNED if rng.random() < 0.03 else Status.ASSERTED
    note = writing(f"d{number}", "1", day, recorded)
    return note.says("Acme", "has_value", f"v{rng.randrange(12)}", valid, verb=verb, status=status).done()


async def check(store: GraphStore, registry: Registry, key: str) -> None:
    """The stored rows are the history of all evidence."""
    evidence = await store.assertions(GRAPH, [key], EVERYTHING)
    policy = registry.key_policy("has_value", ())
    rows = await store.stored_versions(GRAPH, [key])
    assert plan(rows, history(evidence, [], policy)).is_empty


async def key_of(store: GraphStore) -> str:
    return (await store.all_versions(GRAPH))[0].key


@pytest.fixture
def busy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(beliefs, "BUSY_CLAIMS", 6)


@pytest.mark.usefixtures("busy")
async def test_what_is_kept_equals_the_whole(
    store: GraphStore, registry: Registry, rng: random.Random
) -> None:
    writer, offset, told = make_writer(store, registry), 0, 0
    while told < 90:
        size = rng.choice([1, 1, 1, 2, 5])
        batch: list[ExtractedDocument] = [paper(rng, told + place) for place in range(size)]
        told += size
        if rng.random() < 0.08:
            batch.append(retraction(f"d{rng.randrange(told)}", at(2024) + told * DAY))
        await hand_in(writer, batch, offset)
        offset += len(batch)
        if rng.random() < 0.05:
            writer.forget()
        if told % 4 == 0 or told >= 90:
            await check(store, registry, await key_of(store))


@pytest.mark.usefixtures("busy")
async def test_the_newest_claim_is_planned_without_reading_its_key(
    store: GraphStore, registry: Registry, rng: random.Random, monkeypatch: pytest.MonkeyPatch
) -> None:
    writer = make_writer(store, registry)
    for number in range(10):
        await hand_in(writer, [paper(rng, number, late=False)], number)
    read: list[Sequence[str]] = []
    commits: list[object] = []
    former = type(store).assertions
    wrote = type(store).commit

    async def assertions(self: GraphStore, graph: str, keys: Sequence[str], seen: object) -> object:
        read.append(keys)
        return await former(self, graph, keys, seen)  # type: ignore[arg-type]

    async def commit(self: GraphStore, change: object) -> object:
        commits.append(change)
        return await wrote(self, change)  # type: ignore[arg-type]

    monkeypatch.setattr(type(store), "assertions", assertions)
    monkeypatch.setattr(type(store), "commit", commit)
    for number in range(10, 16):
        await hand_in(writer, [paper(rng, number, late=False)], number)
    assert not any(read)
    assert len(commits) == 6, "one round trip each"
    key = await key_of(store)
    choice = records_pb2.ConflictDecision(key=key, assertion_id="none")
    await hand_in(writer, [decision("c", at(2025), conflict=choice)], 16)
    assert [list(keys) for keys in read if keys] == [[key]], "a decision looks at the whole key"
    await check(store, registry, key)


@pytest.mark.usefixtures("busy")
async def test_what_a_rival_committed_in_other_batches_is_read_again(
    store: GraphStore, registry: Registry, rng: random.Random
) -> None:
    """The graph stands where this writer would have it, in rows that may be others."""
    writer, rival = make_writer(store, registry), make_writer(store, registry)
    papers = [paper(rng, number, late=False) for number in range(12)]
    for number in range(10):
        await hand_in(writer, papers[number : number + 1], number)
    busy_keys = writer._planner._believer.busy
    key = await key_of(store)
    assert (GRAPH, key) in busy_keys._kept
    for number in (10, 11):
        await hand_in(rival, papers[number : number + 1], number)
    await hand_in(writer, papers[10:12], 10)
    assert (GRAPH, key) not in busy_keys._kept
    await hand_in(writer, [paper(rng, 12, late=False)], 12)
    assert (GRAPH, key) in busy_keys._kept
    await check(store, registry, key)


def test_the_keys_used_longest_ago_go_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(busykeys, "KEPT_CLAIMS", 5)
    keys = busykeys.BusyKeys()
    policy = Registry.parse("").key_policy("p", ())

    def snapshot(count: int) -> busykeys.Snapshot:
        return busykeys.Snapshot((None,) * count, (), policy)  # type: ignore[arg-type]

    keys.keep("g", {"a": snapshot(2), "b": snapshot(2)})
    keys.keep("g", {"a": snapshot(3)})
    keys.keep("g", {"c": snapshot(2)})
    assert list(keys._kept) == [("g", "a"), ("g", "c")]
    assert keys.take("g", {"a": [], "b": [], "c": []}) == {}
    assert keys._claims == 0
