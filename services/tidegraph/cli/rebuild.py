"""``tidegraph rebuild``: the graph built anew from the record of belief."""

from __future__ import annotations

import click

from tidegraph.cli.calling import Call, client, connection, runs
from tidegraph.cli.deciding import carried_out, deciding
from tidegraph.client import Options


@click.command("rebuild")
@deciding
@connection
def command(reason: str, no_wait: bool, as_json: bool, graph: str, server: str) -> None:
    """Build the graph anew from the topics `extracted` and `control`, and serve it when it is done.

    Nothing is extracted again, and readers are served all the time. What is written to the graph
    meanwhile waits. Prints the content hash, and that of the former graph where they differ.
    """
    _rebuild(Call(server, graph, Options(), as_json), reason, no_wait)


@runs
async def _rebuild(call: Call, reason: str, no_wait: bool) -> int:
    async with client(call) as service:
        return await carried_out(call, service, await service.rebuild(reason), no_wait)
