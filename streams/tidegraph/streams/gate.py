"""Whether a stage may take work, and whether it has any."""

from __future__ import annotations

import asyncio


class Gate:
    """Closed while a worker drains. ``idle`` is set when no batch is under way."""

    def __init__(self) -> None:
        self.idle = asyncio.Event()
        self.idle.set()
        self._open = asyncio.Event()
        self._open.set()

    def close(self) -> None:
        """Take no further batch."""
        self._open.clear()

    async def enter(self) -> None:
        """Wait until a batch may be taken, and mark it as under way."""
        await self._open.wait()
        self.idle.clear()

    def leave(self) -> None:
        """The batch is acknowledged."""
        self.idle.set()
