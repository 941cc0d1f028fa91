"""What a model said of a chunk, as events, mentions and assertions of the document.

Nothing is taken on trust. A quotation must stand in the chunk, names and values must stand in the chunk or
its title, times come from the grounding engine, and a claim must stand in a sentence that claims something:
what a text commands, asks or supposes is no fact, whoever reads it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from tidegraph.domain import ids
from tidegraph.domain.documents import (
    Chunk,
    EntityType,
    Event,
    ExtractedAssertion,
    GroundedDocument,
    Mention,
    Status,
    Term,
    ValidTime,
    Verb,
)
from tidegraph.domain.epochs import LLM
from tidegraph.domain.interval import Granularity
from tidegraph.domain.policies import ObjectKind
from tidegraph.domain.predicates import Registry
from tidegraph.language.chunking import chunk_ids_at
from tidegraph.language.clauses import clauses
from tidegraph.language.events import score
from tidegraph.language.llm.quotes import Folded, Span, adds_nothing, blanked, sentence_around, withheld
from tidegraph.language.llm.schema import EventSaid, FactSaid
from tidegraph.language.llm.timing import EventTime, Times, valid_time
from tidegraph.language.parsing import Unit, parse
from tidegraph.language.passages import base_of
from tidegraph.language.status import stance
from tidegraph.language.times import TimeContext, is_ahead
from tidegraph.telemetry import metrics

RULE: Final = "llm"
CONFIDENCE: Final = 0.7
_TELLING_LETTERS: Final = 3
_REFERRING: Final = re.compile(
    r"\b(?:he|him|his|she|hers?|it|its|they|them|their|there|here|who|whose|whom|which|we|us|our|i|you|your"
    r"|(?:the|this|that|these|both) [a-z]\w+)\b"
    r"|\b(?:The|This|That|These|Both|He|His|She|Her|It|Its|They|Their|We|Our|I|You|Your)\b"
)
"""Words that stand for something named elsewhere."""
_QUANTITY: Final = re.compile(
    r"[$€£¥%]|\d|\b(?:percent|per cent|million|billion|thousand|hundred|dozen)\b", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Window:
    """A chunk as it may be quoted: without what gives instructions to whatever reads it."""

    chunk: Chunk
    hidden: tuple[Span, ...]
    text: str
    folded: Folded

    @staticmethod
    def all_of(document: GroundedDocument) -> list[Window]:
        """The windows of a document part; linear.

        Instructions are looked for in the whole text: a chunk may begin in the middle of one.
        """
        base, orders = base_of(document), withheld(document.text)
        return [_window(chunk, orders, chunk.start_char - base) for chunk in document.chunks]


def _window(chunk: Chunk, orders: Sequence[Span], offset: int) -> Window:
    inside = ((max(0, start - offset), min(len(chunk.text), end - offset)) for start, end in orders)
    hidden = tuple((start, end) for start, end in inside if start < end)
    text = blanked(chunk.text, hidden)
    return Window(chunk, hidden, text, Folded.of(text))


@dataclass(slots=True)
class _Place:
    """An event that stands in the text: what was said, where, and when it was."""

    said: EventSaid
    span: Span
    time: EventTime
    event: Event


@dataclass(slots=True)
class Reader:
    """Collects what was said of the chunks of one document part."""

    document: GroundedDocument
    epoch: str
    registry: Registry
    events: list[Event] = field(default_factory=list)
    assertions: list[ExtractedAssertion] = field(default_factory=list)
    mentions: dict[tuple[int, int, str], Mention] = field(default_factory=dict)
    _told: dict[tuple[object, ...], Event] = field(default_factory=dict)
    _claimed: set[tuple[object, ...]] = field(default_factory=set)

    def read(self, window: Window, said: Sequence[EventSaid]) -> None:
        """Take what stands in the text of a chunk; the rest is dropped."""
        chunk = window.chunk
        inside = [e for e in self.document.expressions if chunk.start_char <= e.start_char < chunk.end_char]
        times = Times(inside, chunk.start_char, window.folded)
        places, after = [], 0
        for each in said:
            span = window.folded.find(each.quote, after) or window.folded.find(each.quote)
            if span is not None:
                after = span[1]
                if (place := self._event(each, span, window, times)) is not None:
                    places.append(place)
        telling = [place for place in places if place.said.facts]
        offset = chunk.start_char - base_of(self.document)
        spans = [(place.span[0] + offset, place.span[1] + offset) for place in telling]
        for place, claims in zip(telling, _claims(self.document.text, spans), strict=True):
            for fact in place.said.facts if claims else ():
                self._fact(fact, place, window, times)

    def _event(self, said: EventSaid, span: Span, window: Window, times: Times) -> _Place | None:
        time = times.event_time(said.times, said.value, span)
        named = [self._mention(name, kind, span, window) for name, kind in said.names]
        mentions = tuple(dict.fromkeys(m.mention_id for m in named if m is not None))
        quote = " ".join(window.text[span[0] : span[1]].split())
        sources = (window.text, window.chunk.title)
        sentence = said.statement if said.statement and adds_nothing(said.statement, sources) else quote
        reasons = _reasons(said, bool(mentions), time, _without_times(window, span, times))
        if score(reasons) < 1:
            return None
        reasons += [f"time_disagreement:{each.value}" for each in time.disagreements]
        if sentence is quote and said.statement and said.statement != quote:
            reasons.append("unclear_reference")
        start, end = window.chunk.start_char + span[0], window.chunk.start_char + span[1]
        key = (start, end, time.interval, said.status)
        if key not in self._told:
            for each in time.disagreements:
                metrics.LLM_DISAGREEMENTS.labels(each.value).inc()
            event = self._made(said.status, time, (start, end), sentence, mentions, reasons)
            self._told[key] = event
            self.events.append(event)
        return _Place(said, span, time, self._told[key])

    def _made(
        self,
        status: Status,
        time: EventTime,
        span: Span,
        sentence: str,
        mentions: tuple[str, ...],
        reasons: Sequence[str],
    ) -> Event:
        header, ordinal = self.document.header, len(self.events)
        return Event(
            event_id=ids.event_id(
                header.graph, header.document_id, header.revision, *span, self.epoch, ordinal
            ),
            chunk_ids=chunk_ids_at(self.document.chunks, *span),
            ordinal=ordinal,
            sentence=sentence,
            start_char=span[0],
            end_char=span[1],
            time_state=time.state,
            interval=time.interval,
            time_rule_id=time.rule,
            mention_ids=mentions,
            score=score(reasons),
            reasons=tuple(reasons),
            status=status,
            extractor=LLM,
        )

    def _fact(self, fact: FactSaid, place: _Place, window: Window, times: Times) -> None:
        kinds = {name.casefold(): kind for name, kind in place.said.names}
        literal = self.registry.policy(fact.predicate).object_kind is ObjectKind.LITERAL
        subject = self._term(fact.subject, kinds, place.span, window)
        obj = (
            self._value(fact.object, window)
            if literal
            else self._term(fact.object, kinds, place.span, window)
        )
        if subject is None or not subject.mention_id or obj is None or subject == obj:
            return
        if not (obj.mention_id or obj.literal) and fact.verb is not Verb.STOP:
            return
        if any(self._value(value, window) is None for _, value in fact.qualifiers):
            return
        if not _tells(window.text[place.span[0] : place.span[1]], fact, window.chunk.title):
            return
        ends = tuple(times.of(quote, place.span) for quote in (fact.start, fact.end))
        valid = valid_time(fact.verb, (ends[0], ends[1]), place.time, self.document.header.document_time)
        if valid is None:
            return
        status = self._status(place.said.status, valid, fact.verb)
        if status is Status.PLANNED and place.time.expression is None and not any(ends):
            return  # a plan without a date says nothing of any time; its event keeps it
        self._put(fact, (subject, obj), valid, status, place.event)

    def _status(self, status: Status, valid: ValidTime, verb: Verb) -> Status:
        context = TimeContext(self.document.header.document_time, None)
        told = status in {Status.ASSERTED, Status.REPORTED}
        return Status.PLANNED if told and is_ahead(valid, verb, context) else status

    def _put(
        self, fact: FactSaid, sides: tuple[Term, Term], valid: ValidTime, status: Status, event: Event
    ) -> None:
        key = (*sides, fact.predicate, fact.qualifiers, fact.verb, status, valid)
        if key in self._claimed:
            return
        self._claimed.add(key)
        header, span = self.document.header, (event.start_char, event.end_char)
        self.assertions.append(
            ExtractedAssertion(
                assertion_id=ids.assertion_id(
                    header.graph,
                    header.document_id,
                    header.revision,
                    *span,
                    self.epoch,
                    len(self.assertions),
                ),
                subject=sides[0],
                predicate=fact.predicate,
                object=sides[1],
                qualifiers=fact.qualifiers,
                valid=valid,
                verb=fact.verb,
                status=status,
                confidence=CONFIDENCE,
                start_char=span[0],
                end_char=span[1],
                event_id=event.event_id,
                rule_id=RULE,
            )
        )

    def _term(self, name: str, kinds: dict[str, EntityType], near: Span, window: Window) -> Term | None:
        """A side of a claim; ``None`` when its name stands nowhere."""
        if not name:
            return Term("", "")
        found = self._mention(name, kinds.get(name.casefold(), EntityType.UNSPECIFIED), near, window)
        return None if found is None else Term(found.mention_id, "")

    def _value(self, value: str, window: Window) -> Term | None:
        """A literal side; ``None`` when the text does not hold it."""
        text = f"{window.folded.text} {window.chunk.title}".casefold()
        wanted = Folded.of(value).text.strip().casefold()
        return Term("", value) if wanted in text else None

    def _mention(self, name: str, kind: EntityType, near: Span, window: Window) -> Mention | None:
        """The mention of a name: in the span, else the last before it, else the first; else the title's."""
        span, epoch = _nearest(window.folded.all(name), near), self.epoch
        if span is None:
            if not name or name.casefold() not in window.chunk.title.casefold():
                return None
            # Several names may stand in a title: the name tells them apart.
            span, epoch = (0, 0), f"{self.epoch}:{name}"
        start, end = (window.chunk.start_char + place for place in span)
        known = self.mentions.get((start, end, name))
        if known is None or known.type is EntityType.UNSPECIFIED:
            header = self.document.header
            mention_id = ids.mention_id(header.graph, header.document_id, header.revision, start, end, epoch)
            known = self.mentions[(start, end, name)] = Mention(mention_id, name, name, kind, start, end)
        return known


