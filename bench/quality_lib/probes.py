"""Play small worlds, each into a graph of its own, and write what the product says to every check.

Documents are sent in their recorded order. ``known_after`` reads the state of knowledge at the recorded
time of that document. Predicates of the checks are free wording and handed on as they are.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from quality_lib._world import (
    ALL_KNOWN,
    World,
    graph_name,
    micros,
    noon,
    progress,
    read_lines,
    world,
    write_lines,
)
from tidegraph.domain.documents import GroundedDocument, Position
from tidegraph.domain.errors import Rejected
from tidegraph.domain.facts import FactVersion
from tidegraph.domain.interval import OPEN_END, OPEN_START, Interval, format_instant
from tidegraph.log.codecs import decode
from tidegraph.log.topics import Topic
from tidegraph.ports import GraphMade, Visibility
from tidegraph.services.usecases.answers import Outcome, cite_facts
from tidegraph.services.usecases.context import Moment
from tidegraph.services.usecases.facts import FactQuery, get_facts, list_history
from tidegraph.services.usecases.moment import AskedTime
from tidegraph.services.usecases.work import Work

HELP = "small worlds with checks"
_MAPPING = Path(__file__).resolve().parent.parent / "predicates" / "probes_records.yaml"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``quality.py probes``."""
    parser.add_argument("--cases", required=True, help="JSON lines of worlds")
    parser.add_argument("--out", required=True, help="where the JSON lines go")


def run(arguments: argparse.Namespace) -> int:
    """Play every world and write one line a check."""
    return asyncio.run(_run(arguments))


async def _run(arguments: argparse.Namespace) -> int:
    cases = read_lines(arguments.cases)
    rows: list[dict[str, Any]] = []
    async with world() as played:
        for number, case in enumerate(cases, start=1):
            known = await _play(played, case)
            for place, check in enumerate(case["checks"]):
                said = await _answer(played, graph_name(case["id"]), check, known)
                rows.append({"id": case["id"], "check": place, **said})
            progress(number, len(cases), "worlds")
        write_lines(arguments.out, rows)
        print(f"probes: {len(cases)} worlds, {len(rows)} checks")
        played.print_cpu()
    return 0


async def _play(played: World, case: Mapping[str, Any]) -> dict[str, int]:
    """Recorded time by document id."""
    graph, positions = graph_name(case["id"]), {}
    for document in sorted(case["documents"], key=lambda d: d["recorded_order"]):
        positions[document["id"]] = await played.send(graph, _document(document))
        await played.settle()
    return {name: await _recorded_at(played, position) for name, position in positions.items()}


async def _recorded_at(played: World, position: Position) -> int:
    found = await played.pipeline.status.get([position])
    return found[0].recorded_at if found else 0


def _document(document: Mapping[str, Any]) -> dict[str, Any]:
    if document.get("withdraws"):
        return {"id": document["withdraws"], "retracted": True}
    sent = {
        "id": document.get("replaces") or document["id"],
        "title": document.get("title"),
        "document_time": document.get("document_time"),
        "source": document.get("source"),
    }
    text = document.get("text") or ""
    if text.lstrip().startswith("{") and _MAPPING.exists():
        return {
            **sent,
            "records": [json.loads(text)],
            "mapping": _MAPPING.read_text("utf-8"),
            "mapping_name": "probes",
        }
    return {**sent, "text": text}


async def _answer(
    played: World, graph: str, check: Mapping[str, Any], known: Mapping[str, int]
) -> dict[str, Any]:
    known_at = known[check["known_after"]] if check.get("known_after") else ALL_KNOWN
    kind = {"ask": _ask, "facts": _facts, "history": _history, "grounding": _grounding}[check["type"]]
    try:
        return await kind(played, graph, check, known_at)
    except Rejected as error:  # an unknown name is not known, which is what the check wants to see
        return {"answer": None, "abstained": True, "intervals": [], "citations": [], "cause": str(error)}


async def _ask(played: World, graph: str, check: Mapping[str, Any], known_at: int) -> dict[str, Any]:
    asked = AskedTime(known_at=None if known_at == ALL_KNOWN else known_at)
    answer = (await played.ask(graph, check["question"], asked, micros(check.get("asked_at")))).answer
    known = answer.outcome is Outcome.ANSWERED
    text = f"{answer.text} {answer.transition}".strip()
    return {
        "answer": text if known else None,
        "abstained": not known,
        "intervals": [_interval(fact.valid) for fact in answer.facts],
        "citations": sorted({cited.document_id for cited in answer.citations}),
    }


async def _facts(played: World, graph: str, check: Mapping[str, Any], known_at: int) -> dict[str, Any]:
    moment = _moment(graph, noon(check["valid_at"]), known_at)
    query = FactQuery(check.get("subject") or "", check.get("predicate") or "", check.get("object") or "")
    found = await get_facts(played.ports, moment, query)
    named = "subject" if not query.subject else "object"
    values = [_value(found.work, fact, named) for fact in found.facts]
    return await _said(played, moment, found.work, list(found.facts), "; ".join(dict.fromkeys(values)))


def _value(work: Work, fact: FactVersion, named: str) -> str:
    if named == "subject":
        return work.name(fact.subject)
    role = dict(fact.qualifiers).get("role", "")
    value = work.name(fact.object) if fact.object_is_entity else fact.object
    return f"{role} of {value}" if role else value


async def _history(played: World, graph: str, check: Mapping[str, Any], known_at: int) -> dict[str, Any]:
    moment = _moment(graph, Interval(0, 1), known_at)
    query = FactQuery(
        check.get("subject") or "",
        check.get("predicate") or "",
        check.get("object") or "",
        any_valid_time=True,
    )
    found = await get_facts(played.ports, moment, query)
    current: list[FactVersion] = []
    for fact in found.facts:
        history = await list_history(played.ports, moment, fact_id=fact.version_id)
        own = [row.version for row in history.rows if row.current]
        current += [
            v for v in own if (v.subject, v.object) == (fact.subject, fact.object) and v not in current
        ]
    current.sort(key=lambda version: version.valid.start)
    return await _said(played, moment, found.work, current, "")


async def _said(
    played: World, moment: Moment, work: Work, facts: list[FactVersion], text: str
) -> dict[str, Any]:
    cited = await cite_facts(played.ports, moment, facts, work.names)
    return {
        "answer": text or None,
        "abstained": not facts,
        "intervals": [_interval(fact.valid) for fact in facts],
        "citations": sorted({one.document_id for one in cited}),
    }


async def _grounding(played: World, graph: str, check: Mapping[str, Any], known_at: int) -> dict[str, Any]:
    records = played.pipeline.log.records(Topic.GROUNDED, 0, 0, 1_000_000)
    wanted = check["expression"].casefold()
    for record in reversed(records):
        document = decode(GroundedDocument, record.value or b"")
        if document.header.graph != graph or document.header.document_id != check["document"]:
            continue
        for found in document.expressions:
            text = found.text.casefold()
            if (text in wanted or wanted in text) and found.interval is not None:
                return {
                    "answer": None,
                    "abstained": False,
                    "intervals": [_interval(found.interval)],
                    "citations": [],
                }
    return {"answer": None, "abstained": True, "intervals": [], "citations": []}


def _moment(graph: str, valid: Interval, known_at: int) -> Moment:
    return Moment(graph, valid, False, Visibility(known_at, None), known_at, OPEN_START, GraphMade("", 0, 0))


def _interval(interval: Interval) -> dict[str, str | None]:
    return {
        "from": None if interval.start == OPEN_START else format_instant(interval.start),
        "to": None if interval.end == OPEN_END else format_instant(interval.end),
    }
