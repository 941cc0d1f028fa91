"""The language extractor: events and assertions out of grounded text, on the CPU and without an LLM."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Final

from tidegraph.domain import ids
from tidegraph.domain.documents import Event, ExtractedDocument, GroundedDocument, Status
from tidegraph.domain.epochs import LANGUAGE, language_epoch
from tidegraph.domain.interval import MICROS_PER_DAY, Interval
from tidegraph.language import listed, rules
from tidegraph.language.admission import is_bare_item
from tidegraph.language.assertions import Builder
from tidegraph.language.blocks import BlockKind
from tidegraph.language.chunking import chunk_ids_at
from tidegraph.language.claims import Claim
from tidegraph.language.clauses import Clause, clauses
from tidegraph.language.coreference import Coreferencer, RuleCoreferencer
from tidegraph.language.events import Draft, drafts, score
from tidegraph.language.narrative import frames
from tidegraph.language.parsing import model_version, parse
from tidegraph.language.passages import Layout, Passage, Table, layout
from tidegraph.language.records import extract_records
from tidegraph.language.registers import About, read_pair, read_table
from tidegraph.language.rolls import read_roll
from tidegraph.language.standing import Story, standing
from tidegraph.language.status import Stance, stance
from tidegraph.language.tenses import tense_of
from tidegraph.language.times import TimeContext
from tidegraph.language.tree import Sentence
from tidegraph.ports import Recogniser

RULES_VERSION: Final = "11"
"""Raised with every change of the rules that changes what is extracted."""
NAME: Final = LANGUAGE
_MONTH: Final = 32 * MICROS_PER_DAY
_GROUP_CHARS: Final = 200_000
_CORRECTION: Final = re.compile(
    r"\W*(?:correction|corrigendum|erratum|we correct|corrected)\b", re.IGNORECASE
)
_CORRECTED_TITLE: Final = re.compile(r"\b(?:correction|corrected|corrigendum|erratum)\b", re.IGNORECASE)


class LanguageExtractor:
    """DEUs and assertions of grounded documents (design section 6).

    Blocking and CPU-bound: call it in a thread. The statistical model is loaded with the first call.
    Thread-safe after that; results depend on the document alone.

    Args:
        coreferencer: who is meant by pronouns and definite nouns; the rules, unless given.
        recogniser: finds names; that of the statistical model, unless given.
        epoch: the epoch of the reading that this one is a part of; its own, unless given.
    """

    def __init__(
        self,
        coreferencer: Coreferencer | None = None,
        recogniser: Recogniser | None = None,
        epoch: str = "",
    ) -> None:
        self._coreferencer = coreferencer or RuleCoreferencer()
        self._recogniser = recogniser
        self._epoch = epoch

    @property
    def epoch(self) -> str:
        """Name and version of rules and model; a part of every id that is made here."""
        if not self._epoch:
            named = self._recogniser.model_id if self._recogniser else ""
            self._epoch = language_epoch(RULES_VERSION, model_version(), named)
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
        parsed = parse([p.unit for p in passages], self._recogniser)
        for passage, sentences in zip(passages, parsed, strict=True):
            passage.sentences = _as_item(passage, sentences)
        for document, each in zip(group, layouts, strict=True):
            told = self._assemble(document, each)
            yield _joined(told, extract_records(document, self.epoch)) if document.records else told

    def _assemble(self, document: GroundedDocument, page: Layout) -> ExtractedDocument:
        header = document.header
        sentences = [s for p in page.passages for s in p.sentences]
        resolution = self._coreferencer.resolve(sentences, header.title)
        builder = Builder(document, resolution, self.epoch, page.base, {}, [], set())
        events: list[Event] = []
        story = Story(document, page.base, resolution, events)
        told = frames(page.passages, header.document_time)
        coarse = frozenset(
            t.start_char for t in document.expressions if t.interval and not _is_fine(t.interval)
        )
        lead: Passage | None = None
        headings: tuple[str, ...] = ()
        for passage in page.passages:
            context = TimeContext(header.document_time, passage.carried)
            first, claimed = len(events), len(builder.assertions)
            story.last = 0
            if passage.headings != headings:
                headings, story.section = passage.headings, first
                story.told = []
            if passage.block.kind is not BlockKind.ITEM:
                lead = passage if passage.leads else None
            for sentence in passage.sentences:
                context = TimeContext(header.document_time, passage.carried, told.get(id(sentence)), coarse)
                self._read(sentence, passage, builder, context, story)
            if passage.block.kind is BlockKind.PAIR and passage.trusted:
                event_id = events[first].event_id if len(events) > first else ""
                read_pair(passage, builder, context, self._about(passage.headings, builder), event_id)
            elif passage.block.kind is BlockKind.ITEM and passage.trusted:
                event_id = events[first].event_id if len(events) > first else ""
                read_roll(passage, builder, self._about(passage.headings, builder), event_id)
                above = TimeContext(header.document_time, lead.carried) if lead else context
                for claim, attitude in listed.read(lead, passage):
                    builder.add(claim, attitude, above, event_id)
                if len(builder.assertions) == claimed and is_bare_item(passage, lead):
                    del events[first:]
        for table in page.tables:
            self._read_table(table, builder, events)
        events = _merged(events, builder)
        return ExtractedDocument(
            header=header,
            extractor_epoch=self.epoch,
            chunks=document.chunks,
            expressions=document.expressions,
            mentions=builder.all_mentions(),
            events=tuple(events),
            assertions=tuple(builder.assertions),
        )

    def _read_table(self, table: Table, builder: Builder, events: list[Event]) -> None:
        def make_event(draft: Draft, builder: Builder) -> str:
            if score(draft.reasons) < 1:
                return ""
            event = self._event(draft, builder, len(events))
            events.append(event)
            return event.event_id

        context = TimeContext(builder.document.header.document_time, table.carried)
        first, last = len(builder.assertions), len(events)
        read_table(table, builder, context, self._about(table.headings, builder), make_event)
        _add_mentions(builder, first, events, last)

    def _about(self, headings: Sequence[str], builder: Builder) -> About:
        """The heading that names a thing, else the title; where it stands in the text, if it does."""
        header, text = builder.document.header, builder.document.text
        title = " ".join(header.title.split())
        name = title if title or not headings else headings[0]
        at = text.find(name) if name else -1
        start = builder.base + max(at, 0)
        return About(name, start, start + (len(name) if at >= 0 else 0))

    def _read(
        self,
        sentence: Sentence,
        passage: Passage,
        builder: Builder,
        context: TimeContext,
        story: Story,
    ) -> None:
        """Add a sentence's events and claims."""
        found = clauses(sentence)
        stances = [stance(c) for c in found]
        made = drafts(sentence, passage, builder.resolution, found, context, _status(found, stances))
        own = [self._event(draft, builder, len(story.events) + i) for i, draft in enumerate(made)]
        own = standing(own, sentence, passage, story)
        story.events += own
        story.last = len(own)
        if passage.trusted and passage.block.kind is not BlockKind.HEADING:
            correcting = _is_correction(passage, builder.document.header.title)
            for claim, attitude in rules.read(sentence, found, stances):
                builder.add(claim, attitude, context, _teller(own, claim), correcting=correcting)

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


