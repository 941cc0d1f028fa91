"""Sentences of the best passages that no event tells: evidence of a second grain.

What names no time and no one of its own makes no event, and may still hold the answer.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Final

from tidegraph.domain.interval import Interval, instant
from tidegraph.ports import ChunkRecord, EventSketch
from tidegraph.services.usecases.spans.segments import segmented

PASSAGES_MAX: Final = 3
"""Passages that are read for it: a fixed number."""
WORDS_MIN: Final = 4
CHARACTERS_MAX: Final = 800
_YEAR: Final = re.compile(r"(?<![\d.,])(1\d{3}|20[0-4]\d)(?![\d]|[.,]\d)")


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence as a passage of its own; ``interval``: from the first to the last year that it names."""

    record: ChunkRecord
    interval: Interval | None

    @property
    def id(self) -> str:
        chunk = self.record.chunk
        return f"sentence:{chunk.chunk_id}:{chunk.start_char:09d}"


def untold(
    records: Iterable[ChunkRecord], told: Iterable[EventSketch], window: Interval | None
) -> list[Sentence]:
    """The sentences of passages in which none of the events begins, one for each place.

    Args:
        window: when what is said may have been; a sentence that names other years only is left out.
    """
    begins = _begins(told)
    found: dict[tuple[str, int], Sentence] = {}
    for record in records:
        chunk, starts = record.chunk, begins.get(record.document_id, ())
        for first, last in _sentences(chunk.text):
            start, end = chunk.start_char + first, chunk.start_char + last
            next_ = bisect_left(starts, start)
            if next_ < len(starts) and starts[next_] < end:
                continue
            text = chunk.text[first:last]
            years = years_of(text)
            if years is None or window is None or years.overlaps(window):
                own = replace(record, chunk=replace(chunk, text=text, start_char=start, end_char=end))
                found.setdefault((record.document_id, start), Sentence(own, years))
    return list(found.values())


def _begins(told: Iterable[EventSketch]) -> Mapping[str, Sequence[int]]:
    found: dict[str, list[int]] = defaultdict(list)
    for sketch in told:
        found[sketch.document_id].append(sketch.start_char)
    return {document: sorted(starts) for document, starts in found.items()}


@lru_cache(maxsize=1_024)
def _sentences(text: str) -> tuple[tuple[int, int], ...]:
    """(first character, one past the last) of each sentence that is neither a scrap nor a page, nor all that
    there is.
    """
    passage = segmented(text)
    spans = (
        (passage.words[s.first].start, passage.words[s.last - 1].end)
        for s in passage.sentences
        if s.last - s.first >= WORDS_MIN
    )
    longest = min(CHARACTERS_MAX, len(text.strip()) - 1)
    return tuple((first, last) for first, last in spans if last - first <= longest)


def years_of(text: str) -> Interval | None:
    """From the first to the last year that a text names in four digits."""
    years = [int(year) for year in _YEAR.findall(text)]
    return Interval(instant(min(years), 1, 1), instant(max(years) + 1, 1, 1)) if years else None
