"""Reading what changed in a graph, commit by commit."""

from __future__ import annotations

from typing import Final

from tidegraph.ports import ChangeRow, GraphReader

_GROWTH: Final = 4


async def whole_commits(reader: GraphReader, graph: str, after: int, limit: int) -> list[ChangeRow]:
    """The changes of the commits after the sequence ``after``: about ``limit``, never a part of a commit.

    Whoever goes on after the sequence of the last row has missed nothing.
    """
    while True:
        rows = await reader.changes(graph, after, limit)
        if len(rows) < limit:
            return rows
        whole = [row for row in rows if row.sequence < rows[-1].sequence]
        if whole:
            return whole
        limit *= _GROWTH