def _teller(events: Sequence[Event], claim: Claim) -> str:
    """The id of the event in whose words a claim stands, else of the first."""
    verb = claim.clause.verb if claim.clause is not None else None
    for event in events:
        if verb is not None and event.start_char <= verb.start < event.end_char:
            return event.event_id
    return events[0].event_id if events else ""


def _is_fine(interval: Interval) -> bool:
    """Whether days may be counted from a time."""
    return interval.end - interval.start <= _MONTH


def _as_item(passage: Passage, sentences: list[Sentence]) -> list[Sentence]:
    """A list item without a verb is one statement: a title, its publisher and its years."""
    words_ = [t for s in sentences for t in s.tokens]
    finite = any(t.tag in {"VBD", "VBZ", "VBP", "MD"} and t.name is None for t in words_)
    if passage.block.kind is not BlockKind.ITEM or len(sentences) < 2 or finite:
        return sentences
    return [Sentence(words_)]


def _joined(told: ExtractedDocument, mapped: ExtractedDocument) -> ExtractedDocument:
    """Text and records of one document as one reading."""
    return replace(
        told,
        mentions=(*told.mentions, *mapped.mentions),
        assertions=(*told.assertions, *mapped.assertions),
    )


def _is_correction(passage: Passage, title: str) -> bool:
    """Whether a passage restates what was told wrongly: "Correction: ..." or a title that says so."""
    return bool(_CORRECTION.match(passage.unit.text)) or bool(_CORRECTED_TITLE.search(title))


def _merged(events: Sequence[Event], builder: Builder) -> list[Event]:
    """Near-duplicates as one event with the provenance of all; claims point at the one that stays."""
    kept: dict[tuple[object, ...], Event] = {}
    stands_for: dict[str, str] = {}
    for event in events:
        key = (
            re.sub(r"\W+", " ", event.sentence).casefold().strip(),
            event.interval,
            event.time_state,
            event.status,
        )
        first = kept.get(key)
        if first is None:
            kept[key] = event
            continue
        stands_for[event.event_id] = first.event_id
        kept[key] = replace(
            first,
            chunk_ids=tuple(dict.fromkeys((*first.chunk_ids, *event.chunk_ids))),
            mention_ids=tuple(dict.fromkeys((*first.mention_ids, *event.mention_ids))),
        )
    for place, assertion in enumerate(builder.assertions):
        if assertion.event_id in stands_for:
            builder.assertions[place] = replace(assertion, event_id=stands_for[assertion.event_id])
    return list(kept.values())


def _add_mentions(builder: Builder, first: int, events: list[Event], last: int) -> None:
    """Give the events of a table the entities that its assertions name."""
    named: dict[str, list[str]] = {}
    for assertion in builder.assertions[first:]:
        ids_ = (assertion.subject.mention_id, assertion.object.mention_id)
        named.setdefault(assertion.event_id, []).extend(i for i in ids_ if i)
    for place in range(last, len(events)):
        found = named.get(events[place].event_id, [])
        events[place] = replace(events[place], mention_ids=tuple(dict.fromkeys(found)))


def _status(found: Sequence[Clause], stances: Sequence[Stance]) -> Status:
    """The status of a sentence: that of its main clause, or of what its main clause decides or plans."""
    for clause, attitude in zip(found, stances, strict=True):
        if clause.verb.head is clause.verb:
            content = {
                inner.status
                for other, inner in zip(found, stances, strict=True)
                if other.verb.dep == "xcomp" and other.verb.head is clause.verb
            }
            told = tense_of(clause)
            news = not told.past or told.perfect
            meant = news and attitude.status is Status.ASSERTED and Status.PLANNED in content
            if attitude.status is Status.DENIED and _also_claims(clause, found, stances):
                # "Did not finish and rejoined Harrow": the sentence tells something too.
                return Status.ASSERTED
            return Status.PLANNED if meant else attitude.status
    return stances[0].status if stances else Status.ASSERTED


def _also_claims(main: Clause, found: Sequence[Clause], stances: Sequence[Stance]) -> bool:
    return any(
        clause.verb.dep == "conj" and clause.verb.head is main.verb and attitude.status is Status.ASSERTED
        for clause, attitude in zip(found, stances, strict=True)
    )
