"""What retrieval costs, and what the vector leg finds, on graphs of several sizes.

    retrieval.py [--sizes 10000,100000] [--queries 100] [--writing] [--out FILE]

For each size (events) a graph is written by the product's own writer into an embedded FalkorDB, then
questions are asked: processor time of client and store without encoder and reranker, wall clock with and
without the default reranker (the real encoder's time is paid), recall@20 of the vector leg against exact
search at several selectivities, and what ten more events cost the writer. --writing asks again while
documents are written at half the writer's rate. Prints the machine's load: on a busy machine only
processor time counts.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import os
import platform
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parent))

from retrieval_world import DAYS, EVENTS_A_DOCUMENT, FIRST, ClusteredEncoder, Maker
from tidegraph import settings as settings_module
from tidegraph.domain.eventgraph import EventGraphParameters
from tidegraph.domain.interval import MICROS_PER_DAY, OPEN_END, Interval
from tidegraph.embedded.falkordb import EmbeddedFalkorDB
from tidegraph.language.registry import load_registry
from tidegraph.log.memory import MemoryLog
from tidegraph.models.clock import SystemClock
from tidegraph.models.minilm import MiniLmEncoder
from tidegraph.ports import Visibility
from tidegraph.services.caller import Caller
from tidegraph.services.usecases.context import ChatLimits, Ports
from tidegraph.services.usecases.moment import AskedTime
from tidegraph.services.usecases.opening import opened
from tidegraph.services.usecases.retrieve import Options, Rerank, retrieve
from tidegraph.storage.falkor import FalkorStore, open_store
from tidegraph.storage.memory import MemoryStatusStore
from tidegraph.streams.writing.links import Linker, Relinked
from tidegraph.streams.writing.planning import Item
from tidegraph.streams.writing.writer import GraphWriter

GRAPH = "bench"
SEEN = Visibility(OPEN_END - 1, None)
BATCH = 64
SELECTIVITIES = (0.3, 0.01, 0.001)


class Bench:
    """One graph that grows."""

    def __init__(self, store: FalkorStore, settings: settings_module.Settings) -> None:
        self.store = store
        self.settings = settings
        self.encoder = ClusteredEncoder()
        window = settings.event_graph
        parameters = EventGraphParameters(
            window.delta_days, window.alpha_per_day, window.top_k, window.frequency_cap
        )
        self.writer = GraphWriter(store, load_registry(""), self.encoder, parameters)
        self.documents = 0
        self.maker = Maker(GRAPH, 1)

    async def write(self, count: int) -> float:
        """Write so many more documents; the processor seconds of client and store."""
        before = await self.cpu()
        for start in range(self.documents, self.documents + count, BATCH):
            numbers = range(start, min(start + BATCH, self.documents + count))
            await self.writer.write(GRAPH, "bench/0", [Item(n, self.maker.document(n)) for n in numbers])
        self.documents += count
        return await self.cpu() - before

    async def grow(self, events: int) -> None:
        wanted = events // EVENTS_A_DOCUMENT - self.documents
        self.maker = Maker(GRAPH, max(10, events // 4))
        for start in range(0, wanted, 1_000):
            await self.write(min(1_000, wanted - start))
            print(f"{self.documents * EVENTS_A_DOCUMENT} events", file=sys.stderr, flush=True)

    async def cpu(self) -> float:
        return time.process_time() + await self.server_cpu()

    async def server_cpu(self) -> float:
        info = await self.store.connection.command("INFO", "cpu")
        return float(info["used_cpu_user"]) + float(info["used_cpu_sys"])

    def ports(self, encoder: ClusteredEncoder) -> Ports:
        clock = SystemClock()
        return Ports(
            store=self.store, status=MemoryStatusStore(), log=MemoryLog(clock), encoder=encoder, clock=clock,
            registry=load_registry(""), chat=None, chat_limits=ChatLimits(1, 1.0),
            grounding=self.settings.grounding, max_document_bytes=1,
        )  # fmt: skip

    async def ask(self, ports: Ports, number: int, rerank: Rerank) -> None:
        text, valid = self.maker.question(number)
        work, scope = await opened(ports, Caller(GRAPH, None, "bench"), text, AskedTime(valid=valid))
        await retrieve(work, scope, 20, Options(rerank))

    async def cost(self, queries: int) -> dict[str, float]:
        """Processor milliseconds a query, client and store, without encoder and reranker."""
        ports = self.ports(self.encoder)
        for number in range(5):
            await self.ask(ports, number, Rerank.NONE)
        client, server = time.process_time(), await self.server_cpu()
        for number in range(queries):
            await self.ask(ports, number, Rerank.NONE)
        client, server = time.process_time() - client, await self.server_cpu() - server
        return {"client_ms": 1e3 * client / queries, "store_ms": 1e3 * server / queries}

    async def latency(self, queries: int, rerank: Rerank) -> dict[str, float]:
        """Wall clock of whole retrievals, the real encoder's time included."""
        ports = self.ports(ClusteredEncoder(MiniLmEncoder()))
        await self.ask(ports, 0, rerank)
        taken = []
        for number in range(queries):
            started = time.perf_counter()
            await self.ask(ports, number, rerank)
            taken.append(1e3 * (time.perf_counter() - started))
        return {f"p{p}_ms": float(np.percentile(taken, p)) for p in (50, 95)}

    async def recall(self, queries: int) -> dict[str, dict[str, Any]]:
        """recall@20 of the vector leg by the share of events inside the asked time, and its paths."""
        events = [e for n in range(self.documents) for e in self.maker.document(n).events]
        vectors = self.encoder.encode([event.sentence for event in events])
        starts = np.array([event.interval.start for event in events if event.interval])
        found: dict[str, dict[str, Any]] = {}
        for share in SELECTIVITIES:
            width = int(share * DAYS) or 1
            hits, paths = [], set()
            for number in range(queries):
                begin = FIRST + (number * 37 % max(1, DAYS - width)) * MICROS_PER_DAY
                window = Interval(begin, begin + width * MICROS_PER_DAY)
                vector = self.encoder.encode([self.maker.question(number)[0]])[0]
                inside = np.flatnonzero((starts < window.end) & (starts + MICROS_PER_DAY > window.start))
                near = inside[np.argsort(-(vectors[inside] @ vector), kind="stable")[:20]]
                got = await self.store.search_vector(GRAPH, "event", vector, SEEN, window, 20)
                paths.add(got.path)
                floor = float(vectors[near[-1]] @ vector) - 1e-4 if len(near) else 0.0
                hits.append(
                    sum(hit.score >= floor for hit in got[: len(near)]) / len(near) if len(near) else 1.0
                )
            found[str(share)] = {"recall": round(float(np.mean(hits)), 4), "paths": sorted(paths)}
        return found

    async def ten_events(self) -> dict[str, float]:
        """Processor milliseconds of client and store for ten more events, the least of five: all of the
        writer's work, most of which is the resolution of names, and that on the event graph's lists alone.
        """
        whole, lists, spent = [], [], 0.0
        made = Linker.lists

        async def timed(*arguments: Any) -> Relinked:
            nonlocal spent
            before = await self.cpu()
            found = await made(*arguments)
            spent += await self.cpu() - before
            return found

        with mock.patch.object(Linker, "lists", timed):
            for _ in range(5):
                spent = 0.0
                whole.append(await self.write(4))
                lists.append(spent)
        return {"all_ms": 1e3 * min(whole) / 1.2, "lists_ms": 1e3 * min(lists) / 1.2}

    async def steadily(self, rate: float) -> None:
        """Write documents at a rate (a second), without end."""
        while True:
            started = time.perf_counter()
            await self.write(8)
            await asyncio.sleep(max(0.0, 8 / rate - (time.perf_counter() - started)))


