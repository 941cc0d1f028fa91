"""``tidegraph dead-letters``: documents that could not be used, and why."""

from __future__ import annotations

from collections import defaultdict

import click
from rich.table import Table

from tidegraph.cli.calling import EXIT_NOT_KNOWN, Call, client, connection, runs
from tidegraph.cli.render import console, message_dict, print_json
from tidegraph.client import Options
from tidegraph.domain.errors import NotFound, Rejected
from tidegraph.services.tokens import read_await_token


@click.group("dead-letters", invoke_without_command=True)
@connection
@click.pass_context
def command(context: click.Context, as_json: bool, graph: str, server: str) -> None:
    """List the documents that could not be used, newest first, with the cause; or replay them."""
    if context.invoked_subcommand is None:
        _dead_letters(Call(server, graph, Options(), as_json))


@command.command("replay")
@click.argument("documents", nargs=-1)
@click.option("--all", "everything", is_flag=True, help="All dead letters of the graph.")
@click.option("--dry-run", is_flag=True, help="Only say how many there are.")
@connection
def replay(
    documents: tuple[str, ...], everything: bool, dry_run: bool, as_json: bool, graph: str, server: str
) -> None:
    """Try the dead letters of DOCUMENTS (ids, or await tokens) again from the stage that they failed in.

    Mend the cause first. Prints how many there were, and waits for their outcome; exit code 1 when one of
    them failed again.
    """
    if bool(documents) == everything:
        raise click.UsageError("name documents, or --all")
    _replay(Call(server, graph, Options(), as_json), documents, everything, dry_run)


@runs
async def _replay(call: Call, documents: tuple[str, ...], everything: bool, dry_run: bool) -> int:
    async with client(call) as service:
        listed: dict[str, list[str]] = defaultdict(list)
        for each in await service.dead_letters() if documents else ():
            listed[each.document_id].append(each.await_token)
        tokens = [token for name in documents for token in listed.get(name) or [_token(name)]]
        found = await service.replay_dead_letters(*tokens, all=everything, dry_run=dry_run)
        last: dict[str, str] = {}
        if not dry_run and found.await_tokens:
            async for status in service.watch_ingest(*found.await_tokens):
                last[status.await_token] = status.outcome
    failed = sum(outcome == "dead_letter" for outcome in last.values())
    if call.json:
        print_json({"replayed": found.replayed_count, "failed_again": failed, "dry_run": dry_run})
    else:
        console.print(
            f"{found.replayed_count} {'would be ' if dry_run else ''}replayed, {failed} failed again"
        )
    return EXIT_NOT_KNOWN if failed else 0


def _token(name: str) -> str:
    """The name of a document that no dead letter has, if it is an await token."""
    try:
        read_await_token(name)
    except Rejected:
        message = f"there is no dead letter of {name[:80]!r}; `tidegraph dead-letters` lists them"
        raise NotFound("NO_DEAD_LETTER", message) from None
    return name


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
