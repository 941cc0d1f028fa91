"""What was sent again after a retraction, when the retraction comes late.

A revision that is sent again counts anew if it was withdrawn in between, else it is a copy and changes
nothing. A retraction by a decision takes another way than the documents: copies that were recorded after
it may have been taken in before it, as copies of what it now withdraws. They are handed on once more;
those that are no copies any more count from their own recorded time, the others change nothing.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from dataclasses import dataclass, replace

from google.protobuf.message import DecodeError

from tidegraph.domain.documents import Position
from tidegraph.domain.errors import Rejected
from tidegraph.events.v1 import records_pb2
from tidegraph.log.headers import HELD
from tidegraph.log.topics import Topic
from tidegraph.ports import Log, LogRecord
from tidegraph.streams.flow import Input, Output, Sink
from tidegraph.streams.holds import header_of, hold, place_of
from tidegraph.streams.stages.resolve import ResolveHandler


async def recorded_after(
    records: AsyncIterator[LogRecord], graph: str, retracted: Mapping[str, int]
) -> AsyncIterator[tuple[LogRecord, str]]:
    """Those records of ``extracted`` whose document was recorded after its retraction, in order, with its id.

    Args:
        retracted: when each document was retracted first, by id; microseconds.
    """
    if not retracted:
        return
    async for record in records:
        message = records_pb2.ExtractedDocument()
        try:
            message.ParseFromString(record.value or b"")
        except DecodeError:
            continue
        header = message.header
        if header.graph == graph and header.recorded_at > retracted.get(header.document_id, 1 << 62):
            yield record, header.document_id


@dataclass(frozen=True, slots=True)
class Retracted:
    """The decision that retracts a document first: its recorded time (microseconds), and where it entered."""

    recorded_at: int
    position: Position


@dataclass(frozen=True, slots=True)
class Repeater:
    """Hands documents on to the writer once more."""

    log: Log
    resolve: ResolveHandler
    sink: Sink

    async def run(self, graph: str, retracted: Mapping[str, Retracted]) -> int:
        """Hand on what was recorded after the retractions, by id of the document; how many records.

        Nothing that a decision changes is final until all that it handed on has come to its end. A place is
        held for each under its own decision, so that a batch that is cut otherwise holds the same places.

        Raises:
            Retryable: the log is away; nothing is lost by doing it again.
        """
        count = 0
        times = {document_id: one.recorded_at for document_id, one in retracted.items()}
        async for record, document_id in recorded_after(self.log.read(Topic.EXTRACTED), graph, times):
            try:
                result = await self.resolve.handle(Input(record, "", 0))
            except Rejected:
                continue  # it was refused when it came, too
            decision = retracted[document_id]
            place = place_of(decision.position, "again", record.partition, record.offset)
            await self.sink.tell([hold(place, graph, decision.recorded_at)])
            await self.sink.write([_held(output, place) for output in result.outputs])
            count += 1
        return count


def _held(output: Output, place: Position) -> Output:
    """The output with this place held for it, instead of one that was held when it came first."""
    kept = tuple(each for each in output.headers if each[0] != HELD)
    return replace(output, headers=(*kept, header_of(place)))
