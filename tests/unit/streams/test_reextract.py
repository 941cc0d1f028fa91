"""Documents read again by another extractor: from the decision on, and the past as it was."""

from __future__ import annotations

from tests.contracts.feed import since
from tests.unit.streams.test_rebuild import GRAPH, Ticking, decide, rebuilder

from tidegraph import settings
from tidegraph.domain import ids
from tidegraph.domain.documents import (
    DocumentKind,
    EntityType,
    ExtractedAssertion,
    ExtractedDocument,
    GroundedDocument,
    Mention,
    Status,
    Term,
    Verb,
)
from tidegraph.domain.errors import Rejected
from tidegraph.domain.interval import OPEN_END
from tidegraph.events.v1 import records_pb2
from tidegraph.log.status import Stage
from tidegraph.log.topics import Topic
from tidegraph.ports import FactFilter, Visibility
from tidegraph.storage import dump
from tidegraph.storage.memory.status import MemoryStatusStore
from tidegraph.streams.inprocess import InProcess
from tidegraph.streams.setup import Graphs


class Reader:
    """Reads each document to say that Acme has one value, prefixed by the epoch."""

    def __init__(self) -> None:
        self.epoch = "e1"
        self.read: list[str] = []

    def extract(self, document: GroundedDocument) -> ExtractedDocument:
        head = document.header
        self.read.append(head.document_id)
        if head.kind is DocumentKind.RETRACTION:
            return ExtractedDocument(head, self.epoch, (), (), (), (), ())
        place = (head.graph, head.document_id, head.revision, head.part, 0, self.epoch)
        mention = Mention(ids.mention_id(*place), "Acme", "Acme", EntityType.ORGANISATION, 0, 4)
        start = head.document_time.instant if head.document_time else 0
        claim = ExtractedAssertion(
            assertion_id=ids.assertion_id(*place, 0),
            subject=Term(mention.mention_id, ""),
            predicate=f"told_by_{head.document_id}",
            object=Term("", f"{self.epoch} {document.text}"),
            qualifiers=(),
            valid=since(start),
            verb=Verb.START,
            status=Status.ASSERTED,
            confidence=0.9,
            start_char=0,
            end_char=4,
            event_id="",
            rule_id="test",
        )
        return ExtractedDocument(head, self.epoch, document.chunks, (), (mention,), (), (claim,))


def pipeline(reader: Reader) -> InProcess:
    chosen, clock = settings.load({}), Ticking(1_700_000_000_000_000)
    graphs = Graphs(chosen, encoder="hashing", in_memory=True)
    return InProcess(chosen, graphs.store, MemoryStatusStore(), graphs.writer(), clock, extractor=reader)


async def values(running: InProcess, known_at: int = OPEN_END - 1) -> list[str]:
    found = await running.store.facts(GRAPH, FactFilter(), Visibility(known_at, None))
    return sorted(fact.object for fact in found)


async def test_documents_are_read_again_from_the_decision_on() -> None:
    reader = Reader()
    running = pipeline(reader)
    await running.append(b"a", b"one")
    await running.append(b"b", b"two")
    await running.settle()
    assert await values(running) == ["e1 one", "e1 two"]
    before = running.clock.now()
    reader.epoch = "e2"
    await decide(running, reextraction=records_pb2.Reextraction(document_id="a"))
    await running.settle()
    assert await values(running) == ["e1 two", "e2 one"]
    assert await values(running, before) == ["e1 one", "e1 two"]
    await decide(running, reextraction=records_pb2.Reextraction())
    await running.settle()
    assert await values(running) == ["e2 one", "e2 two"]
    assert await values(running, before) == ["e1 one", "e1 two"]
    decided = await running.store.decisions(GRAPH, ["reextraction"], Visibility(OPEN_END - 1, None))
    assert sorted(one.subject for one in decided) == ["", "a"]
    assert (await running.status.summary(GRAPH))["committed"] >= 2
    assert running.cpu_seconds[Stage.EXTRACT] > 0


async def test_reading_again_brings_nothing_back_and_a_rebuild_agrees() -> None:
    reader = Reader()
    running = pipeline(reader)
    await running.append(b"a", b"one")
    await running.append(b"b", b"two")
    await running.append(b"a", None)
    await running.settle()
    assert await values(running) == ["e1 two"]
    reader.epoch = "e2"
    for _ in range(2):  # the second time nothing is new
        await decide(running, reextraction=records_pb2.Reextraction())
        await running.settle()
        assert await values(running) == ["e2 two"]
    former = await dump.content_hash(running.store, GRAPH)
    await rebuilder(running).rebuild(GRAPH, {"elsewhere/0": 0})
    assert await dump.content_hash(running.store, GRAPH) == former


async def test_only_what_is_stale_is_read_again() -> None:
    reader = Reader()
    running = pipeline(reader)
    await running.append(b"a", b"one")
    await running.settle()
    reader.epoch = "e2"
    await running.append(b"b", b"two")
    await running.settle()
    reader.read.clear()
    await decide(running, reextraction=records_pb2.Reextraction())
    await running.settle()
    assert reader.read == ["a"]
    assert await values(running) == ["e2 one", "e2 two"]
    reader.read.clear()
    await decide(running, reextraction=records_pb2.Reextraction())
    await running.settle()
    assert reader.read == []


