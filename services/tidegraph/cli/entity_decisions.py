"""``tidegraph entity merge|split|review``: which ids are one entity, decided by an operator."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click
from rich.table import Table

from tidegraph.cli.calling import Call, client, connection, runs
from tidegraph.cli.deciding import carried_out, deciding
from tidegraph.cli.render import console, id_table, print_json
from tidegraph.client import Client, Options
from tidegraph.client.types import Near, ReviewRow, Tie
from tidegraph.domain.errors import Rejected

_NAMES = click.argument("names", nargs=-1, required=True)


@click.command("merge")
@_NAMES
@deciding
@connection
def merge(names: tuple[str, ...], reason: str, no_wait: bool, as_json: bool, graph: str, server: str) -> None:
    """Say that all NAMES (names, aliases or ids) are one entity from now on.

    What was known before stays as it was. `tidegraph entity split` undoes it.
    """
    _decide(Call(server, graph, Options(), as_json), "merge", names, reason, no_wait)


@click.command("split")
@_NAMES
@deciding
@connection
def split(names: tuple[str, ...], reason: str, no_wait: bool, as_json: bool, graph: str, server: str) -> None:
    """Say that NAMES are apart from now on: one id from all others of its set, several from each other.

    Give ids: a name stands for all ids of its set.
    """
    _decide(Call(server, graph, Options(), as_json), "split", names, reason, no_wait)


@click.command("review")
@click.argument("name", default="")
@connection
def review(name: str, as_json: bool, graph: str, server: str) -> None:
    """List pairs of ids that the rules do not decide, all of them or those about NAME."""
    _review(Call(server, graph, Options(), as_json), name)


@runs
async def _decide(call: Call, kind: str, names: Sequence[str], reason: str, no_wait: bool) -> int:
    async with client(call) as service:
        ids = [await _id(service, name) for name in names]
        made = service.merge_entities if kind == "merge" else service.split_entity
        return await carried_out(call, service, await made(*ids, reason=reason), no_wait)


async def _id(service: Client, name: str) -> str:
    """The id of a name that one entity has; an id of a set stays that id."""
    info = await service.entity(name)
    if info.homonym_ids:
        ids = ", ".join([info.entity_id, *info.homonym_ids])
        message = f"several entities are called {name!r}: give one of the ids {ids}"
        raise Rejected("AMBIGUOUS_NAME", message, entity=name)
    return name if name in info.member_ids else info.entity_id


@runs
async def _review(call: Call, name: str) -> int:
    async with client(call) as service:
        rows = await service.reviews(name)
    if call.json:
        print_json({"reviews": [_review_dict(row) for row in rows]})
    elif rows:
        console.print(_review_table(rows))
    else:
        console.print("nothing waits for a decision")
    return 0


def _review_dict(row: ReviewRow) -> dict[str, Any]:
    return {
        "left": {"entity_id": row.left_id, "name": row.left},
        "right": {"entity_id": row.right_id, "name": row.right},
        "score": row.score,
        "reason": row.reason,
    }


def _review_table(rows: Sequence[ReviewRow]) -> Table:
    table = id_table("undecided", ("score", "one and other", "why"), "one and other")
    for row in rows:
        pair = f"{row.left}\n{row.left_id}\n{row.right}\n{row.right_id}"
        table.add_row(f"{row.score:.2f}", pair, row.reason)
    return table


def tie_dict(row: Tie) -> dict[str, Any]:
    """A row about two ids, for programs."""
    return {
        "left": {"entity_id": row.left_id, "name": row.left},
        "right": {"entity_id": row.right_id, "name": row.right},
        "rule": row.rule,
        "actor": row.actor,
        "reason": row.reason,
        "recorded": {"start": row.recorded.start_text, "end": row.recorded.end_text},
        "review": row.review,
    }


def tie_table(rows: Sequence[Tie]) -> Table:
    """Why the ids of an entity are one, those no longer believed included."""
    table = id_table("one entity", ("believed", "one and other", "by", "why"), "one and other")
    for row in rows:
        believed = " .. ".join(
            text.partition("T")[0] for text in (row.recorded.start_text, row.recorded.end_text)
        )
        pair = f"{row.left}\n{row.left_id}\n{row.right}\n{row.right_id}"
        table.add_row(believed, pair, row.actor or row.rule, row.reason)
    return table


def near_table(found: Sequence[Near]) -> Table:
    """Entities that come near one without being taken for it."""
    table = id_table("not taken for it", ("score", "entity", "why"), "entity")
    for one in found:
        table.add_row(f"{one.score:.2f}", f"{one.name}\n{one.entity_id}", one.reason)
    return table
