"""``tidegraph demo``: what it prints is what the README shows."""

from __future__ import annotations

import asyncio
import os
import re
import sys
from collections.abc import Iterator

import pytest
from tests.ops.repository import ROOT

SECONDS_MAX = 120
"""After set-up, as the README promises."""
ELISION = "..."


def normal(line: str) -> str:
    """A line without what differs from run to run: ports, seconds, today."""
    line = re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:PORT", line.rstrip())
    line = re.sub(r"Done in \d+ seconds", "Done in N seconds", line)
    return re.sub(r"known \d{4}-\d\d-\d\d \(what", "known TODAY (what", line)


@pytest.fixture(scope="module")
def printed() -> list[str]:
    """The lines of one run, not on a terminal."""
    code, out, err = asyncio.run(_run())
    assert code == 0, out + err
    assert err == ""
    return out.splitlines()


async def _run() -> tuple[int | None, str, str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TIDEGRAPH_")}
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tidegraph.cli.main", "demo",
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE, stdin=asyncio.subprocess.DEVNULL,
        env=environment,
    )  # fmt: skip
    async with asyncio.timeout(280):
        out, err = await process.communicate()
    return process.returncode, out.decode(), err.decode()


def excerpts() -> Iterator[list[str]]:
    """The runs of lines between elisions in the README's block of the demo."""
    (block,) = re.findall(
        r"^```console\n\$ make demo\n(.*?)^```$", (ROOT / "README.md").read_text(), re.M | re.S
    )
    run: list[str] = []
    for line in block.splitlines():
        if line.strip() == ELISION:
            yield run
            run = []
        else:
            run.append(normal(line))
    yield run


def test_the_readme_shows_what_is_printed(printed: list[str]) -> None:
    lines = [normal(line) for line in printed]
    at = 0
    for run in excerpts():
        places = [
            place for place in range(at, len(lines) - len(run) + 1) if lines[place : place + len(run)] == run
        ]
        assert places, "not printed in this place:\n" + "\n".join(run) + "\n\nprinted:\n" + "\n".join(lines)
        at = places[0] + len(run)


def test_it_reads_well_in_a_file(printed: list[str]) -> None:
    assert not any("\x1b" in line for line in printed)
    assert max(map(len, printed)) <= 100


def test_it_ends_in_time(printed: list[str]) -> None:
    (seconds,) = re.findall(r"Done in (\d+) seconds", "\n".join(printed))
    assert int(seconds) < SECONDS_MAX


def test_every_record_has_its_outcome(printed: list[str]) -> None:
    outcomes = [line.split(maxsplit=1)[1] for line in printed if line.strip().startswith("records ")]
    assert outcomes == ["15 committed", "1 committed", "22 committed, 1 dead letter, 1 retracted"]