async def _passes(running: InProcess, *stages: Stage) -> None:
    """What is in the log through these stages alone; then the marks of topics that are read to their ends."""
    moved = True
    while moved:
        moved = False
        for stage in stages:
            moved |= await running._pass(stage, running._processes[stage])
    await running.status.advance(GRAPH, running.clock.now())


async def test_nothing_from_the_decision_on_is_final_until_the_last_reading_is_written() -> None:
    reader = Reader()
    running = pipeline(reader)
    await running.append(b"a", b"one")
    await running.append(b"b", b"two")
    await running.settle()
    reader.epoch, before = "e2", running.clock.now()
    await decide(running, reextraction=records_pb2.Reextraction())
    answers: dict[int, list[str]] = {}
    for stages in (
        (Stage.RESOLVE,),
        (Stage.WRITE,),
        (Stage.EXTRACT,),
        (Stage.RESOLVE,),
    ):
        await _passes(running, *stages, Stage.TRACK)
        watermark = await running.status.watermark(GRAPH)
        answers[watermark] = await values(running, watermark)
    assert await values(running) == ["e1 one", "e1 two"], "nothing of it is written"
    await _passes(running, Stage.WRITE, Stage.TRACK)
    assert await values(running) == ["e2 one", "e2 two"]
    assert {at: await values(running, at) for at in answers} == answers
    assert before <= min(answers) == max(answers) < await running.status.watermark(GRAPH)
    assert (await running.status.summary(GRAPH))["in_progress"] == 0


async def test_readings_that_fail_or_are_not_needed_hold_nothing() -> None:
    reader = Reader()
    running = pipeline(reader)
    for name in (b"a", b"b"):
        await running.append(name, b"some")
        await running.settle()
        reader.epoch = "e2"
    extract = reader.extract

    def fail(document: GroundedDocument) -> ExtractedDocument:
        if document.header.document_id == "a":
            raise Rejected("BROKEN", "cannot be read any more")
        return extract(document)

    reader.extract = fail  # type: ignore[method-assign]
    await decide(running, reextraction=records_pb2.Reextraction())
    await running.settle()
    assert await running.status.watermark(GRAPH) == running.clock.now() - 1_000_001
    assert await values(running) == ["e1 some", "e2 some"]


async def test_nothing_is_final_while_a_retraction_or_what_it_frees_is_under_way() -> None:
    """The copy counts again from its own time, once the retraction has shown that it is none."""
    running = pipeline(Reader())
    await running.append(b"a", b"one")
    await running.settle()
    retraction = records_pb2.Retraction(document_id="a")
    await decide(running, retraction=retraction)
    await running.append(b"a", b"one")
    # The copy overtakes the decision.
    await _passes(running, Stage.GROUND, Stage.EXTRACT)
    decided, running._offsets[Topic.CONTROL, 0] = running._offsets[Topic.CONTROL, 0], 99
    await _passes(running, Stage.RESOLVE, Stage.WRITE)
    running._offsets[Topic.CONTROL, 0] = decided
    found: dict[int, list[str]] = {}
    writing = running._processes[Stage.WRITE]
    for _ in range(6):
        await _passes(running, Stage.RESOLVE, Stage.TRACK)
        watermark = await running.status.watermark(GRAPH)
        found[watermark] = await values(running, watermark)
        at = running._offsets[Topic.RESOLVED, 0]
        for record in running.log.records(Topic.RESOLVED, 0, at, 1):
            await writing([record])
            running._offsets[Topic.RESOLVED, 0] = at + 1
    assert {at: await values(running, at) for at in found} == found
    assert len(found) > 1
    assert await values(running) == ["e1 one"]


async def test_a_record_that_another_extractor_reads_by_chance_changes_nothing() -> None:
    """A worker was killed before it had noted what it read; the next one has another extractor."""
    reader = Reader()
    running = pipeline(reader)
    await running.append(b"a", b"one")
    await running.settle()
    watermark = await running.status.watermark(GRAPH)
    former = await dump.content_hash(running.store, GRAPH)
    for epoch in ("e2", "e0", "e10"):
        reader.epoch, running._offsets[Topic.GROUNDED, 0] = epoch, 0
        await running.settle()
        assert await values(running) == await values(running, watermark) == ["e1 one"]
    assert await dump.content_hash(running.store, GRAPH) == former
    await rebuilder(running).rebuild(GRAPH, {"elsewhere/0": 0})
    assert await dump.content_hash(running.store, GRAPH) == former
    decided = running.clock.now()
    await decide(running, reextraction=records_pb2.Reextraction())
    await running.settle()
    assert await values(running) == ["e10 one"], "what was read by chance counts once it is decided on"
    assert await values(running, decided) == ["e1 one"]
    former = await dump.content_hash(running.store, GRAPH)
    await rebuilder(running).rebuild(GRAPH, {"elsewhere/0": 0})
    assert await dump.content_hash(running.store, GRAPH) == former
