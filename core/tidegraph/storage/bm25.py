"""BM25 over the words that the index holds, from counts that the writer keeps.

    idf(t)   = ln(1 + (N - n_t + 0.5) / (n_t + 0.5))
    score(d) = sum over asked words t of idf(t) * f * (k1 + 1) / (f + k1 * (1 - b + b * |d| / avg))

with N rows, n_t of them holding t, f how often d does, |d| its words and avg their mean (Robertson and
Zaragoza 2009, with k1 = 1.2 and b = 0.75). Counts cover every row that was ever written: what a caller may
see never changes the score of what they do see.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tidegraph.ports import DocumentWrite
from tidegraph.storage import terms

K1: Final = 1.2
B: Final = 0.75
_ROWS: Final = "#rows"
_WORDS: Final = "#words"


@dataclass(frozen=True, slots=True)
class Statistics:
    """Rows, words in all of them, and rows by asked word, of events or of chunks."""

    rows: int
    words: int
    holding: Mapping[str, int]

    @staticmethod
    def of(what: str, asked: Sequence[str], counts: Mapping[str, int]) -> Statistics:
        """From stored counts by id."""
        holding = {word: counts.get(term_id(what, word), 0) for word in asked}
        rows = max(counts.get(what + _ROWS, 0), 1, *holding.values())
        return Statistics(rows, max(counts.get(what + _WORDS, 0), 1), holding)

    def idf(self, word: str) -> float:
        held = min(self.holding.get(word, 0), self.rows)
        return math.log(1.0 + (self.rows - held + 0.5) / (held + 0.5))

    def score(self, text: str, held: Iterable[str]) -> float:
        """The score of a row from its words (as :func:`terms.words` cuts them).

        Args:
            held: the asked words that the index found in it, if only in another form; these count once.
        """
        return self.scorer(held)(text)

    def scorer(self, held: Iterable[str]) -> Callable[[str], float]:
        """The same for many rows that hold the same of the asked words."""
        weights = [(f" {word} ", self.idf(word)) for word in sorted(set(held))]
        rows, words = self.rows, self.words

        def score(text: str) -> float:
            padded = f" {text.replace(' ', '  ')} "
            length = text.count(" ") + 1
            norm = K1 * (1.0 - B + B * length * rows / words)
            total = 0.0
            for word, idf in weights:
                often = padded.count(word) or 1
                total += idf * often * (K1 + 1.0) / (often + norm)
            return total

        return score


def asked_ids(what: str, asked: Sequence[str]) -> list[str]:
    """Ids of the counts that :meth:`Statistics.of` reads."""
    return [what + _ROWS, what + _WORDS, *(term_id(what, word) for word in asked)]


def term_id(what: str, word: str) -> str:
    """Id of the count of rows that hold a word."""
    return f"{what}:{word}"


def added_counts(documents: Iterable[DocumentWrite]) -> dict[str, int]:
    """What the rows of a commit add to the counts, by id."""
    found: Counter[str] = Counter()
    for document in documents:
        for event in document.events:
            _add(found, "event", terms.words(event.title, event.event.sentence))
        for chunk in document.chunks:
            _add(found, "chunk", terms.words(chunk.chunk.title, chunk.chunk.text))
    return dict(found)


def _add(found: Counter[str], what: str, text: str) -> None:
    words = text.split()
    found[what + _ROWS] += 1
    found[what + _WORDS] += len(words)
    found.update(term_id(what, word) for word in set(words))
