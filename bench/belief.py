"""What one more assertion under a busy conflict key costs: CPU of planning it.

    bench/belief.py [--versions 1000,10000] [--claims 300] [--seed 1]

Each new claim is the newest; four in five take the slot over, the others confirm, restate or end what
holds. Planned is what the writer plans: the writes, and what of them is news.
"""

from __future__ import annotations

import argparse
import os
import platform
import random
import sys
import time
from collections.abc import Iterator
from dataclasses import replace

from tidegraph.domain.belief import history
from tidegraph.domain.documents import EndpointBasis, Status, ValidTime, Verb
from tidegraph.domain.facts import Assertion
from tidegraph.domain.interval import MICROS_PER_DAY, OPEN_END, OPEN_START, Granularity
from tidegraph.domain.keyhistory import KeyHistory
from tidegraph.domain.policies import KeyPolicy, OnStart, OnState, OnStop
from tidegraph.streams.writing import feed

POLICY = KeyPolicy(True, False, OnStart.OPENS, OnState.CONFIRMS, OnStop.ENDS)
PERCENTILES = (50, 90, 99)


def claims(rng: random.Random, count: int, first: int = 0) -> Iterator[Assertion]:
    """Claims about one key, three days apart; each names a holder of its own but where one is repeated."""
    holder = first
    for number in range(first, first + count):
        start, kind = number * 3 * MICROS_PER_DAY, rng.random()
        verb, end = Verb.START, OPEN_END
        if kind < 0.8 or number == first:
            holder = number
        elif kind < 0.9:
            verb = Verb.STATE
        else:
            verb, end = Verb.STOP, start
        yield Assertion(
            assertion_id=f"a{number:07d}",
            key="key",
            subject="subject",
            predicate="holds",
            object=f"holder {holder}",
            object_is_entity=True,
            qualifiers=(),
            valid=_valid(start, end, verb),
            verb=verb,
            status=Status.ASSERTED,
            confidence=0.9,
            source="feed",
            source_priority=0,
            document_id=f"d{number}",
            revision="1",
            document_time=start,
            register=False,
            labels=(),
            event_id="",
            start_char=0,
            end_char=0,
            rule_id="",
            recorded_at=number,
            withdrawn_at=OPEN_END,
        )


def _valid(start: int, end: int, verb: Verb) -> ValidTime:
    day, unknown = Granularity.DAY, Granularity.UNKNOWN
    if verb is Verb.STOP:
        return ValidTime(OPEN_START, end, unknown, day, EndpointBasis.NONE, EndpointBasis.STATED)
    basis = EndpointBasis.OBSERVED if verb is Verb.STATE else EndpointBasis.STATED
    return ValidTime(start, OPEN_END, day, unknown, basis, EndpointBasis.NONE)


def planning(versions: int, count: int, seed: int) -> list[float]:
    """Milliseconds of CPU for each of ``count`` claims more, under a key with ``versions`` rows."""
    rng = random.Random(seed)
    told = list(claims(rng, versions))
    known = [replace(claim, recorded_at=0) for claim in told]
    rows = history(known, (), POLICY)
    keeper = KeyHistory(known, (), POLICY, rows)
    spent = []
    for claim in claims(rng, count, versions):
        started = time.thread_time()
        keeper.add(claim)
        feed.changed(*keeper.settle())
        spent.append((time.thread_time() - started) * 1_000)
    return spent


def percentile(values: list[float], percent: int) -> float:
    """The nearest-rank percentile."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, max(0, -(-len(ordered) * percent // 100) - 1))]


def main(arguments: list[str]) -> int:
    """Print a line for each size of the key; exit code 0."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--versions", default="1000,10000", help="rows under the key, as a list")
    parser.add_argument("--claims", type=int, default=300, help="how many more claims are planned")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args(arguments)
    print(f"python {platform.python_version()}, {os.cpu_count()} cores, load {os.getloadavg()[0]:.2f}")
    for versions in map(int, chosen.versions.split(",")):
        spent = planning(versions, chosen.claims, chosen.seed)
        figures = ", ".join(f"p{each} {percentile(spent, each):.2f}" for each in PERCENTILES)
        print(f"{versions:>7} claims under the key: {figures} ms of CPU for one more")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
