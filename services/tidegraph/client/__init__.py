"""The client: ``Client`` for asyncio, ``SyncClient`` for the rest. It knows only the generated API."""

from tidegraph.client.aio import Client
from tidegraph.client.errors import ApiError
from tidegraph.client.sync import SyncClient
from tidegraph.client.types import Answer, Citation, EntityInfo, Fact, FactHistoryRow, Hit, Options, Reading

__all__ = [
    "Answer",
    "ApiError",
    "Citation",
    "Client",
    "EntityInfo",
    "Fact",
    "FactHistoryRow",
    "Hit",
    "Options",
    "Reading",
    "SyncClient",
]
