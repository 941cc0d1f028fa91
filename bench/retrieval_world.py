"""A graph of any size for retrieval.py, written by the product's own writer from made-up documents.

Vectors are clustered like those of an encoder: a topic's direction, a name's, and noise. A query's vector
is made the same way; the real encoder runs beside it, so that its time is paid.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tidegraph.domain.documents import (
    Chunk,
    DocumentHeader,
    DocumentKind,
    DocumentTime,
    EndpointBasis,
    EntityType,
    Event,
    ExtractedAssertion,
    ExtractedDocument,
    Mention,
    Position,
    Status,
    Term,
    TimeState,
    ValidTime,
    Verb,
)
from tidegraph.domain.interval import MICROS_PER_DAY, OPEN_END, Granularity, Interval, instant
from tidegraph.ports import Encoder

DIMENSIONS = 384
EVENTS_A_DOCUMENT = 3
FIRST, DAYS = instant(2000, 1, 1), 9_125
_VERBS = ("opened", "closed", "bought", "sold", "led", "joined", "left", "moved", "renamed", "audited")
_FIRST_PARTS = ("har", "mel", "sto", "vin", "cor", "tal", "bre", "nos", "quil", "fen")
_LAST_PARTS = ("lo", "dak", "rin", "met", "sow", "gar", "pel", "tun")
_THINGS = [first + last for first in _FIRST_PARTS for last in _LAST_PARTS]


class ClusteredEncoder:
    """Vectors from the words of a text: each word has a direction, rare words weigh more."""

    model_id = "bench-clustered"
    dimensions = DIMENSIONS

    def __init__(self, paid: Encoder | None = None) -> None:
        self._words: dict[str, NDArray[np.float32]] = {}
        self._paid = paid

    def encode(self, texts: Sequence[str]) -> NDArray[np.float32]:
        if self._paid is not None:
            self._paid.encode(texts)
        rows = np.array([self._one(text) for text in texts], dtype=np.float32).reshape(-1, DIMENSIONS)
        return rows / np.maximum(np.linalg.norm(rows, axis=1, keepdims=True), 1e-9)

    def _one(self, text: str) -> NDArray[np.float32]:
        return np.sum([self._word(word) for word in text.lower().rstrip(".?").split()], axis=0)

    def _word(self, word: str) -> NDArray[np.float32]:
        if word not in self._words:
            seed = int.from_bytes(hashlib.blake2b(word.encode(), digest_size=8).digest(), "big")
            self._words[word] = np.random.default_rng(seed).standard_normal(DIMENSIONS).astype(np.float32)
        return self._words[word]


@dataclass(frozen=True)
class Maker:
    """Documents by number: the same number, the same document."""

    graph: str
    entities: int

    def name(self, rng: random.Random) -> str:
        """A made-up name; some are told of far more often than others."""
        often = rng.random() < 0.3
        number = int(rng.paretovariate(0.9)) - 1 if often else rng.randrange(self.entities)
        number = min(number, self.entities - 1)
        first, last = _THINGS[number % len(_THINGS)], _THINGS[number // len(_THINGS) % len(_THINGS)]
        return f"{first.title()} {last.title()}{number}"

    def document(self, number: int) -> ExtractedDocument:
        rng = random.Random(number)
        at = FIRST + rng.randrange(DAYS) * MICROS_PER_DAY
        document_id = f"d{number}"
        header = DocumentHeader(
            graph=self.graph,
            document_id=document_id,
            revision="1",
            source="bench",
            title=f"Notice {number}",
            kind=DocumentKind.NARRATIVE,
            document_time=DocumentTime(at, Granularity.DAY, "bench"),
            labels=(),
            source_priority=0,
            language="en",
            position=Position("documents", 0, number, "bench"),
            recorded_at=instant(2026, 1, 1) + number,
            part=0,
            parts=1,
            content_hash=document_id,
        )
        told = [self._told(rng, document_id, at, place) for place in range(EVENTS_A_DOCUMENT)]
        mentions = tuple(mention for one, _, _ in told for mention in one)
        events = tuple(event for _, event, _ in told)
        text = " ".join(event.sentence for event in events)
        chunk = Chunk(f"{document_id}-c", 0, 0, len(text), header.title, text)
        claims = tuple(claim for _, _, claim in told)
        return ExtractedDocument(header, "bench", (chunk,), (), mentions, events, claims)

    def _told(
        self, rng: random.Random, document_id: str, at: int, place: int
    ) -> tuple[list[Mention], Event, ExtractedAssertion]:
        names = self.name(rng), self.name(rng)
        things = [rng.choice(_THINGS) for _ in range(3)]
        start = at - rng.randrange(400) * MICROS_PER_DAY
        verb = rng.choice(_VERBS)
        text = f"{names[0]} {verb} the {things[0]} {things[1]} of {names[1]} with {things[2]}."
        ids = [f"{document_id}-m{place}-{side}" for side in range(2)]
        mentions = [
            Mention(id_, name, name, EntityType.ORGANISATION, 0, 0)
            for id_, name in zip(ids, names, strict=True)
        ]
        event = Event(
            event_id=f"{document_id}-e{place}",
            chunk_ids=(f"{document_id}-c",),
            ordinal=place,
            sentence=text,
            start_char=place * 100,
            end_char=place * 100 + len(text),
            time_state=TimeState.DATED,
            interval=Interval(start, start + MICROS_PER_DAY, Granularity.DAY),
            time_rule_id="bench",
            mention_ids=tuple(ids),
            score=2,
            reasons=(),
            status=Status.ASSERTED,
            extractor="bench",
        )
        stated, none = EndpointBasis.STATED, EndpointBasis.NONE
        claim = ExtractedAssertion(
            assertion_id=f"{document_id}-a{place}",
            subject=Term(ids[0], ""),
            predicate="works for",
            object=Term(ids[1], ""),
            qualifiers=(),
            valid=ValidTime(start, OPEN_END, Granularity.DAY, Granularity.DAY, stated, none),
            verb=Verb.START,
            status=Status.ASSERTED,
            confidence=0.9,
            start_char=0,
            end_char=len(text),
            event_id=event.event_id,
            rule_id="bench",
        )
        return mentions, event, claim

    def question(self, number: int) -> tuple[str, Interval]:
        """A question about what a document tells, and a month near its time."""
        rng = random.Random(-1 - number)
        events = self.document(rng.randrange(1_000)).events
        event = events[rng.randrange(len(events))]
        assert event.interval is not None
        start = event.interval.start - 10 * MICROS_PER_DAY
        words = event.sentence.rstrip(".").split()
        text = f"What did {' '.join(words[:2])} do with {' '.join(words[3:6])}?"
        return text, Interval(start, start + 30 * MICROS_PER_DAY, Granularity.MONTH)
