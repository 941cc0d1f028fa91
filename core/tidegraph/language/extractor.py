"""The language extractor: events and assertions out of grounded text, on the CPU and without an LLM."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from tidegraph.domain import ids
from tidegraph.domain.documents import Event, ExtractedDocument, GroundedDocument, Status
from tidegraph.language import rules
from tidegraph.language.assertions import Builder
from tidegraph.language.blocks import BlockKind
from tidegraph.language.chunking import chunk_ids_at
from tidegraph.language.clauses import Clause, clauses
from tidegraph.language.coreference import Coreferencer, RuleCoreferencer
from tidegraph.language.events import Draft, drafts, score
from tidegraph.language.parsing import Sentence, model_version, parse
from tidegraph.language.passages import Layout, Passage, layout
from tidegraph.language.status import Stance, stance
from tidegraph.language.times import TimeContext

RULES_VERSION: Final = "1"
"""Raised with every change of the rules that changes what is extracted."""
NAME: Final = "language"
_GROUP_CHARS: Final = 200_000


class LanguageExtractor:
    """DEUs and assertions of grounded documents (design section 6).

    Blocking and CPU-bound: call it in a thread. The statistical model is loaded with the first call.
    Thread-safe after that; results depend on the document alone.
    """

    def __init__(self, coreferencer: Coreferencer | None = None) -> None:
        self._coreferencer = coreferencer or RuleCoreferencer()
        self._epoch = ""

    @property
    def epoch(self) -> str:
        """Name and version of rules and model; a part of every id that is made here."""
        if not self._epoch:
            self._epoch = f"{NAME}-{RULES_VERSION}-{model_version()}"
        return self._epoch

    def extract(self, document: GroundedDocument) -> ExtractedDocument:
        """What one document (or part of one) says."""
        return next(self.extract_many([document]))

    def extract_many(self, documents: Iterable[GroundedDocument]) -> Iterator[ExtractedDocument]:
        """The same for many, in their order; texts are parsed in batches of bounded size."""
        group: list[GroundedDocument] = []
        size = 0
        for document in documents:
            group.append(document)
            size += len(document.text)
            if size >= _GROUP_CHARS:
                yield from self._extract_group(group)
                group, size = [], 0
        yield from self._extract_group(group)

    def _extract_group(self, group: Sequence[GroundedDocument]) -> Iterator[ExtractedDocument]:
        layouts = [layout(document) for document in group]
        passages = [p for each in layouts for p in each.passages]
        for passage, sentences in zip(passages, parse([p.unit for p in passages]), strict=True):
            passage.sentences = sentences
        for document, each in zip(group, layouts, strict=True):
            yield self._assemble(document, each)

    def _assemble(self, document: GroundedDocument, page: Layout) -> ExtractedDocument:
        header = document.header
        sentences = [s for p in page.passages for s in p.sentences]
        resolution = self._coreferencer.resolve(sentences, header.title)
        builder = Builder(document, resolution, self.epoch, page.base, {}, [], set())
        events: list[Event] = []
        for passage in page.passages:
            context = TimeContext(header.document_time, passage.carried)
            for sentence in passage.sentences:
                events += self._read(sentence, passage, builder, context, len(events))
        return ExtractedDocument(
            header=header,
            extractor_epoch=self.epoch,
            chunks=document.chunks,
            expressions=document.expressions,
            mentions=builder.all_mentions(),
            events=tuple(events),
            assertions=tuple(builder.assertions),
        )

    def _read(
        self, sentence: Sentence, passage: Passage, builder: Builder, context: TimeContext, ordinal: int
    ) -> list[Event]:
        found = clauses(sentence)
        stances = [stance(c) for c in found]
        made = drafts(sentence, passage, builder.resolution, found, context, _status(found, stances))
        events = [self._event(draft, builder, ordinal + i) for i, draft in enumerate(made)]
        if passage.trusted and passage.block.kind is not BlockKind.HEADING:
            event_id = events[0].event_id if events else ""
            for claim, attitude in rules.read(sentence, found, stances):
                builder.add(claim, attitude, context, event_id)
        return events

    def _event(self, draft: Draft, builder: Builder, ordinal: int) -> Event:
        header = builder.document.header
        mentions = [builder.of_thing(thing, draft.end) for thing in draft.things if thing.spans]
        return Event(
            event_id=ids.event_id(
                header.graph, header.document_id, header.revision, draft.start, draft.end, self.epoch, ordinal
            ),
            chunk_ids=chunk_ids_at(builder.document.chunks, draft.start, draft.end),
            ordinal=ordinal,
            sentence=draft.sentence,
            start_char=draft.start,
            end_char=draft.end,
            time_state=draft.state,
            interval=draft.interval,
            time_rule_id=draft.rule,
            mention_ids=tuple(dict.fromkeys(m.mention_id for m in mentions)),
            score=score(draft.reasons),
            reasons=tuple(draft.reasons),
            status=draft.status,
            extractor=NAME,
        )


def _status(found: Sequence[Clause], stances: Sequence[Stance]) -> Status:
    """The status of a sentence: that of its main clause."""
    for clause, attitude in zip(found, stances, strict=True):
        if clause.verb.head is clause.verb:
            return attitude.status
    return stances[0].status if stances else Status.ASSERTED


def empty(document: GroundedDocument, epoch: str) -> ExtractedDocument:
    """What a document without text was read to say: nothing."""
    return ExtractedDocument(document.header, epoch, document.chunks, document.expressions, (), (), ())


def with_epoch(document: ExtractedDocument, epoch: str) -> ExtractedDocument:
    """The same reading under the name of another epoch."""
    return replace(document, extractor_epoch=epoch)
