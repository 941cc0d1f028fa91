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
from tidegraph.domain.interval import OPEN_END
from tidegraph.events.v1 import records_pb2
from tidegraph.log.status import Stage
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
