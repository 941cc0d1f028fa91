"""A sheet of dynamic event units (DEUs) of real documents, for a reader to judge against the source.

    deu_sheet.py --documents FILE_OR_FOLDER[,...] --out SHEET.csv [--seed 1] [--count 200] [--collection NAME]
    deu_sheet.py --score SHEET.csv

Documents are JSON lines with a field text (and title, document_time), or a folder of .txt and .md files. The
sheet has one row a DEU: the sentence with its time, and the text that it was read from. A reader fills the
columns ``alone`` (can be understood without the source) and ``true`` (says no more and nothing else than the
source, its time included) with y or n, and may say why. ``--score`` prints the shares.
"""

from __future__ import annotations

import argparse
import csv
import json
import random
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from grounded import grounded
from tidegraph.domain.documents import DocumentTime, Event, GroundedDocument
from tidegraph.domain.interval import Granularity, format_instant, instant
from tidegraph.language.extractor import LanguageExtractor

COLUMNS = (
    "number",
    "document",
    "title",
    "state",
    "time",
    "status",
    "sentence",
    "source",
    "alone",
    "true",
    "why",
)
_BEFORE, _AFTER = 700, 60


def main(argv: list[str] | None = None) -> int:
    """Write a sheet, or print the shares of a judged one; exit code 0."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--documents", default="", help="JSON lines or folders, separated by commas")
    parser.add_argument("--collection", default="", help="only lines whose field collection is this")
    parser.add_argument("--out", default="deu_sheet.csv")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--score", default="", help="a judged sheet")
    arguments = parser.parse_args(argv)
    if arguments.score:
        return _score(Path(arguments.score))
    rows = [r for p in arguments.documents.split(",") if p for r in _read(Path(p), arguments.collection)]
    chosen = _drawn(rows, arguments.seed, arguments.count)
    with Path(arguments.out).open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows(chosen)
    print(f"{len(chosen)} DEUs of {len(rows)} documents in {arguments.out}, seed {arguments.seed}")
    return 0


def _read(path: Path, collection: str) -> Iterator[dict[str, Any]]:
    if path.is_dir():
        for file in sorted([*path.rglob("*.txt"), *path.rglob("*.md")]):
            yield {"id": file.name, "title": file.stem, "text": file.read_text("utf-8")}
        return
    for line in path.open(encoding="utf-8"):
        row = json.loads(line)
        if row.get("text") and (not collection or row.get("collection") == collection):
            yield row


def _drawn(rows: list[dict[str, Any]], seed: int, count: int) -> list[dict[str, Any]]:
    """``count`` DEUs, every one of all documents with equal chance, in the order of the documents."""
    documents = [_document(row) for row in rows]
    found = [
        (document, event)
        for document, told in zip(documents, LanguageExtractor().extract_many(documents), strict=True)
        for event in told.events
    ]
    places = sorted(random.Random(seed).sample(range(len(found)), min(count, len(found))))
    return [_row(number, *found[place]) for number, place in enumerate(places, 1)]


def _row(number: int, document: GroundedDocument, event: Event) -> dict[str, Any]:
    text, span = document.text, event.interval
    time = f"{format_instant(span.start)[:10]}/{format_instant(span.end)[:10]}" if span is not None else ""
    source = text[max(0, event.start_char - _BEFORE) : event.start_char]
    source += f">>{text[event.start_char : event.end_char]}<<{text[event.end_char : event.end_char + _AFTER]}"
    return {
        "number": number,
        "document": document.header.document_id,
        "title": document.header.title,
        "state": event.time_state.name.lower(),
        "time": time,
        "status": event.status.name.lower(),
        "sentence": event.sentence,
        "source": source,
        "alone": "",
        "true": "",
        "why": "",
    }


def _document(row: dict[str, Any]) -> GroundedDocument:
    written = None
    if day := row.get("document_time"):
        year, month, date = (int(part) for part in str(day)[:10].split("-"))
        written = DocumentTime(instant(year, month, date), Granularity.DAY, "document")
    return grounded(str(row.get("id", "")), row.get("title") or "", row["text"], written)


def _score(path: Path) -> int:
    with path.open(encoding="utf-8", newline="") as file:
        rows = [row for row in csv.DictReader(file) if row["alone"] and row["true"]]
    if not rows:
        print("no row is judged", file=sys.stderr)
        return 1
    alone, true = (sum(row[column] == "y" for row in rows) for column in ("alone", "true"))
    both = sum(row["alone"] == row["true"] == "y" for row in rows)
    print(f"{len(rows)} judged: understandable alone {alone / len(rows):.3f}, true {true / len(rows):.3f}")
    print(f"both {both / len(rows):.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
