"""Play a feed of revisions into a graph; write the facts, and each document's outcome beside them.

The part of ``id`` before its last dash names the document. A revision speaks for all of its content, so
the documents are registers; a removed one is a retraction of its text from then on. Outcomes go to the
file named like ``--out`` with ``.outcomes`` in front of its ending.
"""

from __future__ import annotations

import argparse
import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

from quality_lib._facts_rows import rows
from quality_lib._world import graph_name, micros, progress, read_lines, world, write_lines

HELP = "outcome and facts of a feed of revisions"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``quality.py feeds``."""
    parser.add_argument("--data", required=True, help="JSON lines of revisions, oldest first")
    parser.add_argument("--out", required=True, help="where the facts go as JSON lines")


def run(arguments: argparse.Namespace) -> int:
    """Play, write facts and outcomes."""
    return asyncio.run(_run(arguments))


async def _run(arguments: argparse.Namespace) -> int:
    revisions = read_lines(arguments.data)
    graph = graph_name(Path(arguments.data).stem)
    out = Path(arguments.out)
    async with world() as played:
        positions = []
        for number, row in enumerate(revisions, start=1):
            positions.append(await played.send(graph, _document(row), micros(row.get("document_time"))))
            if number % 20 == 0 or number == len(revisions):
                await played.settle()
                progress(number, len(revisions), "revisions")
        outcomes = await played.outcomes(positions)
        facts = await played.facts(graph)
        names = await played.names(graph, facts)
        write_lines(out, list(rows(facts, names, "feeds")))
        write_lines(
            out.with_suffix(f".outcomes{out.suffix}"),
            [
                {"id": row["id"], "revision": row["revision"], "outcome": outcome, "cause": cause}
                for row, (outcome, cause) in zip(revisions, outcomes, strict=True)
            ],
        )
        counted = Counter(outcome for outcome, _ in outcomes)
        print(f"feeds: {len(revisions)} revisions, {dict(counted)}, {len(facts)} facts")
        played.print_cpu()
    return 0


def _document(row: dict[str, Any]) -> dict[str, Any]:
    name = str(row["id"]).rpartition("-")[0] or str(row["id"])
    return {
        "id": name,
        "revision": row["revision"],
        "source": row.get("source"),
        "title": row.get("title"),
        "document_time": row.get("document_time"),
        "kind": "register",
        "text": row.get("text") or "",
        **({"text": "(removed)"} if row.get("change") == "removed" else {}),
    }
