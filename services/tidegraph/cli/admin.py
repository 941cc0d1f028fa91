"""``tidegraph reextract``, ``seal`` and ``decisions``: what operators decide, and what was decided."""

from __future__ import annotations

import json

import click
from rich.text import Text

from tidegraph.cli.calling import Call, client, connection, runs
from tidegraph.cli.deciding import carried_out, deciding
from tidegraph.cli.render import console, message_dict, print_json
from tidegraph.client import Options


@click.command("reextract")
@click.argument("document", default="")
@deciding
@connection
def reextract(document: str, reason: str, no_wait: bool, as_json: bool, graph: str, server: str) -> None:
    """Have DOCUMENT, or every document of the graph, read again by the present extractor.

    The new readings count from now on; what was believed before stays as it was.
    """
    _reextract(Call(server, graph, Options(), as_json), document, reason, no_wait)


@click.command("seal")
@click.confirmation_option(prompt="A seal cannot be taken back. Seal the graph?")
@deciding
@connection
def seal(reason: str, no_wait: bool, as_json: bool, graph: str, server: str) -> None:
    """Have the graph take no more backfill: what was known at a past date is final."""
    _seal(Call(server, graph, Options(), as_json), reason, no_wait)


@click.command("decisions")
@click.option(
    "--kind", "kinds", multiple=True, help="conflict, policies, reextraction, seal, merge, split ..."
)
@click.option("--about", default="", help="A conflict key, a document id or an entity id.")
@click.option("--known-at", metavar="DATE", default="", help="What was decided by then.")
@connection
def decisions(
    kinds: tuple[str, ...], about: str, known_at: str, as_json: bool, graph: str, server: str
) -> None:
    """List what was decided: when, by whom, about what and why."""
    _decisions(Call(server, graph, Options(known=known_at), as_json), kinds, about)


def taken(content: str) -> str:
    """What a decision about a conflict chose, or that it takes one back; "" for others."""
    told = json.loads(content) if content else {}
    if told.get("undo"):
        return "taken back "
    return f"for {told['assertion_id']} " if told.get("assertion_id") else ""


@runs
async def _reextract(call: Call, document: str, reason: str, no_wait: bool) -> int:
    async with client(call) as service:
        return await carried_out(call, service, await service.reextract(document, reason), no_wait)


@runs
async def _seal(call: Call, reason: str, no_wait: bool) -> int:
    async with client(call) as service:
        return await carried_out(call, service, await service.seal(reason), no_wait)


@runs
async def _decisions(call: Call, kinds: tuple[str, ...], about: str) -> int:
    async with client(call) as service:
        found = await service.decisions(kinds, about, call.options)
    if call.json:
        print_json([message_dict(one) for one in found])
        return 0
    for one in found:
        line = Text(f"{one.recorded_at.ToJsonString()[:19]}  {one.kind:<12} ")
        line.append(f"{one.subject} ", style="dim")
        line.append(taken(one.content_json))
        line.append(f"by {one.actor}: {one.reason}" if one.reason else f"by {one.actor}", style="default")
        console.print(line)
    if not found:
        console.print("nothing was decided", style="dim")
    return 0
