"""What a document is about, as far as its title and its pronouns show."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import Final

from tidegraph.domain.documents import EntityType
from tidegraph.language.phrases import Ref
from tidegraph.language.tree import Sentence, Token
from tidegraph.language.words import table, words

HE: Final = frozenset({"he", "him", "his", "himself"})
SHE: Final = frozenset({"she", "her", "hers", "herself"})
IT: Final = frozenset({"it", "its", "itself"})
_MALE: Final = words("names", "given_names_male")
_FEMALE: Final = words("names", "given_names_female")
_CONNECTORS: Final = words("names", "connectors")
_KINDS_OF_THINGS: Final = (
    words("names", "place_tails")
    | words("names", "school_words")
    | words("names", "party_words")
    | words("names", "joining_heads")
    | (words("names", "organisation_tails") - {"sons", "brothers", "post"})
    | words("roles", "groups")
)
_BUILDINGS: Final = frozenset({"villa", "palazzo", "palace", "abbey", "manor", "fort", "temple", "cathedral"})
_SAME_KIND: Final = tuple(frozenset(kind) for kind in table("roles")["same_kind"])
_KIND: Final = re.compile(r"\(.*?([a-z]+)\s*\)$")
_MIN_PRONOUNS: Final = 4
_MIN_GIVEN: Final = 3


def key_of(text: str) -> str:
    """A name as it is looked up: without its article."""
    return text.casefold().removeprefix("the ").strip()


def same_kind(noun: str) -> frozenset[str]:
    """All the nouns by which a thing of the kind may be called: "boat" and "vessel" for a ship."""
    return next((kind for kind in _SAME_KIND if noun in kind), frozenset())


def bracketed_kind(title: str) -> frozenset[str]:
    """The same for what a title says in brackets: "Harrow (television series)"."""
    kind = _KIND.search(title)
    return same_kind(kind.group(1)) if kind else frozenset()


def may_be_person(title: str) -> bool:
    """Two to five capitalised words, none of which names a kind of place, group or organisation."""
    parts = title.replace(",", " ").split()
    lowered = {p.lower() for p in parts}
    capital = all(p[:1].isupper() or p.lower() in _CONNECTORS for p in parts)
    return (
        2 <= len(parts) <= 5
        and capital
        and not lowered & (_KINDS_OF_THINGS | _BUILDINGS)
        and not any(c.isdigit() for c in title)
    )


def told_gender(sentences: Sequence[Sentence], title: str = "") -> str:
    """The gender of whom a text mostly tells by pronouns; "" for a text about things or several people.

    Where few pronouns tell it, the given name of the title does.
    """
    counted = Counter(t.lower for s in sentences for t in s.tokens if t.tag.startswith("PRP"))
    he, she, it = (sum(counted[w] for w in forms) for forms in (HE, SHE, IT))
    named = gender_of_name(title) if may_be_person(title) else ""
    if (named == "male" and he > she) or (named == "female" and she > he):
        return named
    if he + she < _MIN_PRONOUNS or he + she <= it:
        return ""
    return "male" if he >= 3 * she else "female" if she >= 3 * he else ""


def is_called_by_given(sentences: Sequence[Sentence], title: str) -> bool:
    """Whether a text calls whom its title names by the first name: the surname alone is another's there."""
    words_ = title.split()
    if len(words_) < 2:
        return False
    told = Counter(t.text.removesuffix("’s") for s in sentences for t in s.tokens if t.text[:1].isupper())
    return told[words_[0]] >= _MIN_GIVEN and 2 * told[words_[0]] >= told[words_[-1]]


def is_expletive(token: Token) -> bool:
    """ "It was announced that ...", "it is clear that ...": stands for the clause that follows."""
    if token.lower != "it" or token.dep not in {"nsubj", "nsubjpass", "expl"}:
        return False
    if token.dep == "expl":
        return True
    below = [c for c in token.head.children if c.i > token.head.i]
    return any(c.dep in {"csubj", "csubjpass"} for c in below) or (
        token.dep == "nsubjpass" and any(c.dep in {"ccomp", "advcl"} and c.child("mark") for c in below)
    )


def is_generic(token: Token) -> bool:
    """ "a new team", "every department" name nothing."""
    return any(
        c.dep == "det" and c.lower in {"a", "an", "any", "every", "each", "no", "some"}
        for c in token.children
    )


def gender_of(ref: Ref) -> str:
    """``male`` or ``female`` where a given name tells, else empty."""
    if ref.type in {EntityType.ORGANISATION, EntityType.PLACE}:
        return ""
    return gender_of_name(ref.text)


def gender_of_name(name: str) -> str:
    """``male`` or ``female`` where the first word of a person's name tells, else empty."""
    first = name.casefold().split()[:1]
    if not first:
        return ""
    male, female = first[0] in _MALE, first[0] in _FEMALE
    return "male" if male and not female else "female" if female and not male else ""