@contextlib.asynccontextmanager
async def writing(url: str, bench: Bench, rate: float) -> AsyncIterator[None]:
    """Documents written at a rate (a second) beside what is done inside, by a process of its own."""
    arguments = ("--sizes", str(bench.documents * EVENTS_A_DOCUMENT), "--store", url, "--rate", str(rate))
    process = await asyncio.create_subprocess_exec(sys.executable, __file__, *arguments)
    try:
        yield
    finally:
        process.kill()
        await process.wait()


async def measure(bench: Bench, url: str, arguments: argparse.Namespace) -> list[dict[str, Any]]:
    rows = []
    for size in arguments.sizes:
        await bench.grow(size)
        row: dict[str, Any] = {"events": size, "load": os.getloadavg()[0]}
        row["cost"] = await bench.cost(arguments.queries)
        row["plain"] = await bench.latency(arguments.queries, Rerank.NONE)
        row["features"] = await bench.latency(arguments.queries, Rerank.FEATURES)
        row["recall"] = await bench.recall(min(40, arguments.queries))
        started = time.perf_counter()
        row["ten_events"] = await bench.ten_events()
        if arguments.writing:
            rate = 20 / (time.perf_counter() - started) / 2
            async with writing(url, bench, rate):
                row["writing_features"] = await bench.latency(arguments.queries, Rerank.FEATURES)
        rows.append(row)
        print(json.dumps(row), flush=True)
    return rows


@contextlib.asynccontextmanager
async def opened_bench(url: str) -> AsyncIterator[Bench]:
    """A bench on a store."""
    settings = settings_module.load({"TIDEGRAPH_FALKORDB_URL": url})
    encoder = ClusteredEncoder
    store = open_store(url, settings.store, load_registry(""), encoder.dimensions, encoder.model_id)
    try:
        yield Bench(store, settings)
    finally:
        await store.close()


async def run(arguments: argparse.Namespace) -> int:
    if arguments.store:
        async with opened_bench(arguments.store) as bench:
            bench.documents = arguments.sizes[0] // EVENTS_A_DOCUMENT
            bench.maker = Maker(GRAPH, max(10, arguments.sizes[0] // 4))
            await bench.steadily(arguments.rate)
    with tempfile.TemporaryDirectory(prefix="tidegraph-retrieval-") as folder:
        async with (
            EmbeddedFalkorDB(Path(folder), append_fsync="no") as server,
            opened_bench(server.url) as bench,
        ):
            rows = await measure(bench, server.url, arguments)
    if arguments.out:
        _save(arguments.out, rows)
    return 0


def _save(path: str, rows: list[dict[str, Any]]) -> None:
    found = {"machine": platform.machine(), "cores": os.cpu_count(), "python": platform.python_version()}
    Path(path).write_text(json.dumps({**found, "rows": rows}, indent=1), encoding="utf-8")


def _sizes(text: str) -> list[int]:
    return [int(part) for part in text.split(",")]


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--sizes", type=lambda text: [int(part) for part in text.split(",")], default=[10_000, 100_000]
    )
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--writing", action="store_true", help="measure beside a writer at half its rate too")
    parser.add_argument("--out", help="write all figures as JSON")
    parser.add_argument("--store", help=argparse.SUPPRESS)
    parser.add_argument("--rate", type=float, default=1.0, help=argparse.SUPPRESS)
    return asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    sys.exit(main())
