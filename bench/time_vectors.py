"""Time in the vectors, both ways, on the vector leg alone: the paper's encoding against the exact kernel.

Every document of a collection goes through the real stages; then each question ranks all events by

    text        cosine of the texts, no time
    joined L    cosine of [text ; phi(t) ; rest] with [text ; L * phi(asked) ; 0] (DyG-RAG eq. 2, 7, 8)
    kernel L    cosine of the texts + L * kernel of the gap to the asked time

and the first of them are written as contexts, one file for each way beside ``--out``, in the form of
``quality.py qa``. Gold fields are not read.

    .venv/bin/python bench/time_vectors.py --cases DIR --out FILE [--source NAME] [--weights 0.5,1]
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from quality_lib._world import World, graph_name, iso, progress, read_lines, world, write_lines
from quality_lib.qa import CONTEXTS, ingest, work_of
from tidegraph.domain.documents import Status, TimeState
from tidegraph.domain.interval import Granularity, Interval
from tidegraph.domain.timeenc import enhance, enhance_query, fourier, time_aware
from tidegraph.services.usecases.work import Work

PAGE = 1_000


@dataclass(frozen=True)
class Events:
    """All asserted events of a graph with the vectors of their sentences."""

    sentences: list[str]
    times: list[Interval | None]
    text: NDArray[np.float32]
    joined: NDArray[np.float32]


async def events_of(played: World, graph: str) -> Events:
    """Read every event of a graph and embed it."""
    rows: list[dict[str, Any]] = []
    after = ""
    while page := await played.ports.store.scan(graph, "event", after, PAGE):
        rows += [json.loads(row) for _, row in page]
        after = page[-1][0]
    rows = [row for row in rows if row["status"] not in (Status.DENIED, Status.PLANNED)]
    times = [_time(row) for row in rows]
    sentences = [str(row["sentence"]) for row in rows]
    text = played.ports.encoder.encode(sentences)
    phi = fourier([time.start if time else None for time in times])
    return Events(sentences, times, text, enhance(text, phi))


def _time(row: Mapping[str, Any]) -> Interval | None:
    if row.get("start") is None or row["time_state"] != TimeState.DATED:
        return None
    return Interval(row["start"], row["end"], Granularity(row.get("granularity", 0)))


def ranked(events: Events, work: Work, weights: Sequence[float]) -> Iterator[tuple[str, NDArray[np.intp]]]:
    """The order of the events for each way."""
    asked = work.question.time.interval
    query = work.ports.encoder.encode([work.meaning])
    cosine = events.text @ query[0]
    yield "text", np.argsort(-cosine, kind="stable")
    for weight in weights:
        phi = fourier([asked.start if asked else None])
        joined = events.joined @ enhance_query(query, phi, weight)[0]
        yield f"joined-{weight:g}", np.argsort(-joined, kind="stable")
        pairs = zip(cosine, events.times, strict=True)
        exact = np.array([time_aware(float(value), time, asked, weight) for value, time in pairs])
        yield f"kernel-{weight:g}", np.argsort(-exact, kind="stable")


def context(events: Events, index: int) -> dict[str, Any]:
    """An event as a context of ``qa``."""
    time = events.times[index]
    start = iso(time.start, time.granularity) if time else None
    end = iso(time.end, time.granularity) if time else None
    return {"text": events.sentences[index], "valid_from": start, "valid_to": end}


async def run(arguments: argparse.Namespace) -> None:
    """Ingest, rank, write."""
    folder, out = Path(arguments.cases), Path(arguments.out)
    weights = [float(weight) for weight in arguments.weights.split(",")]

    def rows(name: str) -> list[dict[str, Any]]:
        found = read_lines(folder / name)
        return [row for row in found if arguments.source in (None, row["source"])]

    questions = [
        {key: row[key] for key in ("id", "collection", "question")} for row in rows("questions.jsonl")
    ]
    written: dict[str, list[dict[str, Any]]] = defaultdict(list)
    async with world() as played:
        await ingest(played, rows("corpus.jsonl"))
        known: dict[str, Events] = {}
        for number, question in enumerate(questions, start=1):
            graph = graph_name(question["collection"])
            if graph not in known:
                known[graph] = await events_of(played, graph)
            work, _ = await work_of(played, graph, question["question"], frozenset())
            for way, order in ranked(known[graph], work, weights):
                contexts = [context(known[graph], int(index)) for index in order[:CONTEXTS]]
                row = {"id": question["id"], "contexts": contexts, "answer": None, "abstained": True}
                written[way].append(row)
            progress(number, len(questions), "questions")
        print(f"{sum(len(events.sentences) for events in known.values())} events")
    for way, found in written.items():
        write_lines(str(out.with_suffix(f".{way}{out.suffix}")), found)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--cases", required=True, help="folder with corpus.jsonl and questions.jsonl")
    parser.add_argument("--out", required=True, help="where the JSON lines go; each way adds its name")
    parser.add_argument("--source", help="only documents and questions of this source")
    parser.add_argument("--weights", default="0.5,1", help="lambdas, separated by commas")
    asyncio.run(run(parser.parse_args()))


if __name__ == "__main__":
    main()
