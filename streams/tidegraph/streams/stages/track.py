"""The track stage: status lines become each document's state and each graph's watermark.

All lines about one partition of documents or of decisions arrive in one partition of ``status``, in the
order in which they were told; a read mark therefore comes after what it covers, and a decision's outcome
after the lines of what it sends through the stages once more.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from tidegraph.domain.errors import Rejected
from tidegraph.log.codecs import decode
from tidegraph.log.keys import position_key
from tidegraph.log.status import HELD, READ_TO, Outcome, Stage, StatusRecord
from tidegraph.log.topics import Topic
from tidegraph.ports import DocumentStatus, LogRecord, StatusStore
from tidegraph.streams.holds import life_of
from tidegraph.streams.progress import ProgressStore, ReadMark

logger = logging.getLogger(__name__)

_DONE = frozenset({Outcome.COMMITTED, Outcome.RETRACTED})
LOST: Final = "LOG_BEGAN_ANEW"
"""The cause of a document whose topic began anew before it had come to its end: it is to be sent again."""
_READ = (Topic.DOCUMENTS, Topic.CONTROL)
"""Where what changes belief enters."""


class Tracker:
    """Folds batches of ``status``; folding a line twice changes nothing."""

    stage = Stage.TRACK

    def __init__(self, store: StatusStore, progress: ProgressStore) -> None:
        self._store = store
        self._progress = progress
        self._lives: dict[tuple[str, int], str] = {}

    async def fold(self, records: Sequence[LogRecord]) -> None:
        """Fold the lines of a batch, in order.

        Raises:
            Retryable: the store is away; fold the batch again.
        """
        lines = [line for record in records if (line := _read(record)) is not None]
        documents = [line for line in lines if line.stage not in (READ_TO, HELD)]
        await self._progress.add_graphs(sorted({line.graph for line in documents if line.graph}))
        last = {line.position: line for line in lines if line.stage == HELD}
        statuses = [await self._status(line) for line in documents]
        statuses += [await self._status(line) for line in last.values() if not line.outcome]
        if statuses:
            await self._store.put(statuses)
        if gone := [line.position for line in last.values() if line.outcome]:
            await self._store.forget(gone)
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
        marked = await self._progress.read_marks()
        lives = {at: mark.life for at, mark in marked.items()}
        if lives != self._lives and await self._give_up(marked):
            self._lives = lives
        read = [mark for topic in _READ for mark in _marks_of(topic, marked)]
        if None not in read:
            for graph in await self._progress.graphs():
                await self._store.advance(graph, min(mark.read_to for mark in read if mark))

    async def _give_up(self, marked: Mapping[tuple[str, int], ReadMark]) -> bool:
        """What was under way in an earlier life of its topic, all of it read since, does not come any more.

        Should a worker hold it all the same, the outcome that it tells is the later one, and stays. True when
        nothing of an earlier life is left.
        """
        waiting = 0
        for graph in await self._progress.graphs():
            for line in await self._store.in_progress(graph):
                mark = marked.get((line.position.topic, line.position.partition))
                if mark is None or life_of(line.position) == mark.life:
                    continue
                if line.recorded_at > mark.read_to:
                    waiting += 1
                elif line.stage == HELD:
                    await self._store.forget([line.position])
                else:
                    await self._store.put([replace(line, outcome=str(Outcome.DEAD_LETTER), cause=LOST)])
        return not waiting


def _marks_of(topic: str, marked: Mapping[tuple[str, int], ReadMark]) -> list[ReadMark | None]:
    """The mark of each partition that the topic has: as many as its first one was told with."""
    one = marked.get((topic, 0))
    return [marked.get((topic, partition)) for partition in range(one.partitions if one else 1)]


def _read(record: LogRecord) -> StatusRecord | None:
    try:
        return decode(StatusRecord, record.value or b"")
    except Rejected as error:
        # A status line is derived data: a broken one is told to the operator and left out.
        logger.error("status %d/%d cannot be read: %s", record.partition, record.offset, error)
        return None
