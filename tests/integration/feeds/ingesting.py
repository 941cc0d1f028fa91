"""``tidegraph ingest`` as its users run it: a process that sends files and waits for the outcomes."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

from tests.integration.feeds.revisions import Feed
from tests.integration.streams.harness import Place, environment

INGEST_SECONDS: Final = 1_500

Line = dict[str, Any]
"""What ``--json`` says of one document."""


def write_feeds(feeds: Sequence[Feed], folder: Path) -> Path:
    """The documents of each feed as JSON Lines files, for ``ingest``; the folder."""
    folder.mkdir(parents=True)
    for feed in feeds:
        documents = (json.dumps(revision.document(feed.name)) for revision in feed.revisions)
        (folder / f"{feed.name}.jsonl").write_text("\n".join(documents), encoding="utf-8")
    return folder


async def ingest(here: Place, path: Path, *options: str, exit_code: int = 0) -> list[Line]:
    """Send as an archive, wait for every outcome, and give back one line a document."""
    chosen = ("--backfill", "--wait", "--json", "--timeout", str(INGEST_SECONDS), *options)
    code, out, error = await run(here, path, *chosen)
    lines = [json.loads(line) for line in out.splitlines()]
    assert code == exit_code, f"{error}\n{[each for each in lines if each['outcome'] != 'committed']}"
    return lines


async def run(here: Place, path: Path, *options: str) -> tuple[int, str, str]:
    """Exit code, standard output and standard error of ``tidegraph ingest``."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "tidegraph.cli.main", "ingest", *options, str(path),
        env={**os.environ, **environment(here.settings)},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    try:
        out, error = await process.communicate()
    finally:
        with suppress(ProcessLookupError):
            process.kill()
    assert process.returncode is not None
    return process.returncode, out.decode(), error.decode()
