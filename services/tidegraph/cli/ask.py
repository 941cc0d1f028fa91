"""``tidegraph ask``: a question, its answer and what it rests on."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import click

from tidegraph.api.v1 import types_pb2
from tidegraph.cli.calling import EXIT_FAILED, EXIT_NOT_KNOWN, Call, as_of, client, connection, runs, statuses
from tidegraph.cli.render import (
    basis_line,
    citation_dict,
    citation_rows,
    console,
    message_dict,
    print_json,
    span_text,
)
from tidegraph.client import Answer, Options, Reading
from tidegraph.domain.asked import Asked

RELATIONS: Final = ("in", "before", "after", "between", "since", "until", "first", "last")
_ASKED: Final = [one.value for one in Asked]


@click.command("ask")
@click.argument("question")
@as_of
@statuses
@connection
@click.option("--explain", is_flag=True, help="Show how it was read, what was tried, and the steps.")
@click.option(
    "--about", multiple=True, metavar="ENTITY", help="Read it as about this name or id (repeatable)."
)
@click.option("--time", metavar="DATE", default="", help="Read this time in place of the question's.")
@click.option("--relation", type=click.Choice(RELATIONS), help="How the asked time stands to --time.")
@click.option("--no-time", is_flag=True, help="Read it as asking for no time.")
@click.option("--asks-for", type=click.Choice(_ASKED), help="Read it as asking for this.")
def command(
    question: str,
    valid: str,
    known_at: str,
    statuses: tuple[str, ...],
    as_json: bool,
    graph: str,
    server: str,
    explain: bool,
    **read: Any,
) -> None:
    """Answer QUESTION from the graph, with the evidence.

    A date is 2024, 2024-Q1, 2024-03, 2024-03-05 or a time; --known-at takes the end of a day, month or
    year. Exit code 1: not known.
    """
    if read["no_time"] and (read["time"] or read["relation"]):
        raise click.UsageError("--no-time goes with neither --time nor --relation")
    reading = Reading(
        entities=read["about"],
        time=read["time"],
        relation=read["relation"] or "",
        no_time=read["no_time"],
        asked_for=read["asks_for"] or "",
    )
    options = Options(valid=valid, known=known_at, statuses=statuses)
    _ask(Call(server, graph, options, as_json), question, explain, reading)


@runs
async def _ask(call: Call, question: str, explain: bool, reading: Reading) -> int:
    async with client(call) as service:
        answer = await service.ask(question, call.options, explain=explain, reading=reading)
    if call.json:
        print_json(_answer_dict(answer))
    else:
        _show(answer, explain)
    if answer.outcome == "withheld":
        return EXIT_FAILED
    return 0 if answer.known else EXIT_NOT_KNOWN


def _show(answer: Answer, explain: bool) -> None:
    if explain:
        console.print(_reading(answer), style="dim", markup=False)
        for line in _tried(answer):
            console.print(line, style="dim", markup=False)
        for step in answer.steps:
            console.print(step, style="dim", markup=False)
    console.print(answer.text, style="bold" if answer.known else "yellow", markup=False)
    if answer.transition:
        console.print(answer.transition, style="green", markup=False)
    citation_rows(answer.citations)
    console.print(basis_line(answer.basis))


def _reading(answer: Answer) -> str:
    """How the question was understood, in one line."""
    intent = answer.intent
    parts = [f"question: {intent.semantic}", f"asks for {intent.asked_for}"]
    if intent.entities:
        parts.append("about " + ", ".join(link.entity.name or link.text for link in intent.entities))
    if intent.HasField("time"):
        relation = types_pb2.TimeRelation.Name(intent.relation).removeprefix("TIME_RELATION_").lower()
        parts.append(f"time {relation} {span_text(intent.time)}")
    elif intent.time_text:
        parts.append(f"time {intent.time_text}")
    if intent.unknown:
        parts.append("unknown: " + ", ".join(link.text for link in intent.unknown))
    return "; ".join(parts)


def _tried(answer: Answer) -> Iterator[str]:
    """What was tried, and what each leg of a search found, with their times."""
    if answer.report is None:
        return
    for stage in answer.report.stages:
        yield f"tried {stage.name}: {stage.outcome}, {stage.elapsed_ms:.0f} ms"
    for leg in answer.report.legs:
        pruned = f", {leg.pruned_count} kept out by the as-of" if leg.pruned_count else ""
        path = f" ({leg.path})" if leg.path else ""
        yield f"leg {leg.leg}{path}: {leg.candidate_count} found{pruned}, {leg.elapsed_ms:.0f} ms"


def _answer_dict(answer: Answer) -> dict[str, object]:
    return {
        "outcome": answer.outcome,
        "values": list(answer.values),
        "text": answer.text,
        "transition": answer.transition,
        "confidence": answer.confidence,
        "citations": [citation_dict(cited) for cited in answer.citations],
        "timeline": list(answer.timeline),
        "steps": list(answer.steps),
        "intent": message_dict(answer.intent),
        "basis": message_dict(answer.basis),
        "report": message_dict(answer.report) if answer.report is not None else None,
    }
