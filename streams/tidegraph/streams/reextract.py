"""Documents read again: what a re-extraction sends through the stages once more.

The documents are grounded anew from ``documents``, with the recorded time of the decision beside each; the
extract stage reads them as it now does, and the readings supersede the former ones from that time on.
What was believed before it stays as it was. What was read under the present extractor epoch already is not
read again: nothing would come of it.
"""

from __future__ import annotations

import asyncio
import hashlib
import logging
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import orjson

from tidegraph.domain.documents import DocumentKind, GroundedDocument, Position
from tidegraph.domain.errors import Rejected
from tidegraph.domain.interval import OPEN_START
from tidegraph.log.codecs import encode
from tidegraph.log.headers import READ_UNDER, REEXTRACTED, SCHEMA, SCHEMA_VERSION, STAGE
from tidegraph.log.keys import document_key, extracted_key, grounded_key, split_key
from tidegraph.log.status import Stage
from tidegraph.log.topics import Topic
from tidegraph.ports import DecisionRecord, Log
from tidegraph.streams.erasure import covered_documents
from tidegraph.streams.flow import Input, Output, Sink
from tidegraph.streams.holds import header_of, hold, place_of
from tidegraph.streams.rebuild import Sources
from tidegraph.streams.stages.ground import GroundHandler
from tidegraph.streams.stamps import PartitionStamps
from tidegraph.streams.writing.erased import Erased

logger = logging.getLogger(__name__)

_BATCH: Final = 64
_NEVER_LATER: Final = 1 << 62


@dataclass(frozen=True, slots=True)
class Rereader:
    """Sends documents of ``documents`` to be read again."""

    ground: GroundHandler
    sources: Sources
    sink: Sink

    async def run(self, graph: str, decision: DecisionRecord, at: Position, erased: Erased) -> int:
        """Send the documents of a decision; how many revisions they were.

        Documents that came after the decision are read as the stage now does anyway. ``at`` is where the
        decision entered: nothing that it changes is final until all that was sent has come to its end.

        Raises:
            Retryable: the log is away; nothing is lost by doing it again.
        """
        covered = await covered_documents(self.sources.log, graph) if erased.entities else frozenset()
        life = (await self.sources.lives([Topic.DOCUMENTS]))[Topic.DOCUMENTS]
        read = await _epochs(self.sources.log, graph, decision.subject)
        stamps: dict[int, PartitionStamps] = {}
        sent: list[tuple[Position, Output]] = []
        found = 0
        async for record in self.sources.log.read(Topic.DOCUMENTS):
            if record.partition not in stamps:
                stamps[record.partition] = await self.sources.progress.load(f"{life}/{record.partition}")
            stamp = stamps[record.partition].stamp(record.offset, record.timestamp, _NEVER_LATER)
            if record.value is None or stamp > decision.recorded_at:
                continue
            parts = await self._read(graph, decision.subject, Input(record, life, stamp))
            if parts and _is_erased(parts[0].header.document_id, stamp, erased, covered):
                continue
            found += bool(parts)
            for part in parts:
                place = place_of(at, record.partition, record.offset, part.header.part)
                sent.append((place, _output(part, place, decision.recorded_at, read)))
            if len(sent) >= _BATCH:
                await self._send(graph, decision, sent)
                sent = []
        await self._send(graph, decision, sent)
        logger.info("%d revisions of graph %s are read again", found, graph)
        return found

    async def _send(
        self, graph: str, decision: DecisionRecord, sent: Sequence[tuple[Position, Output]]
    ) -> None:
        await self.sink.tell([hold(place, graph, decision.recorded_at) for place, _ in sent])
        await self.sink.write([output for _, output in sent])

    async def _read(self, graph: str, document_id: str, item: Input) -> Sequence[GroundedDocument]:
        subject = self.ground.subject(item)
        if subject.graph != graph or (document_id and subject.document_id != document_id):
            return ()
        try:
            parts = await asyncio.to_thread(self.ground.ground, item)
        except Rejected:
            return ()  # it was refused when it came, too
        return () if parts[0].header.kind is DocumentKind.RETRACTION else parts


def _is_erased(document_id: str, stamp: int, erased: Erased, covered: Collection[str]) -> bool:
    """True where the raw text may hold what was erased: it is not read again."""
    return document_id in covered or stamp <= erased.documents.get(document_id, OPEN_START)


async def _epochs(log: Log, graph: str, document_id: str) -> dict[bytes, frozenset[str]]:
    """The extractor epochs under which parts of revisions were read, by digest of what tells a part apart."""
    found: dict[bytes, frozenset[str]] = {}
    async for record in log.read(Topic.EXTRACTED):
        try:
            name, document, revision, content, recorded_at, epoch, part, *_ = split_key(record.key or b"")
        except (ValueError, UnicodeDecodeError):
            continue  # the key of another program
        if name != graph or (document_id and document != document_id):
            continue
        place = _digest((name, document, revision, content, recorded_at, part))
        epochs = found.get(place, frozenset())
        found[place] = epochs - {epoch} if record.value is None else epochs | {epoch}
    return found


def _digest(parts: Sequence[str]) -> bytes:
    return hashlib.blake2b(orjson.dumps(parts), digest_size=16).digest()


def _output(
    part: GroundedDocument, place: Position, decided_at: int, read: Mapping[bytes, frozenset[str]]
) -> Output:
    header = part.header
    name, document, revision, content, recorded_at, _, number = split_key(extracted_key(header, ""))
    epochs = read.get(_digest((name, document, revision, content, recorded_at, number)), frozenset())
    headers = (
        (STAGE, Stage.GROUND.encode()),
        (SCHEMA, SCHEMA_VERSION),
        (REEXTRACTED, str(decided_at).encode()),
        (READ_UNDER, orjson.dumps(sorted(epochs))),
        header_of(place),
    )
    route = document_key(header.graph, header.document_id)
    return Output(Topic.GROUNDED, grounded_key(header), encode(part), headers, route)
