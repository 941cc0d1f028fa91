"""``tidegraph check``: whether every part answers."""

from __future__ import annotations

import click
from rich.text import Text

from tidegraph.cli.calling import EXIT_NOT_KNOWN, Call, client, connection, runs
from tidegraph.cli.render import console, message_dict, print_json
from tidegraph.client import Options


@click.command("check")
@connection
def command(as_json: bool, graph: str, server: str) -> None:
    """Check that server, store, statuses and models answer. Exit code 1: one does not."""
    _check(Call(server, graph, Options(), as_json))


@runs
async def _check(call: Call) -> int:
    async with client(call) as service:
        found = await service.status()
    healthy = all(part.healthy for part in found.components)
    if call.json:
        print_json({"healthy": healthy, "components": [message_dict(part) for part in found.components]})
        return 0 if healthy else EXIT_NOT_KNOWN
    console.print(Text("ok      ", style="green").append("server    answers", style="default"))
    for part in found.components:
        mark = Text("ok      ", style="green") if part.healthy else Text("failed  ", style="red")
        console.print(mark.append(f"{part.name:<9} {part.detail}", style="default"))
    return 0 if healthy else EXIT_NOT_KNOWN
