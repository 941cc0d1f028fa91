"""How far ``documents`` and ``control`` are read, told at intervals, so that the watermark moves on when
nothing comes.

A partition that was read to its end advances with the broker's time: the line told in the round before
came back with the broker's stamp, and a fetch after that found nothing new. From then on no record of
the partition is given an earlier stamp, whatever the clocks do.
"""

from __future__ import annotations

import asyncio
import logging
import time
from dataclasses import dataclass, field
from typing import Final

from faust.types import TP

from tidegraph.domain.documents import Position
from tidegraph.domain.interval import OPEN_START
from tidegraph.log.codecs import encode
from tidegraph.log.headers import stamped
from tidegraph.log.keys import position_key
from tidegraph.log.status import READ_TO, StatusRecord
from tidegraph.log.topics import Topic, topic_name
from tidegraph.ports import Clock
from tidegraph.streams.app import StageApp
from tidegraph.streams.intake import Intake
from tidegraph.streams.sink import PartitionedLog

logger = logging.getLogger(__name__)

INTERVAL_SECONDS: Final = 1.0


@dataclass(slots=True)
class _Beat:
    """What the last told line of a partition came back with."""

    broker_time: int = OPEN_START
    told_at: float = 0.0
    read_to: int = OPEN_START


@dataclass(slots=True)
class Pulse:
    """Tells the read marks of the partitions of ``topic`` that this worker reads."""

    app: StageApp
    intake: Intake
    log: PartitionedLog
    prefix: str
    clock: Clock
    topic: Topic
    _beats: dict[int, _Beat] = field(default_factory=dict)
    _starts: dict[int, int] = field(default_factory=dict)

    def reset(self) -> None:
        """The assignment changed."""
        self._beats.clear()
        self._starts.clear()

    async def run(self) -> None:
        """Tell, for ever; what fails is told in the next round."""
        while True:
            await asyncio.sleep(INTERVAL_SECONDS)
            try:
                await self.beat()
            except Exception as error:
                logger.debug("read marks wait: %s", error)

    async def beat(self) -> None:
        """One round over the assigned partitions."""
        name = topic_name(self.topic, self.prefix)
        for partition in sorted(self.app.consumer.assignment()):
            if partition.topic == name:
                await self._tell(partition)

    async def _tell(self, partition: TP) -> None:
        number = partition.partition
        beat = self._beats.setdefault(number, _Beat())
        marks = [beat.read_to]
        finished = self.intake.finished_stamp(self.topic, number)
        if finished is not None:
            marks.append(finished - 1)  # another record of the very stamp may still come
        if await self._is_read_to_end(partition, beat):
            await self.intake.lift(self.topic, number, beat.broker_time)
            if await self._is_read_to_end(partition, beat):  # nothing came in before the promise held
                marks.append(beat.broker_time - 1)
        beat.read_to = max(marks)
        beat.broker_time = await self._write(number, beat.read_to)
        beat.told_at = time.time()

    async def _is_read_to_end(self, partition: TP, beat: _Beat) -> bool:
        """Whether a fetch after the last line showed nothing that is not finished."""
        if partition.partition not in self._starts:
            self._starts[partition.partition] = await self.app.start_of(partition)
        done = self.intake.done(self.topic, partition.partition)
        next_offset = self._starts[partition.partition] if done is None else done
        fetched = self.app.fetched_at(partition)
        return 0 < beat.told_at < fetched and self.app.consumer.highwater(partition) == next_offset

    async def _write(self, number: int, read_to: int) -> int:
        life = await self.intake.life(self.topic)
        position = Position(str(self.topic), number, self.intake.done(self.topic, number) or 0, life)
        line = StatusRecord(
            position=position,
            graph="",
            document_id="",
            revision="",
            stage=READ_TO,
            outcome="",
            cause="",
            recorded_at=read_to,
            updated_at=self.clock.now(),
            part=0,
            parts=await self.log.partition_count(self.topic),
        )
        target = number % await self.log.partition_count(Topic.STATUS)
        return await self.log.write(
            Topic.STATUS, position_key(position), encode(line), stamped((), READ_TO), target
        )
