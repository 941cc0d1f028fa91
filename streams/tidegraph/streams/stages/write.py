"""The write stage: resolved documents and decisions into their graph, in fenced commits.

Here a fact is closed: what a document says is planned against all evidence under the same conflict keys
(``tidegraph.domain.belief``) and the graph is brought to it. Unlike the stages before it, this one is
handed whole batches of one graph and tells the caller when to rewind.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, replace

from tidegraph.domain.documents import DocumentHeader, ExtractedDocument, Position, ResolvedDocument
from tidegraph.domain.errors import Rejected, TidegraphError
from tidegraph.domain.graphs import check_graph_name
from tidegraph.domain.interval import EXACT_MICROS_MAX, MICROS_PER_DAY, Granularity
from tidegraph.events.v1 import records_pb2
from tidegraph.log.codecs import decode_resolved
from tidegraph.log.keys import split_key
from tidegraph.log.status import Outcome, Stage, StatusRecord
from tidegraph.ports import ChangeRow, Clock
from tidegraph.storage.codec import floor_time
from tidegraph.streams.flow import Input, Subject, status_line
from tidegraph.streams.writing.control import Control, Decide, header_of
from tidegraph.streams.writing.planning import Item, Retract
from tidegraph.streams.writing.writer import GraphWriter, Mended


@dataclass(frozen=True, slots=True)
class WriteResult:
    """What came of a batch of one graph: lines for ``status``, records to bury, lines of the feed.

    ``changes`` are those of the commits of this call, ``sequence`` is the graph's after it. After a crash
    the graph may hold changes that were never published: publish from what was published last, read by
    sequence (``GraphReader.changes``). A status line is about one part of a document.
    """

    graph: str
    changes: tuple[ChangeRow, ...]
    sequence: int
    statuses: tuple[StatusRecord, ...]
    rejected: tuple[tuple[Input, TidegraphError], ...]
    mended: tuple[Mended, ...] = ()


class WriteStage:
    """``resolved`` to the graphs. One writer at a time owns a graph: one partition, one worker."""

    stage = Stage.WRITE

    def __init__(self, writer: GraphWriter, clock: Clock) -> None:
        self.writer = writer
        self._clock = clock

    def by_graph(self, batch: Sequence[Input]) -> dict[str, list[Input]]:
        """A batch by the graph that each record belongs to, in the order of the log."""
        groups: dict[str, list[Input]] = {}
        for item in batch:
            groups.setdefault(_graph_of(item), []).append(item)
        return groups

    async def write(self, graph: str, batch: Sequence[Input]) -> WriteResult:
        """Take the records of one graph and one partition in.

        Raises:
            Retryable: the store is away; call again with the same records.
            Conflicted: rewind the partition to what the store says is applied, and hand in from there.
        """
        inputs = {item.record.offset: item for item in batch}
        items, rejected = await asyncio.to_thread(_decoded, graph, batch, self.writer.control)
        if not items:
            return WriteResult(graph, (), 0, (), tuple(rejected))
        written = await self.writer.write(graph, partition_name(batch[0]), items)
        now = self._clock.now()
        statuses = []
        for ending in written.endings:
            if ending.error is not None:
                rejected.append((inputs[ending.item.offset], ending.error))
            else:
                subject = Subject.of(ending.item.header)
                outcome = Outcome(ending.ended)
                statuses.append(status_line(subject, self.stage, now, outcome=outcome))
        rejected.sort(key=lambda pair: pair[0].record.offset)
        return WriteResult(
            graph, written.changes, written.sequence, tuple(statuses), tuple(rejected), written.mended
        )

    def decision(self, graph: str, item: Input) -> Decide:
        """The decision that a record carries, with where it entered.

        Raises:
            Rejected: it carries none, or one that cannot be carried out.
        """
        content = _item(graph, item, self.writer.control).content
        if not isinstance(content, Decide):
            raise Rejected("NO_DECISION", "the record carries no decision")
        return content

    def retracted(self, item: Input) -> tuple[str, int]:
        """The document that a decision retracts, and its recorded time; ("", 0) where it cannot be read."""
        try:
            content = decode_resolved(item.record.value or b"")
        except Rejected:
            return "", 0
        assert isinstance(content, records_pb2.ControlRecord)
        return content.retraction.document_id, content.recorded_at

    def subject(self, item: Input) -> Subject:
        """The document that a record is about, as far as it can be read."""
        try:
            content = decode_resolved(item.record.value or b"")
        except Rejected:
            return Subject(item.position, _graph_of(item), "", "", 0, 1, 1)
        if isinstance(content, ResolvedDocument):
            return Subject.of(content.document.header)
        return Subject(where(content, item), content.graph, "", "", content.recorded_at, 1, 1)


def where(control: records_pb2.ControlRecord, item: Input) -> Position:
    """Where a decision entered: its place in ``control``, else that of the record."""
    at = control.position
    return Position(at.topic, at.partition, at.offset, at.incarnation) if at.topic else item.position


def partition_name(item: Input) -> str:
    """The name of a fence: one partition in one life of ``resolved``."""
    return f"{item.incarnation}/{item.record.partition}"


def _graph_of(item: Input) -> str:
    try:
        return split_key(item.record.key or b"")[0]
    except (Rejected, ValueError, IndexError):
        return ""


def _decoded(
    graph: str, batch: Sequence[Input], control: Control
) -> tuple[list[Item], list[tuple[Input, TidegraphError]]]:
    items: list[Item] = []
    rejected: list[tuple[Input, TidegraphError]] = []
    for item in batch:
        try:
            items.append(_item(graph, item, control))
        except TidegraphError as error:
            rejected.append((item, error))
    return items, rejected


def _item(graph: str, item: Input, control: Control) -> Item:
    if item.record.value is None:
        raise Rejected("NULL_RECORD", "a record of `resolved` has no value")
    check_graph_name(graph)
    content = decode_resolved(item.record.value)
    if isinstance(content, ResolvedDocument):
        _check_header(graph, content.document.header)
        return Item(item.record.offset, storable(content.document))
    if content.graph != graph:
        raise Rejected("WRONG_GRAPH", f"a decision on {content.graph!r} is keyed by graph {graph!r}")
    return Item(item.record.offset, _decision(item, content, control))


def storable(document: ExtractedDocument) -> ExtractedDocument:
    """The document with a document time that the store can compare: outside 1684 to 2255 the day."""
    time = document.header.document_time
    if time is None or floor_time(time.instant) == time.instant:
        return document
    day = replace(time, instant=floor_time(time.instant), granularity=max(time.granularity, Granularity.DAY))
    return replace(document, header=replace(document.header, document_time=day))


def _check_header(graph: str, header: DocumentHeader) -> None:
    if header.graph != graph:
        raise Rejected("WRONG_GRAPH", f"a document of graph {header.graph!r} is keyed by {graph!r}")
    if not header.document_id:
        raise Rejected("NO_DOCUMENT_ID", "a document has no id")
    _check_stamp(header.recorded_at)
    if header.parts < 1:
        raise Rejected("INVALID_PARTS", "a document has at least one part")


def _check_stamp(recorded_at: int) -> None:
    if abs(recorded_at) > EXACT_MICROS_MAX and recorded_at % MICROS_PER_DAY:
        message = "recorded_at must be a whole day outside 1684 to 2255: the store compares no finer there"
        raise Rejected("INVALID_STAMP", message)


def _decision(item: Input, record: records_pb2.ControlRecord, control: Control) -> Retract | Decide:
    """A decision that the writer carries out.

    Raises:
        Rejected: NOT_SUPPORTED, a kind that this version does not carry out; INVALID_DECISION.
    """
    if record.WhichOneof("decision") != "retraction":
        decision = control.read(record, where(record, item))
        _check_stamp(record.recorded_at)
        return decision
    header = header_of(record, where(record, item))
    _check_header(record.graph, header)
    return Retract(header, bool(record.retraction.revision), record.control_id)
