"""The words of a unit as the recogniser and the parser see them, with their offsets.

Text that was taken from a corpus has blanks before its full stops ("the U.S . Army", "T . B . Harms"). The
stop of an abbreviation is put back on its word, or the parser would end a sentence there. White space
makes no words of its own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from spacy.language import Language
from spacy.tokens import Doc, Token

from tidegraph.language.words import words

_BREAK: Final = re.compile(r"[\r\n\t]")
_INITIALS: Final = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]|[^\W\d_]")
_GLUED: Final = re.compile(r"([^.@/\\]*[^\W\d_A-Z]|\d{4}|[^.@/]*[)\]”\"])\.([A-Z][a-z’']*)")
_TITLES: Final = words("names", "shortened_titles")
_CLOSING: Final = words("names", "shortened_closings")
_COUNTED: Final = words("names", "shortened_numbers")
_OPENERS: Final = words("names", "openers")


@dataclass(frozen=True, slots=True)
class Words:
    """A document of the model; ``spans[k]`` is where its word k stands in the unit."""

    doc: Doc
    spans: list[tuple[int, int]]


def tokenise(nlp: Language, text: str) -> Words:
    """The words of a unit. A line break inside it is a blank: mail is wrapped in the middle of names."""
    doc = nlp.make_doc(_BREAK.sub(" ", text))
    spans = [(t.idx, t.idx + len(t)) for t in doc]
    stops = {t.i + 1 for t in doc if _is_shortened(t, doc)}
    if not stops and not any(t.is_space or "." in t.text[1:-1] for t in doc):
        return Words(doc, spans)
    shown: list[str] = []
    spaces: list[bool] = []
    places: list[tuple[int, int]] = []
    for token in doc:
        if token.is_space:
            if spaces:
                spaces[-1] = True
            continue
        if token.i in stops and shown:
            shown[-1] += "."
            places[-1] = (places[-1][0], spans[token.i][1])
            spaces[-1] = bool(token.whitespace_)
            continue
        pieces = _parted(token.text)
        at = token.idx
        for piece in pieces:
            shown.append(piece)
            spaces.append(False)
            places.append((at, at + len(piece)))
            at += len(piece)
        spaces[-1] = bool(token.whitespace_)
    return Words(Doc(nlp.vocab, words=shown, spaces=spaces), places)


def _parted(word: str) -> list[str]:
    """The words of two sentences that were glued together: "1975.From"."""
    match = _GLUED.fullmatch(word)
    return [match.group(1), ".", match.group(2)] if match else [word]


def _is_shortened(token: Token, doc: Doc) -> bool:
    """Whether the full stop that stands apart after a word marks it as an abbreviation."""
    if token.i + 2 >= len(doc) or doc[token.i + 1].text != "." or not token.whitespace_:
        return False
    following = doc[token.i + 2]
    if token.lower_ in _COUNTED:
        return following.text[0].isdigit()
    if token.lower_ in _TITLES:
        return following.text[0].isupper() and not following.is_stop
    if token.text == "I" or not (token.lower_ in _CLOSING or _INITIALS.fullmatch(token.text)):
        return False
    if not following.text[0].isalnum():
        return following.text in {",", ";", "&", "-", ")"}
    return token.text[0].isupper() and not (following.is_stop or following.lower_ in _OPENERS)
