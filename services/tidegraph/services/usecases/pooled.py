"""A candidate on its way through retrieval, and what the feature reranker is told of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Final

from tidegraph.domain.facts import FactVersion
from tidegraph.ports import EventSketch
from tidegraph.services.usecases import ranking
from tidegraph.services.usecases.legs import Leg, Legs
from tidegraph.services.usecases.phrasing import statement
from tidegraph.services.usecases.ranking import Candidate
from tidegraph.services.usecases.untold import Sentence
from tidegraph.services.usecases.work import Work


@dataclass(frozen=True, slots=True)
class Entry:
    """A candidate of the pool; a chunk is neither a sketch nor a fact nor a sentence."""

    id: str
    score: float
    ranks: tuple[tuple[str, int], ...]
    sketch: EventSketch | None
    fact: FactVersion | None
    parts: tuple[tuple[str, float], ...] = ()
    sentence: Sentence | None = None


class Candidates:
    """What the reranker is told of each hit."""

    def __init__(self, work: Work, found: Legs, cosines: Mapping[str, float], pool: Iterable[Entry]) -> None:
        self._work = work
        self._found = found
        self._cosines = cosines
        self._usual = _usual(cosines, pool)
        self._documents = _document_scores(found.found)
        self._chunk_documents = {
            hit.id: hit.document_id for leg in found.found for hit in leg.hits if hit.id.startswith("chunk:")
        }
        self._links = [frozenset(link.ids) for link in work.question.entities]
        self._text = text_of(work)
        self.question = work.meaning

    def of(self, hit: Entry) -> Candidate:
        cosine = self._cosines.get(hit.id, 0.0)
        if hit.sketch is not None:
            return self._event(hit.id, hit.sketch, cosine)
        if hit.fact is not None:
            return self._fact(hit, hit.fact)
        if hit.sentence is not None:
            return self._sentence(hit.id, hit.sentence)
        document_id = self._chunk_documents.get(hit.id, "")
        return Candidate(
            id=hit.id,
            text=_CHUNK,
            title="",
            cosine=cosine,
            document_id="",
            document=self._documents.get(document_id, 0.0),
            named=0.0,
            interval=None,
            confirmed_at=0,
            place=0,
        )

    def _event(self, id_: str, record: EventSketch, cosine: float) -> Candidate:
        return Candidate(
            id=id_,
            text=record.sentence,
            title=record.title,
            cosine=cosine,
            document_id=record.document_id,
            document=self._documents.get(record.document_id, 0.0),
            named=max(ranking.title_share(record.title, self.question), self._named(record.entity_ids)),
            interval=record.interval,
            confirmed_at=record.document_time,
            place=record.start_char,
        )

    def _fact(self, hit: Entry, fact: FactVersion) -> Candidate:
        fit = self._found.facts.fit.get(hit.id, 0.0)
        sides = (fact.subject, fact.object) if fact.object_is_entity else (fact.subject,)
        return Candidate(
            id=hit.id,
            text=self._text(hit),
            title="",
            cosine=fit,
            document_id="",
            document=fit,
            named=self._named(sides),
            interval=fact.valid,
            confirmed_at=fact.recorded_at,
            place=0,
            fact=fit,
        )

    def _sentence(self, id_: str, sentence: Sentence) -> Candidate:
        """Of a sentence that is no event there is no vector: it is as near as events of its text are."""
        record = sentence.record
        return Candidate(
            id=id_,
            text=record.chunk.text,
            title=record.chunk.title,
            cosine=self._usual.get(record.document_id, self._usual.get("", 0.0)),
            document_id=record.document_id,
            document=self._documents.get(record.document_id, 0.0),
            named=ranking.title_share(record.chunk.title, self.question),
            interval=sentence.interval,
            confirmed_at=record.document_time,
            place=record.chunk.start_char,
            untold=True,
        )

    def _named(self, entity_ids: Sequence[str]) -> float:
        """Share of the names of the question that are among the entities."""
        if not self._links:
            return 0.0
        sides = set(entity_ids)
        return sum(bool(ids & sides) for ids in self._links) / len(self._links)


_CHUNK: Final = "word " * 120
"""Stands for the text of a chunk, which is read only when it is shown: a chunk is long."""


def _usual(cosines: Mapping[str, float], pool: Iterable[Entry]) -> dict[str, float]:
    """The median cosine of the events of each document, and under "" that of all."""
    found: dict[str, list[float]] = defaultdict(list)
    for entry in pool:
        if entry.sketch is not None:
            cosine = cosines.get(entry.id, 0.0)
            found[entry.sketch.document_id].append(cosine)
            found[""].append(cosine)
    return {document: median(own) for document, own in found.items()}


def _document_scores(legs: Sequence[Leg]) -> dict[str, float]:
    """The best text match of each document's passages as a share of the best of all."""
    hits = [hit for leg in legs if leg.name == "text_chunk" for hit in leg.hits]
    best = max((hit.score for hit in hits), default=0.0) or 1.0
    scores: dict[str, float] = {}
    for hit in hits:
        scores[hit.document_id] = max(scores.get(hit.document_id, 0.0), hit.score / best)
    return scores


def text_of(work: Work) -> Callable[[Entry], str]:
    """What a hit says, in one sentence; "" for a chunk."""

    def text(hit: Entry) -> str:
        if hit.fact is not None:
            return statement(hit.fact, work.ports.registry, work.names, work.moment.now)
        if hit.sentence is not None:
            return hit.sentence.record.chunk.text
        return hit.sketch.sentence if hit.sketch is not None else ""

    return text
