"""``tidegraph conflicts``: what the evidence does not settle, and what an operator decides."""

from __future__ import annotations

import click
from rich.text import Text

from tidegraph.api.v1 import admin_pb2
from tidegraph.cli.calling import Call, client, connection, runs
from tidegraph.cli.deciding import carried_out, deciding
from tidegraph.cli.render import console, message_dict, print_json
from tidegraph.client import Options


@click.group("conflicts")
def command() -> None:
    """Facts on which evidence of equal rank disagrees: list them, and decide."""


@command.command("list")
@click.option("--known-at", metavar="DATE", default="", help="Conflicts as they were known then.")
@connection
def list_(known_at: str, as_json: bool, graph: str, server: str) -> None:
    """List conflicts: what is believed for now, and every claim that may be decided for."""
    _list(Call(server, graph, Options(known=known_at), as_json))


@command.command("decide")
@click.argument("key")
@click.argument("assertion", default="")
@click.option("--undo", is_flag=True, help="Take the decision back; without ASSERTION, all about KEY.")
@deciding
@connection
def decide(
    key: str,
    assertion: str,
    undo: bool,
    reason: str,
    no_wait: bool,
    as_json: bool,
    graph: str,
    server: str,
) -> None:
    """Decide the conflict under KEY for ASSERTION (ids of `conflicts list`), from now on."""
    _decide(Call(server, graph, Options(), as_json), key, assertion, undo, reason, no_wait)


@runs
async def _list(call: Call) -> int:
    async with client(call) as service:
        found = await service.conflicts(call.options)
    if call.json:
        print_json([message_dict(one) for one in found])
        return 0
    for one in found:
        _show(one)
    if not found:
        console.print("no conflicts", style="dim")
    return 0


@runs
async def _decide(call: Call, key: str, assertion: str, undo: bool, reason: str, no_wait: bool) -> int:
    async with client(call) as service:
        token = await service.decide_conflict(key, assertion, reason, undo=undo)
        return await carried_out(call, service, token, no_wait)


def _show(conflict: admin_pb2.Conflict) -> None:
    console.print(Text(conflict.winner.text, style="bold"))
    console.print(Text(f"  key {conflict.key}", style="dim"))
    told_by = {claim.assertion_id: claim.source.document_id for claim in conflict.claims}
    for option in conflict.options:
        mark = "decided" if option.chosen else "believed" if option.winning else ""
        line = Text(f"  {mark:<9}", style="green" if mark else "")
        line.append(f"{option.text}  ", style="default")
        line.append(option.assertion_id, style="dim")
        if document := told_by.get(option.assertion_id):
            line.append(f"  {document}", style="dim")
        console.print(line)
