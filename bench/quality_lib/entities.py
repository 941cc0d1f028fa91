"""Resolve labelled mentions to entities and write the entity of each.

What the product resolves by today is the normal form of the name (``domain/naming.py``), a function of
the mention alone: no order, no number of workers and no context can change it. Names of different groups
are never compared. ``--workers`` is taken for the sake of the interface and shows just that.
"""

from __future__ import annotations

import argparse
import time
from concurrent.futures import ProcessPoolExecutor
from typing import Any, Final

from quality_lib._world import read_lines, write_lines
from tidegraph.domain.documents import EntityType, Mention
from tidegraph.domain.ids import entity_id
from tidegraph.domain.naming import entity_key

HELP = "entities of mentions"
_TYPES: Final = {
    "person": EntityType.PERSON,
    "organisation": EntityType.ORGANISATION,
    "place": EntityType.PLACE,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``quality.py entities``."""
    parser.add_argument("--mentions", required=True, help="JSON lines of mentions")
    parser.add_argument("--out", required=True, help="where the JSON lines go")
    parser.add_argument("--workers", type=int, default=1, help="processes that resolve at once")


def run(arguments: argparse.Namespace) -> int:
    """Resolve every mention and write one line for it."""
    began = time.process_time()
    mentions = [
        {key: row.get(key) for key in ("mention_id", "group", "name", "type")}
        for row in read_lines(arguments.mentions)
    ]
    if arguments.workers > 1:
        with ProcessPoolExecutor(arguments.workers) as pool:
            rows = list(pool.map(_resolved, mentions, chunksize=200))
    else:
        rows = [_resolved(mention) for mention in mentions]
    write_lines(arguments.out, rows)
    print(f"entities: {len(rows)} mentions, {time.process_time() - began:.2f} CPU seconds")
    return 0


def _resolved(row: dict[str, Any]) -> dict[str, Any]:
    kind = _TYPES.get(row["type"], EntityType.OTHER)
    mention = Mention(row["mention_id"], row["name"], row["name"], kind, 0, len(row["name"]))
    return {
        "mention_id": row["mention_id"],
        "entity_id": entity_id(str(row["group"]), entity_key(mention), ""),
        "abstained": False,
    }
