"""What merging and splitting a large entity costs: only conflict keys that both sides have are planned again.

    bench/entity_merge.py [--facts 1000,100000]

One made-up firm is given many facts, another one ten, three of them under attributes of the first. Then an
operator's decisions merge the two and split them again. Printed of each decision, for each number of
facts: processor time of this process, round trips to the store, rows of identity and of facts that the
commit wrote. Exits with 1 when the split does not restore the graph's content hash, or when the decision
about the largest firm takes over twice the round trips of that about the smallest.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from tidegraph.domain import ids
from tidegraph.domain.documents import (
    Chunk,
    DocumentHeader,
    DocumentKind,
    DocumentTime,
    EndpointBasis,
    EntityType,
    ExtractedAssertion,
    ExtractedDocument,
    Mention,
    Position,
    Status,
    Term,
    ValidTime,
    Verb,
)
from tidegraph.domain.eventgraph import EventGraphParameters
from tidegraph.domain.interval import OPEN_END, Granularity
from tidegraph.embedded.falkordb import EmbeddedFalkorDB
from tidegraph.events.v1 import records_pb2
from tidegraph.language.registry import load_registry
from tidegraph.models.hashing import HashingEncoder
from tidegraph.ports import FactFilter
from tidegraph.settings import StoreSettings
from tidegraph.storage import dump
from tidegraph.storage.falkor import FalkorStore, open_store
from tidegraph.storage.merged import merged
from tidegraph.storage.visibility import EVERYTHING
from tidegraph.streams.writing.kinds import all_kinds
from tidegraph.streams.writing.planning import Item
from tidegraph.streams.writing.writer import GraphWriter

_GRAPH: Final = "made"
_PARTITION: Final = "life/0"
_CLAIMS: Final = 500
_START: Final = 1_500_000_000_000_000
_LARGE, _SMALL = "Norvik Works", "Sundal Holding"
_DIMENSIONS: Final = 8


def main() -> int:
    """Measure every number of facts and compare the first with the last."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--facts", default="1000,100000", help="numbers of facts, rising")
    arguments = parser.parse_args()
    found = [asyncio.run(_measure(int(number))) for number in arguments.facts.split(",")]
    restored = all(same for same, _ in found)
    return int(not restored or found[-1][1] > 2 * found[0][1])


async def _measure(facts: int) -> tuple[bool, int]:
    """Whether the content hash was restored, and the round trips of the merge."""
    with tempfile.TemporaryDirectory(prefix="tidegraph-merge-") as folder:
        async with EmbeddedFalkorDB(Path(folder), append_fsync="no") as server:
            settings = StoreSettings(url="", graph_prefix="bench:", query_timeout_ms=60_000)
            store = open_store(server.url, settings, load_registry(), _DIMENSIONS, "made")
            try:
                return await _merged(store, facts)
            finally:
                await store.close()


async def _merged(store: FalkorStore, facts: int) -> tuple[bool, int]:
    registry = load_registry()
    parameters = EventGraphParameters(delta_days=365.0, alpha_per_day=0.01, top_k=8, frequency_cap=1_000)
    writer = GraphWriter(store, registry, HashingEncoder(_DIMENSIONS), parameters)
    offset = 0
    for document in _documents(facts):
        await writer.write(_GRAPH, _PARTITION, [Item(offset, document)])
        offset += 1
    before = await dump.content_hash(store, _GRAPH)
    pair = [ids.entity_id(_GRAPH, name.lower(), "") for name in (_LARGE, _SMALL)]
    trips = 0
    for kind in ("merge", "split"):
        choice = records_pb2.Merge(entity_ids=pair) if kind == "merge" else records_pb2.Split(entity_ids=pair)
        record = records_pb2.ControlRecord(
            control_id=kind, graph=_GRAPH, actor="ann", reason="measured",
            recorded_at=_START + 10**13 + offset, **{kind: choice},
        )  # fmt: skip
        decide = all_kinds(registry).read(record, Position("control", 0, offset, "life"))
        used, sent = time.process_time(), store.connection.round_trips
        written = await writer.write(_GRAPH, _PARTITION, [Item(offset, decide)])
        used, sent = time.process_time() - used, store.connection.round_trips - sent
        trips = trips or sent
        offset += 1
        print(
            f"{facts} facts, {kind}: {used * 1000:.1f} ms of CPU, {sent} round trips, "
            f"{len(written.changes)} lines of the feed",
            flush=True,
        )
        if kind == "merge":
            used, sent = time.process_time(), store.connection.round_trips
            which = FactFilter(entity_ids=(pair[1],), limit=20)
            shown = await merged(store, registry).facts(_GRAPH, which, EVERYTHING)
            used, sent = time.process_time() - used, store.connection.round_trips - sent
            print(f"{facts} facts, reading 20: {used * 1000:.1f} ms of CPU, {sent} round trips, {len(shown)}")
    same = await dump.content_hash(store, _GRAPH) == before
    print(
        f"{facts} facts: the content hash is {'restored' if same else 'ANOTHER ONE'} by the split", flush=True
    )
    return same, trips


def _documents(facts: int) -> Iterator[ExtractedDocument]:
    for first in range(0, facts, _CLAIMS):
        yield _document(_LARGE, first, min(first + _CLAIMS, facts), first)
    yield _document(_SMALL, facts - 3, facts + 7, facts)


def _document(name: str, first: int, last: int, number: int) -> ExtractedDocument:
    """A text that gives a firm a value for each attribute from ``first`` to ``last``."""
    id_ = f"{name}-{number}"
    header = DocumentHeader(
        graph=_GRAPH, document_id=id_, revision="1", source="made", title="", kind=DocumentKind.NARRATIVE,
        document_time=DocumentTime(_START, Granularity.DAY, "metadata"), labels=(), source_priority=0,
        language="en", position=Position("documents", 0, number, "life"), recorded_at=_START + number,
        part=0, parts=1, content_hash=id_,
    )  # fmt: skip
    mention = Mention(f"{id_}-m", name, name, EntityType.ORGANISATION, 0, len(name))
    valid = ValidTime(
        _START, OPEN_END, Granularity.DAY, Granularity.UNKNOWN, EndpointBasis.STATED, EndpointBasis.NONE
    )
    claims = tuple(
        ExtractedAssertion(
            assertion_id=f"{id_}-{attribute}",
            subject=Term(mention.mention_id, ""),
            predicate="has_value",
            object=Term("", f"{attribute} units"),
            qualifiers=(("attribute", f"measure {attribute}"),),
            valid=valid,
            verb=Verb.START,
            status=Status.ASSERTED,
            confidence=0.9,
            start_char=0,
            end_char=1,
            event_id="",
            rule_id="made",
        )
        for attribute in range(first, last)
    )
    chunk = Chunk(f"{id_}-c", 0, 0, len(name), "", name)
    return ExtractedDocument(header, "e1", (chunk,), (), (mention,), (), claims)


if __name__ == "__main__":
    sys.exit(main())
