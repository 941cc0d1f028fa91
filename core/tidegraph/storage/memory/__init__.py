"""The in-memory twin of the FalkorDB store: same contract, same tests, nothing kept."""

from tidegraph.storage.memory.writes import MemoryStore

__all__ = ["MemoryStore"]
