"""Words that only who has read the document before them can place: a person known by one name, "I" in a text
about somebody, a sentence that goes on from another, an hour without its day.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from tidegraph.domain.documents import EntityType
from tidegraph.language.coreference import Resolution
from tidegraph.language.tree import Sentence, Token
from tidegraph.language.words import words

_FOLLOWING: Final = tuple(sorted(words("standing", "following_phrases")))
_FIRST_PERSON: Final = frozenset({"i", "my", "me", "mine", "myself"})
_SUBJECTS: Final = frozenset({"nsubj", "nsubjpass"})
_BESIDE: Final = frozenset({"succeed", "replace", "marry", "divorce", "befriend"})
_LIVING: Final = frozenset({"die", "marry", "divorce"})
_GIVEN: Final = words("names", "given_names_male") | words("names", "given_names_female")
_TOLD_BY: Final = frozenset({"appos", "acl", "compound", "relcl", "amod", "nmod", "prep", "nummod"})
_PEOPLE: Final = frozenset({EntityType.PERSON, EntityType.UNSPECIFIED})
_LATER: Final = frozenset({"later", "eventually", "subsequently", "again"})
_HOUR: Final = re.compile(r"\b\d{3,4} ?(?:hrs|hours)\b|\b\d{1,2}:\d\d\b(?! ?\.\d)")


def strangers(sentence: Sentence, resolution: Resolution, title: str) -> list[str]:
    """ "Lucky died in 1997": the names of persons whom the text calls by one name alone, and of whom the
    sentence does not say who they are."""
    if resolution.topic is None:
        return []
    known = f"{title} {resolution.topic.name}".casefold()
    found = [t for t in sentence.tokens if _is_stranger(t, sentence, resolution)]
    return [t.text for t in found if t.text.casefold() not in known]


def _is_stranger(token: Token, sentence: Sentence, resolution: Resolution) -> bool:
    thing = resolution.of(token)
    if token.name is None or token.tag == "NNPS" or any(c.dep == "det" for c in token.children):
        return False
    if thing is None or thing is resolution.topic or not _acts(token):
        return False
    told_of = bool(thing.gender) or thing.name.casefold() in _GIVEN or token.head.lemma in _LIVING
    told_of |= thing.type is EntityType.PERSON
    if thing.type not in _PEOPLE or not told_of or len(thing.name.split()) > 1 or len(token.text.split()) > 1:
        return False
    place = token.i - sentence.tokens[0].i
    before = sentence.tokens[place - 1] if place else None
    told = before is not None and (before.name is not None or before.tag in {"NN", "NNP"})
    return not told and not any(c.dep in _TOLD_BY for c in token.children)


def _acts(name: Token) -> bool:
    """ "Lucky died", "succeeded Lucky"."""
    return name.dep in _SUBJECTS or (name.dep == "dobj" and name.head.lemma in _BESIDE)


def is_named_in(names: Iterable[str], told: Iterable[str]) -> bool:
    """Whether each of the names is said in one of the texts."""
    said = " ".join(told).split()
    return all(name in said for name in names)


def is_told_by_itself(sentence: Sentence, resolution: Resolution) -> bool:
    """ "A pension hastened my retirement", in a text about Roe: words of somebody, and nothing says whose."""
    return resolution.topic is not None and any(
        t.lower in _FIRST_PERSON and t.tag.startswith("PRP") for t in sentence.tokens
    )


def follows(sentence: Sentence) -> bool:
    """ "As a result, Roe left in 1908": of what, was told before, whatever the date."""
    opening = "".join(f"{t.lower} " for t in sentence.tokens[:5])
    return any(opening.startswith(f"{phrase} ") for phrase in _FOLLOWING)


def is_of_an_hour(sentence: Sentence) -> bool:
    """ "At 1515 hrs she reached Leeds": an hour of a day that was told before."""
    return _HOUR.search(" ".join(t.text for t in sentence.tokens)) is not None


def is_told_later(sentence: Sentence) -> bool:
    """ "Roe was later released": later than what, was told before."""
    root = sentence.root
    return any(t.lower in _LATER and t.dep == "advmod" and not t.children for t in root.children)


def is_of_unnamed(sentence: Sentence, resolution: Resolution) -> bool:
    """ "Several survivors were captured": once upon a time, and nothing says who they were."""
    root = sentence.root
    subject = root.child("nsubj", "nsubjpass")
    past = root.tag == "VBD" or any(c.tag == "VBD" for c in root.children if c.dep in {"aux", "auxpass"})
    if subject is None or not past or subject.tag not in {"NN", "NNS"}:
        return False
    if resolution.topic is None or any(resolution.of(t) is resolution.topic for t in sentence.tokens):
        return False
    return not any(t.name is not None or resolution.of(t) is not None for t in subject.subtree())
