"""Window, decay and length of lists of the event graph, by what walks add to the best events of a question.

Every document of a collection goes through the real stages, once; then for each (delta, alpha, K) the lists
are made from its events, and walks start from the first events that Retrieve finds for each question.
Printed: entries an event, and for each number of seeds the share of questions with a gold answer in the seeds
or in what walks come to, the share of these that hold one, and how many there are; before that the share for
the seeds alone and with some events of the next ranks. The lists that the writer made are compared with those
made at once by the settings in force.

    .venv/bin/python bench/event_graph.py --cases DIR [--source NAME] [--seeds 3,5,20]
"""

from __future__ import annotations

import argparse
import asyncio
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from pathlib import Path
from typing import Any, Final

from quality_lib._world import World, graph_name, read_lines, world
from quality_lib.qa import ingest, work_of
from tidegraph.domain.eventgraph import EventGraphParameters, EventNode, Link, similarity
from tidegraph.domain.interval import MICROS_PER_DAY, Interval
from tidegraph.domain.naming import normalise
from tidegraph.domain.walk import Adjacency, WalkParameters, adjacency, arrivals, random_walks
from tidegraph.services.usecases.retrieve import retrieve, windows_of

DELTAS: Final = (365.0, 3_650.0, 36_500.0)
ALPHAS: Final = (0.0002, 0.002, 0.02)
LENGTHS: Final = (3, 6, 12)
WALKS: Final = WalkParameters(walks=5, length=3)
TOGETHER: Final = 20
"""Seeds and what is added are so many events together, or as many again as there are seeds."""
FEW: Final = 5
"""About as many events as walks from few seeds come to."""


@dataclass(frozen=True)
class Question:
    """One question: events that hold a gold answer, events by rank, and the asked time."""

    gold: frozenset[str]
    ranked: tuple[str, ...]
    window: Interval | None


@dataclass(frozen=True)
class Replay:
    """The events of one graph, with every pair that shares an entity: overlap of the sets, gap in days."""

    times: Mapping[str, Interval | None]
    nodes: Mapping[str, EventNode]
    pairs: Mapping[tuple[str, str], tuple[float, float]]
    stored: frozenset[tuple[str, str]]
    questions: Sequence[Question]

    def lists(self, delta: float, alpha: float, top_k: int) -> dict[str, tuple[Link, ...]]:
        """The lists by these numbers, all at once."""
        found: dict[str, list[Link]] = {event_id: [] for event_id in self.nodes}
        for (one, other), (shared, gap) in self.pairs.items():
            weight = shared * math.exp(-alpha * gap) if gap <= delta else 0.0
            if weight > 0.0:
                found[one].append(Link(other, weight))
                found[other].append(Link(one, weight))
        return {
            event_id: tuple(sorted(links, key=lambda link: (-link.weight, link.event_id))[:top_k])
            for event_id, links in found.items()
        }


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", required=True, help="folder with corpus.jsonl and questions.jsonl")
    parser.add_argument("--source", help="only documents and questions of this source")
    parser.add_argument("--seeds", default="3,5,20")
    arguments = parser.parse_args()
    seeds = [int(part) for part in arguments.seeds.split(",")]
    folder = Path(arguments.cases)
    corpus, questions = (
        [row for row in read_lines(folder / name) if arguments.source in (None, row["source"])]
        for name in ("corpus.jsonl", "questions.jsonl")
    )
    for replay, parameters in asyncio.run(_replays(corpus, [q for q in questions if q["answer_in_text"]])):
        _report(replay, parameters, seeds)
    return 0


async def _replays(
    corpus: Sequence[Mapping[str, Any]], questions: Sequence[Mapping[str, Any]]
) -> list[tuple[Replay, EventGraphParameters]]:
    by_collection: dict[str, list[Mapping[str, Any]]] = defaultdict(list)
    for question in questions:
        by_collection[question["collection"]].append(question)
    async with world() as played:
        await ingest(played, [row for row in corpus if row["collection"] in by_collection])
        parameters = played.ports.event_graph
        return [
            (await _replay(played, graph_name(name), asked, parameters.frequency_cap), parameters)
            for name, asked in by_collection.items()
        ]


