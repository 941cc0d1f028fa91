"""Personal names: parts with roles, whatever the order, the case and the script."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from rapidfuzz.distance import Levenshtein

from tidegraph.resolution.folding import is_latin, latin
from tidegraph.resolution.grades import NONE, Match, transliterated
from tidegraph.resolution.tables import tables

_BRACKETS: Final = re.compile(r"\s*\([^)]*\)")
_QUOTED: Final = re.compile(r"[\"“”‘'«]([\w .\-]{2,20})[\"“”’'»](?=\s|$)")
_POSSESSIVE: Final = re.compile(r"['’]s$")
_CONFLICT: Final = Match("conflict")


@dataclass(frozen=True, slots=True)
class Person:
    """Parts of a personal name: folded words, initials as single letters.

    ``gender`` is "m", "f" or "" and ``honorific`` "miss", "mrs" or "" when a title or a usual given name
    says it; ``titles`` are those that were written.
    """

    given: tuple[str, ...]
    surname: str
    generation: str
    all_words: frozenset[str]
    joined: str
    nickname: str
    gender: str
    honorific: str
    titles: frozenset[str]


@lru_cache(maxsize=50_000)
def person(name: str) -> Person:
    """Read a personal name in natural, inverted or capital form."""
    name = _POSSESSIVE.sub("", _BRACKETS.sub("", name).strip())
    quoted = _QUOTED.search(name)
    nickname = latin(quoted[1]) if quoted else ""
    if quoted:
        name = name.replace(quoted[0], " ")
    head, comma, tail = name.partition(",")
    generation = ""
    if comma and latin(tail) in tables().generations:
        generation, tail, comma = tables().generations[latin(tail)], "", ""
    elif comma and "," in tail:
        tail, _, suffix = tail.partition(",")
        generation = tables().generations.get(latin(suffix), "")
    raw = latin(f"{tail} {head}" if comma else _without_epithets(head)).split()
    kept, titles = _without_titles(raw)
    generation = generation or next((tables().generations[w] for w in kept[1:] if _is_generation(w)), "")
    kept = kept[:1] + [word for word in kept[1:] if not _is_generation(word)]
    surname = [word for word in latin(head).split() if word in kept] if comma else []
    if not surname:
        surname = _surname(kept)
    given = _split_initials(tuple(kept[: max(0, len(kept) - len(surname))]))
    return Person(
        given,
        " ".join(surname),
        generation,
        frozenset(kept),
        "".join(kept),
        nickname,
        _gender(titles, given),
        next((word for word in titles if word in ("miss", "mrs")), ""),
        frozenset(titles),
    )


def _is_generation(word: str) -> bool:
    return word in tables().generations and word != "v"


def _without_epithets(name: str) -> str:
    """Words before the name that are none: "the amiable Miss Ann", "poor Ann", "Old Ann"."""
    words = name.split()
    while len(words) > 1 and (
        (words[0][:1].islower() and words[0].casefold() not in tables().particles)
        or words[0].casefold() in tables().epithets
    ):
        words = words[1:]
    return " ".join(words)


def _without_titles(parts: list[str]) -> tuple[list[str], list[str]]:
    titles: list[str] = []
    while len(parts) > 1:
        if " ".join(parts[:2]) in tables().titles and len(parts) > 2:
            titles += parts[:2]
            parts = parts[2:]
        elif parts[0] in tables().titles:
            titles.append(parts[0])
            parts = parts[1:]
        else:
            break
    return parts, titles


def _surname(kept: list[str]) -> list[str]:
    start = len(kept) - 1
    while start > 1 and kept[start - 1] in tables().particles:
        start -= 1
    return kept[max(0, start) :]


def _split_initials(given: tuple[str, ...]) -> tuple[str, ...]:
    """ "jj" written for "J.J." is two initials; a vowel makes it a name ("jo")."""
    parts: list[str] = []
    for word in given:
        initials = len(word) in (2, 3) and not set(word) & set("aeiouy")
        parts.extend(word if initials else [word])
    return tuple(parts)


def _gender(titles: list[str], given: tuple[str, ...]) -> str:
    for word in titles:
        if word in tables().genders:
            return tables().genders[word]
    return tables().given_genders.get(given[0], "") if given else ""


def person_match(a: str, b: str) -> Match:
    """How two personal names relate; symmetric."""
    if not (is_latin(a) and is_latin(b)):
        return _foreign(a, b)
    left, right = person(a), person(b)
    if _in_conflict(left, right):
        return _CONFLICT
    if not left.all_words or not right.all_words:
        return NONE
    if left.all_words == right.all_words:
        if len(left.all_words) == 1:
            return Match("mononym" if left.titles == right.titles else "mononym titled")
        return Match("exact" if left.joined == right.joined else "reordered")
    if min(len(left.all_words), len(right.all_words)) == 1:
        return _single(left, right)
    if left.surname == right.surname:
        return _given_match(left, right)
    return _unlike_surnames(left, right)


def _in_conflict(left: Person, right: Person) -> bool:
    return any(
        x and y and x != y
        for x, y in (
            (left.generation, right.generation),
            (left.gender, right.gender),
            (left.honorific, right.honorific),
        )
    )


def _single(left: Person, right: Person) -> Match:
    """A single word against a longer name, or against another single word."""
    short, long = (left, right) if len(left.all_words) == 1 else (right, left)
    word = short.joined
    if word == long.surname or word == long.surname.split()[-1]:
        return Match("surname")
    if long.given and word == long.given[0]:
        return Match("given")
    if any(_word_match(word, other) >= 0.8 for other in (*long.given[:1], long.nickname) if other):
        return Match("nickname", 0.5)
    if word in long.all_words:
        return Match("part", 0.5)
    if len(word) >= 6 and word == long.joined:
        return Match("spaced")
    return NONE


def _unlike_surnames(left: Person, right: Person) -> Match:
    if left.joined == right.joined or _rotated(left, right):
        return Match("spaced")
    if left.all_words < right.all_words or right.all_words < left.all_words:
        return Match("extended", 0.8)
    common = left.all_words & right.all_words
    if common and Levenshtein.distance(left.surname, right.surname, score_cutoff=1) == 1:
        return Match("typo") if min(len(left.surname), len(right.surname)) >= 5 else NONE
    a, b = "".join(sorted(left.all_words)), "".join(sorted(right.all_words))
    likeness = Levenshtein.normalized_similarity(a, b)
    return Match("alike", likeness) if likeness >= 0.7 else NONE


def _rotated(left: Person, right: Person) -> bool:
    """One begins with the other's last word and has the same letters: "Ri Tae-min" and "Taemin Ri"."""
    for x, y in ((left, right), (right, left)):
        last = x.surname.split()[-1] if x.surname else ""
        if last and y.joined == last + x.joined.removesuffix(last):
            return True
    return False