def _nearest(places: Sequence[Span], near: Span) -> Span | None:
    inside = (place for place in places if near[0] <= place[0] and place[1] <= near[1])
    before = (place for place in reversed(places) if place[1] <= near[0])
    return next(inside, None) or next(before, None) or next(iter(places), None)


def _tells(quote: str, fact: FactSaid, title: str) -> bool:
    """Whether a quotation may tell of both sides: by a word of their names, or by one that refers to them.

    A side that the document's title names may go unsaid. So a fact cannot be pinned to a sentence that is
    about others.
    """
    sides = [side for side in (fact.subject, fact.object) if side]
    unsaid = [side for side in sides if not (_named_in(side, quote) or _named_in(side, title))]
    return len(unsaid) <= len(_REFERRING.findall(quote))


def _named_in(name: str, text: str) -> bool:
    lowered = text.casefold()
    words = [word for word in name.casefold().split() if len(word) >= _TELLING_LETTERS or not word.isascii()]
    return name.casefold() in lowered or any(word in lowered for word in words)


def _claims(text: str, spans: Sequence[Span]) -> list[bool]:
    """For each span whether every sentence that it touches claims something, as the rules see it."""
    widened = [sentence_around(text, span) for span in spans]
    units = [Unit(text[start:end], start, ()) for start, end in widened]
    result = []
    for sentences in parse(units):
        stances = [[stance(c) for c in clauses(each) if c.lemma] for each in sentences]
        result.append(all(not found or any(s.claims for s in found) for found in stances))
    return result


def _reasons(said: EventSaid, named: bool, time: EventTime, text: str) -> list[str]:
    fine = time.interval is not None and Granularity.UNKNOWN < time.interval.granularity <= Granularity.MONTH
    points = {
        "entity": named,
        "eventive": said.change,
        "quantity": _QUANTITY.search(text) is not None,
        "month_or_finer": fine,
    }
    return [name for name, holds in points.items() if holds]


def _without_times(window: Window, span: Span, times: Times) -> str:
    """A quotation without its dates, so that their figures are no quantity."""
    text, base = list(window.text[span[0] : span[1]]), window.chunk.start_char + span[0]
    for time in times.within(span):
        start, end = max(0, time.start_char - base), max(0, time.end_char - base)
        text[start:end] = " " * len(text[start:end])
    return "".join(text)
