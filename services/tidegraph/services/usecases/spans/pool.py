"""Candidates for an answer: phrases of the passages that retrieval found, with what speaks for each."""

from __future__ import annotations

import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from statistics import median
from typing import Final

from tidegraph.domain.documents import DocumentTime, EntityType
from tidegraph.domain.interval import OPEN_START, Granularity, Interval
from tidegraph.domain.naming import normalise
from tidegraph.language.grounding import ground
from tidegraph.ports import ChunkRecord, EventRecord
from tidegraph.services.usecases.matching import Matcher
from tidegraph.services.usecases.parts_used import Part
from tidegraph.services.usecases.retrieve import Retrieved
from tidegraph.services.usecases.spans.features import (
    About,
    Candidate,
    Leads,
    Statement,
    leading_words,
    leads_of,
    said,
)
from tidegraph.services.usecases.spans.intent import Intent, offices
from tidegraph.services.usecases.spans.kinds import kinds_of
from tidegraph.services.usecases.spans.phrases import Phrase, Shape, phrases
from tidegraph.services.usecases.spans.placing import Placed, placed
from tidegraph.services.usecases.spans.segments import Segmented, segmented
from tidegraph.services.usecases.spans.whole import as_value, whole_names, without_possessive
from tidegraph.services.usecases.words import stem
from tidegraph.services.usecases.work import Work
from tidegraph.settings import GroundingSettings

PASSAGES_MAX: Final = 6
RRF: Final = 60
NEXT_SHARE: Final = 0.8
"""What a hit says for its document, as a share of what the one before it does."""
NEAR_EVENTS_MAX: Final = 200
SEEDS_MAX: Final = 10
NEIGHBOUR: Final = 0.3
FLOOR: Final = 0.1
DOCUMENT_MIN: Final = 0.75
NAMES_MAX: Final = 1_000
HEADING_WORDS_MAX: Final = 8
_SMALL: Final = frozenset(("of", "and", "for", "in", "to", "at"))
_PARTS: Final = (Shape.JOINED, Shape.LISTED)
_DESCRIBED: Final = frozenset(("kind", "position", "award"))


Held = Mapping[str, tuple[Interval, ...]]


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk, read."""

    record: ChunkRecord
    segmented: Segmented
    phrases: tuple[Phrase, ...]
    places: tuple[Placed, ...]


@dataclass(frozen=True, slots=True)
class Pool:
    """Candidates with their features of what is said, in one order."""

    passages: tuple[Passage, ...]
    candidates: tuple[Candidate, ...]
    rows: tuple[tuple[float, ...], ...]
    events: Mapping[str, EventRecord]
    asked: tuple[bool, ...]
    """Which candidates stand for the value that the question's clause of time names."""
    facts: Held
    """Values of the believed facts that fit the question, and when each holds."""


@lru_cache(maxsize=256)
def read_passage(
    text: str, written: int, settings: GroundingSettings
) -> tuple[Segmented, tuple[Phrase, ...], tuple[Placed, ...]]:
    """A passage in words with its phrases and their places in time; remembered, the text is immutable."""
    time = None if written == OPEN_START else DocumentTime(written, Granularity.DAY, "document")
    passage = segmented(text)
    found = phrases(passage, offices())
    return passage, tuple(found), tuple(placed(passage, found, ground(text, time, settings)))


async def pool(work: Work, intent: Intent, found: Retrieved) -> Pool:
    """The candidates of the best passages of what was retrieved."""
    events = {hit.event.event.event_id: hit.event for hit in found.hits if hit.event is not None}
    weights, documents = _weights(found), document_shares(found)
    chosen = sorted(weights, key=lambda chunk_id: (-weights[chunk_id], chunk_id))[:PASSAGES_MAX]
    records = await work.ports.store.chunks(work.moment.graph, chosen, work.moment.seen)
    records.sort(key=lambda record: (record.document_id, record.chunk.ordinal))
    passages = await asyncio.to_thread(_read, records, work.ports.grounding)
    passages = [p for p in passages if documents.get(p.record.document_id, 0.0) >= DOCUMENT_MIN]
    near, ranks = await _near(work, found, events)
    kinds = await _kinds(work, passages)
    facts = await _fact_values(work)
    alike = await asyncio.to_thread(_alike, work, intent, passages)
    found_in = _Found(weights, documents, near, ranks, events, _untold_ranks(found))
    return _assembled(work, intent, passages, found_in, kinds, facts, alike)


