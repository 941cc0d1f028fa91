"""The track stage: status lines become each document's state and each graph's watermark.

All lines about one partition of documents arrive in one partition of ``status``, in the order in which
they were told; a read mark therefore comes after the documents that it covers.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

from tidegraph.domain.errors import Rejected
from tidegraph.log.codecs import decode
from tidegraph.log.keys import position_key
from tidegraph.log.status import READ_TO, Outcome, Stage, StatusRecord
from tidegraph.ports import DocumentStatus, LogRecord, StatusStore
from tidegraph.streams.progress import ProgressStore

logger = logging.getLogger(__name__)

_DONE = frozenset({Outcome.COMMITTED, Outcome.RETRACTED})


class Tracker:
    """Folds batches of ``status``; folding a line twice changes nothing."""

    stage = Stage.TRACK

    def __init__(self, store: StatusStore, progress: ProgressStore) -> None:
        self._store = store
        self._progress = progress

    async def fold(self, records: Sequence[LogRecord]) -> None:
        """Fold the lines of a batch, in order.

        Raises:
            Retryable: the store is away; fold the batch again.
        """
        lines = [line for record in records if (line := _read(record)) is not None]
        documents = [line for line in lines if line.stage != READ_TO]
        await self._progress.add_graphs(sorted({line.graph for line in documents if line.graph}))
        statuses = [await self._status(line) for line in documents]
        if statuses:
            await self._store.put(statuses)
        marks = [line for line in lines if line.stage == READ_TO]
        if marks:
            await self._advance(marks)

    async def _status(self, line: StatusRecord) -> DocumentStatus:
        outcome = line.outcome
        if outcome in _DONE and line.parts > 1:
            done = await self._progress.part_done(position_key(line.position).decode(), line.part)
            if done < line.parts:
                outcome = Outcome.NONE
        return DocumentStatus(
            position=line.position,
            graph=line.graph,
            document_id=line.document_id,
            revision=line.revision,
            stage=line.stage,
            outcome=str(outcome),
            cause=line.cause,
            recorded_at=line.recorded_at,
            updated_at=line.updated_at,
        )

    async def _advance(self, marks: Sequence[StatusRecord]) -> None:
        """Everything up to the least read partition is read; before each one has a mark, nothing is."""
        await self._progress.mark_read(marks)
        read = await self._progress.read_marks()
        partitions = marks[-1].parts
        present = [stamp for partition, stamp in read.items() if partition < partitions]
        if len(present) == partitions:
            for graph in await self._progress.graphs():
                await self._store.advance(graph, min(present))


def _read(record: LogRecord) -> StatusRecord | None:
    try:
        return decode(StatusRecord, record.value or b"")
    except Rejected as error:
        # A status line is derived data: a broken one is told to the operator and left out.
        logger.error("status %d/%d cannot be read: %s", record.partition, record.offset, error)
        return None
