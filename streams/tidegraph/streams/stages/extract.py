"""The extract stage: what a grounded document says, as events and assertions."""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

import orjson

from tidegraph.domain.documents import ExtractedDocument, GroundedDocument
from tidegraph.domain.epochs import extractor_of
from tidegraph.domain.errors import Rejected, Retryable
from tidegraph.log.codecs import decode, encode
from tidegraph.log.headers import READ_UNDER, REEXTRACTED, first, held, stamped
from tidegraph.log.keys import document_key, extracted_key
from tidegraph.log.status import Stage
from tidegraph.log.topics import Topic
from tidegraph.ports import Clock, Extractor
from tidegraph.streams.flow import Input, Output, Result, Subject, header_subject, status_line
from tidegraph.streams.holds import let_go
from tidegraph.telemetry import metrics

logger = logging.getLogger(__name__)


class ExtractHandler:
    """``grounded`` to ``extracted``, the record of belief. ``threads`` documents are read at once."""

    stage = Stage.EXTRACT

    def __init__(self, extractor: Extractor, clock: Clock, threads: int = 4) -> None:
        self._extractor = extractor
        self._clock = clock
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="extract")

    def warm_up(self) -> None:
        """Load the models, so that the first document does not wait for them; blocking.

        A model server that is away is waited for with the first document.

        Raises:
            Rejected: what the settings name cannot be used.
        """
        try:
            logger.info("extractor %s", self._extractor.epoch)
        except Retryable as error:
            logger.warning("the extractor is not ready yet: %s", error)

    async def handle(self, item: Input) -> Result:
        """One output for one part of a document; none for one that is to be read again and need not be."""
        if item.record.value is None:
            raise Rejected("NULL_RECORD", "a record of `grounded` has no value")
        document = decode(GroundedDocument, item.record.value)
        again, loop = first(item.record.headers, REEXTRACTED), asyncio.get_running_loop()
        if again is not None and await loop.run_in_executor(self._threads, self._was_read, item):
            return Result((), let_go(item))
        extracted = await loop.run_in_executor(self._threads, self._timed, document)
        header = extracted.header
        if again is not None:
            extracted = replace(extracted, reextracted_at=int(again))
        output = Output(
            Topic.EXTRACTED,
            extracted_key(header, extracted.extractor_epoch, extracted.reextracted_at),
            encode(extracted),
            (*stamped(item.record.headers, self.stage), *held(item.record.headers)),
            document_key(header.graph, header.document_id),
        )
        if again is not None:
            return Result((output,), ())  # the document has its outcome
        return Result((output,), (status_line(Subject.of(header), self.stage, self._clock.now()),))

    def _timed(self, document: GroundedDocument) -> ExtractedDocument:
        name = extractor_of(self._extractor.epoch)
        with metrics.EXTRACTION_SECONDS.labels(name or "other").time():
            return self._extractor.extract(document)

    def _was_read(self, item: Input) -> bool:
        """Whether the document was read under the present epoch already: the same would come of it."""
        return self._extractor.epoch in orjson.loads(first(item.record.headers, READ_UNDER) or "[]")

    def subject(self, item: Input) -> Subject:
        """The document that the record's header names."""
        return header_subject(item, GroundedDocument)