def _read(records: Sequence[ChunkRecord], settings: GroundingSettings) -> list[Passage]:
    return [
        Passage(record, *read_passage(record.chunk.text, record.document_time, settings))
        for record in records
    ]


def _weights(found: Retrieved) -> dict[str, float]:
    """What retrieval thinks of each chunk."""
    chunks: dict[str, float] = defaultdict(float)
    for rank, hit in enumerate(found.hits):
        if hit.event is not None:
            for chunk_id in hit.event.event.chunk_ids:
                chunks[chunk_id] += 1.0 / (RRF + rank)
        elif hit.chunk is not None:
            chunks[hit.chunk.chunk.chunk_id] += 1.0 / (RRF + rank)
    top = max(chunks.values(), default=1.0)
    return {name: worth / top for name, worth in chunks.items()}


def document_shares(found: Retrieved) -> dict[str, float]:
    """What retrieval thinks of each document, the best one having 1.

    The first few hits decide, not how many there are: a long document has some that come near in words.
    """
    documents: dict[str, float] = defaultdict(float)
    for rank, hit in enumerate(found.hits):
        record = hit.event or hit.chunk
        if record is not None:
            documents[record.document_id] += NEXT_SHARE**rank
    best = max(documents.values(), default=1.0)
    return {name: worth / best for name, worth in documents.items()}


async def _near(
    work: Work, found: Retrieved, events: dict[str, EventRecord]
) -> tuple[dict[str, float], dict[str, float]]:
    """Cosine of the events nearest to the question, and the rank of those that were retrieved."""
    graph, seen, store = work.moment.graph, work.shown, work.ports.store
    hits = await store.search_vector(graph, "event", await work.vector(), seen, None, NEAR_EVENTS_MAX)
    missing = [hit.id for hit in hits if hit.id not in events]
    for record in await store.events(graph, missing, seen):
        events[record.event.event_id] = record
    ranks = {
        hit.event.event.event_id: 1.0 / (1 + place / 5)
        for place, hit in enumerate(hit for hit in found.hits if hit.event is not None)
        if hit.event is not None
    }
    if Part.GRAPH not in work.without:
        await _linked(work, events, ranks)
    return {hit.id: hit.score for hit in hits}, ranks


def _untold_ranks(found: Retrieved) -> dict[tuple[str, int], float]:
    """The rank of each sentence that was found as a passage of its own."""
    places = enumerate(hit for hit in found.hits if hit.event is not None or hit.chunk is not None)
    return {
        (hit.chunk.document_id, hit.chunk.chunk.start_char): 1.0 / (1 + place / 5)
        for place, hit in places
        if hit.chunk is not None
    }


async def _linked(work: Work, events: Mapping[str, EventRecord], ranks: dict[str, float]) -> None:
    """Neighbours in the event graph of what was found best have a share of its rank."""
    best = sorted(ranks, key=lambda event_id: (-ranks[event_id], event_id))[:SEEDS_MAX]
    for link in await work.ports.store.neighbours(work.moment.graph, best) if best else ():
        for seed, other in ((link.event_id, link.neighbour_id), (link.neighbour_id, link.event_id)):
            if seed in best and other in events:
                ranks[other] = max(ranks.get(other, 0.0), NEIGHBOUR * link.weight * ranks[seed])


async def _kinds(work: Work, passages: Sequence[Passage]) -> dict[str, EntityType]:
    """The kind of each name of the passages that the graph knows."""
    names = sorted({normalise(phrase.text) for passage in passages for phrase in passage.phrases} - {""})
    known = await work.ports.store.entities_by_name(work.moment.graph, names[:NAMES_MAX], work.moment.seen)
    return {name: records[0].type for name, records in known.items() if records}


