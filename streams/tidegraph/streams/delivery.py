"""The write stage's loop: a batch of one partition into its graphs, then told, published, and noted.

The order is the guarantee: the store has it before anybody is told, and its offset moves on last. What
a stopped worker left half done is read again, changes nothing in the graph, and is told again.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

from tidegraph.domain.documents import ExtractedDocument
from tidegraph.domain.errors import Conflicted, Rejected, Retryable
from tidegraph.events.v1 import records_pb2
from tidegraph.log.codecs import encode
from tidegraph.log.headers import DECISION, first, stamped
from tidegraph.log.keys import document_key, extracted_key, join_key
from tidegraph.log.status import Outcome, Stage
from tidegraph.log.topics import Topic
from tidegraph.ports import ChangeRow, GraphStore
from tidegraph.storage.changes import whole_commits
from tidegraph.storage.rulebook import REEXTRACTION
from tidegraph.storage.visibility import EVERYTHING
from tidegraph.streams.accounting import account
from tidegraph.streams.cursor import BatchLives, Cursors
from tidegraph.streams.flow import Input, Output, status_line
from tidegraph.streams.holds import let_go
from tidegraph.streams.intake import Arrival
from tidegraph.streams.judging import Judging
from tidegraph.streams.progress import ProgressStore
from tidegraph.streams.reextract import Rereader
from tidegraph.streams.repeats import Repeater, Retracted
from tidegraph.streams.runner import Scribe
from tidegraph.streams.stages.write import WriteResult, WriteStage
from tidegraph.streams.upkeep import Upkeep
from tidegraph.telemetry import metrics

_PAGE: Final = 500
MADE_OTHERWISE: Final = frozenset({"ENCODER_CHANGED", "SCHEMA_CHANGED"})
"""Why a graph takes no record until it is built anew."""


@dataclass(slots=True)
class ChangeFeed:
    """Puts what changed in a graph on ``changes``: read from the graph by sequence, at least once."""

    store: GraphStore
    progress: ProgressStore
    scribe: Scribe
    _published: dict[str, int] = field(default_factory=dict)

    def forget(self) -> None:
        """Ask again how far graphs were published: another worker may have gone on."""
        self._published.clear()

    async def publish(self, graph: str, sequence: int) -> None:
        """Publish the changes of the graph up to its commit sequence.

        Raises:
            Retryable: the store is away.
        """
        if graph not in self._published:
            self._published[graph] = await self.progress.published(graph)
        # A store that lost its last second counts from an earlier sequence: what follows is told again.
        position = start = min(self._published[graph], sequence)
        while position < sequence:
            rows = await self._page(graph, position)
            if not rows:
                position = sequence
                break
            labels = await self.store.restrictions(graph, sorted({row.version_id for row in rows}))
            outputs = tuple(_output(graph, row, labels.get(row.version_id, frozenset())) for row in rows)
            await self.scribe.persist(lambda outputs=outputs: self.scribe.sink.write(outputs))  # type: ignore[misc]
            position = rows[-1].sequence
        if position != self._published[graph] or start != position:
            await self.progress.set_published(graph, position)
        self._published[graph] = position

    async def _page(self, graph: str, after: int) -> list[ChangeRow]:
        try:
            return await whole_commits(self.store, graph, after, _PAGE)
        except Rejected:  # no such graph, or none of that name could be: nothing was written to it
            return []


@dataclass(slots=True)
class Delivery:
    """Takes batches of ``resolved`` in, for the graphs that this worker owns."""

    stage: WriteStage
    store: GraphStore
    feed: ChangeFeed
    scribe: Scribe
    burst_facts: int = 100
    upkeep: Upkeep | None = None
    repeater: Repeater | None = None
    rereader: Rereader | None = None
    judging: Judging | None = None

    def forget(self) -> None:
        """Another worker may have written meanwhile."""
        self.stage.writer.forget()
        self.feed.forget()

    async def apply(self, name: str, batch: Sequence[Input]) -> None:
        """Take in records of one partition that follow what the store has, in order.

        Args:
            name: the partition in this life of the log, as fences and ``applied`` know it.

        Raises:
            Retryable, Conflicted: nothing is noted as applied; ask the store where it stands.
        """
        for graph, items in self.stage.by_graph(batch).items():
            for run in self.upkeep.runs(items) if self.upkeep else [items]:
                if self.upkeep and self.upkeep.concerns(run[0]):
                    await self._keep_up(self.upkeep, graph, name, run[0])
                else:
                    await self._write(graph, run)
        await self.store.set_applied(name, batch[-1].record.offset)

    async def _write(self, graph: str, items: Sequence[Input]) -> None:
        for item in items if self.rereader else ():
            if first(item.record.headers, DECISION) == REEXTRACTION:
                await self._read_again(graph, item)
        result = await self._written(graph, items)
        retracted = self._retracted(items)
        if self.repeater and retracted:
            await self.repeater.run(graph, retracted)
        if result.sequence:  # 0: not one record could be read, so the graph was not asked
            await self.feed.publish(graph, result.sequence)
        if result.mended:
            outputs = {one.key: one for one in (_mended(before, left) for before, left in result.mended)}
            await self.scribe.persist(lambda: self.scribe.sink.write(tuple(outputs.values())))
        if self.judging:
            self.judging.notice(graph)
        account(graph, result.changes, result.statuses, self.burst_facts)
        ended = [*result.statuses, *(line for item in items for line in let_go(item))]
        await self.scribe.persist(lambda: self.scribe.sink.tell(ended))
        metrics.STAGE_RECORDS.labels(self.stage.stage, "done").inc(len(result.statuses))
        for item, error in result.rejected:
            expected = isinstance(error, Rejected)
            await self.scribe.bury(item, self.stage.subject(item), error, expected=expected)

    async def _written(self, graph: str, items: Sequence[Input]) -> WriteResult:
        """The records taken in; where the graph was made for another encoder or schema, after its rebuild."""
        try:
            return await self.stage.write(graph, items)
        except Rejected as error:
            if error.reason not in MADE_OTHERWISE or self.upkeep is None:
                raise
            if not await self.upkeep.rebuild_that_waits(graph):
                raise Retryable(error.reason, f"graph {graph} is held: {error.args[0]}") from error
            self.stage.writer.forget()
            return await self.stage.write(graph, items)

    def _retracted(self, items: Sequence[Input]) -> dict[str, Retracted]:
        """Documents that decisions of the batch retract, by id, each with the decision that did so first."""
        found: dict[str, Retracted] = {}
        for item in items:
            if first(item.record.headers, DECISION) == "retraction":
                name, at = self.stage.retracted(item)
                if name and (name not in found or at < found[name].recorded_at):
                    found[name] = Retracted(at, self.stage.subject(item).position)
        return found

    async def _read_again(self, graph: str, item: Input) -> None:
        """Send the documents of a re-extraction through the stages, before it is noted as carried out."""
        assert self.rereader is not None
        try:
            decision = self.stage.decision(graph, item)
        except Rejected:
            return  # refused in its turn
        told = decision.record
        known = await self.store.decisions(graph, (REEXTRACTION,), EVERYTHING, (told.subject,))
        if told.decision_id not in {one.decision_id for one in known}:
            erased = await self.stage.writer.erased(graph)
            await self.rereader.run(graph, told, decision.header.position, erased)

    async def _keep_up(self, upkeep: Upkeep, graph: str, name: str, item: Input) -> None:
        """A decision about the whole graph: carried out, published, told."""
        subject = self.stage.subject(item)
        try:
            done = await upkeep.carry_out(graph, (name, item.record.offset), item)
        except Rejected as error:
            await self.scribe.bury(item, subject, error, expected=True)
            return
        self.stage.writer.forget()
        await self.feed.publish(graph, await self.store.sequence(graph))
        line = status_line(
            subject, self.stage.stage, self.scribe.now(), outcome=Outcome.COMMITTED, cause=done
        )
        await self.scribe.persist(lambda: self.scribe.sink.tell((line,)))
        metrics.STAGE_RECORDS.labels(self.stage.stage, "done").inc()


def deliver(
    delivery: Delivery, cursors: Cursors, begun_anew: Callable[[Sequence[Arrival]], bool]
) -> Callable[[Sequence[Arrival]], Awaitable[None]]:
    """The process of the write agent: each partition on its own, from where the store stands.

    ``begun_anew`` tells of a batch whether the log may have begun anew with it.
    """
    lives = BatchLives()

    async def one(partition: int, arrivals: Sequence[Arrival]) -> None:
        try:
            cursor = await lives.cursor(cursors, partition)
            due = cursor.due([each.record for each in arrivals])
            if due:
                await delivery.apply(cursor.name, [Input(record, cursor.life, 0) for record in due])
                cursor.advance(due[-1].offset)
        except (Retryable, Conflicted):
            cursors.reset(partition)
            delivery.forget()
            raise

    async def process(arrivals: Sequence[Arrival]) -> None:
        if lives.take(arrivals) and begun_anew(arrivals):
            cursors.reset()
            delivery.forget()
        partitions: dict[int, list[Arrival]] = defaultdict(list)
        for each in arrivals:
            partitions[each.record.partition].append(each)
        results = await asyncio.gather(
            *(one(partition, group) for partition, group in partitions.items()), return_exceptions=True
        )
        for result in results:
            if isinstance(result, BaseException):
                raise result

    return process


def _mended(document: ExtractedDocument, left: ExtractedDocument | None) -> Output:
    """A record of ``extracted`` that was written again, after an erasure or by chance, as it is to stay."""
    header = document.header
    return Output(
        Topic.EXTRACTED,
        extracted_key(header, document.extractor_epoch, document.reextracted_at),
        None if left is None else encode(left),
        tuple(stamped((), Stage.WRITE)),
        document_key(header.graph, header.document_id),
    )


def _output(graph: str, row: ChangeRow, labels: Iterable[frozenset[str]]) -> Output:
    change = records_pb2.Change(
        change_id=row.change_id,
        graph=graph,
        sequence=row.sequence,
        action=row.action,
        entity_id=row.entity_id,
        version_id=row.version_id,
        recorded_at=row.recorded_at,
        text=row.text,
        label_sets=[records_pb2.LabelSet(labels=each) for each in sorted(map(sorted, labels))],
    )
    key = join_key(graph, row.entity_id)
    return Output(Topic.CHANGES, key, change.SerializeToString(), tuple(stamped((), Stage.WRITE)), key)
