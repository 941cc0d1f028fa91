"""What the writer's commits changed, in numbers: by action, and for each document how far it reached."""

from __future__ import annotations

import logging
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Final

from tidegraph.log.status import StatusRecord
from tidegraph.ports import ChangeRow
from tidegraph.telemetry import metrics

logger = logging.getLogger(__name__)

INVALIDATING: Final = frozenset({"bounded", "superseded", "retracted"})
"""Actions after which less is believed than before."""


def account(
    graph: str, changes: Iterable[ChangeRow], documents: Sequence[StatusRecord], burst_facts: int
) -> None:
    """Count what a batch of one graph changed.

    A change belongs to the document whose recorded time it has; one that lies at the stamp of an earlier
    document, because what came late moves what was believed then, to the last document before it.

    Args:
        documents: the status lines of what the batch took in.
        burst_facts: a document that invalidates more facts than this is reported.
    """
    changes = list(changes)
    for action, count in Counter(change.action for change in changes).items():
        metrics.FACT_CHANGES.labels(action).inc(count)
    taken_in = sorted({(each.recorded_at, each.document_id, each.revision) for each in documents})
    if not taken_in:
        return
    reached = Counter(
        _cause(taken_in, change.recorded_at) for change in changes if change.action in INVALIDATING
    )
    for place, (_, document_id, revision) in enumerate(taken_in):
        metrics.INVALIDATIONS.observe(reached[place])
        if reached[place] > burst_facts:
            metrics.INVALIDATION_BURSTS.inc()
            logger.warning(
                "document %r (revision %r) of graph %s invalidated %d facts", document_id, revision, graph,
                reached[place],
            )  # fmt: skip


def _cause(taken_in: Sequence[tuple[int, str, str]], instant: int) -> int:
    return max(0, bisect_right(taken_in, instant, key=lambda document: document[0]) - 1)
