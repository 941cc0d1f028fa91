"""The tokens of a unit as the rules for names ask of them: capitals, openings, the recogniser's spans."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tidegraph.domain.documents import EntityType
from tidegraph.language.tokens import Words
from tidegraph.language.words import words

_CONNECTORS: Final = words("names", "connectors")
_CALENDAR: Final = words("names", "calendar")
_AMBIGUOUS: Final = words("names", "ambiguous_given_names")
_GIVEN: Final = words("names", "given_names_male") | words("names", "given_names_female")
NER_TYPES: Final = {
    "PERSON": EntityType.PERSON,
    "ORG": EntityType.ORGANISATION,
    "GPE": EntityType.PLACE,
    "LOC": EntityType.PLACE,
    "FAC": EntityType.PLACE,
    "NORP": EntityType.OTHER,
    "PRODUCT": EntityType.OTHER,
    "EVENT": EntityType.OTHER,
    "WORK_OF_ART": EntityType.OTHER,
    "LAW": EntityType.OTHER,
}
"""Labels of the recogniser that name things, by the kind of thing."""
_MAX_KNOWN_TOKENS: Final = 20


class Tokens:
    """What the rules ask of the tokens of one unit, computed once."""

    def __init__(
        self, found: Words, known: Sequence[tuple[int, int]], times: Sequence[tuple[int, int]]
    ) -> None:
        doc = found.doc
        self.text = [t.text for t in doc]
        self.lower = [t.lower() for t in self.text]
        self.space_before = [False, *(bool(t.whitespace_) for t in doc)][: len(self.text)]
        self.stop = [t.is_stop for t in doc]
        self.opening = _openings(self.text)
        self.ner = [(0, "")] * len(self.text)
        for number, entity in enumerate(doc.ents, 1):
            if entity.label_ in NER_TYPES:
                for i in range(entity.start, entity.end):
                    self.ner[i] = (number, entity.label_)
        self.known: dict[int, int] = {}
        self.timed = [False] * len(self.text)
        offsets = [start for start, _ in found.spans]
        ends = [end for _, end in found.spans]
        starts = {offset: i for i, offset in enumerate(offsets)}
        for start, end in known:
            first = starts.get(start)
            if first is not None and end in ends[first : first + _MAX_KNOWN_TOKENS]:
                self.known[first] = ends.index(end, first) + 1
        spans = iter(sorted(times))
        span = next(spans, None)
        for i, offset in enumerate(offsets):
            while span and span[1] <= offset:
                span = next(spans, None)
            self.timed[i] = bool(span and span[0] < ends[i])

    def capital(self, i: int) -> bool:
        """Whether a token may be a word of a name by its looks."""
        text = self.text[i]
        if self.timed[i] and (self._is_surname(i) or self._is_given(i)):
            return True
        if self.timed[i] or (self.lower[i] in _CALENDAR and not self.ner[i][0] and not self._is_given(i)):
            return False
        if text[0].isupper():
            return not (len(text) == 1 and text == "I")
        if text[0].islower():
            # eBay, iPhone
            return len(text) > 2 and text[1].isupper() and text[1:].isalpha()
        return text[0].isdigit() and any(c.isupper() for c in text) and text.isalnum()

    def _is_given(self, i: int) -> bool:
        """ "Jan Novak", "April Moss": a month's name before a capitalised word."""
        following = self.text[i + 1 : i + 2]
        known = self.lower[i] in _AMBIGUOUS | _GIVEN and bool(following)
        return (
            known
            and following[0][0].isupper()
            and not self.timed[i + 1]
            and self.lower[i + 1] not in _CALENDAR
        )

    def _is_surname(self, i: int) -> bool:
        """ "Gert de Winter", "Theresa May": a season or month directly after a name's word is the name's."""
        alone = not (self.timed[i - 1] if i else True) and not (i + 1 < len(self.timed) and self.timed[i + 1])
        if not alone or not self.text[i][0].isupper() or not self.text[i].isalpha():
            return False
        before = self.text[i - 1]
        given = self.lower[i - 1] in _GIVEN or (
            self.lower[i - 1] in _CONNECTORS and i > 1 and self.text[i - 2][0].isupper()
        )
        return given or (self.ner[i][1] == "PERSON" and before[0].isupper())


def _openings(texts: Sequence[str]) -> list[bool]:
    """Whether a token opens a sentence (or a quotation, or an item after a colon)."""
    result = []
    opening = True
    for text in texts:
        result.append(opening)
        if text in {".", "!", "?", ":", ";", "•"} or text.startswith("\n"):
            opening = True
        elif text in {'"', "“", "(", "-", "*", "_", "**", "—", "'", "‘", "\n", " ", "#"}:
            continue
        else:
            opening = False
    return result
