"""What an entity with very many mentions costs the event graph: ten events inserted, and walks through it.

    bench/hub.py [--sizes 1000,4700,10000,200000] [--rounds 20] [--uncapped] [--growth 1.2] [--out FILE]

A graph is filled with events that all mention one entity, each with one of many rarer ones, and with the
event graph's lists that they have; then batches of ten more events are put into the lists and committed,
and walks start at the last of them: over today's lists, and over those of an older known date. Printed for
each size: milliseconds for the lists of ten events (processor of client and store, wall clock), the first
batch after a start apart, which may have to read a busy entity whole; round trips; wall clock of a walk.
Exits with 1 when the lists of ten events cost over ``--growth`` times as much at any size as at the first.
``--uncapped`` lifts the frequency cap, so that the hub makes edges whatever its size.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))

from hub_world import GRAPH, HubWorld
from tidegraph import settings as settings_module
from tidegraph.domain.eventgraph import EventGraphParameters
from tidegraph.embedded.falkordb import EmbeddedFalkorDB
from tidegraph.language.registry import load_registry
from tidegraph.log.memory import MemoryLog
from tidegraph.models.clock import SystemClock
from tidegraph.models.hashing import HashingEncoder
from tidegraph.services.caller import Caller
from tidegraph.services.usecases.context import ChatLimits, Ports
from tidegraph.services.usecases.moment import AskedTime, resolve
from tidegraph.services.usecases.reading import read_text
from tidegraph.services.usecases.walking import Direction, WalkRequest, walk
from tidegraph.services.usecases.work import Work
from tidegraph.storage.falkor import FalkorStore, open_store
from tidegraph.storage.memory import MemoryStatusStore
from tidegraph.streams.writing.links import Linker

TEN: Final = 10
NO_CAP: Final = 10**9
ENCODER: Final = HashingEncoder(8)


class Bench:
    """One graph with a hub."""

    def __init__(
        self, store: FalkorStore, settings: settings_module.Settings, parameters: EventGraphParameters
    ) -> None:
        self.store = store
        self.settings = settings
        self.parameters = parameters
        self.linker = Linker(store, parameters)

    async def insertions(self, world: HubWorld, rounds: int) -> dict[str, Any]:
        """Milliseconds for the lists of ten more events; the first batch of all apart."""
        rows: list[dict[str, float]] = []
        for _ in range(rounds + 1):
            records = world.more(TEN)
            client, store = time.process_time(), await self.store_cpu()
            trips, started = self.store.connection.round_trips, time.perf_counter()
            relinked = await self.linker.lists(GRAPH, records, ())
            wall = time.perf_counter() - started
            trips = self.store.connection.round_trips - trips
            client = time.process_time() - client
            store = await self.store_cpu() - store
            await world.commit(self.store, records, relinked.unlinked, relinked.linked)
            self.linker.settle(GRAPH, relinked)
            rows.append(
                {
                    "client": 1e3 * client,
                    "store": 1e3 * store,
                    "cpu": 1e3 * (client + store),
                    "wall": 1e3 * wall,
                    "trips": trips,
                }
            )
        first, *others = rows
        return {"first": _rounded(first)} | {
            name: _percentiles([row[name] for row in others]) for name in first
        }

    async def walks(self, world: HubWorld, rounds: int, known_at: int | None) -> dict[str, float]:
        """Wall clock of a walk from an event of the hub, each time from another one."""

        async def one(number: int) -> None:
            ports = self.ports()
            question = (await read_text(ports, GRAPH, "hub", ports.clock.now())).question
            moment = await resolve(ports, Caller(GRAPH, None, "bench"), AskedTime(known_at=known_at))
            request = WalkRequest((world.event_id(number * 37),), 5, 3, 1, Direction.BOTH)
            await walk(Work(ports, moment, question), request, None)

        return await _timed(one, rounds)

    async def store_cpu(self) -> float:
        info = await self.store.connection.command("INFO", "cpu")
        return float(info["used_cpu_user"]) + float(info["used_cpu_sys"])

    def ports(self) -> Ports:
        clock = SystemClock()
        ports = Ports(
            store=self.store, status=MemoryStatusStore(), log=MemoryLog(clock), encoder=ENCODER, clock=clock,
            registry=load_registry(""), chat=None, chat_limits=ChatLimits(1, 1.0),
            grounding=self.settings.grounding, max_document_bytes=1,
        )  # fmt: skip
        return replace(ports, event_graph=self.parameters)


async def _timed(what: Callable[[int], Awaitable[None]], rounds: int) -> dict[str, float]:
    taken = []
    for number in range(rounds):
        started = time.perf_counter()
        await what(number)
        taken.append(1e3 * (time.perf_counter() - started))
    return _percentiles(taken)


def _percentiles(values: list[float]) -> dict[str, float]:
    return {f"p{p}": round(float(np.percentile(values, p)), 2) for p in (50, 95)}


def _rounded(row: dict[str, float]) -> dict[str, float]:
    return {name: round(value, 2) for name, value in row.items()}


async def measured(arguments: argparse.Namespace, size: int) -> dict[str, Any]:
    """One graph of its own for each size."""
    with tempfile.TemporaryDirectory(prefix="tidegraph-hub-") as folder:
        async with EmbeddedFalkorDB(Path(folder), append_fsync="no") as server:
            settings = settings_module.load({"TIDEGRAPH_FALKORDB_URL": server.url})
            parameters = settings.event_graph.parameters
            if arguments.uncapped:
                parameters = replace(parameters, frequency_cap=NO_CAP)
            store = open_store(
                server.url, settings.store, load_registry(""), ENCODER.dimensions, ENCODER.model_id
            )
            try:
                world = HubWorld(size, parameters)
                await world.fill(store)
                bench = Bench(store, settings, parameters)
                row: dict[str, Any] = {"mentions": size, "load": round(os.getloadavg()[0], 1)}
                row["ten_events"] = await bench.insertions(world, arguments.rounds)
                row["walk"] = await bench.walks(world, arguments.rounds, None)
                row["past_walk"] = await bench.walks(world, arguments.past_rounds, world.known_at)
            finally:
                await store.close()
    print(json.dumps(row), flush=True)
    return row


async def run(arguments: argparse.Namespace) -> int:
    rows = [await measured(arguments, size) for size in arguments.sizes]
    costs = [row["ten_events"]["cpu"]["p50"] for row in rows]
    growth = max(costs) / costs[0]
    print(f"lists of ten events, processor time, the dearest size to the first: {growth:.2f}")
    if arguments.out:
        _save(arguments.out, rows)
    return int(growth > arguments.growth)


def _save(path: str, rows: list[dict[str, Any]]) -> None:
    Path(path).write_text(json.dumps(rows, indent=1), encoding="utf-8")


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--sizes",
        type=lambda text: [int(part) for part in text.split(",")],
        default=[1_000, 4_700, 10_000, 200_000],
    )
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--past-rounds", type=int, default=5)
    parser.add_argument("--uncapped", action="store_true", help="let the hub make edges whatever its size")
    parser.add_argument("--growth", type=float, default=1.2, help="any size over the first")
    parser.add_argument("--out", help="write all figures as JSON")
    return asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    sys.exit(main())
