"""``tidegraph diff``: what is believed otherwise at one known date than at another."""

from __future__ import annotations

from typing import Final

import click
from rich.text import Text

from tidegraph.api.v1 import query_pb2, types_pb2
from tidegraph.cli.calling import Call, client, connection, runs
from tidegraph.cli.render import console, message_dict, print_json
from tidegraph.client import Options

_STYLES: Final = {"added": "green", "removed": "red", "changed": "yellow"}


@click.command("diff")
@click.argument("known_from", metavar="FROM")
@click.argument("known_to", metavar="[TO]", default="")
@click.option("--entity", default="", help="Only facts about this entity, by name or id.")
@click.option("--key", default="", help="Only facts under this conflict key.")
@click.option("--predicate", default="", help="Only facts of this predicate.")
@connection
def command(
    known_from: str,
    known_to: str,
    entity: str,
    key: str,
    predicate: str,
    as_json: bool,
    graph: str,
    server: str,
) -> None:
    """Show what was believed on the known date FROM and is not, or otherwise, on TO (default: now)."""
    _diff(Call(server, graph, Options(), as_json), known_from, known_to, entity, key, predicate)


@runs
async def _diff(call: Call, known_from: str, known_to: str, entity: str, key: str, predicate: str) -> int:
    async with client(call) as service:
        found = await service.diff(known_from, known_to, entity=entity, key=key, predicate=predicate)
    if call.json:
        print_json([message_dict(change) for change in found])
        return 0
    for change in found:
        _show(change)
    if not found:
        console.print("nothing is believed otherwise", style="dim")
    return 0


def _show(change: query_pb2.BeliefChange) -> None:
    kind = query_pb2.BeliefChange.Kind.Name(change.kind).removeprefix("KIND_").lower()
    for mark, name in (("-", "before"), ("+", "after")):
        if change.HasField(name):  # type: ignore[arg-type]
            console.print(Text(f"{mark} {_line(getattr(change, name))}", style=_STYLES[kind]))
    console.print(Text(f"  {change.reason}", style="dim"))


def _line(fact: types_pb2.Fact) -> str:
    return f"{fact.text}  [{fact.valid.start_text} .. {fact.valid.end_text}]"
