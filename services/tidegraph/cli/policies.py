"""``tidegraph policies``: the predicate registry file that a graph goes by."""

from __future__ import annotations

from pathlib import Path

import click

from tidegraph.cli.calling import EXIT_NOT_KNOWN, Call, client, connection, runs
from tidegraph.cli.deciding import carried_out, deciding
from tidegraph.cli.render import console, message_dict, print_json
from tidegraph.client import Options
from tidegraph.domain.errors import Rejected


@click.group("policies")
def command() -> None:
    """The policies of predicates: what excludes what. They hold from when they are set."""


@command.command("show")
@click.option("--known-at", metavar="DATE", default="", help="The policies that were in force then.")
@connection
def show(known_at: str, as_json: bool, graph: str, server: str) -> None:
    """Print the registry file in force on top of the configured one."""
    _show(Call(server, graph, Options(known=known_at), as_json))


@command.command("set")
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.option("--check", is_flag=True, help="Only check the file.")
@deciding
@connection
def set_(file: Path, check: bool, reason: str, no_wait: bool, as_json: bool, graph: str, server: str) -> None:
    """Put the registry FILE (docs/predicates.md) in force from now on; an empty one takes it back.

    Facts that it concerns are planned again from now on; what was believed before stays as it was.
    """
    _set(Call(server, graph, Options(), as_json), file, check, reason, no_wait)


@runs
async def _show(call: Call) -> int:
    async with client(call) as service:
        found = await service.policies(call.options)
    if call.json:
        print_json(message_dict(found))
        return 0
    if not found.HasField("decision"):
        console.print("no policies were set: the configured registry holds", style="dim")
        return EXIT_NOT_KNOWN
    who, when = found.decision.actor, found.decision.recorded_at.ToJsonString()
    console.print(f"# set by {who}, {when}: {found.decision.reason}", style="dim", markup=False)
    click.echo(found.registry_toml, nl=not found.registry_toml.endswith("\n"))
    return 0


@runs
async def _set(call: Call, file: Path, check: bool, reason: str, no_wait: bool) -> int:
    text = _read(file)
    async with client(call) as service:
        token = await service.set_policies(text, reason, validate_only=check)
        if check:
            console.print("the file is right")
            return 0
        return await carried_out(call, service, token, no_wait)


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        message = f"cannot read {file}: {error}; give a TOML file in UTF-8"
        raise Rejected("UNREADABLE_FILE", message) from None
