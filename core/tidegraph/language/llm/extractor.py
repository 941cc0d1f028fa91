"""The LLM extractor: a document's chunks read by a language model, the rest by the language extractor."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace

from tidegraph.domain.documents import Event, ExtractedDocument, GroundedDocument
from tidegraph.domain.epochs import llm_epoch
from tidegraph.language.extractor import LanguageExtractor
from tidegraph.language.llm.asking import Asked, Asker
from tidegraph.language.llm.quotes import Span
from tidegraph.language.llm.reading import Reader, Window
from tidegraph.language.llm.schema import VERSION
from tidegraph.language.records import extract_records


class LlmExtractor:
    """Extractor over a language model (design section 6).

    Text that the model could not read, or must not see because it gives instructions, is read by the language
    extractor, and each event says which of the two made it; one epoch names both. Structured records need no
    model. Blocking; thread-safe.

    Args:
        asker: puts a chunk to the model.
        language: makes the language extractor, whose events shall bear the given epoch ("": its own).
        concurrency: chunks asked for at once, over all documents.
    """

    def __init__(self, asker: Asker, language: Callable[[str], LanguageExtractor], concurrency: int) -> None:
        self._asker = asker
        self._language = language
        self._threads = ThreadPoolExecutor(concurrency, thread_name_prefix="llm-extract")
        self._epoch = ""

    @property
    def epoch(self) -> str:
        """Version, prompt, model as served, and the language extractor behind.

        Raises:
            Retryable: the server is away. Rejected: it does not serve the configured model.
        """
        if not self._epoch:
            model = self._asker.model.resolve()
            own = self._language("").epoch
            self._epoch = llm_epoch(VERSION, self._asker.prompt.version, model, own)
        return self._epoch

    def close(self) -> None:
        """End the threads."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def extract(self, document: GroundedDocument) -> ExtractedDocument:
        """What one document (or part of one) says.

        Raises:
            Retryable: the model is away; what it has answered already is kept in the cache.
        """
        reader = Reader(document, self.epoch, self._asker.registry)
        windows = Window.all_of(document)
        asked = [self._threads.submit(self._asker.ask, window, document) for window in windows]
        answers = [(window, future.result()) for window, future in zip(windows, asked, strict=True)]
        for window, answer in answers:
            reader.read(window, answer.said)
        told = ExtractedDocument(
            header=document.header,
            extractor_epoch=self.epoch,
            chunks=document.chunks,
            expressions=document.expressions,
            mentions=tuple(reader.mentions.values()),
            events=tuple(reader.events),
            assertions=tuple(reader.assertions),
        )
        unread = _unread(document, answers)
        if unread:
            told = _joined(told, self._by_rules(document, unread))
        if document.records:
            told = _joined(told, extract_records(document, self.epoch))
        return _ordered(told)

    def _by_rules(self, document: GroundedDocument, unread: Sequence[Span]) -> ExtractedDocument:
        """What the language extractor reads in the spans; it sees the whole text, to know who is who."""
        found = self._language(self.epoch).extract(replace(document, records=()))
        assertions = tuple(a for a in found.assertions if _begins_in(a.start_char, unread))
        told = {a.event_id for a in assertions}  # a repeated sentence is one event, where it stood first
        events = tuple(e for e in found.events if _begins_in(e.start_char, unread) or e.event_id in told)
        named = {name for event in events for name in event.mention_ids}
        named |= {side.mention_id for a in assertions for side in (a.subject, a.object)}
        return replace(
            found,
            events=events,
            assertions=assertions,
            mentions=tuple(m for m in found.mentions if m.mention_id in named),
        )


def _unread(document: GroundedDocument, answers: Iterable[tuple[Window, Asked]]) -> list[Span]:
    """What no answer covers, in offsets of the document; overlapping chunks cover for each other."""
    read: list[Span] = []
    hidden: list[Span] = []
    for window, asked in answers:
        start = window.chunk.start_char
        read.append((start + asked.covered[0], start + asked.covered[1]))
        hidden += [(start + first, start + last) for first, last in window.hidden]
    unread: list[Span] = []
    at = document.chunks[0].start_char if document.chunks else 0
    last = document.chunks[-1].end_char if document.chunks else 0
    for start, end in sorted(read):
        if start > at:
            unread.append((at, start))
        at = max(at, end)
    if at < last:
        unread.append((at, last))
    return [*unread, *hidden]


def _begins_in(place: int, spans: Sequence[Span]) -> bool:
    return any(start <= place < end for start, end in spans)


def _joined(first: ExtractedDocument, second: ExtractedDocument) -> ExtractedDocument:
    known = {mention.mention_id for mention in first.mentions}
    more = tuple(m for m in second.mentions if m.mention_id not in known)
    return replace(
        first,
        mentions=(*first.mentions, *more),
        events=(*first.events, *second.events),
        assertions=(*first.assertions, *second.assertions),
    )


def _ordered(told: ExtractedDocument) -> ExtractedDocument:
    """Events and mentions in text order; an event's ordinal is its place in it."""
    events = sorted(told.events, key=_place)
    return replace(
        told,
        events=tuple(replace(event, ordinal=n) for n, event in enumerate(events)),
        mentions=tuple(sorted(told.mentions, key=lambda m: (m.start_char, m.end_char, m.mention_id))),
    )


def _place(event: Event) -> tuple[int, int, int]:
    return event.start_char, event.end_char, event.ordinal
