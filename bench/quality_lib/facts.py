"""Play the documents (or records) of a data set into a graph and write its facts.

Documents arrive in the order of the file, or shuffled by ``--order``; each was known at its document
time (a declared backfill), so that ``--known-at`` can ask for the state of knowledge in between.
"""

from __future__ import annotations

import argparse
import asyncio
import random
from pathlib import Path
from typing import Any

from quality_lib._facts_rows import rows
from quality_lib._world import ALL_KNOWN, World, graph_name, micros, progress, read_lines, world, write_lines

HELP = "dated facts of a set of documents or records"
_MAPPING = Path(__file__).resolve().parent.parent / "predicates" / "facts_records.yaml"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``quality.py facts``."""
    parser.add_argument("--data", required=True, help="folder with documents.jsonl and records.jsonl")
    parser.add_argument("--out", required=True, help="where the JSON lines go")
    parser.add_argument("--records", action="store_true", help="structured records instead of documents")
    parser.add_argument("--order", type=int, help="seed of a random order of arrival")
    parser.add_argument("--known-at", help="ISO date: the state of knowledge at the end of that day")


def run(arguments: argparse.Namespace) -> int:
    """Play, ask, write."""
    return asyncio.run(_run(arguments))


async def _run(arguments: argparse.Namespace) -> int:
    folder = Path(arguments.data)
    sent = _records(folder) if arguments.records else _documents(folder)
    if arguments.order is not None:
        random.Random(arguments.order).shuffle(sent)
    known_at = ALL_KNOWN
    if arguments.known_at:
        known_at = (micros(arguments.known_at) or 0) + 86_400_000_000 - 1
    async with world() as played:
        graph = graph_name(folder.name)
        await _play(played, graph, sent)
        facts = await played.facts(graph, known_at)
        names = await played.names(graph, facts)
        write_lines(arguments.out, list(rows(facts, names, "facts")))
        print(f"facts: {len(sent)} documents, {len(facts)} facts")
        played.print_cpu()
    return 0


async def _play(played: World, graph: str, sent: list[tuple[dict[str, Any], int | None]]) -> None:
    positions = []
    for number, (document, known) in enumerate(sent, start=1):
        positions.append(await played.send(graph, document, known))
        if number % 50 == 0 or number == len(sent):
            await played.settle()
            progress(number, len(sent), "documents")
    outcomes = await played.outcomes(positions)
    for (document, _), (outcome, cause) in zip(sent, outcomes, strict=True):
        if outcome != "committed":
            print(f"{document['id']}: {outcome} {cause}")


def _documents(folder: Path) -> list[tuple[dict[str, Any], int | None]]:
    return [
        (
            {key: row.get(key) for key in ("id", "source", "title", "document_time", "text")},
            micros(row.get("document_time")),
        )
        for row in read_lines(folder / "documents.jsonl")
    ]


def _records(folder: Path) -> list[tuple[dict[str, Any], int | None]]:
    mapping = _MAPPING.read_text("utf-8")
    return [
        (
            {
                "id": row["record_id"],
                "source": folder.name,
                "document_time": row["observed_at"],
                "records": [row],
                "mapping": mapping,
                "mapping_name": _MAPPING.name,
            },
            micros(row["observed_at"]),
        )
        for row in read_lines(folder / "records.jsonl")
    ]
