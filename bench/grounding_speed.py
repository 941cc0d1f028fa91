"""How fast temporal grounding is: sentences a second on one core, and time against length.

    grounding_speed.py [--cases FILE[,FILE]] [--megabytes 2] [--seconds 5]

Without --cases a built-in page of plain prose is taken. Prints the machine's load, so that a figure
taken on a busy machine can be told from a slow program. CPU time, not wall-clock time, is counted.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import re
import sys
import time
from pathlib import Path

from tidegraph.domain.documents import DocumentTime
from tidegraph.domain.interval import Granularity, instant
from tidegraph.language.grounding import ground_with_operands
from tidegraph.settings import load

_SENTENCE = re.compile(r"[.!?](?:[\"')\]]*)(?=\s|$)|\n(?=\S)")
_DOCUMENT = DocumentTime(instant(2024, 5, 15), Granularity.DAY, "bench")
_PROSE = """\
The harbour board met on Tuesday and approved a budget of 4.2 million euros for 2025. The old crane,
which had stood idle since March 2019, will be scrapped by the end of next month. Traffic fell 8% in
the first quarter, compared with a year earlier, as two shipping lines moved to other ports. A
spokesman said that the lock would be closed between 3 and 12 September for repairs. The new
director, who joined the company in 2016, had led the dockyard for six years. Two weeks ago the
union rejected an offer of a three-year contract. Workers want shorter shifts at night and on
weekends. The port was founded in the early 1870s and rebuilt after the flood of 1953. Its museum is
open daily from 10 am to 5 pm. Nothing in the report says when the east pier will be finished.
"""


def main(argv: list[str] | None = None) -> int:
    """Print both measurements; exit code 0."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--cases", default="", help="JSON lines with a field text, separated by commas")
    parser.add_argument("--megabytes", type=float, default=2.0, help="length of the longest text")
    parser.add_argument("--seconds", type=float, default=5.0, help="how long to measure throughput")
    arguments = parser.parse_args(argv)
    settings = load({}).grounding
    texts = _texts(arguments.cases)
    ground_with_operands(_PROSE, _DOCUMENT, settings)
    print(f"python {platform.python_version()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.2f}")

    sentences = sum(max(1, len(_SENTENCE.findall(t))) for t in texts)
    began, done = time.process_time(), 0
    while time.process_time() - began < arguments.seconds:
        for text in texts:
            ground_with_operands(text, _DOCUMENT, settings)
        done += sentences
    rate = done / (time.process_time() - began)
    print(
        f"throughput: {rate:,.0f} sentences a second on one core ({len(texts)} texts, {sentences} sentences)"
    )

    whole = "\n\n".join(texts)
    whole = whole * (int(arguments.megabytes * 1e6 / len(whole)) + 1)
    print("characters   expressions   CPU seconds   microseconds a character")
    for part in (0.05, 0.125, 0.25, 0.5, 1.0):
        text = whole[: int(arguments.megabytes * 1e6 * part)]
        began = time.process_time()
        found = len(ground_with_operands(text, _DOCUMENT, settings))
        spent = time.process_time() - began
        print(f"{len(text):>10,} {found:>13,} {spent:>13.2f} {spent / len(text) * 1e6:>26.2f}")
    print(f"load {os.getloadavg()[0]:.2f}")
    return 0


def _texts(files: str) -> list[str]:
    if not files:
        return [_PROSE]
    lines = [
        line for name in files.split(",") for line in Path(name).read_text(encoding="utf-8").splitlines()
    ]
    return [json.loads(line)["text"] for line in lines if '"text"' in line]


if __name__ == "__main__":
    sys.exit(main())
