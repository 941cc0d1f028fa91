"""The GraphStore on FalkorDB."""

from __future__ import annotations

from tidegraph.domain.predicates import Registry
from tidegraph.settings import StoreSettings
from tidegraph.storage.connection import Connection
from tidegraph.storage.identity import IdentityReads
from tidegraph.storage.keeping import FalkorKeeping


class FalkorStore(FalkorKeeping, IdentityReads):
    """Both sides of the graphs of one FalkorDB server (``ports.GraphStore``)."""

    async def close(self) -> None:
        """Close the connection."""
        await self.connection.close()


def open_store(
    url: str, settings: StoreSettings, registry: Registry, dimensions: int, model_id: str
) -> FalkorStore:
    """A store on the server at ``url``.

    Args:
        registry: the predicate policies by which facts are derived again for callers who may not see
            all evidence.
        dimensions, model_id: of the encoder whose vectors the graphs hold.
    """
    connection = Connection(url, settings.graph_prefix, settings.query_timeout_ms)
    return FalkorStore(connection, registry, dimensions=dimensions, model_id=model_id)
