"""Names in running text: spans that the recogniser found, joined with what capitals and word lists tell.

A statistical recogniser does not know invented or foreign names; capital letters do not know where a
name ends. Together they give spans that the parser may treat as one word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tidegraph.domain.documents import EntityType
from tidegraph.language.name_tokens import NER_TYPES, Tokens
from tidegraph.language.tokens import Words
from tidegraph.language.words import table, words

_CONNECTORS: Final = words("names", "connectors")
_JOINING_HEADS: Final = words("names", "joining_heads")
_JOINING_PREPOSITIONS: Final = words("names", "joining_prepositions")
_TAILS: Final = words("names", "organisation_tails")
_CLUBS: Final = words("names", "club_words")
_PLACE_TAILS: Final = words("names", "place_tails")
_CALENDAR: Final = words("names", "calendar")
_OPENERS: Final = words("names", "openers").union(*table("patterns")["headlines"].values())
_HONORIFICS: Final = words("names", "honorifics")
_TITLES: Final = words("names", "titles_kept")
_PEERAGE: Final = words("names", "peerage")
_GIVEN: Final = words("names", "given_names_male") | words("names", "given_names_female")
_AMBIGUOUS: Final = words("names", "ambiguous_given_names")
_ROLE_HEADS: Final = words("roles", "heads")
_GROUPS: Final = words("roles", "groups")
_FIELDS: Final = words("roles", "fields")
_PARTIES: Final = words("names", "party_words")
_SCHOOLS: Final = words("names", "school_words")
_FOREIGN_SCHOOLS: Final = frozenset({"école", "université", "lycée", "institut", "collège", "universität"})
_INNER: Final = frozenset({"&", "-", "–", "+", "/", "'", "’", "."})
_MAX_NAME_TOKENS: Final = 14
_FORMS: Final = frozenset(
    {
        "inc",
        "inc.",
        "ltd",
        "ltd.",
        "plc",
        "llc",
        "gmbh",
        "ag",
        "corp",
        "corp.",
        "company",
        "corporation",
        "group",
        "university",
        "college",
        "bank",
    }
)


@dataclass(frozen=True, slots=True)
class NameSpan:
    """Tokens ``[first, last)`` that are one name. ``certain``: the type does not rest on a guess."""

    first: int
    last: int
    type: EntityType
    certain: bool


def find_names(
    found: Words, known: Sequence[tuple[int, int]] = (), times: Sequence[tuple[int, int]] = ()
) -> list[NameSpan]:
    """The names of a unit, in order, without overlap.

    ``known`` are spans (characters of the unit) of names known beforehand, such as the title;
    ``times`` are spans of time expressions, which are never names.
    """
    tokens = Tokens(found, known, times)
    spans: list[NameSpan] = []
    i = 0
    while i < len(tokens.text):
        end = tokens.known.get(i) or _run(tokens, i)
        if end <= i:
            i += 1
            continue
        first = i if i in tokens.known else _without_role(tokens, i, end)
        if end == first + 1 and tokens.ner[first][1] == "NORP" and tokens.lower[first] not in _PARTIES:
            # "British", "Spaniards": a people, not a thing of which facts are told.
            i = end
            continue
        alone = end == first + 1 and tokens.opening[first] and first not in tokens.known
        if alone and not tokens.ner[first][0] and tokens.lower[first] not in _GIVEN:
            # One capitalised word that opens a sentence: the tagger will tell.
            i = end
            continue
        if first < end:
            kind, certain = _type(tokens, first, end)
            spans.append(NameSpan(first, end, kind, certain))
        i = end
    return spans


def _run(tokens: Tokens, i: int) -> int:
    """The end of the name that begins at token ``i``, or ``i`` when none does."""
    if not _begins(tokens, i):
        return i
    end = i + 1
    while end < len(tokens.text) and end - i < _MAX_NAME_TOKENS:
        step = _step(tokens, i, end)
        if not step:
            break
        end += step
    return end


def _begins(tokens: Tokens, i: int) -> bool:
    if not tokens.capital(i) or (tokens.lower[i].rstrip(".") in _HONORIFICS and not tokens.ner[i][0]):
        return False
    if tokens.lower[i] in _HONORIFICS:
        return False
    if not tokens.opening[i]:
        short = tokens.stop[i] and not tokens.ner[i][0] and len(tokens.text[i]) < 4
        return not short or (
            tokens.lower[i] in _AMBIGUOUS and i + 1 < len(tokens.text) and tokens.capital(i + 1)
        )
    if tokens.lower[i] in _AMBIGUOUS and i + 1 < len(tokens.text) and tokens.capital(i + 1):
        return True
    adverb = tokens.lower[i].endswith("ly") and not tokens.ner[i][0]
    if tokens.stop[i] or tokens.lower[i] in _OPENERS or adverb:
        # "New York", but not "New members", nor "On".
        inside = tokens.ner[i][0] and i + 1 < len(tokens.text) and tokens.ner[i + 1][0] == tokens.ner[i][0]
        return bool(inside) and tokens.capital(i + 1) and not tokens.stop[i]
    return True


def _step(tokens: Tokens, first: int, i: int) -> int:
    """How many tokens from ``i`` on belong to the name that began at ``first``; 0 when it ends."""
    if i in tokens.known or (tokens.timed[i] and not tokens.capital(i)):
        return 0
    after = i + 1 < len(tokens.text)
    if tokens.capital(i):
        closed = tokens.lower[i - 1] in _FORMS and tokens.lower[i - 1].endswith(".")
        return 0 if closed or _breaks(tokens, first, i) else 1
    lower = tokens.lower[i]
    if _lower_tail(tokens, i) or (lower in _TAILS and lower.endswith(".")) or lower in {"f.c", "a.f.c"}:
        return 1
    if not after:
        return 1 if _number_of_name(tokens, i) else 0
    if tokens.text[i] in _INNER and (glued := _glued(tokens, i)):
        return glued
    if lower in _CONNECTORS and (linked := _linked(tokens, i)):
        return linked
    if lower in {"'s", "’s"}:
        return _possessed(tokens, i)
    if lower in _JOINING_PREPOSITIONS:
        return _prepositional(tokens, first, i)
    if lower in {"and", "the", "named"}:
        return _conjoined(tokens, first, i)
    if tokens.text[i] == ",":
        return _after_comma(tokens, first, i)
    if tokens.text[i] == "(":
        return _bracketed(tokens, i)
    return 1 if _number_of_name(tokens, i) else 0


def _glued(tokens: Tokens, i: int) -> int:
    """ "Lidköping–Skara", "Weston-super-Mare", "Marks & Spencer"."""
    tight = not tokens.space_before[i] and not tokens.space_before[i + 1]
    if tokens.capital(i + 1):
        return 2 if tight or tokens.text[i] in "&+" else 0
    if tight and tokens.text[i] == "-" and i + 3 < len(tokens.text) and tokens.text[i + 2] == "-":
        return 4 if tokens.capital(i + 3) and not tokens.space_before[i + 3] else 0
    return 0


def _linked(tokens: Tokens, i: int) -> int:
    """ "van", "van der", "de la" between two capitalised words."""
    if tokens.capital(i + 1):
        return 2
    two = tokens.lower[i + 1] in _CONNECTORS and i + 2 < len(tokens.text) and tokens.capital(i + 2)
    return 3 if two else 0


def _possessed(tokens: Tokens, i: int) -> int:
    """ "St John's College", "Katter's Australian Party": one name when an organisation noun closes it."""
    end = i + 1
    while end < len(tokens.text) and tokens.capital(end) and end - i < 6:
        end += 1
    closing = tokens.lower[end - 1]
    return (
        end - i
        if end > i + 1
        and closing in _JOINING_HEADS | _TAILS | _SCHOOLS
        and closing not in _GROUPS - _SCHOOLS - {"party"}
        else 0
    )


def _lower_tail(tokens: Tokens, i: int) -> bool:
    """ "Evoke plc", "Správa železnic": a lower-case word that belongs to the name."""
    text = tokens.text[i]
    if not text.isalpha() or tokens.stop[i] or tokens.lower[i] in _ROLE_HEADS | _GROUPS:
        return False
    if tokens.lower[i] in {"plc", "gmbh", "ltd", "inc", "llc", "ab", "oy", "spa"}:
        return True
    if tokens.lower[i - 1] in _FOREIGN_SCHOOLS:
        # "École polytechnique", "Université libre de Bruxelles"
        return True
    one = (
        tokens.ner[i][0]
        and tokens.ner[i][0] == tokens.ner[i - 1][0]
        and tokens.ner[i][1] in {"ORG", "PERSON", "FAC"}
    )
    one = (
        bool(one)
        and not text.endswith(("ed", "ing"))
        and not (i + 1 < len(tokens.text) and tokens.capital(i + 1))
    )
    return one or not text.isascii()


def _breaks(tokens: Tokens, first: int, i: int) -> bool:
    """Two names that only stand side by side: different entities with a role or a line break between."""
    if tokens.lower[i] in _HONORIFICS:
        return True
    # "Acme CEO Jane Roe": the role is not part of the company's name.
    if tokens.lower[i] in _ROLE_HEADS and tokens.lower[i] not in _GROUPS and tokens.lower[i] not in _TAILS:
        left, right = tokens.ner[i - 1][0], tokens.ner[i][0]
        return not (left and left == right and not _role_phrase(tokens, i))
    return False


def _role_phrase(tokens: Tokens, i: int) -> bool:
    return tokens.text[i].isupper() and 1 < len(tokens.text[i]) <= 5


def _same_entity(tokens: Tokens, i: int) -> bool:
    number = tokens.ner[i][0]
    return bool(number) and tokens.ner[i - 1][0] == number == tokens.ner[i + 1][0]


def _prepositional(tokens: Tokens, first: int, i: int) -> int:
    """ "University of Leeds", "Academy of St Martin in the Fields": an organisation noun takes on more."""
    skip = 2 if i + 2 < len(tokens.text) and tokens.lower[i + 1] == "the" else 1
    if i + skip >= len(tokens.text) or not tokens.capital(i + skip):
        return 0
    if _same_entity(tokens, i) and tokens.ner[i + skip][0] == tokens.ner[i][0]:
        return skip + 1
    name = {tokens.lower[k] for k in range(first, i)}
    last_is_role = tokens.lower[i - 1] in _ROLE_HEADS
    if tokens.lower[i] == "of":
        return skip + 1 if name & _JOINING_HEADS and not last_is_role else 0
    return skip + 1 if name & _JOINING_HEADS and "of" in name else 0


def _conjoined(tokens: Tokens, first: int, i: int) -> int:
    """ "Press and Publishing Company", "Johnson and Sons": only where something shows that it is one name."""
    if tokens.lower[i] == "named":
        ahead = i + 2 < len(tokens.text) and tokens.lower[i + 1] == "after" and tokens.capital(i + 2)
        return 3 if ahead and {tokens.lower[k] for k in range(first, i)} & _JOINING_HEADS else 0
    if not tokens.capital(i + 1):
        return 0
    if _same_entity(tokens, i) and tokens.ner[i][1] not in {"PERSON", "ORG", "GPE"}:
        return 2
    if tokens.lower[i] == "and":
        if _shared_head(tokens, first, i):
            return 2
        tail = tokens.lower[i + 1] in {
            "sons",
            "co",
            "co.",
            "company",
            "partners",
            "associates",
            "brothers",
            "bros",
        }
        return 2 if tail else 0
    return 0


def _shared_head(tokens: Tokens, first: int, i: int) -> bool:
    """ "Scientific and Industrial Research Organisation": an attribute before "and", the noun after it."""
    left = tokens.lower[i - 1]
    attribute = left in _FIELDS or left.endswith(("ic", "al", "ive", "ing", "ary", "ific"))
    end = i + 1
    while end < len(tokens.text) and tokens.capital(end):
        end += 1
    closing = tokens.lower[end - 1] in _TAILS | _JOINING_HEADS
    attribute |= closing and _same_entity(tokens, i) and tokens.ner[i][1] == "ORG"
    closing |= bool({tokens.lower[k] for k in range(first, i)} & {"ministry", "department"})
    return attribute and closing and end - i > 1


def _after_comma(tokens: Tokens, first: int, i: int) -> int:
    """ ", Inc.", ", Jr.", ", Baron Diamond", and the town of an organisation (", Los Angeles")."""
    following = tokens.lower[i + 1]
    if following.rstrip(".") in {"inc", "ltd", "llc", "llp", "plc", "jr", "sr", "ii", "iii", "lp", "co"}:
        return 2
    if not tokens.capital(i + 1):
        return 0
    if following in _PEERAGE and tokens.text[i + 1][0].isupper():
        return 2
    name = {tokens.lower[k] for k in range(first, i)}
    if not name & _JOINING_HEADS or following in _ROLE_HEADS:
        return 0
    end = i + 2
    while end < len(tokens.text) and tokens.capital(end):
        end += 1
    closed = end >= len(tokens.text) or tokens.lower[end] not in {",", "and", "or", "&"}
    place = tokens.ner[i + 1][1] in {"GPE", "LOC", "FAC"} or (end - i <= 3 and "of" in name)
    own = {tokens.lower[k] for k in range(i + 1, end)} & (_JOINING_HEADS | _TAILS)
    return end - i if closed and place and not own and not tokens.opening[first] else 0


def _bracketed(tokens: Tokens, i: int) -> int:
    """ "Bradford (Park Avenue) A.F.C.": brackets inside a name go on with a capital after them."""
    for k in range(i + 1, min(i + 5, len(tokens.text) - 1)):
        if tokens.text[k] == ")":
            return k - i + 1 if tokens.capital(k + 1) and k > i + 1 else 0
        if not tokens.capital(k):
            return 0
    return 0


def _number_of_name(tokens: Tokens, i: int) -> bool:
    """ "Antenne 2", "Apollo 11": a small number that the recogniser counts to the name, or that ends it."""
    text = tokens.text[i]
    if not (text.isdigit() and len(text) <= 3) or not tokens.space_before[i]:
        return False
    if tokens.ner[i][0] and tokens.ner[i][0] == tokens.ner[i - 1][0]:
        return True
    nothing_after = i + 1 >= len(tokens.text) or tokens.text[i + 1] in {".", ",", ";", ")", ":"}
    return nothing_after and tokens.lower[i - 1] not in _CALENDAR


def _without_role(tokens: Tokens, first: int, end: int) -> int:
    """Where the name begins after a role written with capitals ("Finance Director Roe")."""
    cut = first
    for i in range(first, end):
        role = tokens.lower[i] in _ROLE_HEADS and not (
            tokens.lower[i] in _GIVEN and i + 1 < end and tokens.lower[i + 1] not in _ROLE_HEADS
        )
        if role and not (i == first and end - first > 1 and tokens.lower[i + 1] in _JOINING_PREPOSITIONS):
            cut = i + 1
        elif role:
            if (after := _after_of(tokens, i + 1, end)) < end:
                return after
            cut = end
            break
    if cut == first:
        return first
    if cut >= end:
        # A role alone is no name; "Ada Bishop" is one, and so is "Marshal Records".
        one_entity = tokens.ner[first][0] and all(
            tokens.ner[k] == tokens.ner[first] for k in range(first, end)
        )
        person = one_entity and tokens.ner[first][1] == "PERSON" and end - first > 1
        return first if person and tokens.lower[first] not in _ROLE_HEADS else end
    tail = {tokens.lower[k] for k in range(cut, end)}
    if tail & (_TAILS | _GROUPS) or tokens.text[cut] in {"&", "-", "–", "of", "for"}:
        return first
    return cut


def _after_of(tokens: Tokens, i: int, end: int) -> int:
    """Where the name of more than one word begins in "Chair of Brightwater Logistics", else ``end``."""
    first = i + 2 if tokens.lower[i + 1 : i + 2] == ["the"] else i + 1
    words_ = range(first, end)
    named = tokens.lower[i] == "of" and len(words_) > 1 and all(tokens.capital(k) for k in words_)
    return first if named and not {tokens.lower[k] for k in words_} <= _FIELDS else end


def _type(tokens: Tokens, first: int, end: int) -> tuple[EntityType, bool]:
    """What kind of thing a name names, and whether that is more than the recogniser's guess."""
    lowers = [tokens.lower[k] for k in range(first, end)]
    if lowers[0] in _GIVEN and len(lowers) == 2 and lowers[1] not in _FORMS:
        # "Simon Power" is a person although there are companies called so.
        return EntityType.PERSON, lowers[1] not in _TAILS
    inner = set(lowers[1:]) if len(lowers) > 1 else set()
    if (inner and lowers[-1] in _TAILS) or (inner & _CLUBS and lowers[-1] in _CLUBS) or set(lowers) & {"&"}:
        return EntityType.ORGANISATION, True
    if lowers[0] in _JOINING_HEADS and "of" in lowers:
        return EntityType.ORGANISATION, True
    if inner and lowers[-1] in _PLACE_TAILS:
        return EntityType.PLACE, True
    labels = [tokens.ner[k][1] for k in range(first, end) if tokens.ner[k][1]]
    if lowers[0] in _GIVEN or (lowers[0] in _TITLES and len(lowers) > 1):
        acronym = tokens.text[end - 1].isupper() and len(tokens.text[end - 1]) > 2
        return EntityType.PERSON, not acronym and (labels.count("PERSON") > 0 or len(lowers) > 1)
    if first and tokens.lower[first - 1] in _HONORIFICS:
        return EntityType.PERSON, True
    if not labels:
        guess = EntityType.ORGANISATION if lowers[-1] in _TAILS else EntityType.UNSPECIFIED
        return guess, False
    label = max(set(labels), key=lambda name: (labels.count(name), name))
    return NER_TYPES[label], False
