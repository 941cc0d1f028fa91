"""``tidegraph timeline``: events and facts in order of time."""

from __future__ import annotations

import click

from tidegraph.api.v1 import types_pb2
from tidegraph.cli.calling import EXIT_NOT_KNOWN, Call, as_of, client, connection, runs, statuses
from tidegraph.cli.render import console, message_dict, print_json
from tidegraph.client import ApiError, Options


@click.command("timeline")
@click.argument("about")
@as_of
@statuses
@connection
@click.option("--history", is_flag=True, help="Also facts that are no longer believed.")
def command(
    about: str,
    valid: str,
    known_at: str,
    statuses: tuple[str, ...],
    as_json: bool,
    graph: str,
    server: str,
    history: bool,
) -> None:
    """Show what is known of ABOUT, an entity or else any words, in order of time."""
    options = Options(valid=valid, known=known_at, statuses=statuses)
    _timeline(Call(server, graph, options, as_json), about, history)


@runs
async def _timeline(call: Call, about: str, history: bool) -> int:
    async with client(call) as service:
        try:
            found = await service.timeline(entity=about, history=history, options=call.options)
        except ApiError as error:
            if error.reason != "ENTITY_NOT_FOUND":
                raise
            found = await service.timeline(query=about, history=history, options=call.options)
            if not call.json:
                console.print(
                    f"no entity is called {about!r}; found by its words:", style="dim", markup=False
                )
    if call.json:
        print_json(message_dict(found))
    else:
        _show(found)
    return 0 if found.dated or found.undated else EXIT_NOT_KNOWN


def _show(found: types_pb2.Timeline) -> None:
    for entry in found.undated:
        console.print(entry.text, style="dim", markup=False)
    for entry in found.dated:
        console.print(entry.text, style="cyan" if entry.WhichOneof("item") == "fact" else None, markup=False)
    if found.omitted_count:
        console.print(f"{found.omitted_count} more rows are not shown", style="dim")
    if not found.dated and not found.undated:
        console.print("nothing is known of it then", style="yellow")
