"""A graph built beside the one that is served, and put in its place in one step.

Both have the same name; the one that is being built lies under a key that no reader looks at. Whoever
follows the changes of a graph by sequence goes on where they were: the graph that takes over carries the
changes and the sequence of the one that it replaces.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final, Self

from tidegraph.domain.errors import NotFound
from tidegraph.ports import ChangeRow
from tidegraph.storage import queries, rows
from tidegraph.storage.codec import Value
from tidegraph.storage.writes import FalkorWrites

BESIDE: Final = "~"
"""Put before the name of a graph that is being built: no graph may be called so."""
_ROWS: Final = 2_000


class FalkorKeeping(FalkorWrites):
    """Builds, drops and exchanges whole graphs (``ports.GraphKeeper``)."""

    def beside(self) -> Self:
        """A store on the same server for graphs of the same names that nobody reads yet."""
        return type(self)(
            self.connection.under(self.connection.prefix + BESIDE),
            self.registry,
            dimensions=self.dimensions,
            model_id=self.model_id,
        )

    async def drop(self, graph: str) -> None:
        """Remove a graph, if there is one, and give its memory back."""
        try:
            await self.connection.command("GRAPH.DELETE", self.connection.key(graph))
        except NotFound:
            return

    async def writers(self, graph: str) -> Mapping[str, int]:
        """The offset of every partition of ``resolved`` that was written to the graph; none: no graph."""
        try:
            return dict(await self.connection.read(graph, queries.WRITERS))
        except NotFound:
            return {}

    async def inherit(
        self, graph: str, sequence: int, offsets: Mapping[str, int], changes: Sequence[ChangeRow]
    ) -> None:
        """Make a graph that was built anew the successor of the one that it replaces.

        The writers go first, and the mark of the build with them: who is interrupted after that builds anew,
        and never goes on with a graph of which the changes are cut.

        Args:
            sequence: the number of its last commit.
            offsets: how far it has applied each partition of ``resolved``.
            changes: what was told of the graph so far, with the sequence at which it was told.
        """
        values: dict[str, Value] = {
            "sequence": sequence,
            "writers": [{"id": partition, "offset": offset} for partition, offset in offsets.items()],
        }
        await self.connection.write(graph, queries.INHERIT, values)
        while (await self.connection.write(graph, queries.DROP_CHANGES, {"limit": _ROWS}))[0][0]:
            pass
        for start in range(0, len(changes), _ROWS):
            page: list[Any] = [
                {"row": rows.change_row(change), "seq": change.sequence}
                for change in changes[start : start + _ROWS]
            ]
            await self.connection.write(graph, queries.KEEP_CHANGES, {"changes": page})

    async def take_place(self, graph: str, built: Self) -> None:
        """Serve the graph that ``built`` holds instead of the present one; readers see the one or the other.

        Raises:
            NotFound: nothing was built.
        """
        if graph not in await built.connection.graphs():
            raise NotFound("GRAPH_NOT_FOUND", f"no graph {graph} was built")
        await self.connection.command("RENAME", built.connection.key(graph), self.connection.key(graph))
