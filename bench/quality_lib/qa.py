"""Ask the questions of a collection over its documents: contexts, answers and abstentions.

Every collection is a graph of its own. Contexts are the hits of Retrieve, best first, each with the
interval in which it holds; the answer is that of Ask, with the built-in reasoner unless a language model
is configured in the environment. ``--without`` leaves parts of the product out. ``--each`` asks again
without each part alone, and of plain baselines, over the same graphs: one more file for each, beside
``--out``. Ways of retrieving that are there by request get a file of contexts without answers.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import defaultdict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from quality_lib._baselines import BASELINES
from quality_lib._world import World, graph_name, iso, progress, read_lines, world, write_lines
from tidegraph.domain.errors import Rejected
from tidegraph.services.caller import Caller
from tidegraph.services.usecases.anchoring import anchored
from tidegraph.services.usecases.answers import Outcome
from tidegraph.services.usecases.compose import line
from tidegraph.services.usecases.graph_leg import GraphLeg
from tidegraph.services.usecases.moment import AskedTime
from tidegraph.services.usecases.opening import opened
from tidegraph.services.usecases.parts_used import Part
from tidegraph.services.usecases.ranking import TimeEncoding
from tidegraph.services.usecases.retrieve import Hit, Options, retrieve
from tidegraph.services.usecases.scope import Scope
from tidegraph.services.usecases.work import Work

HELP = "temporal question answering"
CONTEXTS = 60
Ask = Callable[[Mapping[str, Any]], Awaitable[dict[str, Any]]]
BY_REQUEST: Final = {
    "leg-walk": Options(graph=GraphLeg.WALK),
    "leg-pagerank": Options(graph=GraphLeg.PAGERANK),
    "fourier": Options(time_encoding=TimeEncoding.FOURIER),
}
"""Ways of Retrieve that are not its default."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``quality.py qa``."""
    parser.add_argument("--cases", required=True, help="folder with corpus.jsonl and questions.jsonl")
    parser.add_argument("--out", required=True, help="where the JSON lines go")
    parser.add_argument("--source", help="only documents and questions of this source")
    parser.add_argument("--limit", type=int, help="only the first N questions and their collections")
    parser.add_argument(
        "--without", action="append", default=[], choices=[*Part], help="leave a part out (repeatable)"
    )
    parser.add_argument(
        "--each", action="store_true", help="also without each part alone, and with plain baselines"
    )


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
    without = frozenset(Part(name) for name in arguments.without)
    async with world() as played:
        await ingest(played, corpus)
        await _written(arguments.out, questions, partial(_asked, played, without))
        if arguments.each:
            out = Path(arguments.out)
            for part in Part:
                name = str(out.with_suffix(f".without-{part}{out.suffix}"))
                await _written(name, questions, partial(_asked, played, without | {part}))
            for plain in BASELINES:
                name = str(out.with_suffix(f".{plain}{out.suffix}"))
                await _written(name, questions, partial(_plain, played, plain))
            for way, options in BY_REQUEST.items():
                name = str(out.with_suffix(f".{way}{out.suffix}"))
                await _written(name, questions, partial(_retrieved, played, options))
        print(f"qa: {len(corpus)} documents, {len(questions)} questions")
        played.print_cpu()
    return 0


async def _written(out: str, questions: Sequence[Mapping[str, Any]], ask: Ask) -> None:
    rows = []
    for number, question in enumerate(questions, start=1):
        rows.append(await ask(question))
        progress(number, len(questions), f"questions of {Path(out).name}")
    write_lines(out, rows)
    answered = sum(not row["abstained"] for row in rows)
    print(f"{Path(out).name}: {answered} of {len(rows)} answered", flush=True)


def _of_source(rows: Sequence[dict[str, Any]], source: str | None) -> list[dict[str, Any]]:
    return [row for row in rows if source is None or row["source"] == source]


async def ingest(played: World, corpus: Sequence[Mapping[str, Any]]) -> None:
    """Send the documents, a graph for each collection."""
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


async def _asked(played: World, without: frozenset[Part], question: Mapping[str, Any]) -> dict[str, Any]:
    graph, text = graph_name(question["collection"]), question["question"]
    try:
        work, scope = await work_of(played, graph, text, without)
        found = await retrieve(work, await anchored(work, scope), CONTEXTS)
        answer = (await played.ask(graph, text, AskedTime(), without=without)).answer
    except Rejected as error:
        return {"id": question["id"], "contexts": [], "answer": None, "abstained": True, "cause": str(error)}
    known = answer.outcome is Outcome.ANSWERED
    said = "; ".join(answer.values) or answer.text
    return {
        "id": question["id"],
        "contexts": [_context(work, hit) for hit in found.hits],
        "answer": said if known else None,
        "abstained": not known,
    }


async def _retrieved(played: World, options: Options, question: Mapping[str, Any]) -> dict[str, Any]:
    """Contexts alone, by another way of retrieving."""
    graph = graph_name(question["collection"])
    work, scope = await work_of(played, graph, question["question"], frozenset())
    found = await retrieve(work, await anchored(work, scope), CONTEXTS, options)
    return {
        "id": question["id"],
        "contexts": [_context(work, hit) for hit in found.hits],
        "answer": None,
        "abstained": True,
    }


async def _plain(played: World, plain: str, question: Mapping[str, Any]) -> dict[str, Any]:
    """A plain baseline: its best text answers."""
    graph = graph_name(question["collection"])
    work, scope = await work_of(played, graph, question["question"], frozenset())
    texts = await BASELINES[plain](work, scope)
    return {
        "id": question["id"],
        "contexts": [{"text": text, "valid_from": None, "valid_to": None} for text in texts],
        "answer": texts[0] if texts else None,
        "abstained": not texts,
    }


async def work_of(played: World, graph: str, text: str, without: frozenset[Part]) -> tuple[Work, Scope]:
    """A question ready to be answered, with its asked time."""
    return await opened(played.ports, Caller(graph, None, "bench"), text, AskedTime(), without=without)


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
