"""Two processes that hash otherwise give the same answers to the same questions, byte for byte."""

from __future__ import annotations

import asyncio
import json
import os
import random
import subprocess
import sys
from pathlib import Path

from tests.integration.streams.feed import make_feed
from tests.ops.repository import ROOT

from tidegraph import settings as settings_module
from tidegraph.embedded.falkordb import EmbeddedFalkorDB
from tidegraph.streams.inprocess import InProcess

GRAPH = "works"


async def answers(url: str, hash_seed: str) -> list[tuple[str, str, str]]:
    """Name, digest and text of every answer of a process that hashes by this seed."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.integration.services.asking", url, GRAPH),
        cwd=ROOT,
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        stdout=subprocess.PIPE,
    )
    out, _ = await process.communicate()
    assert process.returncode == 0
    return [tuple(json.loads(line)) for line in out.decode().splitlines()]


async def test_answers_do_not_depend_on_how_a_process_hashes(tmp_path: Path, rng: random.Random) -> None:
    async with EmbeddedFalkorDB(tmp_path, append_fsync="no") as store:
        environment = {"TIDEGRAPH_FALKORDB_URL": store.url, "TIDEGRAPH_GRAPH": GRAPH}
        async with InProcess.on_store(settings_module.load(environment)) as pipeline:
            for entry in make_feed(rng, 120):
                await pipeline.append(entry.key, entry.value, entry.headers, entry.known_at)
            await pipeline.settle()
        one, other = [await answers(store.url, seed) for seed in ("1", "2")]
    assert len(one) > 100
    assert {name.split()[0] for name, *_ in one} >= {"Ask", "Retrieve", "Walk", "GetTimeline", "Trace"}
    differing = [
        f"{name}\n{text}\n--- by another seed\n{otherwise}"
        for (name, digest, text), (_, again, otherwise) in zip(one, other, strict=True)
        if digest != again
    ]
    assert differing == []
