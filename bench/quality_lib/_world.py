"""The product, playable: the real stages over a log in memory, FalkorDB, and the service's use cases.

Nothing is left out but the broker and the network; a test of the product holds that both ways give one
graph.
"""

from __future__ import annotations

import re
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import orjson

from tidegraph import settings as settings_module
from tidegraph.domain.documents import DocumentTime, Granularity, Position
from tidegraph.domain.errors import NotFound
from tidegraph.domain.facts import FactVersion
from tidegraph.domain.interval import OPEN_END, OPEN_START, Interval, format_by_granularity
from tidegraph.embedded.falkordb import EmbeddedFalkorDB
from tidegraph.inputs.times import TimeRules, require
from tidegraph.language.registry import load_registry
from tidegraph.models.clock import FixedClock
from tidegraph.models.factory import make_encoder
from tidegraph.ports import FactFilter, Visibility
from tidegraph.services.caller import Caller
from tidegraph.services.usecases.ask import Asking, Finished
from tidegraph.services.usecases.context import ChatLimits, Ports
from tidegraph.services.usecases.moment import AskedTime
from tidegraph.services.usecases.parts_used import ALL_USED, Part
from tidegraph.streams.inprocess import InProcess

ALL_KNOWN = OPEN_END - 1
_PROGRESS_EVERY = 100


@dataclass(slots=True)
class World:
    """One pipeline with many graphs; a graph is a collection of documents of its own."""

    pipeline: InProcess
    ports: Ports

    async def send(self, graph: str, document: Mapping[str, Any], known_at: int | None = None) -> Position:
        """Append one document; ``known_at`` (microseconds) declares when it was known."""
        key = str(document["id"]).encode()
        if document.get("retracted"):
            headers = (("x-tenant", graph.encode()),)
            return await self.pipeline.append(key, None, headers, known_at)
        value = orjson.dumps({**document, "tenant": graph})
        headers = (("content-type", b"application/json"),)
        return await self.pipeline.append(key, value, headers, known_at)

    async def settle(self) -> None:
        """Take what was sent through all stages."""
        await self.pipeline.settle()

    async def outcomes(self, positions: Sequence[Position]) -> list[tuple[str, str]]:
        """(outcome, cause) of each position, in order; ("missing", "") where there is none."""
        found = {status.position: status for status in await self.pipeline.status.get(positions)}
        return [
            (found[p].outcome or "in_progress", found[p].cause) if p in found else ("missing", "")
            for p in positions
        ]

    async def facts(self, graph: str, known_at: int = ALL_KNOWN) -> list[FactVersion]:
        """Every fact believed at ``known_at``; empty when the graph does not exist."""
        seen = Visibility(known_at, None)
        try:
            found = await self.pipeline.store.facts(graph, FactFilter(limit=1_000_000), seen)
        except NotFound:
            return []
        return [fact for fact in found if not fact.valid.is_empty]

    async def names(self, graph: str, facts: Sequence[FactVersion]) -> Callable[[str], str]:
        """Gives the name of an entity that the facts speak of; anything else stands for itself."""
        ids = {f.subject for f in facts} | {f.object for f in facts if f.object_is_entity}
        records = await self.pipeline.store.entities(graph, sorted(ids)) if ids else []
        found = {record.entity_id: record.name for record in records}
        return lambda entity_id: found.get(entity_id, entity_id)

    async def ask(
        self,
        graph: str,
        question: str,
        asked: AskedTime,
        now: int | None = None,
        without: frozenset[Part] = ALL_USED,
    ) -> Finished:
        """The finished answer of ``Ask``, as the service gives it; ``without`` leaves parts out."""
        ports = self.ports if now is None else replace(self.ports, clock=FixedClock(now))
        parts = Asking(ports, Caller(graph, None, "bench"), 16_384, without).run(question, asked)
        finished = None
        async for part in parts:
            if isinstance(part, Finished):
                finished = part
        assert finished is not None
        return finished

    def print_cpu(self) -> None:
        """The end-of-run line: processor seconds by stage."""
        stages = ", ".join(f"{stage} {seconds:.1f}" for stage, seconds in self.pipeline.cpu_seconds.items())
        print(f"CPU seconds by stage: {stages}; whole process {time.process_time():.1f}")


@asynccontextmanager
async def world(**environ: str) -> AsyncIterator[World]:
    """A world with an embedded FalkorDB of its own, removed afterwards."""
    with tempfile.TemporaryDirectory(prefix="tidegraph-quality-") as folder:
        async with EmbeddedFalkorDB(Path(folder), append_fsync="no") as server:
            settings = settings_module.load({"TIDEGRAPH_FALKORDB_URL": server.url, **environ})
            async with InProcess.on_store(settings) as pipeline:
                yield World(pipeline, _ports(pipeline))


def _ports(pipeline: InProcess) -> Ports:
    settings = pipeline.settings
    return Ports(
        store=pipeline.store,
        status=pipeline.status,
        log=pipeline.log,
        encoder=make_encoder(),
        clock=pipeline.clock,
        registry=load_registry(settings.predicates_file),
        chat=None,
        chat_limits=ChatLimits(settings.llm.max_tokens, settings.llm.timeout_seconds),
        grounding=settings.grounding,
        max_document_bytes=settings.max_document_bytes,
    )


def graph_name(text: str) -> str:
    """A name of a graph for a collection."""
    return re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-.")[:100] or "collection"


def micros(text: str | None) -> int | None:
    """An ISO date or instant as microseconds; a date is its start."""
    time = moment(text)
    return None if time is None else time.instant


def moment(text: str | None) -> DocumentTime | None:
    """An ISO date or instant with its granularity."""
    return require(text, "case", TimeRules()) if text else None


def noon(text: str) -> Interval:
    """The instant asked for: a date without a clock time means noon UTC."""
    time = moment(text)
    assert time is not None
    at = time.instant + (43_200_000_000 if time.granularity >= Granularity.DAY else 0)
    return Interval(at, at + 1, Granularity.MICROSECOND)


def iso(value: int, granularity: Granularity) -> str | None:
    """A date as a scorer reads it: year, month, day or instant by granularity; open is null."""
    if value in (OPEN_START, OPEN_END):
        return None
    coarse = {Granularity.QUARTER: Granularity.MONTH, Granularity.HALF_YEAR: Granularity.MONTH}
    return format_by_granularity(value, coarse.get(granularity, granularity))


def read_lines(path: str | Path) -> list[dict[str, Any]]:
    """The objects of a JSON lines file."""
    with Path(path).open(encoding="utf-8") as lines:
        return [orjson.loads(line) for line in lines if line.strip()]


def write_lines(path: str | Path, rows: Sequence[Mapping[str, Any]]) -> None:
    """Write JSON lines."""
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    with Path(path).open("wb") as out:
        for row in rows:
            out.write(orjson.dumps(row) + b"\n")


def progress(done: int, total: int, what: str) -> None:
    """A line on standard error now and then."""
    if done == total or done % _PROGRESS_EVERY == 0:
        print(f"{what}: {done} of {total}", file=sys.stderr, flush=True)
