"""Both stores under one contract: the in-memory twin, and FalkorDB from its wheel."""

from __future__ import annotations

import itertools
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest
import pytest_asyncio
from tests.contracts.samples import DIMENSIONS

from tidegraph.domain.predicates import Registry
from tidegraph.embedded.falkordb import EmbeddedFalkorDB
from tidegraph.ports import GraphStore
from tidegraph.settings import StoreSettings
from tidegraph.storage.falkor import FalkorStore, open_store
from tidegraph.storage.memory import MemoryStore

_numbers = itertools.count(1)
REGISTRY = """
[[predicate]]
name = "holds_role"
label = "is {role} of"
cardinality = "one_per_object"
per = ["role"]
object = "entity"

[[predicate]]
name = "has_value"
label = "is"
cardinality = "one"
object = "literal"
"""


@pytest.fixture(scope="session")
def registry() -> Registry:
    return Registry.parse(REGISTRY)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def falkordb_url(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[str]:
    folder: Path = tmp_path_factory.mktemp("falkordb")
    async with EmbeddedFalkorDB(folder, append_fsync="no") as server:
        yield server.url


@pytest.fixture
async def falkor(falkordb_url: str, registry: Registry) -> AsyncIterator[FalkorStore]:
    settings = StoreSettings(url="", graph_prefix=f"test{next(_numbers)}:", query_timeout_ms=10_000)
    store = open_store(falkordb_url, settings, registry, DIMENSIONS, "test-encoder")
    yield store
    for graph in await store.graphs():
        await store.connection.command("GRAPH.DELETE", store.connection.key(graph))
    await store.close()


@pytest.fixture
def memory(registry: Registry) -> MemoryStore:
    return MemoryStore(registry, DIMENSIONS, "test-encoder")


@pytest.fixture
def fresh_memory(registry: Registry) -> Callable[[], MemoryStore]:
    return lambda: MemoryStore(registry, DIMENSIONS, "test-encoder")


@pytest.fixture(params=["memory", "falkor"])
def store(request: pytest.FixtureRequest) -> GraphStore:
    """Each store in turn."""
    chosen: GraphStore = request.getfixturevalue(request.param)
    return chosen


@pytest.fixture
async def graph(store: GraphStore) -> str:
    """A prepared, empty graph."""
    await store.prepare("tenant")
    return "tenant"
