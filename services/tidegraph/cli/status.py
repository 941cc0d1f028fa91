"""``tidegraph status``: what the graph holds, where its documents are, how far the log is applied."""

from __future__ import annotations

import click
from rich.text import Text

from tidegraph.cli.calling import EXIT_NOT_KNOWN, Call, client, connection, runs
from tidegraph.cli.render import console, message_dict, print_json
from tidegraph.client import Options


@click.command("status")
@connection
def command(as_json: bool, graph: str, server: str) -> None:
    """Show what the graph holds and where its documents are. Exit code 1: a part does not answer."""
    _status(Call(server, graph, Options(), as_json))


@runs
async def _status(call: Call) -> int:
    async with client(call) as service:
        found = await service.status()
    healthy = all(part.healthy for part in found.components)
    if call.json:
        print_json(message_dict(found))
        return 0 if healthy else EXIT_NOT_KNOWN
    console.print(
        Text(f"graph {found.graph}", style="bold"), Text(f"version {found.graph_version}", style="dim")
    )
    _counts("documents", dict(found.documents))
    _counts("holds", dict(found.rows))
    applied = found.watermark_time.ToJsonString() if found.HasField("watermark_time") else "nothing yet"
    console.print(f"applied     up to {applied}", markup=False)
    for part in found.components:
        if not part.healthy:
            console.print(Text(f"{part.name} does not answer: {part.detail}", style="red"))
    return 0 if healthy else EXIT_NOT_KNOWN


def _counts(title: str, counts: dict[str, int]) -> None:
    told = ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in sorted(counts.items()) if count)
    console.print(f"{title:<11} {told or 'none'}", markup=False)
