"""``tidegraph dead-letters``: documents that could not be used, and why."""

from __future__ import annotations

import click
from rich.table import Table

from tidegraph.cli.calling import Call, client, connection, runs
from tidegraph.cli.render import console, message_dict, print_json
from tidegraph.client import Options


@click.command("dead-letters")
@connection
def command(as_json: bool, graph: str, server: str) -> None:
    """List the documents that could not be used, newest first, with the cause."""
    _dead_letters(Call(server, graph, Options(), as_json))


@runs
async def _dead_letters(call: Call) -> int:
    async with client(call) as service:
        letters = await service.dead_letters()
    if call.json:
        print_json([message_dict(letter) for letter in letters])
        return 0
    if not letters:
        console.print("none")
        return 0
    table = Table(box=None, pad_edge=False, header_style="dim")
    for column in ("recorded", "document", "stage", "cause"):
        table.add_column(column, overflow="fold")
    for letter in letters:
        recorded = letter.recorded_at.ToJsonString()[:19]
        table.add_row(recorded, letter.document_id or "(no id)", letter.stage, letter.cause)
    console.print(table)
    return 0
