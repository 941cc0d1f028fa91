"""Who calls, and which graph and labels that binds: read from the call's metadata.

Without tokens the server listens on loopback only, and a caller may name the graph and the access labels
to read with. Nothing in a request message ever picks the graph.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from tidegraph.domain.errors import Rejected
from tidegraph.domain.graphs import check_graph_name

GRAPH_HEADER: Final = "tidegraph-graph"
LABELS_HEADER: Final = "tidegraph-labels"
REQUEST_ID_HEADER: Final = "x-request-id"
LABELS_MAX: Final = 64
_REQUEST_ID: Final = re.compile(r"[A-Za-z0-9_.\-]{1,64}")


@dataclass(frozen=True, slots=True)
class Caller:
    """``labels`` None sees everything; an empty set sees only what carries no label."""

    graph: str
    labels: frozenset[str] | None
    request_id: str


def read_caller(metadata: Iterable[tuple[str, str | bytes]], default_graph: str, fallback_id: str) -> Caller:
    """The caller of a call.

    Raises:
        Rejected: INVALID_GRAPH or INVALID_LABELS.
    """
    values = {name: value for name, value in metadata if isinstance(value, str)}
    graph = check_graph_name(values.get(GRAPH_HEADER, "") or default_graph, field=GRAPH_HEADER)
    given = values.get(REQUEST_ID_HEADER, "")
    request_id = given if _REQUEST_ID.fullmatch(given) else fallback_id
    return Caller(graph=graph, labels=_labels(values.get(LABELS_HEADER)), request_id=request_id)


def _labels(value: str | None) -> frozenset[str] | None:
    if value is None:
        return None
    labels = frozenset(part.strip() for part in value.split(",") if part.strip())
    if len(labels) > LABELS_MAX:
        message = f"at most {LABELS_MAX} labels may be given, not {len(labels)}"
        raise Rejected("INVALID_LABELS", message, field=LABELS_HEADER)
    return labels
