"""``tidegraph entity``: what holds of an entity, or everything that ever was believed of it."""

from __future__ import annotations

import click
from rich.table import Table
from rich.text import Text

from tidegraph.cli.calling import Call, as_of, client, connection, runs
from tidegraph.cli.entity_decisions import merge, near_table, review, split, tie_dict, tie_table
from tidegraph.cli.render import console, fact_dict, fact_table, id_table, print_json
from tidegraph.client import EntityInfo, FactHistoryRow, Options


class EntityGroup(click.Group):
    """``entity NAME`` is short for ``entity show NAME``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in ctx.help_option_names:
            args = ["show", *args]
        return super().parse_args(ctx, args)


@click.group("entity", cls=EntityGroup)
def command() -> None:
    """Show an entity, and decide which of its ids are one.

    `tidegraph entity NAME` is short for `tidegraph entity show NAME`.
    """


command.add_command(merge)
command.add_command(split)
command.add_command(review)


@command.command("show")
@click.argument("name")
@click.option("--history", is_flag=True, help="Every version, also those no longer believed.")
@as_of
@connection
def show(name: str, history: bool, valid: str, known_at: str, as_json: bool, graph: str, server: str) -> None:
    """Show the entity NAME (a name, an alias or an id) with the facts that hold."""
    call = Call(server, graph, Options(valid=valid, known=known_at), as_json)
    _entity(call, name, history)


@runs
async def _entity(call: Call, name: str, history: bool) -> int:
    async with client(call) as service:
        info = await service.entity(name, call.options)
        rows = await service.history(entity=info.entity_id, options=call.options) if history else []
    if call.json:
        print_json(_dict(info, rows, history))
        return 0
    names = [alias for alias in info.aliases if alias != info.name]
    console.print(Text(info.name, style="bold"), Text(f"({info.type or 'entity'})", style="dim"))
    if names:
        console.print(Text(f"also: {', '.join(names)}", style="dim"))
    console.print(Text(info.entity_id, style="dim"))
    told = [row for row in info.ties if not row.review]
    if told:
        console.print(tie_table(told))
    if info.candidates:
        console.print(near_table(info.candidates))
    if history and rows:
        console.print(_history(rows))
    elif info.facts and not history:
        console.print(fact_table(info.facts, "facts that hold"))
    else:
        none = "no fact was known then" if history else "no fact holds then; --history shows every version"
        console.print(Text(none, style="yellow"))
    return 0


def _history(rows: list[FactHistoryRow]) -> Table:
    table = id_table("every version", ("valid", "believed", "fact", "why"), "fact")
    for row in rows:
        style = None if row.current else "dim"
        believed = " .. ".join(
            text.partition("T")[0] for text in (row.fact.recorded.start_text, row.fact.recorded.end_text)
        )
        fact = f"{row.fact.text}\n{row.fact.fact_id}"
        table.add_row(str(row.fact.valid), believed, fact, row.reason, style=style)
    return table


def _dict(info: EntityInfo, rows: list[FactHistoryRow], history: bool) -> dict[str, object]:
    value: dict[str, object] = {
        "entity_id": info.entity_id,
        "name": info.name,
        "type": info.type,
        "aliases": list(info.aliases),
        "facts": [fact_dict(fact) for fact in info.facts],
        "member_ids": list(info.member_ids),
        "ties": [tie_dict(row) for row in info.ties],
        "candidates": [
            {"entity_id": one.entity_id, "name": one.name, "score": one.score, "reason": one.reason}
            for one in info.candidates
        ],
    }
    if history:
        value["history"] = [
            {
                **fact_dict(row.fact),
                "current": row.current,
                "replaced_by": list(row.replaced_by),
                "reason": row.reason,
            }
            for row in rows
        ]
    return value
