"""``tidegraph ask``: a question, its answer and what it rests on."""

from __future__ import annotations

import click

from tidegraph.cli.calling import EXIT_FAILED, EXIT_NOT_KNOWN, Call, as_of, client, connection, runs
from tidegraph.cli.render import (
    basis_line,
    citation_dict,
    citation_rows,
    console,
    message_dict,
    print_json,
)
from tidegraph.client import Answer, Options


@click.command("ask")
@click.argument("question")
@as_of
@connection
@click.option("--explain", is_flag=True, help="Show the steps of the reasoning.")
def command(
    question: str, valid: str, known_at: str, as_json: bool, graph: str, server: str, explain: bool
) -> None:
    """Answer QUESTION from the graph, with the evidence.

    A date is 2024, 2024-Q1, 2024-03, 2024-03-05 or a time; --known-at takes the end of a day, month or
    year. Exit code 1: not known.
    """
    _ask(Call(server, graph, Options(valid=valid, known=known_at), as_json), question, explain)


@runs
async def _ask(call: Call, question: str, explain: bool) -> int:
    async with client(call) as service:
        answer = await service.ask(question, call.options, explain=explain)
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
    if intent.time_text:
        parts.append(f"time {intent.time_text}")
    return "; ".join(parts)


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
    }
