"""What a graph, that is a tenant, may be called."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from tidegraph.domain.errors import Rejected

_NAME: Final = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]{0,126}[A-Za-z0-9])?")


@lru_cache(maxsize=4_096)
def is_graph_name(graph: str) -> bool:
    """True for 1 to 128 letters, digits, ``_``, ``.`` and ``-`` that begin and end with a letter or digit."""
    return _NAME.fullmatch(graph) is not None


def check_graph_name(graph: str, **metadata: str) -> str:
    """The name itself.

    Raises:
        Rejected: INVALID_GRAPH, it cannot name a graph.
    """
    if not is_graph_name(graph):
        raise Rejected(
            "INVALID_GRAPH",
            f"{graph[:80]!r} cannot name a graph: use 1 to 128 of A-Z a-z 0-9 _ . - that begin and end with "
            "a letter or digit",
            **metadata,
        )
    return graph
