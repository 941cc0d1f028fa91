"""No read leaks the future: as of any known date a graph answers as if nothing later had been told.

Everything that a reader offers with a visibility is asked of a graph that knows all and of one that was
only told what was recorded by then; both must say the same. On the valid axis nothing outside the asked
interval is returned.
"""

from __future__ import annotations

import inspect
import random
from collections.abc import Awaitable, Callable, Sequence

import numpy as np
from tests.contracts.feed import GRAPH, retraction, since, writing
from tests.contracts.samples import DAY, DIMENSIONS, at
from tests.contracts.test_control import LEADS, Record, decision, hand_in
from tests.contracts.test_writer import day, make_writer

from tidegraph.domain.documents import DocumentKind, Status, Verb
from tidegraph.domain.interval import OPEN_END, OPEN_START, Interval
from tidegraph.domain.predicates import Registry
from tidegraph.events.v1 import records_pb2
from tidegraph.models.hashing import HashingEncoder
from tidegraph.ports import FactFilter, GraphReader, GraphStore, Visibility
from tidegraph.storage import visibility
from tidegraph.storage.memory import MemoryStore
from tidegraph.storage.visibility import EVERYTHING

LIMIT = 5_000
FIRMS = ("Acme", "Birch", "Cedar")
Read = Callable[[GraphReader, Visibility], Awaitable[object]]
ELSEWHERE = {
    # Names and the sets of ids that are one: each row has its recorded time, and the service reads by it.
    "entities",
    "entities_by_name",
    "search_entities",
    "reviews",
    "same_as",
}


def world(rng: random.Random) -> list[tuple[int, Record]]:
    """Documents and decisions with their recorded times."""
    found: list[tuple[int, Record]] = []
    for number in range(18):
        year, recorded = rng.randrange(2000, 2020), at(2024) + rng.randrange(30) * DAY
        labels = rng.choice([(), (), ("hr",)])
        paper = writing(f"d{rng.randrange(14)}", str(number), at(year), recorded, labels=labels)
        for _ in range(rng.randrange(3)):
            stop = rng.random() < 0.2
            paper.says(
                rng.choice(FIRMS),
                rng.choice(["has_value", "heads"]),
                "" if stop else rng.choice(["30 days", "60 days"]),
                since(OPEN_START, at(year))
                if stop
                else since(at(year), rng.choice([OPEN_END, at(year + 2)])),
                verb=Verb.STOP if stop else rng.choice([Verb.START, Verb.STATE]),
                status=rng.choice([Status.ASSERTED, Status.ASSERTED, Status.PLANNED]),
            )
        for _ in range(rng.randrange(3)):
            paper.tells(f"It was {rng.random()} there.", day(year, rng.randrange(1, 12)), rng.choice(FIRMS))
        if rng.random() < 0.3:
            paper.tells("The rules say so.", None, rng.choice(FIRMS))
        found.append((recorded, paper.done()))
    for revision in range(3):
        recorded = at(2024) + (3 + 8 * revision) * DAY
        table = writing("table", str(revision), at(2001 + 3 * revision), recorded, kind=DocumentKind.REGISTER)
        table.says("Acme", "lists", rng.choice(["Ann", "Bob"]), since(at(2001 + revision)), verb=Verb.STATE)
        found.append((recorded, table.done()))
    for number in rng.sample(range(14), 3):
        recorded = at(2024) + rng.randrange(10, 30) * DAY
        found.append((recorded, retraction(f"d{number}", recorded)))
    recorded = at(2024) + rng.randrange(30) * DAY
    change = records_pb2.PolicyChange(
        registry_toml=LEADS.replace("one_per_object", "one").replace('"entity"', '"literal"')
    )
    found.append((recorded, decision("p", recorded, policies=change)))
    return sorted(found, key=lambda pair: pair[0])


