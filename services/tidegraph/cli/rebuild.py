"""``tidegraph rebuild``: the graph built anew from the record of belief."""

from __future__ import annotations

import click

from tidegraph.api.v1 import ingest_pb2
from tidegraph.cli.calling import EXIT_NOT_KNOWN, Call, client, connection, runs
from tidegraph.cli.render import console, message_dict, print_json
from tidegraph.client import Client, Options


@click.command("rebuild")
@click.option("--reason", default="", help="Why; kept with the decision.")
@click.option("--no-wait", is_flag=True, help="Print the await token and end.")
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
        token = await service.rebuild(reason)
        if no_wait:
            console.print(token, markup=False, soft_wrap=True)
            return 0
        ended = await outcome(service, token)
    if call.json:
        print_json(message_dict(ended))
    else:
        console.print(ended.cause or "done", markup=False)
    return 0 if ended.outcome == "committed" else EXIT_NOT_KNOWN


async def outcome(service: Client, token: str) -> ingest_pb2.IngestStatus:
    """The last status of a submission or decision, once it has its outcome."""
    last = ingest_pb2.IngestStatus()
    async for status in service.watch_ingest(token):
        last = status
    return last
