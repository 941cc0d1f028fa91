"""The extract stage: what a grounded document says, as events and assertions."""

from __future__ import annotations

import asyncio
import logging
from typing import Protocol

from tidegraph.domain.documents import ExtractedDocument, GroundedDocument
from tidegraph.domain.errors import Rejected
from tidegraph.log.codecs import decode, encode
from tidegraph.log.headers import stamped
from tidegraph.log.keys import document_key, extracted_key
from tidegraph.log.status import Stage
from tidegraph.log.topics import Topic
from tidegraph.ports import Clock
from tidegraph.streams.flow import Input, Output, Result, Subject, header_subject, status_line

logger = logging.getLogger(__name__)


class Extractor(Protocol):
    """An extractor by rules or by a language model; both give the same records."""

    @property
    def epoch(self) -> str:
        """Name and version; blocking the first time, when models are loaded."""
        ...

    def extract(self, document: GroundedDocument) -> ExtractedDocument:
        """Blocking; called in a thread."""
        ...


class ExtractHandler:
    """``grounded`` to ``extracted``, the record of belief."""

    stage = Stage.EXTRACT

    def __init__(self, extractor: Extractor, clock: Clock) -> None:
        self._extractor = extractor
        self._clock = clock

    def warm_up(self) -> None:
        """Load the models, so that the first document does not wait for them; blocking."""
        logger.info("extractor %s", self._extractor.epoch)

    async def handle(self, item: Input) -> Result:
        """One output for one part of a document."""
        if item.record.value is None:
            raise Rejected("NULL_RECORD", "a record of `grounded` has no value")
        document = decode(GroundedDocument, item.record.value)
        extracted = await asyncio.to_thread(self._extractor.extract, document)
        header = extracted.header
        output = Output(
            Topic.EXTRACTED,
            extracted_key(header, extracted.extractor_epoch),
            encode(extracted),
            tuple(stamped(item.record.headers, self.stage)),
            document_key(header.graph, header.document_id),
        )
        return Result((output,), (status_line(Subject.of(header), self.stage, self._clock.now()),))

    def subject(self, item: Input) -> Subject:
        """The document that the record's header names."""
        return header_subject(item, GroundedDocument)
