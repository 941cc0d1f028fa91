"""When what a passage says holds: by the dates of the sentence that says it, else by its revision."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from tidegraph.domain.asked import Asked
from tidegraph.domain.interval import ALWAYS, OPEN_END, OPEN_START, Granularity, Interval
from tidegraph.language.grounding import ground
from tidegraph.ports import ChunkRecord
from tidegraph.services.usecases.question import verb_side
from tidegraph.services.usecases.words import stem, tables, tokens
from tidegraph.services.usecases.work import Work
from tidegraph.settings import GroundingSettings

_SENTENCE: Final = re.compile(r"\S(?:.*?[.!?](?=\s|$)|.+?(?=\n|$))", re.DOTALL)


async def holds_of(
    work: Work, passages: Sequence[ChunkRecord], said: str, window: Interval
) -> tuple[Interval, ...]:
    """When what the passages say of an answer holds: what meets the window, or where nothing does, all of it.

    What is told with a date began then and may last, unless the date is told as its end. What is told without
    one holds while its revision is in force.
    """
    documents = list(dict.fromkeys(record.document_id for record in passages))
    force = await work.ports.store.in_force(work.moment.graph, documents, work.moment.seen)
    found: list[Interval] = []
    for record in passages:
        dated = list(_dated(work, record, said))
        found += dated or [force.get((record.document_id, record.revision), ALWAYS)]
    met = [span for span in found if span.overlaps(window)]
    return tuple(met or found)


def _dated(work: Work, record: ChunkRecord, said: str) -> Iterator[Interval]:
    """What the dates of the sentences say that share most words with the answer."""
    wanted = _content(said)
    sentences = [match.group() for match in _SENTENCE.finditer(record.chunk.text)]
    shares = [len(wanted & _content(sentence)) for sentence in sentences]
    best = max(shares, default=0)
    for share, sentence in zip(shares, sentences, strict=True):
        if best and share == best:
            yield from _spans(sentence, work.ports.grounding)


def _spans(sentence: str, settings: GroundingSettings) -> Iterator[Interval]:
    ends = verb_side(tuple(token.lower for token in tokens(sentence))) is Asked.END
    for interval in (told.interval for told in ground(sentence, None, settings)):
        if interval is None:
            continue
        if interval.granularity is Granularity.RANGE:
            yield interval
        else:
            yield Interval(OPEN_START, interval.end) if ends else Interval(interval.start, OPEN_END)


def _content(text: str) -> frozenset[str]:
    return frozenset(stem(t.lower) for t in tokens(text) if t.lower not in tables().stop)
