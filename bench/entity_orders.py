"""Do clusters depend on the order of mentions or on the number of workers? They must not.

    bench/entity_orders.py --mentions FILE --scorer er_score.py [--orders 30] [--workers 1,2,4] [--folder DIR]

The mentions are shuffled with one seed after the other, resolved by ``bench/quality.py entities`` in a
process of its own (so with another seed of hashes, too), in turn with each number of workers, and compared
with the first result by the scorer. Exits with 1 when any result differs from the first.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Final

_QUALITY: Final = Path(__file__).resolve().parent / "quality.py"


def main() -> int:
    """Resolve every order and compare it with the first one."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--mentions", required=True, help="labelled mentions, JSON lines")
    parser.add_argument("--scorer", required=True, help="the script that shuffles and compares")
    parser.add_argument("--orders", type=int, default=30)
    parser.add_argument("--workers", default="1,2,4", help="numbers of workers, taken in turn")
    parser.add_argument("--folder", help="where results go, kept; a temporary folder without")
    arguments = parser.parse_args()
    workers = [int(number) for number in arguments.workers.split(",")]
    with tempfile.TemporaryDirectory(prefix="tidegraph-orders-") as temporary:
        folder = Path(arguments.folder or temporary)
        folder.mkdir(parents=True, exist_ok=True)
        differing = 0
        for seed in range(arguments.orders):
            number = workers[seed % len(workers)]
            _resolve(arguments, folder, seed, number)
            if seed:
                said = _run(
                    arguments.scorer, "compare", "--a", str(folder / "out-0.jsonl"),
                    "--b", str(folder / f"out-{seed}.jsonl"), check=False,
                )  # fmt: skip
                differing += not _same(folder / "out-0.jsonl", folder / f"out-{seed}.jsonl")
                print(f"order {seed}, {number} workers: {said}", flush=True)
    print(f"{arguments.orders} orders, workers {arguments.workers}: {differing} differ from the first")
    return int(differing > 0)


def _resolve(arguments: argparse.Namespace, folder: Path, seed: int, workers: int) -> None:
    shuffled = str(folder / "in.jsonl")
    read = arguments.mentions
    _run(arguments.scorer, "shuffle", "--mentions", read, "--out", shuffled, "--seed", str(seed))
    out = str(folder / f"out-{seed}.jsonl")
    _run(str(_QUALITY), "entities", "--mentions", shuffled, "--out", out, "--workers", str(workers))


def _same(one: Path, other: Path) -> bool:
    """True when both say the same of every mention, in whatever order."""
    return sorted(one.read_text("utf-8").splitlines()) == sorted(other.read_text("utf-8").splitlines())


def _run(*command: str, check: bool = True) -> str:
    done = subprocess.run(
        [sys.executable, *command], check=check, capture_output=True, text=True, env=_environment()
    )
    return " ".join(done.stdout.split())


def _environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name != "PYTHONHASHSEED"}


if __name__ == "__main__":
    sys.exit(main())
