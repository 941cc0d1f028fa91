"""``tidegraph why``: the evidence of one fact."""

from __future__ import annotations

from typing import Final

import click
from rich.text import Text

from tidegraph.api.v1 import query_pb2
from tidegraph.cli.calling import Call, client, connection, runs
from tidegraph.cli.render import console, message_dict, print_json
from tidegraph.client import Options

_STYLES: Final = {"supports": "green", "bounds": "cyan", "opposes": "red", "withdrawn": "dim"}


@click.command("why")
@click.argument("fact")
@click.option("--known-at", metavar="DATE", default="", help="Answer from what was known then.")
@connection
def command(fact: str, known_at: str, as_json: bool, graph: str, server: str) -> None:
    """Show why FACT is believed and what stands against it; `entity` shows ids, `ask --json` too."""
    _why(Call(server, graph, Options(known=known_at), as_json), fact)


@runs
async def _why(call: Call, fact: str) -> int:
    async with client(call) as service:
        found = await service.explain(fact, call.options)
    if call.json:
        print_json(message_dict(found))
    else:
        _show(found)
    return 0


def _show(found: query_pb2.ExplainFactResponse) -> None:
    valid = found.fact.valid
    console.print(Text(found.fact.text, style="bold"))
    console.print(Text(f"valid {valid.start_text} .. {valid.end_text}", style="dim"))
    for reason in found.reasons:
        console.print(f"  {reason}", markup=False)
    for row in found.evidence:
        role = query_pb2.Evidence.Role.Name(row.role).removeprefix("ROLE_").lower()
        line = Text(f"{role:<10}", style=_STYLES.get(role, ""))
        line.append(row.citation.sentence, style="default")
        console.print(line)
        source = row.citation.source
        known = source.recorded.start_text.partition("T")[0]
        title = f"{source.title}, " if source.title else ""
        console.print(Text(f"          {title}{source.document_id}; known since {known}", style="dim"))
        read = [f"read by {row.rule_id}"] if row.rule_id else []
        read += [f"its date by {row.time_rule_id}"] if row.time_rule_id else []
        if read:
            console.print(Text(f"          {', '.join(read)}", style="dim"))
