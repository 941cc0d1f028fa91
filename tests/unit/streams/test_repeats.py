"""What is handed on once more after retractions holds its place under the decision that it belongs to."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from typing import cast

from tidegraph.domain.documents import Position
from tidegraph.events.v1 import records_pb2
from tidegraph.log.status import StatusRecord
from tidegraph.log.topics import Topic
from tidegraph.ports import Log, LogRecord
from tidegraph.streams.flow import Input, Output, Result, Sink
from tidegraph.streams.repeats import Repeater, Retracted
from tidegraph.streams.stages.resolve import ResolveHandler

GRAPH = "g"


def _extracted(offset: int, name: str, recorded_at: int) -> LogRecord:
    message = records_pb2.ExtractedDocument()
    message.header.graph, message.header.document_id = GRAPH, name
    message.header.recorded_at = recorded_at
    return LogRecord("extracted", 0, offset, 0, name.encode(), message.SerializeToString(), ())


@dataclass
class Around:
    """The log that is read, the stage that resolves, and the sink."""

    records: list[LogRecord]
    held: list[StatusRecord] = field(default_factory=list)
    written: list[Output] = field(default_factory=list)

    async def read(self, topic: str) -> AsyncIterator[LogRecord]:
        for record in self.records:
            yield record

    async def handle(self, item: Input) -> Result:
        key = item.record.key or b""
        return Result((Output(Topic.RESOLVED, key, item.record.value, (), key),), ())

    async def tell(self, lines: Sequence[StatusRecord]) -> None:
        self.held += lines

    async def write(self, outputs: Sequence[Output]) -> None:
        self.written += outputs

    def repeater(self) -> Repeater:
        return Repeater(cast(Log, self), cast(ResolveHandler, self), cast(Sink, self))


async def test_the_places_held_do_not_hang_on_how_a_batch_is_cut() -> None:
    records = [_extracted(0, "a", 5), _extracted(1, "b", 30), _extracted(2, "a", 40), _extracted(3, "c", 50)]
    retracted = {
        "a": Retracted(10, Position("control", 0, 7, "life")),
        "b": Retracted(20, Position("control", 0, 8, "life")),
    }
    together = Around(records)
    assert await together.repeater().run(GRAPH, retracted) == 2
    assert [output.key for output in together.written] == [b"b", b"a"]
    apart = Around(records)
    for name, decision in retracted.items():
        await apart.repeater().run(GRAPH, {name: decision})
    assert {(line.position, line.recorded_at) for line in together.held} == {
        (line.position, line.recorded_at) for line in apart.held
    }
    assert sorted(line.recorded_at for line in together.held) == [10, 20]
