"""What commands share that write a decision: the reason, and waiting until it is carried out."""

from __future__ import annotations

from collections.abc import Callable

import click

from tidegraph.api.v1 import ingest_pb2
from tidegraph.cli.calling import EXIT_NOT_KNOWN, Call
from tidegraph.cli.render import console, message_dict, print_json
from tidegraph.client import Client


def deciding(command: Callable[..., None]) -> Callable[..., None]:
    """Options of every command that writes a decision."""
    for option in (
        click.option("--no-wait", is_flag=True, help="Print the await token and end."),
        click.option("--reason", default="", help="Why; kept with the decision."),
    ):
        command = option(command)
    return command


async def carried_out(call: Call, service: Client, token: str, no_wait: bool) -> int:
    """Wait until a decision is carried out and say what came of it; the exit code."""
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
