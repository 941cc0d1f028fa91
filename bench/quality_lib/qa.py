"""Ask the questions of a collection over its documents: contexts, answers and abstentions.

Every collection is a graph of its own. Contexts are the hits of Retrieve, best first, each with the
interval in which it holds; the answer is that of Ask, with the built-in reasoner unless a language model
is configured in the environment.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from quality_lib._world import World, graph_name, iso, progress, read_lines, world, write_lines
from tidegraph.domain.errors import Rejected
from tidegraph.services.caller import Caller
from tidegraph.services.usecases.answers import Outcome
from tidegraph.services.usecases.compose import line
from tidegraph.services.usecases.moment import AskedTime, resolve
from tidegraph.services.usecases.reading import read_text
from tidegraph.services.usecases.retrieve import Hit, retrieve
from tidegraph.services.usecases.scope import scope_of
from tidegraph.services.usecases.work import Work

HELP = "temporal question answering"
CONTEXTS = 60


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``quality.py qa``."""
    parser.add_argument("--cases", required=True, help="folder with corpus.jsonl and questions.jsonl")
    parser.add_argument("--out", required=True, help="where the JSON lines go")
    parser.add_argument("--source", help="only documents and questions of this source")
    parser.add_argument("--limit", type=int, help="only the first N questions and their collections")


def run(arguments: argparse.Namespace) -> int:
    """Ingest every collection, ask every question, write one line for each."""
    return asyncio.run(_run(arguments))


async def _run(arguments: argparse.Namespace) -> int:
    folder = Path(arguments.cases)
    questions = [
        {key: row.get(key) for key in ("id", "source", "collection", "question")}
        for row in _of_source(read_lines(folder / "questions.jsonl"), arguments.source)
    ][: arguments.limit]
    wanted = {row["collection"] for row in questions}
    corpus = [
        row
        for row in _of_source(read_lines(folder / "corpus.jsonl"), arguments.source)
        if row["collection"] in wanted
    ]
    rows = []
    async with world() as played:
        await _ingest(played, corpus)
        for number, question in enumerate(questions, start=1):
            rows.append(await _asked(played, question))
            progress(number, len(questions), "questions")
        write_lines(arguments.out, rows)
        answered = sum(not row["abstained"] for row in rows)
        print(f"qa: {len(corpus)} documents, {len(rows)} questions, {answered} answered")
        played.print_cpu()
    return 0


def _of_source(rows: Sequence[dict[str, Any]], source: str | None) -> list[dict[str, Any]]:
    return [row for row in rows if source is None or row["source"] == source]


async def _ingest(played: World, corpus: Sequence[Mapping[str, Any]]) -> None:
    collections: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for row in corpus:
        collections[row["collection"]].append(row)
    done = 0
    for name, documents in collections.items():
        for row in documents:
            document = {key: row.get(key) for key in ("id", "source", "title", "document_time", "text")}
            await played.send(graph_name(name), document)
        await played.settle()
        done += len(documents)
        if done // 10 != (done - len(documents)) // 10 or done == len(corpus):
            print(json.dumps({"documents": done, "of": len(corpus)}), flush=True)


async def _asked(played: World, question: Mapping[str, Any]) -> dict[str, Any]:
    graph, text = graph_name(question["collection"]), question["question"]
    try:
        contexts = await _contexts(played, graph, text)
        answer = (await played.ask(graph, text, AskedTime())).answer
    except Rejected as error:
        return {"id": question["id"], "contexts": [], "answer": None, "abstained": True, "cause": str(error)}
    known = answer.outcome is Outcome.ANSWERED
    said = "; ".join(answer.values) or answer.text
    return {
        "id": question["id"],
        "contexts": contexts,
        "answer": said if known else None,
        "abstained": not known,
    }


async def _contexts(played: World, graph: str, text: str) -> list[dict[str, Any]]:
    reading = await read_text(played.ports, graph, text, played.ports.clock.now())
    moment = await resolve(
        played.ports, Caller(graph, None, "bench"), AskedTime(), reading.question.time.interval
    )
    work = Work(played.ports, moment, reading.question, reading.offset)
    for link in reading.question.entities:
        work.names.update({record.entity_id: record for record in link.candidates})
    found = await retrieve(work, scope_of(reading.question, moment, given=False), CONTEXTS)
    return [_context(work, hit) for hit in found.hits]


def _context(work: Work, hit: Hit) -> dict[str, Any]:
    if hit.fact is not None:
        fact = hit.fact
        return {
            "text": line(work, fact),
            "valid_from": iso(fact.valid.start, fact.start_granularity),
            "valid_to": iso(fact.valid.end, fact.end_granularity),
        }
    if hit.event is not None:
        interval = hit.event.event.interval
        text = hit.event.event.sentence
        if interval is None:
            return {"text": text, "valid_from": None, "valid_to": None}
        grain = interval.granularity
        return {"text": text, "valid_from": iso(interval.start, grain), "valid_to": iso(interval.end, grain)}
    assert hit.chunk is not None
    return {"text": hit.chunk.chunk.text, "valid_from": None, "valid_to": None}
