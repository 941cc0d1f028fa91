"""The in-memory twins of the stores: same contracts, same tests, nothing kept."""

from tidegraph.storage.memory.status import MemoryStatusStore
from tidegraph.storage.memory.writes import MemoryStore

__all__ = ["MemoryStatusStore", "MemoryStore"]