def _alike(work: Work, intent: Intent, passages: Sequence[Passage]) -> dict[str, float]:
    """How near each phrase is in meaning to the kind of thing that is asked for; blocking."""
    texts = list(
        dict.fromkeys(p.text for passage in passages for p in passage.phrases if p.shape not in _PARTS)
    )
    if not texts:
        return {}
    vectors = work.ports.encoder.encode([intent.sought, *texts])
    scores = vectors[1:] @ vectors[0]
    return {text: float(score) for text, score in zip(texts, scores, strict=True)}


async def _fact_values(work: Work) -> Held:
    """Values of believed facts that fit the question, at any time, and when each holds."""
    if Part.FACTS in work.without:
        return {}
    facts = await work.facts_of(work.question.entity_ids)
    matches = Matcher(work.question, work.ports.registry, work.names).matches(facts)
    held: dict[str, list[Interval]] = defaultdict(list)
    for match in matches:
        fact = match.fact
        values = {normalise(work.name(fact.subject))}
        values.add(normalise(work.name(fact.object) if fact.object_is_entity else fact.object))
        values.update(normalise(value) for name, value in fact.qualifiers if name == "role")
        for value in values:
            held[value].append(fact.valid)
    return {value: tuple(spans) for value, spans in held.items()}


@dataclass(frozen=True, slots=True)
class _Found:
    """What retrieval says: of chunks, of documents and, by event id, of nearness and rank; ``untold``: the
    rank of sentences that no event tells, by document and first character.
    """

    weights: Mapping[str, float]
    documents: Mapping[str, float]
    near: Mapping[str, float]
    ranks: Mapping[str, float]
    events: Mapping[str, EventRecord]
    untold: Mapping[tuple[str, int], float]


def _assembled(
    work: Work,
    intent: Intent,
    passages: Sequence[Passage],
    found: _Found,
    kinds: Mapping[str, EntityType],
    facts: Held,
    alike: Mapping[str, float],
) -> Pool:
    by_document: dict[str, list[EventRecord]] = defaultdict(list)
    for event in found.events.values():
        by_document[event.document_id].append(event)
    top = max(found.near.values(), default=1.0) or 1.0
    described = any(relation.name in _DESCRIBED for relation, _ in intent.relations)
    names = {word for name in intent.names for word in name.split()} - _SMALL
    candidates: list[Candidate] = []
    rows: list[tuple[float, ...]] = []
    whole = {} if intent.is_of("name") else _whole(passages, kinds)
    leads = _leads(passages, whole)
    for index, passage in enumerate(passages):
        record = passage.record
        statements = _statements(passage, by_document[record.document_id], found, intent, top)
        title = frozenset(normalise(record.chunk.title).split())
        longer = whole.get(record.document_id, {})
        listed = _named(passage, longer)
        own = {value for short, (_, value) in longer.items() if set(short.split()) <= intent.whole}
        counts = Counter(value for _, value in listed)
        titled = bool(title) and title <= intent.everything
        headings = _headings(passage.segmented)
        for (phrase, value), place in zip(listed, passage.places, strict=True):
            if (
                not value
                or value in own  # what the question names by a part of its name
                or set(value.split()) <= intent.whole
                or (phrase.shape is Shape.LOWER and not described)
                or (phrase.shape in _PARTS and set(value.split()) & names)
            ):
                continue
            if Part.CHUNKS in work.without and not statements[phrase.sentence].rank:
                continue  # without passages only what retrieved events say is read
            candidate = Candidate(
                phrase, place, value, index, record.document_id, (record.chunk.ordinal, phrase.first)
            )
            candidates.append(candidate)
            rows.append(
                tuple(
                    said(
                        intent,
                        passage.segmented,
                        candidate,
                        About(
                            statement=statements[phrase.sentence],
                            kinds=kinds_of(phrase.text, kinds.get(value, EntityType.UNSPECIFIED)),
                            passage=found.weights.get(record.chunk.chunk_id, 0.0),
                            document=found.documents.get(record.document_id, 0.0),
                            title=title,
                            fact=value in facts,
                            count=counts[value],
                            heading=headings[phrase.sentence],
                            alike=alike.get(phrase.text, 0.0),
                            titled=titled,
                            leads=leads[record.document_id, value],
                        ),
                    )
                )
            )
    asked = intent.anchors([candidate.value for candidate in candidates])
    return Pool(tuple(passages), tuple(candidates), tuple(rows), found.events, asked, facts)


