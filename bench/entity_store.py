"""What resolution costs the writer on FalkorDB: mentions of known entities among many.

    bench/entity_store.py [--sizes 1000,100000] [--batches 1,20] [--rounds 15] [--seed 1]

A graph is filled with what documents told of made-up people and firms; then the writer's identifier is
asked about batches of new mentions of them. Printed for each batch: processor time of this process for a
mention (the median of the rounds), processor time of the server, round trips to the store (the most of any
round), and how many of the mentions were joined with another id: of those that are written otherwise.
Exits with 1 when a mention costs over ``--limit`` milliseconds, or over ``--growth`` times as much in the
largest graph as in the smallest.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import random
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).resolve().parent))

from entities import made_entity, made_mention
from tidegraph.domain.documents import EntityType
from tidegraph.domain.identity import IdentityWrites, Sighting
from tidegraph.domain.ids import entity_id
from tidegraph.domain.naming import normalise
from tidegraph.embedded.falkordb import EmbeddedFalkorDB
from tidegraph.language.registry import load_registry
from tidegraph.ports import Commit, EntityWrite, Fence
from tidegraph.resolution.profiles import Profile
from tidegraph.settings import StoreSettings
from tidegraph.storage.falkor import FalkorStore, open_store
from tidegraph.streams.writing.identities import Identifier, News
from tidegraph.streams.writing.sightings import with_keys

_GRAPH: Final = "made"
_PARTITION: Final = "life/0"
_ROWS: Final = 1_000
_START: Final = 1_700_000_000_000_000
_LATE: Final = 10**9
_TICKS: Final = os.sysconf("SC_CLK_TCK")


@dataclass(frozen=True, slots=True)
class Cost:
    """Medians over the rounds; milliseconds a mention, but for the round trips: the most of any round."""

    ours: float
    servers: float
    trips: int
    joined: float
    """The share of mentions that were joined with what is known."""


def main() -> int:
    """Measure every size and every batch, and compare the sizes."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", default="1000,100000", help="numbers of entities, rising")
    parser.add_argument("--batches", default="1,20", help="mentions resolved at once")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=float, default=5.0, help="milliseconds of CPU a mention")
    parser.add_argument("--growth", type=float, default=1.5, help="largest over smallest size")
    return asyncio.run(_run(parser.parse_args()))


async def _run(arguments: argparse.Namespace) -> int:
    batches = [int(number) for number in arguments.batches.split(",")]
    found: dict[int, list[Cost]] = {batch: [] for batch in batches}
    for size in map(int, arguments.sizes.split(",")):
        rng = random.Random(arguments.seed)
        entities = [made_entity(rng, f"e{number}") for number in range(size)]
        async with _store() as (store, server):
            await _fill(store, entities)
            for batch in batches:
                cost = await _measure(store, server, entities, batch, arguments.rounds, rng)
                found[batch].append(cost)
                print(
                    f"{size} entities, {batch} at once: {cost.ours:.2f} ms of CPU a mention, "
                    f"{cost.servers:.2f} ms of the server's, {cost.trips} round trips, "
                    f"{cost.joined:.2f} joined with another id",
                    flush=True,
                )
    failed = False
    for batch, costs in found.items():
        growth = costs[-1].ours / costs[0].ours
        print(f"{batch} at once: growth {growth:.2f}")
        failed |= growth > arguments.growth or costs[-1].ours > arguments.limit
    return int(failed)


async def _measure(
    store: FalkorStore, server: int, entities: Sequence[Profile], batch: int, rounds: int, rng: random.Random
) -> Cost:
    identifier = Identifier(store, load_registry())
    ours, servers, trips, joined = [], [], [], 0
    for turn in range(rounds):
        asked = [
            _sighting(made_mention(rng, rng.choice(entities), n)[0], f"new-{batch}-{turn}", _LATE + n)
            for n in range(batch)
        ]
        before, theirs, sent = time.process_time(), _seconds_of(server), store.connection.round_trips
        found = await identifier.identify(_GRAPH, News(tuple(asked)))
        ours.append((time.process_time() - before) * 1000 / batch)
        servers.append((_seconds_of(server) - theirs) * 1000 / batch)
        trips.append(store.connection.round_trips - sent)
        joined += sum(len(found.after.get(one.entity_id, ())) > 1 for one in asked)
    return Cost(statistics.median(ours), statistics.fmean(servers), max(trips), joined / (rounds * batch))


@asynccontextmanager
async def _store() -> AsyncIterator[tuple[FalkorStore, int]]:
    """A store of its own with the process id of its server."""
    with tempfile.TemporaryDirectory(prefix="tidegraph-entities-") as folder:
        async with EmbeddedFalkorDB(Path(folder), append_fsync="no") as server:
            settings = StoreSettings(url="", graph_prefix="bench:", query_timeout_ms=60_000)
            store = open_store(server.url, settings, load_registry(), 8, "made")
            info = await store.connection.command("INFO", "server")
            try:
                yield store, int(info["process_id"])
            finally:
                await store.close()


def _seconds_of(process: int) -> float:
    """Processor seconds of a process so far, by the kernel's count (Linux)."""
    fields = Path(f"/proc/{process}/stat").read_text("ascii").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / _TICKS


async def _fill(store: FalkorStore, entities: Sequence[Profile]) -> None:
    """One document for each entity, as the writer would have stored it."""
    await store.prepare(_GRAPH)
    offset = -1
    for part in _parts(entities):
        told = [
            _sighting(profile, f"d-{profile.entity_id}", offset * _ROWS + place)
            for place, profile in enumerate(part, start=_ROWS)
        ]
        offset += 1
        done = await store.commit(
            Commit(
                graph=_GRAPH,
                fence=Fence(_PARTITION, offset - 1, offset),
                documents=(),
                withdrawn=(),
                recorded_earlier=(),
                vectors=(),
                entities=tuple(map(_entity, told)),
                insert_versions=(),
                close_versions=(),
                unlinked=(),
                linked=(),
                changes=(),
                identity=IdentityWrites(sightings=tuple(told)),
            )
        )
        if done is None:
            raise RuntimeError("the store did not take the commit")


def _parts(entities: Sequence[Profile]) -> Iterator[Sequence[Profile]]:
    for start in range(0, len(entities), _ROWS):
        yield entities[start : start + _ROWS]


def _sighting(profile: Profile, document: str, at: int) -> Sighting:
    """What a document told of an entity, with the keys that candidates are found by.

    ``at``: when it was recorded, microseconds after the first document.
    """
    name = profile.names[0]
    return with_keys(
        Sighting(
            entity_id=entity_id(_GRAPH, normalise(name, profile.type), ""),
            document_id=document,
            names=((int(profile.type), name),),
            slots=tuple((slot, value) for slot, values in profile.slots.items() for value in values),
            keys=(),
            words=profile.context,
            time=_START,
            recorded_at=_START + at,
        )
    )


def _entity(told: Sighting) -> EntityWrite:
    kind, name = told.names[0]
    key = normalise(name)
    return EntityWrite(told.entity_id, key, EntityType(kind), ((key, name),), told.recorded_at)


if __name__ == "__main__":
    sys.exit(main())
