"""Both brokers, and every feed ingested once on each."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio
from tests.integration.feeds.ingesting import Line, ingest, write_feeds
from tests.integration.feeds.revisions import FOLDER, Feed, feeds
from tests.integration.streams.conftest import broker, here, store
from tests.integration.streams.harness import Broker, Place, place

from tidegraph.embedded.falkordb import EmbeddedFalkorDB

__all__ = ["broker", "here", "store"]


@dataclass(frozen=True, slots=True)
class Fed:
    """A place into which every feed was ingested undisturbed; the worker is gone."""

    here: Place
    feeds: tuple[Feed, ...]
    files: Path
    lines: tuple[Line, ...]


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def fed(
    broker: Broker, store: EmbeddedFalkorDB, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Fed]:
    folder = tmp_path_factory.mktemp("fed")
    found = feeds(FOLDER)
    async with place(broker, store, folder) as here:
        async with here.worker():
            files = write_feeds(found, folder / "feeds")
            lines = await ingest(here, files)
        yield Fed(here, tuple(found), files, tuple(lines))
