"""Run the ground stage's engine over annotated cases and write what it finds.

Of each case only ``id``, ``text`` and ``reference_time`` are read. An expression is written with the
expressions that it is built from (the ends of a range, the date behind "since"), because annotation
schemes mark the one or the other; expressions without a place on the calendar are left out.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tidegraph.domain.documents import DocumentTime, TimeExpression
from tidegraph.domain.interval import OPEN_END, OPEN_START, Granularity, format_instant, instant
from tidegraph.language.grounding import ground_with_operands
from tidegraph.settings import GroundingSettings, load

HELP = "time expressions of texts"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``quality.py ground``."""
    parser.add_argument("--cases", required=True, help="JSON lines files, separated by commas")
    parser.add_argument("--out", required=True, help="where the JSON lines go")


def run(arguments: argparse.Namespace) -> int:
    """Ground every case and write one line for it."""
    settings = load({}).grounding
    began, count = time.process_time(), 0
    with Path(arguments.out).open("w", encoding="utf-8") as out:
        for case in _cases(arguments.cases):
            out.write(json.dumps({"id": case["id"], "expressions": _expressions(case, settings)}) + "\n")
            count += 1
    print(f"ground: {count} cases, {time.process_time() - began:.2f} CPU seconds")
    return 0


def _cases(files: str) -> Iterator[dict[str, Any]]:
    for name in files.split(","):
        with Path(name).open(encoding="utf-8") as lines:
            for line in lines:
                if line.strip():
                    raw = json.loads(line)
                    if "text" in raw:
                        yield {key: raw.get(key) for key in ("id", "text", "reference_time")}


def _document_time(reference: str | None) -> DocumentTime | None:
    if not reference:
        return None
    moment = datetime.fromisoformat(reference.replace("Z", "+00:00"))
    moment = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).astimezone(UTC)
    value = instant(moment.year, moment.month, moment.day, moment.hour, moment.minute, moment.second)
    return DocumentTime(value, Granularity.SECOND, "metadata:reference_time")


def _expressions(case: dict[str, Any], settings: GroundingSettings) -> list[dict[str, Any]]:
    found = ground_with_operands(case["text"], _document_time(case["reference_time"]), settings)
    flat = [e for grounded in found for e in (grounded.expression, *grounded.operands)]
    return [row for e in flat if (row := _row(e)) is not None]


def _row(expression: TimeExpression) -> dict[str, Any] | None:
    if expression.interval is None:
        return None
    return {
        "text": expression.text,
        "start_char": expression.start_char,
        "end_char": expression.end_char,
        "start": _iso(expression.interval.start),
        "end": _iso(expression.interval.end),
        "granularity": expression.interval.granularity.name.lower(),
    }


def _iso(value: int) -> str | None:
    if value in (OPEN_START, OPEN_END):
        return None
    text = format_instant(value)
    return text if "T" in text else f"{text}T00:00:00Z"
