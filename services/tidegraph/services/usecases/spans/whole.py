"""The whole name of what a passage calls by a part of it: a surname, a club's last word, initials. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import Final

from tidegraph.domain.documents import EntityType
from tidegraph.domain.naming import normalise
from tidegraph.services.usecases.spans.phrases import Phrase, Shape

WORDS_MAX: Final = 5
LETTERS_MIN: Final = 3
_NAMES: Final = (Shape.NAME, Shape.HEAD)


def whole_names(
    found: Iterable[tuple[Phrase, str]], kinds: Mapping[str, EntityType]
) -> dict[str, tuple[str, str]]:
    """Normal form of a short name to (text, normal form) of the one longer name that it stands for.

    "Poulsen" stands for "Egon Poulsen" and "CSIRO" for the name with these initials, where the document has
    one such name and no second. A place stands for itself: "Madrid" is no "Real Madrid".

    Args:
        found: the phrases of one document with their normal forms, in its order.
        kinds: what the graph knows of a normal form.
    """
    short: dict[str, str] = {}
    by_end: dict[str, dict[str, str]] = defaultdict(dict)
    by_initials: dict[str, dict[str, str]] = defaultdict(dict)
    for phrase, value in found:
        words = phrase.text.split()
        if len(words) == 1 and phrase.shape in _NAMES:
            short.setdefault(value, phrase.text)
        if len(words) < 2 or not value:
            continue
        if phrase.shape in _NAMES and len(words) <= WORDS_MAX and all(w[0].isupper() for w in words):
            by_end[value.split()[-1]].setdefault(value, phrase.text)
        initials = "".join(word[0] for word in words if word[0].isupper())
        if len(initials) >= LETTERS_MIN:
            by_initials[initials].setdefault(value, phrase.text)
    whole: dict[str, tuple[str, str]] = {}
    for value, text in short.items():
        if kinds.get(value) is EntityType.PLACE:
            continue
        longer = by_initials.get(text, {}) if text.isupper() else by_end.get(value, {})
        if len(longer) == 1:
            normal, said = next(iter(longer.items()))
            whole[value] = (said, normal)
    return whole


def without_possessive(text: str) -> str:
    """A name without the 's of the possessive that ends it."""
    for end in ("'s", "\u2019s"):
        if text.endswith(end):
            return text[: -len(end)].rstrip()
    return text


def as_value(text: str) -> str:
    """The normal form under which a phrase is counted as a value."""
    return normalise(without_possessive(text))
