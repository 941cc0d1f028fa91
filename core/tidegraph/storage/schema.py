"""Indexes and constraints of a graph: all of them before its first row.

A later index on a label rebuilds every index of that label, the vector index included, so a graph is
never served before all are there. Vectors live on labels of their own (``EventVector``,
``ChunkVector``) whose nodes are written once: any SET or DELETE of a node with an indexed vector
leaves a dead entry that keeps taking result slots.
"""

from __future__ import annotations

import asyncio
from typing import Any, Final

from tidegraph.domain.errors import Bug, Rejected, Retryable, TidegraphError
from tidegraph.storage.connection import Connection

SCHEMA_VERSION: Final = 1

NODE_INDEXES: Final[dict[str, tuple[str, ...]]] = {
    "Graph": ("id",),
    "Writer": ("id",),
    "Document": ("id", "document_id", "origin", "recorded_at"),
    "Chunk": ("id", "document_id", "origin"),
    "Event": ("id", "document_id", "origin", "start", "end"),
    "Entity": ("id", "key"),
    "Alias": ("id", "norm"),
    "Assertion": ("id", "key", "origin", "document_id", "subject", "object", "restricted"),
    "Value": ("id",),
    "Term": ("id",),
    "Change": ("id", "seq"),
    "Decision": ("id", "kind", "subject"),
    "Sighting": ("id", "entity_id", "keys", "document_id"),
    "Pair": ("id", "left", "right"),
    "EventVector": ("id",),
    "ChunkVector": ("id",),
}
EDGE_INDEXES: Final[dict[str, tuple[str, ...]]] = {
    "FACT": ("id", "key", "predicate", "subject", "object", "start"),
    "MENTIONS": ("entity", "start", "end"),
    "SAME_AS": ("id",),
    "REVIEW": ("id",),
}
# ``words`` is the text as the term builder cuts it, so that both sides see the same words in any script.
FULLTEXT: Final[dict[str, tuple[str, ...]]] = {
    "Event": ("words",),
    "Chunk": ("words",),
    "Alias": ("words",),
}
VECTOR_LABELS: Final = {"event": "EventVector", "chunk": "ChunkVector"}
UNIQUE: Final = tuple(NODE_INDEXES)

_VECTOR_OPTIONS: Final = (
    'OPTIONS {dimension: %d, similarityFunction: "cosine", M: 16, efConstruction: 200, efRuntime: 200}'
)
_WAIT_SECONDS: Final = 60.0


async def create(connection: Connection, graph: str, dimensions: int) -> None:
    """Create every index and constraint and return once all of them work. Safe to repeat."""
    for statement in statements(dimensions):
        await _ignore_existing(connection.write(graph, statement))
    for label in UNIQUE:
        await _ignore_existing(
            connection.command(
                "GRAPH.CONSTRAINT", "CREATE", connection.key(graph), "UNIQUE", "NODE", label,
                "PROPERTIES", "1", "id",
            )
        )  # fmt: skip
    await wait_until_operational(connection, graph)


def statements(dimensions: int) -> list[str]:
    """Every index of a graph as Cypher, a field at a time: one that is there refuses a whole statement."""
    found = [
        f"CREATE INDEX FOR (n:{label}) ON (n.{name})"
        for label, names in NODE_INDEXES.items()
        for name in names
    ]
    found += [
        f"CREATE INDEX FOR ()-[r:{label}]-() ON (r.{name})"
        for label, names in EDGE_INDEXES.items()
        for name in names
    ]
    found += [
        f"CALL db.idx.fulltext.createNodeIndex({{label: '{label}', language: 'english', stopwords: []}}, "
        f"'{name}')"
        for label, names in FULLTEXT.items()
        for name in names
    ]
    found += [
        f"CREATE VECTOR INDEX FOR (n:{label}) ON (n.v) {_VECTOR_OPTIONS % dimensions}"
        for label in VECTOR_LABELS.values()
    ]
    return found


async def _ignore_existing(call: Any) -> None:
    try:
        await call
    except TidegraphError as error:
        if "already indexed" not in str(error) and "already exists" not in str(error):
            raise


async def wait_until_operational(connection: Connection, graph: str) -> None:
    """Wait for indexes and constraints, which are built in the background.

    Raises:
        Bug: a constraint failed, that is: the graph holds two rows with one id.
        Retryable: not finished in a minute.
    """
    deadline = asyncio.get_running_loop().time() + _WAIT_SECONDS
    while True:
        indexes = await connection.read(graph, "CALL db.indexes() YIELD label, status RETURN label, status")
        rules = await connection.read(graph, "CALL db.constraints() YIELD label, status RETURN label, status")
        if any(status == "FAILED" for _, status in rules):
            raise Bug("CONSTRAINT_FAILED", f"graph {graph} holds two rows with one id; rebuild it")
        if len(rules) >= len(UNIQUE) and all(status == "OPERATIONAL" for _, status in indexes + rules):
            return
        if asyncio.get_running_loop().time() > deadline:
            raise Retryable("STORE_BUSY", f"the indexes of graph {graph} are still being built")
        await asyncio.sleep(0.01)


async def missing(connection: Connection, graph: str) -> set[str]:
    """Labels whose indexes are not all there: empty for a graph that may be served."""
    rows = await connection.read(graph, "CALL db.indexes() YIELD label, properties RETURN label, properties")
    present = {label: set(properties) for label, properties in rows}
    wanted: dict[str, set[str]] = {
        label: set(names) for label, names in (NODE_INDEXES | EDGE_INDEXES).items()
    }
    for label, names in FULLTEXT.items():
        wanted[label] |= set(names)
    for label in VECTOR_LABELS.values():
        wanted[label] |= {"v"}
    return {label for label, names in wanted.items() if not names <= present.get(label, set())}


def check_made_for(stored: tuple[int, str, int], wanted: tuple[int, str, int]) -> None:
    """Compare (schema version, model, dimensions) of a graph with those in use.

    Raises:
        Rejected: SCHEMA_CHANGED or ENCODER_CHANGED, the graph was made by another version or encoder.
    """
    if stored[0] != wanted[0]:
        raise Rejected(
            "SCHEMA_CHANGED",
            f"the graph has schema version {stored[0]}, this version of Tidegraph writes {wanted[0]}; "
            "rebuild the graph or run the version that made it",
        )
    if stored != wanted:
        raise Rejected(
            "ENCODER_CHANGED",
            f"the graph holds vectors of {stored[1]} ({stored[2]} dimensions), the encoder in use is "
            f"{wanted[1]} ({wanted[2]}); rebuild the graph or configure the former encoder",
        )
