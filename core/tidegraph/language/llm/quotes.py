"""Where what a model quotes stands in the text. What does not stand there was not said by the document."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from unicodedata import category

from tidegraph.language.blocks import blocks
from tidegraph.language.orders import marked

Span = tuple[int, int]
_SAME: Final = str.maketrans(
    {
        "‘": "'",
        "’": "'",
        "‚": "'",
        "“": '"',
        "”": '"',
        "„": '"',
        "–": "-",
        "—": "-",
        "‐": "-",
        "‑": "-",
    }
)
"""Characters that models write alike; each is one code point, so that offsets hold."""
_UNSPACED: Final = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
"""Scripts that put no blanks between words: Thai to Khmer, kana, ideographs."""
_BREAK: Final = re.compile(r"[.!?]+[\"')\]]*\s+|\n\s*\n|\n(?=[-*#])")
_WORD: Final = re.compile(r"[^\W_]+(?:[.,:'-][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class Folded:
    """A text with runs of blanks as one blank, typographic signs as plain ones, and nothing invisible.

    ``places[i]`` is the offset in the text of the folded character ``i``; one more for the end.
    """

    text: str
    places: tuple[int, ...]

    @staticmethod
    def of(text: str) -> Folded:
        """Fold a text; linear."""
        kept: list[str] = []
        places: list[int] = []
        for place, character in enumerate(text.translate(_SAME)):
            blank = not character.isprintable() or character == " "
            if blank and category(character) == "Cf":
                continue  # a soft hyphen, a joiner: a model leaves it out
            if blank and kept and kept[-1] == " ":
                continue
            kept.append(" " if blank else character)
            places.append(place)
        return Folded("".join(kept), (*places, len(text)))

    def find(self, quote: str, after: int = 0) -> Span | None:
        """The first place of a quotation that begins at or behind ``after``, as :meth:`all` gives it."""
        return next(iter(self.all(quote, after, 1)), None)

    def all(self, quote: str, after: int = 0, most: int = 64) -> list[Span]:
        """The places of a quotation, as whole words, in order; offsets of the text."""
        wanted = Folded.of(quote).text.strip()
        found: list[Span] = []
        at = self.text.find(wanted) if wanted else -1
        while at >= 0 and len(found) < most:
            end = at + len(wanted)
            if self.places[at] >= after and self._whole(at, end):
                found.append((self.places[at], self.places[end - 1] + 1))
            at = self.text.find(wanted, at + 1)
        return found

    def _whole(self, start: int, end: int) -> bool:
        edges = (self.text[max(0, start - 1) : start + 1], self.text[end - 1 : end + 1])
        return not any(len(edge) == 2 and edge.isalnum() and not _UNSPACED.search(edge) for edge in edges)


def withheld(text: str) -> tuple[Span, ...]:
    """The blocks of a text that give instructions to whatever reads it: a model does not see them."""
    return tuple((block.start, block.end) for block, ordering in marked(text, blocks(text)) if ordering)


def blanked(text: str, hidden: Sequence[Span]) -> str:
    """A text with blanks in place of what is withheld; offsets hold."""
    pieces, at = [], 0
    for start, end in hidden:
        pieces += [text[at:start], " " * (end - start)]
        at = end
    return "".join((*pieces, text[at:]))


def fenced(text: str, fence: str) -> str:
    """A text as it may stand between a fence's tags: without anything like them or a chat's own marks.

    Long runs of blanks are cut short: they cost tokens and tell nothing.
    """
    marks = rf"<\s*/?\s*{fence}\b[^>]*>|<\|[^|>]{{0,40}}\|>"
    return re.sub(r"[ \t]{3,}", "  ", re.sub(marks, " ", text, flags=re.IGNORECASE))


def sentence_around(text: str, span: Span, most: int = 600) -> Span:
    """A span widened to the sentence that it stands in, at most ``most`` characters to either side."""
    before, after = text[max(0, span[0] - most) : span[0]], text[span[1] : span[1] + most]
    starts = [match.end() for match in _BREAK.finditer(before)]
    start = span[0] - len(before) + (starts[-1] if starts else 0)
    if span[1] > span[0] and text[span[1] - 1] in ".!?":
        return start, span[1]
    stop = _BREAK.search(after)
    return start, span[1] + (stop.start() + 1 if stop else len(after))


def adds_nothing(statement: str, sources: Sequence[str]) -> bool:
    """Whether every name and number of a statement stands in the sources, so that nothing was made up."""
    known = {word.casefold() for text in sources for word in _words(text)}
    return all(
        word.casefold() in known
        for word in _words(statement)
        if word[0].isupper() or any(character.isdigit() for character in word)
    )


def _words(text: str) -> set[str]:
    """The words of a text, those joined by a sign also apart."""
    found: set[str] = set()
    for word in _WORD.findall(text.translate(_SAME)):
        found.add(word)
        found.update(re.split(r"[.,:'-]", word))
    return found - {""}
