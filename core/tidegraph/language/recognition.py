"""Names from another recogniser in the place of spaCy's: any :class:`tidegraph.ports.Recogniser`."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from typing import Final

from spacy.tokens import Doc, Span

from tidegraph.domain.documents import EntityType
from tidegraph.language.tokens import Words
from tidegraph.ports import NameFound, Recogniser

_LABELS: Final = {
    EntityType.PERSON: "PERSON",
    EntityType.ORGANISATION: "ORG",
    EntityType.PLACE: "GPE",
    EntityType.OTHER: "PRODUCT",
    EntityType.UNSPECIFIED: "NORP",
}
"""The label under which the rules for names know a kind; NORP: a people, and no thing by itself."""


def recognised(recogniser: Recogniser, texts: Sequence[str], words: Sequence[Words]) -> Iterator[Doc]:
    """The words of units with the names that the recogniser finds in their texts, in order."""
    for each, names in zip(words, recogniser.recognise(texts), strict=True):
        each.doc.set_ents(list(_spans(each, names)))
        yield each.doc


def _spans(words: Words, names: Sequence[NameFound]) -> Iterator[Span]:
    """The names as runs of whole words: a name that begins inside a word takes the word."""
    starts, ends = [start for start, _ in words.spans], [end for _, end in words.spans]
    taken = 0
    for name in sorted(names, key=lambda n: (n.start, -n.end)):
        first, last = bisect_right(ends, name.start), bisect_left(starts, name.end)
        first = max(first, taken)
        if first < last:
            yield Span(words.doc, first, last, label=_LABELS[name.type])
            taken = last
