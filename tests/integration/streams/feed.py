"""An invented feed, and what a graph holds after it, in a form that two runs can be compared by."""

from __future__ import annotations

import asyncio
import json
import random
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from tests.integration.streams.harness import GRAPH

from tidegraph.domain.canonical import dump
from tidegraph.domain.documents import Position
from tidegraph.domain.interval import OPEN_END, instant
from tidegraph.log.producer import KafkaLog
from tidegraph.ports import FactFilter, GraphReader, Visibility
from tidegraph.settings import Settings
from tidegraph.streams.inprocess import InProcess

PEOPLE = ("Mara Voss", "Idris Kell", "Tova Lindgren", "Pavel Orsic", "Nadia Brandt", "Jonas Falk")
COMPANIES = ("Harrow Freight", "Calder Optics", "Northmere Bank")
ROLES = ("Chief Technology Officer", "Chief Financial Officer")
ALL = Visibility(OPEN_END - 1, None)


@dataclass(frozen=True, slots=True)
class Entry:
    """A record of ``documents`` with the time at which it was known."""

    key: bytes
    value: bytes | None
    headers: tuple[tuple[str, bytes], ...]
    known_at: int


def make_feed(rng: random.Random, count: int) -> list[Entry]:
    """Appointments, departures and values over some years, a few of them retracted or malformed."""
    entries = []
    for number in range(count):
        day = f"{rng.randint(1, 28)} {rng.choice(('March', 'June', 'October'))} {rng.randint(2015, 2023)}"
        company = rng.choice(COMPANIES)
        text = rng.choice(
            (
                f"{rng.choice(PEOPLE)} was appointed {rng.choice(ROLES)} of {company} on {day}.",
                f"{rng.choice(PEOPLE)} left {company} on {day}.",
                f"The headquarters of {company} moved to Leeds on {day}.",
                f"{rng.choice(PEOPLE)} has been {rng.choice(ROLES)} of {company} since {day}.",
            )
        )
        identity = f"note-{number}"
        value: bytes | None = json.dumps(
            {"id": identity, "text": text, "document_time": "2023-11-30", "source": "notes"}
        ).encode()
        if number % 17 == 11:
            identity, value = f"note-{number - 9}", None
        if number % 23 == 13:
            value = b'{"id": "broken", "text": '
        headers = (("x-doc-id", identity.encode()),) if value is None else ()
        known_at = instant(2024, 1, 1) + number * 1_000_000
        entries.append(Entry(f"{GRAPH}/{identity}".encode(), value, headers, known_at))
    return entries


async def send(log: KafkaLog, entries: Sequence[Entry]) -> list[Position]:
    """Send a feed as an archive, so that each run records it at the same times."""
    sends = (log.append("documents", e.key, e.value, e.headers, e.known_at) for e in entries)
    return list(await asyncio.gather(*sends))


async def reference(settings: Settings, entries: Sequence[Entry]) -> dict[str, Any]:
    """What the stages make of a feed in one process, undisturbed, on the in-memory twins."""
    pipeline = InProcess.in_memory(settings, encoder="hashing")
    for entry in entries:
        await pipeline.append(entry.key, entry.value, entry.headers, entry.known_at)
    await pipeline.settle()
    return await contents(pipeline.store)


async def contents(store: GraphReader, graph: str = GRAPH) -> dict[str, Any]:
    """All that a graph holds, but for where in the log it came from."""
    facts = await store.facts(graph, FactFilter(history=True, limit=100_000), ALL)
    keys = sorted({fact.key for fact in facts})
    assertions = await store.assertions(graph, keys, ALL)
    documents = await store.documents(graph, sorted({a.document_id for a in assertions}), ALL)
    nowhere = Position("", 0, 0, "")
    counts = await store.counts(graph)  # of facts also those that were never believed, which may differ
    return {
        "facts": dump(facts).splitlines(),
        "assertions": sorted(assertions, key=repr),
        "documents": sorted(
            (replace(d, header=replace(d.header, position=nowhere, appended_at=0)) for d in documents),
            key=repr,
        ),
        "counts": {name: count for name, count in counts.items() if name != "facts"},
    }