def reads(
    rng: random.Random, keys: Sequence[str], ids: dict[str, list[str]], valid: Interval | None
) -> dict[str, Read]:
    """Every read with a visibility, with what to ask."""
    vector = HashingEncoder(DIMENSIONS).encode(["It was there."])[0].astype(np.float32)
    documents, events, chunks, entities = (ids[name] for name in ("document", "event", "chunk", "entity"))
    history = rng.random() < 0.5

    async def scored(reader: GraphReader, seen: Visibility) -> object:
        found = [
            await reader.search_text(GRAPH, what, ["there", "rules", "nothing"], seen, valid, LIMIT)
            for what in ("event", "chunk")
        ]
        return [sorted(hit.id for hit in hits) for hits in found]

    async def near(reader: GraphReader, seen: Visibility) -> object:
        return [
            sorted(hit.id for hit in await reader.search_vector(GRAPH, what, vector, seen, valid, LIMIT))
            for what in ("event", "chunk")
        ]

    return {
        "facts": lambda r, s: r.facts(GRAPH, FactFilter(valid=valid, history=history, limit=LIMIT), s),
        "fact_counts": lambda r, s: r.fact_counts(GRAPH, entities, s, 3),
        "assertions": lambda r, s: r.assertions(GRAPH, keys, s),
        "revisions": lambda r, s: r.revisions(GRAPH, documents, s),
        "documents": lambda r, s: r.documents(GRAPH, documents, s),
        "in_force": lambda r, s: r.in_force(GRAPH, documents, s),
        "events": lambda r, s: r.events(GRAPH, events, s),
        "sketches": lambda r, s: r.sketches(GRAPH, events, s),
        "events_of": lambda r, s: r.events_of(GRAPH, entities, valid, s, LIMIT),
        "chunks": lambda r, s: r.chunks(GRAPH, chunks, s),
        "decisions": lambda r, s: r.decisions(GRAPH, ["policies", "conflict"], s),
        "search_text": scored,
        "search_vector": near,
        "rank_events": lambda r, s: _ranked(r, s, ids, valid),
    }


async def _ranked(
    reader: GraphReader, seen: Visibility, ids: dict[str, list[str]], valid: Interval | None
) -> object:
    vector = HashingEncoder(DIMENSIONS).encode(["It was there."])[0].astype(np.float32)
    found = []
    for by in ("entity", "document", "event"):
        hits = await reader.rank_events(GRAPH, by, ids[by], vector, seen, valid, LIMIT)
        found.append(sorted(hit.id for hit in hits))
    return found


async def ids_of(store: GraphStore) -> dict[str, list[str]]:
    found = {
        what: [id_ for id_, _ in await store.scan(GRAPH, what, "", LIMIT)] for what in ("event", "chunk")
    }
    found["document"] = ["table", *(f"d{number}" for number in range(14))]
    found["entity"] = [entity.entity_id for entity in await store.all_entities(GRAPH)]
    return found


def test_every_read_with_a_visibility_is_asked(rng: random.Random) -> None:
    taking = {
        name
        for name, method in inspect.getmembers(GraphReader, inspect.isfunction)
        if "seen" in inspect.signature(method).parameters
    }
    empty = {"document": [], "event": [], "chunk": [], "entity": []}
    assert set(reads(rng, [], empty, None)) | ELSEWHERE == taking  # type: ignore[arg-type]


async def test_as_of_a_known_date_nothing_later_is_told(
    store: GraphStore,
    fresh_memory: Callable[[], MemoryStore],
    registry: Registry,
    rng: random.Random,
) -> None:
    for _ in range(4 if isinstance(store, MemoryStore) else 1):
        told = world(rng)
        whole = fresh_memory() if isinstance(store, MemoryStore) else store
        await hand_in(make_writer(whole, registry), [record for _, record in rng.sample(told, len(told))])
        keys = sorted({version.key for version in await whole.all_versions(GRAPH)})
        ids = await ids_of(whole)
        for _ in range(6):
            known_at = at(2024) + rng.randrange(31) * DAY + rng.choice([-1, 0, 0, 1])
            past = fresh_memory()
            await past.prepare(GRAPH)
            records = [record for recorded, record in told if recorded <= known_at]
            if records:
                await hand_in(make_writer(past, registry), records)
            year = rng.randrange(1999, 2022)
            valid = rng.choice([None, Interval(at(year), at(year) + rng.choice([1, DAY, 900 * DAY]))])
            seen = Visibility(known_at, rng.choice([None, frozenset(), frozenset({"hr"})]))
            for name, read in reads(rng, keys, ids, valid).items():
                assert await read(whole, seen) == await read(past, seen), (name, known_at, valid, seen)
            if valid is not None:
                for fact in await whole.facts(GRAPH, FactFilter(valid=valid, limit=LIMIT), seen):
                    assert visibility.overlaps(fact.valid, valid)


async def test_all_that_is_known_is_told_in_the_end(
    store: GraphStore, registry: Registry, rng: random.Random
) -> None:
    told = world(rng)
    await hand_in(make_writer(store, registry), [record for _, record in told])
    late = Visibility(at(2031), None)
    which = FactFilter(limit=LIMIT)
    assert await store.facts(GRAPH, which, late) == await store.facts(GRAPH, which, EVERYTHING)
