"""Resolve labelled mentions to entities and write the entity of each.

Every group is one component of the resolution engine: its mentions are clustered as a set, so neither
the order of lines nor the number of processes shows in the result. A mention that the engine leaves
undecided stands alone and is marked. Fields with expected answers are never read.
"""

from __future__ import annotations

import argparse
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, Final

from quality_lib._world import read_lines, write_lines
from tidegraph.domain.documents import EntityType
from tidegraph.domain.ids import make_id
from tidegraph.resolution.engine import cluster
from tidegraph.resolution.evidence import read_profile
from tidegraph.resolution.model import Model
from tidegraph.resolution.profiles import Link, Profile
from tidegraph.resolution.standing import model as graph_model
from tidegraph.resolution.statements import Sighting, read_links

HELP = "entities of mentions"
_FIELDS: Final = ("mention_id", "group", "name", "type", "context", "document", "position", "observed_at")
_TYPES: Final = {
    "person": EntityType.PERSON,
    "organisation": EntityType.ORGANISATION,
    "place": EntityType.PLACE,
}
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``quality.py entities``."""
    parser.add_argument("--mentions", required=True, help="JSON lines of mentions")
    parser.add_argument("--out", required=True, help="where the JSON lines go")
    parser.add_argument("--workers", type=int, default=1, help="processes that resolve at once")
    parser.add_argument(
        "--graph", action="store_true", help="let names alone count as little as between documents of a graph"
    )


def run(arguments: argparse.Namespace) -> int:
    """Resolve every mention and write one line for it, in the order of the input."""
    began = time.process_time()
    rows = [{key: row.get(key) for key in _FIELDS} for row in read_lines(arguments.mentions)]
    parts = list(by_group(rows).values())
    settled = partial(resolve, model=graph_model() if arguments.graph else None)
    if arguments.workers > 1:
        with ProcessPoolExecutor(arguments.workers) as pool:
            resolved = list(pool.map(settled, parts))
    else:
        resolved = [settled(part) for part in parts]
    answers = {answer["mention_id"]: answer for part in resolved for answer in part}
    write_lines(arguments.out, [answers[row["mention_id"]] for row in rows])
    print(f"entities: {len(rows)} mentions, {time.process_time() - began:.2f} CPU seconds")
    return 0


def by_group(rows: Iterable[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """Rows by their group, groups in order of their name."""
    groups: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for row in rows:
        groups[str(row["group"])].append(row)
    return dict(sorted(groups.items()))


def resolve(rows: list[dict[str, Any]], model: Model | None = None) -> list[dict[str, Any]]:
    """One answer a mention of one group."""
    profiles, links = read_rows(rows)
    found = cluster(profiles, links, model=model)
    entity = {
        member: make_id("entity", str(rows[0]["group"]), *group) for group in found.groups for member in group
    }
    return [
        {
            "mention_id": row["mention_id"],
            "entity_id": entity[row["mention_id"]],
            "abstained": row["mention_id"] in found.abstained,
        }
        for row in rows
    ]


def read_rows(rows: Iterable[dict[str, Any]]) -> tuple[list[Profile], list[Link]]:
    """The profiles of mentions and the statements about names in what stands around them."""
    sightings = [_sighting(row) for row in rows]
    profiles = [
        read_profile(
            seen.entity_id,
            seen.name,
            seen.type,
            text=seen.text,
            attributes=seen.attributes,
            document=seen.document,
            observed_at=seen.observed_at,
        )
        for seen in sightings
    ]
    return profiles, list(read_links(sightings))


def _sighting(row: dict[str, Any]) -> Sighting:
    context = row["context"]
    return Sighting(
        row["mention_id"],
        row["name"],
        _TYPES.get(row["type"], EntityType.OTHER),
        context if isinstance(context, str) else "",
        tuple(_attributes(context)) if isinstance(context, Mapping) else (),
        row["document"] or "",
        _micros(row["observed_at"]),
    )


def _attributes(record: Mapping[str, Any]) -> list[tuple[str, str]]:
    pairs = []
    for field, value in record.items():
        pairs += [
            (field, str(item)) for item in (value if isinstance(value, list) else [value]) if item is not None
        ]
    return pairs


def _micros(text: str | None) -> int | None:
    if not text:
        return None
    instant = datetime.fromisoformat(text)
    if instant.tzinfo is None:
        instant = instant.replace(tzinfo=UTC)
    return (instant - _EPOCH) // timedelta(microseconds=1)
