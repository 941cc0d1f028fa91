"""What kind of thing a phrase names, as far as its own words and what the graph knows tell. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Final

from tidegraph.domain.documents import EntityType
from tidegraph.language.words import words
from tidegraph.services.usecases.spans.lists import listed

PERSON: Final = "person"
ORGANISATION: Final = "organisation"
PLACE: Final = "place"
CLUB: Final = "club"
PARTY: Final = "party"
SCHOOL: Final = "school"
OFFICE: Final = "office"
COMPETITION: Final = "competition"
AWARD: Final = "award"
KINDS: Final = (COMPETITION, AWARD, PERSON, ORGANISATION, PLACE, CLUB, PARTY, SCHOOL, OFFICE)
_BY_TYPE: Final = {
    EntityType.PERSON: PERSON,
    EntityType.ORGANISATION: ORGANISATION,
    EntityType.PLACE: PLACE,
}
_LIKELY: Final = 0.7
_GUESS: Final = 0.3
_PERHAPS: Final = 0.5


@cache
def _table(name: str) -> frozenset[str]:
    return words("names", name)


@cache
def _offices() -> frozenset[str]:
    return words("roles", "heads")


@cache
def _competitions() -> frozenset[str]:
    return listed("competitions")


@cache
def _awards() -> frozenset[str]:
    return listed("awards")


@cache
def _things() -> frozenset[str]:
    return listed("no_person")


def kinds_of(text: str, known: EntityType) -> Mapping[str, float]:
    """How likely the phrase is of each of KINDS, in [0, 1]. ``known``: what the graph says of the name."""
    parts = [word.strip(".,()") for word in text.split()]
    low = [word.casefold() for word in parts if word]
    if not low:
        return {}
    inner, found = set(low), dict.fromkeys(KINDS, 0.0)
    given = low[0] in _table("given_names_male") or low[0] in _table("given_names_female")
    titled = low[0] in _table("titles_kept") or low[0] in _table("honorifics")
    if known in _BY_TYPE:
        found[_BY_TYPE[known]] = _LIKELY
    if (given or titled) and len(low) > 1:
        found[PERSON] = 1.0
    if inner & _table("party_words"):
        found[PARTY] = 1.0
    if inner & _table("school_words") and low[-1] != "press":  # a publisher, whatever it belongs to
        found[SCHOOL] = 1.0
    officer = parts[0][:1].islower() and inner & _offices()  # "club director of football Ada Voss"
    if (
        len(low) > 1
        and (inner & _table("club_words") or low[-1] == "team")
        and not (found[SCHOOL] or officer)
    ):
        found[CLUB] = 1.0
    if inner & _awards():
        found[AWARD] = 1.0
        found[PERSON] *= _GUESS
    if inner & _competitions():
        found[COMPETITION] = 1.0
        return {**dict.fromkeys(KINDS, 0.0), COMPETITION: 1.0, AWARD: found[AWARD]}
    tail = low[-1] in _table("organisation_tails") or low[0] in _table("joining_heads")
    if tail or low[-1] == "press" or found[PARTY] or found[SCHOOL] or found[CLUB]:
        found[ORGANISATION] = 1.0
        found[PERSON] *= _GUESS
    if inner & _offices():
        found[OFFICE] = 1.0
        found[PERSON] *= _GUESS
    own = [word for word in parts if word and word.casefold() not in _table("connectors")]
    capitals = all(word[0].isupper() for word in own if word[0].isalpha())
    if capitals and 2 <= len(own) <= 5 and not any(found.values()):
        found[PERSON], found[ORGANISATION] = (0.0 if inner & _things() else _PERHAPS), _GUESS
    return found