async def _replay(played: World, graph: str, asked: Sequence[Mapping[str, Any]], cap: int) -> Replay:
    works = [await work_of(played, graph, question["question"], frozenset()) for question in asked]
    ids = [
        row[0]
        for row in await played.pipeline.store.connection.read(graph, "MATCH (n:Event) RETURN n.id", {})
    ]
    records = await played.ports.store.events(graph, sorted(ids), works[0][0].moment.seen)
    said = {record.event.event_id: f" {normalise(record.event.sentence)} " for record in records}
    questions = []
    for question, (work, scope) in zip(asked, works, strict=True):
        found = await retrieve(work, scope, 250)
        answers = [f" {normalise(answer)} " for answer in question["answers"]]
        questions.append(
            Question(
                frozenset(event_id for event_id, text in said.items() if any(a in text for a in answers)),
                tuple(hit.event.event.event_id for hit in found.hits if hit.event is not None),
                windows_of(work, scope).events,
            )
        )
    nodes = {
        record.event.event_id: EventNode(
            record.event.event_id, record.event.interval, frozenset(record.entity_ids)
        )
        for record in records
        if record.event.interval is not None
    }
    stored = await played.ports.store.lists_of(graph, sorted(nodes))
    return Replay(
        times={record.event.event_id: record.event.interval for record in records},
        nodes=nodes,
        pairs=dict(_pairs(nodes, cap)),
        stored=frozenset((entry.event_id, entry.neighbour_id) for entry in stored),
        questions=questions,
    )


def _pairs(nodes: Mapping[str, EventNode], cap: int) -> Iterator[tuple[tuple[str, str], tuple[float, float]]]:
    mentioned: dict[str, list[str]] = defaultdict(list)
    for event_id in sorted(nodes):
        for entity_id in nodes[event_id].entity_ids:
            mentioned[entity_id].append(event_id)
    pairs = {
        pair
        for event_ids in mentioned.values()
        if len(event_ids) <= cap
        for pair in combinations(event_ids, 2)
    }
    for one, other in sorted(pairs):
        a, b = nodes[one], nodes[other]
        yield (
            (one, other),
            (similarity(a.entity_ids, b.entity_ids), a.interval.gap(b.interval) / MICROS_PER_DAY),
        )


def _report(replay: Replay, parameters: EventGraphParameters, seeds: Sequence[int]) -> None:
    made = replay.lists(parameters.delta_days, parameters.alpha_per_day, parameters.top_k)
    entries = {(event_id, link.event_id) for event_id, links in made.items() for link in links}
    print(f"{len(replay.times)} events, {len(replay.nodes)} dated, {len(replay.questions)} questions")
    same = "alike" if entries == replay.stored else "not alike"
    print(f"entries of the writer {len(replay.stored)}, made at once {len(entries)}: {same}")
    for count in seeds:
        shares = [f"{_measured(replay, None, count, more)[0]:.3f}" for more in (0, FEW, _added(count))]
        print(
            f"from {count}: alone {shares[0]}, with the next {FEW} {shares[1]}, {_added(count)} {shares[2]}"
        )
    for delta, alpha, top_k in product(DELTAS, ALPHAS, LENGTHS):
        lists = replay.lists(delta, alpha, top_k)
        graph = adjacency(lists)
        row = [f"{delta:g} {alpha:g} {top_k} entries {sum(map(len, lists.values())) / len(lists):.2f}"]
        for count in seeds:
            share, holds, events = _measured(replay, graph, count, _added(count))
            row.append(f"from {count}: {share:.3f} holds {holds:.3f} events {events:.1f}")
        print(" | ".join(row), flush=True)


def _added(count: int) -> int:
    return TOGETHER - count if count < TOGETHER else count


def _measured(replay: Replay, graph: Adjacency | None, count: int, added: int) -> tuple[float, float, float]:
    """Share of questions with an answer in seeds or what is added, of the added those that hold one, and how
    many are added. Without a graph those of the next ranks are.
    """
    covered, holding, total = 0, 0, 0
    for number, question in enumerate(replay.questions):
        seeds = question.ranked[:count]

        def shown(node: str, window: Interval | None = question.window) -> bool:
            interval = replay.times[node]
            return window is None or interval is None or interval.overlaps(window)

        if graph is None:
            more = list(question.ranked[count : count + added])
        else:
            come_to = arrivals(random_walks(graph, seeds, number, shown, WALKS))
            more = [node for node, _ in come_to if node not in seeds][:added]
        covered += bool(question.gold & {*seeds, *more})
        holding += len(question.gold & set(more))
        total += len(more)
    return covered / len(replay.questions), holding / max(1, total), total / len(replay.questions)


if __name__ == "__main__":
    raise SystemExit(main())