def _given_match(left: Person, right: Person) -> Match:
    a, b = left.given, right.given
    short, long = (left, right) if len(a) <= len(b) else (right, left)
    grades = [max((_word_match(x, y) for y in long.given), default=0.0) for x in short.given]
    if long.nickname:
        grades = [
            max(grade, min(0.8, _word_match(x, long.nickname)))
            for grade, x in zip(grades, short.given, strict=True)
        ]
    if not grades:
        return Match("surname")
    if min(grades) == 0.0:
        return _unlike_given(short, long, grades)
    first = _word_match(a[0], b[0]) > 0
    if min(grades) == 0.6:
        return Match("initials", 1.0 if first else 0.7)
    if min(grades) == 1.0:
        return Match("extended" if first else "middle")
    return Match("nickname" if min(grades) == 0.8 else "typo")


def _unlike_given(short: Person, long: Person, grades: list[float]) -> Match:
    """Given names of which at least one has no partner."""
    if "".join(short.given) == "".join(long.given):
        return Match("spaced")
    if short.nickname and any(_word_match(short.nickname, y) >= 0.8 for y in long.given):
        return Match("nickname")
    if max(grades) == 1.0 and len(short.given) < len(long.given):
        return Match("crossed")
    return _CONFLICT


def _word_match(x: str, y: str) -> float:
    """1 the same, .8 a nickname or short form, .7 a letter off, .6 an initial, 0 unlike."""
    if x == y:
        return 1.0
    if len(x) == 1 or len(y) == 1:
        return 0.6 if x[0] == y[0] else 0.0
    if tables().nicknames.get(x, frozenset()) & tables().nicknames.get(y, frozenset()):
        return 0.8
    if x.startswith(y) or y.startswith(x):
        return 0.8 if min(len(x), len(y)) >= 3 else 0.0
    return 0.7 if Levenshtein.distance(x, y, score_cutoff=1) == 1 and min(len(x), len(y)) >= 5 else 0.0


def _foreign(a: str, b: str) -> Match:
    """Across scripts: by sound, and by the ways in which an East Asian surname is written."""
    match = transliterated(a, b)
    if match.kind == "exact":
        return match
    left, right = latin(a).split(), latin(b).split()
    if len(left) > 1 and len(right) > 1:
        ends = {(x, y) for x in (left[0], left[-1]) for y in (right[0], right[-1])}
        if any(_same_surname(x, y) for x, y in ends):
            return Match("translit surname", match.grade)
    return match


def _same_surname(x: str, y: str) -> bool:
    groups = tables().surnames
    return bool(groups.get(x, frozenset()) & groups.get(y, frozenset()))