def _whole(
    passages: Sequence[Passage], kinds: Mapping[str, EntityType]
) -> dict[str, dict[str, tuple[str, str]]]:
    """For each document its short names with what they stand for."""
    found: dict[str, list[tuple[Phrase, str]]] = defaultdict(list)
    for passage in passages:
        found[passage.record.document_id] += [(p, as_value(p.text)) for p in passage.phrases]
    return {document: whole_names(listed, kinds) for document, listed in found.items()}


def _leads(
    passages: Sequence[Passage], whole: Mapping[str, Mapping[str, tuple[str, str]]]
) -> dict[tuple[str, str], Leads]:
    """By document and value, what the words say that lead to it."""
    found: dict[tuple[str, str], list[tuple[str, bool]]] = defaultdict(list)
    for passage in passages:
        document = passage.record.document_id
        for phrase, value in _named(passage, whole.get(document, {})):
            found[document, value].append(leading_words(passage.segmented, phrase))
    return {key: leads_of(words) for key, words in found.items()}


def _named(passage: Passage, whole: Mapping[str, tuple[str, str]]) -> list[tuple[Phrase, str]]:
    """The phrases under their whole names, with their normal forms."""
    found: list[tuple[Phrase, str]] = []
    for phrase in passage.phrases:
        text = without_possessive(phrase.text)
        text, value = whole.get(as_value(text), (text, as_value(text)))
        found.append((phrase if text == phrase.text else replace(phrase, text=text), value))
    return found


def _statements(
    passage: Passage,
    records: Iterable[EventRecord],
    hits: _Found,
    intent: Intent,
    top: float,
) -> list[Statement]:
    """One for each sentence, from the events that begin or end in it; one that no event tells is as near as
    events of the text usually are.
    """
    chunk, text = passage.record.chunk, passage.segmented
    found: list[Statement] = []
    listed = [
        r for r in records if r.event.end_char > chunk.start_char and r.event.start_char < chunk.end_char
    ]
    usual = median([hits.near.get(r.event.event_id, FLOOR) for r in listed] or [FLOOR])
    for sentence in text.sentences:
        first = text.words[sentence.first].start + chunk.start_char
        last = text.words[sentence.last - 1].end + chunk.start_char
        own = [r.event for r in listed if r.event.start_char < last and r.event.end_char > first]
        cosine = max((hits.near.get(event.event_id, FLOOR) for event in own), default=usual)
        alone = hits.untold.get((passage.record.document_id, first), 0.0)
        rank = max((hits.ranks.get(event.event_id, 0.0) for event in own), default=alone)
        low = normalise(text.text[text.words[sentence.first].start : text.words[sentence.last - 1].end])
        named = any(name and name in low for name in intent.names)
        found.append(Statement(cosine, rank, named, cosine / top))
    return found


def _headings(passage: Segmented) -> list[frozenset[str]]:
    """For each sentence the stems of the last line before it that is a heading."""
    found: list[frozenset[str]] = []
    last: frozenset[str] = frozenset()
    for sentence in passage.sentences:
        found.append(last)
        words = passage.words[sentence.first : sentence.last]
        if (
            len(words) <= HEADING_WORDS_MAX
            and words[-1].text not in ".!?,"
            and words[0].text not in "-\u2022"
        ):
            last = frozenset(stem(word.low) for word in words if not word.is_mark)
    return found
