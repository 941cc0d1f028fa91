"""Whether there is such a graph: a name with a slip of the pen is told, and nothing is done for it."""

from __future__ import annotations

from tidegraph.domain.errors import NotFound
from tidegraph.services.caller import Caller
from tidegraph.services.usecases.context import Ports


async def known_graph(ports: Ports, caller: Caller) -> None:
    """Look for the caller's graph: it holds something, or documents of it are on their way or were refused.

    Raises:
        NotFound: GRAPH_NOT_FOUND.
    """
    try:
        await ports.store.made(caller.graph)
    except NotFound:
        if not any((await ports.status.summary(caller.graph)).values()):
            raise
